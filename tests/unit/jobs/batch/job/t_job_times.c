/* The times of a job: spans follow one another without gaps, and several loops add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "batch/job/job_times.h"
#include "machine/machine.h"
#include "unit/unit.h"

static void assert_near(double a, double b)
{
    assert_true(a > b - 1e-9 && a < b + 1e-9);
}

static void test_spans(void **state)
{
    (void)state;
    hb_job_times times;
    const double age = hb_process_age(), begin = hb_now();
    double before = 0; /* the first of two runs */
    hb_job_times_begin(&times, hb_process_age());
    assert_true(age >= 0 && age < 100); /* of this test */
    assert_true(times.seconds[HB_SPAN_START] >= age);
    for (int i = 0; i < 2; i++) {
        usleep(3000);
        hb_job_times_end(&times, HB_SPAN_OPEN);
        usleep(2000);
        hb_job_times_end(&times, HB_SPAN_LOOP);
        before = i == 0 ? times.seconds[HB_SPAN_START] + times.seconds[HB_SPAN_OPEN] : before;
    }
    assert_true(times.seconds[HB_SPAN_OPEN] >= 0.006 && times.seconds[HB_SPAN_LOOP] >= 0.004);
    /* Nothing is left out, and nothing counted twice. */
    const double since = times.at - begin;
    assert_true(hb_job_times_total(&times) - times.seconds[HB_SPAN_START] <= since);
    assert_near(hb_job_times_total(&times),
                times.seconds[HB_SPAN_START] + times.seconds[HB_SPAN_OPEN] + times.seconds[HB_SPAN_LOOP]);
    hb_pipeline_times loop = {.wall = 1, .first = 0.25};
    assert_near(hb_job_times_first(&times, &loop), before + 0.25);
    const double start = times.seconds[HB_SPAN_START], total = hb_job_times_total(&times);
    hb_job_times_drop_start(&times);
    assert_near(hb_job_times_first(&times, &loop), before - start + 0.25);
    assert_near(hb_job_times_total(&times), total - start);
    loop.first = 0;
    assert_near(hb_job_times_first(&times, &loop), 0);
}

static void test_loops(void **state)
{
    (void)state;
    hb_pipeline_times all = {.units = 0};
    double share;
    assert_int_equal(hb_pipeline_limit(&all, &share), HB_TIME_READ); /* of nothing, nothing */
    assert_near(share, 0);
    hb_pipeline_times one = {.threads = {2, 3, 1}, .units = 5, .wall = 2, .first = 0.5, .stage = {1, 2, 3}};
    one.critical[HB_TIME_READ] = 0.5;
    one.critical[HB_TIME_WRITE] = 1.5;
    one.busy[HB_TIME_WRITE] = 3;
    hb_pipeline_times two = {.threads = {2, 3, 1}, .units = 7, .wall = 6, .first = 0.1, .stage = {4, 5, 6}};
    two.critical[HB_TIME_COMPUTE] = 6;
    two.busy[HB_TIME_COMPUTE] = 5;
    hb_pipeline_times_add(&all, &one);
    assert_int_equal(hb_pipeline_limit(&all, &share), HB_TIME_WRITE);
    assert_near(share, 0.75);
    assert_string_equal(hb_pipeline_limit_words(HB_TIME_WRITE), "writing");
    hb_pipeline_times_add(&all, &two);
    assert_int_equal(hb_pipeline_limit(&all, &share), HB_TIME_COMPUTE);
    assert_near(share, 0.75);
    assert_near(all.wall, 8);
    assert_near(all.first, 0.5);
    assert_near(all.stage[2], 9);
    assert_near(all.busy[HB_TIME_WRITE], 3);
    assert_int_equal(all.units, 12);
    assert_int_equal(all.threads.workers, 3);
}

static double number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void test_json(void **state)
{
    (void)state;
    hb_job_times times = {
        .before = 15, .seconds = {1, 2, 3, 4, 5, 6, 7, 8, 9}, .predicted = {[HB_SPAN_OPEN] = 3, [HB_SPAN_LOOP] = 4}};
    hb_pipeline_times loop = {.threads = {2, 1, 4}, .units = 3, .wall = 6, .first = 1, .stage = {8, 2, 12}};
    loop.critical[HB_TIME_READ] = 4;
    loop.critical[HB_TIME_WAIT] = 2;
    json_t *report = hb_job_times_json(&times, &loop);
    assert_non_null(report);
    assert_near(number(report, "read"), 4);
    assert_near(number(report, "compute"), 2);
    assert_near(number(report, "write"), 3);
    assert_near(number(report, "wall"), 6);
    assert_near(number(report, "first_unit"), 15 + 1);
    const json_t *all = json_object_get(report, "phases"), *in = json_object_get(report, "loop");
    assert_int_equal(json_object_size(all), HB_SPANS + 1);
    assert_near(number(all, "total"), 45);
    assert_near(number(all, "commit"), 9);
    const json_t *predicted = json_object_get(report, "predicted");
    assert_int_equal(json_object_size(predicted), HB_SPANS + 1);
    assert_near(number(predicted, "open"), 3);
    assert_near(number(predicted, "total"), 7);
    assert_near(number(json_object_get(in, "critical"), "read"), 4);
    assert_string_equal(json_string_value(json_object_get(in, "limited_by")), "read");
    assert_near(number(in, "limited_share"), 4.0 / 6);
    json_decref(report);
}

HB_UNIT(job_times)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spans), cmocka_unit_test(test_loops),
                                       cmocka_unit_test(test_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
