/* Rows in one ciphertext, taken apart, against the numbers that were encrypted: all of 2^k numbers and fewer, a few
 * places of all N, of every scheme. Errors against their bounds, and the automorphisms against powers of X. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/bits.h"
#include "check/fixture.h"
#include "cpu/engine.h"
#include "reference/counting_engine.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "scheme/spread.h"
#include "unit/unit.h"

enum { MOST = 129 };

typedef struct trial {
    hb_params *params;
    hb_engine *engine;
    hb_fixture f;
    uint64_t *words;    /* [N] */
    uint64_t *numbers;  /* [N] values of the row: coefficient j holds number j, of reals N/2 + j its imaginary part */
    hb_ciphertexts *to; /* [MOST] */
    hb_codec *codec;    /* of coefficients */
} trial;

static bool of_integers(const trial *t)
{
    return hb_codec_cell_type(t->params->spec.scheme) == HB_CELL_INTEGER;
}

static void open_trial(trial *t, const char *preset)
{
    hb_params_spec spec;
    const hb_seed root = {{3}};
    *t = (trial){.params = NULL};
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &t->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&t->params->ring, &t->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&t->f, t->engine, t->params, &root, 1), HB_OK);
    assert_int_equal(hb_codec_open(t->engine, t->params, HB_ENCODE_SPREAD, &t->codec), HB_OK);
    assert_int_equal(hb_clear(t->engine, t->f.plain), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&t->f, (uint32_t)hb_slots_shape(&spec).columns), HB_OK);
    t->words = test_calloc(spec.n, sizeof *t->words);
    t->numbers = test_calloc(spec.n, sizeof *t->numbers);
    t->to = test_calloc(MOST, sizeof *t->to);
    for (uint32_t i = 0; i < MOST; i++) {
        assert_int_equal(hb_ciphertexts_alloc(&t->to[i], t->engine, t->params, 2, 1, t->params->fresh_limbs), HB_OK);
    }
}

static void close_trial(trial *t)
{
    for (uint32_t i = 0; i < MOST; i++) {
        hb_batch_free(t->engine, &t->to[i].all);
    }
    test_free(t->to);
    test_free(t->words);
    test_free(t->numbers);
    hb_codec_close(t->codec);
    hb_fixture_clear(&t->f);
    hb_engine_close(t->engine);
    hb_params_close(t->params);
}

static size_t capacity_of(const trial *t)
{
    return (size_t)hb_codec_capacity(&t->params->spec, HB_ENCODE_SPREAD);
}

static uint64_t draw(const trial *t, uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return of_integers(t) ? (*state >> 20) % t->params->spec.bfv.plain
                          : hb_real_word((double)(int64_t)*state * 0x1p-63);
}

/* Encrypts a row of so many numbers, mod t, or complex ones of parts between -1 and 1. */
static void encrypt_row(trial *t, uint64_t count, uint32_t steps)
{
    const hb_params_spec *spec = &t->params->spec;
    uint64_t state = 5 + count;
    memset(t->numbers, 0, spec->n * sizeof *t->numbers);
    for (uint64_t j = 0; j < count; j++) {
        t->numbers[j] = draw(t, &state);
        if (!of_integers(t)) {
            t->numbers[capacity_of(t) + j] = draw(t, &state);
        }
    }
    memcpy(t->words, t->numbers, spec->n * sizeof *t->words);
    hb_spread_scale(spec, -(int)steps, t->words, spec->n);
    const hb_batch values = t->f.values, plain = t->f.plain;
    assert_int_equal(hb_upload(t->engine, values.data, t->words, spec->n * sizeof *t->words), HB_OK);
    assert_int_equal(hb_encode(t->codec, plain, values), HB_OK);
    assert_int_equal(hb_encrypt(t->f.with_public, hb_ciphertexts_component(t->f.a, 0),
                                hb_ciphertexts_component(t->f.a, 1), NULL, plain, &t->f.root, count),
                     HB_OK);
    assert_int_equal(hb_finish(t->engine), HB_OK);
    hb_spread_scale(spec, (int)steps, t->words, spec->n);
    assert_memory_equal(t->words, t->numbers, spec->n * sizeof *t->words); /* exactly */
}

