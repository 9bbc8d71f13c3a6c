/* An evaluator on a ring of degree 8, whose results are compared with their definition (slow_bfv.h). */
#ifndef HB_TESTS_SMALL_BFV_H
#define HB_TESTS_SMALL_BFV_H

#include "reference/slow_bfv.h"
#include "reference/small_params.h"
#include "scheme/evaluator.h"

enum { LOG_N = 3, N = 8, COUNT = 3, MOST_COUNT = 9 };

/* t prime and composite, even, 2, above a prime of the chain, long; one prime alone; primes of 30 and of 60 bits. */
static const struct {
    uint32_t bits[5], limbs;
    uint64_t plain;
} chains[] = {
    {{30, 30, 30, 31}, 4, 65537},
    {{60, 60, 60}, 3, 1032193},
    {{50, 36, 60, 45, 49}, 5, 1 << 20},
    {{60}, 1, 536870909}, /* w may exceed B: alpha < 0 */
    {{8, 30, 12, 14}, 4, 1000},
    {{27, 27}, 2, 2},
    {{55, 50, 45, 60}, 4, ((uint64_t)1 << 60) - 93},
    {{49, 49, 49, 49, 49}, 5, 786433}, /* sizes of the auxiliary base's primes */
};
enum { CHAINS = sizeof chains / sizeof *chains };

typedef struct small_bfv {
    hb_params *params;
    hb_engine *engine;
    hb_evaluator *x;
    uint64_t state;
} small_bfv;

/* batch_bytes: of the workspace, so that there are several batches, also of one ciphertext, and one of all. */
static inline void open_small(small_bfv *f, hb_params *params, size_t batch_bytes)
{
    *f = (small_bfv){.params = params, .state = 7};
    const bool can = hb_params_can_switch(f->params);
    const hb_evaluator_requirements requirements = {.limbs = f->params->data_limbs,
                                                    .count = MOST_COUNT,
                                                    .size = HB_BEHZ_MOST_SIZE,
                                                    .switching = can,
                                                    .hoisting = can,
                                                    .plain_factors = true};
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
    f->engine->batch_bytes = batch_bytes;
    assert_int_equal(hb_evaluator_open(f->engine, f->params, &requirements, &f->x), HB_OK);
}

static inline void open_chain(small_bfv *f, size_t chain)
{
    static const size_t batch_bytes[] = {1, 1 << 14, 1 << 20};
    uint64_t primes[HB_MAX_LIMBS];
    assert_int_equal(hb_create_primes(N, chains[chain].bits, chains[chain].limbs, primes), HB_OK);
    open_small(f, small_params(LOG_N, primes, chains[chain].limbs, chains[chain].plain), batch_bytes[chain % 3]);
}

static inline void close_small(small_bfv *f)
{
    hb_evaluator_close(f->x);
    hb_engine_close(f->engine);
    small_params_close(f->params);
}

static inline bool has_level(const small_bfv *f, uint32_t k)
{
    return f->params->levels[k].basis.limbs == k;
}

static inline hb_ciphertexts ciphertexts(const small_bfv *f, uint32_t size, size_t count, uint32_t limbs)
{
    hb_ciphertexts a;
    assert_int_equal(hb_ciphertexts_alloc(&a, f->engine, f->params, size, count, limbs), HB_OK);
    return a;
}

static inline void release(const small_bfv *f, hb_ciphertexts a)
{
    hb_batch_free(f->engine, &a.all);
}

/* A number in [0, Q), often one near 0, Q / 2 or Q: also in [Q / 2, Q / 2 + Q / 2^32), where lifting is not
 * centring. */
