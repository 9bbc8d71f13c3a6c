/* The front ends of schemes: their promises for every scheme, checked with its presets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/seed.h"
#include "cpu/engine.h"
#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "scheme/slots.h"
#include "unit/unit.h"

#define FEW 3 /* neighbours and the column itself */

/* The smallest of the presets of each scheme. */
static hb_params *smallest(size_t *next)
{
    hb_params *p = NULL;
    hb_params_spec spec, least = {0};
    const char *name = hb_params_preset_name(*next);
    if (name == NULL) {
        return NULL;
    }
    assert_int_equal(hb_params_preset(name, &least), HB_OK);
    while ((name = hb_params_preset_name(++*next)) != NULL) {
        assert_int_equal(hb_params_preset(name, &spec), HB_OK);
        if (spec.scheme != least.scheme) {
            break;
        }
        least = spec.n < least.n ? spec : least;
    }
    assert_int_equal(hb_params_open(&least, &p), HB_OK);
    return p;
}

/* Elements that rotate by a step are told from others, and sums of slots go through all of a row. */
static void check_slots(const hb_params_spec *spec)
{
    const hb_slot_shape slots = hb_slots_shape(spec);
    const int64_t most = (int64_t)slots.columns - 1, tried[] = {1, -1, 3, -7, most / 2, most, -most};
    int64_t steps[HB_GALOIS_MOST_STEPS], sum = 1;
    int swap = 0;
    assert_true(slots.rows >= 1 && slots.columns >= 1);
    assert_true(slots.rows * slots.columns == hb_codec_capacity(spec, HB_ENCODE_SLOTS));
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        const uint32_t element = hb_slots_rotation(spec, tried[i]);
        assert_int_equal((hb_slots_step(spec, element, &swap) - tried[i]) % (int64_t)slots.columns, 0);
        assert_int_equal(swap, 0);
        int64_t all = 0;
        for (uint32_t k = hb_slots_terms(spec, tried[i], steps); k > 0; k--) {
            all += steps[k - 1];
        }
        assert_int_equal((all - tried[i]) % (int64_t)slots.columns, 0);
    }
    for (uint32_t k = hb_slots_sum_steps(spec, steps), i = 0; i < k; i++) {
        assert_int_equal(steps[i], sum);
        sum *= 2;
    }
    assert_int_equal(sum, slots.columns);
    if (slots.rows == 2) {
        assert_int_equal(hb_slots_step(spec, hb_slots_swap(spec), &swap), 0);
        assert_int_equal(swap, 1);
    }
}

static void test_presets(void **state)
{
    (void)state;
    const char *name;
    for (size_t i = 0; (name = hb_params_preset_name(i)) != NULL; i++) {
        hb_params_spec spec, other;
        hb_params *p = NULL;
        uint8_t digest[HB_DIGEST_BYTES];
        assert_int_equal(hb_params_preset(name, &spec), HB_OK);
        assert_int_equal(hb_params_open(&spec, &p), HB_OK);
        assert_string_equal(p->name, name);
        hb_params_digest(digest, &spec);
        assert_memory_equal(digest, p->digest, sizeof digest);
        assert_true(hb_params_same(&spec, &p->spec));
        for (size_t j = 0; j < i; j++) {
            assert_int_equal(hb_params_preset(hb_params_preset_name(j), &other), HB_OK);
            assert_false(hb_params_same(&spec, &other));
            hb_params_digest(digest, &other);
            assert_true(memcmp(digest, p->digest, sizeof digest) != 0);
        }
        if (hb_params_has_slots(p)) {
            assert_int_equal(hb_params_require_slots(p), HB_OK);
            check_slots(&spec);
        }
        assert_in_range(hb_codec_capacity(&spec, HB_ENCODE_SLOTS), 1, spec.n);
        assert_in_range(hb_codec_capacity(&spec, HB_ENCODE_COEFFICIENTS), 1, spec.n);
        hb_params_close(p);
    }
    assert_true(name == NULL);
    assert_null(hb_params_preset_name(SIZE_MAX));
    hb_params_close(NULL);
}

/* Every chain once, by the first set that has it. */
static void test_chains(void **state)
{
    (void)state;
    const char *name;
    size_t chains = 0, presets = 0;
    bool light = false, test = false;
    for (; (name = hb_params_chain_name(chains)) != NULL; chains++) {
        light = light || strcmp(name, "boot-16-light") == 0;
        test = test || strcmp(name, "boot-test") == 0;
    }
    while (hb_params_preset_name(presets) != NULL) {
        presets++;
    }
    assert_true(!light && test);
    assert_int_equal(chains, presets - 5); /* four of boot-16, and int-16-sure */
}

