/* Division by a set of primes against its definition with big integers, in both forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/prime.h"
#include "reference/crt.h"
#include "ring/mod_down.h"
#include "ring/permutation.h"
#include "unit/unit.h"

enum { LOG_N = 5, COUNT = 3, ALL = 9 };

static const uint32_t bits[ALL] = {50, 20, 60, 36, 50, 59, 33, 41, 50};

static void open_ring(toy *t)
{
    uint64_t primes[ALL];
    assert_int_equal(hb_create_primes((size_t)1 << LOG_N, bits, ALL, primes), HB_OK);
    toy_open_primes(t, LOG_N, primes, ALL);
}

/* The integer by which the sum of the centred y_i D / d_i is too large, by the rule of basis.h: 0 of one prime. */
static int64_t slow_rounding(const toy *t, hb_batch a, const hb_mod_down *down, const uint64_t *z)
{
    int64_t sum = 0, half = 0;
    mpz_t x;
    mpz_init(x);
    for (uint32_t i = 0; i < down->dropped; i++) {
        const uint64_t q = toy_modulus(t, a, down->limbs + i);
        mpz_set_ui(x, 1);
        mpz_mul_2exp(x, x, 96);
        mpz_fdiv_q_ui(x, x, q);
        mpz_mul_ui(x, x, z[i]);
        mpz_fdiv_q_2exp(x, x, 64);
        sum += (int64_t)mpz_get_ui(x);
        mpz_set_ui(x, q / 2);
        mpz_mul_2exp(x, x, 32);
        mpz_fdiv_q_ui(x, x, q);
        half += (int64_t)mpz_get_ui(x);
    }
    mpz_set_si(x, sum - half);
    mpz_add_ui(x, x, 1ul << 31);
    mpz_fdiv_q_2exp(x, x, 32);
    const int64_t k = down->dropped == 1 ? 0 : mpz_get_si(x);
    mpz_clear(x);
    return k;
}

/* R of coefficient j: an integer = a modulo D, within D / 2, or near it. d: D. */
static void slow_remainder(const toy *t, hb_batch a, size_t c, size_t j, const hb_mod_down *down, const mpz_t d,
                           mpz_t r)
{
    uint64_t z[ALL];
    mpz_t punctured, term;
    mpz_inits(punctured, term, (mpz_ptr)NULL);
    mpz_set_ui(r, 0);
    for (uint32_t i = 0; i < down->dropped; i++) {
        const uint32_t l = down->limbs + i;
        const uint64_t q = toy_modulus(t, a, l);
        const uint64_t y = slow_mul(*toy_at(t, a, c, l, j), crt_punctured(d, q, punctured), q);
        z[i] = (y + q / 2) % q;
        mpz_set_si(term, (int64_t)z[i] - (int64_t)(q / 2));
        mpz_addmul(r, term, punctured);
    }
    mpz_set_si(term, slow_rounding(t, a, down, z));
    mpz_submul(r, term, d);
    mpz_mul_2exp(term, r, 26); /* |R| <= D (1/2 + 2^-26) */
    mpz_set(punctured, d);
    mpz_mul_ui(punctured, punctured, (1ul << 25) + 1);
    assert_true(mpz_cmpabs(term, punctured) <= 0);
    mpz_clears(punctured, term, (mpz_ptr)NULL);
}

/* Values whose remainders are at borders. */
static void fill_near_ties(const toy *t, hb_batch a, const mpz_t d, uint64_t *random)
{
    mpz_t all, x, step;
    mpz_inits(all, x, step, (mpz_ptr)NULL);
    crt_product(t, a, a.limbs, all);
    for (size_t i = 0; i < a.count * t->ring.n; i++) {
        crt_random(x, all, random);
        if (i % 2 == 0) { /* an odd multiple of D / 2, and a bit */
            mpz_fdiv_q(x, x, d);
            mpz_mul(x, x, d);
            mpz_fdiv_q_2exp(step, d, 1);
            mpz_add(x, x, step);
            mpz_fdiv_q_2exp(step, d, slow_random(random) % 70);
            mpz_addmul_ui(x, step, slow_random(random) % 3);
            mpz_mod(x, x, all);
        }
        crt_put(t, a, i / t->ring.n, i % t->ring.n, x);
    }
    mpz_clears(all, x, step, (mpz_ptr)NULL);
}

