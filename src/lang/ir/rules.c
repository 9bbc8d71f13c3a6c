#include "rules.h"

#include <math.h>
#include <string.h>

#include "block_ranges.h"
#include "blocks.h"
#include "bootstrap.h"
#include "graph.h"
#include "polynomial.h"
#include "range_analysis.h"
#include "semantics.h"
#include "transparency.h"

/* --- range, magnitude and linear form of a linear combination, from its terms */

static double value_of(hb_weight weight, bool whole)
{
    return whole ? (double)weight.integer : weight.real;
}

static hb_interval interval_of(hb_weight weight, bool whole)
{
    return whole ? hb_interval_of_number(weight.integer) : hb_interval_of_reals(weight.real, weight.real);
}

static hb_interval combination_interval(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    hb_interval sum = {.known = false};
    bool first = true;
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_weight weight = g->combinations.term_weights[terms.first + i];
        if (value_of(weight, terms.whole) == 0) {
            continue;
        }
        const hb_interval term = hb_interval_multiply(
            g->nodes[g->combinations.term_nodes[terms.first + i]].range.interval, interval_of(weight, terms.whole));
        sum = first ? term : hb_interval_add(sum, term);
        first = false;
    }
    return sum;
}

static double combination_magnitude(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    double sum = 0;
    for (uint32_t i = 0; i < terms.count; i++) {
        const double weight = fabs(value_of(g->combinations.term_weights[terms.first + i], terms.whole));
        if (weight > 0) {
            const double term =
                nextafter(g->nodes[g->combinations.term_nodes[terms.first + i]].range.magnitude * weight, HUGE_VAL);
            sum = nextafter(sum + term, HUGE_VAL);
        }
    }
    return sum;
}

static uint64_t combination_linear(const hb_graph *g, const hb_node *node)
{
    const hb_combination_terms terms = hb_node_combination(g, node);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < terms.count; i++) {
        const hb_weight weight = g->combinations.term_weights[terms.first + i];
        const uint64_t number = terms.whole ? hb_fingerprint_number(weight.integer) : hb_fingerprint_real(weight.real);
        const uint64_t linear = g->nodes[g->combinations.term_nodes[terms.first + i]].form.fingerprint;
        sum = hb_fingerprint_fold(sum + hb_fingerprint_multiply(linear, number));
    }
    return sum;
}

/* --- halves of slots that hold values */

static void set_halves(hb_node *node, hb_halves halves, const hb_column *pair)
{
    node->shape.halves = halves;
    node->shape.pair = halves == HB_HALVES_PAIR ? pair : NULL;
}

/* Both are pairs of columns with the same names. */
static bool same_pair(const hb_node *x, const hb_node *y)
{
    return x->shape.halves == HB_HALVES_PAIR && y->shape.halves == HB_HALVES_PAIR &&
           (x->shape.pair == y->shape.pair || (strcmp(x->shape.pair->part[0], y->shape.pair->part[0]) == 0 &&
                                               strcmp(x->shape.pair->part[1], y->shape.pair->part[1]) == 0));
}

/* Derive `halves` and `pair` of a node from its operands: rules of operations (rules.h). Operations that act on both
 * halves alike keep a pair: products of it with real values, and sums of pairs of the same two columns. */
static void halves_of_sum(const hb_graph *g, hb_node *node)
{
    const hb_node *a = &g->nodes[node->a], *b = &g->nodes[node->b];
    const bool same = same_pair(a, b) || (a->shape.halves == HB_HALVES_REAL && b->shape.halves == HB_HALVES_REAL);
    set_halves(node, same ? a->shape.halves : HB_HALVES_COMPLEX, a->shape.pair);
}

static void halves_of_combination(const hb_graph *g, hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    const hb_node *a = &g->nodes[operands.node[0]];
    bool same = a->shape.halves != HB_HALVES_COMPLEX;
    for (uint32_t i = 1; i < operands.count; i++) {
        const hb_node *b = &g->nodes[operands.node[i]];
        same = same && (same_pair(a, b) || (a->shape.halves == HB_HALVES_REAL && b->shape.halves == HB_HALVES_REAL));
    }
    set_halves(node, same ? a->shape.halves : HB_HALVES_COMPLEX, a->shape.pair);
}

