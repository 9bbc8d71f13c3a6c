/* Small rings, engines and batches for tests: any moduli, prime or not, and both arithmetics for the same modulus. */
#ifndef HB_TESTS_TOY_H
#define HB_TESTS_TOY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/engine.h"
#include "reference/slow.h"
#include "ring/engine.h"

#define TOY_UNTOUCHED 0xdeadbeefdeadbeefu /* between polynomials; no kernel may write there */

typedef struct toy {
    hb_ring ring;
    hb_engine *engine;
    uint16_t ids[HB_RING_MAX_MODULI]; /* 0, 1, 2, ... */
} toy;

/* integer: the integer path even where a modulus would allow FP64. No modulus has a root: there is no transform. */
static inline void toy_open(toy *t, uint32_t log_n, const uint64_t *moduli, uint32_t count, bool integer)
{
    memset(t, 0, sizeof *t);
    t->ring.log_n = log_n;
    t->ring.n = (size_t)1 << log_n;
    t->ring.count = count;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(hb_modulus_init(&t->ring.moduli[i], moduli[i]), HB_OK);
        t->ring.moduli[i].f64 = t->ring.moduli[i].f64 && !integer;
        t->ids[i] = (uint16_t)i;
    }
    assert_int_equal(hb_seed_start(), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&t->ring, &t->engine), HB_OK);
}

/* Primes that have roots, all different. */
static inline void toy_open_primes(toy *t, uint32_t log_n, const uint64_t *primes, uint32_t count)
{
    memset(t, 0, sizeof *t);
    assert_int_equal(hb_ring_init(&t->ring, log_n), HB_OK);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(hb_ring_add_modulus(&t->ring, primes[i], &t->ids[i]), HB_OK);
        assert_true(t->ring.psi[t->ids[i]] != 0);
    }
    assert_int_equal(hb_seed_start(), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&t->ring, &t->engine), HB_OK);
}

static inline void toy_close(toy *t)
{
    hb_engine_close(t->engine);
}

/* `gap` words between polynomials; everything is TOY_UNTOUCHED. Free with toy_free. */
static inline hb_batch toy_batch(const toy *t, size_t count, uint32_t limbs, const uint16_t *ids, size_t gap)
{
    hb_batch b = {.ids = ids, .limbs = limbs, .count = count, .stride = limbs * t->ring.n + gap};
    b.data = malloc(count * b.stride * sizeof *b.data);
    assert_non_null(b.data);
    for (size_t i = 0; i < count * b.stride; i++) {
        b.data[i] = TOY_UNTOUCHED;
    }
    return b;
}

static inline uint64_t *toy_at(const toy *t, hb_batch b, size_t c, uint32_t l, size_t j)
{
    return &b.data[c * b.stride + l * t->ring.n + j];
}

static inline uint64_t toy_modulus(const toy *t, hb_batch b, uint32_t l)
{
    return t->ring.moduli[b.ids[l]].value;
}

/* A residue mod m: in one of two cases an extreme one. */
static inline uint64_t toy_residue(uint64_t m, uint64_t *state)
{
    uint64_t edges[] = {0, 1, m - 1, m / 2, (m + 1) / 2, m - 2, m / 2 - 1, 2 % m};
    uint64_t w = slow_random(state);
    return w & 1 ? edges[(w >> 1) % 8] % m : slow_random(state) % m;
}

static inline void toy_fill(const toy *t, hb_batch b, uint64_t *state)
{
    for (size_t c = 0; c < b.count; c++) {
        for (uint32_t l = 0; l < b.limbs; l++) {
            for (size_t j = 0; j < t->ring.n; j++) {
                *toy_at(t, b, c, l, j) = toy_residue(toy_modulus(t, b, l), state);
            }
        }
    }
}

/* A copy of all of b's memory, gaps included. */
static inline hb_batch toy_copy(const toy *t, hb_batch b)
{
    hb_batch copy = toy_batch(t, b.count, b.limbs, b.ids, b.stride - b.limbs * t->ring.n);
    memcpy(copy.data, b.data, b.count * b.stride * sizeof *b.data);
    return copy;
}

static inline void toy_assert_gaps(const toy *t, hb_batch b)
{
    for (size_t c = 0; c < b.count; c++) {
        for (size_t i = b.limbs * t->ring.n; i < b.stride; i++) {
            assert_true(b.data[c * b.stride + i] == TOY_UNTOUCHED);
        }
    }
}

static inline void toy_free(hb_batch b)
{
    free(b.data);
}

#endif
