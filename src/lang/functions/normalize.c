/* Functions of the columns of a group beside one another: softmax and layernorm. A group is a row of a matrix within a
 * sample, else all columns. */
#include <math.h>

#include "approximate_columns.h"
#include "lang/ir/blocks.h"
#include "lang/ir/polynomial.h"
#include "lang/types/lang_function.h"

static uint32_t group_of(const hb_value *x)
{
    return hb_type_is_matrix(x->type) ? x->type->matrix.columns : hb_value_width(x);
}

/* Slots between the channels of a smaller image are in no sum, so a quotient has no bound there. */
static hb_status require_order(const hb_lowering *l, const hb_value *x, const char *name)
{
    const hb_graph *g = &l->graph;
    if (x->width > 0 && g->nodes[l->pool[x->first]].shape.image.gap > 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "%s takes columns in their order, not an image that a convolution made smaller, "
                          "whose channels stand in each other's gaps: W @ x has them in their order",
                          name);
    }
    return HB_OK;
}

/* Multiplies columns by the column of their group. */
static hb_status times_group(hb_lowering *l, hb_value *x, uint32_t group, hb_value *by, hb_value *out)
{
    hb_value each = *by;
    if (by->width == 0 && by->columns > 1) {
        HB_TRY(hb_lower_columns(l, x->columns, &each));
        for (uint32_t i = 0; i < x->columns; i++) {
            l->pool[each.first + i] = l->pool[by->first + i / group];
        }
    }
    return hb_lower_binary(l, HB_ITEM_MULTIPLY, x, &each, out);
}

static void narrow(hb_lowering *l, const hb_value *x, double low, double high)
{
    for (uint32_t i = 0; i < x->columns; i++) {
        hb_graph_narrow(&l->graph, l->pool[x->first + i], hb_interval_of_reals(low, high));
    }
}

/* --- softmax: e^(x - c) of each column, times a constant, times the inverse of their sum */

/* e^(x - c) <= 1, and the sum of all of a group lies in [*least, *most]. */
static hb_status sum_of_exponentials(const hb_lowering *l, const hb_value *x, uint32_t group, double centre,
                                     double *least, double *most)
{
    double low_sum = 0, high_sum = 0;
    *least = INFINITY;
    *most = 0;
    for (uint32_t i = 0; i < x->columns; i++) {
        const hb_interval values = l->graph.nodes[l->pool[x->first + i]].range.interval;
        double low, high, unused;
        HB_TRY(hb_function_range(HB_EXP, values.low - centre, values.low - centre, &low, &unused));
        HB_TRY(hb_function_range(HB_EXP, values.high - centre, values.high - centre, &unused, &high));
        low_sum = x->width > 0 ? group * low : i % group > 0 ? low_sum + low : low;
        high_sum = x->width > 0 ? group * high : i % group > 0 ? high_sum + high : high;
        if (x->width > 0 || i % group == group - 1) {
            *least = fmin(*least, low_sum);
            *most = fmax(*most, high_sum);
        }
    }
    *least *= 1 - 0x1p-30;
    *most *= 1 + 0x1p-30;
    return HB_OK;
}

/* Returns the power of two by which exponentials are multiplied, so that their sums, from least to most, are at most 2
 * apart: they are mapped without a level. An interval 2 wide around 32 to 64 takes an inverse of low degree. Narrower
 * ranges get no larger sums: these would make the errors of the inverse larger, and fill the modulus in the end. */
static double factor_of_sums(double least, double most)
{
    return exp2(floor(log2(fmin(1.9375 / (most - least), 64 / least))));
}

