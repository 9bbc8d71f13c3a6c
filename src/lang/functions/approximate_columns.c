/* Each approximation is found once for all columns of a value, on an interval that holds them all, so that they stay at
 * one level. */
#include "approximate_columns.h"

#include <math.h>
#include <stdlib.h>

#include "base/outward.h"
#include "composition.h"
#include "lang/ir/known.h"
#include "lang/ir/multiples.h"
#include "lang/ir/polynomial.h"
#include "lang/ir/scale_folding.h"
#include "lang/ir/scale_way.h"
#include "lang/ir/semantics.h"

void hb_lowering_clear_approximations(hb_lowering *l)
{
    for (uint32_t i = 0; i < l->approximations.function_count; i++) {
        hb_approximation_clear(&l->approximations.functions[i].approximation);
    }
    free(l->approximations.functions);
}

/* The text of the current item's operand, for messages. */
static void excerpt(const hb_lowering *l, char out[64])
{
    const hb_item *item = l->graph.position.item;
    hb_excerpt_or_name(out, 64, l->graph.syntax->text, item->from, item->to);
}

/* The result of the last stage, times `scale`, plus `shift`. */
static void finish(hb_approximation *f, const hb_approximation_wish *w)
{
    hb_chebyshev *last = &f->stage[f->stages - 1];
    double sum = fabs(w->shift);
    for (uint32_t k = 0; k <= last->degree; k++) {
        last->coefficients[k] *= w->scale;
        sum += fabs(last->coefficients[k]);
    }
    last->coefficients[0] += w->shift;
    f->error *= fabs(w->scale);
    f->corner *= fabs(w->scale);
    if (w->scale != 1 || w->shift != 0) { /* products and the sum are rounded */
        f->error += sum * 0x1p-52;
    }
}

/* Finds an approximation, once for all that ask for the same. Valid until the next one is found. */
hb_status hb_approximate_columns_find(hb_lowering *l, const hb_approximation_wish *w, const hb_approximation **out)
{
    const hb_graph *g = &l->graph;
    const hb_approximation_request request = {
        w->function, w->low, w->high, fmin(fmax(w->bits, HB_APPROXIMATION_LEAST_BITS), HB_APPROXIMATION_MOST_BITS),
        HB_GAP_SHARE * w->gap};
    for (uint32_t i = 0; i < l->approximations.function_count; i++) {
        const hb_lowered_approximation *f = &l->approximations.functions[i];
        const hb_approximation_request *r = &f->request;
        if (r->function == request.function && r->low == request.low && r->high == request.high &&
            r->bits == request.bits && r->gap == request.gap && f->scale == w->scale && f->shift == w->shift &&
            f->limbs == w->limbs) {
            *out = &f->approximation;
            return HB_OK;
        }
    }
    hb_lowered_approximation *functions =
        realloc(l->approximations.functions, (l->approximations.function_count + (size_t)1) * sizeof *functions);
    if (functions == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the functions of an expression");
    }
    l->approximations.functions = functions;
    hb_lowered_approximation *f = &functions[l->approximations.function_count++];
    *f = (hb_lowered_approximation){.item = g->position.item,
                                    .request = request,
                                    .gap = w->gap,
                                    .scale = w->scale,
                                    .shift = w->shift,
                                    .limbs = w->limbs};
    bool longer = false;
    const hb_status st =
        w->limbs > 0 && !l->shortest
            ? hb_composition_choose(g->params, w->limbs, g->found.approximations, &request, &f->approximation, &longer)
            : hb_approximations_find(g->found.approximations, &f->approximation, &request, 0);
    l->longer |= longer;
    if (st != HB_OK) {
        const hb_error cause = *hb_last_error();
        l->hopeless |= st == HB_EDATA || st == HB_ECONFIG;
        if (st == HB_ENOMEM) {
            return st;
        }
        /* No approximation is that close: not for want of other parameters. */
        return HB_FAIL_AT(st == HB_ECONFIG ? HB_EDATA : st, g->syntax->text, g->position.item->at, "%s%.240s%s",
                          w->made_of != NULL ? w->made_of : "", cause.text,
                          w->function != HB_SIGN          ? "; a tighter --range may help"
                          : l->approximations.bits_wanted ? ", or ask for less --precision"
                                                          : "");
    }
    finish(&f->approximation, w);
    *out = &f->approximation;
    return HB_OK;
}

