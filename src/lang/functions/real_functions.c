/* Functions of reals that jump or have a corner, which are made of sign: step, comparisons, relu, abs, max, min. On
 * integers abs, max and min are made of conditions (integer_functions.c). */
#include <math.h>
#include <stdlib.h>

#include "approximate_columns.h"
#include "lang/ir/function.h"
#include "lang/ir/known.h"
#include "lang/ir/scale_way.h"
#include "lang/ir/semantics.h"
#include "lang/types/lang_function.h"
#include "lang/value/plain.h"
#include "open_columns.h"

/* --- functions made with sign */

/* In the units of the compared values: a share of the largest magnitude. */
static double gap_of(const hb_lowering *l, double most)
{
    return (l->approximations.gap > 0 ? l->approximations.gap : HB_LOWERING_GAP) * fmax(most, 0x1p-20);
}

/* A function made with the sign of a value: sign or step of it, or, with a corner, its product with the value. */
typedef struct of_sign {
    double scale, shift; /* of a jump: the sign times that, plus that */
    bool corner, absolute;
    int at_zero; /* which sign 0 has where ranges tell the sign; 0: none */
    /* It is taken of the differences of whole numbers in some columns, or all; where it jumps, a half beside them. */
    bool whole, all_whole;
} of_sign;

/* No whole number lies in a gap of a half. --gap may say a wider gap, and whole numbers may lie in that one. */
static hb_status stepped(hb_lowering *l, const hb_value *x, hb_interval values, const of_sign *how, hb_value *out)
{
    const double share = gap_of(l, hb_interval_magnitude(values));
    const bool given = l->approximations.gap > 0, all = how->all_whole && !(given && share > 0.5);
    double error;
    hb_approximation_wish w = {.bits = l->approximations.bits,
                               .gap = all                    ? 0.5
                                      : how->whole && !given ? fmin(share, 0.5)
                                                             : share,
                               .scale = how->scale,
                               .shift = how->shift,
                               .clear = all};
    return hb_approximate_columns_jump(l, x, values, &w, &error, out);
}

/* A column on one side of 0. */
static hb_status settle(hb_lowering *l, const of_sign *how, uint32_t node, int side, uint32_t *out)
{
    hb_graph *g = &l->graph;
    *out = node;
    if (!how->corner || (side < 0 && !how->absolute)) {
        const hb_number number = {.real = how->corner ? 0 : how->shift + side * how->scale};
        return hb_graph_known(g, node, g->nodes[node].shape.total, number, out);
    }
    return side < 0 ? hb_graph_negate(g, node, out) : HB_OK;
}

/* The approximation for x times sign or step of it, where the error at the corner is part of the result's: three
 * quarters of an error budget of twice a function's go to the corner, whose gap costs levels, one quarter to sign. */
static hb_approximation_wish wish_of_corner(const hb_lowering *l, double most, double scale)
{
    const bool by_bits = l->approximations.bits_wanted && l->approximations.gap == 0;
    const double wider = by_bits ? 16 / (3 * scale) : 1;
    const double share = fmin(by_bits ? wider * 0.75 * exp2(1 - l->approximations.bits) / most : gap_of(l, 1), 0.5);
    return (hb_approximation_wish){.bits = 2 - log2(share / wider), .gap = share * most, .beside = true};
}

/* The same of whole numbers: 0 times anything is 0, and no other whole number is in a gap of 1. The result is a whole
 * number to WHOLE_BITS, if no more are wanted. */
static hb_approximation_wish wish_of_whole(const hb_lowering *l, double most)
{
    enum { WHOLE_BITS = 8 };
    const double bits = l->approximations.bits_wanted ? fmax(l->approximations.bits, WHOLE_BITS) : WHOLE_BITS;
    return (hb_approximation_wish){.bits = bits + log2(most), .gap = 1, .beside = true, .clear = true};
}

/* Returns in *node, a column of x, the factor of its sign. A sign of a matrix product takes that of a matrix whose
 * weights are smaller. So x is that product times a number, which is brought down to the level of the sign anyway, and
 * the product with the matrix as it was written is made by nobody. The number's rounding is added to *off. */
