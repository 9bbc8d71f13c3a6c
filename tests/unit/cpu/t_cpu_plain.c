/* Message scaling, plaintexts as factors and the last step of decryption against big integers (semantics.md 4.4,
 * 6.6, 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/crt.h"
#include "ring/bfv_ops.h"
#include "unit/unit.h"

__extension__ typedef __int128 slow_signed;

enum { COUNT = 2, GAP = 3, MOST = 8 };

/* Chains, then t. Plain moduli below, between and above the primes, odd, even and 2; FP64 and not. */
static const struct {
    uint32_t limbs;
    uint64_t moduli[MOST];
} chains[] = {
    {2, {97, 113, 17}},
    {3, {97, 113, 193, 16}},
    {3, {97, 113, 193, 2039}},
    {4, {8796092858369, 8796092792833, 17592186028033, 17592185438209, 1032193}},
    {2, {(1ull << 50) - 27, (1ull << 50) - 35, (1ull << 49) - 81}},
    {2, {(1ull << 50) - 27, 97, 65537}},
    {2, {(1ull << 50) - 27, (1ull << 50) - 35, (1ull << 50) - 51}},
    {2, {(1ull << 59) - 55, (1ull << 36) - 5, (1ull << 60) - 107}},
    {1, {2 * ((1ull << 50) - 27) - 1, (1ull << 50) - 27}}, /* Q mod t = t - 1: quotients are rounded the wrong way */
    {2, {(1ull << 60) - 93, (1ull << 60) - 107, 1ull << 59}},
    {3, {8796092858369, 8796092792833, (1ull << 60) - 93, 2}},
};
enum { CHAINS = sizeof chains / sizeof *chains };
static const uint64_t gamma_prime = 2305843009213554689; /* 2^61 - 139263, prime */

/* v = floor((Q m + h) / t) added to r, or subtracted. */
static void check_scaling(size_t chain, bool integer, hb_sign sign, bool one)
{
    toy t;
    const uint32_t limbs = chains[chain].limbs;
    const uint64_t plain_modulus = chains[chain].moduli[limbs];
    toy_open(&t, 9, chains[chain].moduli, limbs + 1, integer);
    uint64_t random = chain, delta[MOST];
    hb_batch plain = toy_batch(&t, one ? 1 : COUNT, 1, t.ids + limbs, GAP), r = toy_batch(&t, COUNT, limbs, t.ids, 1);
    toy_fill(&t, plain, &random);
    toy_fill(&t, r, &random);
    hb_batch before = toy_copy(&t, r);
    mpz_t q, v;
    mpz_inits(q, v, (mpz_ptr)NULL);
    crt_product(&t, r, limbs, q);
    mpz_fdiv_q_ui(v, q, plain_modulus);
    for (uint32_t l = 0; l < limbs; l++) {
        delta[l] = mpz_fdiv_ui(v, toy_modulus(&t, r, l));
    }
    const hb_scale_plain constants = {.plain_id = (uint16_t)limbs,
                                      .remainder = mpz_fdiv_ui(q, plain_modulus),
                                      .half = (plain_modulus + 1) / 2,
                                      .delta = delta};
    assert_int_equal(hb_add_scaled_plain(t.engine, r, plain, &constants, sign), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (size_t j = 0; j < t.ring.n; j++) {
            mpz_mul_ui(v, q, *toy_at(&t, plain, one ? 0 : c, 0, j));
            mpz_add_ui(v, v, constants.half);
            mpz_fdiv_q_ui(v, v, plain_modulus);
            if (sign == HB_MINUS) {
                mpz_neg(v, v);
            }
            for (uint32_t l = 0; l < limbs; l++) {
                uint64_t m = toy_modulus(&t, r, l);
                uint64_t expected = (uint64_t)(((slow_wide)*toy_at(&t, before, c, l, j) + mpz_fdiv_ui(v, m)) % m);
                assert_true(*toy_at(&t, r, c, l, j) == expected);
            }
        }
    }
    toy_assert_gaps(&t, r);
    mpz_clears(q, v, (mpz_ptr)NULL);
    toy_free(plain);
    toy_free(before);
    toy_free(r);
    toy_close(&t);
}

static void test_scaling(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        for (int way = 0; way < 8; way++) {
            check_scaling(chain, way & 1, way & 2 ? HB_MINUS : HB_PLUS, way & 4);
        }
    }
}

