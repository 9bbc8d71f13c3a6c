/* Linear maps of slots: the model's words for a map of 32 diagonals, of which one is rotated by both halves of the
 * slots; plans of steps; products with matrices, encrypted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "check/fixture.h"
#include "ckks/linear.h"
#include "ckks/presets.h"
#include "ckks/slot_factors.h"
#include "reference/ckks_model.h"
#include "reference/counting_engine.h"
#include "unit/unit.h"

enum { SLOTS = MODEL_N / 2, LIMBS = 5, BABY = 16, MODEL_DIAGONALS = 32, ROTATIONS = 16 };

/* The first half of the transform from slots to coefficients, times 1/8: its root. */
static const hb_slot_transform model_transform = {SLOTS, SLOTS, 2, HB_COEFFICIENTS_BECOME_SLOTS, 1.0 / 64};

/* With two ciphertexts at a time in the map's own workspace, or in another. */
static hb_status apply_map(side *s, const hb_diagonals *diagonals, hb_evaluator *ev, hb_switch_keys *keys, bool own,
                           hb_linear_map **map)
{
    const hb_linear_spec spec = {.limbs = LIMBS,
                                 .baby = BABY,
                                 .scale = hb_exact_scale_of(s->params->spec.primes[LIMBS - 1]),
                                 .count = own ? 2 : 0};
    int64_t steps[2 * MODEL_DIAGONALS];
    uint32_t count;
    hb_ciphertexts x;
    HB_TRY(hb_linear_steps(&count, steps, SLOTS, BABY, diagonals));
    HB_ASSERT(count == ROTATIONS);
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(model_switch_key(s, keys, hb_galois_rotation(MODEL_N, 5, steps[i])));
    }
    HB_TRY(model_encrypt(s, &x, messages[0], 1));
    /* Three times the same: two at a time, then one. */
    const hb_ciphertexts a = room(s, 2, 3, LIMBS), r = room(s, 2, 3, LIMBS - 1);
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < 3; i++) {
            HB_TRY(hb_copy(s->engine, hb_batch_slice(hb_ciphertexts_component(a, c), i, 1),
                           hb_batch_limbs(s->engine, hb_ciphertexts_component(x, c), 0, LIMBS)));
        }
    }
    HB_TRY(hb_linear_map_open(s->engine, s->params, &spec, diagonals, map));
    if (own) {
        HB_TRY(hb_linear_apply(ev, r, a, *map, keys));
    } else {
        const size_t words = 2 * hb_linear_map_words(*map);
        void *work = NULL;
        HB_TRY(hb_alloc(s->engine, words * sizeof(uint64_t), &work));
        hb_status st = hb_linear_apply_in(ev, r, a, *map, keys, (hb_workspace){work, words});
        if (st == HB_OK) { /* the middle one again, alone */
            const hb_ciphertexts alone = room(s, 2, 1, LIMBS);
            HB_TRY(hb_copy(s->engine, hb_ciphertexts_component(alone, 0), hb_component_slice(a, 0, 0, 1)));
            HB_TRY(hb_copy(s->engine, hb_ciphertexts_component(alone, 1), hb_component_slice(a, 1, 0, 1)));
            HB_TRY(hb_copy(s->engine, hb_component_slice(r, 0, 1, 1), hb_component_slice(r, 1, 1, 1)));
            st = hb_linear_apply_at(ev, r, 1, alone, *map, keys, (hb_workspace){work, words});
        }
        hb_free(s->engine, work);
        HB_TRY(st);
    }
    for (size_t i = 0; i < 3; i++) {
        const hb_ciphertexts one = room(s, 2, 1, LIMBS - 1);
        for (uint32_t c = 0; c < 2; c++) {
            HB_TRY(hb_copy(s->engine, hb_ciphertexts_component(one, c),
                           hb_batch_slice(hb_ciphertexts_component(r, c), i, 1)));
        }
        HB_TRY(expect_digest(s, "map", one.all, "82addfed0c215d6c58ea3a177da95ed82676e082c6c8cf5e480179417df3dc6c"));
    }
    return HB_OK;
}