static void test_refused(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *p = (hb_params *)&spec;
    assert_int_equal(hb_params_preset("nothing", &spec), HB_EUSAGE);
    for (size_t i = 0; hb_params_preset_name(i) != NULL; i++) {
        assert_non_null(strstr(hb_last_error()->text, hb_params_preset_name(i)));
    }
    assert_int_equal(hb_params_preset(hb_params_preset_name(0), &spec), HB_OK);
    spec.scheme = (hb_scheme)99; /* as a damaged file may say */
    assert_int_equal(hb_params_open(&spec, &p), HB_ECONFIG);
    assert_null(p);
}

/* The ends of a column's range, between neighbours that stay unchanged. */
static void check_cells(const hb_params_spec *spec, bool is_signed)
{
    const hb_cell_range range = hb_codec_cell_range(spec, is_signed);
    const uint64_t ends[] = {range.least, range.most, 0, 1};
    enum { ENDS = sizeof ends / sizeof *ends };
    uint64_t words[ENDS * FEW], before[ENDS * FEW];
    for (size_t i = 0; i < ENDS * FEW; i++) {
        before[i] = words[i] = i % FEW == 1 ? ends[i / FEW] : 0xbeefu + i;
    }
    hb_codec_from_cells(spec, (hb_cell_words){words + 1, ENDS, FEW}, is_signed);
    for (size_t i = 0; i < ENDS * FEW; i++) {
        assert_true(i % FEW == 1 || words[i] == before[i]);
    }
    hb_codec_to_cells(spec, (hb_cell_words){words + 1, ENDS, FEW}, is_signed);
    assert_memory_equal(words, before, sizeof words);
    uint64_t column[ENDS]; /* without neighbours */
    memcpy(column, ends, sizeof column);
    hb_codec_from_cells(spec, (hb_cell_words){column, ENDS, 1}, is_signed);
    hb_codec_to_cells(spec, (hb_cell_words){column, ENDS, 1}, is_signed);
    assert_memory_equal(column, ends, sizeof column);
}

/* For integers a number equals the cell of a signed column. */
static void check_number(const hb_params_spec *spec, int64_t number)
{
    uint64_t cell = (uint64_t)number;
    hb_codec_from_cells(spec, (hb_cell_words){&cell, 1, 1}, true);
    assert_true(hb_codec_from_number(spec, number) == cell);
}

static void test_cells(void **state)
{
    (void)state;
    size_t next = 0;
    for (hb_params *p; (p = smallest(&next)) != NULL; hb_params_close(p)) {
        char text[HB_CODEC_TEXT] = "";
        check_cells(&p->spec, false);
        check_cells(&p->spec, true);
        for (int64_t number = -2; hb_codec_cell_type(p->spec.scheme) == HB_CELL_INTEGER && number <= 2; number++) {
            check_number(&p->spec, number);
        }
        hb_codec_bound_text(text, &p->spec);
        assert_true(text[0] != '\0' && strlen(text) < sizeof text);
    }
}

/* Returns a cell: a small integer, and of reals eighths of it. */
static uint64_t some_cell(bool real, size_t i)
{
    const uint64_t number = i % 1000;
    return real ? hb_real_word((double)number / 8) : number;
}

/* Integers come back as they are, reals as near as the bound of a fresh error says. */
static void assert_decrypted(const hb_params *p, const uint64_t *result, const uint64_t *cells, size_t count)
{
    const double bits = hb_quality_bits(p, p->fresh_limbs, hb_quality_fresh(p, false, HB_GAUSSIAN).worst);
    if (hb_codec_cell_type(p->spec.scheme) == HB_CELL_INTEGER) {
        assert_memory_equal(result, cells, count * sizeof *cells);
        return;
    }
    assert_true(bits > 8);
    for (size_t i = 0; i < count; i++) {
        assert_true(fabs(hb_real_of(result[i]) - hb_real_of(cells[i])) <= exp2(-bits));
    }
}

