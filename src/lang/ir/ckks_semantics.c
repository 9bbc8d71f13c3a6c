/* Expressions under CKKS: reals, and levels that products go down.
 *
 * Products stay at the square of their level's scale until something else than a sum takes them: of a sum of products
 * only the sum is relinearized and rescaled, by one division. Operands of different levels meet at the lower one, to
 * which the higher is adjusted from where it was computed, once: where the pass says so that places levels. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/seed.h"
#include "blocks.h"
#include "collect_terms.h"
#include "levels.h"
#include "multiples.h"
#include "plain_columns.h"
#include "rlwe/params.h"
#include "scale_folding.h"
#include "scale_way.h"
#include "scheme/quality.h"
#include "semantics.h"

static hb_interval numbers(const hb_params_spec *spec)
{
    (void)spec;
    return hb_interval_of_reals(-DBL_MAX, DBL_MAX);
}

static uint64_t modulus(const hb_params_spec *spec)
{
    (void)spec;
    return 0;
}

static int64_t computed(const hb_params_spec *spec, int64_t number)
{
    (void)spec;
    return number;
}

static hb_number share(const hb_params_spec *spec, hb_number number)
{
    return (hb_number){.real = number.real / ((double)spec->n / 2)};
}

/* Its numbers are those of any. */
static void widen(hb_params_spec *spec)
{
    (void)spec;
}

static const char *wider(hb_interval values, bool is_signed)
{
    (void)values;
    (void)is_signed;
    return "take parameters with more bits in q_0 above the scale";
}

/* Presets of one family: those like SEAL's have slots in another order. */
static hb_status adapt(hb_params_spec *preset, const hb_params *params)
{
    if (preset->ckks.like_seal != params->spec.ckks.like_seal) {
        return HB_FAIL(HB_ECONFIG, "parameters of another family");
    }
    return HB_OK;
}

/* From where `a` itself was adjusted: it is rounded once. */
static hb_status adjust(hb_graph *g, uint32_t a, uint32_t limbs, uint32_t *out)
{
    const hb_node *x = &g->nodes[a];
    return hb_graph_unary(g, HB_OP_ADJUST, x->op == HB_OP_ADJUST ? x->a : a, limbs, out);
}

static hb_status level_down(hb_graph *g, uint32_t a, uint32_t *out)
{
    return adjust(g, a, hb_node_rest_limbs(g, a) - hb_graph_level_limbs(g), out);
}

/* Returns whether ciphertexts are multiplied by the number itself, at their scale: it takes no level. */
static bool is_whole(double number)
{
    return fabs(number) <= 0x1p31 && nearbyint(number) == number;
}

/* Replaces a term by what it is a multiple of, where that is at a higher level. */
static hb_status take_within(hb_graph *g, uint32_t *node, hb_number *number)
{
    const hb_multiple m = hb_node_multiple(g, *node);
    double before;
    if (!hb_multiple_is_higher(g, *node, m) || !(isnormal(number->real * m.number) || number->real == 0)) {
        return HB_OK;
    }
    HB_TRY(hb_graph_take_number(g, *node, &before, node));
    number->real *= before;
    return HB_OK;
}

/* Replaces products with numbers among the terms of a linear combination by their operands, and multiplies the
 * combination's numbers by theirs. */
static hb_status take_numbers(hb_graph *g, uint32_t *nodes, hb_number *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double before = 1;
        const uint32_t x = hb_graph_without_number(g, nodes[i], &before);
        if (x != HB_NO_NODE && (isnormal(numbers[i].real * before) || numbers[i].real == 0)) {
            numbers[i].real *= before;
            nodes[i] = x;
        } else {
            HB_TRY(take_within(g, &nodes[i], &numbers[i]));
            HB_TRY(hb_graph_gather(g, nodes[i], &nodes[i]));
        }
    }
    return HB_OK;
}

static hb_status combination(hb_graph *g, const uint32_t *nodes, const hb_number *numbers, uint32_t count, bool whole,
                             uint32_t *out)
{
    hb_weight *weights = calloc(count, sizeof *weights);
    if (weights == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a linear combination");
    }
    hb_status st = HB_OK;
    double most = 0;
    uint32_t lowest = nodes[0];
    for (uint32_t i = 0; i < count; i++) {
        lowest = hb_node_rest_limbs(g, nodes[i]) < hb_node_rest_limbs(g, lowest) ? nodes[i] : lowest;
        if (whole) {
            weights[i].integer = (int64_t)numbers[i].real;
        } else {
            weights[i].real = numbers[i].real;
            most = fmax(most, fabs(numbers[i].real));
        }
    }
    /* Beside others a number of which little is left loses little of the sum, and no more than bounds say. */
    HB_GOTO(whole ? HB_OK : hb_graph_require_number(g, lowest, most));
    st = hb_graph_combination(g, nodes, weights, count, whole, out);
done:
    hb_wipe(weights, count * sizeof *weights);
    free(weights);
    return st;
}

