#include "rules.h"

#include <math.h>

#include "linear.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "semantics.h"

static const hb_node *operand_a(const hb_graph *g, const hb_node *node)
{
    return &g->nodes[node->a];
}

static const hb_node *operand_b(const hb_graph *g, const hb_node *node)
{
    return &g->nodes[node->b];
}

/* --- linear forms: sums, constants and plaintexts act on ciphertexts as on their components, exactly */

static uint64_t linear_a(const hb_graph *g, const hb_node *node)
{
    return operand_a(g, node)->linear;
}

static uint64_t linear_sum(const hb_graph *g, const hb_node *node)
{
    return hb_linear_fold(operand_a(g, node)->linear + operand_b(g, node)->linear);
}

static uint64_t linear_difference(const hb_graph *g, const hb_node *node)
{
    return hb_linear_fold(operand_a(g, node)->linear + HB_LINEAR_MODULUS - operand_b(g, node)->linear);
}

static uint64_t linear_negative(const hb_graph *g, const hb_node *node)
{
    return hb_linear_fold(HB_LINEAR_MODULUS - operand_a(g, node)->linear);
}

static uint64_t linear_product(const hb_graph *g, const hb_node *node)
{
    return hb_linear_multiply(operand_a(g, node)->linear, operand_b(g, node)->linear);
}

static uint64_t linear_multiple(const hb_graph *g, const hb_node *node)
{
    return hb_linear_multiply(operand_a(g, node)->linear, hb_linear_number(node->number));
}

/* --- values */

/* What stands beside `a`: the other operand, or the constant. */
static hb_interval other_values(const hb_graph *g, const hb_node *node)
{
    return hb_operations[node->op].constant ? hb_interval_of(node->number, node->number) : operand_b(g, node)->interval;
}

static hb_interval values_sum(const hb_graph *g, const hb_node *node)
{
    return hb_interval_add(operand_a(g, node)->interval, other_values(g, node));
}

static hb_interval values_difference(const hb_graph *g, const hb_node *node)
{
    return hb_interval_add(operand_a(g, node)->interval, hb_interval_negate(other_values(g, node)));
}

static hb_interval values_negative(const hb_graph *g, const hb_node *node)
{
    return hb_interval_negate(operand_a(g, node)->interval);
}

static hb_interval values_product(const hb_graph *g, const hb_node *node)
{
    const hb_interval a = operand_a(g, node)->interval;
    return node->a == node->b ? hb_interval_square(a) : hb_interval_multiply(a, other_values(g, node));
}

static hb_interval values_of_sum(const hb_graph *g, const hb_node *node)
{
    const int64_t rows = (int64_t)g->rows; /* below 2^63: files */
    return hb_interval_multiply(operand_a(g, node)->interval, hb_interval_of(rows, rows));
}

static hb_interval values_moved(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = operand_a(g, node);
    if (!a->clean) {
        return (hb_interval){.known = false}; /* what stands where no row is moves to where one is */
    }
    return hb_graph_partial(g) ? hb_interval_with_zero(a->interval) : a->interval;
}

/* --- slots that hold no row */

static bool clean_product(const hb_graph *g, const hb_node *node)
{
    return operand_a(g, node)->clean || operand_b(g, node)->clean;
}

static bool clean_never(const hb_graph *g, const hb_node *node)
{
    (void)g;
    (void)node;
    return false;
}

static bool clean_always(const hb_graph *g, const hb_node *node)
{
    (void)g;
    (void)node;
    return true;
}

/* --- quality */

/* Returns how often a factor is there. */
static uint32_t factors_times(const hb_factors *factors, uint32_t node)
{
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (factors->times[i] > 0 && factors->node[i] == node) {
            return factors->times[i];
        }
    }
    return 0;
}

