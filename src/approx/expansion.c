#include "expansion.h"

#include <math.h>
#include <stdlib.h>

#include "numbers.h"

/* For bounds, which need no more. */
#define BOUND_PRECISION 64

/* Sets worst to 4 M rho^-degree / (rho - 1), rounded up, or returns false. */
static bool ellipse_error(mpfr_t worst, const hb_approximation_request *r, uint32_t degree, double rho)
{
    if (!hb_function_ellipse(r->function, worst, r->low, r->high, rho)) {
        return false;
    }
    mpfr_t power, rest;
    mpfr_inits2(BOUND_PRECISION, power, rest, (mpfr_ptr)NULL);
    mpfr_set_d(power, rho, MPFR_RNDN);
    mpfr_sub_ui(rest, power, 1, MPFR_RNDD);
    mpfr_pow_ui(power, power, degree, MPFR_RNDD);
    mpfr_mul(power, power, rest, MPFR_RNDD);
    mpfr_mul_2ui(worst, worst, 2, MPFR_RNDU);
    mpfr_div(worst, worst, power, MPFR_RNDU);
    mpfr_clears(power, rest, (mpfr_ptr)NULL);
    return true;
}

/* Sets best to the least error among ellipses with rho - 1 = 2^-24, growing by 2^(1/8) up to 2^24: a rho between two
 * of them would not gain a tenth. */
static bool best_error(mpfr_t best, const hb_approximation_request *r, uint32_t degree)
{
    mpfr_t worst;
    mpfr_init2(worst, BOUND_PRECISION);
    bool found = false;
    double excess = 0x1p-24;
    for (int i = 0; i < 48 * 8; i++) {
        if (!ellipse_error(worst, r, degree, 1 + excess)) {
            break; /* larger ones hold a singularity too */
        }
        if (!found || mpfr_less_p(worst, best)) {
            mpfr_set(best, worst, MPFR_RNDU);
        }
        found = true;
        excess *= 0x1.172b83c7d517bp+0; /* 2^(1/8), nearly */
    }
    mpfr_clear(worst);
    return found;
}

/* -log2 of a number, rounded down. */
static double bits_of(const mpfr_t number)
{
    mpfr_t bits;
    mpfr_init2(bits, BOUND_PRECISION);
    mpfr_log2(bits, number, MPFR_RNDU);
    mpfr_neg(bits, bits, MPFR_RNDD);
    const double out = mpfr_get_d(bits, MPFR_RNDD);
    mpfr_clear(bits);
    return out;
}

double hb_expansion_bits(hb_function f, double low, double high, uint32_t degree)
{
    const hb_approximation_request r = {.function = f, .low = low, .high = high};
    mpfr_t best;
    mpfr_init2(best, BOUND_PRECISION);
    const double bits = best_error(best, &r, degree) ? bits_of(best) : -INFINITY;
    mpfr_clear(best);
    return bits;
}

/* Numbers of a transform: values and roots of unity, exp(i pi j / n), j < n. */
typedef struct transform {
    uint32_t n;
    mpfr_t *re, *im;            /* [2 n] */
    mpfr_t *cosine, *sine;      /* [n + 1] */
    mpfr_t product, a_re, a_im; /* of a butterfly */
} transform;

static void roots_init(transform *t)
{
    const uint32_t n = t->n;
    mpfr_t angle;
    mpfr_init2(angle, HB_APPROX_PRECISION + 16);
    for (uint32_t j = 0; j <= n / 2; j++) {
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul_ui(angle, angle, j, MPFR_RNDN);
        mpfr_div_ui(angle, angle, n, MPFR_RNDN);
        mpfr_sin_cos(t->sine[j], t->cosine[j], angle, MPFR_RNDN);
        if (2 * j == n) {
            mpfr_set_zero(t->cosine[j], 1);
        }
        mpfr_neg(t->cosine[n - j], t->cosine[j], MPFR_RNDN);
        mpfr_set(t->sine[n - j], t->sine[j], MPFR_RNDN);
    }
    if (n >= 2) {
        mpfr_set_zero(t->cosine[n / 2], 1);
    }
    mpfr_clear(angle);
}