static void halves_of_product(const hb_graph *g, hb_node *node)
{
    const hb_node *a = &g->nodes[node->a], *b = &g->nodes[node->b];
    const hb_node *other = a->shape.halves == HB_HALVES_REAL ? b : a;
    const bool real = a->shape.halves == HB_HALVES_REAL || b->shape.halves == HB_HALVES_REAL;
    set_halves(node, real ? other->shape.halves : HB_HALVES_COMPLEX, other->shape.pair);
}

/* For operations that act on real parts alone, and leave real values real. */
static void halves_kept_real(const hb_graph *g, hb_node *node)
{
    set_halves(node, g->nodes[node->a].shape.halves == HB_HALVES_REAL ? HB_HALVES_REAL : HB_HALVES_COMPLEX, NULL);
}

static void halves_of_column(const hb_graph *g, hb_node *node)
{
    const hb_column *column = &g->operands[node->operand].schema->column[node->column];
    set_halves(node, column->halves, column);
}

static void halves_complex(const hb_graph *g, hb_node *node)
{
    (void)g;
    set_halves(node, HB_HALVES_COMPLEX, NULL);
}

/* --- linear forms of nodes, from those of their operands (transparency.h) */

static uint64_t a_of(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].form.fingerprint;
}

static uint64_t b_of(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->b].form.fingerprint;
}

/* These return the linear form of a node whose other facts are known: sums, constants and plaintexts act on ciphertexts
 * as on their components, exactly. Times i is some number that no integer has: modulo this prime none has the square
 * -1. */
static uint64_t fingerprint_of_a(const hb_graph *g, const hb_node *node)
{
    return a_of(g, node);
}

static uint64_t fingerprint_of_sum(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_fold(a_of(g, node) + b_of(g, node));
}

static uint64_t fingerprint_of_difference(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_fold(a_of(g, node) + HB_FINGERPRINT_MODULUS - b_of(g, node));
}

static uint64_t fingerprint_of_negative(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_fold(HB_FINGERPRINT_MODULUS - a_of(g, node));
}

static uint64_t fingerprint_of_product(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_multiply(a_of(g, node), b_of(g, node));
}

static uint64_t fingerprint_of_multiple_real(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_multiply(a_of(g, node), hb_fingerprint_real(node->real));
}

static uint64_t fingerprint_of_turned(const hb_graph *g, const hb_node *node)
{
    const uint64_t unit = 0x1234567890abcdef & HB_FINGERPRINT_MODULUS;
    return hb_fingerprint_multiply(a_of(g, node), unit);
}

static uint64_t fingerprint_of_multiple(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_multiply(a_of(g, node), hb_fingerprint_number(node->number));
}

/* --- levels */

uint32_t hb_node_depth(const hb_graph *g, const hb_node *node)
{
    return node->op == HB_OP_POLYNOMIAL ? hb_polynomial_levels(g, node) : hb_rule_of(node->op)->product;
}

static uint32_t adjusted_limbs(const hb_graph *g, const hb_node *node)
{
    (void)g;
    return (uint32_t)node->number;
}

static uint32_t polynomial_limbs(const hb_graph *g, const hb_node *node)
{
    const uint32_t level = g->params != NULL ? hb_params_level_limbs(g->params) : 0;
    return hb_node_rest_limbs(g, node->a) - level * hb_polynomial_levels(g, node);
}

static uint32_t bootstrapped_limbs(const hb_graph *g, const hb_node *node)
{
    (void)node;
    return hb_bootstrapped_limbs(g);
}

