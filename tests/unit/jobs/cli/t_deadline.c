/* Where the time of a job comes from, and when there is none left for another unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cli/deadline.h"
#include "machine/machine.h"
#include "unit/unit.h"

static void in_environment(const char *text)
{
    assert_int_equal(text != NULL ? setenv("SLURM_JOB_END_TIME", text, 1) : unsetenv("SLURM_JOB_END_TIME"), 0);
}

static void in_environment_seconds(long from_now)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)time(NULL) + from_now);
    in_environment(text);
}

static void test_sources(void **state)
{
    (void)state;
    hb_deadline d;
    in_environment(NULL);
    assert_int_equal(hb_deadline_set(&d, 0, hb_process_age()), HB_OK);
    assert_true(d.at <= 0);
    in_environment("");
    assert_int_equal(hb_deadline_set(&d, 0, hb_process_age()), HB_OK);
    assert_true(d.at <= 0);
    in_environment_seconds(1000000);
    assert_int_equal(hb_deadline_set(&d, 0, hb_process_age()), HB_OK);
    assert_true(d.at > hb_now() + 900000 && d.at < hb_now() + 1100000);
    assert_string_equal(d.source, "SLURM_JOB_END_TIME");
    assert_int_equal(hb_deadline_stop(&d), HB_ESTOPPED);
    assert_non_null(strstr(hb_last_error()->text, "SLURM_JOB_END_TIME"));
    assert_int_equal(hb_deadline_set(&d, 500000, hb_process_age()), HB_OK); /* who says so by an option is heard */
    assert_true(d.at > hb_now() + 400000 && d.at < hb_now() + 600000);
    assert_string_equal(d.source, "--max-time");
    in_environment_seconds(-1000000);
    assert_int_equal(hb_deadline_set(&d, 0, hb_process_age()), HB_OK);
    assert_true(d.at > 0 && hb_deadline_near(&d, hb_now(), 0, 0)); /* over, not absent */
}

static void test_no_time(void **state)
{
    (void)state;
    static const char *const texts[] = {"tomorrow", "12x", "-5", "0", " ", "99999999999999999999", "1.5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        hb_deadline d;
        in_environment(texts[i]);
        assert_int_equal(hb_deadline_set(&d, 0, hb_process_age()), HB_EUSAGE);
        assert_int_equal(hb_deadline_set(&d, 10, hb_process_age()), HB_OK);
    }
    in_environment(NULL);
}

/* Units that take long leave earlier. */
static void test_near(void **state)
{
    (void)state;
    const hb_deadline none = {.at = 0}, d = {.at = 1000}, reserved = {.at = 1000, .reserve = 100};
    assert_false(hb_deadline_near(&none, 1e9, 1e9, 1e9));
    assert_false(hb_deadline_near(&d, 900, 50, 10));
    assert_true(hb_deadline_near(&reserved, 900, 0, 0));
    assert_false(hb_deadline_near(&reserved, 800, 50, 10));
    assert_true(hb_deadline_near(&d, 900, 100, 0)); /* it would be over as the next one ends */
    assert_true(hb_deadline_near(&d, 900, 20, 80));
    assert_true(hb_deadline_near(&d, 1000, 0, 0));
    assert_true(hb_deadline_near(&d, 2000, 0, 0));
}

HB_UNIT(deadline)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sources), cmocka_unit_test(test_no_time),
                                       cmocka_unit_test(test_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
