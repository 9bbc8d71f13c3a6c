/* Ciphertexts of a smaller ring in a larger one: their words against powers of Y by hand, their values exactly or
 * within the bound behind the switch and the steps that take a row apart; parameters against the table of security, and
 * refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/bits.h"
#include "base/prime.h"
#include "check/fixture.h"
#include "cpu/engine.h"
#include "scheme/quality.h"
#include "scheme/ring_switch.h"
#include "scheme/slots.h"
#include "scheme/spread.h"
#include "unit/unit.h"

enum { NUMBERS = 6, STEPS = 3 };

/* Both rings: the client's and the server's. */
typedef struct rings {
    hb_params *params, *smaller;
    hb_engine *engine, *client;
    hb_fixture f, small; /* of both */
    uint32_t limbs, first;
    hb_decryptor *decryptor; /* of so many limbs, as is ... */
    hb_batch plain, phase;   /* ... this */
    uint64_t *numbers;       /* [2][capacity of the smaller ring] */
} rings;

static void set_spec(hb_params_spec *spec, hb_scheme scheme, size_t n)
{
    static const uint32_t reals[] = {35, 33, 33, 36}, integers[] = {40, 40, 40, 40, 41};
    *spec = (hb_params_spec){.scheme = scheme, .n = n, .security = hb_security_default()};
    if (scheme == HB_CKKS) {
        spec->key_limbs = sizeof reals / sizeof *reals;
        spec->ckks.scale_bits = 33;
        assert_int_equal(hb_create_primes(n, reals, spec->key_limbs, spec->primes), HB_OK);
    } else {
        spec->key_limbs = sizeof integers / sizeof *integers;
        spec->bfv.plain = 65537;
        assert_int_equal(hb_create_primes(n, integers, spec->key_limbs, spec->primes), HB_OK);
    }
}

static bool of_integers(const rings *r)
{
    return hb_codec_cell_type(r->params->spec.scheme) == HB_CELL_INTEGER;
}

static size_t capacity_of(const rings *r)
{
    return (size_t)hb_codec_capacity(&r->smaller->spec, HB_ENCODE_SPREAD);
}

static void add_step_keys(rings *r, uint32_t i)
{
    uint32_t elements[HB_SPREAD_MOST_ELEMENTS];
    for (uint32_t e = hb_spread_elements(&r->params->spec, i, elements); e > 0; e--) {
        if (hb_switch_keys_find(&r->f.keys, elements[e - 1]) == NULL) {
            assert_int_equal(hb_fixture_add_key(&r->f, elements[e - 1]), HB_OK);
        }
    }
}

/* The key from the secret of the smaller ring. */
static void add_switch_key(rings *r)
{
    const size_t n = r->smaller->spec.n, to_n = r->params->spec.n;
    hb_key_purpose purpose = hb_ring_switch_purpose(&r->smaller->spec);
    int8_t *ternary = test_calloc(n, 1), *wide = test_calloc(to_n, 1);
    hb_secret_key from;
    hb_switch_key key;
    hb_seed root, seeds[HB_MAX_LIMBS];
    const hb_seed own = {{8}};
    hb_seed_derive(&root, &r->small.root, "keys"); /* as the fixture does */
    assert_int_equal(hb_secret_draw(r->client, r->smaller, &root, ternary), HB_OK);
    hb_ring_switch_secret(wide, to_n, ternary, n);
    for (size_t j = 0; j < to_n; j++) {
        assert_int_equal(wide[j], j % (to_n / n) == 0 ? ternary[j / (to_n / n)] : 0);
    }
    assert_int_equal(hb_secret_key_load(&from, r->engine, r->params, wide), HB_OK);
    purpose.other = &from;
    hb_key_purpose_root(&root, &own, &purpose);
    hb_seed_public(seeds, HB_MAX_LIMBS, &root, 0);
    assert_int_equal(hb_switch_key_generate_for(&key, &r->f.secret, &purpose, &root, seeds), HB_OK);
    assert_int_equal(hb_switch_keys_add(&r->f.keys, &key), HB_OK);
    hb_secret_key_clear(&from);
    test_free(ternary);
    test_free(wide);
}