static hb_status softmax(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    static const char made_of[] = "softmax is made of exp and inv: ";
    const hb_value *x = &arguments[0];
    (void)item;
    hb_value powers, sum, inverses;
    hb_interval values;
    double least, most, off_inverse;
    if (l->graph.params == NULL) {
        return hb_lower_any_polynomial(l, x, out);
    }
    HB_TRY(require_order(l, x, "softmax"));
    HB_TRY(hb_approximate_columns_values(l, x, "softmax", &values));
    const uint32_t group = group_of(x);
    const double centre = values.high;
    HB_TRY(sum_of_exponentials(l, x, group, centre, &least, &most));
    const double factor = factor_of_sums(least, most);
    const double smallest = factor * least;
    hb_approximation_wish w = {.function = HB_EXP,
                               .bits = l->approximations.bits + 2 - log2(fmin(smallest, 1)),
                               .scale = factor,
                               .made_of = made_of};
    const hb_mapping mapping = hb_mapping_around(values, hb_approximate_columns_absorb(l, x), HB_POLE_NONE);
    const hb_approximation *f = NULL;
    /* e^(x - c) where x is in the interval is e^x on one that lies c lower. */
    w.low = mapping.low - centre;
    w.high = mapping.high - centre;
    w.bits += log2(factor);
    HB_TRY(hb_approximate_columns_find(l, &w, &f));
    const double error = f->error;
    const hb_interval range = hb_interval_of_reals(0, factor * (1 + 0x1p-30));
    HB_TRY(hb_approximate_columns_apply(l, x, &mapping, &w, f, &range, &powers));
    HB_TRY(hb_lower_row_sum(l, &powers, group, true, &sum));
    const double columns = group, off = columns * error;
    narrow(l, &sum, smallest - off, factor * most * (1 + 0x1p-30) + off);
    HB_TRY(hb_approximate_columns_values(l, &sum, "softmax", &values));
    hb_approximation_wish inverted = {
        .function = HB_INV, .bits = l->approximations.bits + 2 + log2(fmax(factor, 1)), .scale = 1, .made_of = made_of};
    HB_TRY(hb_approximate_columns_smooth(l, &sum, values, &inverted, &off_inverse, &inverses));
    HB_TRY(times_group(l, &powers, group, &inverses, out));
    out->names = x->names;
    const double missed = (columns + 1) * error / (smallest - off) + (factor + error) * off_inverse;
    narrow(l, out, -missed, 1 + missed);
    return HB_OK;
}

/* --- layernorm: x less the mean of its group, times the inverse root of the group's variance */

/* Numbers that a computation takes. By columns it goes without factors that are no integers: differences from means are
 * n times as large, and variances n^3 times, n columns in a group. */
typedef struct norm {
    uint32_t group;
    double low, high, epsilon; /* variances lie from low to high, as the expression says */
    double differences, variances;
} norm;

static hb_status shape_of_layernorm(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *x = &operands[0];
    const bool epsilon = item->arguments > 3;
    bool right = true;
    for (uint32_t i = 1; i < item->arguments; i++) {
        right = right && operands[i].kind == HB_TYPE_NUMBER && operands[i].number.imaginary == 0 &&
                operands[i].number.real >= 0;
    }
    right = right && operands[1].number.real < operands[2].number.real &&
            operands[1].number.real + (epsilon ? operands[3].number.real : 0) > 0;
    if (!right) {
        return hb_types_refuse(t,
                               "layernorm(x, low, high, epsilon) takes constants: variances lie from low to high, "
                               "which is larger, and epsilon, if it is there, is added to them; no sum is 0 or less");
    }
    if ((hb_type_is_matrix(x) ? x->matrix.columns : x->columns) < 2 && !t->context.keys_only) {
        return hb_types_refuse(t, "layernorm of one column, which is its own mean");
    }
    *out = (hb_type){.kind = x->kind, .columns = x->columns, .names = x->names, .matrix = x->matrix};
    return HB_OK;
}

