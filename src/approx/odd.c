#include "odd.h"

#include <math.h>
#include <stdlib.h>

#include "approx.h"
#include "bound.h"
#include "minimax.h"

/* Bits in which the system for coefficients is solved: T_k grows to (4 / length)^(k / 2) on the way from the interval
 * of t to 0, 2^527 at most. */
#define SOLVE_PRECISION 768
/* Results of scaled stages are in [-1, 1] by this share, which a bound on a grid may be too large by. */
#define ROOM HB_APPROXIMATION_GAP_EXCESS
#define ROOM_OVERSAMPLE 1024 /* 1.26 / 1024^2 < ROOM */

/* p = x q(x^2) is near 1 where q(t) is near 1 / sqrt t with the weight sqrt t: t in [from^2, 1] is a best
 * approximation by polynomials as any. The interval is that of t. */
static double point_of(double from, hb_angle at)
{
    /* 1 + cosine, without a difference of near numbers */
    const double above = at.cosine < 0 ? at.sine * at.sine / (1 - at.cosine) : 1 + at.cosine;
    return fmin(sqrt(from * from + (1 - from * from) / 2 * above), 1);
}

static void odd_values(const void *context, uint32_t count, const hb_angle *at, double *g, double *w)
{
    for (uint32_t i = 0; i < count; i++) {
        w[i] = point_of(*(const double *)context, at[i]);
        g[i] = 1 / w[i];
    }
}

static hb_status best(hb_minimax *m, const double *from, uint32_t degree)
{
    const hb_minimax_problem problem = {
        .degree = (degree - 1) / 2, .values = odd_values, .context = from, .close = 0x1p-30};
    return hb_minimax_init(m, &problem);
}

/* The factor that takes [1 - error, 1 + error] to [?, 1 - margin]. */
static double scale_of(double error, double margin)
{
    return (1 - margin) * (1 - ROOM) / (1 + error);
}

/* A 64th of the least result, at most 2^-10. */
static double margin_of(double error)
{
    return fmin((1 - error) / (1 + error) / 64, 0x1p-10);
}

/* So fine that an error below 1 is overestimated by at most a 256th of its distance to 1. For an error of 1 or more the
 * degree is too small for the interval, and a finer grid would not help. */
static uint32_t oversample_for(double error)
{
    return HB_BOUND_LEAST_OVERSAMPLE + (error < 1 ? (uint32_t)sqrt(323 / (1 - error)) : 0);
}

hb_status hb_odd_estimate(hb_odd_image *image, double from, uint32_t degree)
{
    hb_minimax m;
    const hb_status st = best(&m, &from, degree);
    if (st == HB_OK) {
        const double worst = m.worst + 0x1p-50 * degree, oversample = oversample_for(worst);
        const double error = worst * (1 + 1.27 / (oversample * oversample) + 0x1p-20), margin = margin_of(error);
        *image =
            (hb_odd_image){.error = error, .margin = margin, .from = scale_of(error, margin) * (1 - error) - margin};
    }
    hb_minimax_clear(&m);
    return st;
}

/* A square system of linear equations and its right side, row by row. */
typedef struct equations {
    uint32_t size;
    mpfr_t *cell; /* [size][size + 1] */
} equations;

static mpfr_t *cell(const equations *e, uint32_t row, uint32_t column)
{
    return &e->cell[row * (e->size + 1) + column];
}

/* Gauss's elimination, with the largest pivot of each column. The solution comes to stand in the last column. */
static void solve(const equations *e)
{
    mpfr_t factor, product;
    mpfr_inits2(SOLVE_PRECISION, factor, product, (mpfr_ptr)NULL);
    for (uint32_t column = 0; column < e->size; column++) {
        uint32_t pivot = column;
        for (uint32_t row = column + 1; row < e->size; row++) {
            pivot = mpfr_cmpabs(*cell(e, row, column), *cell(e, pivot, column)) > 0 ? row : pivot;
        }
        for (uint32_t k = column; k <= e->size; k++) {
            mpfr_swap(*cell(e, column, k), *cell(e, pivot, k));
        }
        for (uint32_t row = 0; row < e->size; row++) {
            if (row != column) {
                mpfr_div(factor, *cell(e, row, column), *cell(e, column, column), MPFR_RNDN);
                for (uint32_t k = column; k <= e->size; k++) {
                    mpfr_mul(product, factor, *cell(e, column, k), MPFR_RNDN);
                    mpfr_sub(*cell(e, row, k), *cell(e, row, k), product, MPFR_RNDN);
                }
            }
        }
    }
    for (uint32_t row = 0; row < e->size; row++) {
        mpfr_div(*cell(e, row, e->size), *cell(e, row, e->size), *cell(e, row, row), MPFR_RNDN);
    }
    mpfr_clears(factor, product, (mpfr_ptr)NULL);
}