static uint32_t least(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

/* Whether a node has two ciphertexts as operands, which meet. */
static bool has_two(const hb_graph *g, const hb_node *node)
{
    const bool meets = node->op == HB_OP_ADD || node->op == HB_OP_SUBTRACT || node->op == HB_OP_MULTIPLY;
    return meets && !g->nodes[node->a].shape.plain && !g->nodes[node->b].shape.plain;
}

/* Two operands of the same level come to the scale of products if one of them is at it. Otherwise both come to rest. A
 * product with a number comes to the lower level as it is, because its factor is brought there (ckks_semantics.c). */
static void find_sum(const hb_graph *g, uint32_t a, uint32_t b, hb_node_shape *out)
{
    const hb_node_shape *x = &g->nodes[a].shape, *y = &g->nodes[b].shape;
    const hb_opcode higher = g->nodes[x->limbs > y->limbs ? a : b].op;
    const bool products = x->scaled && y->scaled && higher == HB_OP_MULTIPLY_NUMBER;
    const bool stay = x->limbs == y->limbs || products;
    out->scaled = stay && (x->scaled || y->scaled);
    out->limbs = stay ? least(x->limbs, y->limbs) : least(hb_node_rest_limbs(g, a), hb_node_rest_limbs(g, b));
}

static uint32_t lowest_at_rest(const hb_graph *g, const hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    uint32_t limbs = UINT32_MAX;
    for (uint32_t i = 0; i < operands.count; i++) {
        const bool plain = g->nodes[operands.node[i]].shape.plain;
        limbs = plain ? limbs : least(limbs, hb_node_rest_limbs(g, operands.node[i]));
    }
    return limbs != UINT32_MAX ? limbs : g->nodes[operands.node[0]].shape.limbs;
}

void hb_node_find_level(const hb_graph *g, hb_node *node)
{
    const hb_rule *rule = hb_rule_of(node->op);
    if (rule->same_scale && has_two(g, node)) {
        find_sum(g, node->a, node->b, &node->shape);
    } else if (rule->same_scale) {
        node->shape.limbs = g->nodes[node->a].shape.limbs;
        node->shape.scaled = g->nodes[node->a].shape.scaled;
    } else {
        const bool whole = node->op == HB_OP_COMBINE && hb_node_combination(g, node).whole;
        node->shape.limbs = rule->limbs != NULL ? rule->limbs(g, node)
                                                : lowest_at_rest(g, node) - rule->levels * hb_graph_level_limbs(g);
        node->shape.scaled = g->semantics->scales && rule->scales && !whole;
    }
}

bool hb_nodes_rest_before_sum(const hb_graph *g, uint32_t a, uint32_t b)
{
    hb_node_shape sum;
    find_sum(g, a, b, &sum);
    return !sum.scaled;
}

static bool is_brought_down(const hb_graph *g, const hb_node *node, uint32_t operand)
{
    const bool rests = !hb_rule_of(node->op)->same_scale || !node->shape.scaled;
    return has_two(g, node) && rests && hb_node_rest_limbs(g, operand) > node->shape.limbs;
}

bool hb_node_multiplies_operand(const hb_graph *g, const hb_node *node, uint32_t operand)
{
    const bool lifted =
        has_two(g, node) && hb_rule_of(node->op)->same_scale && node->shape.scaled && !g->nodes[operand].shape.scaled;
    return lifted || is_brought_down(g, node, operand);
}

/* --- columns of rows within slots: how many, and in which slots; without gaps they stand in their order */

static uint32_t width_of_matrix(const hb_graph *g, const hb_node *node)
{
    return hb_matrix_of(g, node)->matrix.rows;
}

static uint32_t width_of_row_sum(const hb_graph *g, const hb_node *node)
{
    (void)g;
    (void)node;
    return 1;
}

static uint32_t width_of_row_spread(const hb_graph *g, const hb_node *node)
{
    (void)g;
    return (uint32_t)node->number;
}

static hb_block_image image_of_matrix(const hb_graph *g, const hb_node *node)
{
    const hb_block_image to = hb_matrix_of(g, node)->matrix.to;
    return to.gap > 1 ? to : (hb_block_image){0};
}

static hb_block_image image_of_row_sum(const hb_graph *g, const hb_node *node)
{
    (void)g;
    (void)node;
    return (hb_block_image){0};
}

/* --- ranges and magnitudes that one row has */

static hb_interval negative_interval(const hb_graph *g, const hb_node *node)
{
    return hb_interval_negate(g->nodes[node->a].range.interval);
}

static hb_interval add_row_interval(const hb_graph *g, const hb_node *node)
{
    return hb_interval_add(g->nodes[node->a].range.interval, hb_row_constants_interval(g, node));
}

/* Slots that get no value of the operand are 0. */
static double same_magnitude(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].range.magnitude;
}

