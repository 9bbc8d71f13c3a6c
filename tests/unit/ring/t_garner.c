/* Mixed-radix digits against GMP's division, exhaustively on a small basis and at the largest one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "reference/big.h"
#include "reference/garner.h"
#include "ring/garner.h"
#include "unit/unit.h"

typedef struct fixture {
    hb_ring ring;
    hb_basis basis;
    hb_garner garner;
} fixture;

static void open_fixture(fixture *f, const uint64_t *moduli, uint32_t limbs)
{
    uint16_t ids[HB_MAX_LIMBS];
    assert_int_equal(hb_ring_init(&f->ring, 3), HB_OK);
    for (uint32_t i = 0; i < limbs; i++) {
        assert_int_equal(hb_ring_add_modulus(&f->ring, moduli[i], &ids[i]), HB_OK);
    }
    assert_int_equal(hb_basis_init(&f->basis, &f->ring, ids, limbs), HB_OK);
    assert_int_equal(hb_garner_init(&f->garner, &f->basis), HB_OK);
}

/* The digits of x by repeated division. */
static void divide(const fixture *f, const mpz_t x, uint64_t *digits)
{
    mpz_t rest;
    mpz_init_set(rest, x);
    for (uint32_t i = 0; i < f->basis.limbs; i++) {
        digits[i] = mpz_tdiv_q_ui(rest, rest, f->ring.moduli[i].value);
    }
    assert_true(mpz_sgn(rest) == 0); /* x < Q */
    mpz_clear(rest);
}

static void check_number(const fixture *f, const mpz_t x)
{
    uint64_t residues[HB_MAX_LIMBS], digits[HB_MAX_LIMBS], expected[HB_MAX_LIMBS];
    const size_t bytes = f->basis.limbs * sizeof *digits;
    hb_natural composed;
    for (uint32_t i = 0; i < f->basis.limbs; i++) {
        residues[i] = mpz_fdiv_ui(x, f->ring.moduli[i].value);
    }
    divide(f, x, expected);
    garner_digits(&f->garner, residues, digits);
    assert_memory_equal(digits, expected, bytes);
    hb_garner_compose(&f->garner, digits, &composed);
    assert_true(big_equals(x, &composed));
    garner_digits(&f->garner, residues, residues); /* in place */
    assert_memory_equal(residues, expected, bytes);
}

static void check_constants(const fixture *f)
{
    const uint32_t limbs = f->basis.limbs;
    uint64_t half[HB_MAX_LIMBS];
    mpz_t product;
    mpz_init(product);
    assert_true(big_from_natural(product, &f->basis.product));
    mpz_add_ui(product, product, 1);
    mpz_fdiv_q_2exp(product, product, 1);
    divide(f, product, half);
    assert_memory_equal(f->garner.half, half, limbs * sizeof *half);
    for (uint32_t i = 0; i < limbs; i++) {
        const uint64_t q = f->ring.moduli[i].value;
        mpz_set_ui(product, 1);
        for (uint32_t j = 0; j < i; j++) {
            assert_true(f->garner.radix[i * limbs + j] == mpz_fdiv_ui(product, q));
            mpz_mul_ui(product, product, f->ring.moduli[j].value);
        }
        assert_true(f->garner.inverse[i] < q);
        assert_int_equal(slow_mul(f->garner.inverse[i], mpz_fdiv_ui(product, q), q), 1);
    }
    mpz_clear(product);
}

static void test_every_number(void **state)
{
    (void)state;
    static const uint64_t moduli[] = {7, 2, 9, 5, 31};
    fixture f;
    mpz_t x;
    open_fixture(&f, moduli, 5);
    check_constants(&f);
    for (mpz_init(x); mpz_cmp_ui(x, 7 * 2 * 9 * 5 * 31) < 0; mpz_add_ui(x, x, 1)) {
        check_number(&f, x);
    }
    mpz_clear(x);
    hb_garner_clear(&f.garner);
}

static void test_sizes(void **state)
{
    (void)state;
    uint64_t moduli[HB_MAX_LIMBS], seed = 4;
    mpz_t x, q;
    mpz_inits(x, q, NULL);
    assert_int_equal(hb_find_primes(16, 61, HB_MAX_LIMBS, moduli), HB_OK);
    moduli[1] = 3; /* a digit far above the next modulus */
    for (uint32_t limbs = 1; limbs <= HB_MAX_LIMBS; limbs += limbs < 8 ? 1 : 14) {
        fixture f;
        open_fixture(&f, moduli, limbs);
        check_constants(&f);
        assert_true(big_from_natural(q, &f.basis.product));
        for (int round = 0; round < 100; round++) {
            big_random(x, HB_NATURAL_WORDS, &seed);
            mpz_fdiv_r(x, x, q);
            check_number(&f, x);
        }
        mpz_sub_ui(x, q, 1); /* all residues and digits at their largest */
        check_number(&f, x);
        hb_garner_clear(&f.garner);
        assert_null(f.garner.radix);
        hb_garner_clear(&f.garner);
    }
    hb_garner_clear(NULL);
    mpz_clears(x, q, NULL);
}

HB_UNIT(garner)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_number),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
