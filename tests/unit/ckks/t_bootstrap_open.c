/* Bootstrapping before it runs: its memory, its rotations, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/fixture.h"
#include "ckks/bootstrap_maps.h"
#include "divided/engine.h"
#include "reference/bootstrap_vectors.h"
#include "reference/counting_engine.h"
#include "scheme/bootstrap.h"
#include "unit/unit.h"

/* That of all maps; the last one from slots to coefficients is there for each range. */
static uint64_t maps_encoding(const hb_params *params, uint32_t ranges)
{
    uint64_t bytes = 0;
    for (int direction = 0; direction < 2; direction++) {
        const hb_slot_transform t = hb_bootstrap_transform(params, (hb_slot_direction)direction, MODEL_N / 2);
        for (uint32_t i = 0; i < t.maps; i++) {
            const bool last = direction == HB_SLOTS_BECOME_COEFFICIENTS && i + 1 == t.maps;
            hb_slot_factor factor;
            assert_int_equal(hb_slot_factor_init(&factor, &t, i, false), HB_OK);
            bytes += (last ? ranges : 1) * counted_encoding(MODEL_N, factor.diagonals.count);
            hb_slot_factor_clear(&factor);
        }
    }
    return bytes;
}

/* The memory of an order of bootstrapping, for operands of `limbs` limbs to results of result_limbs. */
static void memory_of_order(const hb_params *params, hb_engine *engine, hb_bootstrap_spec spec, uint32_t limbs,
                            uint32_t result_limbs)
{
    hb_bootstrap *bootstrap;
    hb_bootstrap_memory memory;
    assert_int_equal(hb_bootstrap_memory_of(params, &spec, &memory), HB_OK);
    count_on(engine);
    assert_int_equal(hb_bootstrap_open(engine, params, &spec, &bootstrap), HB_OK);
    const uint64_t all = counted.bytes;
    /* Encoding a map takes memory that is freed again. */
    assert_true(all == memory.shared + memory.own + maps_encoding(params, 2));
    /* A second one takes the maps of the first, and no more memory for more than go at a time. */
    hb_bootstrap_spec more = spec;
    hb_bootstrap *beside;
    hb_bootstrap_memory most;
    more.of = bootstrap;
    assert_int_equal(hb_bootstrap_memory_of(params, &more, &memory), HB_OK);
    counted.bytes = 0;
    assert_int_equal(hb_bootstrap_open(engine, params, &more, &beside), HB_OK);
    assert_true(counted.bytes == memory.own);
    hb_bootstrap_close(beside);
    more.count = HB_BOOTSTRAP_TOGETHER;
    assert_int_equal(hb_bootstrap_memory_of(params, &more, &memory), HB_OK);
    more.count = 100;
    assert_int_equal(hb_bootstrap_memory_of(params, &more, &most), HB_OK);
    assert_true(most.own == memory.own && most.shared == memory.shared);
    count_off(engine);
    assert_int_equal(bootstrap->limbs, limbs);
    assert_int_equal(bootstrap->result_limbs, result_limbs);
    hb_bootstrap_close(bootstrap);
}

static void test_memory(void **state)
{
    (void)state;
    static const uint32_t range_bits[] = {2, 0};
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    hb_bootstrap_spec wanted = {.count = 3, .range_bits = range_bits, .ranges = 2};
    hb_params *params;
    hb_engine *engine;
    hb_bootstrap *bootstrap;
    hb_bootstrap_memory memory;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    engine->batch_bytes = 0;
    memory_of_order(params, engine, wanted, 4, 18);
    wanted.lowest = true;
    memory_of_order(params, engine, wanted, 1, 15);
    hb_bootstrap_close(NULL);
    const uint32_t large = 30;
    hb_bootstrap_spec too_large = {.count = 1, .range_bits = &large, .ranges = 1};
    assert_int_equal(hb_bootstrap_open(engine, params, &too_large, &bootstrap), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "at most 2^23"));
    assert_null(bootstrap);
    too_large.lowest = true;
    assert_int_equal(hb_bootstrap_open(engine, params, &too_large, &bootstrap), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "not bootstrapped from the lowest level"));
    assert_null(bootstrap);
    assert_int_equal(hb_bootstrap_memory_of(params, &too_large, &memory), HB_EDATA);
    for (size_t period = 4; period <= MODEL_N; period = period == 4 ? 24 : period == 24 ? MODEL_N : 2 * MODEL_N) {
        const hb_bootstrap_spec bad = {.count = 1, .range_bits = range_bits, .ranges = 2, .period = period};
        assert_int_equal(hb_bootstrap_open(engine, params, &bad, &bootstrap), HB_ECONFIG);
        assert_int_equal(hb_bootstrap_memory_of(params, &bad, &memory), HB_ECONFIG);
    }
    hb_engine_close(engine);
    hb_params_close(params);
}

