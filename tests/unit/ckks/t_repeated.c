/* Plaintexts of slots that repeat: for every period the words that all slots give, on an engine and on members that
 * share limbs; maps of such diagonals; and the memory of maps. The smallest ring of encoders is 2^10, this one 2^13. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ckks/block_matrix.h"
#include "ckks/bootstrap.h"
#include "ckks/presets.h"
#include "ckks/repeated.h"
#include "reference/members.h"
#include "ring/galois.h"
#include "rlwe/switch_keys.h"
#include "scheme/evaluator.h"
#include "unit/unit.h"

enum { N = 1 << 13, SLOTS = N / 2, LEAST = 1 << 10, COUNT = 3, DIAGONALS = 5, BABY = 2 };

/* A case: a period, and its level. */
typedef struct play {
    size_t period;
    uint32_t limbs;
} play;

static double value_of(size_t i)
{
    return (double)(int64_t)scattered(i) / 0x1p63;
}

/* Word j of every limb that is here is the word of its run. */
static hb_status expect_runs(const side *s, hb_batch whole, hb_batch repeated)
{
    const uint32_t here = hb_limbs_here(s->engine, whole.ids, whole.limbs);
    const size_t words = repeated.n;
    for (size_t i = 0; i < whole.count * here * N; i++) {
        const size_t c = i / (here * N), l = i / N % here, j = i % N;
        if (whole.data[c * whole.stride + l * N + j] !=
            repeated.data[c * repeated.stride + l * words + j / (N / words)]) {
            return HB_FAIL(HB_DIFFERS, "%zu words: word %zu of limb %zu of plaintext %zu differs", words, j, l, c);
        }
    }
    return HB_OK;
}

/* The slots of plaintexts, and how many there are in a row; one that cannot be encoded. */
typedef struct source {
    size_t period, half, bad;
} source;

static void put(const void *context, size_t i, double *slots)
{
    const source *x = context;
    for (size_t j = 0; j < 2 * x->half; j++) {
        slots[j] = value_of(2 * (i * SLOTS + j % x->half % x->period) + (j >= x->half));
    }
    slots[2 * x->half - 1] = i == x->bad ? 0x1p1000 : slots[2 * x->half - 1];
}

static hb_batch take_repeated(side *s, const hb_gadget_level *level, size_t words)
{
    hb_batch r = hb_repeated_on(s->engine, NULL, COUNT, level->switch_limbs, level->switch_ids, words);
    r.data = take_bytes(s, COUNT * r.stride * sizeof *r.data);
    return r;
}

/* Encodes with an encoder that takes `together` of them at a time. */
static hb_status encode(side *s, hb_batch plain, hb_exact_scale scale, const source *from, size_t together,
                        size_t *refused)
{
    hb_repeated *encoder;
    HB_TRY(hb_repeated_open(s->engine, s->params, hb_batch_slice(plain, 0, together), &encoder));
    const hb_status st = hb_repeated_encode(encoder, plain, scale, put, from, refused);
    hb_repeated_close(encoder);
    return st;
}

