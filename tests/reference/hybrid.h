/* Parameters with digits and special primes of any number, keys of any source, and the bound of the noise that
 * switching with them adds. */
#ifndef HB_TESTS_HYBRID_H
#define HB_TESTS_HYBRID_H

#include <stdlib.h>
#include <string.h>

#include "cpu/engine.h"
#include "reference/slow.h"
#include "reference/streams.h"
#include "rlwe/switch_keys.h"
#include "scheme/params.h"

enum { N = 1 << STREAM_LOG_N, MOST = 5 };

/* Special primes, primes of a digit. The first is SEAL's. */
static const uint32_t kinds[][2] = {{1, 1}, {2, 2}, {3, 3}, {2, 1}, {3, 2}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct fixture {
    hb_params *params;
    hb_engine *engine;
    hb_seed root, seeds[HB_MAX_LIMBS];
    int8_t ternary[2][N];
    hb_secret_key secret, other;
    uint64_t random;
} fixture;

static inline void open_fixture(fixture *f, const uint32_t kind[2])
{
    memset(f, 0, sizeof *f);
    hb_params_spec spec = {.n = N,
                           .key_limbs = STREAM_PRIMES,
                           .special_limbs = kind[0],
                           .digit_limbs = kind[1],
                           .security = {.level = 128},
                           .insecure = true,
                           .bfv.plain = 12289};
    memcpy(spec.primes, stream_primes, sizeof stream_primes);
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
    memset(f->root.bytes, 7, sizeof f->root.bytes);
    hb_seed_public(f->seeds, STREAM_PRIMES, &f->root, 0);
    for (int i = 0; i < 2; i++) {
        const hb_seed root = {{(uint8_t)i}};
        assert_int_equal(hb_secret_draw(f->engine, f->params, &root, f->ternary[i]), HB_OK);
    }
    assert_int_equal(hb_secret_key_load(&f->secret, f->engine, f->params, f->ternary[0]), HB_OK);
    assert_int_equal(hb_secret_key_load(&f->other, f->engine, f->params, f->ternary[1]), HB_OK);
}

static inline void close_fixture(fixture *f)
{
    hb_secret_key_clear(&f->secret);
    hb_secret_key_clear(&f->other);
    hb_engine_close(f->engine);
    hb_params_close(f->params);
}

static inline hb_batch polynomials(fixture *f, size_t count, uint32_t limbs)
{
    hb_batch b;
    assert_int_equal(hb_batch_alloc(f->engine, &b, count, limbs, f->params->ids), HB_OK);
    return b;
}

static inline void fill(fixture *f, hb_batch b)
{
    for (size_t i = 0; i < b.count * b.limbs * N; i++) {
        b.data[i] = slow_random(&f->random) % f->params->ring.moduli[b.ids[i / N % b.limbs]].value;
    }
}

/* s(X^element) of integers. */
static inline void permute_ternary(int8_t *r, const int8_t *s, uint32_t element)
{
    for (size_t i = 0; i < N; i++) {
        const size_t at = i * element % (2 * N);
        r[at % N] = (int8_t)(at < N ? s[i] : -s[i]);
    }
}

static inline uint32_t inverse_of(uint32_t element)
{
    uint32_t inverse = 1;
    while (inverse * element % (2 * N) != 1) {
        inverse += 2;
    }
    return inverse;
}

static inline void load_permuted(fixture *f, hb_secret_key *key, uint32_t element)
{
    int8_t permuted[N];
    permute_ternary(permuted, f->ternary[0], element);
    assert_int_equal(hb_secret_key_load(key, f->engine, f->params, permuted), HB_OK);
}

static inline void make_key(fixture *f, hb_switch_key *key, hb_key_source source, uint32_t element, uint32_t limbs)
{
    const hb_key_purpose purpose = {
        .limbs = limbs, .source = source, .element = element, .other = source == HB_FROM_SECRET ? &f->other : NULL};
    hb_seed root;
    hb_key_purpose_root(&root, &f->root, &purpose);
    assert_int_equal(hb_switch_key_generate_for(key, &f->secret, &purpose, &root, f->seeds), HB_OK);
}

/* The most noise that switching adds at the level of k limbs: errors times digits, over P, and rounding. */
static inline double noise_bound(const hb_params *p, uint32_t k)
{
    const hb_gadget *gadget = &p->gadget;
    double special = 1, digits = 0;
    for (uint32_t i = 0; i < p->special_limbs; i++) {
        special *= (double)p->spec.primes[p->data_limbs + i];
    }
    for (uint32_t j = 0; j < gadget->levels[k].digits; j++) {
        const uint32_t first = hb_gadget_first(gadget, j), limbs = hb_gadget_limbs(gadget, j, k);
        double digit = gadget->centred ? limbs / 2.0 : 1;
        for (uint32_t i = first; i < first + limbs; i++) {
            digit *= (double)p->spec.primes[i];
        }
        digits += digit / special;
    }
    return N * 19.0 * digits + (1 + N) * 0.5001;
}

/* Every coefficient of a, in coefficient form, is an integer within the bound, the same in all limbs. */
static inline void check_small(const fixture *f, hb_batch a, double bound)
{
    uint64_t most = 0;
    for (size_t c = 0; c < a.count; c++) {
        for (size_t j = 0; j < N; j++) {
            const uint64_t q = f->params->spec.primes[0], x = a.data[c * a.stride + j];
            const bool minus = x > q / 2;
            const uint64_t size = minus ? q - x : x;
            most = size > most ? size : most;
            for (uint32_t l = 1; l < a.limbs; l++) {
                const uint64_t m = f->params->spec.primes[l];
                assert_int_equal(a.data[c * a.stride + l * N + j], minus ? m - size : size);
            }
        }
    }
    assert_true((double)most <= bound);
    assert_true(most > 0);
}

/* r = a_0 + a_1 t in coefficient form, of a in NTT form, which is destroyed. */
static inline void take_phase(const fixture *f, hb_batch r, hb_batch a, const hb_secret_key *t)
{
    const size_t count = r.count;
    const hb_batch secret = hb_batch_limbs(f->engine, t->s, 0, a.limbs), a1 = hb_batch_slice(a, count, count);
    assert_int_equal(hb_mul(f->engine, a1, a1, secret), HB_OK);
    assert_int_equal(hb_add(f->engine, r, hb_batch_slice(a, 0, count), a1), HB_OK);
    assert_int_equal(hb_intt(f->engine, r), HB_OK);
}

#endif