typedef struct play {
    hb_diagonals diagonals;
    bool own;
} play;

static hb_status play_map(side *s, const void *with)
{
    const play *p = with;
    const hb_evaluator_requirements requirements = {.limbs = LIMBS, .count = 1, .switching = true};
    hb_switch_keys keys = {0};
    hb_linear_map *map = NULL;
    hb_evaluator *ev = NULL;
    hb_status st;
    HB_GOTO(hb_evaluator_open(s->engine, s->params, &requirements, &ev));
    st = apply_map(s, &p->diagonals, ev, &keys, p->own, &map);
done:
    hb_linear_map_close(map);
    hb_switch_keys_clear(&keys);
    hb_evaluator_close(ev);
    return st;
}

static void test_model(void **state)
{
    (void)state;
    char hex[2 * HB_DIGEST_BYTES + 1];
    const hb_params_spec spec = model_spec();
    hb_slot_factor factor;
    assert_int_equal(hb_slot_factor_init(&factor, &model_transform, 0, true), HB_OK);
    const hb_diagonals diagonals = factor.diagonals;
    assert_int_equal(diagonals.count, MODEL_DIAGONALS);
    int64_t numbers[MODEL_DIAGONALS];
    for (uint32_t i = 0; i < MODEL_DIAGONALS; i++) {
        numbers[i] = (diagonals.numbers[i] + SLOTS) % SLOTS;
    }
    assert_string_equal(words_digest((const uint64_t *)(const void *)numbers, diagonals.count, hex),
                        "fce1bc758013cf22498d0e239397650921605e9e0275eaf49bd8dad62103057d");
    assert_string_equal(words_digest((const uint64_t *)(const void *)diagonals.values, 4 * 2 * SLOTS, hex),
                        "18e60d66c82f6bcbacd917a7fc3b4416b83e75015262aefe86db8c48b3b70ba6");
    for (uint32_t members = 1; members <= 4; members++) {
        expect_play(&spec, play_map, &(play){diagonals, members != 3}, members);
    }
    hb_slot_factor_clear(&factor);
}

/* Sets the diagonals, those that are not 0, of the product of a matrix and a vector with that period. */
static hb_diagonals diagonals_of(const double *w, size_t rows, size_t columns, size_t period)
{
    enum { MOST = 64 };
    static int64_t numbers[MOST];
    static double values[MOST][2 * SLOTS];
    uint32_t count = 0;
    for (size_t d = 0; d < period; d++) {
        bool any = false;
        for (size_t x = 0; x < SLOTS; x++) {
            const size_t row = x % period, column = (x + d) % period;
            values[count][x] = row < rows && column < columns ? w[row * columns + column] : 0;
            any = any || values[count][x] != 0;
        }
        numbers[count] = (int64_t)d;
        count += any;
        assert_true(count < MOST);
    }
    return (hb_diagonals){.count = count, .numbers = numbers, .values = values[0]};
}

