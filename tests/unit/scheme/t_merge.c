/* Sums of slots as coefficients, against sums of the values that were encrypted; powers of two and others, of every
 * scheme and of lower levels. Noise, against the bound of sums of slots one by one; the norm of all errors of reals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "check/fixture.h"
#include "cpu/engine.h"
#include "reference/counting_engine.h"
#include "scheme/merge.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "unit/unit.h"

enum { MOST = 98 };

typedef struct trial {
    hb_params *params;
    hb_engine *engine;
    hb_fixture f;
    uint64_t *words;   /* [N] */
    double (*sums)[2]; /* [MOST] of values, mod t, and of imaginary parts */
} trial;

static bool of_integers(const trial *t)
{
    return hb_codec_cell_type(t->params->spec.scheme) == HB_CELL_INTEGER;
}

/* All values mod t; reals between -1 and 1, complex where slots are. */
static void draw_values(trial *t, uint64_t *state, double sum[2])
{
    const hb_params_spec *spec = &t->params->spec;
    uint64_t whole = 0;
    sum[0] = sum[1] = 0;
    for (size_t i = 0; i < spec->n; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        if (of_integers(t)) {
            t->words[i] = (*state >> 20) % spec->bfv.plain;
            whole = (whole + t->words[i]) % spec->bfv.plain;
        } else {
            const double value = (double)(int64_t)*state * 0x1p-63;
            t->words[i] = hb_real_word(value);
            sum[i >= spec->n / 2] += value;
        }
    }
    sum[0] = of_integers(t) ? (double)whole : sum[0];
}

static void open_trial(trial *t, const char *preset)
{
    hb_params_spec spec;
    const hb_seed root = {{2}};
    *t = (trial){.params = NULL};
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &t->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&t->params->ring, &t->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&t->f, t->engine, t->params, &root, MOST), HB_OK);
    t->words = test_calloc(spec.n, sizeof *t->words);
    t->sums = test_calloc(MOST, sizeof *t->sums);
    uint64_t state = 3;
    for (size_t i = 0; i < MOST; i++) {
        draw_values(t, &state, t->sums[i]);
        const hb_batch to = hb_batch_slice(t->f.values, i, 1);
        assert_int_equal(hb_upload(t->engine, to.data, t->words, spec.n * sizeof *t->words), HB_OK);
        assert_int_equal(hb_finish(t->engine), HB_OK);
    }
    assert_int_equal(hb_encode(t->f.codec, t->f.plain, t->f.values), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&t->f, (uint32_t)hb_slots_shape(&spec).columns), HB_OK);
}

static void close_trial(trial *t)
{
    test_free(t->words);
    test_free(t->sums);
    hb_fixture_clear(&t->f);
    hb_engine_close(t->engine);
    hb_params_close(t->params);
}

/* The coefficients of a ciphertext, into words; returns the bits that are left of integers. */
static uint32_t coefficients(trial *t, hb_ciphertexts a)
{
    const hb_params *p = t->params;
    const uint32_t limbs = a.all.limbs;
    uint32_t bits = 0;
    hb_decryptor *decryptor;
    hb_codec *codec;
    hb_batch phase, plain, values;
    assert_int_equal(hb_decryptor_open(t->engine, &t->f.secret, limbs, 1, &decryptor), HB_OK);
    assert_int_equal(hb_codec_open(t->engine, p, HB_ENCODE_COEFFICIENTS, &codec), HB_OK);
    assert_int_equal(hb_batch_alloc(t->engine, &phase, 1, limbs, p->ids), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, t->engine, p, limbs, 1), HB_OK);
    assert_int_equal(hb_values_alloc(&values, t->engine, p, 1), HB_OK);
    assert_int_equal(hb_phase(decryptor, phase, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1)), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
    assert_int_equal(hb_decode(codec, values, plain), HB_OK);
    if (of_integers(t)) {
        assert_int_equal(hb_decryptor_measure(decryptor, &bits, phase), HB_OK);
    }
    assert_int_equal(hb_download(t->engine, t->words, values.data, p->spec.n * sizeof *t->words), HB_OK);
    assert_int_equal(hb_finish(t->engine), HB_OK);
    hb_decryptor_close(decryptor);
    hb_codec_close(codec);
    hb_batch_free(t->engine, &phase);
    hb_batch_free(t->engine, &plain);
    hb_batch_free(t->engine, &values);
    return bits;
}

