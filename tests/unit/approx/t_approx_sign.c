/* The sign as a composition: its error against MPFR, its margins, least depths. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "approx/found.h"
#include "approx/odd.h"
#include "base/bits.h"
#include "reference/mpfr_functions.h"
#include "unit/unit.h"

/* Stages of a composition at x / end; each result but the last is moved by `off` times its margin, and must be in
 * [-1, 1]. */
static double composed(const hb_approximation *a, double x, double off)
{
    mpfr_t u, p;
    mpfr_inits2(MPFR_TEST_BITS, u, p, (mpfr_ptr)NULL);
    mpfr_set_d(u, x, MPFR_RNDN);
    mpfr_div_d(u, u, a->high, MPFR_RNDN);
    for (uint32_t i = 0; i < a->stages; i++) {
        assert_true(mpfr_cmpabs_ui(u, 1) <= 0);
        mpfr_test_chebyshev(p, &a->stage[i], u);
        mpfr_set_d(u, a->margin[i], MPFR_RNDN);
        mpfr_mul_d(u, u, off, MPFR_RNDN);
        mpfr_add(u, u, p, MPFR_RNDN);
    }
    const double out = mpfr_get_d(u, MPFR_RNDA);
    mpfr_clears(u, p, (mpfr_ptr)NULL);
    return out;
}

static const hb_approximation_request requests[] = {
    {HB_SIGN, -1, 1, 8, 0x1p-4}, {HB_SIGN, -1, 1, 20, 0x1p-7},  {HB_SIGN, -3, 5, 12, 0.01},
    {HB_SIGN, 0, 1e6, 16, 1},    {HB_SIGN, -1, 1, 30, 0x1p-10}, {HB_SIGN, -1, 1, 4, 0.9},
    {HB_SIGN, -1, 1, 40, 0.999}, {HB_SIGN, -1, 1, 45, 0.25},
};

static void errors_are_never_above_those_stated(void **state)
{
    (void)state;
    static const double offs[] = {0, 1, -1, 0.6};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        hb_approximation a;
        assert_int_equal(hb_approximate(&a, &requests[i]), HB_OK);
        const double end = fmax(fabs(requests[i].low), fabs(requests[i].high)), gap = requests[i].gap;
        assert_true(a.low == -end && a.high == end && a.gap == gap && a.error <= exp2(-requests[i].bits));
        double seen = 0;
        for (int j = 0; j <= 300; j++) {
            /* Outside of the gap, evenly by magnitude: from the gap to the end. */
            const double x = j == 300 ? end : gap * pow(end / gap, j / 300.0);
            for (size_t o = 0; o < sizeof offs / sizeof *offs; o++) {
                const double at = composed(&a, x, offs[o]);
                seen = fmax(seen, fabs(at - 1));
                assert_true(fabs(at - 1) <= a.error);
                assert_true(composed(&a, -x, -offs[o]) == -at);
                assert_true(fabs(composed(&a, gap * j / 300, offs[o])) <= 1 + a.error + 0x1p-18);
            }
        }
        assert_true(a.error < 0x1p-44 ||
                    seen > a.error / 2); /* nor is it a bound far above; below, coefficients are coarse */
        hb_approximation_clear(&a);
    }
}

/* x times the sign, at the corner: composed() takes stages to both ends of their margins, x goes over all of the
 * corner, and the sign's operand is off by as much as it may be. */
static void corners_are_as_blunt_as_stated(void **state)
{
    (void)state;
    static const double offs[] = {0, 1, -1};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        hb_approximation a;
        assert_int_equal(hb_approximate(&a, &requests[i]), HB_OK);
        const double off = a.gap * HB_APPROXIMATION_CORNER_OFF, most = fmin(a.gap + off, a.high);
        double seen = 0;
        for (int j = 0; j <= 300; j++) {
            const double x = most * j / 300;
            for (size_t o = 0; o < sizeof offs / sizeof *offs; o++) {
                for (size_t e = 0; e < sizeof offs / sizeof *offs; e++) {
                    const double y = fmin(x + offs[e] * off, a.high);
                    seen = fmax(seen, x * fabs(composed(&a, y, offs[o]) - 1));
                }
            }
        }
        assert_true(seen <= a.corner && a.corner <= seen * 1.1);
        hb_approximation_clear(&a);
    }
}

/* p = x (c_1 - c_3 x^2) on [e, 1] levelled at e, its extremum and 1. */
static void one_stage_of_degree_3_is_the_best(void **state)
{
    (void)state;
    hb_approximation a;
    const hb_approximation_request request = {HB_SIGN, -1, 1, 3, 0.5};
    assert_int_equal(hb_approximate(&a, &request), HB_OK);
    assert_true(a.stages == 1 && a.stage[0].degree == 3);
    /* p(e) = p(1): c_1 = c_3 (1 + e + e^2); extremum 2/3 c_1 sqrt(c_1 / (3 c_3)) above 1 as much as p(1) is below. */
    const double e = 0.5, s = 1 + e + e * e, top = 2.0 / 3 * s * sqrt(s / 3), bottom = s - 1;
    const double error = (top - bottom) / (top + bottom);
    assert_true(fabs(a.error / error - 1) < 0.01);
    hb_approximation_clear(&a);
}

