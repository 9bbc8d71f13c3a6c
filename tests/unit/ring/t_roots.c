/* Roots of unity: every high part is the nearest double, and the low part the double nearest to the remainder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpfr.h>

#include "cpu/engine.h"
#include "reference/slots.h"
#include "ring/roots.h"
#include "unit/unit.h"

/* All roots of all rings are among those of the largest order. Roots of the first octant are compared with MPFR, which
 * rounds correctly. */
static void test_nearest(void **state)
{
    (void)state;
    hb_roots roots;
    mpfr_t angle, pi, c, s;
    mpfr_inits2(300, angle, pi, c, s, (mpfr_ptr)NULL);
    mpfr_const_pi(pi, MPFR_RNDN);
    assert_int_equal(hb_roots_init(&roots, HB_ROOTS_MAX_LOG), HB_OK);
    for (uint32_t k = 0; k <= 1U << (HB_ROOTS_MAX_LOG - 3); k++) {
        mpfr_mul_ui(angle, pi, k, MPFR_RNDN);
        mpfr_div_2ui(angle, angle, HB_ROOTS_MAX_LOG - 1, MPFR_RNDN);
        mpfr_sin_cos(s, c, angle, MPFR_RNDN);
        const hb_dd_complex w = hb_wide_root(&roots, k);
        const double re = mpfr_get_d(c, MPFR_RNDN), im = mpfr_get_d(s, MPFR_RNDN);
        mpfr_sub_d(c, c, re, MPFR_RNDN);
        mpfr_sub_d(s, s, im, MPFR_RNDN);
        if (w.re.high != re || w.im.high != im || w.re.low != mpfr_get_d(c, MPFR_RNDN) ||
            w.im.low != mpfr_get_d(s, MPFR_RNDN)) {
            fail_msg("root %u: %a + %a, %a + %a", k, w.re.high, w.re.low, w.im.high, w.im.low);
        }
    }
    hb_roots_clear(&roots);
    mpfr_clears(angle, pi, c, s, (mpfr_ptr)NULL);
}

/* Smaller orders have the roots of larger ones, and all octants those of the first, zeros without a sign. */
static void test_orders(void **state)
{
    (void)state;
    hb_roots all;
    assert_int_equal(hb_roots_init(&all, HB_ROOTS_MAX_LOG), HB_OK);
    for (uint32_t log_m = 2; log_m <= HB_ROOTS_MAX_LOG; log_m++) {
        hb_roots roots;
        const uint32_t m = 1U << log_m, step = 1U << (HB_ROOTS_MAX_LOG - log_m);
        assert_int_equal(hb_roots_init(&roots, log_m), HB_OK);
        for (uint32_t k = 0; k < m; k++) {
            const hb_complex w = hb_root(&roots, k), v = hb_root(&all, k * step),
                             i = hb_root(&all, (k + m / 4) % m * step);
            assert_true(hb_real_word(w.re) == hb_real_word(v.re) && hb_real_word(w.im) == hb_real_word(v.im));
            assert_true(i.re == -w.im && i.im == w.re);
            assert_true(hb_real_word(w.re) != hb_real_word(-0.0) && hb_real_word(w.im) != hb_real_word(-0.0));
        }
        hb_roots_clear(&roots);
    }
    hb_roots_clear(&all);
}

static void test_vectors(void **state)
{
    (void)state;
    static double expected[2][2048];
    hb_roots roots;
    slots_vector(HB_TESTS_VECTORS, "roots.f64", expected, sizeof expected);
    assert_int_equal(hb_roots_init(&roots, 11), HB_OK);
    for (uint32_t k = 0; k < 2048; k++) {
        const hb_complex w = hb_root(&roots, k);
        assert_true(hb_real_word(w.re) == hb_real_word(expected[0][k]));
        assert_true(hb_real_word(w.im) == hb_real_word(expected[1][k]));
    }
    hb_roots_clear(&roots);
}

/* The tables of a transform, from the powers of 5 and 3 by their definition. */
static void test_tables(void **state)
{
    (void)state;
    enum { M = 512, N = M / 4 };
    double all[2][M];
    hb_ring ring;
    hb_engine *engine;
    hb_roots roots;
    hb_slot_tables fives, threes;
    assert_int_equal(hb_ring_init(&ring, 8), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&ring, &engine), HB_OK);
    assert_int_equal(hb_slot_tables_init(&fives, engine, 5, false), HB_OK);
    assert_int_equal(hb_slot_tables_init(&threes, engine, 3, false), HB_OK);
    assert_int_equal(hb_roots_init(&roots, 9), HB_OK);
    for (uint32_t k = 0; k < M; k++) {
        all[0][k] = hb_root(&roots, k).re;
        all[1][k] = hb_root(&roots, k).im;
    }
    const slots_roots t = {all[0], all[1], M};
    for (uint32_t h = 1; h < N; h *= 2) {
        for (uint32_t j = 0; j < h; j++) {
            const uint32_t k = slots_twiddle(&t, h, j);
            assert_true(fives.twiddles[h + j] == all[0][k] && fives.twiddles[N + h + j] == all[1][k]);
        }
    }
    assert_memory_equal(fives.twiddles, threes.twiddles, 2 * N * sizeof(double));
    assert_null(fives.order);
    for (uint32_t i = 0, five = 1; i < N; i++) {
        uint32_t three = 1;
        for (uint32_t j = 0; j < threes.order[i] / 2; j++) {
            three = 3 * three % M;
        }
        assert_int_equal(threes.order[i] % 2 != 0 ? M - three : three, five);
        five = 5 * five % M;
    }
    hb_roots_clear(&roots);
    hb_slot_tables_clear(&fives, engine);
    hb_slot_tables_clear(&threes, engine);
    hb_engine_close(engine);
}

HB_UNIT(roots)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
