/* Wide integers, and residues joined to them, against GMP. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "base/residues.h"
#include "base/wide.h"
#include "unit/unit.h"

enum { ROUNDS = 3000 };

static uint64_t state = 88172645463325252u;

static uint64_t word(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void to_gmp(mpz_t z, hb_wide a)
{
    char text[HB_WIDE_TEXT];
    hb_wide_text(text, a);
    assert_int_equal(mpz_set_str(z, text, 10), 0);
}

/* It is read from digits. */
static hb_wide from_gmp(const mpz_t z)
{
    char text[400];
    mpz_get_str(text, 10, z);
    const char *at = text;
    hb_wide a;
    assert_true(hb_wide_parse(&at, text + strlen(text), &a));
    assert_true(*at == '\0');
    return a;
}

/* Returns a number of any sign and of up to `bits` bits. */
static hb_wide random_wide(mpz_t z, uint32_t bits)
{
    mpz_set_ui(z, 0);
    for (uint32_t have = 0; have < bits; have += 32) {
        mpz_mul_2exp(z, z, 32);
        mpz_add_ui(z, z, word() >> 32);
    }
    mpz_tdiv_r_2exp(z, z, bits);
    if (word() % 2 != 0) {
        mpz_neg(z, z);
    }
    return from_gmp(z);
}

static void assert_is(hb_wide a, const mpz_t z)
{
    mpz_t own;
    mpz_init(own);
    to_gmp(own, a);
    assert_int_equal(mpz_cmp(own, z), 0);
    mpz_clear(own);
}

static void test_arithmetic(void **ignored)
{
    (void)ignored;
    mpz_t x, y, r;
    mpz_inits(x, y, r, NULL);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const hb_wide a = random_wide(x, i % 159), b = random_wide(y, (uint32_t)(word() % 159));
        assert_is(a, x);
        mpz_add(r, x, y);
        assert_is(hb_wide_add(a, b), r);
        mpz_mul(r, x, y);
        assert_is(hb_wide_multiply(a, b), r);
        mpz_neg(r, x);
        assert_is(hb_wide_negate(a), r);
        mpz_fdiv_q_2exp(r, x, 1);
        assert_is(hb_wide_half(a), r);
        const int order = mpz_cmp(x, y), found = hb_wide_compare(a, b);
        assert_int_equal((order > 0) - (order < 0), (found > 0) - (found < 0));
        assert_int_equal(mpz_sgn(x), hb_wide_sign(a));
        assert_int_equal(mpz_sgn(x) == 0 ? 0 : mpz_sizeinbase(x, 2), hb_wide_bits(a));
        const double up = hb_wide_real(a, true), down = hb_wide_real(a, false);
        assert_true(mpz_cmp_d(x, up) <= 0 && mpz_cmp_d(x, down) >= 0);
        assert_true(down == up ? mpz_cmp_d(x, up) == 0 : nextafter(down, HUGE_VAL) == up);
    }
    mpz_clears(x, y, r, NULL);
}

/* Cells of 128 bits, and values modulo powers of two. */
static void test_cells(void **ignored)
{
    (void)ignored;
    mpz_t x, r, power;
    mpz_inits(x, r, power, NULL);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const hb_wide a = random_wide(x, i % 140);
        const uint32_t bits = 1 + (uint32_t)(word() % 128);
        mpz_ui_pow_ui(power, 2, bits);
        mpz_fdiv_r(r, x, power);
        assert_is(hb_wide_wrap(a, bits, false), r);
        if (mpz_tstbit(r, bits - 1) != 0) {
            mpz_sub(r, r, power);
        }
        assert_is(hb_wide_wrap(a, bits, true), r);
        uint64_t cell[HB_WIDE_CELL];
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            mpz_ui_pow_ui(power, 2, is_signed ? 127 : 128);
            mpz_neg(r, power);
            const bool fits = mpz_cmp(x, power) < 0 && (is_signed ? mpz_cmp(x, r) >= 0 : mpz_sgn(x) >= 0);
            assert_int_equal(hb_wide_to_cell(a, is_signed, cell), fits);
            if (fits) {
                assert_is(hb_wide_of_cell(cell, is_signed), x);
            }
        }
    }
    mpz_clears(x, r, power, NULL);
}

static void test_ends(void **ignored)
{
    (void)ignored;
    const hb_wide most = hb_wide_power(HB_WIDE_END_BITS), half = hb_wide_power(HB_WIDE_END_BITS - 1);
    assert_false(hb_wide_saturated(half));
    assert_true(hb_wide_saturated(hb_wide_add(half, half)));
    assert_true(hb_wide_saturated(hb_wide_multiply(half, hb_wide_of(-3))));
    assert_int_equal(hb_wide_compare(hb_wide_add(most, most), most), 0);
    assert_int_equal(hb_wide_compare(hb_wide_multiply(most, hb_wide_negate(most)), hb_wide_negate(most)), 0);
    assert_true(isinf(hb_wide_real(most, false)));
    assert_true(hb_wide_clamp(hb_wide_power(63)) == INT64_MAX);
    assert_true(hb_wide_clamp(hb_wide_negate(hb_wide_power(64))) == -INT64_MAX);
    assert_true(hb_wide_clamp(hb_wide_of(-5)) == -5);
    const char *at = "+", *end = at + 1;
    hb_wide a;
    assert_false(hb_wide_parse(&at, end, &a));
}

