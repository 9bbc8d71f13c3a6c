/* The log in a pipe whose reader is slow or gone: lines are left out and counted, and nothing waits. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/log_file.h"
#include "unit/unit.h"

enum { PAGE = 4096, LINES = 100 };

/* The output on stderr since the last time, as one text. */
static void take(int fd, char *text, size_t capacity)
{
    const ssize_t length = read(fd, text, capacity - 1);
    text[length > 0 ? length : 0] = '\0';
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    while ((text = strstr(text, word)) != NULL) {
        count++;
        text++;
    }
    return count;
}

/* Opens the pipe `name` as log with a reader that has room for a page. Without a reader it does not open. */
static int open_piped_log(hb_group *group, const char *name)
{
    assert_int_equal(mkfifo(name, 0600), 0);
    hb_log_line("before it is open");                       /* goes nowhere */
    assert_int_equal(hb_log_open(group, name), HB_ECREATE); /* a pipe without a reader */
    assert_false(hb_log_is_open());
    const int reader = open(name, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_true(fcntl(reader, F_SETPIPE_SZ, PAGE) >= PAGE);
    assert_int_equal(hb_log_open(group, name), HB_OK);
    return reader;
}

static void test_slow_reader(void **state)
{
    (void)state;
    static char text[1 << 16];
    char folder[] = "/tmp/hebatch-log.XXXXXX", name[64], line[64];
    int told[2];
    hb_group *group = NULL;
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/pipe", folder);
    assert_int_equal(hb_group_open_alone(&group), HB_OK);
    const int reader = open_piped_log(group, name), own = dup(STDERR_FILENO);
    assert_true(own >= 0);
    assert_int_equal(pipe(told), 0);
    fcntl(told[0], F_SETFL, O_NONBLOCK);
    dup2(told[1], STDERR_FILENO);

    for (int i = 0; i < LINES; i++) {
        snprintf(line, sizeof line, "line %d of a log\033 that nobody reads", i);
        hb_log_line(line);
    }
    dup2(own, STDERR_FILENO);
    static char warned[PAGE];
    take(told[0], warned, sizeof warned);
    dup2(told[1], STDERR_FILENO);
    take(reader, text, sizeof text);
    const int kept = count_of(text, "that nobody reads");
    hb_log_line("the reader is back");
    hb_log_line("and stays");
    dup2(own, STDERR_FILENO);
    assert_int_equal(count_of(warned, "lacks lines from here on: nobody reads this pipe"), 1);
    assert_true(kept > 0 && kept < LINES);
    assert_int_equal(count_of(text, "\n"), kept); /* whole lines alone */
    assert_int_equal(count_of(text, "\033"), 0);
    take(reader, text, sizeof text);
    snprintf(line, sizeof line, "rank 0 %d lines are missing here\n", LINES - kept);
    const char *gap = strstr(text, line), *next = strstr(text, "rank 0 the reader is back\n");
    assert_non_null(gap);
    assert_non_null(next);
    assert_true(gap < next);
    assert_int_equal(count_of(text, "missing"), 1);
    assert_non_null(strstr(text, "rank 0 and stays\n"));

    close(reader); /* a reader that is gone is another reason, told no second time */
    dup2(told[1], STDERR_FILENO);
    hb_log_line("nobody is there");
    hb_log_end();
    dup2(own, STDERR_FILENO);
    take(told[0], warned, sizeof warned);
    snprintf(line, sizeof line, "lacks %d lines that nobody read in time\n", LINES - kept);
    assert_non_null(strstr(warned, line));
    assert_int_equal(count_of(warned, "warning"), 1);
    unlink(name);
    rmdir(folder);
    hb_group_close(group);
}

HB_UNIT(log_file)
{
    signal(SIGPIPE, SIG_IGN); /* as the program does */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slow_reader)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
