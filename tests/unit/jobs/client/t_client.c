/* Commands that are handed over, the word or variable that does it, and the reasons where that cannot be. A job that a
 * server runs: tests/cli/serve.sh. */
#include "client/client.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/command.h"
#include "client/folder.h"
#include "unit/scratch.h"
#include "unit/unit.h"

enum { NOT_HANDED = -1 };

/* Returns the status of a command that is handed over, or NOT_HANDED; what it says on stderr comes to `said`. */
static int run(const char *command, const char *server, char said[512])
{
    char name[16], *words[] = {"hebatch", name, NULL};
    const hb_common common = {.server = server};
    const int before = dup(STDERR_FILENO), file = open(in_scratch("said"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    hb_status st = HB_EINTERNAL;
    assert_true(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) == STDERR_FILENO);
    snprintf(name, sizeof name, "%s", command);
    const bool handed = hb_client_run(command, "0123", 0, words, &common, &st);
    assert_true(dup2(before, STDERR_FILENO) == STDERR_FILENO);
    const ssize_t bytes = pread(file, said, 511, 0);
    said[bytes > 0 ? bytes : 0] = '\0';
    close(before);
    close(file);
    assert_true(handed || bytes == 0);
    return handed ? (int)st : NOT_HANDED;
}

/* None that takes a secret key alone, and no word that is like one of them. */
static void servers_run_some_commands(void **state)
{
    (void)state;
    static const char *const others[] = {"",       "ad",      "addx",   "add ",     "encryp",     "evaluate", "keygen",
                                         "export", "decrypt", "verify", "combine",  "passphrase", "info",     "serve",
                                         "import", "status",  "help",   "--server", "selftest",   "bench",    "--help"};
    char said[512];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(hb_command_is_served(others[i]));
        assert_int_equal(run(others[i], "none", said), HB_EUSAGE);
        assert_non_null(strstr(said, "a server runs add, encrypt, eval, refresh, rekey, sanitize, and nothing else"));
    }
}

#define SERVED(name) assert_int_equal(run(#name, in_scratch("nowhere"), said), HB_ENOINPUT);

/* All others are handed over, where a server would be. */
static void all_of_the_list_are_handed_over(void **state)
{
    (void)state;
    char said[512];
    HB_COMMANDS_SERVED(SERVED)
}

static void variables_are_for_what_servers_run(void **state)
{
    (void)state;
    char said[512];
    assert_int_equal(run("eval", NULL, said), NOT_HANDED);
    assert_int_equal(setenv("HEBATCH_SERVER", "", 1), 0);
    assert_int_equal(run("eval", getenv("HEBATCH_SERVER"), said), NOT_HANDED);
    assert_int_equal(run("eval", "", said), HB_EUSAGE); /* an option */
    assert_non_null(strstr(said, "--server: the name of the folder is empty"));
    assert_int_equal(setenv("HEBATCH_SERVER", in_scratch("none"), 1), 0);
    assert_int_equal(run("keygen", getenv("HEBATCH_SERVER"), said), NOT_HANDED);
    assert_int_equal(run("eval", getenv("HEBATCH_SERVER"), said), HB_ENOINPUT);
    assert_non_null(strstr(said, "hebatch eval: "));
    assert_non_null(strstr(said, "none: cannot open the folder of a server"));
    assert_int_equal(run("keygen", "none", said), HB_EUSAGE);
    assert_non_null(strstr(said, "hebatch keygen: --server: a server runs"));
    unsetenv("HEBATCH_SERVER");
}

static void refusals_have_a_reason(void **state)
{
    (void)state;
    char said[512];
    assert_int_equal(mkdir(in_scratch("open"), 0755), 0);
    assert_int_equal(chmod(in_scratch("open"), 0755), 0); /* whatever the mask */
    assert_int_equal(run("add", in_scratch("open"), said), HB_EPERM);
    assert_non_null(strstr(said, "chmod 700"));
    assert_int_equal(mkdir(in_scratch("empty"), 0700), 0);
    assert_int_equal(run("add", in_scratch("empty"), said), HB_EUNAVAILABLE);
    assert_non_null(strstr(said, "no server is there"));
    int folder, lock;
    assert_ok(hb_folder_open(in_scratch("empty"), false, &folder));
    assert_ok(hb_folder_lock(folder, "empty", &lock)); /* a server that does not listen yet */
    assert_int_equal(run("add", in_scratch("empty"), said), HB_EUNAVAILABLE);
    assert_non_null(strstr(said, "takes no jobs now, as it begins or ends"));
    close(lock);
    close(folder);
    assert_int_equal(setenv("OMPI_COMM_WORLD_SIZE", "2", 1), 0);
    assert_int_equal(run("add", in_scratch("empty"), said), HB_EUSAGE);
    assert_non_null(strstr(said, "leave the launcher out"));
    unsetenv("OMPI_COMM_WORLD_SIZE");
    assert_int_equal(setenv("HEBATCH_KEYS", "/dev/fd/9", 1), 0);
    assert_int_equal(run("add", in_scratch("empty"), said), HB_EUSAGE);
    assert_non_null(strstr(said, "/dev/fd/9: a server cannot read"));
    unsetenv("HEBATCH_KEYS");
}

HB_UNIT(client)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_run_some_commands), cmocka_unit_test(all_of_the_list_are_handed_over),
        cmocka_unit_test(variables_are_for_what_servers_run), cmocka_unit_test(refusals_have_a_reason)};
    return cmocka_run_group_tests_name("client", tests, scratch_make, scratch_remove);
}