static double add_row_magnitude(const hb_graph *g, const hb_node *node)
{
    return nextafter(g->nodes[node->a].range.magnitude + hb_interval_magnitude(hb_row_constants_interval(g, node)),
                     HUGE_VAL);
}

/* Slots without rows hold operands in [-1, 1] too. */
static double polynomial_magnitude(const hb_graph *g, const hb_node *node)
{
    return hb_interval_magnitude(hb_values_polynomial(g, node));
}

/* Entries as numbers below t; whoever made the table may know that some are negative. */
static hb_interval lookup_interval(const hb_graph *g, const hb_node *node)
{
    const hb_bootstrap_table *table = hb_lookup_table_of(g, node);
    uint64_t least = table->entries[0], most = least;
    for (uint64_t i = 1; i >> table->bits == 0; i++) {
        least = table->entries[i] < least ? table->entries[i] : least;
        most = table->entries[i] > most ? table->entries[i] : most;
    }
    return hb_interval_of((int64_t)least, (int64_t)most);
}

static double lookup_magnitude(const hb_graph *g, const hb_node *node)
{
    return hb_interval_magnitude(lookup_interval(g, node));
}

/* --- rows */

/* A row without the range of values, the magnitude of slots and the slots that hold 0 does not build: proofs rest on
 * them, and a missing one must not pass for that of the operand. */
#define RULE(interval_of, magnitude_of, empty_slots, ...)                                           \
    {                                                                                               \
        .interval = (interval_of), .magnitude = (magnitude_of), .empty = (empty_slots), __VA_ARGS__ \
    }

static const hb_rule load_rule = RULE(NULL, NULL, HB_EMPTY_KEPT, .components = 2);
static const hb_rule load_plain_rule = RULE(NULL, NULL, HB_EMPTY_KEPT, .components = 0);
static const hb_rule known_rule = RULE(NULL, NULL, HB_EMPTY_KEPT, .components = 0);
static const hb_rule add_rule = RULE(hb_values_sum, hb_magnitude_of_sum, HB_EMPTY_KEPT, .same_scale = true,
                                     .halves = halves_of_sum, .fingerprint = fingerprint_of_sum);
static const hb_rule subtract_rule =
    RULE(hb_values_difference, hb_magnitude_of_sum, HB_EMPTY_KEPT, .negative = true, .same_scale = true,
         .halves = halves_of_sum, .fingerprint = fingerprint_of_difference);
static const hb_rule negate_rule =
    RULE(negative_interval, same_magnitude, HB_EMPTY_KEPT, .negative = true, .same_scale = true, .same_factor = true,
         .fingerprint = fingerprint_of_negative);
static const hb_rule add_plain_rule = RULE(hb_values_sum, hb_magnitude_of_sum, HB_EMPTY_KEPT, .same_factor = true,
                                           .halves = halves_of_sum, .fingerprint = fingerprint_of_a);
static const hb_rule subtract_plain_rule =
    RULE(hb_values_difference, hb_magnitude_of_sum, HB_EMPTY_KEPT, .negative = true, .same_factor = true,
         .halves = halves_of_sum, .fingerprint = fingerprint_of_a);
static const hb_rule multiply_plain_rule =
    RULE(hb_values_product, hb_magnitude_of_product, HB_EMPTY_OF_PRODUCT, .on_slots = "a product with a table",
         .scales = true, .halves = halves_of_product, .fingerprint = fingerprint_of_product);
static const hb_rule add_constant_rule =
    RULE(hb_values_sum, hb_magnitude_of_sum, HB_EMPTY_KEPT, .same_factor = true, .fingerprint = fingerprint_of_a);