static hb_status factor_of_sign(hb_lowering *l, const hb_approximation_wish *w, uint32_t *node, double *off)
{
    hb_graph *g = &l->graph;
    const hb_mapping mapping = hb_mapping_of(w->low, w->high);
    const hb_node_range range = g->nodes[*node].range;
    *off = 0;
    if (mapping.factor == 1 || !g->nodes[*node].shape.scale_folds || !hb_node_scale_met(g, *node).dear) {
        return HB_OK;
    }
    HB_TRY(hb_graph_mapped(g, *node, &mapping, node));
    HB_TRY(hb_graph_scale(g, *node, (hb_number){.real = w->high}, node));
    hb_graph_narrow(g, *node, range.interval);
    g->nodes[*node].range.declared_width = range.declared_width;
    *off = 0x1p-51 * w->high;
    return HB_OK;
}

/* x times sign or step of it: |x| or relu(x). Where x is in the gap the error is that of the corner, for |x| an eighth
 * of the gap, 3/16 at the smallest gaps, and beside it x times that of sign. */
static hb_status times_sign(hb_lowering *l, const hb_value *x, hb_interval values, const of_sign *how, double *error,
                            hb_value *out)
{
    const bool whole = how->all_whole, absolute = how->absolute;
    const double most = fmax(hb_interval_magnitude(values), whole ? 2 : 0x1p-20), scale = absolute ? 1 : 0.5;
    hb_approximation_wish w = whole ? wish_of_whole(l, most) : wish_of_corner(l, most, scale);
    w.scale = scale;
    w.shift = absolute ? 0 : 0.5;
    hb_value signs;
    HB_TRY(hb_approximate_columns_jump(l, x, hb_interval_of_reals(-most, most), &w, error, &signs));
    const double beside = most * *error, inside = whole ? 0 : w.corner;
    *error = beside + inside;
    const hb_interval range = hb_interval_of_reals(-*error, (absolute ? most : fmax(values.high, 0)) + *error);
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        uint32_t node = l->pool[x->first + i];
        if (hb_node_is_known(&l->graph, node)) {
            const of_sign known = {.corner = true, .absolute = absolute};
            HB_TRY(settle(l, &known, node, hb_open_columns_side(l, node, 1), &l->pool[out->first + i]));
            continue;
        }
        const double gap = l->graph.nodes[node].range.threshold_gap;
        double off;
        HB_TRY(factor_of_sign(l, &w, &node, &off));
        HB_TRY(hb_graph_multiply(&l->graph, node, l->pool[signs.first + i], &node));
        l->graph.nodes[node].range.threshold_gap = gap; /* of the sign it is part of the error */
        hb_graph_narrow(&l->graph, node, range);
        hb_graph_add_approximation_error(&l->graph, node, inside + off);
        l->graph.nodes[node].range.kink_gap = whole ? 0 : w.gap;
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

/* Takes the columns that are numbers, or that ranges tell unless all are approximated; others are open. */
static hb_status settle_columns(hb_lowering *l, const hb_value *x, const of_sign *how, bool numbers, hb_value *out)
{
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        uint32_t node = l->pool[x->first + i];
        const bool known = hb_node_is_known(&l->graph, node);
        int side = hb_open_columns_side(l, node, how->at_zero);
        side = side == 0 && how->corner ? hb_open_columns_side(l, node, -1) : side; /* 0 is on both */
        if (numbers ? known : side != 0 && !l->approximations.always) {
            HB_TRY(settle(l, how, node, side, &node));
            l->pool[out->first + i] = node;
        }
    }
    return HB_OK;
}

/* Makes all columns; those whose sign their ranges do not tell are made together. ends: [2], of the interval of the
 * call; NULL: none. *error: of the approximation. */