/* Values 0, 1, 2 ... of a column, encoded, encrypted, decrypted and decoded. */
static void check_round_trip(const hb_params *p, hb_encoding encoding)
{
    const size_t n = p->spec.n, bytes = n * sizeof(uint64_t);
    hb_engine *engine;
    hb_codec *codec;
    hb_secret_key secret;
    hb_encryptor *encryptor;
    hb_decryptor *decryptor;
    hb_batch values, plain, c0, phase;
    hb_seed root = {{7}}, public_seed;
    uint64_t *cells = test_malloc(bytes), *result = test_malloc(bytes);
    int8_t *ternary = test_malloc(n);
    uint32_t bits = 0;
    const bool real = hb_codec_cell_type(p->spec.scheme) == HB_CELL_REAL;
    const size_t capacity = (size_t)hb_codec_capacity(&p->spec, encoding);
    for (size_t i = 0; i < n; i++) {
        cells[i] = i < capacity ? some_cell(real, i) : 0;
    }
    hb_codec_from_cells(&p->spec, (hb_cell_words){cells, capacity, 1}, false);
    assert_int_equal(hb_cpu_engine_open(&p->ring, &engine), HB_OK);
    assert_int_equal(hb_secret_draw(engine, p, &root, ternary), HB_OK);
    assert_int_equal(hb_secret_key_load(&secret, engine, p, ternary), HB_OK);
    assert_int_equal(hb_codec_open(engine, p, encoding, &codec), HB_OK);
    assert_int_equal(hb_encryptor_open(engine, &secret, NULL, HB_GAUSSIAN, 1, &encryptor), HB_OK);
    assert_int_equal(hb_decryptor_open(engine, &secret, p->fresh_limbs, 1, &decryptor), HB_OK);
    assert_int_equal(hb_values_alloc(&values, engine, p, 1), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, engine, p, p->fresh_limbs, 1), HB_OK);
    assert_int_equal(plain.count * plain.stride, hb_plaintext_words(p, p->fresh_limbs));
    assert_int_equal(hb_batch_alloc(engine, &c0, 1, p->fresh_limbs, p->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(engine, &phase, 1, p->fresh_limbs, p->ids), HB_OK);
    assert_int_equal(hb_upload(engine, values.data, cells, bytes), HB_OK);
    assert_int_equal(hb_encode(codec, plain, values), HB_OK);
    assert_int_equal(hb_encrypt(encryptor, c0, (hb_batch){0}, &public_seed, plain, &root, 0), HB_OK);
    assert_int_equal(hb_phase_seeded(decryptor, phase, c0, &public_seed), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
    assert_int_equal(hb_decode(codec, values, plain), HB_OK);
    if (!real) {
        assert_int_equal(hb_decryptor_measure(decryptor, &bits, phase), HB_OK);
        assert_true(bits >= hb_quality_bits(p, p->fresh_limbs, hb_quality_fresh(p, false, HB_GAUSSIAN).worst));
    }
    assert_int_equal(hb_download(engine, result, values.data, bytes), HB_OK);
    assert_int_equal(hb_finish(engine), HB_OK);
    assert_decrypted(p, result, cells, n);
    hb_batch *batches[] = {&values, &plain, &c0, &phase};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        hb_batch_free(engine, batches[i]);
    }
    hb_decryptor_close(decryptor);
    hb_encryptor_close(encryptor);
    hb_codec_close(codec);
    hb_secret_key_clear(&secret);
    hb_engine_close(engine);
    test_free(ternary);
    test_free(cells);
    test_free(result);
}

/* Whether anything can be encrypted: a scheme of which not all is there says that it cannot. */
static bool encrypts(const hb_params *p)
{
    const hb_status st = hb_quality_require_fresh(p, false);
    assert_true(st == HB_OK || (st == HB_ECONFIG && p->spec.scheme != HB_BFV));
    return st == HB_OK;
}

static void test_round_trip(void **state)
{
    (void)state;
    assert_int_equal(hb_seed_start(), HB_OK);
    size_t next = 0;
    for (hb_params *p; (p = smallest(&next)) != NULL; hb_params_close(p)) {
        if (encrypts(p) && hb_params_has_slots(p)) {
            check_round_trip(p, HB_ENCODE_SLOTS);
        }
        if (encrypts(p)) {
            check_round_trip(p, HB_ENCODE_COEFFICIENTS);
        }
    }
    hb_codec_close(NULL);
    hb_decryptor_close(NULL);
    hb_evaluator_close(NULL);
}

