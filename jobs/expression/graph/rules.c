#include "rules.h"

#include <math.h>

#include "block_rules.h"
#include "blocks.h"
#include "bootstrap.h"
#include "combination.h"
#include "complex.h"
#include "corner.h"
#include "factors.h"
#include "iterated.h"
#include "linear.h"
#include "missed.h"
#include "moments.h"
#include "one_row.h"
#include "polynomial.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "semantics.h"
#include "values.h"
#include "within.h"

static const hb_node *operand_a(const hb_graph *g, const hb_node *node)
{
    return &g->nodes[node->a];
}

static const hb_node *operand_b(const hb_graph *g, const hb_node *node)
{
    return &g->nodes[node->b];
}

/* --- levels */

uint32_t hb_node_depth(const hb_graph *g, const hb_node *node)
{
    return node->op == HB_OP_POLYNOMIAL ? hb_polynomial_levels(g, node) : hb_rules[node->op].product;
}

uint32_t hb_node_products(const hb_graph *g, const hb_node *node)
{
    return node->op == HB_OP_POLYNOMIAL ? hb_polynomial_of(g, node)->products : hb_rules[node->op].product;
}

uint32_t hb_node_limbs(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = operand_a(g, node);
    switch (node->op) {
    case HB_OP_ADJUST:
        return (uint32_t)node->number;
    case HB_OP_POLYNOMIAL:
        return a->limbs - (g->params != NULL ? hb_params_level_limbs(g->params) * hb_polynomial_levels(g, node) : 0);
    case HB_OP_BOOTSTRAP:
        return hb_bootstrapped_limbs(g);
    case HB_OP_SUM_SLOTS:
        return a->limbs - a->scaled * hb_graph_level_limbs(g); /* rescaled once the row blocks are added up */
    default:
        return a->limbs - hb_rules[node->op].levels * hb_graph_level_limbs(g);
    }
}

bool hb_node_relinearizes(const hb_graph *g, const hb_node *node)
{
    const bool before = node->op == HB_OP_SUM_SLOTS || node->op == HB_OP_RESCALE;
    return node->size < node->raw_size || (before && operand_a(g, node)->size == 3);
}

/* --- quality */

/* Of x as a factor beside the node `other`. */
static hb_quality quality_beside(const hb_graph *g, const hb_node *x, uint32_t other)
{
    return hb_quality_again(g->params, x->quality, hb_factors_times(g, &x->factors, other));
}

static hb_quality switched(const hb_graph *g, const hb_node *node, hb_quality a, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        a = hb_quality_switch(g->params, node->limbs, a);
    }
    return a;
}

static hb_quality quality_load(const hb_graph *g, const hb_node *node)
{
    return g->operands[node->operand].quality;
}

static hb_quality quality_sum(const hb_graph *g, const hb_node *node)
{
    const hb_quality a = operand_a(g, node)->quality;
    return node->a == node->b ? hb_quality_multiply_integer(g->params, a, 2)
                              : hb_quality_add(g->params, a, operand_b(g, node)->quality);
}

hb_quality_factor hb_node_factor(const hb_graph *g, const hb_node *x)
{
    return (hb_quality_factor){x->quality, x->size, hb_node_values(g, x), false};
}

/* Returns the node x as a factor of two components beside the node `other`. */
static hb_quality_factor factor_beside(const hb_graph *g, uint32_t x, uint32_t other)
{
    const hb_node *node = &g->nodes[x];
    return (hb_quality_factor){quality_beside(g, node, other), 2, hb_node_values(g, node),
                               hb_factors_related(g, x, other)};
}

/* A number or plaintext whose encoding is in the bounds as well. */
static hb_quality quality_sum_plain(const hb_graph *g, const hb_node *node)
{
    return hb_quality_transformed(g->params, node->limbs, hb_quality_add_plain(g->params, operand_a(g, node)->quality),
                                  hb_magnitude_up_to(hb_other_magnitude(g, node)));
}

static hb_quality quality_sum_number(const hb_graph *g, const hb_node *node)
{
    return hb_quality_add_number(g->params, operand_a(g, node)->quality);
}

static hb_quality quality_product_plain(const hb_graph *g, const hb_node *node)
{
    const hb_node *b = operand_b(g, node);
    const hb_operand *operand = &g->operands[b->operand];
    const bool constant = operand->schema->rows == 1 && !hb_graph_partial(g) && !hb_graph_packed(g);
    return hb_quality_multiply_plain(g->params, node->limbs, factor_beside(g, node->a, node->b),
                                     constant ? HB_FACTOR_CONSTANT : HB_FACTOR_ANY, hb_node_values(g, b));
}