/* For integers it takes no level, unless there are numbers before them. */
static hb_status combine(hb_graph *g, uint32_t *nodes, hb_number *numbers, uint32_t count, bool scaled, uint32_t *out)
{
    bool whole = !scaled, products = false;
    for (uint32_t i = 0; i < count; i++) {
        double before;
        const bool product = hb_graph_without_number(g, nodes[i], &before) != HB_NO_NODE;
        whole = whole && is_whole(numbers[i].real) && !product;
        products = products || g->nodes[nodes[i]].shape.scaled;
    }
    *out = HB_NO_NODE;
    if (whole && products) { /* sums of products are rescaled once, behind the sum */
        return HB_OK;
    }
    HB_TRY(take_numbers(g, nodes, numbers, count));
    return combination(g, nodes, numbers, count, whole, out);
}

/* Makes `a` times a number where a number that `a` is a multiple of takes this one, so that both take no level more
 * than one, or where numbers within `a` do; *out is HB_NO_NODE where that saves no level. */
static hb_status multiple_within(hb_graph *g, uint32_t a, double number, uint32_t *out)
{
    const hb_multiple m = hb_node_multiple(g, a);
    const uint32_t own = hb_graph_level_limbs(g), rest = hb_node_rest_limbs(g, a) - (is_whole(number) ? 0 : own);
    *out = HB_NO_NODE;
    if (isnormal(m.number * number) && m.limbs - (is_whole(m.number * number) ? 0 : own) > rest) {
        double before;
        HB_TRY(hb_graph_take_number(g, a, &before, &a));
        return hb_graph_scale(g, a, (hb_number){.real = before * number}, out);
    }
    if (!g->unplaced || g->params == NULL || !g->nodes[a].shape.scale_folds || is_whole(number) ||
        g->nodes[a].op == HB_OP_MULTIPLY_NUMBER || fabs(number) < 0x1p-20 || fabs(number) > 0x1p20) {
        return HB_OK;
    }
    const hb_scale_met met = hb_node_scale_met(g, a);
    return !met.sums && !met.shared ? hb_graph_affine(g, a, number, 0, out) : HB_OK;
}

/* Numbers one after another are one, and weights take them. */
static hb_status multiple(hb_graph *g, uint32_t a, hb_number number, uint32_t *out)
{
    if (g->nodes[a].op == HB_OP_MATRIX) {
        const hb_node *made = &g->nodes[a];
        return hb_graph_matrix_by(g, made->a, &hb_matrix_of(g, made)->matrix, number.real, out);
    }
    uint32_t combined;
    HB_TRY(hb_graph_collect_terms(g, a, number.real, &combined)); /* its numbers are others: it takes no level more */
    if (combined != HB_NO_NODE) {
        *out = combined;
        return HB_OK;
    }
    HB_TRY(multiple_within(g, a, number.real, out));
    if (*out != HB_NO_NODE) {
        return HB_OK;
    }
    double before = 1;
    uint32_t x = hb_graph_without_number(g, a, &before);
    const double product = number.real * before;
    x = isnormal(product) ? x : HB_NO_NODE;
    if (x == HB_NO_NODE && is_whole(number.real)) {
        return hb_graph_unary(g, HB_OP_MULTIPLY_INTEGER, a, (int64_t)number.real, out);
    }
    /* Halves and the like that a number makes whole again. */
    if (x != HB_NO_NODE && is_whole(product)) {
        return hb_graph_scale(g, x, (hb_number){.real = product}, out);
    }
    if (x != HB_NO_NODE) {
        a = x;
    } else {
        HB_TRY(hb_graph_gather(g, a, &a));
    }
    const double factor = x != HB_NO_NODE ? product : number.real;
    HB_TRY(hb_graph_require_number(g, a, factor));
    return hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, a, factor, out);
}

/* Brings an addend of a product to the scale of products: times 1, or its own factor where it has one. */
static hb_status to_products(hb_graph *g, uint32_t a, uint32_t *out)
{
    const hb_node *x = &g->nodes[a];
    const bool multiple = x->op == HB_OP_MULTIPLY_INTEGER;
    return hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, multiple ? x->a : a, multiple ? (double)x->number : 1, out);
}

/* For a product with a number its factor is adjusted, so that it need not be rescaled before: *a is brought to the
 * level of `limbs`, and stays such a product. */