/* r = b + (a - R) / D, b in its first polynomials only. */
static void check_quotients(const toy *t, hb_batch r, hb_batch b, hb_batch a, const hb_mod_down *down, const mpz_t d)
{
    mpz_t remainder, inverse, q;
    mpz_inits(remainder, inverse, q, (mpz_ptr)NULL);
    for (size_t i = 0; i < COUNT * t->ring.n; i++) {
        const size_t c = i / t->ring.n, j = i % t->ring.n;
        slow_remainder(t, a, c, j, down, d, remainder);
        for (uint32_t l = 0; l < down->limbs; l++) {
            const uint64_t m = toy_modulus(t, r, l);
            mpz_set_ui(q, m);
            assert_true(mpz_invert(inverse, d, q) != 0);
            const uint64_t difference = (*toy_at(t, a, c, l, j) + m - mpz_fdiv_ui(remainder, m)) % m;
            const uint64_t quotient = slow_mul(difference, mpz_get_ui(inverse), m);
            const uint64_t plus = c < b.count ? *toy_at(t, b, c, l, j) : 0;
            assert_true(*toy_at(t, r, c, l, j) == (quotient + plus) % m);
        }
    }
    mpz_clears(remainder, inverse, q, (mpz_ptr)NULL);
}

enum { ALONE, PLUS, PLUS_SOME, ONTO_ITSELF, IN_PLACE, WAYS };

/* Coefficient form, and the NTT form of the same operands, transformed back. */
static void check_way(const toy *t, const hb_mod_down *down, hb_batch a, const mpz_t d, int way, hb_form form)
{
    uint64_t random = (uint64_t)way;
    const size_t with = way == PLUS || way == ONTO_ITSELF ? COUNT : way == PLUS_SOME ? 1 : 0;
    hb_engine *e = t->engine;
    hb_batch b = toy_batch(t, COUNT, down->limbs, t->ids, 2), r = toy_batch(t, COUNT, down->limbs, t->ids, 0),
             copy = toy_copy(t, a), remainder = toy_batch(t, COUNT, down->limbs, t->ids, 0);
    toy_fill(t, b, &random);
    hb_batch plus = toy_copy(t, b), to = way == ONTO_ITSELF ? plus
                                         : way == IN_PLACE  ? hb_batch_limbs(e, copy, 0, down->limbs)
                                                            : r;
    if (form == HB_NTT_FORM) {
        assert_int_equal(hb_ntt(e, copy), HB_OK);
        assert_int_equal(hb_ntt(e, plus), HB_OK);
    }
    const hb_batch added = with > 0 ? hb_batch_slice(plus, 0, with) : (hb_batch){.data = NULL};
    assert_int_equal(hb_mod_down_apply(e, to, added, copy, way < ONTO_ITSELF ? to : remainder, down, form), HB_OK);
    if (form == HB_NTT_FORM) {
        assert_int_equal(hb_intt(e, to), HB_OK);
    }
    check_quotients(t, to, hb_batch_slice(b, 0, with), a, down, d);
    toy_free(b);
    toy_free(plus);
    toy_free(r);
    toy_free(copy);
    toy_free(remainder);
}

