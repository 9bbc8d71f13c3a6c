/* Products, sums and levels against their definition over the integers, on rings of degree 8 with primes and plain
 * moduli of all sorts, and against SEAL's worked examples (semantics.md 6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/engine_copy.h"
#include "reference/small_bfv.h"
#include "unit/unit.h"

/* Component k of the product of ciphertext c of a and d of b. */
static void expect_product(const small_bfv *f, hb_ciphertexts r, uint32_t k, hb_ciphertexts a, hb_ciphertexts b,
                           size_t c, size_t d)
{
    const size_t a_count = hb_ciphertexts_count(a), b_count = hb_ciphertexts_count(b);
    slow_base base;
    slow_base_init(&base, f->params->spec.primes, a.all.limbs);
    mpz_t *sum = slow_integers(N);
    for (uint32_t i = 0; i < a.size; i++) {
        if (k < i || k - i >= b.size) {
            continue;
        }
        mpz_t *u = integers_of(a.all, i * a_count + c, &base), *v = integers_of(b.all, (k - i) * b_count + d, &base);
        for (size_t j = 0; j < N; j++) {
            slow_lift(u[j], u[j], &base);
            slow_lift(v[j], v[j], &base);
        }
        slow_product(sum, u, v, N);
        slow_integers_free(u, N);
        slow_integers_free(v, N);
    }
    for (size_t j = 0; j < N; j++) {
        slow_floor(sum[j], sum[j], f->params->spec.bfv.plain, &base);
    }
    expect(r.all, k * a_count + c, sum, &base);
    slow_integers_free(sum, N);
    slow_base_clear(&base);
}

static void check_multiply(small_bfv *f, uint32_t limbs, uint32_t a_size, uint32_t b_size, size_t count, size_t b_count)
{
    const hb_ciphertexts a = random_ciphertexts(f, a_size, count, limbs),
                         b = b_count == 0 ? a : random_ciphertexts(f, b_size, b_count, limbs),
                         r = ciphertexts(f, a_size + b_size - 1, count, limbs), before = copy_of(f, a);
    assert_int_equal(hb_evaluator_multiply(f->x, r, a, b), HB_OK);
    expect_same(a, before);
    for (uint32_t k = 0; k < r.size; k++) {
        for (size_t c = 0; c < count; c++) {
            expect_product(f, r, k, a, b, c, b_count == 1 ? 0 : c);
        }
    }
    release(f, a);
    release(f, r);
    release(f, before);
    if (b_count != 0) {
        release(f, b);
    }
}

static void products_are_their_definition(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        small_bfv f;
        open_chain(&f, chain);
        for (uint32_t k = 1; k <= f.params->data_limbs; k++) {
            if (has_level(&f, k)) {
                check_multiply(&f, k, 2, 2, MOST_COUNT, MOST_COUNT);
                check_multiply(&f, k, 2, 2, 1, 1);
                check_multiply(&f, k, 3, 2, COUNT, COUNT);
                check_multiply(&f, k, 2, 3, COUNT, 1);
                check_multiply(&f, k, 2, 2, COUNT, 0);
                check_multiply(&f, k, 3, 3, COUNT, 0);
                check_multiply(&f, k, 8, 8, 1, 1);
            }
        }
        close_small(&f);
    }
}

static void mod_switch_is_its_definition(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        small_bfv f;
        open_chain(&f, chain);
        for (uint32_t k = 2; k <= f.params->data_limbs; k++) {
            if (!has_level(&f, k - 1)) {
                continue;
            }
            slow_base from, to;
            slow_base_init(&from, f.params->spec.primes, k);
            slow_base_init(&to, f.params->spec.primes, k - 1);
            const hb_ciphertexts a = random_ciphertexts(&f, 3, MOST_COUNT, k),
                                 r = ciphertexts(&f, 3, MOST_COUNT, k - 1);
            assert_int_equal(hb_evaluator_mod_switch(f.x, r, a), HB_OK);
            for (size_t p = 0; p < a.all.count; p++) {
                mpz_t *x = integers_of(a.all, p, &from);
                for (size_t j = 0; j < N; j++) {
                    slow_divide(x[j], from.primes[k - 1]);
                }
                expect(r.all, p, x, &to);
                slow_integers_free(x, N);
            }
            const hb_ciphertexts in_place = hb_ciphertexts_view(a, f.engine, f.params, 3, MOST_COUNT, k - 1);
            assert_int_equal(hb_evaluator_mod_switch(f.x, in_place, a), HB_OK);
            expect_same(in_place, r);
            release(&f, a);
            release(&f, r);
            slow_base_clear(&from);
            slow_base_clear(&to);
        }
        close_small(&f);
    }
}