/* Encodes on all words of the ring, as codecs do, and on as few as there are. */
static hb_status play_words(side *s, const void *with)
{
    const play *p = with;
    const hb_gadget_level *level = &s->params->gadget.levels[p->limbs];
    const size_t words = hb_repeated_words(N, p->period);
    const hb_exact_scale scale = hb_ckks_scale(s->params, p->limbs);
    const hb_batch whole = take_repeated(s, level, N), r = take_repeated(s, level, words),
                   encoded = take(s, COUNT, p->limbs, s->params->ids, 0),
                   values = take(s, COUNT, 1, &s->params->common_id, 0);
    source all = {p->period, SLOTS, COUNT}, some = {p->period, words / 2, COUNT};
    hb_codec *codec;
    size_t refused;
    for (size_t c = 0; c < COUNT; c++) {
        put(&all, c, (double *)(void *)(values.data + c * N));
    }
    HB_TRY(hb_ckks_codec_open(s->engine, s->params, HB_ENCODE_SLOTS, &codec));
    const hb_status st = hb_ckks_encode(codec, encoded, values);
    hb_ckks_codec_close(codec);
    HB_TRY(st);
    HB_TRY(encode(s, whole, scale, &all, COUNT, &refused));
    HB_ASSERT(refused == COUNT);
    HB_TRY(expect_runs(s, encoded, hb_batch_limbs(s->engine, whole, 0, p->limbs)));
    HB_TRY(encode(s, r, scale, &some, 1, &refused));
    HB_ASSERT(refused == COUNT);
    HB_TRY(expect_runs(s, whole, r));
    HB_TRY(expect_batch(s, "repeated plaintexts", r));
    /* Which one cannot be encoded all members know. */
    some.bad = 1;
    for (size_t together = 1; together <= COUNT; together++) {
        HB_TRY(encode(s, r, scale, &some, together, &refused));
        HB_ASSERT(refused == 1);
    }
    return HB_OK;
}

static void perform_play(const hb_params_spec *spec, script script_of, const play *p, uint32_t members)
{
    meeting at;
    meeting_init(&at, members);
    performance all = {.spec = spec, .play = script_of, .with = p, .members = members, .queues = 1};
    const hb_status st = perform(&all, &at, NULL);
    if (st != HB_OK) {
        print_error("period %zu, %u members: %s\n", p->period, members, hb_last_error()->text);
    }
    assert_int_equal(st, HB_OK);
    meeting_clear(&at);
}

static void test_words(void **state)
{
    (void)state;
    const hb_ckks_chain chains[] = {{50, 40, 3, 2}, {50, 80, 3, 3}}; /* one prime a level, and two */
    for (size_t i = 0; i < 2; i++) {
        hb_params_spec spec = {.n = N, .security = {.level = 128}, .insecure = true};
        assert_int_equal(hb_ckks_find_chain(&spec, &chains[i]), HB_OK);
        const uint32_t limbs = spec.key_limbs - spec.special_limbs;
        for (size_t period = 1; period <= SLOTS; period *= 2) {
            assert_int_equal(hb_repeated_words(N, period), 2 * period < LEAST ? LEAST : 2 * period);
            perform_play(&spec, play_words, &(play){period, limbs}, 1);
        }
        perform_play(&spec, play_words, &(play){64, limbs}, 2);
        perform_play(&spec, play_words, &(play){SLOTS / 2, limbs}, 3);
        perform_play(&spec, play_words, &(play){SLOTS, limbs}, 3);
        /* With one prime a level, a member has none of the limbs. */
        const uint32_t lowest = hb_spec_level_limbs(&spec);
        perform_play(&spec, play_words, &(play){2, lowest}, 4);
        perform_play(&spec, play_words, &(play){SLOTS, lowest}, 4);
    }
}

/* Keys for the steps of a map, of a secret that is drawn. */
static hb_status add_keys(side *s, hb_switch_keys *keys, const int64_t *steps, uint32_t count)
{
    const hb_seed root = {{3}};
    int8_t ternary[N];
    hb_secret_key secret;
    hb_status st = HB_OK;
    HB_TRY(hb_secret_draw(s->engine, s->params, &root, ternary));
    HB_TRY(hb_secret_key_load(&secret, s->engine, s->params, ternary));
    for (uint32_t i = 0; i < count && st == HB_OK; i++) {
        const uint32_t element = hb_galois_rotation(N, 5, steps[i]);
        hb_seed own, seeds[HB_MAX_LIMBS];
        hb_switch_key key;
        hb_switch_key_root(&own, &root, &s->params->spec, element);
        hb_seed_public(seeds, HB_MAX_LIMBS, &own, 0);
        st = hb_switch_key_generate(&key, &secret, element, &own, seeds);
        st = st != HB_OK ? st : hb_switch_keys_add(keys, &key);
    }
    hb_secret_key_clear(&secret);
    return st;
}

