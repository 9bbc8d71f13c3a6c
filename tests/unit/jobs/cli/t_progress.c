/* The line of progress in every width of terminal, and the order in which parts are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/console.h"
#include "unit/unit.h"

static const hb_progress_state usual = {.tally = {"pass 1 of 2: evaluated", "row block", 786432},
                                        .done = 3,
                                        .total = 30,
                                        .seconds = 4.5,
                                        .ranks = 8,
                                        .heard = 8,
                                        .slowest = 5};

static const char *line_of(const hb_progress_state *state, size_t columns)
{
    static char line[512];
    hb_progress_format(line, sizeof line, state, columns);
    return line;
}

static void test_all(void **state)
{
    (void)state;
    assert_string_equal(
        line_of(&usual, HB_PROGRESS_ALL),
        "pass 1 of 2: evaluated 3/30 row blocks (10%) in 4.50 s, 0.67/s, 512 KiB/s, ETA 40.5 s, slowest "
        "rank 5");
    hb_progress_state end = usual;
    end.done = end.total;
    end.last = true;
    assert_string_equal(line_of(&end, HB_PROGRESS_ALL),
                        "pass 1 of 2: evaluated 30/30 row blocks (100%) in 4.50 s, 6.67/s, 5.00 MiB/s");
}

/* In every width the line fits, the counts are there while they fit, and a narrower line has only parts of a wider
 * one. */
static void test_widths(void **state)
{
    (void)state;
    size_t before = 0;
    for (size_t columns = 1; columns <= 200; columns++) {
        const char *line = line_of(&usual, columns);
        assert_true(strlen(line) <= columns);
        assert_true(strlen(line) >= before);
        assert_true(columns < 4 || strstr(line, "3/30") != NULL);
        before = strlen(line);
    }
    assert_string_equal(line_of(&usual, 79 - 9), "pass 1 of 2: evaluated 3/30 row blocks (10%) in 4.50 s, ETA 40.5 s");
    assert_string_equal(line_of(&usual, 39), "3/30 row blocks (10%), ETA 40.5 s");
    assert_string_equal(line_of(&usual, 10), "3/30 (10%)");
    assert_string_equal(line_of(&usual, 3), "3/3");
}

/* Nothing is guessed about silent ranks. */
static void test_unheard(void **state)
{
    (void)state;
    hb_progress_state some = usual;
    some.heard = 3;
    assert_string_equal(
        line_of(&some, HB_PROGRESS_ALL),
        "pass 1 of 2: evaluated 3/30 row blocks (10%) in 4.50 s, 0.67/s, 512 KiB/s, ETA unknown, 3 of 8 "
        "ranks heard");
}

/* The step that one thing is at, unless the columns do not suffice. */
static void test_step(void **state)
{
    (void)state;
    hb_progress_state deep = usual;
    deep.ranks = deep.heard = 1;
    deep.step = (hb_board_step){"EvalMod", 5, 22};
    assert_string_equal(line_of(&deep, HB_PROGRESS_ALL),
                        "pass 1 of 2: evaluated 3/30 row blocks (10%) in 4.50 s, 0.67/s, 512 KiB/s, ETA 40.5 s, now "
                        "EvalMod 5 of 22");
    assert_string_equal(line_of(&deep, 60), "pass 1 of 2: evaluated 3/30 row blocks (10%), ETA 40.5 s");
    deep.step.done = 0;
    assert_non_null(strstr(line_of(&deep, HB_PROGRESS_ALL), ", now EvalMod"));
    assert_null(strstr(line_of(&deep, HB_PROGRESS_ALL), "of 22"));
    deep.last = true;
    assert_null(strstr(line_of(&deep, HB_PROGRESS_ALL), "EvalMod"));
}

/* The percent of a line; checks that it has one. */
static int percent_of(const hb_progress_state *state)
{
    const char *from = strchr(line_of(state, HB_PROGRESS_ALL), '(');
    int percent = -1;
    assert_non_null(from);
    assert_int_equal(sscanf(from, "(%d%%)", &percent), 1);
    return percent;
}

/* One unit of a job that goes on behind it: percent, rate and time go by work; the percent grows with it, and is at 100
 * when the job is done, not before. */
static void test_work(void **state)
{
    (void)state;
    hb_progress_state one = {.tally = {"evaluated", "row block", 1024},
                             .total = 1,
                             .ranks = 1,
                             .heard = 1,
                             .seconds = 10,
                             .now = 110,
                             .work = {.before = 100, .own = 600, .after = 300, .began = 100, .started = 100},
                             .worked = 200};
    assert_string_equal(line_of(&one, HB_PROGRESS_ALL),
                        "evaluated 0/1 row block (30%) in 10.0 s, 0.03/s, 34 B/s, ETA 35.0 s");
    one.worked = 0;
    assert_non_null(strstr(line_of(&one, HB_PROGRESS_ALL), "(10%) in 10.0 s, 0.00/s, 0 B/s, ETA unknown"));
    int before = 0;
    for (one.worked = 0; one.worked <= 700; one.worked++) {
        const int percent = percent_of(&one);
        assert_true(percent >= before && percent <= 70); /* more work than was predicted is not of later things */
        before = percent;
    }
    assert_int_equal(before, 70);
    /* All row blocks are done, and totals are to come. */
    hb_progress_state rows = one;
    rows.done = rows.total;
    rows.last = true;
    assert_string_equal(line_of(&rows, HB_PROGRESS_ALL), "evaluated 1/1 row block (70%) in 10.0 s, 0.10/s, 102 B/s");
    one.work.after = 0;
    assert_int_equal(percent_of(&one), 99);
    one.done = 1;
    assert_int_equal(percent_of(&one), 100);
    one.last = true;
    assert_string_equal(line_of(&one, HB_PROGRESS_ALL), "evaluated 1/1 row block (100%) in 10.0 s, 0.10/s, 102 B/s");
}

/* Nothing to do, nothing done, numbers as large as can be: no buffer is too short for a line. */
static void test_extremes(void **state)
{
    (void)state;
    hb_progress_state none = {.tally = {"checked", "ciphertext", 1}, .ranks = 1, .heard = 1};
    assert_string_equal(line_of(&none, HB_PROGRESS_ALL), "checked 0/0 ciphertexts (100%) in 0.00 s, 0.00/s, 0 B/s, ETA "
                                                         "unknown");
    hb_progress_state most = usual;
    most.done = most.total = UINT64_MAX;
    most.tally.bytes = UINT64_MAX;
    most.seconds = 1e-9;
    char small[8];
    hb_progress_format(small, sizeof small, &most, HB_PROGRESS_ALL);
    assert_true(strlen(small) == sizeof small - 1);
    assert_true(strlen(line_of(&most, HB_PROGRESS_ALL)) > 0);
}

HB_UNIT(progress)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all),     cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_unheard), cmocka_unit_test(test_step),
                                       cmocka_unit_test(test_work),    cmocka_unit_test(test_extremes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