static hb_status made_of_sign(hb_lowering *l, const hb_value *x, const hb_value *ends, const char *name,
                              const of_sign *how, double *error, hb_value *out)
{
    hb_interval values;
    hb_value open, made;
    HB_TRY(hb_approximate_columns_interval(l, x, ends, name, &values));
    *error = 0;
    *out = *x;
    HB_TRY(hb_open_columns_begin(l, x->columns, out));
    HB_TRY(settle_columns(l, x, how, false, out));
    hb_open_columns_again(l, out);
    HB_TRY(settle_columns(l, x, how, true, out));
    const uint32_t left = hb_open_columns_count(l, out);
    if (left == 0) {
        return HB_OK;
    }
    HB_TRY(hb_open_columns_part(l, x, out, &open));
    HB_TRY(hb_approximate_columns_interval(l, &open, ends, name, &values));
    if (how->corner) {
        HB_TRY(times_sign(l, &open, values, how, error, &made));
    } else {
        HB_TRY(stepped(l, &open, values, how, &made));
    }
    hb_open_columns_fill(l, &made, out);
    return HB_OK;
}

static hb_status difference(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    return hb_lower_binary(l, HB_ITEM_SUBTRACT, x, y, out);
}

/* max(x, y) = y + relu(x - y), min(x, y) = y - relu(y - x). */
hb_status hb_lower_extreme(hb_lowering *l, hb_value *x, hb_value *y, bool largest, bool whole, hb_value *out)
{
    hb_value apart, above;
    hb_interval values;
    double error;
    if (!hb_value_encrypted(y)) { /* the encrypted one is added to last, so that constants are below it */
        hb_value *other = x;
        x = y;
        y = other;
    }
    HB_TRY(difference(l, largest ? x : y, largest ? y : x, &apart));
    if (l->graph.params == NULL) {
        HB_TRY(hb_lower_any_polynomial(l, &apart, &above));
        return hb_lower_binary(l, HB_ITEM_ADD, &above, y, out);
    }
    HB_TRY(hb_approximate_columns_values(l, &apart, largest ? "max" : "min", &values));
    const of_sign how = {.corner = true, .whole = whole, .all_whole = whole};
    HB_TRY(times_sign(l, &apart, values, &how, &error, &above));
    HB_TRY(hb_lower_binary(l, largest ? HB_ITEM_ADD : HB_ITEM_SUBTRACT, y, &above, out));
    for (uint32_t i = 0; i < out->columns; i++) {
        const hb_interval a = hb_open_columns_values(l, x, i), b = hb_open_columns_values(l, y, i);
        const double low = largest ? fmax(a.low, b.low) : fmin(a.low, b.low);
        const double high = largest ? fmax(a.high, b.high) : fmin(a.high, b.high);
        if (a.known && b.known) {
            hb_graph_narrow(&l->graph, l->pool[out->first + i], hb_interval_of_reals(low - error, high + error));
        }
    }
    return HB_OK;
}

/* --- comparisons */

static uint32_t whole_columns(const hb_lowering *l, const hb_value *x, const hb_value *y, uint32_t columns)
{
    uint32_t whole = 0;
    for (uint32_t i = 0; i < columns; i++) {
        whole += hb_lower_are_whole(l, x, y, i);
    }
    return whole;
}

/* A constant beside whole numbers alone: the whole number that the comparison comes to, as x < 1.5 is x < 2. */
static void round_constant(const hb_lowering *l, hb_value *constant, const hb_value *beside, bool up)
{
    const uint32_t columns = hb_value_width(beside);
    if (constant->kind == HB_TYPE_NUMBER && whole_columns(l, beside, beside, columns) == columns) {
        const double number = constant->number.real;
        constant->number.real = up ? ceil(number) : floor(number);
    }
}

/* Moves the threshold between two whole numbers, a half from both, in the columns that have such. */
static hb_status clear_threshold(hb_lowering *l, const hb_value *below, const hb_value *above, double by, of_sign *how,
                                 hb_value *apart)
{
    const uint32_t width = hb_value_width(apart), whole = whole_columns(l, below, above, width);
    hb_value moved = *apart;
    how->whole = whole > 0;
    how->all_whole = whole == width;
    if (whole == 0) {
        return HB_OK;
    }
    if (whole < width && apart->width > 0) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "some of these columns have whole numbers, and others reals: compare these apart from those, "
                          "as x.a < 1.5 and x.day < '2024-01-01'");
    }
    HB_TRY(hb_lower_columns(l, apart->columns, &moved));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, apart->columns); i++) {
        uint32_t node = l->pool[apart->first + i];
        if (hb_lower_are_whole(l, below, above, i)) {
            HB_TRY(hb_graph_add_constant(&l->graph, node, (hb_number){.real = by}, &node));
        }
        l->pool[moved.first + i] = node;
    }
    *apart = moved;
    return HB_OK;
}