static hb_quality quality_multiple(const hb_graph *g, const hb_node *node)
{
    const double number = (double)g->semantics->computed(g->spec, node->number);
    return hb_quality_multiply_integer(g->params, operand_a(g, node)->quality, fabs(number));
}

static hb_quality quality_multiple_real(const hb_graph *g, const hb_node *node)
{
    return hb_quality_multiply_number(g->params, node->limbs, hb_node_factor(g, operand_a(g, node)), node->real);
}

/* As of products with each number, added up. */
static hb_quality quality_combination(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    const hb_weight *weights = hb_node_weights(g, node);
    hb_quality sum = {0};
    bool first = true;
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_node *x = &g->nodes[g->term_nodes[terms.first + i]];
        const double number =
            terms.whole ? (double)g->semantics->computed(g->spec, weights[i].integer) : weights[i].real;
        if (number == 0) {
            continue;
        }
        const hb_quality term = terms.whole
                                    ? hb_quality_multiply_integer(g->params, x->quality, fabs(number))
                                    : hb_quality_multiply_number(g->params, node->limbs, hb_node_factor(g, x), number);
        sum = first ? term : hb_quality_add(g->params, sum, term);
        first = false;
    }
    return sum;
}

static hb_quality quality_product(const hb_graph *g, const hb_node *node)
{
    const hb_quality_factor a = factor_beside(g, node->a, node->b);
    return node->a == node->b ? hb_quality_square(g->params, node->limbs, a)
                              : hb_quality_multiply(g->params, node->limbs, a, factor_beside(g, node->b, node->a));
}

static hb_quality rescaled(const hb_graph *g, const hb_node *a, hb_quality quality)
{
    return a->size == 3 ? hb_quality_relinearize_rescale(g->params, a->limbs, quality)
                        : hb_quality_mod_switch(g->params, a->limbs, quality, a->size);
}

static hb_quality quality_rescale(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = operand_a(g, node);
    return rescaled(g, a, a->quality);
}

static hb_quality quality_adjust(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = operand_a(g, node);
    return hb_quality_adjust(g->params, a->limbs, hb_node_factor(g, a), node->limbs);
}

static hb_quality quality_mod_switch(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = operand_a(g, node);
    return hb_quality_mod_switch(g->params, a->limbs, a->quality, a->size);
}

/* At worst by the keys of the step's terms. */
static hb_quality quality_rotation(const hb_graph *g, const hb_node *node)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    return switched(g, node, operand_a(g, node)->quality, hb_slots_terms(g->spec, node->number, steps));
}

static hb_quality quality_swap(const hb_graph *g, const hb_node *node)
{
    return switched(g, node, operand_a(g, node)->quality, 1);
}

static hb_quality quality_of_sum(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = operand_a(g, node);
    const hb_quality quality = hb_quality_sum(g->params, a->quality, (double)hb_graph_blocks(g));
    const hb_quality sum = a->scaled ? rescaled(g, a, quality) : switched(g, node, quality, a->size == 3);
    return hb_over_slots_quality(g, node, sum);
}

static hb_moments moments_of(const hb_graph *g, const hb_node *node)
{
    const hb_rule *rule = &hb_rules[node->op];
    if (rule->product && node->a != node->b && hb_factors_related(g, node->a, node->b)) {
        return hb_moments_of_related(&operand_a(g, node)->moments, &operand_b(g, node)->moments);
    }
    if (rule->moments != NULL) {
        return rule->moments(g, node);
    }
    const bool kept = rule->same_values || rule->interval == NULL;
    return kept && !hb_operations[node->op].loads ? operand_a(g, node)->moments : hb_moments_of_range(node);
}

hb_quality hb_node_quality(const hb_graph *g, hb_node *node)
{
    const hb_rule *rule = &hb_rules[node->op];
    hb_factors_find(g, node);
    if (g->semantics->reals) {
        node->moments = moments_of(g, node);
    }
    hb_corner corner;
    const bool cornered = hb_corner_begin(&corner, g, node);
    hb_quality quality = rule->quality != NULL ? rule->quality(g, node) : operand_a(g, node)->quality;
    if (cornered) {
        quality = hb_corner_end(&corner, quality);
    }
    if (node->op == HB_OP_POLYNOMIAL && g->syntax->loops) {
        quality = hb_iterated_quality(g, node, quality);
    }
    quality = hb_node_within_range(g, node, hb_node_with_missed(g, node, quality));
    return switched(g, node, quality, node->size < node->raw_size);
}