/* Says `times` of a factor; it takes the place of the rarest, if it is no rarer. */
static void factors_set(hb_factors *factors, uint32_t node, uint32_t times)
{
    int place = 0;
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (factors->times[i] > 0 && factors->node[i] == node) {
            factors->times[i] = times;
            return;
        }
        place = factors->times[i] < factors->times[place] ? i : place;
    }
    if (times >= factors->times[place]) {
        factors->node[place] = node;
        factors->times[place] = times;
    }
}

/* One more of it. */
static void factors_add(hb_factors *factors, uint32_t node)
{
    factors_set(factors, node, factors_times(factors, node) + 1);
}

/* Each as often as in that of both where it is more frequent: noise is a sum over ways through the graph, and the
 * largest term decides. */
static void factors_merge(hb_factors *factors, const hb_factors *others)
{
    for (int i = 0; i < HB_FACTORS_MOST; i++) {
        if (others->times[i] > factors_times(factors, others->node[i])) {
            factors_set(factors, others->node[i], others->times[i]);
        }
    }
}

/* What decides over the noise that a factor brings, the quotient of its phase, is nearly the same in these. */
static uint32_t same_factor(const hb_graph *g, uint32_t i)
{
    while (hb_rules[g->nodes[i].op].same_factor) {
        i = g->nodes[i].a;
    }
    return i;
}

/* The factors of a product are those of both operands and the operands themselves; of all else, those of its operands.
 */
static void find_factors(const hb_graph *g, hb_node *node)
{
    const uint32_t operands[] = {node->a, node->b};
    for (int j = 0; j < 2; j++) {
        if (operands[j] != HB_NO_NODE) {
            factors_merge(&node->factors, &g->nodes[operands[j]].factors);
        }
    }
    const bool product = hb_rules[node->op].product;
    if (product) {
        factors_add(&node->factors, same_factor(g, node->a));
    }
    if ((product && node->b != node->a) || node->op == HB_OP_MULTIPLY_PLAIN) {
        factors_add(&node->factors, same_factor(g, node->b));
    }
}