/* Returns 1 where a constant is above all values that it is compared with, -1 where it is below, and in *most their
 * largest magnitude; 0: neither, as far as ranges tell. */
static int side_of_constant(const hb_lowering *l, const hb_value *constant, const hb_value *beside, double *most)
{
    const double number = constant->number.real;
    bool above = true, below = true;
    *most = 0;
    if (constant->kind != HB_TYPE_NUMBER || constant->number.imaginary != 0 || !hb_value_encrypted(beside) ||
        beside->whole != NULL || l->graph.params == NULL) {
        return 0;
    }
    for (uint32_t i = 0; i < beside->columns; i++) {
        const hb_node *node = &l->graph.nodes[hb_open_columns_node(l, beside, i)];
        const hb_interval values = node->range.interval;
        if (!values.known || node->shape.halves != HB_HALVES_REAL) {
            return 0;
        }
        above = above && number > values.high;
        below = below && number < values.low;
        *most = fmax(*most, hb_interval_magnitude(values));
    }
    return above - below;
}

/* A nearer constant stands for one beyond all values, which may be too large to compute with: as ranges tell on which
 * side of it the values are, or, where they are not asked, at a distance at which its sign is right. */
static void bring_near(const hb_lowering *l, hb_value *constant, const hb_value *beside)
{
    double most;
    const int side = side_of_constant(l, constant, beside, &most);
    const double near = l->approximations.always ? ceil(2 * fmax(most, 1)) : ceil(most) + 1;
    if (side != 0 && fabs(constant->number.real) > near) {
        constant->number.real = side * near;
    }
}

hb_status hb_lower_compare(hb_lowering *l, hb_value *below, hb_value *above, bool or_equal, hb_value *out)
{
    of_sign how = {.scale = 0.5, .shift = 0.5, .at_zero = or_equal ? 1 : -1};
    hb_value apart;
    double error;
    round_constant(l, below, above, or_equal);
    round_constant(l, above, below, !or_equal);
    HB_TRY(hb_lower_load(l, below));
    HB_TRY(hb_lower_load(l, above));
    bring_near(l, above, below);
    bring_near(l, below, above);
    HB_TRY(difference(l, above, below, &apart));
    if (!hb_value_encrypted(&apart)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at, "two constants are compared");
    }
    if (l->graph.params == NULL) {
        return hb_lower_any_polynomial(l, &apart, out);
    }
    HB_TRY(clear_threshold(l, below, above, or_equal ? 0.5 : -0.5, &how, &apart));
    return made_of_sign(l, &apart, NULL, "a comparison", &how, &error, out);
}

hb_status hb_lower_step(hb_lowering *l, const hb_value *x, double most, double gap, hb_value *out)
{
    hb_approximation_wish w = {.bits = l->approximations.bits, .gap = gap, .scale = 0.5, .shift = 0.5, .clear = true};
    double error;
    return l->graph.params == NULL
               ? hb_lower_any_polynomial(l, x, out)
               : hb_approximate_columns_jump(l, x, hb_interval_of_reals(-most, most), &w, &error, out);
}

/* --- calls */

static hb_status call(hb_lowering *l, const hb_item *item, hb_value *arguments, const of_sign *how, hb_value *out)
{
    const hb_value *ends = item->arguments == 3 ? arguments + 1 : NULL;
    double error;
    return l->graph.params == NULL ? hb_lower_any_polynomial(l, &arguments[0], out)
                                   : made_of_sign(l, &arguments[0], ends, item->call->name, how, &error, out);
}

static hb_status sign(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    return call(l, item, arguments, &(of_sign){.scale = 1}, out);
}

static hb_status step(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    return call(l, item, arguments, &(of_sign){.scale = 0.5, .shift = 0.5}, out);
}