static hb_status number_down(hb_graph *g, uint32_t *a, uint32_t limbs)
{
    const double number = g->nodes[*a].real;
    HB_TRY(adjust(g, g->nodes[*a].a, limbs, a));
    return hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, *a, number, a);
}

static hb_status meet(hb_graph *g, uint32_t *a, uint32_t *b)
{
    const uint32_t limbs[] = {g->nodes[*a].shape.limbs, g->nodes[*b].shape.limbs};
    const bool scaled[] = {g->nodes[*a].shape.scaled, g->nodes[*b].shape.scaled};
    if (limbs[0] == limbs[1] && scaled[0] == scaled[1]) {
        return HB_OK;
    }
    if (limbs[0] == limbs[1]) {
        return to_products(g, scaled[0] ? *b : *a, scaled[0] ? b : a);
    }
    const uint32_t own = hb_graph_level_limbs(g);
    const bool first = limbs[0] > limbs[1];
    uint32_t *higher = first ? a : b;
    const uint32_t lower = first ? limbs[1] : limbs[0];
    const bool number = g->nodes[*higher].op == HB_OP_MULTIPLY_NUMBER;
    if (number && scaled[0] && scaled[1]) {
        return number_down(g, higher, lower);
    }
    /* One that nothing else takes is rescaled to where the other one is. */
    if (number && g->nodes[*higher].users == 0 && !scaled[first] && limbs[!first] > lower + own) {
        HB_TRY(number_down(g, higher, lower + own));
    }
    HB_TRY(hb_graph_rescale(g, *a, a));
    HB_TRY(hb_graph_rescale(g, *b, b));
    const uint32_t x = g->nodes[*a].shape.limbs, y = g->nodes[*b].shape.limbs;
    if (x > y) {
        return adjust(g, *a, y, a);
    }
    return y > x ? adjust(g, *b, x, b) : HB_OK;
}

static uint32_t least_of(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

/* Numbers of the factors go to the one that is above the other, or are a whole one, which takes no level in either. */
static hb_status factors(hb_graph *g, uint32_t *a, uint32_t *b)
{
    const hb_multiple x = hb_node_multiple(g, *a), y = hb_node_multiple(g, *b);
    const uint32_t now = least_of(hb_node_rest_limbs(g, *a), hb_node_rest_limbs(g, *b)),
                   then = least_of(x.limbs, y.limbs);
    const bool first = x.limbs >= y.limbs;
    double left, right;
    if (then <= now || !isnormal(x.number * y.number) || (x.limbs == y.limbs && !is_whole(x.number * y.number))) {
        return HB_OK;
    }
    HB_TRY(hb_graph_take_number(g, *a, &left, a));
    HB_TRY(hb_graph_take_number(g, *b, &right, b));
    return hb_graph_scale(g, first ? *a : *b, (hb_number){.real = left * right}, first ? a : b);
}

/* The plain factor takes the number that the other one is a multiple of. */
static hb_status plain_factor(hb_graph *g, uint32_t *a, uint32_t *plain)
{
    const bool higher = hb_multiple_is_higher(g, *a, hb_node_multiple(g, *a));
    double number;
    if (!higher || !hb_node_plain_known(g, &g->nodes[*plain])) {
        return HB_OK;
    }
    HB_TRY(hb_graph_take_number(g, *a, &number, a));
    return number != 1 ? hb_graph_plain_times(g, *plain, number, plain) : HB_OK;
}

/* A number is multiplied by the total, one ciphertext, where others may be folded into it. */
static hb_status sum(hb_graph *g, uint32_t a, uint32_t *out)
{
    double number = 1;
    uint32_t x = hb_graph_without_number(g, a, &number);
    if (x == HB_NO_NODE) {
        HB_TRY(hb_graph_take_number(g, a, &number, &x));
    }
    if (number == 1) {
        return HB_OK;
    }
    HB_TRY(hb_graph_sum(g, x, &a));
    return hb_graph_scale(g, a, (hb_number){.real = number}, out);
}

const hb_semantics hb_ckks_semantics = {
    .numbers = numbers,
    .computed = computed,
    .share = share,
    .modulus = modulus,
    .widen = widen,
    .reals = true,
    .scales = true,
    .add_number = HB_OP_ADD_NUMBER,
    .mask = HB_OP_MASK_SCALED,
    .meet = meet,
    .level_down = level_down,
    .multiple = multiple,
    .factors = factors,
    .plain_factor = plain_factor,
    .combine = combine,
    .sum = sum,
    .wider = wider,
    .adapt = adapt,
    .kept = "values of these ranges",
    .lowest = "the only one of the lowest level",
    .chain = "a special prime beside those of levels",
};
