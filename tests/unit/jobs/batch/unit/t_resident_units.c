/* Datasets that stay: found again once a job has settled them, whole or not at all, within the budget; the one that was
 * not used for longest goes first; of several threads one fills a unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "batch/unit/resident_units.h"
#include "cpu/engine.h"
#include "rlwe/params.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { UNITS = 5, BYTES = 4096, SEEDS = 3 };
static const uint64_t seeded_bytes = BYTES + SEEDS * sizeof(hb_seed);

typedef struct fixture {
    hb_params *params;
    hb_engine *engine;
    hb_residents all;
} fixture;

static int open_fixture(void **state)
{
    static fixture f;
    hb_params_spec spec;
    f = (fixture){.params = NULL};
    *state = &f;
    return hb_params_preset("bfv-4096", &spec) == HB_OK && hb_params_open(&spec, &f.params) == HB_OK &&
                   hb_cpu_engine_open(&f.params->ring, &f.engine) == HB_OK
               ? 0
               : -1;
}

static int close_fixture(void **state)
{
    fixture *f = *state;
    hb_residents_clear(&f->all);
    hb_engine_close(f->engine);
    hb_params_close(f->params);
    return 0;
}

static const bool every[UNITS] = {true, true, true, true, true};

static hb_resident_need need_of(uint8_t name, const bool *wanted, uint64_t seeds)
{
    return (hb_resident_need){.key = {.digest = {name}},
                              .wanted = wanted,
                              .units = UNITS,
                              .bytes = BYTES,
                              .seeds = seeds,
                              .each = BYTES + seeds * sizeof(hb_seed)};
}

/* Begins a job that uses one dataset, with that budget. */
static hb_resident_units *begin(fixture *f, uint64_t most, uint8_t name, const bool *wanted, uint64_t seeds)
{
    const hb_resident_need need = need_of(name, wanted, seeds);
    hb_residents_begin(&f->all);
    hb_residents_use(&f->all, &need.key);
    hb_residents_bound(&f->all, most);
    return hb_residents_room(&f->all, f->engine, &need);
}

/* Fills units of a dataset, as checking them does, up to `count` of them; returns how many. */
static uint64_t fill(hb_resident_units *of, uint8_t name, uint64_t count)
{
    uint64_t filled = 0;
    for (uint64_t u = 0; u < UNITS && filled < count; u++) {
        hb_resident_unit *room = hb_resident_claim(of, u);
        if (room != NULL) {
            assert_null(hb_resident_claim(of, u)); /* nobody else fills it */
            memset(room->packed, name + (int)u, BYTES);
            filled++;
        }
    }
    return filled;
}

static uint64_t count_there(const hb_resident_units *of)
{
    uint64_t there = 0;
    for (uint64_t u = 0; u < UNITS; u++) {
        there += hb_resident_there(of, u) != NULL;
    }
    return there;
}

static void run_whole(fixture *f, uint64_t most, uint8_t name)
{
    hb_resident_units *of = begin(f, most, name, every, 0);
    assert_non_null(of);
    fill(of, name, UNITS);
    hb_residents_settle(&f->all);
}

static void test_found_once_settled(void **state)
{
    fixture *f = *state;
    hb_resident_units *of = begin(f, UINT64_MAX, 1, every, SEEDS);
    assert_int_equal(fill(of, 1, UNITS), UNITS);
    assert_int_equal(count_there(of), 0); /* not while the job runs */
    assert_int_equal(f->all.bytes, UNITS * seeded_bytes);
    hb_residents_settle(&f->all);
    of = begin(f, UINT64_MAX, 1, every, SEEDS);
    assert_int_equal(count_there(of), UNITS);
    assert_int_equal(fill(of, 9, UNITS), 0);
    for (uint64_t u = 0; u < UNITS; u++) {
        const hb_resident_unit *unit = hb_resident_there(of, u);
        uint8_t wanted[BYTES];
        memset(wanted, 1 + (int)u, BYTES);
        assert_memory_equal(unit->packed, wanted, BYTES);
        assert_non_null(unit->seeds);
    }
    /* Another key is another dataset. */
    assert_int_equal(count_there(begin(f, UINT64_MAX, 2, every, SEEDS)), 0);
    assert_null(hb_resident_there(NULL, 0));
    assert_null(hb_resident_claim(NULL, 0));
}

static void test_whole_or_not_at_all(void **state)
{
    fixture *f = *state;
    hb_resident_units *of = begin(f, UINT64_MAX, 1, every, 0);
    assert_int_equal(fill(of, 1, UNITS - 1), UNITS - 1);
    hb_residents_settle(&f->all);
    assert_int_equal(f->all.count, 0);
    assert_int_equal(f->all.bytes, 0);
}