/* The least error of any composition of so many levels, each stage of the largest degree that its levels allow, after
 * the stages that gave `from`. */
static double best_error(double from, uint32_t levels)
{
    double best = 1;
    for (uint32_t stage = 2; stage <= levels && stage <= 6; stage++) {
        hb_odd_image image;
        assert_int_equal(hb_odd_estimate(&image, from, (1u << stage) - 1), HB_OK);
        const double after =
            stage == levels ? image.error : best_error(fmin(image.from, HB_ODD_MOST_FROM), levels - stage);
        best = fmin(best, after);
    }
    return best;
}

/* Against all compositions, one by one. */
static void no_fewer_levels_do(void **state)
{
    (void)state;
    for (uint32_t i = 2; i <= 8; i++) {
        const double bits = 3 * i % 11 + 3, gap = exp2(-(double)i);
        hb_approximation found;
        const hb_approximation_request request = {HB_SIGN, -1, 1, bits, gap};
        assert_int_equal(hb_approximate(&found, &request), HB_OK);
        const uint32_t depth = hb_approximation_depth(&found);
        assert_true(best_error(gap, depth) <= exp2(-bits) && best_error(gap, depth - 1) > exp2(-bits));
        hb_approximation_clear(&found);
    }
}

static void narrower_gaps_and_more_bits_never_take_fewer_levels(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        uint32_t depth = 0;
        for (int i = 1; i <= 18; i++) {
            hb_approximation a;
            const hb_approximation_request request = {HB_SIGN, -1, 1, way == 0 ? 12 : 2 * i, exp2(way == 0 ? -i : -6)};
            assert_int_equal(hb_approximate(&a, &request), HB_OK);
            uint32_t sum = 0;
            for (uint32_t k = 0; k < a.stages; k++) {
                sum += hb_bit_length(a.stage[k].degree);
            }
            assert_int_equal(hb_approximation_depth(&a), sum);
            assert_true(sum >= depth);
            depth = sum;
            hb_approximation_clear(&a);
        }
    }
}

static void refused(double low, double high, double bits, double gap, hb_status with)
{
    hb_approximation a;
    const hb_approximation_request request = {HB_SIGN, low, high, bits, gap};
    assert_int_equal(hb_approximate(&a, &request), with);
    assert_true(strncmp(hb_last_error()->text, "sign ", 5) == 0);
    assert_true(a.stage == NULL && a.margin == NULL && a.stages == 0);
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    refused(-1, 1, 16, 0, HB_EUSAGE);
    refused(-1, 1, 16, 1, HB_EUSAGE);
    refused(-1, 1, 16, NAN, HB_EUSAGE);
    refused(-1, 1, 16, 0x1p-21, HB_ECONFIG);
}

static void assert_same(const hb_approximation *a, const hb_approximation *b)
{
    assert_int_equal(a->stages, b->stages);
    assert_true(a->low == b->low && a->high == b->high && a->gap == b->gap && a->error == b->error);
    assert_memory_equal(a->margin, b->margin, a->stages * sizeof *a->margin);
    for (uint32_t i = 0; i < a->stages; i++) {
        assert_int_equal(a->stage[i].degree, b->stage[i].degree);
        assert_memory_equal(a->stage[i].coefficients, b->stage[i].coefficients,
                            (a->stage[i].degree + 1) * sizeof *a->stage[i].coefficients);
    }
}

/* Everyone who asks for an approximation that was found before gets a copy of its own. Refusals are the same. */
static void what_was_found_is_found_again(void **state)
{
    (void)state;
    hb_approximations *found;
    const hb_approximation_request wanted[] = {
        {HB_SIGN, -2, 2, 12, 0.125}, {HB_SIGN, -2, 2, 13, 0.125}, {HB_SIGN, -2, 2, 12, 0.25}};
    assert_int_equal(hb_approximations_open(&found), HB_OK);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            for (uint32_t most = 7; most <= 63; most += 56) {
                hb_approximation kept, anew;
                assert_int_equal(hb_approximations_find(found, &kept, &wanted[i], most), HB_OK);
                assert_int_equal(hb_approximations_find(NULL, &anew, &wanted[i], most), HB_OK);
                assert_same(&kept, &anew);
                kept.stage[0].coefficients[1] = 7; /* it is not shared */
                hb_approximation_clear(&kept);
                hb_approximation_clear(&anew);
            }
        }
        hb_approximation none;
        assert_int_equal(hb_approximations_find(found, &none, &(hb_approximation_request){HB_SQRT, -1, 1, 8, 0}, 63),
                         HB_EDATA);
    }
    hb_approximations_close(found);
    hb_approximations_close(NULL);
}

HB_UNIT(approx_sign)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_never_above_those_stated),
        cmocka_unit_test(corners_are_as_blunt_as_stated),
        cmocka_unit_test(one_stage_of_degree_3_is_the_best),
        cmocka_unit_test(no_fewer_levels_do),
        cmocka_unit_test(narrower_gaps_and_more_bits_never_take_fewer_levels),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(what_was_found_is_found_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