/* Sum `place` stands where its bits, read from the other end, say. */
static size_t reversed(const trial *t, size_t place)
{
    size_t at = 0;
    for (size_t bit = of_integers(t) ? t->params->spec.n / 2 : t->params->spec.n / 4; bit > 0; bit /= 2, place /= 2) {
        at += place % 2 * bit;
    }
    return at;
}

/* Sums of the squares of errors of reals. */
typedef struct square_sums {
    double all, sums; /* of all coefficients; of those that are sums */
} square_sums;

/* Errors are at most `most`. */
static square_sums check_words(const trial *t, size_t sums, double most)
{
    const size_t n = t->params->spec.n;
    square_sums squares = {0, 0};
    for (size_t i = 0; i < (of_integers(t) ? n : n / 2); i++) { /* of reals, two coefficients each */
        const size_t at = reversed(t, i);
        const double *wanted = t->sums[i];
        const double none[2] = {0, 0};
        assert_int_equal(hb_merged_coefficient(&t->params->spec, (uint32_t)i), at);
        wanted = i < sums ? wanted : none;
        if (of_integers(t)) {
            assert_int_equal(t->words[at], (uint64_t)wanted[0]);
            continue;
        }
        assert_int_equal(hb_merged_coefficient(&t->params->spec, (uint32_t)(i + n / 2)), at + n / 2);
        for (size_t part = 0; part < 2; part++) {
            const double error = hb_real_of(t->words[at + part * n / 2]) - wanted[part];
            assert_true(fabs(error) <= most);
            squares.all += error * error;
            squares.sums += i < sums ? error * error : 0;
        }
    }
    return squares;
}

static hb_ciphertexts one_of(const trial *t, size_t i, hb_ciphertexts room)
{
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch from = hb_batch_slice(hb_ciphertexts_component(t->f.a, c), i, 1);
        assert_int_equal(hb_copy(t->engine, hb_ciphertexts_component(room, c), from), HB_OK);
    }
    return room;
}

/* Returns log2 of how often the norm of a key switch of reals counts, in norms of the switches of each step. */
static double times_of_switch(size_t n, size_t sums)
{
    double norm = 0;
    for (size_t group = 2; group <= n / 2; group *= 2) {
        norm += (double)(n / 2 / group) * sqrt(ceil((double)sums / (double)group));
    }
    return log2(norm);
}

static void check_sums(trial *t, size_t sums, uint32_t limbs)
{
    const hb_params *p = t->params;
    const uint32_t fresh = p->fresh_limbs;
    hb_merger *merger;
    hb_ciphertexts one, lower, all;
    assert_int_equal(hb_ciphertexts_alloc(&one, t->engine, p, 2, 1, fresh), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&lower, t->engine, p, 2, 1, limbs), HB_OK);
    assert_int_equal(hb_merger_open(t->engine, p, limbs, sums, &t->f.keys, &merger), HB_OK);
    for (size_t i = 0; i < sums; i++) {
        assert_int_equal(hb_evaluator_adjust(t->f.evaluator, lower, one_of(t, i, one)), HB_OK);
        assert_int_equal(hb_merger_add(merger, lower, 1), HB_OK);
    }
    assert_int_equal(hb_merger_finish(merger, NULL, 0, &all), HB_OK);
    const uint32_t bits = coefficients(t, all);
    const hb_quality_factor values = {hb_quality_fresh(p, true, HB_GAUSSIAN), 2, {0, 0, 0, 0}, false};
    const hb_quality noise = hb_quality_merged(
        p, hb_quality_sum_slots(p, limbs, limbs < fresh ? hb_quality_adjust(p, fresh, values, limbs) : values.quality));
    const double most = exp2(-hb_quality_bits(p, limbs, noise.worst));
    const square_sums squares = check_words(t, sums, most);
    if (of_integers(t)) {
        assert_true(bits >= hb_quality_bits(p, limbs, noise.worst));
        assert_true(bits + 2 >= hb_quality_bits(p, limbs, noise.expected));
    } else {
        const hb_quality key = hb_quality_switch(p, limbs, (hb_quality){.powers = 1}, HB_SWITCH_GALOIS);
        const double apart = most * sqrt((double)sums),
                     keys = exp2(times_of_switch(p->spec.n, sums) - hb_quality_bits(p, limbs, key.norm));
        const double expected = exp2(-hb_quality_bits(p, limbs, noise.expected));
        assert_true(sqrt(squares.all) <= apart + keys);
        assert_true(sqrt(squares.sums / (double)(2 * sums)) <= 2 * expected);
        assert_true(sqrt(squares.sums / (double)(2 * sums)) >= expected / (sums < 5 ? 64 : 4));
    }
    hb_merger_close(merger);
    hb_batch_free(t->engine, &one.all);
    hb_batch_free(t->engine, &lower.all);
}

