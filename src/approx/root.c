#include "root.h"

#include <math.h>
#include <stdlib.h>

#include "bound.h"
#include "function.h"
#include "minimax.h"

/* In units of sqrt(high): the allowed error, and the expansion that polynomials start from, 2 / pi - 4 / pi sum (-1)^k
 * / (4 k^2 - 1) T_k(u). */
typedef struct root {
    double allowed;
    double c[HB_CHEBYSHEV_MOST_DEGREE + 1];
} root;

static void expand(root *r)
{
    mpfr_t c, pi;
    mpfr_inits2(HB_APPROX_PRECISION, c, pi, (mpfr_ptr)NULL);
    mpfr_const_pi(pi, MPFR_RNDN);
    for (int k = 0; k <= HB_CHEBYSHEV_MOST_DEGREE; k++) {
        mpfr_si_div(c, k == 0 ? 2 : k % 2 == 1 ? 4 : -4, pi, MPFR_RNDN);
        mpfr_div_si(c, c, k == 0 ? 1 : 4 * k * k - 1, MPFR_RNDN);
        r->c[k] = mpfr_get_d(c, MPFR_RNDN);
    }
    mpfr_clears(c, pi, (mpfr_ptr)NULL);
}

/* The function that a polynomial of degree d has to correct: s less the terms up to d. */
typedef struct cut {
    const root *r;
    uint32_t degree;
} cut;

/* s of an angle whose cosine is u: the cosine of half of it. */
static double root_of(hb_angle u)
{
    return u.cosine < 0 ? u.sine / sqrt(2 * (1 - u.cosine)) : sqrt((1 + u.cosine) / 2);
}

static void cut_values(const void *context, uint32_t count, const hb_angle *at, double *g, double *w)
{
    const cut *c = context;
    hb_chebyshev_values(g, c->r->c, 0, c->degree, count, at);
    for (uint32_t i = 0; i < count; i++) {
        g[i] = root_of(at[i]) - g[i];
        w[i] = 1;
    }
}

static hb_status best(hb_minimax *m, const root *r, uint32_t d, double enough)
{
    const cut c = {.r = r, .degree = d};
    const hb_minimax_problem problem = {
        .degree = d, .values = cut_values, .context = &c, .close = 0x1p-10, .enough = enough};
    return hb_minimax_init(m, &problem);
}

/* Sets worst to a bound of |s - sum p_k T_2k(s)| on [0, 1], a polynomial in s of degree 2d there: as
 * hb_chebyshev_bound. Angles of s = (1 + v) / 2 have 2 s^2 - 1 for their cosine; v is a point of the grid. */
static hb_status bound(double *worst, const double *p, uint32_t d)
{
    const uint32_t count = HB_BOUND_LEAST_OVERSAMPLE * 2 * d;
    hb_angle *grid = malloc((count + 1) * sizeof *grid);
    double *value = malloc((count + 1) * sizeof *value), sum = 1, largest = 0;
    hb_status st = HB_OK;
    if (grid == NULL || value == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory to bound a polynomial of degree %u", d);
        goto done;
    }
    hb_angles(grid, count);
    for (uint32_t i = 0; i <= count; i++) {
        const double s = (1 + grid[i].cosine) / 2;
        grid[i] = (hb_angle){2 * s * s - 1, 2 * s * sqrt(1 - s * s)};
    }
    hb_chebyshev_values(value, p, 0, d, count + 1, grid);
    for (uint32_t k = 0; k <= d; k++) {
        sum += fabs(p[k]);
    }
    hb_angles(grid, count);
    for (uint32_t i = 0; i <= count; i++) {
        largest = fmax(largest, fabs((1 + grid[i].cosine) / 2 - value[i]));
    }
    /* Values and their arguments are rounded; between points it is larger by 1.26 / 16^2. */
    const double rounding = (double)(d + 1) * (double)(d + 1) * 0x1p-46 * sum;
    *worst = (largest + rounding) * (1 + 1.26 / (HB_BOUND_LEAST_OVERSAMPLE * HB_BOUND_LEAST_OVERSAMPLE));
done:
    free(grid);
    free(value);
    return st;
}