static void check_set(const toy *t, uint32_t limbs, uint32_t dropped)
{
    hb_mod_down down;
    uint64_t random = 10 * limbs + dropped;
    hb_batch a = toy_batch(t, COUNT, limbs + dropped, t->ids, 4);
    mpz_t d, all;
    mpz_inits(d, all, (mpz_ptr)NULL);
    assert_int_equal(hb_mod_down_init(&down, &t->ring, t->ids, limbs, dropped), HB_OK);
    crt_product(t, a, limbs + dropped, all);
    crt_product(t, a, limbs, d);
    mpz_divexact(d, all, d);
    fill_near_ties(t, a, d, &random);
    for (int way = 0; way < WAYS; way++) {
        check_way(t, &down, a, d, way, HB_COEFFICIENT_FORM);
        check_way(t, &down, a, d, way, HB_NTT_FORM);
    }
    mpz_clears(d, all, (mpz_ptr)NULL);
    toy_free(a);
    hb_mod_down_clear(&down);
}

static void test_definition(void **state)
{
    (void)state;
    toy t;
    open_ring(&t);
    for (uint32_t limbs = 1; limbs < ALL; limbs++) {
        check_set(&t, limbs, 1);
    }
    for (uint32_t all = 4; all <= ALL; all++) {
        for (uint32_t dropped = 2; all - dropped >= 2; dropped++) { /* the prime of 20 bits stays */
            check_set(&t, all - dropped, dropped);
        }
    }
    toy_close(&t);
}

/* One prime of three is dropped, an addend is added, and the result is permuted: as by one step after the other. */
static void check_moved(const toy *t, const hb_mod_down *down, uint32_t element)
{
    uint64_t random = element;
    hb_engine *e = t->engine;
    hb_permutation phi = {0};
    hb_batch a = toy_batch(t, COUNT, 3, t->ids, 1), b = toy_batch(t, 1, 2, t->ids, 1), copy, wanted, r, remainder;
    toy_fill(t, a, &random);
    toy_fill(t, b, &random);
    copy = toy_copy(t, a);
    wanted = toy_batch(t, COUNT, 2, t->ids, 1);
    r = toy_batch(t, COUNT, 2, t->ids, 1);
    remainder = toy_batch(t, COUNT, 2, t->ids, 1);
    assert_int_equal(hb_permutation_init_galois(&phi, e, element), HB_OK);
    assert_int_equal(hb_mod_down_apply(e, r, b, copy, remainder, down, HB_NTT_FORM), HB_OK);
    assert_int_equal(hb_permute(e, wanted, r, phi.map), HB_OK);
    assert_int_equal(hb_mod_down_permute(e, r, b, a, remainder, down, &phi), HB_OK);
    assert_memory_equal(r.data, wanted.data, COUNT * r.stride * sizeof *r.data); /* gaps were alike */
    hb_permutation_clear(&phi, e);
    toy_free(a);
    toy_free(b);
    toy_free(copy);
    toy_free(wanted);
    toy_free(r);
    toy_free(remainder);
}

/* Rings that are shorter than a block of words that are moved together, and longer ones. */
static void test_moved(void **state)
{
    (void)state;
    for (uint32_t log_n = 2; log_n <= 10; log_n++) {
        toy t;
        hb_mod_down down;
        uint64_t primes[3];
        assert_int_equal(hb_create_primes((size_t)1 << log_n, (const uint32_t[]){50, 60, 40}, 3, primes), HB_OK);
        toy_open_primes(&t, log_n, primes, 3);
        assert_int_equal(hb_mod_down_init(&down, &t.ring, t.ids, 2, 1), HB_OK);
        for (uint32_t i = 0; i < 16; i++) {
            check_moved(&t, &down, (2 * i * i * i + 5 * i + 3) % (2U << log_n) | 1);
        }
        hb_mod_down_clear(&down);
        toy_close(&t);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    toy t;
    hb_mod_down down;
    const uint16_t twice[] = {0, 2, 2};
    open_ring(&t);
    assert_int_equal(hb_mod_down_init(&down, &t.ring, twice, 1, 2), HB_ECONFIG);
    hb_mod_down_clear(&down);
    toy_close(&t);
}

HB_UNIT(mod_down)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definition), cmocka_unit_test(test_moved),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