static void open_rings(rings *r, hb_scheme scheme, size_t n, size_t smaller)
{
    hb_params_spec spec;
    const hb_seed root = {{3}}, other = {{4}};
    *r = (rings){.params = NULL};
    set_spec(&spec, scheme, n);
    assert_int_equal(hb_params_open(&spec, &r->params), HB_OK);
    assert_int_equal(hb_ring_switch_spec(r->params, smaller, &spec), HB_OK);
    assert_true(hb_ring_switch_fits(r->params, &spec));
    assert_int_equal(hb_params_open(&spec, &r->smaller), HB_OK);
    assert_false(r->smaller->spec.insecure);
    assert_false(hb_params_can_switch(r->smaller));
    assert_int_equal(r->smaller->fresh_limbs, r->smaller->key_limbs);
    assert_true(r->smaller->chain_bits <= hb_security_limit(spec.security, smaller));
    r->limbs = r->smaller->fresh_limbs;
    r->first = hb_ring_switch_first(r->params->spec.n, spec.n);
    assert_int_equal(hb_cpu_engine_open(&r->params->ring, &r->engine), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&r->smaller->ring, &r->client), HB_OK);
    assert_int_equal(hb_fixture_init(&r->f, r->engine, r->params, &root, 1), HB_OK);
    assert_int_equal(hb_fixture_init(&r->small, r->client, r->smaller, &other, 1), HB_OK);
    assert_int_equal(hb_clear(r->engine, r->f.plain), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&r->f, 0), HB_OK);
    for (uint32_t i = 0; i < STEPS; i++) {
        add_step_keys(r, r->first + i);
    }
    add_switch_key(r);
    r->numbers = test_calloc(2 * capacity_of(r), sizeof *r->numbers);
    assert_int_equal(hb_decryptor_open(r->engine, &r->f.secret, r->limbs, 1, &r->decryptor), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&r->plain, r->engine, r->params, r->limbs, 1), HB_OK);
    assert_int_equal(hb_batch_alloc(r->engine, &r->phase, 1, r->limbs, r->params->ids), HB_OK);
}

static void close_rings(rings *r)
{
    test_free(r->numbers);
    hb_decryptor_close(r->decryptor);
    hb_batch_free(r->engine, &r->plain);
    hb_batch_free(r->engine, &r->phase);
    hb_fixture_clear(&r->small);
    hb_fixture_clear(&r->f);
    hb_engine_close(r->client);
    hb_engine_close(r->engine);
    hb_params_close(r->smaller);
    hb_params_close(r->params);
}

/* Encrypts a row in the smaller ring, with its secret key; words [2][limbs][n] of both components, coefficient form. */
static void encrypt_row(rings *r, uint64_t number, uint64_t *words)
{
    const hb_params_spec *spec = &r->smaller->spec;
    const size_t n = spec->n, each = r->limbs * n;
    hb_codec *codec;
    uint64_t *values = test_calloc(n, sizeof *values);
    for (size_t j = 0; j < NUMBERS; j++) {
        const uint64_t drawn = (number + 3 * j) * 0x9e3779b97f4a7c15u;
        r->numbers[j] = of_integers(r) ? drawn % spec->bfv.plain : hb_real_word((double)(int64_t)drawn * 0x1p-63);
        values[j] = r->numbers[j];
    }
    hb_spread_scale(spec, -STEPS, values, n);
    hb_batch c0 = hb_batch_limbs(r->client, r->small.c0, 0, r->limbs), c1 = c0;
    assert_int_equal(hb_batch_alloc(r->client, &c1, 1, r->limbs, r->smaller->ids), HB_OK);
    assert_int_equal(hb_codec_open(r->client, r->smaller, HB_ENCODE_SPREAD, &codec), HB_OK);
    assert_int_equal(hb_upload(r->client, r->small.values.data, values, n * sizeof *values), HB_OK);
    assert_int_equal(hb_encode(codec, r->small.plain, r->small.values), HB_OK);
    assert_int_equal(hb_encrypt(r->small.with_secret, c0, c1, r->small.seeds, r->small.plain, &r->small.root, number),
                     HB_OK);
    assert_int_equal(hb_sample_uniform(r->client, c1, r->small.seeds), HB_OK);
    assert_int_equal(hb_intt(r->client, c1), HB_OK);
    if (r->smaller->form == HB_NTT_FORM) {
        assert_int_equal(hb_intt(r->client, c0), HB_OK);
    }
    assert_int_equal(hb_download(r->client, words, c0.data, each * sizeof *words), HB_OK);
    assert_int_equal(hb_download(r->client, words + each, c1.data, each * sizeof *words), HB_OK);
    assert_int_equal(hb_finish(r->client), HB_OK);
    hb_batch_free(r->client, &c1);
    hb_codec_close(codec);
    test_free(values);
}