/* A merger without its keys says which one is missing. */
static void check_missing(trial *t)
{
    hb_merger *merger;
    hb_ciphertexts one, all;
    const hb_switch_keys none = {.count = 0};
    assert_int_equal(hb_ciphertexts_alloc(&one, t->engine, t->params, 2, 1, t->params->fresh_limbs), HB_OK);
    assert_int_equal(hb_merger_open(t->engine, t->params, t->params->fresh_limbs, 1, &none, &merger), HB_OK);
    assert_int_equal(hb_merger_add(merger, one_of(t, 0, one), 1), HB_OK);
    assert_int_equal(hb_merger_finish(merger, NULL, 0, &all), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "no key for the automorphism"));
    hb_merger_close(merger);
    hb_batch_free(t->engine, &one.all);
}

/* A merger takes the memory that was announced, once all of its automorphisms were used. */
static void check_bytes(trial *t, size_t sums)
{
    const hb_params *p = t->params;
    const uint32_t limbs = p->fresh_limbs;
    hb_merger *merger;
    hb_ciphertexts one, all;
    assert_int_equal(hb_ciphertexts_alloc(&one, t->engine, p, 2, 1, limbs), HB_OK);
    count_on(t->engine);
    assert_int_equal(hb_merger_open(t->engine, p, limbs, sums, &t->f.keys, &merger), HB_OK);
    for (size_t i = 0; i < sums; i++) {
        assert_int_equal(hb_merger_add(merger, one_of(t, i, one), 1), HB_OK);
    }
    assert_int_equal(hb_merger_finish(merger, NULL, 0, &all), HB_OK);
    assert_int_equal(counted.bytes, hb_merger_bytes(p, limbs, sums));
    hb_merger_close(merger);
    count_off(t->engine);
    hb_batch_free(t->engine, &one.all);
}

static void test_sums(void **state)
{
    static const char *const presets[] = {"bfv-8192", "int-test", "ckks-13"};
    static const size_t counts[] = {1, 2, 3, 4, 5, 7, 8, 11, 33, 64, 97, MOST};
    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        trial t;
        open_trial(&t, presets[i]);
        assert_true(hb_spec_merges(&t.params->spec));
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            check_sums(&t, counts[k], k % 2 == 0 ? 2 : t.params->fresh_limbs);
        }
        check_missing(&t);
        check_bytes(&t, 1);
        check_bytes(&t, 11);
        close_trial(&t);
    }
}

/* Counted by hand, N = 8192: four by three switches, pairs, and the rest of 13 rotations and swaps. */
static void test_switches(void **state)
{
    hb_params_spec spec;
    (void)state;
    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_merge_switches(&spec, 1), 3 + 11);
    assert_int_equal(hb_merge_switches(&spec, 4), 3 + 11);
    assert_int_equal(hb_merge_switches(&spec, 5), 6 + 11);
    assert_int_equal(hb_merge_switches(&spec, 98), 75 + 13 + 7 + 4 + 2 + 1 + 6);
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    assert_int_equal(hb_merge_switches(&spec, 1), 12);
    assert_int_equal(hb_merge_switches(&spec, 3), 2 + 11);
    assert_int_equal(hb_merge_switches(&spec, 98), 49 + 25 + 13 + 7 + 4 + 2 + 6);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(merge)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_switches),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
