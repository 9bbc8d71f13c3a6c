/* Drift of signs: against compositions of complex values, whose errors are as large and as bad as they may be. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "approx/approx.h"
#include "approx/drift.h"
#include "unit/unit.h"

/* A sign, and its stages with errors. */
typedef struct sign {
    hb_approximation approximation;
    hb_drift_stage stages[HB_DRIFT_MOST_STAGES];
    double growth; /* seen at operands of the last stage so far */
} sign;

/* Errors of operands: `off` of all but the first. */
static void open_sign(sign *out, double bits, double gap, uint32_t degree, double off)
{
    const hb_approximation_request request = {HB_SIGN, -1, 1, bits, gap};
    hb_approximation *a = &out->approximation;
    out->growth = 0;
    assert_int_equal(hb_approximate_within(a, &request, degree), HB_OK);
    for (uint32_t i = 0; i < a->stages; i++) {
        out->stages[i] = (hb_drift_stage){&a->stage[i], i > 0 ? off : off / 16, i > 0 ? a->margin[i - 1] : 0};
    }
}

static double complex value_of(const hb_chebyshev *p, double complex z)
{
    double complex next = 0, after = 0;
    for (uint32_t k = p->degree; k > 0; k--) {
        const double complex own = p->coefficients[k] + 2 * z * next - after;
        after = next;
        next = own;
    }
    return p->coefficients[0] + z * next - after;
}

/* T_k(z): no polynomial of degree k that is in [-1, 1] there is larger outside of [-1, 1]. */
static double complex term_of(uint32_t k, double complex z)
{
    double complex before = 1, t = z;
    for (uint32_t j = 1; j < k; j++) {
        const double complex next = 2 * z * t - before;
        before = t;
        t = next;
    }
    return t;
}

/* The image of x under the last stage, less the image of the real part of its operand. Each operand gets an error of
 * the largest modulus: along its imaginary part, and further from 0 than it is, or turned by `turned` of it. */
static double drifted(sign *s, double x, double turned)
{
    const uint32_t count = s->approximation.stages;
    double complex z = x, out = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double off = s->stages[i].off, side = cimag(z) < 0 ? -1 : 1;
        z += off * (turned * (i > 0) + I * side * sqrt(1 - turned * turned * (i > 0)));
        z = fmin(fmax(creal(z), -1), 1) + I * cimag(z);
        out = value_of(s->stages[i].polynomial, z);
        if (i + 1 == count) {
            s->growth = fmax(s->growth, cabs(term_of(s->stages[i].polynomial->degree, z)));
            return cabs(out - value_of(s->stages[i].polynomial, creal(z)));
        }
        z = out;
    }
    return 0;
}

static double largest(sign *s, double from, double to)
{
    double most = 0;
    for (int i = 0; i <= 20000; i++) {
        const double x = from + (to - from) * i / 20000;
        for (double turned = -0.9; turned < 1; turned += 0.3) {
            most = fmax(most, drifted(s, x, turned));
        }
    }
    return most;
}

static void bounds_hold_and_are_near(void **state)
{
    (void)state;
    static const struct {
        double bits, gap;
        uint32_t degree;
        double off;
    } cases[] = {{8, 0x1p-4, 63, 0x1p-14},  {12, 0x1p-6, 15, 0x1p-13}, {12, 0x1p-8, 31, 0x1p-14},
                 {18, 0x1p-8, 31, 0x1p-18}, {12, 0x1p-10, 7, 0x1p-17}, {24, 0x1p-6, 63, 0x1p-30}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sign s;
        open_sign(&s, cases[i].bits, cases[i].gap, cases[i].degree, cases[i].off);
        const hb_drift bound = hb_drift_of(s.stages, s.approximation.stages, cases[i].gap);
        assert_true(bound.kept);
        const double beside = largest(&s, cases[i].gap, 1), within = largest(&s, 0, cases[i].gap);
        assert_true(beside <= bound.beside && bound.beside <= 3 * beside);
        assert_true(within <= bound.within && bound.within <= 3 * within);
        assert_true(s.growth > 0 && s.growth <= bound.growth && bound.growth <= 3 * fmax(s.growth, 1));
        hb_approximation_clear(&s.approximation);
    }
}

/* Twice the errors are at least twice the drift, and none without errors. */
static void drift_follows_errors(void **state)
{
    (void)state;
    sign s, twice, none;
    open_sign(&s, 12, 0x1p-8, 31, 0x1p-18);
    open_sign(&twice, 12, 0x1p-8, 31, 0x1p-17);
    open_sign(&none, 12, 0x1p-8, 31, 0);
    const hb_drift small = hb_drift_of(s.stages, s.approximation.stages, 0x1p-8),
                   large = hb_drift_of(twice.stages, s.approximation.stages, 0x1p-8),
                   zero = hb_drift_of(none.stages, s.approximation.stages, 0x1p-8);
    assert_true(small.kept && large.kept && zero.kept && zero.beside == 0 && zero.within == 0);
    assert_true(zero.growth < 1 + 0x1p-20 && small.growth > 1 && small.growth < large.growth);
    assert_true(large.beside >= 1.5 * small.beside && large.beside <= 2.6 * small.beside);
    hb_approximation_clear(&s.approximation);
    hb_approximation_clear(&twice.approximation);
    hb_approximation_clear(&none.approximation);
}

/* A margin is exceeded where an error is larger, or the part that an imaginary part adds to it. */
static void margins_are_looked_at(void **state)
{
    (void)state;
    sign s;
    open_sign(&s, 12, 0x1p-8, 31, 0x1p-14);
    assert_true(hb_drift_of(s.stages, s.approximation.stages, 0x1p-8).kept);
    s.stages[1].off = s.stages[1].margin * 1.01;
    assert_false(hb_drift_of(s.stages, s.approximation.stages, 0x1p-8).kept);
    s.stages[1].off = 0x1p-14;
    s.stages[0].off = 0x1p-8; /* squared, and times the curvature of the first stage */
    assert_false(hb_drift_of(s.stages, s.approximation.stages, 0x1p-8).kept);
    hb_approximation_clear(&s.approximation);
}

HB_UNIT(drift)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_and_are_near),
                                       cmocka_unit_test(drift_follows_errors), cmocka_unit_test(margins_are_looked_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