/* Encrypts a vector, multiplies it by a matrix, and decrypts at the level below. */
static void check_encrypted(hb_fixture *f, size_t rows, size_t columns, size_t period, double most)
{
    static double w[32 * 32], vector[SLOTS], found[MODEL_N];
    const size_t repeat = period == 0 ? SLOTS : period;
    const hb_params *p = f->params;
    const uint32_t each = hb_params_level_limbs(p), limbs = p->data_limbs - each, below = limbs - each;
    int64_t steps[4 * SLOTS];
    uint32_t count;
    uint32_t baby;
    hb_linear_map *linear;
    for (size_t i = 0; i < rows * columns; i++) {
        w[i] = (double)(int64_t)stream_word(rows, i) / 0x1p63;
    }
    for (size_t j = 0; j < SLOTS; j++) {
        vector[j] = (double)(int64_t)stream_word(columns, j % repeat) / 0x1p63;
    }
    memcpy(f->values.data, vector, sizeof vector);
    memset(f->values.data + SLOTS, 0, sizeof vector);
    assert_int_equal(hb_encode(f->codec, f->plain, f->values), HB_OK);
    const hb_batch c0 = hb_ciphertexts_component(f->a, 0), c1 = hb_ciphertexts_component(f->a, 1);
    assert_int_equal(hb_encrypt(f->with_public, c0, c1, NULL, f->plain, &f->root, rows), HB_OK);
    const hb_diagonals diagonals = diagonals_of(w, rows, columns, repeat);
    assert_int_equal(hb_linear_baby(&baby, SLOTS, &diagonals), HB_OK);
    assert_int_equal(hb_linear_steps(&count, steps, SLOTS, baby, &diagonals), HB_OK);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t element = hb_galois_rotation(MODEL_N, 5, steps[i]);
        hb_seed own, seeds[HB_MAX_LIMBS];
        hb_switch_key key;
        hb_switch_key_root(&own, &f->root, &p->spec, element);
        hb_seed_public(seeds, HB_MAX_LIMBS, &own, 0);
        assert_int_equal(hb_switch_key_generate(&key, &f->secret, element, &own, seeds), HB_OK);
        assert_int_equal(hb_switch_keys_add(&f->keys, &key), HB_OK);
    }
    const hb_linear_spec spec = {.limbs = limbs, .baby = baby, .scale = hb_ckks_scale(p, limbs), .count = 1};
    assert_int_equal(hb_linear_map_open(f->engine, p, &spec, &diagonals, &linear), HB_OK);
    const hb_ciphertexts a = hb_ciphertexts_view(f->b, f->engine, p, 2, 1, limbs),
                         r = hb_ciphertexts_view(f->narrow, f->engine, p, 2, 1, below);
    assert_int_equal(hb_evaluator_adjust(f->evaluator, a, f->a), HB_OK);
    assert_int_equal(hb_linear_apply(f->evaluator, r, a, linear, &f->keys), HB_OK);
    hb_decryptor *decryptor;
    const hb_batch plain = hb_batch_on(f->engine, f->plain.data, 1, below, p->ids),
                   phase = hb_batch_on(f->engine, f->phase.data, 1, below, p->ids);
    assert_int_equal(hb_decryptor_open(f->engine, &f->secret, below, 1, &decryptor), HB_OK);
    assert_int_equal(hb_phase(decryptor, phase, hb_ciphertexts_component(r, 0), hb_ciphertexts_component(r, 1)), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
    assert_int_equal(hb_decode(f->codec, f->values, plain), HB_OK);
    memcpy(found, f->values.data, sizeof found);
    for (size_t x = 0; x < SLOTS; x++) {
        double sum = 0;
        for (size_t j = 0; x % repeat < rows && j < columns; j++) {
            sum += w[x % repeat * columns + j] * vector[j];
        }
        assert_true(fabs(found[x] - sum) < most && fabs(found[SLOTS + x]) < most);
    }
    hb_decryptor_close(decryptor);
    hb_linear_map_close(linear);
}

static void check_products(hb_params_spec spec, double most)
{
    const hb_seed root = {{21}};
    hb_params *params;
    hb_engine *engine;
    hb_fixture f = {0};
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(hb_fixture_init(&f, engine, params, &root, 1), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&f, 0), HB_OK);
    check_encrypted(&f, 20, 30, 0, most);
    check_encrypted(&f, 3, 32, 0, most);
    check_encrypted(&f, 16, 11, 16, most);
    hb_fixture_clear(&f);
    hb_engine_close(engine);
    hb_params_close(params);
}

/* With one prime a level, and as right as doubles with two. */
static void test_products(void **state)
{
    (void)state;
    const hb_ckks_chain two = {50, 80, 3, 3};
    hb_params_spec spec = model_spec();
    check_products(spec, 0x1p-22);
    assert_int_equal(hb_ckks_find_chain(&spec, &two), HB_OK);
    check_products(spec, 0x1p-47);
}

