/* Linear combinations as nodes: their terms, and what follows from these. */
#include "combination.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear.h"

/* Terms of all combinations; against hostile input. */
#define MOST_TERMS (UINT32_C(1) << 24)

static hb_status grow_terms(hb_graph *g, uint32_t more)
{
    const uint64_t wanted = (uint64_t)g->term_count + more;
    if (wanted > MOST_TERMS) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          "the expression comes to more than %u terms of linear combinations; split it into several",
                          MOST_TERMS);
    }
    uint32_t capacity = g->term_capacity > 0 ? g->term_capacity : 64;
    while (capacity < wanted) {
        capacity *= 2;
    }
    if (capacity == g->term_capacity) {
        return HB_OK;
    }
    uint32_t *nodes = realloc(g->term_nodes, capacity * sizeof *nodes);
    g->term_nodes = nodes != NULL ? nodes : g->term_nodes;
    hb_weight *weights = realloc(g->term_weights, capacity * sizeof *weights);
    g->term_weights = weights != NULL ? weights : g->term_weights;
    if (!nodes || !weights) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    }
    g->term_capacity = capacity;
    return HB_OK;
}

static hb_status grow_combinations(hb_graph *g)
{
    if (g->combination_count < g->combination_capacity) {
        return HB_OK;
    }
    const uint32_t capacity = g->combination_capacity == 0 ? 64 : 2 * g->combination_capacity;
    hb_combination_terms *longer = realloc(g->combinations, capacity * sizeof *longer);
    if (!longer) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    }
    g->combinations = longer;
    g->combination_capacity = capacity;
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
                          .number = g->combination_count,
                          .total = g->nodes[nodes[0]].total};
    const hb_combination_terms terms = {g->term_count, count, whole};
    memcpy(g->term_nodes + g->term_count, nodes, count * sizeof *nodes);
    memcpy(g->term_weights + g->term_count, weights, count * sizeof *weights);
    g->combinations[g->combination_count++] = terms;
    g->term_count += count;
    const hb_status st = hb_graph_node(g, &node, out);
    if (st != HB_OK || g->nodes[*out].number != node.number) { /* it is there already: with terms of its own */
        g->combination_count--;
        g->term_count -= count;
    }
    return st;
}

static double value_of(hb_weight weight, bool whole)
{
    return whole ? (double)weight.integer : weight.real;
}

static hb_interval interval_of(hb_weight weight, bool whole)
{
    return whole ? hb_interval_of(weight.integer, weight.integer) : hb_interval_of_reals(weight.real, weight.real);
}

hb_interval hb_combination_interval(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    hb_interval sum = {.known = false};
    bool first = true;
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_weight weight = g->term_weights[terms.first + i];
        if (value_of(weight, terms.whole) == 0) {
            continue;
        }
        const hb_interval term =
            hb_interval_multiply(g->nodes[g->term_nodes[terms.first + i]].interval, interval_of(weight, terms.whole));
        sum = first ? term : hb_interval_add(sum, term);
        first = false;
    }
    return sum;
}

double hb_combination_magnitude(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    double sum = 0;
    for (uint32_t i = 0; i < terms.count; i++) {
        const double weight = fabs(value_of(g->term_weights[terms.first + i], terms.whole));
        if (weight > 0) {
            const double term = nextafter(g->nodes[g->term_nodes[terms.first + i]].magnitude * weight, HUGE_VAL);
            sum = nextafter(sum + term, HUGE_VAL);
        }
    }
    return sum;
}

uint64_t hb_combination_linear(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_weight weight = g->term_weights[terms.first + i];
        const uint64_t number = terms.whole ? hb_linear_number(weight.integer) : hb_linear_real(weight.real);
        const uint64_t linear = g->nodes[g->term_nodes[terms.first + i]].linear;
        sum = hb_linear_fold(sum + hb_linear_multiply(linear, number));
    }
    return sum;
}
