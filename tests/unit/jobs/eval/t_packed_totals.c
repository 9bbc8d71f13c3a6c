/* Totals in one ciphertext, merged and shifted, against the values that were encrypted; memory, as announced. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/fixture.h"
#include "cpu/engine.h"
#include "eval/packed_totals.h"
#include "reference/counting_engine.h"
#include "scheme/slots.h"
#include "unit/unit.h"

enum { TOTALS = 23, WORKERS = 2 };

typedef struct trial {
    hb_params *params;
    hb_engine *engine;
    hb_fixture f;
    uint64_t *words; /* [values of a plaintext], host */
} trial;

static bool of_integers(const trial *t)
{
    return hb_codec_cell_type(t->params->spec.scheme) == HB_CELL_INTEGER;
}

/* The value that stands in all slots of a total, real parts alone. Sums of reals have room in one limb. */
static uint64_t word_of(const trial *t, size_t total)
{
    return of_integers(t) ? 3 * total + 1 : hb_real_word((double)total / 512 - 0x1p-8);
}

static void open_trial(trial *t, const char *preset)
{
    hb_params_spec spec;
    const hb_seed root = {{4}};
    *t = (trial){.params = NULL};
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &t->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&t->params->ring, &t->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&t->f, t->engine, t->params, &root, TOTALS), HB_OK);
    t->words = test_calloc(spec.n, sizeof *t->words);
    for (size_t i = 0; i < TOTALS; i++) {
        const hb_batch to = hb_batch_slice(t->f.values, i, 1);
        for (size_t k = 0; k < spec.n; k++) {
            t->words[k] = of_integers(t) || k < spec.n / 2 ? word_of(t, i) : hb_real_word(0);
        }
        assert_int_equal(hb_upload(t->engine, to.data, t->words, spec.n * sizeof *t->words), HB_OK);
        assert_int_equal(hb_finish(t->engine), HB_OK);
    }
    assert_int_equal(hb_encode(t->f.codec, t->f.plain, t->f.values), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&t->f, (uint32_t)hb_slots_shape(&spec).columns), HB_OK);
}

static void close_trial(trial *t)
{
    test_free(t->words);
    hb_fixture_clear(&t->f);
    hb_engine_close(t->engine);
    hb_params_close(t->params);
}

/* The coefficients of a ciphertext in the order of the ring, into words. */
static void find_coefficients(trial *t, hb_ciphertexts a)
{
    const hb_params *p = t->params;
    const uint32_t limbs = a.all.limbs;
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
    assert_int_equal(hb_download(t->engine, t->words, values.data, p->spec.n * sizeof *t->words), HB_OK);
    assert_int_equal(hb_finish(t->engine), HB_OK);
    hb_decryptor_close(decryptor);
    hb_codec_close(codec);
    hb_batch_free(t->engine, &phase);
    hb_batch_free(t->engine, &plain);
    hb_batch_free(t->engine, &values);
}

/* Merged totals are sums over all slots; shifted ones are what stands in each slot. */
static void check_values(const trial *t, const hb_output *output)
{
    const hb_params_spec *spec = &t->params->spec;
    for (size_t i = 0; i < spec->n / 2; i++) {
        const size_t at = output->reversed ? hb_merged_coefficient(spec, (uint32_t)i) : i;
        const uint64_t value = i < TOTALS ? word_of(t, i) : of_integers(t) ? 0 : hb_real_word(0);
        if (of_integers(t)) {
            assert_int_equal(t->words[at], output->summed_limbs > 0 ? value * spec->n % spec->bfv.plain : value);
        } else {
            const double times = output->summed_limbs > 0 ? (double)(spec->n / 2) : 1;
            assert_true(fabs(hb_real_of(t->words[at]) - times * hb_real_of(value)) < times * 0x1p-18);
        }
    }
}

/* One of the encrypted totals. */
static void take_total(const trial *t, size_t i, hb_ciphertexts to)
{
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch from = hb_batch_slice(hb_ciphertexts_component(t->f.a, c), i, 1);
        assert_int_equal(hb_copy(t->engine, hb_ciphertexts_component(to, c), from), HB_OK);
    }
}

