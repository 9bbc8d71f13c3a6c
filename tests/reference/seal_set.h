/* A folder of Microsoft SEAL's vectors (tests/vectors), opened: parameters, an engine, the secret key, and its
 * files. */
#ifndef HB_TESTS_SEAL_SET_H
#define HB_TESTS_SEAL_SET_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "rlwe/keys.h"
#include "scheme/params.h"

typedef hb_status (*seal_engine)(const hb_ring *ring, hb_engine **out);

typedef struct seal_set {
    char folder[512];
    json_t *json;
    hb_params *params;
    hb_engine *engine;
    hb_secret_key secret;
} seal_set;

static inline FILE *open_file(const seal_set *set, const char *name)
{
    char path[640];
    snprintf(path, sizeof path, "%s/%s", set->folder, name);
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        fail_msg("cannot open %s", path);
    }
    return f;
}

/* Exactly `count` words; the caller frees. */
static inline uint64_t *read_words(const seal_set *set, const char *name, size_t count)
{
    uint64_t *x = malloc(count * sizeof *x);
    FILE *f = open_file(set, name);
    assert_int_equal(fread(x, sizeof *x, count, f), count);
    assert_int_equal(fgetc(f), EOF);
    fclose(f);
    return x;
}

static inline void open_set(seal_set *set, const char *folder, seal_engine open_engine)
{
    memset(set, 0, sizeof *set);
    snprintf(set->folder, sizeof set->folder, "%s", folder);
    FILE *f = open_file(set, "params.json");
    set->json = json_loadf(f, 0, NULL);
    fclose(f);
    assert_non_null(set->json);
    hb_params_spec spec = {.security = {.level = 128}, .insecure = true};
    spec.n = (size_t)json_integer_value(json_object_get(set->json, "N"));
    spec.bfv.plain = (uint64_t)json_integer_value(json_object_get(set->json, "t"));
    const json_t *primes = json_object_get(set->json, "primes");
    spec.key_limbs = (uint32_t)json_array_size(primes);
    for (size_t i = 0; i < spec.key_limbs; i++) {
        spec.primes[i] = (uint64_t)json_integer_value(json_array_get(primes, i));
    }
    assert_int_equal(hb_params_open(&spec, &set->params), HB_OK);
    assert_int_equal(open_engine(&set->params->ring, &set->engine), HB_OK);
    int8_t *ternary = malloc(spec.n);
    f = open_file(set, "sk_ternary.i8");
    assert_int_equal(fread(ternary, 1, spec.n, f), spec.n);
    fclose(f);
    assert_int_equal(hb_secret_key_load(&set->secret, set->engine, set->params, ternary), HB_OK);
    free(ternary);
}

static inline void close_set(seal_set *set)
{
    hb_secret_key_clear(&set->secret);
    hb_engine_close(set->engine);
    hb_params_close(set->params);
    json_decref(set->json);
}

static inline hb_batch upload(const seal_set *set, const uint64_t *words, size_t count, uint32_t limbs,
                              const uint16_t *ids)
{
    hb_batch b;
    assert_int_equal(hb_batch_alloc(set->engine, &b, count, limbs, ids), HB_OK);
    assert_int_equal(hb_upload(set->engine, b.data, words, count * limbs * set->params->ring.n * 8), HB_OK);
    assert_int_equal(hb_finish(set->engine), HB_OK);
    return b;
}

#endif