/* Word j of the smaller ring is word j N/n, and all others are 0. */
static void check_embedded(const rings *r, hb_batch a, const uint64_t *words)
{
    const size_t n = r->smaller->spec.n, to_n = r->params->spec.n, apart = to_n / n;
    uint64_t *found = test_calloc(a.count * a.limbs * to_n, sizeof *found);
    assert_int_equal(hb_download(r->engine, found, a.data, a.count * a.limbs * to_n * sizeof *found), HB_OK);
    assert_int_equal(hb_finish(r->engine), HB_OK);
    for (size_t i = 0; i < a.count * a.limbs * to_n; i++) {
        assert_int_equal(found[i], i % apart == 0 ? words[i / apart] : 0);
    }
    test_free(found);
}

/* Embeds the words and switches them. */
static void switch_row(const rings *r, hb_ciphertexts a, const uint64_t *words)
{
    const hb_switch_key *key = hb_switch_keys_find_at(&r->f.keys, HB_FROM_SECRET, 0, r->limbs);
    assert_non_null(key);
    void *host;
    assert_int_equal(hb_host_alloc(r->engine, hb_ring_switch_host_bytes(r->engine, a.all), &host), HB_OK);
    assert_int_equal(hb_ring_switch_embed(r->engine, a.all, words, r->smaller->spec.n, host), HB_OK);
    hb_host_free(r->engine, host);
    check_embedded(r, a.all, words);
    if (r->params->form == HB_NTT_FORM) {
        assert_int_equal(hb_ntt(r->engine, a.all), HB_OK);
    }
    assert_int_equal(hb_evaluator_change_key(r->f.evaluator, a, a, key), HB_OK);
}

/* Slots of a number hold it, with as many bits left as the bound says. */
static void check_number(rings *r, hb_ciphertexts a, uint32_t place, hb_quality bound)
{
    const hb_params *p = r->params;
    const size_t n = p->spec.n;
    uint64_t *words = test_calloc(n, sizeof *words);
    uint32_t bits = 0;
    double furthest = 0;
    assert_int_equal(hb_phase(r->decryptor, r->phase, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1)),
                     HB_OK);
    assert_int_equal(hb_decrypt(r->decryptor, r->plain, r->phase), HB_OK);
    assert_int_equal(hb_decode(r->f.codec, r->f.values, r->plain), HB_OK);
    if (of_integers(r)) {
        assert_int_equal(hb_decryptor_measure(r->decryptor, &bits, r->phase), HB_OK);
    }
    assert_int_equal(hb_download(r->engine, words, r->f.values.data, n * sizeof *words), HB_OK);
    assert_int_equal(hb_finish(r->engine), HB_OK);
    for (size_t i = 0; i < n; i++) {
        if (of_integers(r)) {
            assert_int_equal(words[i], r->numbers[place]);
        } else { /* imaginary parts behind the real ones are 0 */
            const double wanted = i < n / 2 ? hb_real_of(r->numbers[place]) : 0;
            furthest = fmax(furthest, fabs(hb_real_of(words[i]) - wanted));
        }
    }
    const double left = of_integers(r) ? bits : -log2(furthest);
    assert_true(left >= hb_quality_bits(p, r->limbs, bound.worst));
    assert_true(left + hb_quality_margin(p) >= hb_quality_bits(p, r->limbs, bound.expected));
    assert_true(hb_quality_bits(p, r->limbs, bound.worst) > 1);
    test_free(words);
}

