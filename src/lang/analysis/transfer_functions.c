#include "transfer_functions.h"

#include <math.h>

#include "approximation_error.h"
#include "bootstrap_error.h"
#include "clamp_to_range.h"
#include "coupled_error.h"
#include "error_bits.h"
#include "factors.h"
#include "facts.h"
#include "lang/ir/block_ranges.h"
#include "lang/ir/blocks.h"
#include "lang/ir/range_analysis.h"
#include "lang/ir/rules.h"
#include "lang/ir/scales.h"
#include "lang/ir/semantics.h"
#include "loop_error.h"
#include "mask_error.h"
#include "moments.h"
#include "polynomial_error.h"
#include "rlwe/quality.h"
#include "scheme/matrix.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "spread_error.h"

/* --- rows within slots (blocks.h) */

/* These return the moments and the bounds of products with matrices, sums of columns, copies of a column, and sums with
 * rows of constants. The moments of a matrix are of all rows: columns are taken as independent, as elsewhere. */
static hb_moments matrix_moments(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_matrix_entry *entry = hb_matrix_of(g, node), *pair[2] = {entry->part[0], entry->part[1]};
    const uint32_t rows = entry->matrix.rows, count = pair[0] != NULL ? 2 : 1;
    hb_moments x[2], r = {.peak = 0};
    for (uint32_t k = 0; k < count; k++) {
        x[k] = hb_moments_of_node(f, &g->nodes[node->operands[k]]);
        pair[k] = count > 1 ? pair[k] : entry;
    }
    for (uint32_t i = 0; i < rows; i++) {
        double mean = 0, spread = 0, peak = 0;
        for (uint32_t k = 0; k < count; k++) {
            const hb_block_sums *row = &pair[k]->sums[i];
            mean += row->sum * x[k].mean;
            spread += row->squares * fmax(x[k].square - x[k].mean * x[k].mean, 0);
            peak += row->magnitudes * x[k].peak;
        }
        r.mean += mean / rows;
        r.square += (mean * mean + spread) / rows;
        r.peak = fmax(r.peak, fmin(peak, fabs(mean) + HB_LIKELY_DEVIATIONS * sqrt(spread)));
    }
    r.common = r.mean * r.mean;
    r.peak = fmax(r.peak, sqrt(r.square));
    return r;
}

/* The sum of a pair is divided once, which is in the bounds of both parts. */
static hb_quality matrix_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_matrix_entry *entry = hb_matrix_of(g, node);
    const hb_node *a = &g->nodes[node->a], *b = node->b != HB_NO_NODE ? &g->nodes[node->b] : NULL;
    const uint32_t limbs = a->shape.limbs;
    const hb_block_pair *pair = &entry->pair;
    if (b == NULL) {
        return hb_quality_matrix(g->params, &entry->matrix, &entry->outline, limbs, hb_node_factor(f, a));
    }
    return hb_quality_add(
        g->params, hb_quality_matrix(g->params, pair->matrix[0], &pair->outline[0], limbs, hb_node_factor(f, a)),
        hb_quality_matrix(g->params, pair->matrix[1], &pair->outline[1], limbs, hb_node_factor(f, b)));
}

static hb_moments row_sum_moments(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(f, a);
    const double terms = a->shape.width, mean = terms * x.mean;
    hb_moments r = {.mean = mean, .common = mean * mean};
    r.square = mean * mean + terms * fmax(x.square - x.mean * x.mean, 0);
    r.peak = fmax(fmin(terms * x.peak, fabs(mean) + HB_LIKELY_DEVIATIONS * sqrt(fmax(r.square - r.common, 0))),
                  sqrt(r.square));
    return r;
}

static hb_quality row_sum_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_sum_window(g->params, node->shape.limbs, hb_node_quality(f, &g->nodes[node->a]),
                                 (uint32_t)node->number);
}

