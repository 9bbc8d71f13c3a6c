/* The words of ask about a command that runs, by that command's lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ask/phase_progress.h"
#include "unit/unit.h"

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line, *how; /* NULL: nothing */
    } lines[] = {
        {"evaluated 3/12 row blocks (25%) in 4.20 s, 1.2/s, ETA 126 s", "25 %, about 2 minutes left of this phase"},
        {"evaluated 0/1 row block (5%) in 4.20 s, 0.00/s, ETA 3:00:00, now EvalMod 5 of 15",
         "5 %, about 3.0 hours left of this phase"},
        {"loaded 3/12 keys (25%) in 4.20 s, 1.2/s, ETA unknown", "loads keys, 25 %"},
        {"trying parameters: 14 tried", "14 parameter sets tried"},
        {"trying parameters: 1 tried, the next has taken 10.0 s so far", "1 parameter set tried"},
        {"parameters    N 8192, 3 primes, try 4", NULL},
        {"memory       25 % in use", NULL},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char how[HB_PHASE_HOW] = "before";
        assert_int_equal(hb_phase_progress(lines[i].line, how), lines[i].how != NULL);
        assert_string_equal(how, lines[i].how != NULL ? lines[i].how : "before");
    }
}

HB_UNIT(phase_progress)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