/* Several workers, each with blocks of so many columns or a part of the sum, come to the words of one. */
static void check_workers(trial *t, const hb_output *output, uint64_t columns, hb_ciphertexts one,
                          const uint64_t *words)
{
    const bool merges = output->summed_limbs > 0;
    hb_packed_totals totals[WORKERS];
    hb_ciphertexts all;
    count_on(t->engine);
    for (uint32_t w = 0; w < WORKERS; w++) {
        assert_int_equal(hb_packed_totals_open(&totals[w], t->engine, t->params, output, &t->f.keys, columns,
                                               w > 0 ? &totals[0] : NULL),
                         HB_OK);
    }
    /* The first has the blocks; mergers of blocks are no larger than those of all. */
    const uint64_t alone = hb_packed_totals_bytes(t->params, output, 0);
    assert_true(counted.bytes <= hb_packed_totals_bytes(t->params, output, columns) + (WORKERS - 1) * alone);
    count_off(t->engine);
    for (uint32_t i = 0; i < TOTALS; i++) {
        take_total(t, i, one);
        assert_int_equal(hb_packed_totals_add(&totals[i / columns % WORKERS], i, one, &all), HB_OK);
        assert_int_equal(all.size, 0);
    }
    for (uint32_t w = 1; w < WORKERS && !merges; w++) {
        const hb_batch sum = totals[0].shifted.sum.all;
        assert_int_equal(hb_add(t->engine, sum, sum, totals[w].shifted.sum.all), HB_OK);
    }
    assert_int_equal(hb_packed_totals_finish(&totals[0], &t->f.keys, &all), HB_OK);
    assert_int_equal(all.all.limbs, output->limbs);
    assert_memory_equal(all.all.data, words, all.all.count * all.all.stride * sizeof *words);
    for (uint32_t w = 0; w < WORKERS; w++) {
        hb_packed_totals_close(&totals[WORKERS - 1 - w]);
    }
}

static void check_output(trial *t, hb_output output)
{
    const uint32_t fresh = t->params->fresh_limbs;
    hb_packed_totals totals;
    hb_ciphertexts one, all;
    output.packed = true;
    output.computed_limbs = fresh;
    output.schema.columns = TOTALS;
    assert_int_equal(hb_ciphertexts_alloc(&one, t->engine, t->params, 2, 1, fresh), HB_OK);
    count_on(t->engine);
    assert_int_equal(hb_packed_totals_open(&totals, t->engine, t->params, &output, &t->f.keys, 0, NULL), HB_OK);
    for (uint32_t i = 0; i < TOTALS; i++) {
        take_total(t, i, one);
        assert_int_equal(hb_packed_totals_add(&totals, i, one, &all), HB_OK);
        assert_int_equal(all.size, i + 1 < TOTALS ? 0 : 2);
    }
    assert_int_equal(counted.bytes, hb_packed_totals_bytes(t->params, &output, 0));
    assert_int_equal(all.all.limbs, output.limbs);
    const size_t bytes = all.all.count * all.all.stride * sizeof(uint64_t);
    uint64_t *words = test_malloc(bytes);
    memcpy(words, all.all.data, bytes);
    if (output.reversed) {
        assert_int_equal(hb_unit_order_to_ring(&totals.order, hb_ciphertexts_component(all, 0)), HB_OK);
    }
    find_coefficients(t, all);
    check_values(t, &output);
    hb_packed_totals_close(&totals);
    count_off(t->engine);
    for (uint64_t columns = 1; columns < TOTALS; columns *= 4) {
        check_workers(t, &output, columns, one, words);
    }
    test_free(words);
    hb_batch_free(t->engine, &one.all);
}

static void test_totals(void **state)
{
    (void)state;
    trial t;
    open_trial(&t, "bfv-8192");
    const uint32_t fresh = t.params->fresh_limbs;
    check_output(&t, (hb_output){.reversed = true, .summed_limbs = fresh, .limbs = fresh});
    check_output(&t, (hb_output){.reversed = true, .summed_limbs = fresh - 1, .limbs = 1});
    check_output(&t, (hb_output){.reversed = true, .limbs = 1});
    check_output(&t, (hb_output){.limbs = fresh});
    close_trial(&t);
    open_trial(&t, "ckks-13");
    const uint32_t highest = t.params->fresh_limbs;
    check_output(&t, (hb_output){.limbs = 1});
    check_output(&t, (hb_output){.limbs = highest});
    check_output(&t, (hb_output){.reversed = true, .limbs = highest - 1});
    check_output(&t, (hb_output){.reversed = true, .summed_limbs = highest, .limbs = highest});
    check_output(&t, (hb_output){.reversed = true, .summed_limbs = highest - 1, .limbs = 1});
    close_trial(&t);
    assert_int_equal(hb_packed_totals_bytes(NULL, &(hb_output){.packed = false}, 4), 0);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(packed_totals)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_totals)};
    return cmocka_run_group_tests(tests, start, NULL);
}