static hb_quality row_spread_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_sum_window(g->params, node->shape.limbs, hb_node_quality(f, &g->nodes[node->a]),
                                 (uint32_t)hb_row_copies(node->number));
}

/* Values of a node that couples row blocks, or brings them apart, are sqrt(2) times as large. */
static hb_moments coupling_moments(const hb_facts *f, const hb_node *node)
{
    const hb_moments x = hb_moments_of_node(f, &f->graph->nodes[node->a]);
    return (hb_moments){sqrt(2) * x.mean, 2 * x.square, 2 * x.common, sqrt(2) * x.peak};
}

static hb_moments add_row_moments(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_row_entry *row = hb_row_of(g, node);
    const hb_node *a = &g->nodes[node->a];
    const hb_moments x = hb_moments_of_node(f, a);
    double mean = 0, square = 0, most = 0;
    for (uint32_t j = 0; j < row->columns; j++) {
        mean += row->values[j] / row->columns;
        square += row->values[j] * row->values[j] / row->columns;
        most = fmax(most, fabs(row->values[j]));
    }
    hb_moments r = {
        .mean = x.mean + mean, .square = fmax(x.square + square + 2 * x.mean * mean, 0), .peak = x.peak + most};
    r.common = r.mean * r.mean;
    return r;
}

static hb_quality add_row_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_quality sum = hb_quality_add_plain(g->params, hb_node_quality(f, &g->nodes[node->a]));
    const hb_magnitude constants = hb_magnitude_up_to(hb_interval_magnitude(hb_row_constants_interval(g, node)));
    return hb_quality_transformed(g->params, node->shape.limbs, sum, constants);
}

/* --- all other nodes */

static const hb_node *operand_a(const hb_graph *g, const hb_node *node)
{
    return &g->nodes[node->a];
}

static const hb_node *operand_b(const hb_graph *g, const hb_node *node)
{
    return &g->nodes[node->b];
}

/* The bounds of x as a factor beside the node `other`. */
static hb_quality quality_beside(const hb_facts *f, const hb_node *x, uint32_t other)
{
    const hb_graph *g = f->graph;
    return hb_quality_again(g->params, hb_node_quality(f, x),
                            hb_factors_times(g, &hb_facts_error(f, x)->factors, other));
}

static hb_quality switched(const hb_graph *g, const hb_node *node, hb_quality a, hb_switch_use use, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        a = hb_quality_switch(g->params, node->shape.limbs, a, use);
    }
    return a;
}

static hb_quality quality_same(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_node_quality(f, operand_a(g, node));
}

/* With the error of relinearizing a node, if it is. */
static hb_quality relinearized(const hb_facts *f, const hb_node *node, hb_quality quality)
{
    const hb_node_size *x = hb_facts_size(f, node);
    return switched(f->graph, node, quality, HB_SWITCH_RELIN, x->size < x->raw_size);
}

/* Plain values have no errors. */
static hb_quality quality_none(const hb_facts *f, const hb_node *node)
{
    (void)f;
    (void)node;
    return (hb_quality){0};
}

static hb_quality quality_load(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_as_read(g, node);
}

static hb_quality quality_sum(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_quality a = hb_node_quality(f, operand_a(g, node));
    return node->a == node->b ? hb_quality_multiply_integer(g->params, a, 2)
                              : hb_quality_add(g->params, a, hb_node_quality(f, operand_b(g, node)));
}

/* Returns the node x as a factor of two components beside the node `other`. */
static hb_quality_factor factor_beside(const hb_facts *f, uint32_t x, uint32_t other)
{
    const hb_graph *g = f->graph;
    const hb_node *node = &g->nodes[x];
    return (hb_quality_factor){quality_beside(f, node, other), 2, hb_node_values(f, node),
                               hb_factors_related(f, x, other)};
}