/* --- the range of an argument */

/* The range of the values of all its columns. HB_EUSAGE where it is unknown. */
hb_status hb_approximate_columns_values(const hb_lowering *l, const hb_value *x, const char *name, hb_interval *out)
{
    const hb_graph *g = &l->graph;
    char what[64];
    *out = g->nodes[l->pool[x->first]].range.interval;
    for (uint32_t i = 0; i < x->columns; i++) {
        const hb_node *node = &g->nodes[l->pool[x->first + i]];
        const hb_interval values = node->range.interval;
        if (node->shape.halves != HB_HALVES_REAL) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "%s takes reals, and these values are complex: use re(x), im(x) or abs2(x)", name);
        }
        if (!values.known || !isfinite(values.low) || !isfinite(values.high)) {
            excerpt(l, what);
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "the range of the argument of %s in %s is not known, and the function is "
                              "approximated on a range: give it with --range",
                              name, what);
        }
        *out = hb_interval_join(*out, values);
    }
    return HB_OK;
}

/* The ends of an interval that is given. */
static hb_status ends_of(const hb_lowering *l, const hb_value *ends, hb_interval *out)
{
    const hb_graph *g = &l->graph;
    if (ends[0].kind != HB_TYPE_NUMBER || ends[1].kind != HB_TYPE_NUMBER ||
        !(ends[0].number.real < ends[1].number.real) || ends[0].number.imaginary != 0 ||
        ends[1].number.imaginary != 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the ends of an interval are constants, the lower one first, as in sigmoid(x, -8, 8)");
    }
    *out = hb_interval_of_reals(ends[0].number.real, ends[1].number.real);
    return HB_OK;
}

/* The interval that an argument is in: the given one, which must hold it, else that of its values. */
hb_status hb_approximate_columns_interval(hb_lowering *l, const hb_value *x, const hb_value *ends, const char *name,
                                          hb_interval *out)
{
    const hb_graph *g = &l->graph;
    hb_interval values, given;
    HB_TRY(hb_approximate_columns_values(l, x, name, &values));
    *out = values;
    if (ends == NULL) {
        return HB_OK;
    }
    HB_TRY(ends_of(l, ends, &given));
    *out = given;
    if (hb_interval_within(values, given)) {
        return HB_OK;
    }
    char can[HB_INTERVAL_TEXT], stated[HB_INTERVAL_TEXT];
    hb_interval_text(can, values);
    hb_interval_text(stated, given);
    l->hopeless = true;
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                      "the argument of %s can be %s, and its interval is %s: give a wider one, or a tighter "
                      "--range",
                      name, can, stated);
}

/* Whether a factor of any column takes no level. */
bool hb_approximate_columns_absorb(const hb_lowering *l, const hb_value *x)
{
    for (uint32_t i = 0; i < x->columns; i++) {
        if (!l->graph.nodes[l->pool[x->first + i]].shape.scale_folds) {
            return false;
        }
    }
    return true;
}

static hb_pole pole_of(hb_function function, hb_interval values)
{
    if (function == HB_INV && values.high < 0) {
        return HB_POLE_ABOVE;
    }
    return function == HB_INV || function == HB_LOG || function == HB_SQRT || function == HB_RSQRT ? HB_POLE_BELOW
                                                                                                   : HB_POLE_NONE;
}

/* --- one function of all columns */

/* Where only keys are asked for: products of every polynomial are relinearized. */
hb_status hb_lower_any_polynomial(hb_lowering *l, const hb_value *x, hb_value *out)
{
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; i < x->columns; i++) {
        HB_TRY(hb_graph_power(&l->graph, l->pool[x->first + i], 2, &l->pool[out->first + i]));
    }
    return HB_OK;
}

/* The function's values where the argument is between these, times scale, plus shift. */
static hb_status range_of(const hb_lowering *l, const hb_approximation_wish *w, hb_interval values, hb_interval *out)
{
    double least, most;
    const hb_status st = hb_function_range(w->function, values.low, values.high, &least, &most);
    if (st != HB_OK) {
        const hb_error cause = *hb_last_error();
        return HB_FAIL_AT(st, l->graph.syntax->text, l->graph.position.item->at, "%.240s", cause.text);
    }
    const hb_interval scaled =
        hb_interval_multiply(hb_interval_of_reals(least, most), hb_interval_of_reals(w->scale, w->scale));
    *out = hb_interval_add(scaled, hb_interval_of_reals(w->shift, w->shift));
    return HB_OK;
}

