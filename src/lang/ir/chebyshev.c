/* Polynomials in the Chebyshev basis as one operation of a graph, and those in powers that become such. */
#include <math.h>
#include <stdlib.h>

#include "base/bits.h"
#include "blocks.h"
#include "multiples.h"
#include "polynomial.h"
#include "rules.h"
#include "scale_folding.h"
#include "scheme/polynomial.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

static hb_status check_values(const hb_graph *g, uint32_t a)
{
    const hb_node *x = &g->nodes[a];
    if (x->shape.halves != HB_HALVES_REAL) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "polynomials on an interval take real values, and these are complex: take re() or im() of "
                          "them");
    }
    if (g->params == NULL || x->range.magnitude <= 1 + HB_POLYNOMIAL_OUTSIDE) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                      "values can be up to %.4g here, and a polynomial in the Chebyshev basis takes those in [-1, 1]",
                      x->range.magnitude);
}

/* Plans it once, to know whether it can be evaluated at this level. */
static hb_status check_plan(hb_graph *g, uint32_t a, uint32_t number)
{
    hb_polynomial_entry *entry = &g->constants.polynomials.entry[number];
    const hb_chebyshev *p = &entry->polynomial;
    const uint32_t limbs = hb_graph_known_limbs(g, hb_node_rest_limbs(g, a)), levels = hb_chebyshev_levels(p),
                   own = hb_params_level_limbs(g->params);
    if (limbs < own * (levels + 1)) {
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                          "a polynomial of degree %u takes %u levels, and %u %s left here", hb_chebyshev_degree(p),
                          levels, limbs / own - 1, limbs / own == 2 ? "is" : "are");
    }
    hb_polynomial *plan;
    const hb_status st = hb_polynomial_open(g->params, limbs, p, &plan);
    if (st != HB_OK) {
        const hb_error cause = *hb_last_error();
        return HB_FAIL_AT(st, g->syntax->text, g->position.item->at, "%.400s", cause.text);
    }
    entry->products = plan->products > entry->products ? plan->products : entry->products;
    hb_polynomial_close(plan);
    return HB_OK;
}

/* A factor and a sum need no products. */
static hb_status linear(hb_graph *g, uint32_t a, const hb_chebyshev *p, uint32_t *out)
{
    HB_TRY(hb_graph_scale(g, a, (hb_number){.real = p->coefficients[1]}, out));
    HB_TRY(hb_graph_add_constant(g, *out, (hb_number){.real = p->coefficients[0]}, out));
    return hb_graph_gather(g, *out, out);
}

hb_status hb_graph_chebyshev(hb_graph *g, uint32_t a, const hb_chebyshev *polynomial, double error, uint32_t *out)
{
    uint32_t number;
    HB_TRY(hb_graph_gather(g, a, &a));
    HB_TRY(check_values(g, a));
    if (hb_chebyshev_degree(polynomial) == 1 && error == 0) {
        return linear(g, a, polynomial, out);
    }
    HB_TRY(hb_polynomials_add(&g->constants.polynomials, polynomial, error, &number));
    if (g->params != NULL) {
        HB_TRY(check_plan(g, a, number));
    }
    return hb_graph_unary(g, HB_OP_POLYNOMIAL, a, number, out);
}

/* --- polynomials in powers */

/* Where a polynomial in powers of values is one in the Chebyshev basis: of u = factor x + offset, x in [low, high]. */
typedef struct domain {
    double low, high, factor, offset;
    uint32_t levels; /* that u is below x */
} domain;

static bool is_whole(double x)
{
    return fabs(x) <= 0x1p31 && nearbyint(x) == x;
}

/* Slots that hold no row lie in the domain, too, where they may hold something else than 0. */
static domain domain_of(const hb_node *x)
{
    const bool confined = hb_node_confined(x);
    const double low = confined ? x->range.interval.low : -x->range.magnitude;
    const double high = confined ? x->range.interval.high : x->range.magnitude, half = high / 2 - low / 2;
    if (x->range.magnitude <= 1 + HB_POLYNOMIAL_OUTSIDE) {
        return (domain){-1, 1, 1, 0, 0};
    }
    const double factor = 1 / half, middle = low / 2 + high / 2;
    return (domain){low, high, factor, -factor * middle, !is_whole(factor) && !x->shape.scale_folds};
}

/* Whether values are such that there is a domain: real ones, and something is known of all slots. */
static bool has_domain(const hb_graph *g, uint32_t a, const hb_number *c, uint32_t degree)
{
    const hb_node *x = &g->nodes[a];
    const double width = x->range.interval.high - x->range.interval.low;
    bool there = g->semantics->reals && g->params != NULL && degree > 1 && degree <= HB_CHEBYSHEV_MOST_DEGREE &&
                 x->shape.halves == HB_HALVES_REAL && x->range.interval.known && width > 0 && isfinite(width) &&
                 isfinite(2 * x->range.magnitude);
    for (uint32_t k = 0; k <= degree; k++) {
        there = there && c[k].imaginary == 0;
    }
    return there;
}