/* A number or plaintext whose encoding is in the bounds as well. */
static hb_quality quality_sum_plain(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_transformed(g->params, node->shape.limbs,
                                  hb_quality_add_plain(g->params, hb_node_quality(f, operand_a(g, node))),
                                  hb_magnitude_up_to(hb_other_magnitude(g, node)));
}

static hb_quality quality_sum_number(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_add_number(g->params, hb_node_quality(f, operand_a(g, node)));
}

static hb_quality quality_product_plain(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *b = operand_b(g, node);
    const hb_operand *operand = &g->operands[b->operand];
    const bool constant = operand->schema->rows == 1 && !hb_graph_partial(g) && !hb_graph_packed(g);
    return hb_quality_multiply_plain(g->params, node->shape.limbs, factor_beside(f, node->a, node->b),
                                     constant ? HB_FACTOR_CONSTANT : HB_FACTOR_ANY, hb_node_values(f, b));
}

static hb_quality quality_multiple(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const double number = (double)g->semantics->computed(g->spec, node->number);
    return hb_quality_multiply_integer(g->params, hb_node_quality(f, operand_a(g, node)), fabs(number));
}

static hb_quality quality_multiple_real(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_multiply_number(g->params, node->shape.limbs, hb_node_factor(f, operand_a(g, node)), node->real);
}

/* The errors of products with each number, added up. Where operands are exact, the rounding of numbers is left. */
static hb_quality combined_quality(const hb_facts *f, const hb_node *node, bool exact)
{
    const hb_graph *g = f->graph;
    const hb_combination_terms terms = hb_node_combination(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    hb_quality sum = {0};
    bool first = true;
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_node *x = &g->nodes[g->combinations.term_nodes[terms.first + i]];
        const double number =
            terms.whole ? (double)g->semantics->computed(g->spec, weights[i].integer) : weights[i].real;
        if (number == 0) {
            continue;
        }
        hb_quality_factor factor = hb_node_factor(f, x);
        if (exact) {
            factor.quality = (hb_quality){.powers = 1};
        }
        const hb_quality term = terms.whole ? hb_quality_multiply_integer(g->params, factor.quality, fabs(number))
                                            : hb_quality_multiply_number(g->params, node->shape.limbs, factor, number);
        sum = first ? term : hb_quality_add(g->params, sum, term);
        first = false;
    }
    return sum;
}

static hb_quality quality_combination(const hb_facts *f, const hb_node *node)
{
    return combined_quality(f, node, false);
}

static hb_quality quality_product(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_quality_factor a = factor_beside(f, node->a, node->b);
    return node->a == node->b
               ? hb_quality_square(g->params, node->shape.limbs, a)
               : hb_quality_multiply(g->params, node->shape.limbs, a, factor_beside(f, node->b, node->a));
}

static hb_quality rescaled(const hb_facts *f, const hb_node *a, hb_quality quality)
{
    const hb_graph *g = f->graph;
    return hb_facts_size(f, a)->size == 3
               ? hb_quality_relinearize_rescale(g->params, a->shape.limbs, quality)
               : hb_quality_mod_switch(g->params, a->shape.limbs, quality, hb_facts_size(f, a)->size);
}

static hb_quality quality_rescale(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = operand_a(g, node);
    return rescaled(f, a, hb_node_quality(f, a));
}

static hb_quality quality_adjust(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = operand_a(g, node);
    return hb_quality_adjust(g->params, a->shape.limbs, hb_node_factor(f, a), node->shape.limbs);
}

static hb_quality quality_mod_switch(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = operand_a(g, node);
    return hb_quality_mod_switch(g->params, a->shape.limbs, hb_node_quality(f, a), hb_facts_size(f, a)->size);
}

/* At worst by the keys of the step's terms. */
static hb_quality quality_rotation(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    int64_t steps[HB_GALOIS_MOST_STEPS];
    return switched(g, node, quality_same(f, node), HB_SWITCH_GALOIS, hb_slots_terms(g->spec, node->number, steps));
}