/* Word for word: components that one side lacks are 0. */
static void expect_sum(const small_bfv *f, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b, bool minus)
{
    const size_t count = hb_ciphertexts_count(r), b_count = hb_ciphertexts_count(b);
    for (size_t i = 0; i < r.all.count * r.all.limbs * N; i++) {
        const size_t p = i / (r.all.limbs * N), j = i % N, component = p / count, c = p % count;
        const uint32_t l = (uint32_t)(i / N % r.all.limbs);
        const uint64_t q = f->params->spec.primes[l];
        const uint64_t u = component < a.size ? *word(a.all, p, l, j) : 0;
        const uint64_t v = component < b.size ? *word(b.all, component * b_count + (b_count == 1 ? 0 : c), l, j) : 0;
        assert_int_equal(*word(r.all, p, l, j), (minus ? u + (q - v) : u + v) % q);
    }
}

static void check_sums(small_bfv *f, uint32_t a_size, uint32_t b_size, size_t b_count)
{
    const uint32_t k = f->params->data_limbs, size = a_size > b_size ? a_size : b_size;
    const hb_ciphertexts a = random_ciphertexts(f, a_size, COUNT, k), b = random_ciphertexts(f, b_size, b_count, k),
                         r = ciphertexts(f, size, COUNT, k);
    assert_int_equal(hb_evaluator_add(f->x, r, a, b), HB_OK);
    expect_sum(f, r, a, b, false);
    assert_int_equal(hb_evaluator_sub(f->x, r, a, b), HB_OK);
    expect_sum(f, r, a, b, true);
    if (a_size == size) {
        const hb_ciphertexts before = copy_of(f, a);
        assert_int_equal(hb_evaluator_sub(f->x, a, a, b), HB_OK);
        expect_sum(f, a, before, b, true);
        release(f, before);
    }
    release(f, a);
    release(f, b);
    release(f, r);
}

static void sums_are_word_by_word(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        small_bfv f;
        open_chain(&f, chain);
        for (size_t b_count = 1; b_count <= COUNT; b_count += COUNT - 1) {
            check_sums(&f, 2, 2, b_count);
            check_sums(&f, 3, 2, b_count);
            check_sums(&f, 2, 3, b_count);
        }
        close_small(&f);
    }
}

static void all_ciphertexts_add_up(void **state)
{
    (void)state;
    small_bfv f;
    open_chain(&f, 0);
    const uint32_t k = f.params->data_limbs;
    const hb_ciphertexts r = random_ciphertexts(&f, 2, 1, k);
    for (size_t count = 1; count <= MOST_COUNT; count++) {
        const hb_ciphertexts a = random_ciphertexts(&f, 2, count, k), start = copy_of(&f, r);
        for (int first = 1; first >= 0; first--) {
            const hb_ciphertexts work = copy_of(&f, a);
            memcpy(r.all.data, start.all.data, r.all.count * r.all.stride * sizeof *r.all.data);
            assert_int_equal(hb_evaluator_sum(f.x, r, work, first), HB_OK);
            for (size_t i = 0; i < (size_t)2 * k * N; i++) {
                const uint32_t l = (uint32_t)(i / N % k);
                slow_wide sum = first ? 0 : *word(start.all, i / (k * N), l, i % N);
                for (size_t c = 0; c < count; c++) {
                    sum += *word(a.all, i / (k * N) * count + c, l, i % N);
                }
                assert_int_equal(*word(r.all, i / (k * N), l, i % N), (uint64_t)(sum % f.params->spec.primes[l]));
            }
            release(&f, work);
        }
        release(&f, a);
        release(&f, start);
    }
    release(&f, r);
    close_small(&f);
}

/* --- SEAL's worked examples: N = 8, primes 97, 113 and 193, t = 17 */

static const uint64_t toy_primes[] = {97, 113, 193};

/* A = (a0, a1), B = (b0, b1) of semantics.md 0, as two sets of one ciphertext. */
static void open_toy(small_bfv *f, hb_ciphertexts *a, hb_ciphertexts *b)
{
    open_small(f, small_params(LOG_N, toy_primes, 3, 17), 1 << 20);
    *a = ciphertexts(f, 2, 1, 2);
    *b = ciphertexts(f, 2, 1, 2);
    uint64_t power = 100;
    for (uint64_t i = 0; i < N; i++, power *= 3) {
        const uint64_t q = 97 * 113;
        const uint64_t x[] = {(1234 * i + 57) % q, (777 * i * i + 4321 * i + 9) % q};
        const uint64_t y[] = {10960 - 1111 * i, (power + 5) % q};
        for (uint32_t l = 0; l < 2; l++) {
            for (size_t p = 0; p < 2; p++) {
                *word(a->all, p, l, i) = x[p] % toy_primes[l];
                *word(b->all, p, l, i) = y[p] % toy_primes[l];
            }
        }
    }
}

