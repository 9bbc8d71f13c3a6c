/* Linear combinations as nodes: their terms, and the facts that follow from these. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "transparency.h"

/* Terms of all combinations; against hostile input. */
#define MOST_TERMS (UINT32_C(1) << 24)

static hb_status grow_terms(hb_graph *g, uint32_t more)
{
    const uint64_t wanted = (uint64_t)g->combinations.term_count + more;
    if (wanted > MOST_TERMS) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the expression comes to more than %u terms of linear combinations; split it into several",
                          MOST_TERMS);
    }
    uint32_t capacity = g->combinations.term_capacity > 0 ? g->combinations.term_capacity : 64;
    while (capacity < wanted) {
        capacity *= 2;
    }
    if (capacity == g->combinations.term_capacity) {
        return HB_OK;
    }
    uint32_t *nodes = realloc(g->combinations.term_nodes, capacity * sizeof *nodes);
    g->combinations.term_nodes = nodes != NULL ? nodes : g->combinations.term_nodes;
    hb_weight *weights = realloc(g->combinations.term_weights, capacity * sizeof *weights);
    g->combinations.term_weights = weights != NULL ? weights : g->combinations.term_weights;
    if (!nodes || !weights) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    }
    g->combinations.term_capacity = capacity;
    return HB_OK;
}

static hb_status grow_combinations(hb_graph *g)
{
    if (g->combinations.count < g->combinations.capacity) {
        return HB_OK;
    }
    const uint32_t capacity = g->combinations.capacity == 0 ? 64 : 2 * g->combinations.capacity;
    hb_combination_terms *longer = realloc(g->combinations.list, capacity * sizeof *longer);
    if (!longer) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    }
    g->combinations.list = longer;
    g->combinations.capacity = capacity;
    return HB_OK;
}

hb_status hb_graph_combination(hb_graph *g, const uint32_t *nodes, const hb_weight *weights, uint32_t count, bool whole,
                               uint32_t *out)
{
    HB_ASSERT(count >= 1);
    HB_TRY(grow_terms(g, count));
    HB_TRY(grow_combinations(g));
    const hb_node node = {.op = HB_OP_COMBINE,
                          .a = nodes[0],
                          .b = HB_NO_NODE,
                          .number = g->combinations.count,
                          .shape.total = g->nodes[nodes[0]].shape.total};
    const hb_combination_terms terms = {g->combinations.term_count, count, whole};
    memcpy(g->combinations.term_nodes + g->combinations.term_count, nodes, count * sizeof *nodes);
    memcpy(g->combinations.term_weights + g->combinations.term_count, weights, count * sizeof *weights);
    g->combinations.list[g->combinations.count++] = terms;
    g->combinations.term_count += count;
    const hb_status st = hb_graph_node(g, &node, out);
    if (st != HB_OK || g->nodes[*out].number != node.number) { /* it is there already: with terms of its own */
        g->combinations.count--;
        g->combinations.term_count -= count;
    }
    return st;
}