/* Another job may need other units of the same dataset. */
static void test_more_units_later(void **state)
{
    fixture *f = *state;
    const bool first[UNITS] = {true, true, false, false, false};
    hb_resident_units *of = begin(f, 4 * BYTES, 1, first, 0);
    assert_int_equal(fill(of, 1, UNITS), 2);
    hb_residents_settle(&f->all);
    const bool second[UNITS] = {false, true, true, false, false};
    of = begin(f, 4 * BYTES, 1, second, 0);
    assert_int_equal(count_there(of), 2);
    assert_int_equal(fill(of, 1, UNITS), 1);
    hb_residents_settle(&f->all);
    assert_int_equal(f->all.bytes, 3 * BYTES);
    /* The rest does not fit: what is there stays. */
    of = begin(f, 4 * BYTES, 1, every, 0);
    assert_int_equal(count_there(of), 3);
    assert_int_equal(fill(of, 1, UNITS), 0);
    hb_residents_settle(&f->all);
    assert_int_equal(f->all.bytes, 3 * BYTES);
}

static void test_budget(void **state)
{
    fixture *f = *state;
    const uint64_t each = UNITS * BYTES;
    assert_null(begin(f, 0, 1, every, 0));
    assert_null(begin(f, each - 1, 1, every, 0)); /* too large a one is not kept, nor a part of it */
    assert_int_equal(f->all.bytes, 0);
    run_whole(f, 2 * each, 1);
    run_whole(f, 2 * each, 2);
    run_whole(f, 2 * each, 1);
    run_whole(f, 2 * each, 3); /* in the place of 2, which was not used for longest */
    assert_int_equal(f->all.bytes, 2 * each);
    assert_int_equal(count_there(begin(f, 2 * each, 1, every, 0)), UNITS);
    assert_int_equal(count_there(begin(f, 2 * each, 3, every, 0)), UNITS);
    /* A smaller budget takes effect at once: 1 goes, which this job does not use. */
    assert_int_equal(count_there(begin(f, each, 3, every, 0)), UNITS);
    assert_int_equal(f->all.bytes, each);
    /* Datasets of one job do not take room from one another. */
    const hb_resident_need other = need_of(4, every, 0);
    assert_null(hb_residents_room(&f->all, f->engine, &other));
    assert_int_equal(f->all.count, 1);
    assert_null(begin(f, 0, 3, every, 0));
    assert_int_equal(f->all.bytes, 0);
}

/* Where room cannot be had beside what the job uses, nothing goes for it. */
static void test_nothing_goes_in_vain(void **state)
{
    fixture *f = *state;
    const uint64_t each = UNITS * BYTES;
    run_whole(f, 3 * each, 1);
    run_whole(f, 3 * each, 2);
    hb_resident_need large = need_of(3, every, 0);
    large.each = (uint64_t)5 * BYTES / 2;
    assert_int_equal(count_there(begin(f, 3 * each, 2, every, 0)), UNITS);
    assert_null(hb_residents_room(&f->all, f->engine, &large));
    assert_int_equal(f->all.count, 2);
    assert_int_equal(count_there(begin(f, 3 * each, 1, every, 0)), UNITS);
    const hb_resident_need small = need_of(4, every, 0);
    hb_residents_bound(&f->all, 2 * each);
    assert_non_null(hb_residents_room(&f->all, f->engine, &small)); /* in the place of 2 */
    assert_int_equal(f->all.bytes, 2 * each);
    assert_int_equal(count_there(begin(f, 2 * each, 1, every, 0)), UNITS);
}

/* A member with fewer limbs counts those of the one with most, and so drops the same. */
static void test_counted_by_most_limbs(void **state)
{
    fixture *f = *state;
    hb_resident_need need = need_of(1, every, 0);
    need.bytes = BYTES / 2;
    hb_residents_begin(&f->all);
    hb_residents_bound(&f->all, UNITS * BYTES - 1);
    assert_null(hb_residents_room(&f->all, f->engine, &need));
    hb_residents_bound(&f->all, UNITS * BYTES);
    assert_non_null(hb_residents_room(&f->all, f->engine, &need));
    assert_int_equal(f->all.bytes, UNITS * BYTES);
}

/* Memory that cannot be had is not asked for twice, and is no failure. */
static void test_no_memory(void **state)
{
    fixture *f = *state;
    hb_resident_need need = need_of(1, every, 0);
    need.bytes = need.each = (uint64_t)1 << 58;
    hb_residents_begin(&f->all);
    hb_residents_bound(&f->all, UINT64_MAX);
    assert_null(hb_residents_room(&f->all, f->engine, &need));
    assert_int_equal(f->all.bytes, 0);
    assert_int_equal(f->all.count, 0);
    assert_string_equal(hb_last_error()->text, "");
}

HB_UNIT(resident_units)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found_once_settled, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_whole_or_not_at_all, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_more_units_later, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_budget, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_nothing_goes_in_vain, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_counted_by_most_limbs, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(test_no_memory, open_fixture, close_fixture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
