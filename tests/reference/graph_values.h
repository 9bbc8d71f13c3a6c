/* The values of a graph's nodes on plain rows, each operation written down once more: in long doubles, which hold
 * integers up to 2^64 exactly, or modulo t. */
#ifndef HB_TESTS_GRAPH_VALUES_H
#define HB_TESTS_GRAPH_VALUES_H

#include <math.h>

#include "lang/ir/known.h"
#include "reference/lowered.h"

enum { VALUE_ROWS = 64 };

/* Cells of tables, and the values of nodes. A table of one row has it in the place of every row. */
typedef struct graph_values {
    const hb_graph *graph;
    uint64_t modulus; /* 0: none */
    uint64_t rows;
    long double cell[LOWERED_TABLES][LOWERED_COLUMNS][VALUE_ROWS];
    long double (*node)[VALUE_ROWS];
} graph_values;

static inline long double values_reduced(const graph_values *v, long double x)
{
    if (v->modulus == 0) {
        return x;
    }
    const long double t = (long double)v->modulus, rest = fmodl(x, t);
    return rest < 0 ? rest + t : rest;
}

/* The weight of a term of a combination. */
static inline long double values_weight(const hb_graph *g, const hb_combination_terms *terms, uint32_t i)
{
    const hb_weight weight = g->combinations.term_weights[terms->first + i];
    return terms->whole ? (long double)weight.integer : (long double)weight.real;
}

static inline long double values_chebyshev(const hb_chebyshev *p, long double x)
{
    long double sum = 0, term = 1, next = x;
    for (uint32_t k = 0; k <= p->degree; k++) {
        sum += p->coefficients[k] * term;
        const long double after = 2 * x * next - term;
        term = next;
        next = after;
    }
    return sum;
}

/* The value of a derived column, which a load has alone. */
static inline long double values_derived(const graph_values *v, uint32_t load, uint64_t row)
{
    const hb_derived *derived = &v->graph->constants.derived;
    hb_plain_value value;
    assert_int_equal(hb_derived_values(derived, hb_derived_loaded(derived, load, 0), row, 1, &value), HB_OK);
    return derived->reals ? value.real : (long double)value.integer;
}

/* The result of node i's operation on the values of its operands, in a row. */
static inline long double values_step(const graph_values *v, uint32_t i, uint64_t row)
{
    const hb_graph *g = v->graph;
    const hb_node *node = &g->nodes[i];
    const long double a = node->a < g->count ? v->node[node->a][row] : 0;
    const long double b = node->b < g->count ? v->node[node->b][row] : 0;
    long double sum = 0;
    switch (node->op) {
    case HB_OP_KNOWN:
        return g->semantics->reals ? hb_node_known_number(g, i).real : (long double)hb_node_known_number(g, i).integer;
    case HB_OP_LOAD_PLAIN:
        if (node->column >= g->operands[node->operand].schema->columns) { /* a derived one, behind the columns */
            return values_derived(v, node->column - (uint32_t)g->operands[node->operand].schema->columns, row);
        }
        return v->cell[node->operand][node->column][g->operands[node->operand].schema->rows == 1 ? 0 : row];
    case HB_OP_LOAD:
        return v->cell[node->operand][node->column][g->operands[node->operand].schema->rows == 1 ? 0 : row];
    case HB_OP_ADD:
    case HB_OP_ADD_PLAIN:
        return a + b;
    case HB_OP_SUBTRACT:
    case HB_OP_SUBTRACT_PLAIN:
        return a - b;
    case HB_OP_NEGATE:
        return -a;
    case HB_OP_MULTIPLY:
    case HB_OP_MULTIPLY_PLAIN:
        return a * b;
    case HB_OP_ADD_CONSTANT:
        return a + (long double)node->number;
    case HB_OP_ADD_NUMBER:
        return a + node->real;
    case HB_OP_MULTIPLY_INTEGER:
        return a * values_reduced(v, (long double)node->number);
    case HB_OP_MULTIPLY_NUMBER:
        return a * node->real;
    case HB_OP_COMBINE: {
        const hb_combination_terms terms = hb_node_combination(g, node);
        for (uint32_t k = 0; k < terms.count; k++) {
            sum += values_reduced(v, values_reduced(v, values_weight(g, &terms, k)) *
                                         v->node[g->combinations.term_nodes[terms.first + k]][row]);
        }
        return sum;
    }
    case HB_OP_POLYNOMIAL:
        return values_chebyshev(&g->constants.polynomials.entry[node->number].polynomial, a);
    case HB_OP_LOOKUP:
        return (long double)g->constants.tables.table[node->number].entries[(size_t)values_reduced(v, a)];
    case HB_OP_RESCALE:
    case HB_OP_RELINEARIZE:
    case HB_OP_MOD_SWITCH:
    case HB_OP_ADJUST:
    case HB_OP_BROADCAST:
    case HB_OP_MASK:
    case HB_OP_MASK_SCALED:
        return a;
    case HB_OP_MASK_ROW:
        return row == (uint64_t)node->number ? a : 0;
    case HB_OP_FILL_ROWS:
    case HB_OP_SUM_SLOTS:
        for (uint64_t k = 0; k < v->rows; k++) {
            sum += v->node[node->a][k];
        }
        return sum;
    case HB_OP_ROTATE: /* a total is the same in all slots */
        if (g->nodes[node->a].shape.total) {
            return a;
        }
        __attribute__((fallthrough));
    default:
        fail_msg("no value of %s is known here", hb_operations[node->op].name);
        return 0;
    }
}

/* Finds the values of all nodes of a graph from the cells, modulo t or, 0, over the integers or reals; those of a graph
 * before are forgotten. */
static inline void values_find_modulo(graph_values *v, const hb_graph *graph, uint64_t rows, uint64_t modulus)
{
    assert_true(rows <= VALUE_ROWS);
    free(v->node);
    v->graph = graph;
    v->modulus = modulus;
    v->rows = rows;
    v->node = calloc(graph->count, sizeof *v->node);
    assert_non_null(v->node);
    for (uint32_t i = 0; i < graph->count; i++) {
        for (uint64_t row = 0; row < rows; row++) {
            v->node[i][row] = values_reduced(v, values_step(v, i, row));
        }
    }
}

static inline void values_find(graph_values *v, const hb_graph *graph, uint64_t rows)
{
    values_find_modulo(v, graph, rows, hb_graph_modulus(graph));
}

/* A value modulo t as the integer nearest to 0. */
static inline int64_t values_integer(const graph_values *v, uint32_t node, uint64_t row)
{
    const int64_t x = (int64_t)v->node[node][row], t = (int64_t)v->modulus;
    return t > 0 && x > t / 2 ? x - t : x;
}

#endif
