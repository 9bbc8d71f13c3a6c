/* Operations with plaintexts and integers against their definition (semantics.md 6.5, 6.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bfv/params.h"
#include "reference/small_bfv.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "unit/unit.h"

/* Kind 0: anything; 1: zero; 2, 3: one coefficient, in the lower and in the upper half. */
enum { KINDS = 4 };

static void random_plain(small_bfv *f, uint64_t *plain, size_t kind)
{
    const uint64_t t = f->params->spec.bfv.plain, half = t / 2 + t % 2;
    for (size_t j = 0; j < N; j++) {
        const uint64_t edges[] = {0, 1, t - 1, half, half - 1};
        const uint64_t w = slow_random(&f->state);
        plain[j] = kind > 0 ? 0 : w & 1 ? edges[(w >> 1) % 5] : slow_random(&f->state) % t;
    }
    if (kind >= 2) {
        plain[slow_random(&f->state) % N] = kind == 2 ? 1 : t - 1;
    }
}

static hb_batch random_plains(small_bfv *f, size_t count)
{
    hb_batch b;
    assert_int_equal(hb_plaintexts_alloc(&b, f->engine, f->params, f->params->data_limbs, count), HB_OK);
    for (size_t c = 0; c < count; c++) {
        random_plain(f, b.data + c * N, c % KINDS);
    }
    return b;
}

/* The factor that SEAL makes of a plaintext: coefficients from the upper half are negative, but for that of a monomial
 * where every prime is above t. */
static mpz_t *lifted(const uint64_t *plain, uint64_t t, const slow_base *b)
{
    mpz_t *m = slow_integers(N);
    size_t terms = 0;
    bool fast = true;
    for (size_t j = 0; j < N; j++) {
        terms += plain[j] != 0;
    }
    for (uint32_t l = 0; l < b->k; l++) {
        fast = fast && b->primes[l] > t;
    }
    for (size_t j = 0; j < N; j++) {
        mpz_set_ui(m[j], plain[j]);
        if (plain[j] >= t / 2 + t % 2 && !(terms == 1 && fast)) {
            mpz_sub_ui(m[j], m[j], t);
        }
    }
    return m;
}

static void expect_factor(const small_bfv *f, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain, const slow_base *b)
{
    const size_t count = hb_ciphertexts_count(a);
    for (size_t p = 0; p < a.all.count; p++) {
        const uint64_t *of = plain.data + (plain.count == 1 ? 0 : p % count) * N;
        mpz_t *m = lifted(of, f->params->spec.bfv.plain, b), *x = integers_of(a.all, p, b), *sum = slow_integers(N);
        slow_product(sum, x, m, N);
        expect(r.all, p, sum, b);
        slow_integers_free(m, N);
        slow_integers_free(x, N);
        slow_integers_free(sum, N);
    }
}

static void expect_added(const small_bfv *f, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain, hb_sign sign,
                         const slow_base *b)
{
    const size_t count = hb_ciphertexts_count(a);
    mpz_t v;
    mpz_init(v);
    for (size_t p = 0; p < a.all.count; p++) {
        mpz_t *x = integers_of(a.all, p, b);
        for (size_t j = 0; j < N && p < count; j++) {
            slow_scaled(v, plain.data[(plain.count == 1 ? 0 : p) * N + j], f->params->spec.bfv.plain, b->q);
            (sign == HB_PLUS ? mpz_add : mpz_sub)(x[j], x[j], v);
        }
        expect(r.all, p, x, b);
        slow_integers_free(x, N);
    }
    mpz_clear(v);
}

static void check_plain(small_bfv *f, uint32_t k, size_t plains)
{
    slow_base b;
    slow_base_init(&b, f->params->spec.primes, k);
    const hb_ciphertexts a = random_ciphertexts(f, 3, MOST_COUNT, k), r = ciphertexts(f, 3, MOST_COUNT, k);
    const hb_batch plain = random_plains(f, plains);
    for (hb_sign sign = HB_PLUS; sign <= HB_MINUS; sign++) {
        assert_int_equal(hb_evaluator_copy(f->x, r, a), HB_OK);
        assert_int_equal(hb_evaluator_add_plain(f->x, r, plain, sign), HB_OK);
        expect_added(f, r, a, plain, sign, &b);
    }
    assert_int_equal(hb_evaluator_multiply_plain(f->x, r, a, plain), HB_OK);
    expect_factor(f, r, a, plain, &b);
    assert_int_equal(hb_evaluator_multiply_plain(f->x, a, a, plain), HB_OK);
    expect_same(a, r);
    hb_batch_free(f->engine, &(hb_batch){.data = plain.data});
    release(f, a);
    release(f, r);
    slow_base_clear(&b);
}