/* Sets r to the map of a. */
static hb_status apply(side *s, hb_ciphertexts r, hb_ciphertexts a, const hb_diagonals *diagonals,
                       const hb_switch_keys *keys, uint64_t *bytes)
{
    const uint32_t limbs = a.all.limbs;
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = COUNT, .switching = true};
    const hb_linear_spec spec = {.limbs = limbs, .baby = BABY, .scale = hb_ckks_scale(s->params, limbs), .count = 2};
    hb_linear_map *map = NULL;
    hb_linear_shape shape;
    hb_evaluator *ev;
    hb_status st;
    HB_TRY(hb_evaluator_open(s->engine, s->params, &requirements, &ev));
    HB_GOTO(hb_linear_map_open(s->engine, s->params, &spec, diagonals, &map));
    HB_GOTO(hb_linear_apply(ev, r, a, map, keys));
    HB_GOTO(hb_linear_shape_of(&shape, SLOTS, BABY, diagonals));
    *bytes = hb_linear_map_bytes(map);
    HB_ASSERT(*bytes == hb_linear_memory_of(s->params, &spec, shape).bytes);
    st = hb_finish(s->engine);
done:
    hb_linear_map_close(map);
    hb_evaluator_close(ev);
    return st;
}

/* A map of diagonals that repeat, and the same map of all their slots. */
static hb_status play_map(side *s, const void *with)
{
    static const int64_t numbers[DIAGONALS] = {0, 1, 3, -5, 6};
    const play *p = with;
    const hb_diagonals all = {.count = DIAGONALS,
                              .numbers = numbers,
                              .values = take_bytes(s, sizeof(double) * DIAGONALS * N)},
                       some = {.count = DIAGONALS,
                               .numbers = numbers,
                               .values = take_bytes(s, sizeof(double) * DIAGONALS * 2 * p->period),
                               .period = p->period};
    const hb_ciphertexts a = {taken(s, 2 * COUNT, p->limbs, s->params->ids, 0), 2, HB_NTT_FORM};
    const uint32_t below = p->limbs - hb_params_level_limbs(s->params);
    const hb_ciphertexts r[2] = {{take(s, 2 * COUNT, below, s->params->ids, 0), 2, HB_NTT_FORM},
                                 {take(s, 2 * COUNT, below, s->params->ids, 0), 2, HB_NTT_FORM}};
    double *whole = (double *)(uintptr_t)all.values, *once = (double *)(uintptr_t)some.values;
    int64_t steps[2 * DIAGONALS];
    uint64_t bytes[2];
    uint32_t count;
    hb_switch_keys keys = {0};
    hb_status st;
    for (size_t i = 0; i < (size_t)2 * DIAGONALS * SLOTS; i++) {
        const size_t at = i / SLOTS * p->period + i % SLOTS % p->period;
        whole[i] = once[at] = value_of(at);
    }
    HB_GOTO(hb_linear_steps(&count, steps, SLOTS, BABY, &all));
    HB_GOTO(add_keys(s, &keys, steps, count));
    HB_GOTO(apply(s, r[0], a, &all, &keys, &bytes[0]));
    HB_GOTO(apply(s, r[1], a, &some, &keys, &bytes[1]));
    HB_GOTO(expect_batch(s, "map", r[0].all));
    const uint32_t here = hb_limbs_here(s->engine, r[0].all.ids, below);
    if (here > 0 && memcmp(r[0].all.data, r[1].all.data, r[0].all.count * r[0].all.stride * sizeof *whole) != 0) {
        HB_GOTO(HB_FAIL(HB_DIFFERS, "diagonals that repeat give another result"));
    }
    /* On one device, which has all limbs. */
    const size_t saved = (N - hb_repeated_words(N, p->period)) * DIAGONALS * sizeof(uint64_t);
    HB_ASSERT(s->engine->map != NULL || bytes[0] - bytes[1] == saved * s->params->gadget.levels[p->limbs].switch_limbs);
done:
    hb_switch_keys_clear(&keys);
    return st;
}