static void transform_close(transform *t)
{
    hb_numbers_close(t->re, 2 * t->n);
    hb_numbers_close(t->im, 2 * t->n);
    hb_numbers_close(t->cosine, t->n + 1);
    hb_numbers_close(t->sine, t->n + 1);
    mpfr_clears(t->product, t->a_re, t->a_im, (mpfr_ptr)NULL);
}

static hb_status transform_open(transform *t, uint32_t n)
{
    *t = (transform){.n = n};
    mpfr_inits2(HB_APPROX_PRECISION, t->product, t->a_re, t->a_im, (mpfr_ptr)NULL);
    hb_status st = HB_OK;
    HB_GOTO(hb_numbers_open(&t->re, 2 * n));
    HB_GOTO(hb_numbers_open(&t->im, 2 * n));
    HB_GOTO(hb_numbers_open(&t->cosine, n + 1));
    HB_GOTO(hb_numbers_open(&t->sine, n + 1));
    roots_init(t);
done:
    if (st != HB_OK) {
        transform_close(t);
    }
    return st;
}

/* (x, y) -> (x + y, (x - y) w). */
static void butterfly(transform *t, uint32_t x, uint32_t y, uint32_t root)
{
    mpfr_sub(t->a_re, t->re[x], t->re[y], MPFR_RNDN);
    mpfr_sub(t->a_im, t->im[x], t->im[y], MPFR_RNDN);
    mpfr_add(t->re[x], t->re[x], t->re[y], MPFR_RNDN);
    mpfr_add(t->im[x], t->im[x], t->im[y], MPFR_RNDN);
    mpfr_mul(t->re[y], t->a_re, t->cosine[root], MPFR_RNDN);
    mpfr_mul(t->product, t->a_im, t->sine[root], MPFR_RNDN);
    mpfr_sub(t->re[y], t->re[y], t->product, MPFR_RNDN);
    mpfr_mul(t->im[y], t->a_im, t->cosine[root], MPFR_RNDN);
    mpfr_mul(t->product, t->a_re, t->sine[root], MPFR_RNDN);
    mpfr_add(t->im[y], t->im[y], t->product, MPFR_RNDN);
}

/* The transform of 2n numbers, decimated in frequency: results are in bit-reversed order. */
static void transform_run(transform *t)
{
    for (uint32_t half = t->n, step = 1; half >= 1; half /= 2, step *= 2) {
        for (uint32_t start = 0; start < 2 * t->n; start += 2 * half) {
            for (uint32_t j = 0; j < half; j++) {
                butterfly(t, start + j, start + j + half, j * step);
            }
        }
    }
}

/* Sets re[j] and re[2n - j] to f at the point cos(pi j / n). Returns in `largest` an upper bound of the values. */
static void values_at_points(transform *t, const hb_approximation_request *r, mpfr_t largest)
{
    const uint32_t n = t->n;
    mpfr_t centre, half, x;
    mpfr_inits2(HB_APPROX_PRECISION, centre, half, x, (mpfr_ptr)NULL);
    mpfr_set_d(centre, r->low, MPFR_RNDN);
    mpfr_add_d(centre, centre, r->high, MPFR_RNDN);
    mpfr_div_2ui(centre, centre, 1, MPFR_RNDN);
    mpfr_set_d(half, r->high, MPFR_RNDN);
    mpfr_sub_d(half, half, r->low, MPFR_RNDN);
    mpfr_div_2ui(half, half, 1, MPFR_RNDN);
    mpfr_set_zero(largest, 1);
    for (uint32_t j = 0; j <= n; j++) {
        mpfr_mul(x, half, t->cosine[j], MPFR_RNDN);
        mpfr_add(x, x, centre, MPFR_RNDN);
        hb_function_value(r->function, t->re[j], x);
        if (mpfr_cmpabs(t->re[j], largest) > 0) {
            mpfr_abs(largest, t->re[j], MPFR_RNDU);
        }
        if (j != 0 && j != n) {
            mpfr_set(t->re[2 * n - j], t->re[j], MPFR_RNDN);
        }
    }
    mpfr_clears(centre, half, x, (mpfr_ptr)NULL);
}