/* Properties of errors in every scheme: only rescaling makes one smaller, and worst is never below expected. */
static void check_quality(const hb_params *p)
{
    const uint32_t limbs = p->fresh_limbs;
    const hb_quality fresh = hb_quality_fresh(p, true, HB_BINOMIAL);
    const hb_magnitude one = {0};
    const hb_quality_factor factor = {fresh, 2, one, false};
    const hb_quality results[] = {
        hb_quality_add(p, fresh, fresh),
        hb_quality_sum(p, fresh, 5),
        hb_quality_add_plain(p, fresh),
        hb_quality_multiply_integer(p, fresh, 3),
        hb_quality_multiply_number(p, limbs, factor, -3),
        hb_quality_multiply_plain(p, limbs, factor, HB_FACTOR_CONSTANT, one),
        hb_quality_multiply_plain(p, limbs, factor, HB_FACTOR_ANY, one),
        hb_quality_multiply(p, limbs, factor, factor),
        hb_quality_square(p, limbs, factor),
        hb_quality_add_number(p, fresh),
        hb_quality_transformed(p, limbs, fresh, one),
        hb_quality_adjust(p, limbs, factor, limbs),
        hb_quality_switch(p, limbs, fresh, HB_SWITCH_GALOIS),
        hb_quality_sum_slots(p, limbs, fresh),
    };
    assert_int_equal(hb_quality_require_fresh(p, true), HB_OK);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        assert_true(results[i].worst >= fresh.worst && results[i].expected >= fresh.expected);
        assert_true(results[i].worst >= results[i].expected);
        assert_true(hb_quality_bits(p, limbs, results[i].worst) <= hb_quality_bits(p, limbs, fresh.worst));
    }
    assert_true(hb_quality_margin(p) >= 0);
    assert_true(hb_quality_again(p, fresh, 2).expected >= fresh.expected);
    if (limbs > 1) {
        const hb_quality product = hb_quality_multiply(p, limbs, factor, factor);
        assert_true(hb_quality_mod_switch(p, limbs, product, 3).worst < product.worst);
        assert_true(hb_quality_relinearize_rescale(p, limbs, product).worst < product.worst);
    }
    assert_true(hb_quality_room(p, limbs, fresh) >= 0);
    assert_true(hb_quality_fresh(p, false, HB_BINOMIAL).worst <= fresh.worst);
}

/* One prime: nothing is switched, and questions about switching are answered. */
static void test_without_switching(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *p;
    assert_int_equal(hb_params_preset(hb_params_preset_name(0), &spec), HB_OK);
    spec.key_limbs = 1;
    assert_int_equal(hb_params_open(&spec, &p), HB_OK);
    assert_false(hb_params_can_switch(p));
    assert_int_equal(hb_evaluator_hoisted_bytes(p, 1), 0);
    const hb_evaluator_requirements requirements = {.limbs = 1, .count = 2, .size = 2, .plain_factors = true};
    assert_true(hb_evaluator_bytes(p, &requirements) >= p->spec.n * sizeof(uint64_t));
    hb_params_close(p);
}

static void test_quality(void **state)
{
    (void)state;
    size_t next = 0;
    for (hb_params *p; (p = smallest(&next)) != NULL; hb_params_close(p)) {
        if (encrypts(p)) {
            check_quality(p);
        }
        assert_true(hb_quality_name(p->spec.scheme)[0] != '\0' && hb_quality_word(p->spec.scheme)[0] != '\0');
    }
    for (double bits = 0; bits < 40; bits += 0.37) {
        const double stored = hb_quality_from_file(hb_quality_to_file(bits));
        assert_true(stored >= bits && stored < bits + 0x1p-10);
    }
    assert_int_equal(hb_quality_to_file(-1), 0);
}

/* Keys that are made by owners differ in each number of theirs. */
static void test_same_keys(void **state)
{
    (void)state;
    hb_params_spec spec, other;
    const uint8_t id[HB_KEY_ID_BYTES] = {1}, other_id[HB_KEY_ID_BYTES] = {2};
    assert_int_equal(hb_params_preset("bfv-4096", &spec), HB_OK);
    spec.joint = (hb_joint_spec){.owners = 3, .threshold = 3, .results = 9, .session = {1}};
    assert_true(hb_keys_same(id, &spec, id, &spec) && !hb_keys_same(id, &spec, other_id, &spec));
    const hb_joint_spec others[] = {
        {.owners = 0},
        {.owners = 2, .threshold = 3, .results = 9, .session = {1}},
        {.owners = 3, .threshold = 2, .results = 9, .session = {1}},
        {.owners = 3, .threshold = 3, .results = 8, .session = {1}},
        {.owners = 3, .threshold = 3, .results = 9, .session = {2}},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        other = spec;
        other.joint = others[i];
        assert_true(hb_params_same(&spec, &other));
        assert_false(hb_owners_same(&spec, &other) || hb_owners_same(&other, &spec));
        assert_false(hb_keys_same(id, &spec, id, &other) || hb_keys_same(id, &other, id, &spec));
    }
    spec.joint = (hb_joint_spec){.owners = 0};
    other = spec;
    other.joint.owners = 1; /* the same as 0 */
    assert_true(hb_keys_same(id, &spec, id, &other));
    other.bfv.plain++;
    assert_false(hb_keys_same(id, &spec, id, &other));
}

HB_UNIT(scheme)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),           cmocka_unit_test(test_chains),
        cmocka_unit_test(test_refused),           cmocka_unit_test(test_cells),
        cmocka_unit_test(test_round_trip),        cmocka_unit_test(test_quality),
        cmocka_unit_test(test_without_switching), cmocka_unit_test(test_same_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