static hb_quality quality_swap(const hb_facts *f, const hb_node *node)
{
    return switched(f->graph, node, quality_same(f, node), HB_SWITCH_GALOIS, 1);
}

/* Returns the bound of the operand of a sum over slots once it is relinearized, or divided by the scale. */
static hb_quality settled(const hb_facts *f, const hb_node *node, hb_quality quality)
{
    const hb_graph *g = f->graph;
    const hb_node *a = operand_a(g, node);
    const uint32_t times = hb_facts_size(f, a)->size == 3;
    return a->shape.scaled ? rescaled(f, a, quality) : switched(g, node, quality, HB_SWITCH_RELIN, times);
}

static hb_quality quality_of_sum(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = operand_a(g, node);
    const double blocks = (double)hb_graph_blocks(g);
    hb_masked_error masked;
    if (hb_masked_error_find(f, a, &masked)) {
        const hb_quality rest = settled(f, node, hb_quality_sum(g->params, masked.rest, blocks));
        return hb_quality_add(g->params, settled(f, node, masked.rows), hb_over_slots_quality(g, node, rest));
    }
    const hb_quality all = hb_quality_sum(g->params, hb_node_quality(f, a), blocks);
    return hb_over_slots_quality(g, node, settled(f, node, all));
}

/* The errors of an operation that makes a node. */
typedef struct error_rule {
    hb_quality (*quality)(const hb_facts *f, const hb_node *node); /* its bounds, as computed */
    /* Its likely values; NULL: those of `a` where it has a's values, else spread evenly over their range. */
    hb_moments (*moments)(const hb_facts *f, const hb_node *node);
} error_rule;

/* Operations that make nodes, all but stores and accumulations, with their rows. */
/* clang-format off */
#define ROWS(X) \
    X(LOAD, quality_load, NULL) \
    X(LOAD_PLAIN, quality_none, NULL) X(KNOWN, quality_none, NULL) \
    X(ADD, quality_sum, hb_moments_of_sum) \
    X(SUBTRACT, quality_sum, hb_moments_of_difference) \
    X(NEGATE, quality_same, hb_moments_of_negative) \
    X(ADD_PLAIN, quality_sum_plain, hb_moments_of_sum) \
    X(SUBTRACT_PLAIN, quality_sum_plain, hb_moments_of_difference) \
    X(MULTIPLY_PLAIN, quality_product_plain, hb_moments_of_product) \
    X(ADD_CONSTANT, quality_sum_number, hb_moments_of_sum) \
    X(ADD_NUMBER, quality_sum_plain, hb_moments_of_sum) \
    X(MULTIPLY_INTEGER, quality_multiple, hb_moments_of_product) \
    X(MULTIPLY_NUMBER, quality_multiple_real, hb_moments_of_product) \
    X(COMBINE, quality_combination, hb_moments_of_combination) \
    X(ADD_ROW, add_row_quality, add_row_moments) \
    X(MATRIX, matrix_quality, matrix_moments) X(MATRIX_PAIR, matrix_quality, matrix_moments) \
    X(ROW_SUM, row_sum_quality, row_sum_moments) \
    X(ROW_SPREAD, row_spread_quality, NULL) \
    X(COUPLE, hb_coupled_quality, coupling_moments) \
    X(UNCOUPLE, hb_uncoupled_quality, coupling_moments) \
    X(MULTIPLY, quality_product, hb_moments_of_product) \
    X(POLYNOMIAL, hb_polynomial_quality, hb_polynomial_moments) \
    X(BOOTSTRAP, hb_bootstrapped_quality, NULL) \
    X(REFRESH, hb_refreshed_quality, NULL) X(LOOKUP, hb_refreshed_quality, NULL) \
    X(RELINEARIZE, quality_same, NULL) \
    X(RESCALE, quality_rescale, NULL) \
    X(MOD_SWITCH, quality_mod_switch, NULL) \
    X(EXTEND, hb_refreshed_quality, NULL) \
    X(ADJUST, quality_adjust, NULL) \
    X(ROTATE, quality_rotation, NULL) \
    X(SWAP, quality_swap, NULL) X(CONJUGATE, quality_swap, NULL) \
    X(TIMES_I, quality_same, hb_moments_turned) \
    X(BROADCAST, quality_same, NULL) \
    X(MASK, hb_mask_quality, NULL) \
    X(MASK_SCALED, hb_mask_quality, NULL) \
    X(MASK_ROW, hb_mask_quality, NULL) \
    X(FILL_ROWS, hb_mask_quality, hb_moments_of_row) \
    X(SPREAD, hb_spread_quality, NULL) \
    X(SUM_SLOTS, quality_of_sum, hb_moments_of_total)
