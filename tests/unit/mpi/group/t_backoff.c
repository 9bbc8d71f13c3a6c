/* Waits for other ranks: time in which the process was stopped does not count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "mpi/group/backoff.h"
#include "unit/unit.h"

static void test_time_counts(void **state)
{
    (void)state;
    hb_backoff p = hb_backoff_of(50);
    assert_false(hb_backoff_ended(&p));
    p.since -= 100; /* it has looked all the time */
    assert_true(hb_backoff_ended(&p));
    hb_backoff_renew(&p);
    assert_false(hb_backoff_ended(&p));
}

static void test_gaps_do_not_count(void **state)
{
    (void)state;
    hb_backoff p = hb_backoff_of(50);
    p.since -= 30;
    p.looked -= 30; /* stopped for 30 s, three times */
    for (int i = 0; i < 3; i++) {
        assert_false(hb_backoff_ended(&p));
        p.since -= 30;
        p.looked -= 30;
    }
    assert_false(hb_backoff_ended(&p));
    p.since -= 60;
    assert_true(hb_backoff_ended(&p));
}

HB_UNIT(backoff)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_counts), cmocka_unit_test(test_gaps_do_not_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
