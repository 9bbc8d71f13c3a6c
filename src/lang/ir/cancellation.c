/* The rest where encrypted values cancel: sums of nodes, as sums of other nodes with factors. */
#include <math.h>
#include <stdlib.h>

#include "base/seed.h"
#include "graph.h"
#include "semantics.h"

/* How often each node, and the number 1, is in a sum. */
typedef struct terms {
    hb_number *times; /* [nodes] */
    hb_number one;
    bool exact; /* no integer left its 64 bits */
} terms;

static void add_to(terms *t, hb_number *to, hb_number times, int64_t integer, double real)
{
    int64_t product;
    t->exact = t->exact && !__builtin_mul_overflow(times.integer, integer, &product) &&
               !__builtin_add_overflow(to->integer, product, &to->integer);
    to->real += times.real * real;
}

/* Adds the terms of a node that is a linear form of its operands. Returns whether it is. */
static bool add_terms_of(const hb_graph *g, const hb_node *node, hb_number times, terms *t)
{
    hb_number *a = node->a != HB_NO_NODE && node->op != HB_OP_COMBINE ? &t->times[node->a] : NULL;
    switch (node->op) {
    case HB_OP_ADD:
    case HB_OP_ADD_PLAIN:
    case HB_OP_SUBTRACT:
    case HB_OP_SUBTRACT_PLAIN: {
        const int sign = node->op == HB_OP_ADD || node->op == HB_OP_ADD_PLAIN ? 1 : -1;
        add_to(t, a, times, 1, 1);
        add_to(t, &t->times[node->b], times, sign, sign);
        return true;
    }
    case HB_OP_NEGATE:
        add_to(t, a, times, -1, -1);
        return true;
    case HB_OP_BROADCAST:
        add_to(t, a, times, 1, 1);
        return true;
    case HB_OP_ADD_CONSTANT:
        add_to(t, a, times, 1, 1);
        add_to(t, &t->one, times, node->number, 0);
        return true;
    case HB_OP_ADD_NUMBER:
        add_to(t, a, times, 1, 1);
        add_to(t, &t->one, times, 0, node->real);
        return true;
    case HB_OP_MULTIPLY_INTEGER:
        add_to(t, a, times, node->number, (double)node->number);
        return true;
    case HB_OP_MULTIPLY_NUMBER:
        add_to(t, a, times, 0, node->real);
        return true;
    case HB_OP_COMBINE: {
        const hb_node_list operands = hb_node_operands(g, node);
        const hb_weight *weights = hb_node_weights(g, node);
        const bool whole = hb_node_combination(g, node).whole;
        for (uint32_t i = 0; i < operands.count; i++) {
            add_to(t, &t->times[operands.node[i]], times, whole ? weights[i].integer : 0,
                   whole ? (double)weights[i].integer : weights[i].real);
        }
        return true;
    }
    default:
        return false;
    }
}

/* Finds the number that is left of a node in which everything encrypted cancels; false: something else is left, as of a
 * plain table. */
hb_status hb_graph_find_left(const hb_graph *g, const hb_node *node, hb_number *number, bool *found)
{
    terms t = {.times = calloc((size_t)g->count + 1, sizeof *t.times), .exact = true};
    if (t.times == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    }
    bool all = add_terms_of(g, node, (hb_number){.integer = 1, .real = 1}, &t);
    for (uint32_t i = g->count; i-- > 0 && all;) { /* operands stand before their users */
        const hb_number times = t.times[i];
        if (g->semantics->reals ? times.real != 0 : times.integer != 0) {
            all = add_terms_of(g, &g->nodes[i], times, &t);
        }
    }
    hb_wipe(t.times, g->count * sizeof *t.times);
    free(t.times);
    *found = all && (g->semantics->reals ? isfinite(t.one.real) : t.exact);
    *number = t.one;
    return HB_OK;
}

hb_status hb_graph_find_difference(const hb_graph *g, uint32_t a, uint32_t b, hb_number *number, bool *found)
{
    const hb_node node = {.op = HB_OP_SUBTRACT, .a = a, .b = b};
    *found = g->params != NULL && g->nodes[a].form.fingerprint == g->nodes[b].form.fingerprint;
    return *found ? hb_graph_find_left(g, &node, number, found) : HB_OK;
}