/* A member has its limbs of the diagonals and of the workspace: what is planned for the one that has most of them. The
 * rotations of slots, and what encoding takes for a while, are whole on each. */
static void test_memory_of_members(void **state)
{
    (void)state;
    static const uint32_t range_bits[] = {2, 0};
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    const hb_bootstrap_spec bootstrap_spec = {.count = 3, .range_bits = range_bits, .ranges = 2};
    hb_bootstrap_memory whole = {0};
    for (uint32_t members = 1; members <= 5; members++) {
        uint64_t most = 0;
        hb_bootstrap_memory memory;
        for (uint32_t number = 0; number < members; number++) {
            hb_params *params;
            hb_engine *engine;
            hb_exchange *exchange = NULL;
            hb_bootstrap *bootstrap;
            assert_int_equal(hb_params_open(&spec, &params), HB_OK);
            assert_int_equal(hb_params_divide(params, members), HB_OK);
            assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
            assert_int_equal(hb_exchange_open_alone(number, members, &exchange), HB_OK);
            assert_int_equal(hb_divided_engine_open(engine, &params->map, exchange, HB_DIVIDE_BY_COST, 0, &engine),
                             HB_OK);
            assert_int_equal(hb_bootstrap_memory_of(params, &bootstrap_spec, &memory), HB_OK);
            count_on(engine);
            assert_int_equal(hb_bootstrap_open(engine, params, &bootstrap_spec, &bootstrap), HB_OK);
            count_off(engine);
            most = counted.bytes > most ? counted.bytes : most;
            assert_true(counted.bytes <= memory.shared + memory.own + maps_encoding(params, 2));
            hb_bootstrap_close(bootstrap);
            hb_engine_close(engine);
            hb_exchange_close(exchange);
            hb_params_close(params);
        }
        whole = members == 1 ? memory : whole;
        const uint64_t planned = memory.shared + memory.own, part = (whole.shared + whole.own) / members;
        assert_true(most * 10 >= planned * 9); /* it is no more than what is held */
        assert_in_range(planned, part, part * 23 / 20 + (whole.shared + whole.own) / 50);
    }
}

static void test_refused(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    const uint32_t range_bits = 0;
    const hb_bootstrap_spec bootstrap_spec = {.count = 1, .range_bits = &range_bits, .ranges = 1};
    hb_params *params;
    hb_engine *engine;
    hb_bootstrap *bootstrap;
    hb_bootstrap_memory memory;
    hb_key_purpose *list;
    uint32_t count;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(hb_bootstrap_open(engine, params, &bootstrap_spec, &bootstrap), HB_ECONFIG);
    assert_null(bootstrap);
    assert_int_equal(hb_bootstrap_memory_of(params, &bootstrap_spec, &memory), HB_ECONFIG);
    assert_int_equal(hb_bootstrap_key_purposes(params, &list, &count), HB_ECONFIG);
    assert_null(list);
    assert_int_equal(count, 0);
    hb_engine_close(engine);
    hb_params_close(params);
}

