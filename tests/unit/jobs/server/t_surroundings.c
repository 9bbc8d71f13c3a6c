/* The surroundings of a job, put in place and taken back: environment, working directory, descriptors and mask. */
#include "unit/scratch.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "server/surroundings.h"
#include "unit/unit.h"

/* A request with variables, the folder of scratch files, and a file of it as stdin, stdout and stderr. */
static hb_request request_with(char **variables)
{
    static char name[] = "job.out";
    char *words[] = {"hebatch", "eval", NULL};
    hb_request request;
    assert_int_equal(hb_request_make(&request, HB_REQUEST_JOB, "", words, variables), HB_OK);
    request.head.mask = 027;
    for (int i = 0; i < HB_REQUEST_DIRECTORY; i++) {
        request.fd[i] = open(in_scratch(name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        assert_true(request.fd[i] >= 0);
    }
    request.fd[HB_REQUEST_DIRECTORY] = open(in_scratch("."), O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_true(request.fd[HB_REQUEST_DIRECTORY] >= 0);
    return request;
}

static mode_t mask_now(void)
{
    const mode_t mask = umask(0);
    (void)umask(mask);
    return mask;
}

static void expect_variable(const char *name, const char *value)
{
    const char *is = getenv(name);
    if (value == NULL) {
        assert_null(is);
    } else {
        assert_non_null(is);
        assert_string_equal(is, value);
    }
}

/* Variables of ranks and GPUs stay the server's, those of the client's parent go to no job, all others are the
 * job's; texts without a name are left out. */
static void test_variables(void **state)
{
    (void)state;
    char *job[] = {"HOME=/of/the/client",
                   "CUDA_VISIBLE_DEVICES=7",
                   "HEBATCH_ERROR_FD=4",
                   "HEBATCH_NOISE=worst",
                   "=x",
                   "alone",
                   NULL};
    assert_int_equal(setenv("HOME", "/of/the/server", 1), 0);
    assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", "2", 1), 0);
    assert_int_equal(setenv("HEBATCH_OWN", "1", 1), 0);
    hb_request request = request_with(job);
    hb_surroundings own;
    assert_int_equal(hb_surroundings_enter(&own, &request), HB_OK);
    expect_variable("HOME", "/of/the/client");
    expect_variable("HEBATCH_NOISE", "worst");
    expect_variable("CUDA_VISIBLE_DEVICES", "2");
    expect_variable("HEBATCH_ERROR_FD", NULL);
    expect_variable("HEBATCH_OWN", NULL);
    /* A library sets variables while the job runs: of the server's own kind they stay, others end with the job. */
    assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", "3", 1), 0);
    assert_int_equal(setenv("OF_A_LIBRARY", "x", 1), 0);
    assert_int_equal(hb_surroundings_leave(&own), HB_OK);
    hb_request_clear(&request);
    expect_variable("HOME", "/of/the/server");
    expect_variable("HEBATCH_OWN", "1");
    expect_variable("CUDA_VISIBLE_DEVICES", "3");
    expect_variable("HEBATCH_NOISE", NULL);
    expect_variable("OF_A_LIBRARY", NULL);
}

static void test_files(void **state)
{
    (void)state;
    char *none[] = {NULL}, before[PATH_MAX], there[PATH_MAX], text[8] = "";
    hb_request request = request_with(none);
    hb_surroundings own;
    const mode_t mask = mask_now();
    assert_non_null(getcwd(before, sizeof before));
    for (int turn = 0; turn < 50; turn++) { /* descriptors that leak would run out of their places */
        assert_int_equal(hb_surroundings_enter(&own, &request), HB_OK);
        assert_int_equal(mask_now(), 027);
        const bool wrote = turn > 0 || write(STDOUT_FILENO, "words", 5) == 5;
        const bool moved = getcwd(there, sizeof there) != NULL && strcmp(there, before) != 0;
        assert_int_equal(hb_surroundings_leave(&own), HB_OK);
        assert_true(wrote && moved);
        assert_int_equal(mask_now(), mask);
        assert_non_null(getcwd(there, sizeof there));
        assert_string_equal(there, before);
    }
    assert_int_equal(pread(request.fd[STDOUT_FILENO], text, sizeof text, 0), 5);
    assert_string_equal(text, "words");
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_in_range(next, 3, 20);
    close(next);
    hb_request_clear(&request);
}

/* A working directory that is none: nothing is changed. */
static void test_refused(void **state)
{
    (void)state;
    char *job[] = {"HOME=/of/the/client", NULL};
    hb_request request = request_with(job);
    hb_surroundings own;
    close(request.fd[HB_REQUEST_DIRECTORY]);
    request.fd[HB_REQUEST_DIRECTORY] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(setenv("HOME", "/of/the/server", 1), 0);
    assert_int_equal(hb_surroundings_enter(&own, &request), HB_EIO);
    expect_variable("HOME", "/of/the/server");
    assert_int_equal(hb_surroundings_leave(&own), HB_OK);
    hb_request_clear(&request);
}

static int start(void **state)
{
    hb_console_begin();
    return scratch_make(state);
}

HB_UNIT(surroundings)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, start, scratch_remove);
}