/* For all numbers and baby steps, every one is the sum of a baby and a giant step that have keys. */
static void test_plans(void **state)
{
    (void)state;
    static const int64_t lists[][6] = {
        {0, 1, 2, 3, 4, 5}, {0, -3, 3, 6, -30, 33}, {31, -31, 32, 1, -1, 0}, {7, 7 + 16, 7 + 32, 7 + 48, -9 - 64, 3}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const hb_diagonals diagonals = {.count = 6, .numbers = lists[i]};
        uint32_t best = 0, fewest = UINT32_MAX;
        for (uint32_t baby = 1; baby <= 64; baby *= 2) {
            int64_t steps[12];
            uint32_t count = 0;
            assert_int_equal(hb_linear_steps(&count, steps, 64, baby, &diagonals), HB_OK);
            for (uint32_t k = 0; k < 6; k++) {
                bool found = false;
                for (uint32_t a = 0; a <= count; a++) {
                    for (uint32_t b = 0; b <= count; b++) {
                        const int64_t sum = (a < count ? steps[a] : 0) + (b < count ? steps[b] : 0);
                        found = found || (sum - lists[i][k]) % 64 == 0;
                    }
                }
                assert_true(found);
            }
            for (uint32_t a = 0; a < count; a++) {
                assert_true(steps[a] > (a > 0 ? steps[a - 1] : 0) && steps[a] < 64);
            }
            fewest = count < fewest ? count : fewest;
        }
        assert_int_equal(hb_linear_baby(&best, 64, &diagonals), HB_OK);
        int64_t steps[12];
        uint32_t count = 0;
        assert_int_equal(hb_linear_steps(&count, steps, 64, best, &diagonals), HB_OK);
        assert_true(count <= fewest + 1); /* steps that are baby and giant at once have one key */
    }
}

/* An evaluator, an encryptor and a map take exactly the memory that they announce. */
static void test_memory(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    const hb_evaluator_requirements requirements = {.limbs = LIMBS, .count = 3, .size = 2, .switching = true};
    static double one[MODEL_DIAGONALS][2 * SLOTS];
    static int64_t some[MODEL_DIAGONALS];
    hb_params *params;
    hb_engine *engine;
    hb_evaluator *ev;
    hb_linear_map *map;
    hb_encryptor *encryptor;
    hb_secret_key secret;
    const int8_t zeros[MODEL_N] = {0};
    for (size_t i = 0; i < MODEL_DIAGONALS; i++) {
        some[i] = (int64_t)i;
    }
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(hb_secret_key_load(&secret, engine, params, zeros), HB_OK);
    engine->batch_bytes = 0;
    count_on(engine);
    assert_int_equal(hb_evaluator_open(engine, params, &requirements, &ev), HB_OK);
    assert_true(counted.bytes == hb_evaluator_bytes(params, &requirements));
    counted.bytes = 0;
    assert_int_equal(hb_encryptor_open(engine, &secret, NULL, HB_GAUSSIAN, 3, &encryptor), HB_OK);
    assert_true(counted.bytes == hb_encryptor_bytes(params, false, 3));
    counted.bytes = 0;
    const hb_diagonals diagonals = {.count = MODEL_DIAGONALS, .numbers = some, .values = one[0]};
    const hb_linear_spec linear = {.limbs = LIMBS, .baby = BABY, .scale = hb_ckks_scale(params, LIMBS), .count = 3};
    assert_int_equal(hb_linear_map_open(engine, params, &linear, &diagonals, &map), HB_OK);
    assert_true(counted.bytes == hb_linear_map_bytes(map) + counted_encoding(MODEL_N, MODEL_DIAGONALS));
    hb_linear_shape shape;
    assert_int_equal(hb_linear_shape_of(&shape, MODEL_N / 2, BABY, &diagonals), HB_OK);
    const hb_linear_memory memory = hb_linear_memory_of(params, &linear, shape);
    assert_true(memory.bytes == hb_linear_map_bytes(map) && memory.words == hb_linear_map_words(map));
    count_off(engine);
    hb_linear_map_close(map);
    hb_encryptor_close(encryptor);
    hb_evaluator_close(ev);
    hb_secret_key_clear(&secret);
    hb_engine_close(engine);
    hb_params_close(params);
}

