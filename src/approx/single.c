#include "single.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bound.h"
#include "expansion.h"
#include "minimax.h"
#include "root.h"

/* The bits by which an expansion goes beyond the wanted error, so that its remainder costs no degree. */
#define BEYOND 10
/* Shares of the error that is asked for. Terms whose sum is below NEGLIGIBLE are not looked at; coefficients below ZERO
 * are 0; terms of one parity whose sum is below ABSENT are absent. */
#define NEGLIGIBLE 0x1p-14
#define ZERO 0x1p-40
#define ABSENT 0x1p-30

/* A function's expansion in units of the error that is asked for. */
typedef struct fit {
    const hb_approximation_request *request;
    double unit; /* 2^-bits, rounded down */
    hb_expansion f;
    double *a;      /* [f.degree + 1]: coefficients */
    double *tail;   /* [f.degree + 2]: sum |a_j|, j >= k */
    uint32_t last;  /* the terms above it are negligible */
    double left;    /* the error of every polynomial: the expansion's error and those terms */
    double allowed; /* the allowed error of the polynomial itself */
    bool odd, even; /* all terms that can be cut are */
} fit;

static hb_status refuse_doubles(const hb_approximation_request *r, double largest)
{
    int exponent;
    frexp(largest, &exponent);
    return HB_FAIL(
        HB_ECONFIG,
        "%s on %g .. %g to %g bits: its values reach %g, and coefficients are doubles, so %d bits can be had: "
        "narrow the interval or ask for fewer",
        hb_function_name(r->function), r->low, r->high, r->bits, largest, 51 - exponent);
}

/* Sets low and high to an interval in the request's, found by halving, on which the longest polynomial is known to
 * do. From above for those with a singularity at 0, which must be kept away from; others: shrunk to the middle. */
static void narrowed(const hb_approximation_request *r, double *low, double *high)
{
    const bool at_zero =
        r->function == HB_LOG || r->function == HB_INV || r->function == HB_SQRT || r->function == HB_RSQRT;
    const double far = fabs(r->low) > fabs(r->high) ? r->low : r->high, near = far == r->low ? r->high : r->low;
    double refused = 0, done = 1; /* how far the near end is moved, or both are */
    for (int i = 0; i < 20; i++) {
        const double share = (refused + done) / 2;
        /* Squared: near ends are of all magnitudes. */
        const double end = near + share * share * (far - near), rest = 1 - share;
        const double from = at_zero ? fmin(end, far) : r->low * rest, to = at_zero ? fmax(end, far) : r->high * rest;
        if (from < to && hb_expansion_bits(r->function, from, to, HB_CHEBYSHEV_MOST_DEGREE) >= r->bits) {
            *low = from;
            *high = to;
            done = share;
        } else {
            refused = share;
        }
    }
}

static hb_status refuse_degree(const hb_approximation_request *r)
{
    const double reached = floor(hb_expansion_bits(r->function, r->low, r->high, HB_CHEBYSHEV_MOST_DEGREE));
    double low = r->low, high = r->high;
    narrowed(r, &low, &high);
    char fewer[32] = "";
    if (reached >= 1) {
        snprintf(fewer, sizeof fewer, ", or to %g bits", reached);
    }
    return HB_FAIL(HB_ECONFIG,
                   "%s on %g .. %g to %g bits: no polynomial of degree up to %d does it; one does on %.3g .. %.3g%s",
                   hb_function_name(r->function), r->low, r->high, r->bits, HB_CHEBYSHEV_MOST_DEGREE, low, high, fewer);
}

static double in_units(const fit *s, const mpfr_t number)
{
    mpfr_t quotient;
    mpfr_init2(quotient, 64);
    mpfr_div_d(quotient, number, s->unit, MPFR_RNDN);
    const double out = mpfr_get_d(quotient, MPFR_RNDN);
    mpfr_clear(quotient);
    return out;
}

static void fit_close(fit *s)
{
    hb_expansion_clear(&s->f);
    free(s->a);
    free(s->tail);
}

