/* Base conversion and division by the last prime against big integers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/crt.h"

enum { COUNT = 2, GAP = 3, MOST = 8 };

/* Chains of pairwise coprime moduli; FP64, integer, mixed, tiny, ascending and descending. The last two are the targets
 * of conversions; they may share factors with the others. */
static const struct {
    uint32_t limbs;
    uint64_t moduli[MOST];
} chains[] = {
    {3, {97, 113, 193, 17, 1019}},
    {1, {(1ull << 43) - 57, 65537, (1ull << 61) - 1}},
    {4, {8796092858369, 8796092792833, 17592186028033, 17592185438209, 1032193, 2305843009213554689}},
    {3, {(1ull << 50) - 27, (1ull << 50) - 35, (1ull << 50) - 51, (1ull << 50) - 71, 2}},
    {4, {(1ull << 60) - 93, 97, (1ull << 36) - 5, (1ull << 60) - 107, 1ull << 49, (1ull << 60) - 173}},
    {2, {97, (1ull << 61) - 1, (1ull << 59) - 55, 3}},
};
enum { CHAINS = sizeof chains / sizeof *chains };

/* S = sum a_i qhat_i, not reduced modulo Q, modulo each target. */
static void check_conversion(size_t chain, bool integer)
{
    toy t;
    const uint32_t limbs = chains[chain].limbs;
    toy_open(&t, 6, chains[chain].moduli, limbs + 2, integer);
    uint64_t random = chain, matrix[2 * MOST];
    hb_batch a = toy_batch(&t, COUNT, limbs, t.ids, GAP), r = toy_batch(&t, COUNT, 2, t.ids + limbs, 0);
    toy_fill(&t, a, &random);
    mpz_t q, punctured[MOST], sum;
    mpz_inits(q, sum, (mpz_ptr)NULL);
    crt_product(&t, a, limbs, q);
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_init(punctured[i]);
        crt_punctured(q, toy_modulus(&t, a, i), punctured[i]);
        for (uint32_t o = 0; o < 2; o++) {
            matrix[o * limbs + i] = mpz_fdiv_ui(punctured[i], toy_modulus(&t, r, o));
        }
    }
    const hb_base_conversion conversion = {
        .from_limbs = limbs, .to_limbs = 2, .from_ids = a.ids, .to_ids = r.ids, .matrix = matrix};
    assert_int_equal(hb_base_convert(t.engine, r, a, &conversion), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (size_t j = 0; j < t.ring.n; j++) {
            mpz_set_ui(sum, 0);
            for (uint32_t i = 0; i < limbs; i++) {
                mpz_addmul_ui(sum, punctured[i], *toy_at(&t, a, c, i, j));
            }
            for (uint32_t o = 0; o < 2; o++) {
                assert_true(*toy_at(&t, r, c, o, j) == mpz_fdiv_ui(sum, toy_modulus(&t, r, o)));
            }
        }
    }
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_clear(punctured[i]);
    }
    mpz_clears(q, sum, (mpz_ptr)NULL);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_conversion(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        check_conversion(chain, false);
        check_conversion(chain, true);
    }
}

/* 64 limbs and every word as large as it may be: no sum overflows. The matrix need not belong to a basis for that. */
static void check_most_limbs(uint64_t modulus, bool integer)
{
    enum { LOG_N = 10 }; /* more than one block of accumulators */
    uint64_t moduli[HB_MAX_LIMBS + 1], matrix[HB_MAX_LIMBS];
    for (uint32_t i = 0; i <= HB_MAX_LIMBS; i++) {
        moduli[i] = modulus;
        matrix[i % HB_MAX_LIMBS] = modulus - 1;
    }
    toy t;
    toy_open(&t, LOG_N, moduli, HB_MAX_LIMBS + 1, integer);
    hb_batch a = toy_batch(&t, 1, HB_MAX_LIMBS, t.ids, 0), r = toy_batch(&t, 1, 1, t.ids + HB_MAX_LIMBS, 0);
    for (size_t i = 0; i < HB_MAX_LIMBS * t.ring.n; i++) {
        a.data[i] = modulus - 1 - i % t.ring.n % 3;
    }
    const hb_base_conversion conversion = {
        .from_limbs = HB_MAX_LIMBS, .to_limbs = 1, .from_ids = a.ids, .to_ids = r.ids, .matrix = matrix};
    assert_int_equal(hb_base_convert(t.engine, r, a, &conversion), HB_OK);
    for (size_t j = 0; j < t.ring.n; j++) {
        assert_true(r.data[j] == slow_mul(HB_MAX_LIMBS, 1 + j % 3, modulus)); /* (-1)(-1 - j) 64 times */
    }
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_most_limbs(void **state)
{
    (void)state;
    check_most_limbs((1ull << 61) - 1, true);
    check_most_limbs((1ull << 50) - 27, true);
    check_most_limbs((1ull << 50) - 27, false);
}

/* floor((X + floor(p/2)) / p) modulo the remaining primes. */
static void check_drop(size_t chain, bool integer, bool in_place)
{
    toy t;
    const uint32_t limbs = chains[chain].limbs;
    toy_open(&t, 7, chains[chain].moduli, limbs, integer);
    const uint64_t p = t.ring.moduli[limbs - 1].value;
    uint64_t random = chain + 10, inverse[MOST];
    for (uint32_t i = 0; i + 1 < limbs; i++) {
        inverse[i] = hb_mod_inverse(p, &t.ring.moduli[i]);
    }
    const hb_drop_last constants = {.last_id = (uint16_t)(limbs - 1), .half = p / 2, .inverse = inverse};
    hb_batch a = toy_batch(&t, COUNT, limbs, t.ids, GAP);
    hb_batch r = in_place ? hb_batch_limbs(a, &t.ring, 0, limbs - 1) : toy_batch(&t, COUNT, limbs - 1, t.ids, 1);
    const size_t numbers = COUNT * t.ring.n;
    mpz_t q, *x = malloc(numbers * sizeof *x);
    assert_non_null(x);
    mpz_init(q);
    crt_product(&t, a, limbs, q);
    for (size_t i = 0; i < numbers; i++) {
        mpz_init(x[i]);
        crt_random(x[i], q, &random);
        crt_put(&t, a, i / t.ring.n, i % t.ring.n, x[i]);
    }
    assert_int_equal(hb_divide_round_last(t.engine, r, a, &constants), HB_OK);
    for (size_t i = 0; i < numbers; i++) {
        mpz_add_ui(x[i], x[i], p / 2);
        mpz_fdiv_q_ui(x[i], x[i], p);
        for (uint32_t l = 0; l + 1 < limbs; l++) {
            assert_true(*toy_at(&t, r, i / t.ring.n, l, i % t.ring.n) == mpz_fdiv_ui(x[i], toy_modulus(&t, r, l)));
        }
        mpz_clear(x[i]);
    }
    toy_assert_gaps(&t, a);
    if (!in_place) {
        toy_assert_gaps(&t, r);
        toy_free(r);
    }
    mpz_clear(q);
    free(x);
    toy_free(a);
    toy_close(&t);
}

static void test_drop_last(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        for (int way = 0; way < 4 && chains[chain].limbs > 1; way++) {
            check_drop(chain, way & 1, way & 2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversion),
        cmocka_unit_test(test_most_limbs),
        cmocka_unit_test(test_drop_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