/* Adds to error the bound of rounding errors in the sum of c_k T_k. A point is off by at most 8 2^-p X, X the larger
 * magnitude of the interval's ends, so a value V by 2^-p (256 V + 8 X slope); of the transform's 2n inputs each result
 * is the sum, every one of whose log2(2n) <= 16 butterflies adds 8 2^-p of the largest possible number, 2n V, to it; a
 * coefficient is 1/n of a result, and there are n + 1 of them. So 2^-p (n + 1) (512 V + 16 X slope) for the inputs,
 * and, 2 * 16 * 8 being 256, 2^-p (n + 1) 256 V for the transform. */
static void add_rounding(mpfr_t error, const hb_approximation_request *r, uint32_t n, const mpfr_t largest)
{
    mpfr_t bound;
    mpfr_init2(bound, BOUND_PRECISION);
    hb_function_slope(r->function, bound, r->low, r->high);
    mpfr_mul_d(bound, bound, fmax(fabs(r->low), fabs(r->high)), MPFR_RNDU);
    mpfr_add(bound, bound, largest, MPFR_RNDU);
    mpfr_mul_ui(bound, bound, 1024, MPFR_RNDU);
    mpfr_mul_ui(bound, bound, n + 1, MPFR_RNDU);
    mpfr_div_2ui(bound, bound, HB_APPROX_PRECISION, MPFR_RNDU);
    mpfr_add(error, error, bound, MPFR_RNDU);
    mpfr_clear(bound);
}

static uint32_t reversed(uint32_t i, uint32_t size)
{
    uint32_t out = 0;
    for (uint32_t rest = size; rest > 1; rest /= 2) {
        out = out << 1 | (i & 1);
        i >>= 1;
    }
    return out;
}

/* c_k = 2/n sum'' f(x_j) cos(pi j k / n), halved at k = 0 and n: 1/n times the transform of the values and their
 * mirror. */
static hb_status interpolate(hb_expansion *e, const hb_approximation_request *r)
{
    const uint32_t n = e->degree;
    transform t;
    HB_TRY(transform_open(&t, n));
    mpfr_t largest;
    mpfr_init2(largest, BOUND_PRECISION);
    values_at_points(&t, r, largest);
    transform_run(&t);
    for (uint32_t k = 0; k <= n; k++) {
        mpfr_div_ui(e->c[k], t.re[reversed(k, 2 * n)], n, MPFR_RNDN);
        if (k == 0 || k == n) {
            mpfr_div_2ui(e->c[k], e->c[k], 1, MPFR_RNDN);
        }
    }
    add_rounding(e->error, r, n, largest);
    mpfr_clear(largest);
    transform_close(&t);
    return HB_OK;
}

hb_status hb_expansion_init(hb_expansion *e, hb_function f, double low, double high, double bits)
{
    const hb_approximation_request r = {.function = f, .low = low, .high = high};
    *e = (hb_expansion){.degree = 16};
    mpfr_init2(e->error, HB_APPROX_PRECISION);
    while (hb_expansion_bits(f, low, high, e->degree) < bits) {
        e->degree *= 2;
        if (e->degree > HB_EXPANSION_MOST_DEGREE) {
            return HB_FAIL(HB_ECONFIG, "%s on %g .. %g: more than %d coefficients", hb_function_name(f), low, high,
                           HB_EXPANSION_MOST_DEGREE);
        }
    }
    best_error(e->error, &r, e->degree);
    HB_TRY(hb_numbers_open(&e->c, e->degree + 1));
    return interpolate(e, &r);
}

void hb_expansion_clear(hb_expansion *e)
{
    if (e->degree != 0) {
        hb_numbers_close(e->c, e->degree + 1);
        mpfr_clear(e->error);
    }
    *e = (hb_expansion){0};
}