/* Whether all terms from `first` with this parity, 0 or 1, are negligible. */
static bool vanishes(const fit *s, uint32_t first, uint32_t parity)
{
    double sum = 0;
    for (uint32_t k = first; k <= s->last; k++) {
        sum += k % 2 == parity ? fabs(s->a[k]) : 0;
    }
    return sum < ABSENT;
}

static hb_status fit_open(fit *s, const hb_approximation_request *r)
{
    *s = (fit){.request = r, .unit = hb_power_of_two(-r->bits)};
    double least, most;
    HB_TRY(hb_function_range(r->function, r->low, r->high, &least, &most));
    const double largest = fmax(fabs(least), fabs(most));
    if (!(largest * 0x1p-52 < s->unit)) {
        return refuse_doubles(r, largest);
    }
    hb_status st = hb_expansion_init(&s->f, r->function, r->low, r->high, r->bits + BEYOND);
    if (st == HB_ECONFIG) {
        st = refuse_degree(r);
    }
    HB_GOTO(st);
    const uint32_t n = s->f.degree;
    s->a = malloc((n + 1) * sizeof *s->a);
    s->tail = malloc((n + 2) * sizeof *s->tail);
    if (s->a == NULL || s->tail == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for %u coefficients", n);
        goto done;
    }
    s->tail[n + 1] = 0;
    s->last = 1;
    for (uint32_t k = n + 1; k-- > 0;) {
        s->a[k] = in_units(s, s->f.c[k]);
        s->tail[k] = s->tail[k + 1] + fabs(s->a[k]);
        s->last = s->tail[k] >= NEGLIGIBLE && s->last < k ? k : s->last;
    }
    s->left = in_units(s, s->f.error) + s->tail[s->last + 1];
    /* The rest is for rounding of coefficients and of this computation. */
    s->allowed = 1 - s->left - s->tail[0] * 0x1p-53 - 0x1p-20;
    s->odd = vanishes(s, 2, 0);
    s->even = vanishes(s, 2, 1);
    if (s->allowed < 0.25) {
        st = refuse_doubles(r, largest);
    }
done:
    if (st != HB_OK) {
        fit_close(s);
    }
    return st;
}

/* At the extrema of T_(d+1) the levelled error is c_(d+1) + c_(3(d+1)) + ..: by de la Vallee-Poussin no polynomial
 * of degree d has a smaller one. Returns the least degree that this does not exclude. */
static uint32_t least_degree(const fit *s)
{
    for (uint32_t d = s->last; d > 1; d--) {
        double levelled = 0;
        for (uint32_t k = d; k <= s->last; k += 2 * d) {
            levelled += s->a[k];
        }
        if (fabs(levelled) > 1.001) {
            return d;
        }
    }
    return 1;
}

/* The terms that a polynomial of degree d - 1 cuts off: those from d on. */
typedef struct cut {
    const fit *s;
    uint32_t first;
} cut;

static void cut_values(const void *context, uint32_t count, const hb_angle *at, double *g, double *w)
{
    const cut *c = context;
    hb_chebyshev_values(g, c->s->a, c->first, c->s->last, count, at);
    for (uint32_t i = 0; i < count; i++) {
        w[i] = 1;
    }
}

/* The best approximation of degree d of the terms above d. Where term d + 1 is 0 by parity, that of degree d + 1 is
 * the same and has a reference; one of degree d need not. */
static hb_status best(hb_minimax *m, const fit *s, uint32_t d, double enough)
{
    const cut c = {.s = s, .first = d + 1};
    const bool absent = (s->odd && d % 2 == 1) || (s->even && d % 2 == 0);
    const hb_minimax_problem problem = {
        .degree = d + absent, .values = cut_values, .context = &c, .enough = enough, .close = 0x1p-10};
    return hb_minimax_init(m, &problem);
}