static const hb_rule add_number_rule = RULE(hb_values_sum, hb_magnitude_of_sum, HB_EMPTY_OF_NUMBER, .same_factor = true,
                                            .halves = halves_kept_real, .fingerprint = fingerprint_of_a);
static const hb_rule multiply_integer_rule = RULE(hb_values_product, hb_magnitude_of_product, HB_EMPTY_KEPT,
                                                  .same_scale = true, .fingerprint = fingerprint_of_multiple);
static const hb_rule multiply_number_rule = RULE(hb_values_product, hb_magnitude_of_product, HB_EMPTY_KEPT,
                                                 .scales = true, .fingerprint = fingerprint_of_multiple_real);
static const hb_rule combine_rule =
    RULE(combination_interval, combination_magnitude, HB_EMPTY_KEPT, .scales = true, .components = 2,
         .halves = halves_of_combination, .fingerprint = combination_linear);
static const hb_rule add_row_rule = RULE(add_row_interval, add_row_magnitude, HB_EMPTY_KEPT, .same_factor = true,
                                         .halves = halves_kept_real, .fingerprint = fingerprint_of_a);
static const hb_rule matrix_rule =
    RULE(hb_matrix_interval, hb_matrix_magnitude, HB_EMPTY_OF_MATRIX, .on_slots = "a product with a matrix",
         .components = 2, .levels = 1, .halves = halves_kept_real, .width = width_of_matrix, .image = image_of_matrix);
static const hb_rule row_sum_rule =
    RULE(hb_row_sum_interval, hb_row_sum_magnitude, HB_EMPTY_OF_ROW_SUM, .on_slots = "a sum of columns",
         .components = 2, .halves = halves_kept_real, .width = width_of_row_sum, .image = image_of_row_sum);
static const hb_rule row_spread_rule =
    RULE(hb_values_same, same_magnitude, HB_EMPTY_OF_ROW_SPREAD, .on_slots = "copies of a column", .components = 2,
         .halves = halves_kept_real, .width = width_of_row_spread);
static const hb_rule couple_rule = RULE(hb_values_root_two_times, hb_magnitude_root_two_times, HB_EMPTY_KEPT,
                                        .components = 2, .on_slots = "two row blocks as one");
static const hb_rule uncouple_rule = RULE(hb_values_root_two_times, hb_magnitude_root_two_times, HB_EMPTY_KEPT,
                                          .components = 2, .on_slots = "two row blocks as one");
static const hb_rule multiply_rule =
    RULE(hb_values_product, hb_magnitude_of_product, HB_EMPTY_OF_PRODUCT, .on_slots = "a product of values",
         .components = 3, .product = true, .scales = true, .halves = halves_of_product);
static const hb_rule polynomial_rule =
    RULE(hb_values_polynomial, polynomial_magnitude, HB_EMPTY_OF_POLYNOMIAL, .on_slots = "a polynomial on an interval",
         .components = 2, .limbs = polynomial_limbs);
static const hb_rule bootstrap_rule =
    RULE(hb_values_same, same_magnitude, HB_EMPTY_OF_BOOTSTRAP, .on_slots = "bootstrapping", .components = 2,
         .same_values = true, .limbs = bootstrapped_limbs);
static const hb_rule refresh_rule =
    RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .components = 2, .same_values = true);
static const hb_rule lookup_rule =
    RULE(lookup_interval, lookup_magnitude, HB_EMPTY_OF_LOOKUP, .components = 2, .limbs = bootstrapped_limbs);
static const hb_rule relinearize_rule = RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .same_values = true);
static const hb_rule rescale_rule =
    RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .components = 2, .same_values = true, .same_factor = true);
static const hb_rule mod_switch_rule =
    RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .levels = 1, .same_values = true, .same_factor = true);
static const hb_rule extend_rule = RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .same_values = true,
                                        .same_factor = true, .limbs = adjusted_limbs);
static const hb_rule adjust_rule = RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .components = 2,
                                        .same_values = true, .same_factor = true, .limbs = adjusted_limbs);
static const hb_rule rotate_rule = RULE(hb_values_moved, same_magnitude, HB_EMPTY_MOVED, .on_slots = "a rotation",
                                        .components = 2, .same_values = true, .moved = true);