/* A linear combination adds no more than the rounding of its numbers, which is far below that of rescaling. */
hb_quality hb_node_own_quality(const hb_graph *g, const hb_node *node)
{
    const hb_quality none = {.powers = 1};
    hb_quality own = none;
    if (hb_rules[node->op].quality != NULL && node->op != HB_OP_COMBINE) {
        hb_node *a = &g->nodes[node->a], *b = node->b != HB_NO_NODE ? &g->nodes[node->b] : a;
        const hb_quality kept[2] = {a->quality, b->quality};
        a->quality = b->quality = none;
        own = hb_rules[node->op].quality(g, node);
        a->quality = kept[0];
        b->quality = kept[1];
    }
    return switched(g, node, own, node->size < node->raw_size);
}

const hb_rule hb_rules[HB_OPCODES] = {
    [HB_OP_LOAD] = {.components = 2, .quality = quality_load},
    [HB_OP_LOAD_PLAIN] = {.components = 0},
    [HB_OP_ADD] = {.same_scale = true,
                   .halves = hb_halves_of_sum,
                   .linear = hb_linear_of_sum,
                   .interval = hb_values_sum,
                   .magnitude = hb_magnitude_of_sum,
                   .moments = hb_moments_of_sum,
                   .quality = quality_sum},
    [HB_OP_SUBTRACT] = {.negative = true,
                        .same_scale = true,
                        .halves = hb_halves_of_sum,
                        .linear = hb_linear_of_difference,
                        .interval = hb_values_difference,
                        .magnitude = hb_magnitude_of_sum,
                        .moments = hb_moments_of_difference,
                        .quality = quality_sum},
    [HB_OP_NEGATE] = {.negative = true,
                      .same_scale = true,
                      .same_factor = true,
                      .linear = hb_linear_of_negative,
                      .interval = hb_values_negative,
                      .moments = hb_moments_of_negative},
    [HB_OP_ADD_PLAIN] = {.same_factor = true,
                         .halves = hb_halves_of_sum,
                         .linear = hb_linear_of_a,
                         .interval = hb_values_sum,
                         .magnitude = hb_magnitude_of_sum,
                         .moments = hb_moments_of_sum,
                         .quality = quality_sum_plain},
    [HB_OP_SUBTRACT_PLAIN] = {.negative = true,
                              .same_factor = true,
                              .halves = hb_halves_of_sum,
                              .linear = hb_linear_of_a,
                              .interval = hb_values_difference,
                              .magnitude = hb_magnitude_of_sum,
                              .moments = hb_moments_of_difference,
                              .quality = quality_sum_plain},
    [HB_OP_MULTIPLY_PLAIN] = {.on_slots = "a product with a table",
                              .scales = true,
                              .halves = hb_halves_of_product,
                              .linear = hb_linear_of_product,
                              .interval = hb_values_product,
                              .magnitude = hb_magnitude_of_product,
                              .clean = hb_clean_product,
                              .moments = hb_moments_of_product,
                              .quality = quality_product_plain},
    [HB_OP_ADD_CONSTANT] = {.same_factor = true,
                            .linear = hb_linear_of_a,
                            .interval = hb_values_sum,
                            .magnitude = hb_magnitude_of_sum,
                            .moments = hb_moments_of_sum,
                            .quality = quality_sum_number},
    [HB_OP_ADD_NUMBER] = {.same_factor = true,
                          .halves = hb_halves_kept_real,
                          .linear = hb_linear_of_a,
                          .interval = hb_values_sum,
                          .magnitude = hb_magnitude_of_sum,
                          .moments = hb_moments_of_sum,
                          .quality = quality_sum_plain},
    [HB_OP_MULTIPLY_INTEGER] = {.same_scale = true,
                                .linear = hb_linear_of_multiple,
                                .interval = hb_values_product,
                                .magnitude = hb_magnitude_of_product,
                                .moments = hb_moments_of_product,
                                .quality = quality_multiple},
    [HB_OP_MULTIPLY_NUMBER] = {.scales = true,
                               .linear = hb_linear_of_multiple_real,
                               .interval = hb_values_product,
                               .magnitude = hb_magnitude_of_product,
                               .moments = hb_moments_of_product,
                               .quality = quality_multiple_real},
    [HB_OP_COMBINE] = {.scales = true,
                       .components = 2,
                       .halves = hb_halves_of_combination,
                       .linear = hb_combination_linear,
                       .interval = hb_combination_interval,
                       .magnitude = hb_combination_magnitude,
                       .moments = hb_moments_of_combination,
                       .quality = quality_combination},
    [HB_OP_ADD_ROW] = {.same_factor = true,
                       .halves = hb_halves_kept_real,
                       .linear = hb_linear_of_a,
                       .interval = hb_add_row_interval,
                       .magnitude = hb_add_row_magnitude,
                       .moments = hb_add_row_moments,
                       .quality = hb_add_row_quality},
    [HB_OP_MATRIX] = {.on_slots = "a product with a matrix",
                      .components = 2,
                      .levels = 1,
                      .halves = hb_halves_kept_real,
                      .interval = hb_matrix_interval,
                      .magnitude = hb_matrix_magnitude,
                      .moments = hb_matrix_moments,
                      .quality = hb_matrix_quality},
    [HB_OP_ROW_SUM] = {.on_slots = "a sum of columns",
                       .components = 2,
                       .halves = hb_halves_kept_real,
                       .interval = hb_row_sum_interval,
                       .magnitude = hb_row_sum_magnitude,
                       .moments = hb_row_sum_moments,
                       .quality = hb_row_sum_quality},
    [HB_OP_ROW_SPREAD] = {.on_slots = "copies of a column",
                          .components = 2,
                          .halves = hb_halves_kept_real,
                          .magnitude = hb_row_spread_magnitude,
                          .quality = hb_row_spread_quality},
    [HB_OP_MULTIPLY] = {.on_slots = "a product of values",
                        .components = 3,
                        .product = true,
                        .scales = true,
                        .halves = hb_halves_of_product,
                        .interval = hb_values_product,
                        .magnitude = hb_magnitude_of_product,
                        .clean = hb_clean_product,
                        .moments = hb_moments_of_product,
                        .quality = quality_product},
    [HB_OP_POLYNOMIAL] = {.on_slots = "a polynomial on an interval",
                          .components = 2,
                          .interval = hb_values_polynomial,
                          .magnitude = hb_magnitude_of_polynomial,
                          .clean = hb_polynomial_clean,
                          .moments = hb_polynomial_moments,
                          .quality = hb_polynomial_quality},
    [HB_OP_BOOTSTRAP] = {.on_slots = "bootstrapping",
                         .components = 2,
                         .same_values = true,
                         .clean = hb_bootstrapped_clean,
                         .quality = hb_bootstrapped_quality},
    [HB_OP_RELINEARIZE] = {.same_values = true},
    [HB_OP_RESCALE] =
        {.components = 2, .levels = 1, .same_values = true, .same_factor = true, .quality = quality_rescale},
    [HB_OP_MOD_SWITCH] = {.levels = 1, .same_values = true, .same_factor = true, .quality = quality_mod_switch},
    [HB_OP_ADJUST] = {.components = 2, .same_values = true, .same_factor = true, .quality = quality_adjust},
    [HB_OP_ROTATE] = {.on_slots = "a rotation",
                      .components = 2,
                      .same_values = true,
                      .moved = true,
                      .interval = hb_values_moved,
                      .clean = hb_clean_never,
                      .quality = quality_rotation},
    [HB_OP_SWAP] = {.on_slots = "a swap of rows",
                    .components = 2,
                    .same_values = true,
                    .moved = true,
                    .interval = hb_values_moved,
                    .clean = hb_clean_never,
                    .quality = quality_swap},
    [HB_OP_CONJUGATE] = {.on_slots = "a conjugation",
                         .components = 2,
                         .same_values = true,
                         .halves = hb_halves_kept_real,
                         .quality = quality_swap},
    [HB_OP_TIMES_I] = {.same_scale = true,
                       .same_factor = true,
                       .linear = hb_linear_of_turned,
                       .halves = hb_halves_complex,
                       .moments = hb_moments_turned},
    [HB_OP_BROADCAST] = {.same_values = true, .linear = hb_linear_of_a},
    [HB_OP_MASK] = {.same_values = true, .clean = hb_clean_always, .quality = hb_mask_quality},
    [HB_OP_MASK_SCALED] = {.scales = true, .same_values = true, .clean = hb_clean_always, .quality = hb_mask_quality},
    [HB_OP_MASK_ROW] = {.scales = true, .same_values = true, .clean = hb_clean_always, .quality = hb_mask_row_quality},
    [HB_OP_FILL_ROWS] = {.on_slots = "a row for all",
                         .components = 2,
                         .same_scale = true,
                         .same_values = true,
                         .moments = hb_moments_of_row,
                         .quality = hb_fill_rows_quality},
    [HB_OP_SUM_SLOTS] = {.on_slots = "a sum of rows",
                         .components = 2,
                         .interval = hb_values_of_sum,
                         .magnitude = hb_magnitude_of_total,
                         .moments = hb_moments_of_total,
                         .quality = quality_of_sum},
};