/* Adds q to the terms up to d, rounds them to doubles, and sets worst to a bound of the whole error, in units. */
static hb_status finish(double *coefficients, double *worst, const fit *s, uint32_t d, const double *q)
{
    const uint32_t last = s->last > d ? s->last : d;
    double *rest = malloc((last + 1) * sizeof *rest);
    if (rest == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u coefficients", last);
    }
    mpfr_t sum;
    mpfr_init2(sum, HB_APPROX_PRECISION);
    for (uint32_t k = 0; k <= last; k++) {
        rest[k] = k <= s->last ? s->a[k] : 0;
        if (k <= d) {
            mpfr_set_d(sum, q[k], MPFR_RNDN);
            mpfr_mul_d(sum, sum, s->unit, MPFR_RNDN);
            mpfr_add(sum, sum, s->f.c[k], MPFR_RNDN);
            coefficients[k] = fabs(in_units(s, sum)) < ZERO ? 0 : mpfr_get_d(sum, MPFR_RNDN);
            mpfr_sub_d(sum, s->f.c[k], coefficients[k], MPFR_RNDN);
            rest[k] = in_units(s, sum);
        }
    }
    mpfr_clear(sum);
    const hb_status st = hb_chebyshev_bound(worst, rest, last, HB_BOUND_LEAST_OVERSAMPLE);
    *worst = (*worst + s->left) * (1 + 0x1p-30); /* sums in units are rounded to nearest */
    free(rest);
    return st;
}

/* Whether the best approximation of degree d seems to do. */
static hb_status will_do(bool *yes, const fit *s, uint32_t d)
{
    const double enough = s->allowed * (1 / 1.006); /* hb_chebyshev_bound's factor, and a search that ends early */
    hb_minimax m;
    const hb_status st = best(&m, s, d, enough);
    *yes = st == HB_OK && m.worst <= enough;
    hb_minimax_clear(&m);
    return st;
}

/* Sets found to the least degree that seems to do, or to `most` + 1. */
static hb_status search_degree(uint32_t *found, const fit *s, uint32_t most)
{
    uint32_t from = least_degree(s), to = 1;
    while (to <= most && s->tail[to + 1 <= s->last ? to + 1 : s->last + 1] > s->allowed) {
        to++; /* truncation does at `to` */
    }
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        bool yes;
        HB_TRY(will_do(&yes, s, middle));
        from = yes ? from : middle + 1;
        to = yes ? middle : to;
    }
    *found = from;
    return HB_OK;
}

/* Makes the polynomial of degree d: the truncated series, or, where its error is too large, the best polynomial. */
static hb_status make(double *coefficients, double *worst, const fit *s, uint32_t d)
{
    double *q = calloc(d + 1, sizeof *q);
    if (q == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u coefficients", d);
    }
    hb_minimax m = {0};
    hb_status st = HB_OK;
    if (d < s->last && s->tail[d + 1] > s->allowed) {
        HB_GOTO(best(&m, s, d, 0));
        HB_GOTO(hb_minimax_coefficients(&m, q, d));
    }
    HB_GOTO(finish(coefficients, worst, s, d, q));
done:
    hb_minimax_clear(&m);
    free(q);
    return st;
}

hb_status hb_approximate_single(hb_chebyshev *p, double *error, const hb_approximation_request *request)
{
    fit s;
    const hb_status opened = request->function == HB_SQRT && request->low == 0 ? HB_ECONFIG : fit_open(&s, request);
    if (request->function == HB_SQRT && opened == HB_ECONFIG) { /* too near 0 for an expansion */
        HB_TRY(hb_approximate_root(p, error, request));
        return p->degree == 0 ? refuse_degree(request) : HB_OK;
    }
    HB_TRY(opened);
    const uint32_t most = s.f.degree < HB_CHEBYSHEV_MOST_DEGREE ? s.f.degree : HB_CHEBYSHEV_MOST_DEGREE;
    double *coefficients = malloc((most + 1) * sizeof *coefficients), worst = INFINITY;
    uint32_t d = 0;
    hb_status st = HB_OK;
    if (coefficients == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for %u coefficients", most);
        goto done;
    }
    HB_GOTO(search_degree(&d, &s, most));
    for (; d <= most && worst > 1; d++) {
        HB_GOTO(make(coefficients, &worst, &s, d));
    }
    if (worst > 1) {
        st = refuse_degree(request);
        goto done;
    }
    *p = (hb_chebyshev){.degree = d - 1, .coefficients = coefficients};
    *error = worst * s.unit;
    coefficients = NULL;
done:
    free(coefficients);
    fit_close(&s);
    return st;
}
