/* The log's answer about stored units: the same values, others, or unknown. */
#include "unit/scratch.h"

#include "mpi/group/group.h"
#include "output/values_log.h"
#include "unit/unit.h"

enum { RECORD = 8 + 2 * HB_DIGEST_BYTES, LONG_KEY = 2 << 20 };

static hb_group *group;
static const char *output;
static uint8_t one[HB_DIGEST_BYTES] = {1}, other[HB_DIGEST_BYTES] = {2};

static hb_values_log open_log(bool resumed)
{
    hb_values_log log;
    assert_ok(hb_values_log_open(&log, group, output, resumed));
    return log;
}

/* A log of units 2, 0 and 1, the second one made twice. */
static int begin(void **state)
{
    (void)state;
    hb_values_log log = open_log(false);
    const uint64_t units[] = {2, 0, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(hb_values_log_add(&log, units[i], i == 2 ? other : one, i == 2 ? other : one));
        assert_int_equal(hb_values_log_find(&log, units[i], one, one), HB_VALUES_UNKNOWN); /* not of an earlier job */
    }
    hb_values_log_close(&log, output, false);
    return 0;
}

static void test_known(void **state)
{
    (void)state;
    hb_values_log log = open_log(true);
    for (uint64_t u = 0; u < 3; u++) {
        assert_int_equal(hb_values_log_find(&log, u, one, one), HB_VALUES_SAME);
        assert_int_equal(hb_values_log_find(&log, u, one, other), HB_VALUES_OTHER);
        assert_int_equal(hb_values_log_find(&log, u, other, other), u == 0 ? HB_VALUES_SAME : HB_VALUES_UNKNOWN);
    }
    assert_int_equal(hb_values_log_find(&log, 3, one, one), HB_VALUES_UNKNOWN);
    hb_values_log_close(&log, output, false);
}

/* Neither of a record that was not written to its end, nor under a key that is gone, is anything known. */
static void test_unknown(void **state)
{
    (void)state;
    hb_seed key;
    assert_int_equal(truncate(in_scratch("x.heb.partial/values-0"), 4 * RECORD - 1), 0);
    hb_values_log log = open_log(true);
    assert_int_equal(hb_values_log_find(&log, 0, one, one), HB_VALUES_SAME);
    assert_int_equal(hb_values_log_find(&log, 1, one, one), HB_VALUES_UNKNOWN);
    key = log.key;
    hb_values_log_close(&log, output, false);
    log = open_log(true);
    assert_memory_equal(&key, &log.key, sizeof key);
    hb_values_log_close(&log, output, false);
    spit(in_scratch("x.heb.partial.key"), "short", 5);
    assert_int_equal(truncate(in_scratch("x.heb.partial.key"), LONG_KEY), 0);
    log = open_log(true);
    assert_memory_not_equal(&key, &log.key, sizeof key);
    assert_int_equal(hb_values_log_find(&log, 0, one, one), HB_VALUES_UNKNOWN);
    hb_values_log_close(&log, output, false);
}

/* A record that was not written to its end moves none that a later job writes behind it. */
static void test_torn(void **state)
{
    (void)state;
    for (long torn = 1; torn < RECORD; torn += RECORD / 3) {
        assert_int_equal(begin(state), 0);
        assert_int_equal(truncate(in_scratch("x.heb.partial/values-0"), 4 * RECORD - torn), 0);
        hb_values_log log = open_log(true);
        assert_ok(hb_values_log_add(&log, 5, other, one));
        hb_values_log_close(&log, output, false);
        log = open_log(true);
        assert_ok(hb_values_log_add(&log, 6, one, other));
        hb_values_log_close(&log, output, false);
        log = open_log(true);
        assert_int_equal(hb_values_log_find(&log, 2, one, one), HB_VALUES_SAME);
        assert_int_equal(hb_values_log_find(&log, 1, one, one), HB_VALUES_UNKNOWN);
        assert_int_equal(hb_values_log_find(&log, 5, other, one), HB_VALUES_SAME);
        assert_int_equal(hb_values_log_find(&log, 6, one, other), HB_VALUES_SAME);
        hb_values_log_close(&log, output, false);
    }
}

/* Logs that cannot be listed are not taken for none. */
static void test_unlisted(void **state)
{
    (void)state;
    hb_values_log log;
    assert_int_equal(rename(in_scratch("x.heb.partial"), in_scratch("aside")), 0);
    assert_refused(hb_values_log_open(&log, group, output, true), HB_ECREATE, "cannot open the folder");
    hb_values_log_close(&log, output, false);
    assert_int_equal(rename(in_scratch("aside"), in_scratch("x.heb.partial")), 0);
}

static void test_over(void **state)
{
    (void)state;
    struct stat info;
    assert_int_equal(stat(in_scratch("x.heb.partial.key"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    hb_values_log log = open_log(true);
    assert_int_equal(rename(in_scratch("x.heb.partial"), output), 0);
    hb_values_log_close(&log, output, true);
    assert_false(is_there(in_scratch("x.heb.partial.key")) || is_there(in_scratch("x.heb/values-0")));
    assert_int_equal(rename(output, in_scratch("x.heb.partial")), 0);
}

/* The next job has begun the output anew before this one is closed: its key stays. A later one meets the key of a job
 * that has not ended. */
static void test_next(void **state)
{
    (void)state;
    hb_values_log log = open_log(true), next;
    assert_refused(hb_values_log_open(&next, group, output, false), HB_ECREATE, "another job is writing it");
    hb_values_log_close(&next, output, true);
    assert_true(is_there(in_scratch("x.heb.partial.key")));
    hb_held_key_release(&log.held);
    next = open_log(false);
    hb_values_log_close(&log, output, true);
    assert_true(is_there(in_scratch("x.heb.partial.key")));
    hb_values_log_close(&next, output, false);
}

static int make(void **state)
{
    assert_int_equal(scratch_make(state), 0);
    assert_ok(hb_seed_start());
    assert_ok(hb_group_open_alone(&group));
    static char name[256];
    snprintf(name, sizeof name, "%s", in_scratch("x.heb"));
    output = name;
    return mkdir(in_scratch("x.heb.partial"), 0777);
}

static int end(void **state)
{
    assert_ok(hb_group_close(group));
    return scratch_remove(state);
}

HB_UNIT(values_log)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_known, begin), cmocka_unit_test_setup(test_unknown, begin),
        cmocka_unit_test_setup(test_torn, begin),  cmocka_unit_test_setup(test_unlisted, begin),
        cmocka_unit_test_setup(test_over, begin),  cmocka_unit_test_setup(test_next, begin)};
    return cmocka_run_group_tests(tests, make, end);
}