static inline void random_integer(mpz_t x, const mpz_t q, uint64_t *state)
{
    const uint64_t choice = slow_random(state) % 6;
    mpz_set_ui(x, 0);
    for (size_t bits = 0; bits < mpz_sizeinbase(q, 2) + 64; bits += 64) {
        mpz_mul_2exp(x, x, 64);
        mpz_add_ui(x, x, slow_random(state));
    }
    mpz_mod(x, x, q);
    if (choice < 3) {
        mpz_set_ui(x, slow_random(state) % 3);
        mpz_addmul_ui(x, q, choice);
        mpz_fdiv_q_2exp(x, x, 1);
    } else if (choice == 3) {
        mpz_fdiv_q_2exp(x, x, 32);
        mpz_addmul_ui(x, x, 1);
        mpz_t half;
        mpz_init(half);
        mpz_fdiv_q_2exp(half, q, 1);
        mpz_add(x, x, half);
        mpz_clear(half);
    }
    mpz_mod(x, x, q);
}

/* Word j of the residues, a limb apart, of polynomial p. */
static inline uint64_t *word(hb_batch a, size_t p, uint32_t l, size_t j)
{
    return &a.data[p * a.stride + l * N + j];
}

static inline void put(hb_batch a, size_t p, size_t j, const mpz_t x, const slow_base *b)
{
    for (uint32_t l = 0; l < b->k; l++) {
        *word(a, p, l, j) = mpz_fdiv_ui(x, b->primes[l]);
    }
}

static inline hb_ciphertexts random_ciphertexts(small_bfv *f, uint32_t size, size_t count, uint32_t limbs)
{
    const hb_ciphertexts a = ciphertexts(f, size, count, limbs);
    slow_base b;
    mpz_t x;
    mpz_init(x);
    slow_base_init(&b, f->params->spec.primes, limbs);
    for (size_t i = 0; i < a.all.count * N; i++) {
        random_integer(x, b.q, &f->state);
        put(a.all, i / N, i % N, x, &b);
    }
    slow_base_clear(&b);
    mpz_clear(x);
    return a;
}

/* The coefficients of polynomial p, in [0, Q). */
static inline mpz_t *integers_of(hb_batch a, size_t p, const slow_base *b)
{
    mpz_t *x = slow_integers(N);
    for (size_t j = 0; j < N; j++) {
        slow_compose(x[j], word(a, p, 0, j), N, b);
    }
    return x;
}

/* Polynomial p of r is x mod every prime. */
static inline void expect(hb_batch r, size_t p, mpz_t *x, const slow_base *b)
{
    for (uint32_t l = 0; l < b->k; l++) {
        for (size_t j = 0; j < N; j++) {
            assert_int_equal(*word(r, p, l, j), mpz_fdiv_ui(x[j], b->primes[l]));
        }
    }
}

static inline void expect_same(hb_ciphertexts a, hb_ciphertexts b)
{
    assert_int_equal(a.all.count, b.all.count);
    assert_memory_equal(a.all.data, b.all.data, a.all.count * a.all.stride * sizeof *a.all.data);
}

static inline hb_ciphertexts copy_of(const small_bfv *f, hb_ciphertexts a)
{
    const hb_ciphertexts r = ciphertexts(f, a.size, hb_ciphertexts_count(a), a.all.limbs);
    memcpy(r.all.data, a.all.data, a.all.count * a.all.stride * sizeof *a.all.data);
    return r;
}

/* Keys are random words: operations compute the same with these as with real keys. */
static inline hb_switch_key key_of_words(const small_bfv *f, uint32_t element, const uint64_t *words)
{
    hb_switch_key key;
    assert_int_equal(hb_switch_key_load_words(&key, f->engine, f->params, element, words), HB_OK);
    return key;
}

static inline hb_switch_key random_key(small_bfv *f, uint32_t element)
{
    const uint32_t limbs = f->params->key_limbs;
    const size_t rows = (size_t)2 * f->params->data_limbs * limbs;
    uint64_t *words = malloc(rows * N * sizeof *words);
    for (size_t i = 0; i < rows * N; i++) {
        words[i] = slow_random(&f->state) % f->params->spec.primes[i / N % limbs];
    }
    const hb_switch_key key = key_of_words(f, element, words);
    free(words);
    return key;
}

#endif