/* Plaintexts, by the number of terms that are not 0. */
static size_t fill_terms(const toy *t, hb_batch plain, size_t c, uint64_t *random)
{
    const uint64_t modulus = toy_modulus(t, plain, 0), half = (modulus + 1) / 2;
    const uint64_t values[] = {half, half - 1, modulus - 1, 1, half + 1};
    size_t terms = 0;
    for (size_t j = 0; j < t->ring.n; j++) {
        *toy_at(t, plain, c, 0, j) = c < 5 ? 0 : toy_residue(modulus, random);
    }
    if (c < 5) {
        *toy_at(t, plain, c, 0, (c * 7) % t->ring.n) = values[c] % modulus;
    }
    if (c == 4) {
        *toy_at(t, plain, c, 0, t->ring.n - 1) = modulus - 1;
    }
    for (size_t j = 0; j < t->ring.n; j++) {
        terms += *toy_at(t, plain, c, 0, j) != 0;
    }
    return terms;
}

/* m below h, m - t from there on, modulo each prime; a single term stays as it is where that is asked for (semantics.md
 * 6.6). */
static void check_lift(size_t chain, bool integer, bool keep_monomials, uint32_t log_n)
{
    enum { PLAINS = 7 };
    toy t;
    const uint32_t limbs = chains[chain].limbs;
    toy_open(&t, log_n, chains[chain].moduli, limbs + 1, integer);
    const uint64_t modulus = chains[chain].moduli[limbs];
    uint64_t random = chain;
    hb_batch plain = toy_batch(&t, PLAINS, 1, t.ids + limbs, GAP), r = toy_batch(&t, PLAINS, limbs, t.ids, 1);
    size_t terms[PLAINS];
    for (size_t c = 0; c < PLAINS; c++) {
        terms[c] = fill_terms(&t, plain, c, &random);
    }
    const hb_plain_lift constants = {(uint16_t)limbs, (modulus + 1) / 2, keep_monomials};
    assert_int_equal(hb_lift_plain(t.engine, r, plain, &constants), HB_OK);
    for (size_t i = 0; i < PLAINS * limbs * t.ring.n; i++) {
        const size_t c = i / t.ring.n / limbs, j = i % t.ring.n;
        const uint32_t l = (uint32_t)(i / t.ring.n % limbs);
        const slow_signed m = *toy_at(&t, plain, c, 0, j), q = toy_modulus(&t, r, l);
        const slow_signed lifted = m < constants.half || (keep_monomials && terms[c] == 1) ? m : m - modulus;
        assert_true(*toy_at(&t, r, c, l, j) == (uint64_t)((lifted % q + q) % q));
    }
    toy_assert_gaps(&t, r);
    toy_free(plain);
    toy_free(r);
    toy_close(&t);
}

static void test_lift(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        for (int way = 0; way < 4; way++) {
            check_lift(chain, way & 1, way & 2, 1);
            check_lift(chain, way & 1, way & 2, 7);
        }
    }
}

/* S for y_i = x t gamma / qhat_i mod q_i, the number that base conversion hands on. */
static void overflowing_sum(const toy *t, hb_batch x, uint32_t limbs, const mpz_t q, const mpz_t value,
                            const mpz_t t_gamma, mpz_t sum)
{
    mpz_t punctured, y;
    mpz_inits(punctured, y, (mpz_ptr)NULL);
    mpz_set_ui(sum, 0);
    for (uint32_t i = 0; i < limbs; i++) {
        uint64_t q_i = toy_modulus(t, x, i), inverse = crt_punctured(q, q_i, punctured);
        mpz_mul(y, value, t_gamma);
        mpz_mul_ui(y, y, inverse);
        mpz_addmul_ui(sum, punctured, mpz_fdiv_ui(y, q_i));
    }
    mpz_clears(punctured, y, (mpz_ptr)NULL);
}