/* clang-format on */

#define ONE(op, quality_of, moments_of) +1
_Static_assert(0 ROWS(ONE) + 2 == HB_OPCODES, "an operation without a row would have its operand's proof");
#define ROW(op, quality_of, moments_of) [HB_OP_##op] = {quality_of, moments_of},

static const error_rule rules[HB_OPCODES] = {ROWS(ROW)};

static hb_moments moments_of(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_rule *rule = hb_rule_of(node->op);
    const error_rule *errors = &rules[node->op];
    if (rule->product && node->a != node->b && hb_factors_related(f, node->a, node->b)) {
        return hb_moments_of_related(&hb_facts_error(f, operand_a(g, node))->moments,
                                     &hb_facts_error(f, operand_b(g, node))->moments);
    }
    if (errors->moments != NULL) {
        return errors->moments(f, node);
    }
    const bool kept = rule->same_values || rule->interval == hb_values_same;
    return kept && !hb_operations[node->op].loads ? hb_facts_error(f, operand_a(g, node))->moments
                                                  : hb_moments_of_range(node);
}

void hb_facts_find_error(hb_facts *f, const hb_node *node)
{
    hb_node_error *error = hb_facts_error_place(f, node);
    hb_error_overlay overlay;
    HB_ASSERT(rules[node->op].quality != NULL);
    error->factors = hb_factors_of(f, node);
    if (f->graph->semantics->reals) {
        error->moments = moments_of(f, node);
    }
    hb_quality quality;
    if (hb_kink_overlay(f, node, &overlay)) {
        const hb_facts over = hb_facts_over(f, &overlay);
        quality = hb_kink_quality(&over, node, rules[node->op].quality(&over, node));
    } else {
        quality = rules[node->op].quality(f, node);
    }
    if (node->op == HB_OP_POLYNOMIAL) {
        quality = hb_iterated_quality(f, node, quality);
    }
    quality = hb_node_within_range(f, node, hb_node_with_approximation_error(f, node, quality));
    error->quality = relinearized(f, node, quality);
}

hb_quality hb_node_own_quality(const hb_facts *f, const hb_node *node)
{
    const hb_quality none = {.powers = 1};
    if (rules[node->op].quality == quality_same) {
        return relinearized(f, node, none);
    }
    if (node->op == HB_OP_COMBINE) {
        return relinearized(f, node, combined_quality(f, node, true));
    }
    if (node->op == HB_OP_POLYNOMIAL) { /* the drift of a sign is no error of its last stage's own */
        const hb_stage stage = hb_polynomial_stage(f, node);
        return relinearized(f, node, hb_stage_quality(&stage, none));
    }
    hb_error_overlay exact;
    exact.count = 0;
    for (uint32_t i = 0; i < 2 && node->operands[i] != HB_NO_NODE && (i == 0 || node->b != node->a); i++) {
        hb_facts_overlay_add(&exact, f, node->operands[i])->quality = none;
    }
    const hb_facts over = hb_facts_over(f, &exact);
    return relinearized(f, node, rules[node->op].quality(&over, node));
}