static void plaintexts_are_their_definition(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        small_bfv f;
        open_chain(&f, chain);
        for (uint32_t k = 1; k <= f.params->data_limbs; k++) {
            if (has_level(&f, k)) {
                check_plain(&f, k, 1);
                check_plain(&f, k, MOST_COUNT);
            }
        }
        close_small(&f);
    }
}

static void integers_are_factors(void **state)
{
    (void)state;
    const int64_t factors[] = {0, 1, -1, 5, -1000003, INT64_MAX, INT64_MIN};
    small_bfv f;
    open_chain(&f, 2);
    const uint32_t k = f.params->data_limbs;
    slow_base b;
    slow_base_init(&b, f.params->spec.primes, k);
    const hb_ciphertexts a = random_ciphertexts(&f, 2, COUNT, k), r = ciphertexts(&f, 2, COUNT, k);
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        assert_int_equal(hb_evaluator_multiply_integer(f.x, r, a, factors[i]), HB_OK);
        for (size_t p = 0; p < a.all.count; p++) {
            mpz_t *x = integers_of(a.all, p, &b);
            for (size_t j = 0; j < N; j++) {
                mpz_mul_si(x[j], x[j], factors[i]);
            }
            expect(r.all, p, x, &b);
            slow_integers_free(x, N);
        }
    }
    release(&f, a);
    release(&f, r);
    slow_base_clear(&b);
    close_small(&f);
}

/* semantics.md 6.6: 16 X^2 times A, with the factor 16 and not -1, and its neighbours. */
static void monomials_keep_their_coefficient(void **state)
{
    (void)state;
    static const uint64_t primes[] = {97, 113, 193}, monomial[] = {1195, 3373, 912, 9695, 7517, 5339, 3161, 983};
    static const uint64_t binomial[] = {49, 92, 43, 43, 43, 43, 43, 43}, small[] = {40, 78, 91, 53, 15, 74, 36, 95};
    small_bfv f;
    open_small(&f, small_params(LOG_N, primes, 3, 17), 1 << 20);
    const hb_ciphertexts a = ciphertexts(&f, 1, 1, 2), r = ciphertexts(&f, 1, 1, 2);
    for (size_t i = 0; i < N; i++) {
        *word(a.all, 0, 0, i) = (1234 * i + 57) % (97 * 113) % 97;
        *word(a.all, 0, 1, i) = (1234 * i + 57) % (97 * 113) % 113;
    }
    uint64_t coefficients[N] = {0, 0, 16};
    const hb_batch plain = hb_batch_on(f.engine, coefficients, 1, 1, &hb_bfv_of(f.params)->plain_id);
    assert_int_equal(hb_evaluator_multiply_plain(f.x, r, a, plain), HB_OK);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(*word(r.all, 0, 0, i), monomial[i] % 97);
        assert_int_equal(*word(r.all, 0, 1, i), monomial[i] % 113);
    }
    coefficients[0] = 1;
    assert_int_equal(hb_evaluator_multiply_plain(f.x, r, a, plain), HB_OK);
    assert_memory_equal(r.all.data, binomial, sizeof binomial);
    coefficients[0] = 0;
    coefficients[2] = 5;
    assert_int_equal(hb_evaluator_multiply_plain(f.x, r, a, plain), HB_OK);
    assert_memory_equal(r.all.data, small, sizeof small);
    release(&f, a);
    release(&f, r);
    close_small(&f);
}

HB_UNIT(evaluator_plain)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plaintexts_are_their_definition),
        cmocka_unit_test(integers_are_factors),
        cmocka_unit_test(monomials_keep_their_coefficient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