static const hb_rule swap_rule = RULE(hb_values_moved, same_magnitude, HB_EMPTY_MOVED, .on_slots = "a swap of rows",
                                      .components = 2, .same_values = true, .moved = true);
static const hb_rule conjugate_rule = RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .on_slots = "a conjugation",
                                           .components = 2, .same_values = true, .halves = halves_kept_real);
static const hb_rule times_i_rule =
    RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .same_scale = true, .same_factor = true,
         .fingerprint = fingerprint_of_turned, .halves = halves_complex);
static const hb_rule broadcast_rule = RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .same_values = true,
                                           .moved = true, .fingerprint = fingerprint_of_a);
static const hb_rule mask_rule = RULE(hb_values_same, same_magnitude, HB_EMPTY_OF_MASK, .same_values = true);
static const hb_rule mask_scaled_rule =
    RULE(hb_values_same, same_magnitude, HB_EMPTY_OF_MASKS, .scales = true, .same_values = true);
static const hb_rule mask_row_rule =
    RULE(hb_values_same, same_magnitude, HB_EMPTY_OF_MASKS, .scales = true, .same_values = true, .moved = true);
static const hb_rule fill_rows_rule = RULE(hb_values_same, same_magnitude, HB_EMPTY_KEPT, .on_slots = "a row for all",
                                           .components = 2, .same_scale = true, .same_values = true, .moved = true);
static const hb_rule spread_rule = RULE(hb_values_moved, same_magnitude, HB_EMPTY_KEPT, .on_slots = "a row for all",
                                        .components = 2, .halves = halves_of_column);
static const hb_rule sum_slots_rule =
    RULE(hb_values_of_sum, hb_magnitude_of_total, HB_EMPTY_KEPT, .on_slots = "a sum of rows", .components = 2);

#undef RULE

/* Operations that make nodes, and the names of their rows: all but stores and accumulations. */
/* clang-format off */
#define NODES(X) \
    X(LOAD, load) X(LOAD_PLAIN, load_plain) X(KNOWN, known) X(ADD, add) X(SUBTRACT, subtract) X(NEGATE, negate) \
    X(ADD_PLAIN, add_plain) X(SUBTRACT_PLAIN, subtract_plain) X(MULTIPLY_PLAIN, multiply_plain) \
    X(ADD_CONSTANT, add_constant) X(ADD_NUMBER, add_number) X(MULTIPLY_INTEGER, multiply_integer) \
    X(MULTIPLY_NUMBER, multiply_number) X(COMBINE, combine) X(ADD_ROW, add_row) X(MATRIX, matrix) \
    X(MATRIX_PAIR, matrix) X(ROW_SUM, row_sum) X(ROW_SPREAD, row_spread) X(COUPLE, couple) X(UNCOUPLE, uncouple) \
    X(MULTIPLY, multiply) X(POLYNOMIAL, polynomial) X(BOOTSTRAP, bootstrap) X(REFRESH, refresh) \
    X(LOOKUP, lookup) \
    X(RELINEARIZE, relinearize) X(RESCALE, rescale) X(MOD_SWITCH, mod_switch) X(EXTEND, extend) \
    X(ADJUST, adjust) X(ROTATE, rotate) X(SWAP, swap) X(CONJUGATE, conjugate) X(TIMES_I, times_i) \
    X(BROADCAST, broadcast) X(MASK, mask) X(MASK_SCALED, mask_scaled) X(MASK_ROW, mask_row) \
    X(FILL_ROWS, fill_rows) X(SPREAD, spread) X(SUM_SLOTS, sum_slots)
/* clang-format on */

#define ONE(op, name) +1
_Static_assert(0 NODES(ONE) + 2 == HB_OPCODES, "an operation without a row would have its operand's range");
#define POINTER(op, name) [HB_OP_##op] = &name##_rule,

const hb_rule *hb_rule_of(hb_opcode op)
{
    static const hb_rule *const rules[HB_OPCODES] = {NODES(POINTER)};
    HB_ASSERT(rules[op] != NULL);
    return rules[op];
}