/* Row j: sum of c_(2i+1) T_(2i+1)(x_j) + (-1)^j h = 1. */
static void set_row(const equations *e, uint32_t j, double point)
{
    mpfr_t x, before, here, next;
    mpfr_inits2(SOLVE_PRECISION, x, before, here, next, (mpfr_ptr)NULL);
    mpfr_set_d(x, point, MPFR_RNDN);
    mpfr_set_ui(before, 1, MPFR_RNDN);
    mpfr_set(here, x, MPFR_RNDN);
    for (uint32_t k = 1; k < 2 * (e->size - 1); k++) { /* here = T_k */
        if (k % 2 == 1) {
            mpfr_set(*cell(e, j, k / 2), here, MPFR_RNDN);
        }
        mpfr_mul(next, x, here, MPFR_RNDN);
        mpfr_mul_2ui(next, next, 1, MPFR_RNDN);
        mpfr_sub(next, next, before, MPFR_RNDN);
        mpfr_swap(before, here);
        mpfr_swap(here, next);
    }
    mpfr_set_si(*cell(e, j, e->size - 1), j % 2 == 0 ? 1 : -1, MPFR_RNDN);
    mpfr_set_ui(*cell(e, j, e->size), 1, MPFR_RNDN);
    mpfr_clears(x, before, here, next, (mpfr_ptr)NULL);
}

/* Sets c[0 .. degree] to the polynomial levelled at the points that were found, times scale, rounded. */
static hb_status solve_levelled(double *c, uint32_t degree, const hb_minimax *m, double from, double scale)
{
    const uint32_t size = m->points;
    equations e = {.size = size};
    HB_TRY(hb_numbers_open(&e.cell, size * (size + 1)));
    for (uint32_t i = 0; i < size * (size + 1); i++) {
        mpfr_set_prec(e.cell[i], SOLVE_PRECISION);
    }
    for (uint32_t j = 0; j < size; j++) {
        set_row(&e, j, point_of(from, m->at[j]));
    }
    solve(&e);
    for (uint32_t k = 0; k <= degree; k++) {
        mpfr_t *coefficient = cell(&e, k / 2, size);
        mpfr_mul_d(*coefficient, *coefficient, k % 2 == 1 ? scale : 1, MPFR_RNDN);
        c[k] = k % 2 == 1 ? mpfr_get_d(*coefficient, MPFR_RNDN) : 0;
    }
    hb_numbers_close(e.cell, size * (size + 1));
    return HB_OK;
}

/* Sets y to sum c_k T_k(x) - centre. */
static void evaluate(mpfr_t y, const double *c, uint32_t degree, const mpfr_t x, double centre)
{
    mpfr_t next, before;
    mpfr_inits2(SOLVE_PRECISION, next, before, (mpfr_ptr)NULL);
    mpfr_set_zero(next, 1);
    mpfr_set_zero(y, 1);
    for (uint32_t k = degree; k >= 1; k--) {
        mpfr_mul(before, x, y, MPFR_RNDN);
        mpfr_mul_2ui(before, before, 1, MPFR_RNDN);
        mpfr_sub(before, before, next, MPFR_RNDN);
        mpfr_add_d(before, before, c[k], MPFR_RNDN);
        mpfr_swap(next, y);
        mpfr_swap(y, before);
    }
    mpfr_mul(y, y, x, MPFR_RNDN);
    mpfr_sub(y, y, next, MPFR_RNDN);
    mpfr_add_d(y, y, c[0], MPFR_RNDN);
    mpfr_sub_d(y, y, centre, MPFR_RNDN);
    mpfr_clears(next, before, (mpfr_ptr)NULL);
}

/* Sets cosine[j] to that of pi j / n, j < 2 n, and value[j], j <= n, to p - centre at the point of [from, 1] with
 * it. */