/* Decrypts a number that was spread: its slots, into words; returns the bits that are left of integers. */
static uint32_t slots_of(trial *t, hb_ciphertexts a)
{
    const hb_batch phase = t->f.phase, plain = t->f.plain, values = t->f.values;
    uint32_t bits = 0;
    assert_int_equal(hb_phase(t->f.decryptor, phase, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1)),
                     HB_OK);
    assert_int_equal(hb_decrypt(t->f.decryptor, plain, phase), HB_OK);
    assert_int_equal(hb_decode(t->f.codec, values, plain), HB_OK);
    if (of_integers(t)) {
        assert_int_equal(hb_decryptor_measure(t->f.decryptor, &bits, phase), HB_OK);
    }
    assert_int_equal(hb_download(t->engine, t->words, values.data, t->params->spec.n * sizeof *t->words), HB_OK);
    assert_int_equal(hb_finish(t->engine), HB_OK);
    return bits;
}

/* Every slot holds the number: exactly, with as many bits left as the bound says, or within the bound. */
static void check_number(trial *t, hb_ciphertexts a, uint32_t place, uint32_t steps)
{
    const hb_params *p = t->params;
    const uint32_t limbs = p->fresh_limbs;
    const hb_quality bound =
        hb_quality_spread(p, limbs, (hb_spread_way){0, steps}, hb_quality_fresh(p, true, HB_GAUSSIAN));
    const uint32_t bits = slots_of(t, a);
    double furthest = 0;
    for (size_t i = 0; i < p->spec.n; i++) {
        if (of_integers(t)) {
            assert_int_equal(t->words[i], t->numbers[place]);
        } else {
            const size_t part = i < p->spec.n / 2 ? 0 : p->spec.n / 2;
            const double wanted = hb_real_of(t->numbers[part + place]);
            furthest = fmax(furthest, fabs(hb_real_of(t->words[i]) - wanted));
        }
    }
    if (of_integers(t)) {
        assert_true(bits >= hb_quality_bits(p, limbs, bound.worst));
        assert_true(bits + hb_quality_margin(p) >= hb_quality_bits(p, limbs, bound.expected));
    } else {
        assert_true(-log2(furthest) >= hb_quality_bits(p, limbs, bound.worst));
        assert_true(-log2(furthest) + hb_quality_margin(p) >= hb_quality_bits(p, limbs, bound.expected));
    }
}

/* Numbers in these places, [count], of a row of `all`; at every place where NULL. */
static void check_row(trial *t, uint64_t all, const uint32_t *places, uint32_t count)
{
    const hb_params *p = t->params;
    const uint32_t steps = hb_spread_steps(&p->spec, 0, all);
    uint32_t every[MOST];
    hb_spreader *spreader;
    for (uint32_t i = 0; i < count; i++) {
        every[i] = places != NULL ? places[i] : (i * 5 + 3) % count; /* in another order, where 5 divides no count */
    }
    encrypt_row(t, all, steps);
    assert_int_equal(hb_spreader_open(t->engine, p, p->fresh_limbs, steps, &spreader), HB_OK);
    assert_int_equal(
        hb_spread(spreader, t->f.evaluator, t->to, &(hb_spread_places){{0, steps}, count, every}, t->f.a, &t->f.keys),
        HB_OK);
    for (uint32_t i = 0; i < count; i++) {
        check_number(t, t->to[i], every[i], steps);
    }
    hb_spreader_close(spreader);
}

static void test_rows(void **state)
{
    static const char *const presets[] = {"bfv-8192", "int-test", "ckks-13"};
    static const uint32_t counts[] = {1, 2, 3, 7, 128, 129};
    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        trial t;
        open_trial(&t, presets[i]);
        const uint32_t n = (uint32_t)capacity_of(&t);
        const uint32_t few[] = {n - 1, 0, n / 2, 5, n / 4, 3 * n / 4 + 1};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            check_row(&t, counts[k], NULL, counts[k]);
        }
        check_row(&t, 129, (const uint32_t[]){128, 7, 64}, 3);
        check_row(&t, n, few, sizeof few / sizeof *few);
        check_row(&t, n / 2, (const uint32_t[]){n / 4 + 1, 2}, 2);
        close_trial(&t);
    }
}

