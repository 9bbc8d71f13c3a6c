/* Encryption at every level, with both keys, in every scheme: values come back, and errors are within the bounds of
 * fresh ciphertexts, which no level changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "check/fixture.h"
#include "cpu/engine.h"
#include "scheme/quality.h"
#include "unit/unit.h"

/* Buffers of one ciphertext at a level. */
typedef struct trial {
    hb_fixture f;
    hb_batch c0, c1, plain, phase, values;
    hb_decryptor *decryptor;
    uint64_t *words, *back; /* [N] */
} trial;

static void open_level(trial *t, uint32_t limbs)
{
    hb_engine *e = t->f.engine;
    const hb_params *p = t->f.params;
    hb_batch *batches[] = {&t->c0, &t->c1, &t->phase};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        assert_int_equal(hb_batch_alloc(e, batches[i], 1, limbs, p->ids), HB_OK);
    }
    assert_int_equal(hb_plaintexts_alloc(&t->plain, e, p, limbs, 1), HB_OK);
    assert_int_equal(hb_values_alloc(&t->values, e, p, 1), HB_OK);
    assert_int_equal(hb_decryptor_open(e, &t->f.secret, limbs, 1, &t->decryptor), HB_OK);
}

static void close_level(trial *t)
{
    hb_batch *batches[] = {&t->c0, &t->c1, &t->phase, &t->plain, &t->values};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        hb_batch_free(t->f.engine, batches[i]);
    }
    hb_decryptor_close(t->decryptor);
}

/* Encrypts and decrypts the words; returns the bits that are left. */
static double round_trip(trial *t, uint32_t limbs, bool public_key)
{
    hb_engine *e = t->f.engine;
    const hb_params *p = t->f.params;
    const size_t n = p->spec.n;
    const bool integers = hb_codec_cell_type(p->spec.scheme) == HB_CELL_INTEGER;
    double furthest = 0;
    uint32_t bits = 0;
    hb_seed seed;
    assert_int_equal(hb_upload(e, t->values.data, t->words, n * sizeof *t->words), HB_OK);
    assert_int_equal(hb_encode(t->f.codec, t->plain, t->values), HB_OK);
    assert_int_equal(
        hb_encrypt(public_key ? t->f.with_public : t->f.with_secret, t->c0, t->c1, &seed, t->plain, &t->f.root, limbs),
        HB_OK);
    assert_int_equal(public_key ? hb_phase(t->decryptor, t->phase, t->c0, t->c1)
                                : hb_phase_seeded(t->decryptor, t->phase, t->c0, &seed),
                     HB_OK);
    assert_int_equal(hb_decrypt(t->decryptor, t->plain, t->phase), HB_OK);
    assert_int_equal(hb_decode(t->f.codec, t->values, t->plain), HB_OK);
    if (integers) {
        assert_int_equal(hb_decryptor_measure(t->decryptor, &bits, t->phase), HB_OK);
    }
    assert_int_equal(hb_download(e, t->back, t->values.data, n * sizeof *t->back), HB_OK);
    assert_int_equal(hb_finish(e), HB_OK);
    for (size_t i = 0; i < n; i++) {
        if (integers) {
            assert_int_equal(t->back[i], t->words[i]);
        } else {
            furthest = fmax(furthest, fabs(hb_real_of(t->back[i]) - hb_real_of(t->words[i])));
        }
    }
    return integers ? bits : -log2(furthest);
}

static void check_levels(const char *preset)
{
    hb_params_spec spec;
    hb_params *p;
    hb_engine *engine;
    trial t = {.words = NULL};
    const hb_seed root = {{5}};
    uint64_t state = 7, levels = 0;
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &p), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&p->ring, &engine), HB_OK);
    assert_int_equal(hb_fixture_init(&t.f, engine, p, &root, 1), HB_OK);
    t.words = test_calloc(spec.n, sizeof *t.words);
    t.back = test_calloc(spec.n, sizeof *t.back);
    for (size_t i = 0; i < spec.n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        t.words[i] =
            spec.scheme == HB_BFV ? (state >> 20) % spec.bfv.plain : hb_real_word((double)(int64_t)state * 0x1p-63);
    }
    for (uint32_t limbs = 1; limbs <= p->fresh_limbs; limbs++) {
        for (int key = 0; key < 2 && p->levels[limbs].basis.limbs > 0; key++) {
            const hb_quality bound = hb_quality_fresh(p, key == 1, HB_GAUSSIAN);
            open_level(&t, limbs);
            const double bits = round_trip(&t, limbs, key == 1);
            assert_true(bits >= hb_quality_bits(p, limbs, bound.worst));
            assert_true(bits + hb_quality_margin(p) >= hb_quality_bits(p, limbs, bound.expected));
            close_level(&t);
            levels++;
        }
    }
    assert_true(levels > 4);
    test_free(t.words);
    test_free(t.back);
    hb_fixture_clear(&t.f);
    hb_engine_close(engine);
    hb_params_close(p);
}

static void every_level_takes_fresh_ciphertexts(void **state)
{
    static const char *const presets[] = {"bfv-8192", "seal-8192", "int-test", "ckks-13", "boot-test"};
    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        check_levels(presets[i]);
    }
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(encrypt_levels)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_level_takes_fresh_ciphertexts)};
    return cmocka_run_group_tests(tests, start, NULL);
}