/* The memory of a map's plaintexts, which is the only one of so many bytes, as it is freed. */
static struct {
    engine_copy copy; /* of the engine's operations, but for alloc and free */
    const hb_engine_ops *real;
    size_t bytes;
    void *memory;
    uint64_t left; /* words that are not zero then */
} plaintexts;

static uint64_t count_words(const void *memory)
{
    uint64_t count = 0;
    for (size_t i = 0; i < plaintexts.bytes / sizeof count; i++) {
        count += ((const uint64_t *)memory)[i] != 0;
    }
    return count;
}

static hb_status noting_alloc(hb_engine *e, size_t bytes, void **memory)
{
    HB_TRY(plaintexts.real->memory->alloc(e, bytes, memory));
    plaintexts.memory = bytes == plaintexts.bytes ? *memory : plaintexts.memory;
    return HB_OK;
}

static void looking_free(hb_engine *e, void *memory)
{
    if (memory != NULL && memory == plaintexts.memory) {
        plaintexts.left = count_words(memory);
        plaintexts.memory = NULL;
    }
    plaintexts.real->memory->free(e, memory);
}

/* Diagonals may be those of a private model: nothing of them is left in memory that is freed. */
static void test_wiped(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    static double values[MODEL_DIAGONALS][2 * SLOTS];
    static int64_t numbers[MODEL_DIAGONALS];
    hb_params *params;
    hb_engine *engine;
    hb_linear_map *map;
    for (size_t i = 0; i < MODEL_DIAGONALS; i++) {
        numbers[i] = (int64_t)i;
        for (size_t j = 0; j < SLOTS; j++) {
            values[i][j] = (double)(i + 1) / (double)(j + 1);
        }
    }
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    plaintexts.real = engine->ops;
    plaintexts.bytes = MODEL_DIAGONALS * params->gadget.levels[LIMBS].switch_limbs * (size_t)MODEL_N * sizeof(uint64_t);
    plaintexts.left = UINT64_MAX;
    engine_copy_of(&plaintexts.copy, engine->ops);
    plaintexts.copy.memory.alloc = noting_alloc;
    plaintexts.copy.memory.free = looking_free;
    engine->ops = &plaintexts.copy.ops;
    const hb_diagonals diagonals = {.count = MODEL_DIAGONALS, .numbers = numbers, .values = values[0]};
    const hb_linear_spec linear = {.limbs = LIMBS, .baby = BABY, .scale = hb_ckks_scale(params, LIMBS), .count = 1};
    assert_int_equal(hb_linear_map_open(engine, params, &linear, &diagonals, &map), HB_OK);
    assert_non_null(plaintexts.memory);
    assert_true(count_words(plaintexts.memory) > plaintexts.bytes / sizeof(uint64_t) / 2);
    hb_linear_map_close(map);
    assert_int_equal(plaintexts.left, 0);
    engine->ops = plaintexts.real;
    hb_engine_close(engine);
    hb_params_close(params);
}

/* Specs and diagonals that are refused. */
static void test_refused(void **state)
{
    (void)state;
    hb_params_spec spec = model_spec();
    static double one[2 * SLOTS] = {1};
    const int64_t zero = 0;
    const hb_diagonals diagonals = {.count = 1, .numbers = &zero, .values = one};
    for (int seal = 0; seal < 2; seal++) {
        hb_params *params;
        hb_engine *engine;
        hb_linear_map *map;
        if (seal) {
            spec.key_limbs = 4;
            spec.special_limbs = spec.digit_limbs = 1;
            spec.ckks.like_seal = true;
        }
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
        const hb_linear_spec large = {.limbs = 2, .baby = 1, .scale = hb_exact_scale_power_of_two(80), .count = 1};
        assert_int_equal(hb_linear_map_open(engine, params, &large, &diagonals, &map), seal ? HB_ECONFIG : HB_EDATA);
        assert_null(map);
        hb_engine_close(engine);
        hb_params_close(params);
    }
}

static int start(void **state)
{
    (void)state;
    return read_messages() ? hb_seed_start() != HB_OK : 1;
}

HB_UNIT(ckks_linear)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),  cmocka_unit_test(test_products), cmocka_unit_test(test_plans),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_wiped),    cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