static void sample(mpfr_t *cosine, mpfr_t *value, const hb_chebyshev *p, double from, double centre)
{
    const uint32_t n = p->degree;
    mpfr_t x, half;
    mpfr_inits2(SOLVE_PRECISION, x, half, (mpfr_ptr)NULL);
    mpfr_set_ui(half, 1, MPFR_RNDN);
    mpfr_sub_d(half, half, from, MPFR_RNDN);
    mpfr_div_2ui(half, half, 1, MPFR_RNDN);
    for (uint32_t j = 0; j < 2 * n; j++) {
        mpfr_set_prec(cosine[j], SOLVE_PRECISION);
        mpfr_const_pi(x, MPFR_RNDN);
        mpfr_mul_ui(x, x, j, MPFR_RNDN);
        mpfr_div_ui(x, x, n, MPFR_RNDN);
        mpfr_cos(cosine[j], x, MPFR_RNDN);
        if (j <= n) {
            mpfr_add_ui(x, cosine[j], 1, MPFR_RNDN);
            mpfr_mul(x, x, half, MPFR_RNDN);
            mpfr_add_d(x, x, from, MPFR_RNDN);
            mpfr_set_prec(value[j], SOLVE_PRECISION);
            evaluate(value[j], p->coefficients, n, x, centre);
        }
    }
    mpfr_clears(x, half, (mpfr_ptr)NULL);
}

/* Sets rest to p - centre on [from, 1], as a polynomial on [-1, 1]: by interpolation at degree + 1 points. */
static hb_status expand_on(double *rest, const hb_chebyshev *p, double from, double centre)
{
    const uint32_t n = p->degree;
    mpfr_t *cosine = NULL, *value = NULL, sum, product;
    mpfr_inits2(SOLVE_PRECISION, sum, product, (mpfr_ptr)NULL);
    hb_status st = HB_OK;
    HB_GOTO(hb_numbers_open(&cosine, 2 * n));
    HB_GOTO(hb_numbers_open(&value, n + 1));
    sample(cosine, value, p, from, centre);
    for (uint32_t k = 0; k <= n; k++) {
        mpfr_set_zero(sum, 1);
        for (uint32_t j = 0, turn = 0; j <= n; j++, turn += turn + k < 2 * n ? k : k - 2 * n) { /* j k mod 2n */
            mpfr_mul(product, value[j], cosine[turn], MPFR_RNDN);
            mpfr_div_2ui(product, product, j == 0 || j == n, MPFR_RNDN);
            mpfr_add(sum, sum, product, MPFR_RNDN);
        }
        mpfr_mul_2ui(sum, sum, k != 0 && k != n, MPFR_RNDN);
        mpfr_div_ui(sum, sum, n, MPFR_RNDN);
        rest[k] = mpfr_get_d(sum, MPFR_RNDN);
    }
done:
    hb_numbers_close(cosine, 2 * n);
    hb_numbers_close(value, n + 1);
    mpfr_clears(sum, product, (mpfr_ptr)NULL);
    return st;
}

hb_status hb_odd_make(hb_chebyshev *p, hb_odd_image *image, double from, uint32_t degree, bool last)
{
    HB_ASSERT(degree % 2 == 1 && degree >= 3 && degree <= HB_ODD_MOST_DEGREE && from > 0 && from <= HB_ODD_MOST_FROM);
    double *c = malloc((degree + 1) * sizeof *c), rest[HB_ODD_MOST_DEGREE + 1], error, everywhere;
    hb_minimax m = {0};
    hb_status st = HB_OK;
    hb_odd_image estimate;
    if (c == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for a polynomial of degree %u", degree);
        goto done;
    }
    HB_GOTO(hb_odd_estimate(&estimate, from, degree));
    HB_GOTO(best(&m, &from, degree));
    const double scale = last ? 1 : scale_of(estimate.error, estimate.margin);
    HB_GOTO(solve_levelled(c, degree, &m, from, scale));
    const hb_chebyshev made = {.degree = degree, .coefficients = c};
    HB_GOTO(expand_on(rest, &made, from, scale));
    HB_GOTO(hb_chebyshev_bound(&error, rest, degree, oversample_for(m.worst)));
    HB_GOTO(hb_chebyshev_bound(&everywhere, c, degree, ROOM_OVERSAMPLE));
    const double margin = last ? 0 : estimate.margin;
    if (everywhere > 1 - margin && !(last && everywhere <= 1 + error + ROOM)) {
        st = HB_FAIL(HB_EINTERNAL, "a polynomial of degree %u near 1 from %g on reaches %.17g", degree, from,
                     everywhere);
        goto done;
    }
    *image = (hb_odd_image){.error = error, .margin = margin, .from = scale - error - margin};
    *p = made;
    c = NULL;
done:
    free(c);
    hb_minimax_clear(&m);
    return st;
}