static void test_maps(void **state)
{
    (void)state;
    const hb_ckks_chain chain = {50, 40, 3, 2};
    hb_params_spec spec = {.n = N, .security = {.level = 128}, .insecure = true};
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    for (size_t period = 1; period <= SLOTS; period *= 4) {
        perform_play(&spec, play_map, &(play){period, 4}, 1);
        perform_play(&spec, play_map, &(play){period, 3}, 3);
    }
    perform_play(&spec, play_map, &(play){SLOTS / 2, 2}, 4);
}

/* The maps of a preset: the rotations of all, and of each map, of six or fewer, its diagonals, their
 * words a limb, and limbs. */
static void check_bootstrap_memory(const char *preset, size_t rotations, const size_t maps[6][3], double gib)
{
    const size_t n = (size_t)1 << 16;
    const uint32_t range_bits = 0;
    const hb_bootstrap_spec bootstrap = {.count = 1, .range_bits = &range_bits, .ranges = 1};
    uint64_t bytes = rotations * 2 * n * sizeof(uint32_t);
    hb_bootstrap_memory memory;
    hb_params_spec spec;
    hb_params *params;
    for (size_t i = 0; i < 6; i++) {
        bytes += maps[i][0] * maps[i][1] * maps[i][2] * sizeof(uint64_t);
    }
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_ckks_bootstrap_memory(params, &bootstrap, &memory), HB_OK);
    assert_int_equal(memory.shared, bytes);
    assert_true((double)bytes < gib * 0x1p30);
    hb_params_close(params);
}

/* In boot-16 two of three maps either way have diagonals that repeat: 0.9 GiB instead of 3.8. boot-16-deep has two maps
 * to coefficients, the wide one of which has diagonals that do not. */
static void test_bootstrap_memory(void **state)
{
    (void)state;
    const size_t n = (size_t)1 << 16;
    const size_t three[6][3] = {{63, LEAST, 12}, {63, 2048, 11}, {32, n, 10},
                                {32, n, 39},     {63, 2048, 38}, {63, LEAST, 37}};
    const size_t two[6][3] = {{255, LEAST, 11}, {256, n, 10}, {32, n, 39}, {63, 2048, 38}, {63, LEAST, 37}};
    check_bootstrap_memory("boot-16", 106, three, 0.9);
    check_bootstrap_memory("boot-16-deep", 130, two, 2.1);
}

/* A matrix of blocks has diagonals that repeat with them. */
static void test_matrix_memory(void **state)
{
    (void)state;
    const hb_ckks_chain chain = {50, 40, 3, 2};
    hb_params_spec spec = {.n = N, .security = {.level = 128}, .insecure = true};
    hb_params *params;
    double values[8 * 8];
    hb_block_sums rows[8];
    for (size_t i = 0; i < 8 * 8; i++) {
        values[i] = value_of(i);
    }
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    for (uint32_t block = 8; block <= SLOTS; block *= 2) {
        const hb_block_matrix matrix = {.rows = 8, .columns = 8, .block = block, .values = values};
        hb_block_outline outline;
        hb_block_matrix_sums(&matrix, rows);
        assert_int_equal(hb_ckks_matrix_outline(&spec, &matrix, rows, &outline), HB_OK);
        const uint64_t words = 2 * block < LEAST ? LEAST : 2 * block;
        const uint32_t steps = outline.babies + outline.giants;
        assert_int_equal(hb_ckks_matrix_memory(params, &outline, 3).bytes,
                         outline.diagonals * words * 5 * sizeof(uint64_t) + steps * 2 * N * sizeof(uint32_t));
    }
    hb_params_close(params);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(repeated)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_bootstrap_memory),
        cmocka_unit_test(test_matrix_memory),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