/* For every column; `range`: values of the function, where they are not known by that of each column. */
hb_status hb_approximate_columns_apply(hb_lowering *l, const hb_value *x, const hb_mapping *mapping,
                                       const hb_approximation_wish *w, const hb_approximation *f,
                                       const hb_interval *range, hb_value *out)
{
    const double off = w != NULL && w->beside ? HB_APPROXIMATION_CORNER_OFF : 1 / HB_GAP_SHARE - 1;
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        uint32_t node = l->pool[x->first + i];
        hb_interval values = {.known = false};
        if (range == NULL) {
            HB_TRY(range_of(l, w, l->graph.nodes[node].range.interval, &values));
        }
        HB_TRY(
            hb_graph_approximated(&l->graph, node, mapping, f, f->gap * off, range != NULL ? *range : values, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

/* Applies the function to columns that are public numbers, as doubles. Returns how many there are in *count. */
static hb_status take_known(hb_lowering *l, const hb_value *x, const hb_approximation_wish *w, hb_value *out,
                            uint32_t *count)
{
    hb_graph *g = &l->graph;
    *count = 0;
    for (uint32_t i = 0; hb_graph_at_column(g, i, x->columns); i++) {
        const uint32_t node = l->pool[x->first + i];
        double low, high;
        if (!hb_node_is_known(g, node)) {
            continue;
        }
        const double number = hb_node_known_number(g, node).real;
        const hb_status st = hb_function_range(w->function, number, number, &low, &high);
        if (st != HB_OK) {
            const hb_error cause = *hb_last_error();
            return HB_FAIL_AT(st, g->syntax->text, g->position.item->at, "%s of %.6g: %.300s",
                              hb_function_name(w->function), number, cause.text);
        }
        const hb_number made = {.real = w->scale * (low + (high - low) / 2) + w->shift};
        HB_TRY(hb_graph_known(g, node, g->nodes[node].shape.total, made, &l->pool[out->first + i]));
        ++*count;
    }
    return HB_OK;
}

/* Returns the magnitude of the number that a node is a multiple of; whole ones take no level. */
static double number_of(const hb_graph *g, uint32_t a)
{
    const hb_node *x = &g->nodes[a];
    return x->op == HB_OP_MULTIPLY_INTEGER ? fabs((double)x->number) : fabs(hb_node_multiple(g, a).number);
}

/* Where all columns are the same number times values that fill half of [-1, 1] or more, these are the mapped values:
 * neither the number nor the factor takes a level. */
static void map_multiples(const hb_lowering *l, const hb_value *x, hb_interval values, hb_mapping *out)
{
    const hb_graph *g = &l->graph;
    const double number = number_of(g, l->pool[x->first]);
    bool same = number != 1;
    for (uint32_t i = 0; i < x->columns; i++) {
        same = same && number_of(g, l->pool[x->first + i]) == number;
    }
    if (!same || hb_interval_magnitude(values) > number * (1 + HB_POLYNOMIAL_OUTSIDE / 2) ||
        values.high - values.low < number) {
        return;
    }
    *out = (hb_mapping){.low = -number, .high = number, .factor = 1 / number};
}

/* A smooth function of x on an interval that holds its values. Bits are of the result; low and high of *w are filled
 * in. *error: of the approximation. */
hb_status hb_approximate_columns_smooth(hb_lowering *l, const hb_value *x, hb_interval values, hb_approximation_wish *w,
                                        double *error, hb_value *out)
{
    const hb_pole pole = pole_of(w->function, values);
    hb_mapping mapping = hb_mapping_around(values, hb_approximate_columns_absorb(l, x), pole);
    const hb_approximation *f = NULL;
    uint32_t known;
    if (pole == HB_POLE_NONE && mapping.factor != 1) {
        map_multiples(l, x, values, &mapping);
    }
    *error = 0;
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    HB_TRY(take_known(l, x, w, out, &known));
    if (known == x->columns) {
        return HB_OK;
    }
    w->low = mapping.low;
    w->high = mapping.high;
    w->bits += log2(fabs(w->scale));
    HB_TRY(hb_approximate_columns_find(l, w, &f));
    *error = f->error;
    HB_TRY(hb_approximate_columns_apply(l, x, &mapping, w, f, NULL, out));
    return take_known(l, x, w, out, &known);
}

/* Finds the fewest limbs that a column has when it is mapped. */
static hb_status mapped_limbs(hb_lowering *l, const hb_value *x, const hb_mapping *mapping, uint32_t *limbs)
{
    *limbs = UINT32_MAX;
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        uint32_t node;
        HB_TRY(hb_graph_mapped(&l->graph, l->pool[x->first + i], mapping, &node));
        const uint32_t left = hb_graph_known_limbs(&l->graph, hb_node_rest_limbs(&l->graph, node));
        *limbs = left < *limbs ? left : *limbs;
    }
    return HB_OK;
}

static bool made_dearly(const hb_lowering *l, const hb_value *x)
{
    for (uint32_t i = 0; i < x->columns; i++) {
        if (hb_node_scale_met(&l->graph, l->pool[x->first + i]).dear) {
            return true;
        }
    }
    return false;
}

/* The gap at a corner follows from the bits that are wanted, unless --gap says it: then it cannot be too small. */
static hb_status check_corner(hb_lowering *l, const hb_approximation_wish *w)
{
    const double least = w->high * HB_APPROXIMATION_LEAST_GAP / HB_GAP_SHARE;
    if (!w->beside || w->clear || !l->approximations.bits_wanted || l->approximations.gap > 0 || w->gap >= least) {
        return HB_OK;
    }
    const double error = 1 - l->approximations.bits; /* it grows as the gap does */
    l->hopeless = true;
    return HB_FAIL_AT(HB_EDATA, l->graph.syntax->text, l->graph.position.item->at,
                      "--precision takes a corner that is right to 2^%.1f, and with values up to %g it is right to "
                      "2^%.1f at best: ask for less",
                      error, w->high, hb_decimal_up(error + log2(least / w->gap), 1));
}

/* An integer as a factor takes no level. It may take values to the very ends of [-1, 1], where nothing is proven of
 * values that errors take beyond: a composition that is to be proven pays the level. */
static hb_mapping mapping_of_sign(const hb_lowering *l, double most, bool free)
{
    const hb_interval around = hb_interval_of_reals(-most, most);
    const hb_mapping integer = hb_mapping_around(around, free, HB_POLE_NONE);
    const bool inside = integer.factor * most <= 1 - 0x1p-11;
    return free || l->shortest || inside ? integer : hb_mapping_around(around, true, HB_POLE_NONE);
}

/* Sign of x, times scale, plus shift: its interval is symmetric. *error: of the result, beside the gap. */
hb_status hb_approximate_columns_jump(hb_lowering *l, const hb_value *x, hb_interval values, hb_approximation_wish *w,
                                      double *error, hb_value *out)
{
    const double most = hb_interval_magnitude(values);
    const hb_interval around = hb_interval_of_reals(-most, most);
    const bool free = hb_approximate_columns_absorb(l, x) && !(w->beside && made_dearly(l, x));
    const hb_mapping mapping = mapping_of_sign(l, most, free);
    const hb_approximation *f = NULL;
    hb_interval range = {.known = false};
    l->approximations.jumps = l->approximations.jumps || !w->clear;
    w->function = HB_SIGN;
    w->low = mapping.low;
    w->high = mapping.high;
    w->bits += log2(fabs(w->scale));
    HB_TRY(check_corner(l, w));
    HB_TRY(mapped_limbs(l, x, &mapping, &w->limbs));
    HB_TRY(range_of(l, w, around, &range)); /* also of values in the gap */
    HB_TRY(hb_approximate_columns_find(l, w, &f));
    *error = f->error;
    w->corner = f->corner;
    HB_TRY(hb_approximate_columns_apply(l, x, &mapping, w, f, &range, out));
    /* Beside a corner the gap is part of the error. */
    for (uint32_t c = 0; c < out->columns && !w->beside && !w->clear; c++) {
        double *gap = &l->graph.nodes[l->pool[out->first + c]].range.threshold_gap;
        *gap = fmax(*gap, w->gap);
    }
    return HB_OK;
}
