/* Parameters, a CPU engine and a key pair drawn from a fixed seed, for tests of the scheme. */
#ifndef HB_TESTS_KEY_PAIR_H
#define HB_TESTS_KEY_PAIR_H

#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "cpu/engine.h"
#include "rlwe/keys.h"
#include "scheme/params.h"

typedef struct key_pair {
    hb_params *params;
    hb_engine *engine;
    hb_seed root, public_seed;
    int8_t *ternary;
    hb_secret_key secret;
    hb_public_key public_key;
} key_pair;

/* For a literal whose primes are of these bits. seed: every byte of the root. ones: all of the secret is +1. */
static inline void key_pair_open_spec(key_pair *f, hb_params_spec spec, const uint32_t *bits, int seed, bool ones)
{
    const size_t n = spec.n;
    memset(f, 0, sizeof *f);
    spec.security = (hb_security){.level = 128};
    spec.insecure = true;
    assert_int_equal(hb_create_primes(n, bits, spec.key_limbs, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &f->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&f->params->ring, &f->engine), HB_OK);
    memset(f->root.bytes, seed, sizeof f->root.bytes);
    hb_seed_derive(&f->public_seed, &f->root, "public key");
    f->ternary = malloc(n);
    assert_non_null(f->ternary);
    assert_int_equal(hb_secret_draw(f->engine, f->params, &f->root, f->ternary), HB_OK);
    if (ones) {
        memset(f->ternary, 1, n);
    }
    assert_int_equal(hb_secret_key_load(&f->secret, f->engine, f->params, f->ternary), HB_OK);
    assert_int_equal(hb_public_key_generate(&f->public_key, &f->secret, &f->root, &f->public_seed), HB_OK);
}

/* bits: [limbs], of the primes, the special one last. */
static inline void key_pair_open(key_pair *f, size_t n, const uint32_t *bits, uint32_t limbs, uint64_t plain, int seed,
                                 bool ones)
{
    key_pair_open_spec(f, (hb_params_spec){.n = n, .key_limbs = limbs, .bfv.plain = plain}, bits, seed, ones);
}

static inline void key_pair_close(key_pair *f)
{
    hb_public_key_clear(&f->public_key);
    hb_secret_key_clear(&f->secret);
    hb_engine_close(f->engine);
    hb_params_close(f->params);
    free(f->ternary);
}

static inline hb_batch key_pair_batch(const key_pair *f, size_t count, uint32_t limbs, const uint16_t *ids)
{
    hb_batch b;
    assert_int_equal(hb_batch_alloc(f->engine, &b, count, limbs, ids), HB_OK);
    return b;
}

#endif
