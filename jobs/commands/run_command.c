#include "run_command.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/seed.h"
#include "batch/job/waits.h"
#include "cli/console.h"
#include "cli/log_file.h"
#include "cli/options.h"
#include "cli/passphrase.h"
#include "cli/run.h"
#include "cli/stop.h"
#include "cli/trace.h"
#include "machine/versions.h"
#include "ranks/unseal.h"

/* No image of this memory, which may hold keys or plaintext, on a disk or in another process of this user. The hard
 * limit of core files stays: it is a parent's choice for its children. */
static hb_status close_memory(void)
{
    struct rlimit core;
    bool closed = getrlimit(RLIMIT_CORE, &core) == 0;
    core.rlim_cur = 0;
    closed = closed && setrlimit(RLIMIT_CORE, &core) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
    struct rlimit locked;
    if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != locked.rlim_max) {
        locked.rlim_cur = locked.rlim_max; /* keys are kept out of swap as far as that goes (hb_lock) */
        (void)!setrlimit(RLIMIT_MEMLOCK, &locked);
    }
    return closed ? HB_OK : HB_FAIL(HB_EPERM, "cannot close this process's memory to others: a key would be open");
}

hb_status hb_command_begin_process(hb_group *group, atomic_bool *quiet)
{
    group->run->quiet = quiet;
    HB_TRY(close_memory());
    HB_TRY(hb_seed_start());
    return hb_waits_watch(group, quiet);
}

/* Ranks that were started with other options than rank 0, say a --dry-run, would make the others wait for ever. Values
 * may differ: a file can have another name on another host. */
static hb_status check_same_options(hb_group *group, int argc, char **argv)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch options");
    hb_digest_add(&state, argv[1], strlen(argv[1]) + 1);
    for (int i = 2; i < argc; i++) {
        if (argv[i][0] == '-') {
            hb_digest_add(&state, argv[i], strcspn(argv[i], "="));
            hb_digest_add(&state, "", 1);
        }
    }
    hb_digest_end(&state, digest);
    return hb_group_same(group, digest, "the command or an option");
}

static hb_status open_log(hb_group *group, const char *path, int argc, char **argv)
{
    HB_TRY(hb_log_open(group, path));
    hb_versions versions;
    char host[256] = "";
    hb_versions_get(&versions);
    (void)!gethostname(host, sizeof host - 1);
    hb_console_note("hebatch %s, process %d on %s, %d ranks", versions.program, (int)getpid(), host, group->size);
    for (int i = 1; i < argc; i++) {
        const size_t shown = hb_passphrase_shown(argv[i - 1], argv[i]);
        hb_console_note("word %d: %.*s%s", i, (int)shown, argv[i], argv[i][shown] != '\0' ? "..." : "");
    }
    return HB_OK;
}

/* The start of every run; *logs: a log is open. Rank-local. */
static hb_status begin(hb_group *group, const hb_common *common, int argc, char **argv, bool *logs)
{
    HB_TRY(hb_passphrase_set_source(common->passphrase));
    if (common->log != NULL) {
        HB_TRY(open_log(group, common->log, argc, argv));
        *logs = true;
    }
    return HB_OK;
}

/* Closes all that a run has open, whatever came of it. */
static void end(hb_group *group, hb_status st, bool logs)
{
    hb_trace_close(group);
    hb_unseal_forget();
    (void)!hb_passphrase_set_source(NULL);
    hb_console_note("ends with %d after %s", (int)st, hb_human_seconds(hb_run_age(group)).text);
    if (logs) {
        hb_log_end();
    }
    hb_board_mark(group->board, 0);
}

hb_status hb_command_run(hb_group *group, const hb_command *command, int argc, char **argv, hb_status started)
{
    hb_common common;
    bool logs = false;
    hb_status st;
    hb_options_peek(argc, argv, &common);
    atomic_store(group->run->quiet, common.quiet);
    if (group->size > 1 && !command->ranks) {
        st = HB_FAIL(HB_EUSAGE, "runs on one rank; this group has %d", group->size);
    } else {
        st = hb_agree(group, started == HB_OK ? begin(group, &common, argc, argv, &logs) : started);
    }
    if (st == HB_OK && group->size > 1) {
        st = check_same_options(group, argc, argv);
    }
    if (st == HB_OK) {
        st = command->run(group, argc - 1, argv + 1);
    }
    if (st == HB_OK) {
        st = hb_agree(group, hb_console_finish());
    }
    if (st != HB_OK) {
        fflush(stdout); /* results before the reason; the exit code tells of the failure already */
        hb_console_error(group, &common, command->name);
    }
    end(group, st, logs);
    return st;
}
