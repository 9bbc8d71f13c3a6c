/* Natural numbers against GMP, at every size up to the largest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/big.h"
#include "unit/unit.h"

#define ROUNDS 4000

static void test_set(void **state)
{
    (void)state;
    const uint64_t values[] = {0, 1, UINT64_MAX};
    for (size_t i = 0; i < 3; i++) {
        hb_natural a;
        hb_natural_set(&a, values[i]);
        assert_int_equal(a.words, values[i] != 0);
        assert_true(values[i] == 0 || a.word[0] == values[i]);
        assert_int_equal(hb_natural_bits(&a), i == 2 ? 64 : i);
    }
}

static void test_mul_add_and_div(void **state)
{
    (void)state;
    uint64_t seed = 1;
    mpz_t z;
    mpz_init(z);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        hb_natural a;
        const uint64_t factor = big_random_word(&seed), addend = big_random_word(&seed);
        const uint64_t divisor = big_random_word(&seed) | 1;
        big_random(z, round % HB_NATURAL_WORDS, &seed); /* one word of room */
        big_to_natural(&a, z);

        hb_natural_mul_add(&a, factor, addend);
        mpz_mul_ui(z, z, factor);
        mpz_add_ui(z, z, addend);
        assert_true(big_equals(z, &a));

        const uint64_t remainder = hb_natural_div(&a, divisor);
        assert_int_equal(remainder, mpz_tdiv_q_ui(z, z, divisor));
        assert_true(big_equals(z, &a));
    }
    mpz_clear(z);
}

static void test_largest_product_fits(void **state)
{
    (void)state;
    hb_natural a;
    mpz_t z;
    mpz_init_set_ui(z, 1);
    hb_natural_set(&a, 1);
    for (int i = 0; i < HB_NATURAL_WORDS; i++) {
        hb_natural_mul_add(&a, UINT64_MAX, UINT64_MAX);
        mpz_mul_ui(z, z, UINT64_MAX);
        mpz_add_ui(z, z, UINT64_MAX);
        if (mpz_sizeinbase(z, 2) > 64 * (HB_NATURAL_WORDS - 1)) {
            break;
        }
    }
    assert_int_equal(a.words, HB_NATURAL_WORDS);
    assert_true(big_equals(z, &a));
    hb_natural_mul_add(&a, 0, 5);
    assert_int_equal(a.words, 1);
    hb_natural_mul_add(&a, 0, 0);
    assert_int_equal(a.words, 0);
    mpz_clear(z);
}

static void test_sub_and_compare(void **state)
{
    (void)state;
    uint64_t seed = 2;
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        hb_natural a, b;
        big_random(x, round % (HB_NATURAL_WORDS + 1), &seed);
        big_random(y, round % 3 == 0 ? round % (HB_NATURAL_WORDS + 1) : round / 7 % 5, &seed);
        if (round % 11 == 0) {
            mpz_set(y, x);
        }
        big_to_natural(&a, x);
        big_to_natural(&b, y);
        const int order = mpz_cmp(x, y), mine = hb_natural_compare(&a, &b);
        assert_int_equal((mine > 0) - (mine < 0), (order > 0) - (order < 0));
        assert_int_equal(hb_natural_compare(&a, &a), 0);
    }
    mpz_clears(x, y, NULL);
}

static void test_mod_and_bits(void **state)
{
    (void)state;
    uint64_t seed = 3;
    mpz_t z;
    mpz_init(z);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        hb_natural a;
        hb_modulus m;
        uint64_t value = big_random_word(&seed) >> (round % 61 + 3);
        value = value < 2 ? 2 : value;
        assert_int_equal(hb_modulus_init(&m, value), HB_OK);
        big_random(z, round % (HB_NATURAL_WORDS + 1), &seed);
        big_to_natural(&a, z);
        assert_int_equal(hb_natural_mod(&a, &m), mpz_fdiv_ui(z, value));
        assert_int_equal(hb_natural_bits(&a), mpz_sgn(z) == 0 ? 0 : mpz_sizeinbase(z, 2));
    }
    mpz_clear(z);
}

HB_UNIT(natural)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_mul_add_and_div),
        cmocka_unit_test(test_largest_product_fits),
        cmocka_unit_test(test_sub_and_compare),
        cmocka_unit_test(test_mod_and_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