static const uint64_t primes[] = {8796092858369, 8796092792833, 8796092645377, 65537, 12289, 40961};

/* Joining the residues of GMP's numbers gives these numbers, also the ends of the range. */
static void test_join(void **ignored)
{
    (void)ignored;
    mpz_t x, t, half;
    mpz_inits(x, t, half, NULL);
    for (uint32_t count = 1; count <= 6; count++) {
        hb_residues of;
        assert_int_equal(hb_residues_init(&of, primes, count), HB_OK);
        to_gmp(t, of.product);
        mpz_fdiv_q_2exp(half, t, 1);
        for (uint32_t i = 0; i < ROUNDS / 6; i++) {
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                random_wide(x, 200);
                mpz_fdiv_r(x, x, t);
                if (i < 4) { /* the ends, and numbers that wrap around them */
                    to_gmp(x, i % 2 == 0 ? hb_residues_least(&of, is_signed) : hb_residues_most(&of, is_signed));
                    mpz_add_ui(x, x, i / 2);
                }
                uint64_t residue[HB_MOST_RESIDUES];
                for (uint32_t r = 0; r < count; r++) {
                    residue[r] = mpz_fdiv_ui(x, primes[r]);
                }
                mpz_fdiv_r(x, x, t);
                if (is_signed && mpz_cmp(x, half) > 0) {
                    mpz_sub(x, x, t);
                }
                assert_is(hb_residues_join(&of, residue, is_signed), x);
            }
        }
    }
    mpz_clears(x, t, half, NULL);
}

static void test_reduce(void **ignored)
{
    (void)ignored;
    mpz_t x;
    mpz_init(x);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        hb_modulus m;
        const uint64_t cell[HB_WIDE_CELL] = {i == 0 ? 0 : word(), i == 0 ? (uint64_t)1 << 63 : word() >> i % 64};
        assert_int_equal(hb_modulus_init(&m, primes[i % 6]), HB_OK);
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            uint64_t residue;
            hb_residues_of_cells(&residue, cell, 1, is_signed, &m);
            to_gmp(x, hb_wide_of_cell(cell, is_signed));
            assert_int_equal(residue, mpz_fdiv_ui(x, m.value));
        }
    }
    mpz_clear(x);
}

/* No other double is nearer, and of two as near it is the even one. */
static void test_quotient(void **ignored)
{
    (void)ignored;
    mpz_t a, b;
    mpq_t exact, apart[3];
    mpz_inits(a, b, NULL);
    mpq_inits(exact, apart[0], apart[1], apart[2], NULL);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        random_wide(a, 256);
        random_wide(b, 1 + i % 250);
        if (i % 3 == 0) { /* ties */
            mpz_set_ui(a, word() >> 9);
            mpz_set_ui(b, (uint64_t)1 << i % 60);
        }
        mpz_abs(b, b);
        if (mpz_sgn(b) == 0) {
            continue;
        }
        mpq_set_num(exact, a);
        mpq_set_den(exact, b);
        mpq_canonicalize(exact);
        const double found = hb_wide_quotient(from_gmp(a), from_gmp(b));
        const double near[3] = {nextafter(found, -INFINITY), found, nextafter(found, INFINITY)};
        for (int k = 0; k < 3; k++) {
            mpq_set_d(apart[k], near[k]);
            mpq_sub(apart[k], apart[k], exact);
            mpq_abs(apart[k], apart[k]);
        }
        for (int k = 0; k < 3; k += 2) {
            const int order = mpq_cmp(apart[1], apart[k]);
            int exponent;
            const double mantissa = ldexp(frexp(found, &exponent), 53);
            assert_true(order < 0 || (order == 0 && fmod(mantissa, 2) == 0));
        }
    }
    assert_true(hb_wide_quotient(hb_wide_of(0), hb_wide_of(7)) == 0);
    mpq_clears(exact, apart[0], apart[1], apart[2], NULL);
    mpz_clears(a, b, NULL);
}

static void test_refused(void **ignored)
{
    (void)ignored;
    hb_residues of;
    const uint64_t twins[] = {65537, 65537},
                   many[] = {(uint64_t)1 << 60 | 1,    ((uint64_t)1 << 60) - 93, ((uint64_t)1 << 59) - 55,
                             ((uint64_t)1 << 58) - 27, ((uint64_t)1 << 57) - 13, ((uint64_t)1 << 56) - 5};
    assert_int_equal(hb_residues_init(&of, twins, 2), HB_ECONFIG);
    assert_int_equal(hb_residues_init(&of, many, 6), HB_ECONFIG);
}

HB_UNIT(wide)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_cells),
                                       cmocka_unit_test(test_ends),       cmocka_unit_test(test_join),
                                       cmocka_unit_test(test_reduce),     cmocka_unit_test(test_quotient),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