static hb_status convert(hb_chebyshev_conversion *out, const hb_number *c, uint32_t degree, double low, double high)
{
    double *powers = calloc((size_t)degree + 1, sizeof *powers);
    if (powers == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", degree);
    }
    for (uint32_t k = 0; k <= degree; k++) {
        powers[k] = c[k].real;
    }
    const hb_status st = hb_chebyshev_from_powers(out, powers, degree, low, high);
    free(powers);
    return st;
}

static hb_status range_over(hb_interval values, const hb_number *c, uint32_t degree, hb_bounds *out)
{
    hb_bounds powers[HB_POLYNOMIAL_RANGE_DEGREE + 1];
    hb_chebyshev_conversion of;
    if (degree <= HB_POLYNOMIAL_RANGE_DEGREE) {
        for (uint32_t k = 0; k <= degree; k++) {
            powers[k] = (hb_bounds){c[k].real, c[k].real};
        }
        *out = hb_polynomial_range(powers, degree, (hb_bounds){values.low, values.high});
        return HB_OK;
    }
    HB_TRY(convert(&of, c, degree, values.low, values.high));
    hb_chebyshev_range(&of.polynomial, 0, &out->low, &out->high);
    free(of.polynomial.coefficients);
    out->low -= of.error;
    out->high += of.error;
    return HB_OK;
}

/* The range of the polynomial over the values alone, which may be narrower than the domain. */
static hb_status narrow(hb_graph *g, uint32_t node, hb_interval values, const hb_number *c, uint32_t degree)
{
    hb_bounds range;
    HB_TRY(range_over(values, c, degree, &range));
    hb_node *x = &g->nodes[node];
    const double low = fmax(x->range.interval.low, range.low), high = fmin(x->range.interval.high, range.high);
    if (low <= high) {
        x->range.interval = hb_interval_of_reals(low, high);
        x->range.magnitude = hb_node_confined(x) ? fmin(x->range.magnitude, hb_interval_magnitude(x->range.interval))
                                                 : x->range.magnitude;
    }
    return HB_OK;
}

/* The most that rounding in a factor and a sum moves: 2^-51 of u, times the slope of the polynomial. */
static double rounding_of(const domain *d, const hb_chebyshev *p)
{
    const double off = d->factor == 1 ? 0 : (d->factor * fmax(fabs(d->low), fabs(d->high)) + fabs(d->offset)) * 0x1p-51;
    return off * hb_chebyshev_slope(p);
}

static hb_status evaluate_on(hb_graph *g, uint32_t a, const domain *d, const hb_number *c, uint32_t degree,
                             uint32_t *out)
{
    const hb_interval values = g->nodes[a].range.interval;
    hb_chebyshev_conversion made;
    HB_TRY(convert(&made, c, degree, d->low, d->high));
    hb_status st;
    if (d->factor != 1) {
        HB_GOTO(hb_graph_affine(g, a, d->factor, d->offset, &a));
    }
    const double error = made.error + rounding_of(d, &made.polynomial);
    st = isfinite(error) ? hb_graph_chebyshev(g, a, &made.polynomial, error, out)
                         : HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                                      "the coefficients of the polynomial are too large for these values");
    HB_GOTO(st);
    st = narrow(g, *out, values, c, degree);
done:
    free(made.polynomial.coefficients);
    return st;
}

/* From this degree on the Chebyshev basis is taken for as many levels: it has hardly more products and no adjustments,
 * and its errors are known better. */
enum { LONG = 8 };

static hb_status poly_of(hb_graph *g, uint32_t a, const hb_number *c, uint32_t degree, uint32_t k, uint32_t *out)
{
    uint32_t powers = HB_NO_NODE, node;
    const hb_status st = hb_graph_polynomial(g, a, c, degree, k, &powers);
    *out = powers;
    if ((st != HB_OK && st != HB_EDATA) || !has_domain(g, a, c, degree)) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    const domain d = domain_of(&g->nodes[a]);
    uint32_t levels = d.levels;
    while (((uint32_t)1 << (levels - d.levels)) < degree + 1) {
        levels++;
    }
    const uint32_t own = hb_params_level_limbs(g->params), left = st == HB_OK ? hb_node_rest_limbs(g, powers) : 0;
    const uint32_t above = hb_node_rest_limbs(g, a), below = left + own * levels;
    if (above < below || (above == below && degree < LONG)) {
        return st;
    }
    const hb_status made = evaluate_on(g, a, &d, c, degree, &node);
    if (made == HB_OK) {
        *out = node;
        return HB_OK;
    }
    hb_set_error(&cause);
    return made == HB_ENOMEM ? made : st;
}