/* Of x as a factor beside the node `other`. */
static hb_quality quality_beside(const hb_graph *g, const hb_node *x, uint32_t other)
{
    return hb_quality_again(g->params, x->quality, factors_times(&x->factors, same_factor(g, other)));
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

/* How large values may be. */
static hb_magnitude magnitude_of(hb_interval values)
{
    const double most = fmax(fabs((double)values.least), fabs((double)values.most));
    const double bits = values.known ? log2(most) : INFINITY;
    return (hb_magnitude){bits, bits};
}

/* Returns x as a factor of two components beside the node `other`. */
static hb_quality_factor factor_beside(const hb_graph *g, const hb_node *x, uint32_t other)
{
    return (hb_quality_factor){quality_beside(g, x, other), 2, magnitude_of(x->interval)};
}

static hb_quality quality_sum_plain(const hb_graph *g, const hb_node *node)
{
    return hb_quality_add_plain(g->params, operand_a(g, node)->quality);
}

static hb_quality quality_sum_number(const hb_graph *g, const hb_node *node)
{
    return hb_quality_add_number(g->params, operand_a(g, node)->quality);
}

static hb_quality quality_product_plain(const hb_graph *g, const hb_node *node)
{
    const hb_node *b = operand_b(g, node);
    const hb_operand *operand = &g->operands[b->operand];
    const bool constant = operand->schema->rows == 1 && !hb_graph_partial(g);
    return hb_quality_multiply_plain(g->params, node->limbs, factor_beside(g, operand_a(g, node), node->b),
                                     constant ? HB_FACTOR_CONSTANT : HB_FACTOR_ANY, magnitude_of(b->interval));
}

static hb_quality quality_mask(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = operand_a(g, node);
    return hb_quality_multiply_plain(g->params, node->limbs,
                                     (hb_quality_factor){a->quality, a->size, magnitude_of(a->interval)}, HB_FACTOR_ANY,
                                     magnitude_of(hb_interval_of(0, 1)));
}

static hb_quality quality_multiple(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = operand_a(g, node);
    const double number = (double)g->semantics->computed(g->spec, node->number);
    return hb_quality_multiply_number(g->params, node->limbs,
                                      (hb_quality_factor){a->quality, a->size, magnitude_of(a->interval)}, number);
}

static hb_quality quality_product(const hb_graph *g, const hb_node *node)
{
    const hb_quality_factor a = factor_beside(g, operand_a(g, node), node->b);
    return node->a == node->b
               ? hb_quality_square(g->params, node->limbs, a)
               : hb_quality_multiply(g->params, node->limbs, a, factor_beside(g, operand_b(g, node), node->a));
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
    return hb_quality_sum_slots(g->params, node->limbs, switched(g, node, quality, a->size == 3));
}

hb_quality hb_node_quality(const hb_graph *g, hb_node *node)
{
    const hb_rule *rule = &hb_rules[node->op];
    find_factors(g, node);
    const hb_quality quality = rule->quality != NULL ? rule->quality(g, node) : operand_a(g, node)->quality;
    return switched(g, node, quality, node->size < node->raw_size);
}

const hb_rule hb_rules[HB_OPCODES] = {
    [HB_OP_LOAD] = {.components = 2, .quality = quality_load},
    [HB_OP_LOAD_PLAIN] = {.components = 0},
    [HB_OP_ADD] = {.linear = linear_sum, .interval = values_sum, .quality = quality_sum},
    [HB_OP_SUBTRACT] = {.negative = true,
                        .linear = linear_difference,
                        .interval = values_difference,
                        .quality = quality_sum},
    [HB_OP_NEGATE] = {.negative = true, .same_factor = true, .linear = linear_negative, .interval = values_negative},
    [HB_OP_ADD_PLAIN] = {.same_factor = true, .linear = linear_a, .interval = values_sum, .quality = quality_sum_plain},
    [HB_OP_SUBTRACT_PLAIN] = {.negative = true,
                              .same_factor = true,
                              .linear = linear_a,
                              .interval = values_difference,
                              .quality = quality_sum_plain},
    [HB_OP_MULTIPLY_PLAIN] = {.on_slots = "a product with a table",
                              .linear = linear_product,
                              .interval = values_product,
                              .clean = clean_product,
                              .quality = quality_product_plain},
    [HB_OP_ADD_CONSTANT] = {.same_factor = true,
                            .linear = linear_a,
                            .interval = values_sum,
                            .quality = quality_sum_number},
    [HB_OP_MULTIPLY_INTEGER] = {.linear = linear_multiple, .interval = values_product, .quality = quality_multiple},
    [HB_OP_MULTIPLY] = {.on_slots = "a product of values",
                        .components = 3,
                        .product = true,
                        .interval = values_product,
                        .clean = clean_product,
                        .quality = quality_product},
    [HB_OP_RELINEARIZE] = {.same_values = true},
    [HB_OP_MOD_SWITCH] = {.levels = 1, .same_values = true, .same_factor = true, .quality = quality_mod_switch},
    [HB_OP_ROTATE] = {.on_slots = "a rotation",
                      .components = 2,
                      .same_values = true,
                      .moved = true,
                      .interval = values_moved,
                      .clean = clean_never,
                      .quality = quality_rotation},
    [HB_OP_SWAP] = {.on_slots = "a swap of rows",
                    .components = 2,
                    .same_values = true,
                    .moved = true,
                    .interval = values_moved,
                    .clean = clean_never,
                    .quality = quality_swap},
    [HB_OP_BROADCAST] = {.same_values = true, .linear = linear_a},
    [HB_OP_MASK] = {.same_values = true, .clean = clean_always, .quality = quality_mask},
    [HB_OP_SUM_SLOTS] = {.on_slots = "a sum of rows",
                         .components = 2,
                         .interval = values_of_sum,
                         .quality = quality_of_sum},
};