/* In the ring of boot-16 both directions take the same 52 rotations. */
static void test_rotations(void **state)
{
    (void)state;
    enum { ALL = 1 << 15, MAPS = 3, MOST = 128 };
    static const uint32_t diagonals[2][MAPS] = {{63, 63, 32}, {32, 63, 63}};
    static uint8_t seen[2][ALL];
    for (int direction = 0; direction < 2; direction++) {
        const hb_slot_transform t = {ALL, ALL, MAPS, (hb_slot_direction)direction, 1};
        for (uint32_t i = 0; i < MAPS; i++) {
            hb_slot_factor factor;
            int64_t steps[MOST];
            uint32_t count;
            assert_int_equal(hb_slot_factor_init(&factor, &t, i, false), HB_OK);
            assert_int_equal(factor.diagonals.count, diagonals[direction][i]);
            const uint32_t baby = hb_bootstrap_baby(factor.diagonals.count);
            assert_int_equal(baby, 16);
            assert_int_equal(hb_linear_steps(&count, steps, ALL, baby, &factor.diagonals), HB_OK);
            for (uint32_t k = 0; k < count; k++) {
                seen[direction][steps[k]] = 1;
            }
            hb_slot_factor_clear(&factor);
        }
    }
    uint32_t steps = 0;
    for (size_t k = 0; k < ALL; k++) {
        assert_int_equal(seen[0][k], seen[1][k]);
        steps += seen[0][k];
    }
    assert_int_equal(steps, 52);
}

/* Notes the rotations of a direction: seen[slots]. */
static void note_rotations(size_t slots, uint32_t maps, hb_slot_direction direction, uint8_t *seen)
{
    const hb_slot_transform t = {slots, slots, maps, direction, 1};
    int64_t *steps = test_calloc(2 * slots, sizeof *steps);
    for (uint32_t i = 0; i < maps; i++) {
        hb_slot_factor factor;
        uint32_t count;
        assert_int_equal(hb_slot_factor_init(&factor, &t, i, false), HB_OK);
        const uint32_t baby = hb_bootstrap_baby(factor.diagonals.count);
        assert_int_equal(hb_linear_steps(&count, steps, slots, baby, &factor.diagonals), HB_OK);
        for (uint32_t k = 0; k < count; k++) {
            seen[steps[k]] = 1;
        }
        hb_slot_factor_clear(&factor);
    }
    test_free(steps);
}

/* As many maps of either direction take the same rotations in any ring, so that slots may become coefficients at high
 * levels with the keys of the other direction (HB_BOOTSTRAP_LOWEST). */
static void test_same_rotations(void **state)
{
    (void)state;
    for (size_t slots = 1 << 9; slots <= 1 << 15; slots *= 2) {
        for (uint32_t maps = 2; maps <= 5; maps++) {
            uint8_t *seen[] = {test_calloc(slots, 1), test_calloc(slots, 1)};
            note_rotations(slots, maps, HB_SLOTS_BECOME_COEFFICIENTS, seen[0]);
            note_rotations(slots, maps, HB_COEFFICIENTS_BECOME_SLOTS, seen[1]);
            assert_memory_equal(seen[0], seen[1], slots);
            test_free(seen[0]);
            test_free(seen[1]);
        }
    }
}

/* Two maps to coefficients: rotations that these alone take have keys of few limbs. */
static void test_keys_of_wide_maps(void **state)
{
    (void)state;
    enum { OTHERS = 4 /* of products, conjugates and the sparse secret */ };
    hb_params_spec spec;
    hb_params *params;
    hb_key_purpose *list;
    uint32_t count, few = 0;
    assert_int_equal(hb_params_preset("boot-16-deep", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_bootstrap_key_purposes(params, &list, &count), HB_OK);
    for (uint32_t i = OTHERS; i < count; i++) {
        few += list[i].limbs <= 3;
    }
    assert_int_equal(count, OTHERS + 52 + 45);
    assert_int_equal(few, 45);
    free(list);
    hb_params_close(params);
}

HB_UNIT(bootstrap_open)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_memory_of_members),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_same_rotations), cmocka_unit_test(test_keys_of_wide_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