/* Coefficients take a power of two exactly, as long as they are not too small. */
static bool take_power(const hb_number *c, uint32_t degree, double number, hb_number *out)
{
    int exponent;
    double power = 1;
    bool held = fabs(frexp(number, &exponent)) == 0.5;
    for (uint32_t i = 0; i <= degree && held; i++, power *= number) {
        out[i] = (hb_number){.real = c[i].real * power, .imaginary = c[i].imaginary * power};
        held = isnormal(power) && (c[i].real == 0 || isnormal(out[i].real)) &&
               (c[i].imaginary == 0 || isnormal(out[i].imaginary));
    }
    return held;
}

hb_status hb_graph_poly(hb_graph *g, uint32_t a, const hb_number *c, uint32_t degree, uint32_t k, uint32_t *out)
{
    const hb_multiple m = hb_node_multiple(g, a);
    if (!hb_multiple_is_higher(g, a, m)) {
        return poly_of(g, a, c, degree, k, out);
    }
    hb_number *own = calloc((size_t)degree + 1, sizeof *own);
    double number;
    if (own == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", degree);
    }
    hb_status st = HB_OK;
    if (take_power(c, degree, m.number, own)) {
        HB_GOTO(hb_graph_take_number(g, a, &number, &a));
        const bool held = take_power(c, degree, number, own);
        c = held ? own : c;
        HB_GOTO(held ? HB_OK : hb_graph_scale(g, a, (hb_number){.real = number}, &a));
    }
    HB_GOTO(poly_of(g, a, c, degree, k, out));
done:
    free(own);
    return st;
}

/* Whether a polynomial is not much larger elsewhere in its domain than on the range of the values: its errors grow with
 * its values in the whole domain. */
static hb_status is_even(const hb_graph *g, uint32_t a, const domain *d, const hb_number *c, uint32_t degree,
                         bool *even)
{
    enum { MOST = 4 }; /* two bits of precision, about */
    hb_bounds values, all;
    HB_TRY(range_over(g->nodes[a].range.interval, c, degree, &values));
    HB_TRY(range_over(hb_interval_of_reals(d->low, d->high), c, degree, &all));
    *even = all.high - all.low <= MOST * (values.high - values.low);
    return HB_OK;
}

/* Makes *node, which is that polynomial of `a`, one in the Chebyshev basis where that is not lower: it has fewer
 * operations, and its errors are known better. *node stays where it is lower, or there is none.
 * HB_ENOMEM. */
static hb_status poly_instead(hb_graph *g, uint32_t a, const hb_number *c, uint32_t degree, uint32_t *node)
{
    uint32_t made;
    bool even;
    if (!has_domain(g, a, c, degree)) {
        return HB_OK;
    }
    const domain d = domain_of(&g->nodes[a]);
    HB_TRY(is_even(g, a, &d, c, degree, &even));
    if (!even) {
        return HB_OK;
    }
    const uint32_t levels = d.levels + hb_bit_length(degree);
    if (hb_node_rest_limbs(g, a) < hb_node_rest_limbs(g, *node) + hb_params_level_limbs(g->params) * levels) {
        return HB_OK;
    }
    const hb_status st = evaluate_on(g, a, &d, c, degree, &made);
    *node = st == HB_OK ? made : *node;
    return st == HB_ENOMEM ? st : HB_OK;
}

/* --- nodes that are one polynomial operation of an earlier one */

/* Sets the coefficients of a polynomial, and returns whether they are known exactly. */
static bool coefficients_of(const hb_symbolic_polynomial *p, hb_number *c)
{
    bool exact = true;
    for (uint32_t k = 0; k <= p->degree; k++) {
        c[k] = (hb_number){.real = p->c[k].low};
        exact = exact && p->c[k].low == p->c[k].high;
    }
    return exact;
}

hb_status hb_graph_as_polynomial(hb_graph *g, uint32_t *node)
{
    const uint32_t from = *node;
    hb_number c[HB_SYMBOLIC_DEGREE + 1];
    if (g->semantics->reals && g->nodes[from].form.symbolic_count > 0 && g->nodes[from].op != HB_OP_POLYNOMIAL) {
        const hb_symbolic_polynomial p = g->symbolic.list[g->nodes[from].form.symbolic]; /* of the nearest */
        const bool exact = coefficients_of(&p, c);
        HB_TRY(exact && p.degree >= 3 ? poly_instead(g, p.base, c, p.degree, node) : HB_OK);
    }
    if (*node != from && g->nodes[*node].form.symbolic_count == 0) { /* others may be made of it and its base */
        g->nodes[*node].form.symbolic = g->nodes[from].form.symbolic;
        g->nodes[*node].form.symbolic_count = g->nodes[from].form.symbolic_count;
    }
    return HB_OK;
}