static void expect_words(hb_ciphertexts r, const uint64_t *words)
{
    assert_memory_equal(r.all.data, words, r.all.count * r.all.stride * sizeof *words);
}

static void worked_examples(void **state)
{
    (void)state;
    static const uint64_t product[] = {85, 27, 41, 44, 50, 92, 69, 92, 60,  82, 112, 77, 17, 60, 2,  109,
                                       34, 96, 48, 36, 44, 65, 85, 85, 100, 98, 111, 70, 77, 97, 47, 56,
                                       96, 55, 27, 69, 52, 43, 16, 33, 84,  23, 59,  73, 74, 29, 53, 77};
    static const uint64_t square[] = {63, 88, 14, 4,  30, 38, 16, 30, 28, 8,  86, 12, 104, 41,  33, 56,
                                      23, 24, 38, 83, 43, 25, 31, 93, 81, 0,  91, 23, 59,  64,  72, 84,
                                      32, 56, 14, 4,  64, 10, 24, 12, 89, 79, 1,  48, 99,  101, 86, 106};
    static const uint64_t switched[] = {1, 11, 22, 33, 44, 55, 66, 77, 0, 45, 7, 80, 69, 72, 89, 23};
    small_bfv f;
    hb_ciphertexts a, b;
    open_toy(&f, &a, &b);
    const hb_ciphertexts r = ciphertexts(&f, 3, 1, 2), lower = ciphertexts(&f, 2, 1, 1);
    assert_int_equal(hb_evaluator_multiply(f.x, r, a, b), HB_OK);
    expect_words(r, product);
    assert_int_equal(hb_evaluator_multiply(f.x, r, a, a), HB_OK);
    expect_words(r, square);
    assert_int_equal(hb_evaluator_mod_switch(f.x, lower, a), HB_OK);
    expect_words(lower, switched);
    release(&f, a);
    release(&f, b);
    release(&f, r);
    release(&f, lower);
    close_small(&f);
}

static size_t allocated;
static hb_status (*real_alloc)(hb_engine *e, size_t bytes, void **memory);

static hb_status counting_alloc(hb_engine *e, size_t bytes, void **memory)
{
    allocated += bytes;
    return real_alloc(e, bytes, memory);
}

static void memory_is_what_was_announced(void **state)
{
    (void)state;
    small_bfv f;
    open_chain(&f, 2);
    const uint32_t k = f.params->data_limbs;
    const hb_evaluator_requirements requirements[] = {
        {.limbs = k, .count = 5},
        {.limbs = k, .count = 5, .size = 2, .plain_factors = true},
        {.limbs = k, .count = 5, .switching = true},
        {.limbs = k, .count = 5, .switching = true, .hoisting = true},
        {.limbs = 1, .count = 900, .size = 3, .switching = true, .hoisting = true, .plain_factors = true},
        {.limbs = k, .count = 1000000, .size = 8, .switching = true, .hoisting = true, .plain_factors = true}};
    engine_copy copy;
    engine_copy_of(&copy, f.engine->ops);
    real_alloc = copy.memory.alloc;
    copy.memory.alloc = counting_alloc;
    f.engine->ops = &copy.ops;
    f.engine->batch_bytes = 0;
    for (size_t i = 0; i < sizeof requirements / sizeof *requirements; i++) {
        hb_evaluator *x;
        allocated = 0;
        assert_int_equal(hb_evaluator_open(f.engine, f.params, &requirements[i], &x), HB_OK);
        assert_int_equal(allocated, hb_evaluator_bytes(f.params, &requirements[i]));
        hb_evaluator_close(x);
    }
    close_small(&f);
}

static void keys_need_a_special_prime(void **state)
{
    (void)state;
    small_bfv f;
    hb_evaluator *x;
    open_chain(&f, 3);
    const hb_evaluator_requirements requirements = {.limbs = 1, .count = 1, .size = 2, .switching = true};
    assert_int_equal(hb_evaluator_open(f.engine, f.params, &requirements, &x), HB_ECONFIG);
    assert_null(x);
    close_small(&f);
}

HB_UNIT(evaluator)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_their_definition),
        cmocka_unit_test(mod_switch_is_its_definition),
        cmocka_unit_test(sums_are_word_by_word),
        cmocka_unit_test(all_ciphertexts_add_up),
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(memory_is_what_was_announced),
        cmocka_unit_test(keys_need_a_special_prime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