/* Makes the differences from the mean of each group. */
static hb_status centre(hb_lowering *l, const hb_value *x, const norm *n, hb_value *out)
{
    hb_graph *g = &l->graph;
    hb_value sums;
    *out = (hb_value){.kind = x->kind, .width = x->width, .names = x->names};
    HB_TRY(hb_lower_columns(l, x->columns, out));
    if (x->width > 0) {
        const double share = 1.0 / n->group;
        hb_graph_at_column(g, 0, 1);
        return hb_graph_within_groups(g, l->pool[x->first], n->group, 1 - share, -share, &l->pool[out->first]);
    }
    HB_TRY(hb_lower_row_sum(l, x, n->group, false, &sums));
    for (uint32_t i = 0; hb_graph_at_column(g, i, x->columns); i++) {
        uint32_t node;
        const hb_number times = {.integer = n->group, .real = n->group};
        HB_TRY(hb_graph_scale(g, l->pool[x->first + i], times, &node));
        HB_TRY(hb_graph_subtract(g, node, l->pool[sums.first + i / n->group], &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

static hb_status square(hb_graph *g, uint32_t a, uint32_t *out)
{
    return hb_graph_power(g, a, 2, out);
}

/* Makes the variances of groups plus epsilon, which are believed to lie where the expression says. */
static hb_status find_variances(hb_lowering *l, const hb_value *differences, const norm *n, hb_value *out)
{
    hb_graph *g = &l->graph;
    hb_value squares;
    const hb_number epsilon = {.real = n->variances * n->epsilon};
    const hb_interval said =
        hb_interval_of_reals(n->variances * (n->low + n->epsilon), n->variances * (n->high + n->epsilon));
    HB_TRY(hb_lower_each_column(l, differences, (hb_column_operation){.unary = square}, &squares));
    if (squares.width > 0) {
        const double share = 1.0 / n->group;
        *out = squares;
        HB_TRY(hb_lower_columns(l, 1, out));
        HB_TRY(hb_graph_within_groups(g, l->pool[squares.first], n->group, share, share, &l->pool[out->first]));
    } else {
        HB_TRY(hb_lower_row_sum(l, &squares, n->group, false, out));
    }
    for (uint32_t i = 0; hb_graph_at_column(g, i, out->columns); i++) {
        uint32_t *node = &l->pool[out->first + i];
        if (n->epsilon > 0) {
            HB_TRY(hb_graph_add_constant(g, *node, epsilon, node));
        }
        HB_TRY(hb_graph_believe(g, *node, said));
    }
    return HB_OK;
}

static hb_status layernorm(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_value *x = &arguments[0];
    hb_value differences, variances, inverses;
    hb_interval values;
    double error;
    if (l->graph.params == NULL) {
        return hb_lower_any_polynomial(l, x, out);
    }
    HB_TRY(require_order(l, x, "layernorm"));
    HB_TRY(hb_approximate_columns_values(l, x, "layernorm", &values));
    const double columns = group_of(x);
    const norm n = {.group = group_of(x),
                    .low = arguments[1].number.real,
                    .high = arguments[2].number.real,
                    .epsilon = item->arguments > 3 ? arguments[3].number.real : 0,
                    .differences = x->width > 0 ? 1 : columns,
                    .variances = x->width > 0 ? 1 : columns * columns * columns};
    HB_TRY(centre(l, x, &n, &differences));
    /* A difference is at most (n - 1) / n times the width of the range, and sqrt(n - 1) standard deviations. */
    const double most = (1 + 0x1p-30) * n.differences *
                        fmin((columns - 1) / columns * (values.high - values.low), sqrt((columns - 1) * n.high));
    narrow(l, &differences, -most, most);
    HB_TRY(find_variances(l, &differences, &n, &variances));
    HB_TRY(hb_approximate_columns_values(l, &variances, "layernorm", &values));
    hb_approximation_wish w = {.function = HB_RSQRT,
                               .bits = l->approximations.bits + 1 + log2(most + 0x1p-20),
                               .scale = sqrt(n.variances) / n.differences,
                               .made_of = "layernorm is made of rsqrt: "};
    HB_TRY(hb_approximate_columns_smooth(l, &variances, values, &w, &error, &inverses));
    HB_TRY(times_group(l, &differences, n.group, &inverses, out));
    out->names = x->names;
    const double largest = sqrt(columns - 1) * (1 + 0x1p-30) + most * error;
    narrow(l, out, -largest, largest);
    return HB_OK;
}

const hb_lang_function hb_lang_function_softmax = {
    .call = {.name = "softmax",
             .form = "softmax(x)",
             .says =
                 "on reals: e^x over the sum of e^x, of each row over the columns, and of a matrix over each row of "
                 "it",
             .least = 1,
             .most = 1,
             .reals = HB_NO_POLYNOMIAL},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .encrypted = true,
    .lower = softmax,
};
const hb_lang_function hb_lang_function_layernorm = {
    .call = {.name = "layernorm",
             .form = "layernorm(x, low, high) or layernorm(x, low, high, epsilon)",
             .says = "on reals: (x - mean) / sqrt(variance + epsilon), of each row over the columns, and of a matrix "
                     "over each row of it, where variances are believed to lie from low to high ([matrices]"
                     "(matrices.md))",
             .least = 3,
             .most = 4,
             .reals = HB_NO_POLYNOMIAL},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .shape = shape_of_layernorm,
    .encrypted = true,
    .lower = layernorm,
};