/* m = floor((f + floor(gamma / 2)) / gamma) mod t for the exact integer f = (t gamma x - S) / Q. */
static void check_gamma(size_t chain, bool integer)
{
    uint64_t moduli[MOST];
    const uint32_t limbs = chains[chain].limbs;
    memcpy(moduli, chains[chain].moduli, sizeof moduli);
    moduli[limbs + 1] = gamma_prime;
    const uint64_t plain_modulus = moduli[limbs];
    toy t;
    toy_open(&t, 7, moduli, limbs + 2, integer);
    hb_batch a = toy_batch(&t, COUNT, 2, t.ids + limbs, GAP), r = toy_batch(&t, COUNT, 1, t.ids + limbs, 0);
    hb_batch all = {.ids = t.ids, .limbs = limbs};
    const size_t numbers = COUNT * t.ring.n;
    uint64_t random = chain + 20, *expected = malloc(numbers * sizeof *expected);
    assert_non_null(expected);
    mpz_t q, x, t_gamma, sum;
    mpz_inits(q, x, t_gamma, sum, (mpz_ptr)NULL);
    crt_product(&t, all, limbs, q);
    mpz_set_ui(t_gamma, plain_modulus);
    mpz_mul_ui(t_gamma, t_gamma, gamma_prime);
    for (size_t i = 0; i < numbers; i++) {
        crt_random(x, q, &random);
        overflowing_sum(&t, all, limbs, q, x, t_gamma, sum);
        crt_put(&t, a, i / t.ring.n, i % t.ring.n, sum);
        mpz_mul(x, x, t_gamma);
        mpz_sub(x, x, sum);
        mpz_divexact(x, x, q);
        mpz_add_ui(x, x, gamma_prime / 2);
        mpz_fdiv_q_ui(x, x, gamma_prime);
        expected[i] = mpz_fdiv_ui(x, plain_modulus);
    }
    hb_gamma_correction constants = {.plain_id = (uint16_t)limbs, .gamma_id = (uint16_t)(limbs + 1)};
    for (uint32_t i = 0; i < 2; i++) {
        const hb_modulus *m = &t.ring.moduli[limbs + i];
        constants.negative_inverse_q[i] = m->value - hb_mod_inverse(mpz_fdiv_ui(q, m->value), m);
    }
    constants.inverse_gamma = hb_mod_inverse(gamma_prime, &t.ring.moduli[limbs]);
    assert_int_equal(hb_gamma_correct(t.engine, r, a, &constants), HB_OK);
    for (size_t i = 0; i < numbers; i++) {
        assert_true(*toy_at(&t, r, i / t.ring.n, 0, i % t.ring.n) == expected[i]);
    }
    mpz_clears(q, x, t_gamma, sum, (mpz_ptr)NULL);
    free(expected);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

/* The step alone, s_g at and around gamma / 2, where no ciphertext may lead. */
static void check_centring(size_t chain)
{
    const uint32_t limbs = chains[chain].limbs;
    const uint64_t moduli[2] = {chains[chain].moduli[limbs], gamma_prime};
    toy t;
    toy_open(&t, 8, moduli, 2, false);
    uint64_t random = chain + 30;
    hb_batch a = toy_batch(&t, COUNT, 2, t.ids, GAP), r = toy_batch(&t, COUNT, 1, t.ids, 1);
    toy_fill(&t, a, &random);
    const hb_gamma_correction constants = {.plain_id = 0,
                                           .gamma_id = 1,
                                           .negative_inverse_q = {1, 1},
                                           .inverse_gamma = hb_mod_inverse(gamma_prime, &t.ring.moduli[0])};
    assert_int_equal(hb_gamma_correct(t.engine, r, a, &constants), HB_OK);
    const slow_signed wide_t = moduli[0];
    for (size_t i = 0; i < COUNT * t.ring.n; i++) {
        size_t c = i / t.ring.n, j = i % t.ring.n;
        slow_signed g = *toy_at(&t, a, c, 1, j), s = *toy_at(&t, a, c, 0, j);
        g = g > gamma_prime / 2 ? g - (slow_signed)gamma_prime : g;
        uint64_t difference = (uint64_t)(((s - g) % wide_t + wide_t) % wide_t);
        assert_true(slow_mul(*toy_at(&t, r, c, 0, j), gamma_prime % moduli[0], moduli[0]) == difference);
    }
    toy_assert_gaps(&t, r);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_gamma(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        mpz_t q;
        mpz_init_set_ui(q, 1);
        for (uint32_t l = 0; l < chains[chain].limbs; l++) {
            mpz_mul_ui(q, q, chains[chain].moduli[l]);
        }
        assert_true(mpz_gcd_ui(NULL, q, chains[chain].moduli[chains[chain].limbs]) == 1);
        mpz_clear(q);
        check_gamma(chain, false);
        check_gamma(chain, true);
        check_centring(chain);
    }
}

HB_UNIT(cpu_plain)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_lift),
        cmocka_unit_test(test_gamma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