static hb_status relu(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    return call(l, item, arguments, &(of_sign){.corner = true, .at_zero = 1}, out);
}

static hb_status absolute(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    if (l->graph.semantics->reals) {
        return call(l, item, arguments, &(of_sign){.corner = true, .absolute = true, .at_zero = 1}, out);
    }
    return item->arguments == 1
               ? hb_lower_absolute(l, &arguments[0], out)
               : HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                            "there is no function 'abs': for integers it is abs(x), without an interval");
}

/* x - 2 x [x < 0]. */
static hb_status absolute_plain(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_value zero = {.kind = HB_TYPE_NUMBER}, two = zero, below, twice, part, *x = &arguments[0];
    (void)item;
    two.number = (hb_number){.integer = 2, .real = 2};
    HB_TRY(hb_lower_plain(l, HB_ITEM_LESS, x, &zero, &below));
    HB_TRY(hb_lower_plain(l, HB_ITEM_MULTIPLY, x, &two, &twice));
    HB_TRY(hb_lower_plain(l, HB_ITEM_MULTIPLY, &twice, &below, &part));
    return hb_lower_plain(l, HB_ITEM_SUBTRACT, x, &part, out);
}

/* --- of constants */

static hb_status sign_of(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    const double x = arguments[0].number.real;
    *out = (hb_number){.real = (x > 0) - (x < 0)};
    return hb_fold_reals(t, arguments, item->arguments);
}

/* Polynomials are half-way at 0, where a condition is true or false. */
static hb_status step_of(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    const double x = arguments[0].number.real;
    *out = (hb_number){.real = x > 0};
    HB_TRY(hb_fold_reals(t, arguments, item->arguments));
    return x != 0 ? HB_OK : hb_types_refuse(t, "step jumps at 0, and has no value there; compare with < or <=");
}

static hb_status relu_of(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    *out = (hb_number){.real = fmax(arguments[0].number.real, 0)};
    return hb_fold_reals(t, arguments, item->arguments);
}

static hb_status absolute_of(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    const hb_number zero = {.integer = 0};
    HB_TRY(hb_fold_reals(t, arguments, item->arguments));
    *out = arguments[0].number;
    return hb_fold_order(t, *out, zero) < 0 ? hb_fold_pair(t, HB_ITEM_SUBTRACT, zero, *out, out) : HB_OK;
}

#define COMPARED "integers are compared by <, and there are abs(x), max(x, y) and min(x, y)"

const hb_lang_function hb_lang_function_sign = {
    .call = {.name = "sign",
             .form = "sign(x) or sign(x, low, high)",
             .says = "on reals: 1 above 0 and -1 below, by a polynomial; `sign(x, low, high)` gives the interval of "
                     "x",
             .least = 1,
             .most = 3,
             .interval = true,
             .reals = COMPARED},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = sign_of,
    .lower = sign,
};
const hb_lang_function hb_lang_function_step = {
    .call = {.name = "step",
             .form = "step(x) or step(x, low, high)",
             .says = "on reals: 1 above 0 and 0 below, by a polynomial made from `sign`",
             .least = 1,
             .most = 3,
             .interval = true,
             .reals = COMPARED},
    .meaning = {hb_take_whole, HB_RESULT_TRUTH},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = step_of,
    .lower = step,
};
const hb_lang_function hb_lang_function_relu = {
    .call = {.name = "relu",
             .form = "relu(x) or relu(x, low, high)",
             .says = "on reals: x where it is above 0, and 0 elsewhere: by a polynomial made from `sign`",
             .least = 1,
             .most = 3,
             .interval = true,
             .reals = COMPARED},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = relu_of,
    .lower = relu,
};

const hb_lang_function hb_lang_function_abs = {
    .call = {.name = "abs",
             .form = "abs(x) or abs(x, low, high)",
             .says = "the magnitude of x: on reals by a polynomial made from `sign`, on integers exact (see "
                     "Conditions)",
             .least = 1,
             .most = 3,
             .interval = true},
    .meaning = {hb_take_numbers, HB_RESULT_FIRST},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = absolute_of,
    .lower = absolute,
    .plain = absolute_plain,
};
