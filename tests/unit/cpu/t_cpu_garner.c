/* Mixed-radix digits and the largest centred value against big integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/crt.h"
#include "ring/garner.h"
#include "unit/unit.h"

enum { COUNT = 5, GAP = 3, MOST = 8 };

/* Pairwise coprime, odd or with one even; FP64, integer and mixed. */
static const struct {
    uint32_t limbs;
    uint64_t moduli[MOST];
} chains[] = {
    {1, {97}},
    {1, {2}},
    {2, {2, 3}},
    {3, {3, 2, 5}},
    {3, {193, 97, 113}},
    {4, {8796092858369, 8796092792833, 17592186028033, 17592185438209}},
    {4, {(1ull << 50) - 27, (1ull << 50) - 35, (1ull << 49) - 81, (1ull << 50) - 51}},
    {3, {(1ull << 60) - 93, (1ull << 61) - 1, (1ull << 60) - 107}},
    {5, {(1ull << 36) - 5, (1ull << 60) - 93, 97, (1ull << 43) - 57, (1ull << 61) - 1}},
};
enum { CHAINS = sizeof chains / sizeof *chains };

/* The constants, straight from their definitions in ring/garner.h. */
typedef struct tables {
    hb_basis basis;
    uint64_t inverse[MOST], radix[MOST * MOST], half[MOST];
    hb_garner garner;
} tables;

static void digits_of(const toy *t, hb_batch b, const mpz_t x, uint64_t *digits)
{
    mpz_t rest;
    mpz_init_set(rest, x);
    for (uint32_t l = 0; l < b.limbs; l++) {
        digits[l] = mpz_fdiv_q_ui(rest, rest, toy_modulus(t, b, l));
    }
    assert_int_equal(mpz_sgn(rest), 0);
    mpz_clear(rest);
}

static void make_tables(tables *s, const toy *t, hb_batch b)
{
    mpz_t q, product;
    mpz_inits(q, product, (mpz_ptr)NULL);
    memset(s, 0, sizeof *s);
    s->basis.ring = &t->ring;
    s->basis.limbs = b.limbs;
    memcpy(s->basis.ids, b.ids, b.limbs * sizeof *b.ids);
    for (uint32_t i = 0; i < b.limbs; i++) {
        for (uint32_t j = 0; j < i; j++) {
            crt_product(t, b, j, product);
            s->radix[i * b.limbs + j] = mpz_fdiv_ui(product, toy_modulus(t, b, i));
        }
        crt_product(t, b, i, product);
        s->inverse[i] = hb_mod_inverse(mpz_fdiv_ui(product, toy_modulus(t, b, i)), &t->ring.moduli[b.ids[i]]);
    }
    crt_product(t, b, b.limbs, q);
    mpz_add_ui(product, q, 1);
    mpz_fdiv_q_2exp(product, product, 1);
    digits_of(t, b, product, s->half);
    s->garner = (hb_garner){.basis = &s->basis, .inverse = s->inverse, .radix = s->radix, .half = s->half};
    mpz_clears(q, product, (mpz_ptr)NULL);
}

/* As many numbers as polynomial c is to hold; the higher c, the closer they may be to 0 from both sides. */
static void number(mpz_t x, const mpz_t q, size_t c, uint64_t *random)
{
    crt_random(x, q, random);
    if (c > 1) {
        mpz_t bound;
        mpz_init(bound);
        mpz_fdiv_q_2exp(bound, q, 2 * c);
        mpz_add_ui(bound, bound, 1);
        mpz_mod(x, x, bound);
        if (slow_random(random) & 1) {
            mpz_neg(x, x);
        }
        mpz_mod(x, x, q);
        mpz_clear(bound);
    }
}

static void check(size_t chain, uint32_t log_n, bool integer, bool in_place, uint64_t seed)
{
    toy t;
    toy_open(&t, log_n, chains[chain].moduli, chains[chain].limbs, integer);
    uint64_t random = seed, expected[MOST], widest[COUNT * MOST];
    hb_batch a = toy_batch(&t, COUNT, chains[chain].limbs, t.ids, GAP), digits = in_place ? a : toy_copy(&t, a);
    tables s;
    make_tables(&s, &t, a);
    mpz_t q, *x = malloc(COUNT * t.ring.n * sizeof *x), largest;
    assert_non_null(x);
    mpz_inits(q, largest, (mpz_ptr)NULL);
    crt_product(&t, a, a.limbs, q);
    for (size_t i = 0; i < COUNT * t.ring.n; i++) {
        mpz_init(x[i]);
        number(x[i], q, i / t.ring.n, &random);
        crt_put(&t, a, i / t.ring.n, i % t.ring.n, x[i]);
    }
    assert_int_equal(hb_garner_digits(t.engine, digits, a, &s.garner), HB_OK);
    assert_int_equal(hb_infinity_norm(t.engine, widest, digits, &s.garner), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        mpz_set_ui(largest, 0);
        for (size_t j = 0; j < t.ring.n; j++) {
            mpz_ptr value = x[c * t.ring.n + j];
            digits_of(&t, a, value, expected);
            for (uint32_t l = 0; l < a.limbs; l++) {
                assert_true(*toy_at(&t, digits, c, l, j) == expected[l]);
            }
            mpz_mul_2exp(value, value, 1); /* negative: x >= floor((Q + 1) / 2) = ceil(Q / 2), that is 2x >= Q */
            bool negative = mpz_cmp(value, q) >= 0;
            mpz_fdiv_q_2exp(value, value, 1);
            if (negative) {
                mpz_sub(value, q, value);
            }
            if (mpz_cmp(value, largest) > 0) {
                mpz_set(largest, value);
            }
            mpz_clear(value);
        }
        digits_of(&t, a, largest, expected);
        assert_memory_equal(widest + c * a.limbs, expected, a.limbs * sizeof *expected);
    }
    toy_assert_gaps(&t, digits);
    mpz_clears(q, largest, (mpz_ptr)NULL);
    free(x);
    if (!in_place) {
        toy_free(digits);
    }
    toy_free(a);
    toy_close(&t);
}

static void test_against_gmp(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        for (int way = 0; way < 4; way++) {
            check(chain, 7, way & 1, way & 2, chain);
            for (uint64_t seed = 0; seed < 50; seed++) { /* two coefficients: the largest is often a special one */
                check(chain, 1, way & 1, way & 2, seed);
            }
        }
    }
}

static void test_all_zero(void **state)
{
    (void)state;
    toy t;
    toy_open(&t, 4, chains[4].moduli, chains[4].limbs, false);
    hb_batch a = toy_batch(&t, 1, chains[4].limbs, t.ids, 0);
    memset(a.data, 0, a.stride * sizeof *a.data);
    tables s;
    make_tables(&s, &t, a);
    uint64_t widest[MOST];
    assert_int_equal(hb_garner_digits(t.engine, a, a, &s.garner), HB_OK);
    assert_int_equal(hb_infinity_norm(t.engine, widest, a, &s.garner), HB_OK);
    assert_true(widest[0] == 0 && widest[1] == 0 && widest[2] == 0);
    toy_free(a);
    toy_close(&t);
}

HB_UNIT(cpu_garner)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_gmp),
        cmocka_unit_test(test_all_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