/* Sets p[0 .. d] to the best approximation of s, and worst to its proven error. */
static hb_status make(double *p, double *worst, const root *r, uint32_t d)
{
    hb_minimax m;
    hb_status st = HB_OK;
    HB_GOTO(best(&m, r, d, 0));
    HB_GOTO(hb_minimax_coefficients(&m, p, d));
    for (uint32_t k = 0; k <= d; k++) {
        p[k] += r->c[k];
    }
    HB_GOTO(bound(worst, p, d));
done:
    hb_minimax_clear(&m);
    return st;
}

/* Sets found to the least degree that seems to do: truncation, 2 / (pi (2d + 1)), does at `to`. */
static hb_status search_degree(uint32_t *found, const root *r)
{
    uint32_t from = 1, to = 1;
    while (to <= HB_CHEBYSHEV_MOST_DEGREE && 0.6367 / (2 * to + 1) > r->allowed) {
        to++;
    }
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        const double enough = r->allowed * (1 / 1.006);
        hb_minimax m;
        const hb_status st = best(&m, r, middle, enough);
        const int yes = st == HB_OK && m.worst <= enough;
        hb_minimax_clear(&m);
        HB_TRY(st);
        from = yes ? from : middle + 1;
        to = yes ? middle : to;
    }
    *found = from;
    return HB_OK;
}

/* The most that substitution adds to an error: values are off by (d + 1)^2 2^-49 of sum |p_k| < 2 (bound.h), so by
 * 2^-28; the interpolant of these by at most 8 times that, 2 / pi ln d + 1 being Lebesgue's constant; other roundings
 * are less. */
#define SUBSTITUTED 0x1p-24

/* Makes of p(u_0), u_0 = 2 x / high - 1, the polynomial of u = (2 x - low - high) / (high - low): u_0 = (1 - s) u +
 * s with s = low / high; of the same degree. By its values at d + 1 points. */
static hb_status substitute(double *p, uint32_t d, double share)
{
    hb_angle *at = malloc((d + 1) * sizeof *at), *moved = malloc((d + 1) * sizeof *moved);
    double *value = malloc((d + 1) * sizeof *value);
    hb_status st = HB_OK;
    if (at == NULL || moved == NULL || value == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", d);
        goto done;
    }
    hb_angles(at, d);
    for (uint32_t j = 0; j <= d; j++) {
        moved[j] = (hb_angle){fmin(at[j].cosine + share * (1 - at[j].cosine), 1), 0}; /* sines are not asked for */
    }
    hb_chebyshev_values(value, p, 0, d, d + 1, moved);
    hb_interpolate(p, d, value, at, d);
done:
    free(at);
    free(moved);
    free(value);
    return st;
}

hb_status hb_approximate_root(hb_chebyshev *p, double *error, const hb_approximation_request *request)
{
    const double length = sqrt(request->high);
    root *r = malloc(sizeof *r);
    double *made = calloc(HB_CHEBYSHEV_MOST_DEGREE + 1, sizeof *made), worst = INFINITY;
    uint32_t d = 0;
    hb_status st = HB_OK;
    if (r == NULL || made == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for an approximation");
        goto done;
    }
    expand(r);
    /* sqrt(high), the products with it, and the error are rounded: 2^-50 of the values. */
    const double lost = request->low > 0 ? SUBSTITUTED : 0x1p-46;
    r->allowed = hb_power_of_two(-request->bits) / length - 2 * lost;
    HB_GOTO(search_degree(&d, r));
    for (; d <= HB_CHEBYSHEV_MOST_DEGREE && worst > r->allowed; d++) {
        HB_GOTO(make(made, &worst, r, d));
    }
    *p = (hb_chebyshev){.degree = 0};
    if (worst <= r->allowed) {
        if (request->low > 0) {
            HB_GOTO(substitute(made, d - 1, request->low / request->high));
        }
        for (uint32_t k = 0; k < d; k++) {
            made[k] *= length;
        }
        *p = (hb_chebyshev){.degree = d - 1, .coefficients = made};
        *error = (worst + lost) * length;
        made = NULL;
    }
done:
    free(r);
    free(made);
    return st;
}