/* A missing key is named; the memory is that which was announced. */
static void test_missing_and_bytes(void **state)
{
    static const char *const presets[] = {"bfv-8192", "ckks-13"};
    const hb_switch_keys none = {.count = 0};
    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        trial t;
        hb_spreader *spreader;
        const hb_spread_places two = {{0, 1}, 2, (const uint32_t[]){0, 1}};
        open_trial(&t, presets[i]);
        const uint32_t limbs = t.params->fresh_limbs;
        encrypt_row(&t, 2, 1);
        count_on(t.engine);
        assert_int_equal(hb_spreader_open(t.engine, t.params, limbs, 3, &spreader), HB_OK);
        assert_int_equal(counted.bytes, hb_spreader_bytes(t.params, limbs, 3));
        count_off(t.engine);
        assert_int_equal(hb_spread(spreader, t.f.evaluator, t.to, &two, t.f.a, &none), HB_EDATA);
        assert_non_null(strstr(hb_last_error()->text, "no key for the automorphism X -> X^8193"));
        hb_spreader_close(spreader);
        close_trial(&t);
    }
}

/* The automorphisms of step i keep even powers of X^(2^i), and turn odd ones into their negatives. */
static void check_elements(const hb_params_spec *spec)
{
    const uint64_t n = spec->n;
    for (uint32_t i = 0; (uint64_t)1 << i < n; i++) {
        uint32_t elements[HB_SPREAD_MOST_ELEMENTS];
        uint64_t element = 1;
        for (uint32_t e = hb_spread_elements(spec, i, elements); e > 0; e--) {
            element = element * elements[e - 1] % (2 * n);
        }
        for (uint64_t power = 0; power << i < n; power++) { /* X^n is -1 */
            const uint64_t from = power << i, to = from * element % (2 * n);
            assert_int_equal(to, (from + power % 2 * n) % (2 * n));
        }
    }
}

static void test_elements(void **state)
{
    static const char *const presets[] = {"bfv-4096", "bfv-8192", "ckks-13", "boot-16"};
    uint32_t elements[HB_SPREAD_MOST_ELEMENTS];
    hb_params_spec spec;
    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        assert_int_equal(hb_params_preset(presets[i], &spec), HB_OK);
        check_elements(&spec);
    }
    /* Slots of SEAL's CKKS have the generator 3 as well: the step of X^(N/4) takes two. */
    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_spread_elements(&spec, 10, elements), 1);
    assert_int_equal(hb_spread_elements(&spec, 11, elements), 2);
    assert_int_equal(hb_spread_elements(&spec, 12, elements), 1);
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK);
    assert_int_equal(hb_spread_elements(&spec, 11, elements), 1);
}

static uint64_t switches_of(const hb_params_spec *spec, uint32_t steps, const uint32_t *places, uint32_t count)
{
    uint64_t switches;
    assert_int_equal(hb_spread_switches(spec, &(hb_spread_places){{0, steps}, count, places}, &switches), HB_OK);
    return switches;
}

/* Counted by hand: all of 2^k take 2^k - 1, one number k; N = 8192. */
static void test_switches(void **state)
{
    uint32_t places[MOST];
    hb_params_spec spec;
    (void)state;
    for (uint32_t i = 0; i < MOST; i++) {
        places[i] = i;
    }
    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_spread_steps(&spec, 0, 1), 0);
    assert_int_equal(hb_spread_steps(&spec, 0, 2), 1);
    assert_int_equal(hb_spread_steps(&spec, 0, 128), 7);
    assert_int_equal(hb_spread_steps(&spec, 0, 129), 8);
    assert_int_equal(hb_spread_steps(&spec, 0, 8192), 13);
    assert_int_equal(hb_spread_steps(&spec, 0, 20000), 13);
    assert_int_equal(switches_of(&spec, 0, places, 1), 0);
    assert_int_equal(switches_of(&spec, 7, places, 128), 127);
    assert_int_equal(switches_of(&spec, 8, places, 129), 1 + 2 + 4 + 8 + 16 + 32 + 64 + 128);
    assert_int_equal(switches_of(&spec, 7, places + 77, 1), 7);
    assert_int_equal(switches_of(&spec, 2, places, 3), 1 + 2);
    assert_int_equal(switches_of(&spec, 13, places, 1), 14); /* step 11 takes two */
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(spread)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_missing_and_bytes),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_switches),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
