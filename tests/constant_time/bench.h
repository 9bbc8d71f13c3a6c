/* Secrets as valgrind's memcheck sees them, and keys that are made of them. Included after <cmocka.h>. */
#ifndef HB_TESTS_CONSTANT_TIME_BENCH_H
#define HB_TESTS_CONSTANT_TIME_BENCH_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "ckks/presets.h"
#include "cpu/engine.h"
#include "rlwe/keys.h"
#include "scheme/params.h"

#define SECRET(memory, bytes) ((void)VALGRIND_MAKE_MEM_UNDEFINED((memory), (bytes)))
#define PUBLIC(memory, bytes) ((void)VALGRIND_MAKE_MEM_DEFINED((memory), (bytes)))

/* Tells whether any of the leading bits of memory is secret: otherwise the data under test would have become public on
 * its way, and memcheck would report nothing. */
static inline bool is_secret(const void *memory, size_t bytes)
{
    uint8_t bits[1024] = {0}, any = 0;
    const size_t looked = bytes < sizeof bits ? bytes : sizeof bits;
    (void)VALGRIND_GET_VBITS(memory, bits, looked);
    for (size_t i = 0; i < looked; i++) {
        any |= bits[i];
    }
    return any != 0;
}

/* --- an engine that declares public seeds so before it expands them: rejection takes branches there, as it may */

static const hb_sample_ops *real_sample;

static inline hb_status sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    PUBLIC(seeds, r.count * sizeof *seeds);
    return real_sample->sample_uniform(e, r, seeds);
}

static inline hb_status mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    PUBLIC(seeds, r.count * sizeof *seeds);
    return real_sample->mul_uniform(e, r, seeds, b);
}

typedef struct bench {
    hb_params *params;
    hb_engine *engine;
    hb_engine_ops ops;
    hb_sample_ops sample;
    hb_seed root; /* secret */
    int8_t *ternary;
    hb_secret_key secret;
    hb_public_key public_key;
} bench;

/* A preset, or NULL: CKKS with scales of two primes, which has arithmetic of its own. */
static inline hb_params_spec spec_of(const char *preset)
{
    hb_params_spec spec = {.n = 1024, .security = {.level = 128}, .insecure = true};
    const hb_ckks_chain chain = {50, 80, 1, 1};
    assert_int_equal(preset != NULL ? hb_params_preset(preset, &spec) : hb_ckks_find_chain(&spec, &chain), HB_OK);
    return spec;
}

static inline void open_engine(bench *b, const char *preset)
{
    const hb_params_spec spec = spec_of(preset);
    memset(b, 0, sizeof *b);
    assert_int_equal(hb_params_open(&spec, &b->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&b->params->ring, &b->engine), HB_OK);
    real_sample = b->engine->ops->sample;
    b->sample = *real_sample;
    b->sample.sample_uniform = sample_uniform;
    b->sample.mul_uniform = mul_uniform;
    b->ops = *b->engine->ops;
    b->ops.sample = &b->sample;
    b->engine->ops = &b->ops;
}

static inline void open_keys(bench *b, const char *preset)
{
    open_engine(b, preset);
    const size_t n = b->params->ring.n;
    hb_seed public_seed = {{7}};
    b->root = (hb_seed){{3, 1, 4}};
    SECRET(&b->root, sizeof b->root);
    b->ternary = malloc(n);
    assert_non_null(b->ternary);
    assert_int_equal(hb_secret_draw(b->engine, b->params, &b->root, b->ternary), HB_OK);
    assert_true(is_secret(b->ternary, n));
    assert_int_equal(hb_secret_key_load(&b->secret, b->engine, b->params, b->ternary), HB_OK);
    assert_int_equal(hb_public_key_generate(&b->public_key, &b->secret, &b->root, &public_seed), HB_OK);
}

static inline void close_bench(bench *b)
{
    hb_public_key_clear(&b->public_key);
    hb_secret_key_clear(&b->secret);
    hb_engine_close(b->engine);
    hb_params_close(b->params);
    free(b->ternary);
}

static inline hb_batch batch_of(const bench *b, size_t count, uint32_t limbs)
{
    hb_batch batch;
    assert_int_equal(hb_batch_alloc(b->engine, &batch, count, limbs, b->params->ids), HB_OK);
    return batch;
}

static inline size_t bytes_of(const bench *b, hb_batch x)
{
    return x.count * x.limbs * b->params->ring.n * sizeof *x.data;
}

#endif