static void check_rows(hb_scheme scheme, size_t n, size_t smaller)
{
    enum { ROWS = 3 };
    rings r;
    hb_ciphertexts a, to[NUMBERS];
    hb_spreader *spreader;
    open_rings(&r, scheme, n, smaller);
    const hb_spread_way way = {r.first, STEPS};
    const hb_spread_places places = {way, NUMBERS, (const uint32_t[]){0, 1, 2, 3, 4, 5}};
    assert_int_equal(n >> way.first, smaller);
    uint64_t *words = test_calloc(2 * r.limbs * smaller, sizeof *words);
    assert_int_equal(hb_ciphertexts_alloc(&a, r.engine, r.params, 2, 1, r.limbs), HB_OK);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        assert_int_equal(hb_ciphertexts_alloc(&to[i], r.engine, r.params, 2, 1, r.limbs), HB_OK);
    }
    assert_int_equal(hb_spreader_open(r.engine, r.params, r.limbs, way.first + way.count, &spreader), HB_OK);
    const hb_quality fresh = hb_quality_fresh(r.smaller, false, HB_GAUSSIAN),
                     bound = hb_quality_spread(r.params, r.limbs, way,
                                               hb_quality_switch(r.params, r.limbs, fresh, HB_SWITCH_GALOIS));
    for (uint64_t row = 0; row < ROWS; row++) {
        encrypt_row(&r, row, words);
        switch_row(&r, a, words);
        assert_int_equal(hb_spread(spreader, r.f.evaluator, to, &places, a, &r.f.keys), HB_OK);
        for (uint32_t i = 0; i < NUMBERS; i++) {
            check_number(&r, to[i], i, bound);
        }
    }
    hb_spreader_close(spreader);
    for (uint32_t i = 0; i < NUMBERS; i++) {
        hb_batch_free(r.engine, &to[i].all);
    }
    hb_batch_free(r.engine, &a.all);
    test_free(words);
    close_rings(&r);
}

static void test_rows(void **state)
{
    (void)state;
    check_rows(HB_CKKS, 8192, 4096);
    check_rows(HB_CKKS, 16384, 4096);
    check_rows(HB_BFV, 16384, 8192);
}

/* As many primes as the table allows, whole levels, never more than users have; others are refused. */
static void test_params(void **state)
{
    hb_params_spec spec, smaller;
    hb_params *params;
    (void)state;
    set_spec(&spec, HB_CKKS, 8192);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_ring_switch_spec(params, 4096, &smaller), HB_OK);
    assert_int_equal(smaller.key_limbs, 3); /* 35 + 33 + 33 bits of 106: all that users have */
    assert_int_equal(hb_ring_switch_purpose(&smaller).limbs, 3);
    assert_int_equal(hb_ring_switch_spec(params, 2048, &smaller), HB_OK);
    assert_int_equal(smaller.key_limbs, 1); /* 53 bits */
    assert_int_equal(hb_ring_switch_spec(params, 1024, &smaller), HB_ECONFIG);
    assert_non_null(strstr(hb_last_error()->text, "allows 26 bits"));
    assert_int_equal(hb_ring_switch_spec(params, 8192, &smaller), HB_ECONFIG);
    assert_int_equal(hb_ring_switch_spec(params, 3000, &smaller), HB_ECONFIG);
    assert_int_equal(hb_ring_switch_spec(params, 512, &smaller), HB_ECONFIG);
    assert_int_equal(hb_ring_switch_spec(params, 4096, &smaller), HB_OK);
    hb_params_spec other = smaller;
    other.insecure = true;
    assert_false(hb_ring_switch_fits(params, &other));
    other = smaller;
    other.primes[1] = spec.primes[2];
    assert_false(hb_ring_switch_fits(params, &other));
    other = smaller;
    other.ckks.scale_bits--;
    assert_false(hb_ring_switch_fits(params, &other));
    other = smaller;
    other.n = 8192;
    assert_false(hb_ring_switch_fits(params, &other));
    other = smaller;
    other.scheme = HB_BFV;
    assert_false(hb_ring_switch_fits(params, &other));
    assert_true(hb_ring_switch_fits(params, &smaller));
    hb_params_close(params);
    set_spec(&spec, HB_CKKS, 16384);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_ring_switch_spec(params, 8192, &smaller), HB_OK);
    assert_int_equal(smaller.key_limbs, 3);
    hb_params_close(params);
    assert_int_equal(hb_params_preset("boot-16", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_ring_switch_spec(params, 16384, &smaller), HB_OK);
    assert_true(smaller.key_limbs < params->fresh_limbs && !hb_spec_can_bootstrap(&smaller));
    assert_int_equal(hb_ring_switch_spec(params, 8192, &smaller), HB_OK);
    assert_int_equal(smaller.key_limbs, 5); /* 50 + 4 x 40 bits, of 214 */
    hb_params_close(params);
    assert_int_equal(hb_params_preset("seal-ckks-8192", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_ring_switch_spec(params, 4096, &smaller), HB_ECONFIG);
    assert_non_null(strstr(hb_last_error()->text, "Microsoft SEAL"));
    hb_params_close(params);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(ring_switch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_params),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
