/* Which kind of group a process opens. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "board.h"
#include "group_private.h"
#include "guard.h"
#include "process_state.h"

/* --- the wait for ranks that do not start */

enum { FIRST_TOLD = 59 /* seconds, behind which the first line is due */, SECONDS_PER_MINUTE = 60 };

/* The rank that the launcher has given this process; 0 where it does not tell. */
static long rank_of_launcher(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text != NULL && text[0] >= '0' && text[0] <= '9') {
            return strtol(text, NULL, 10);
        }
    }
    return 0;
}

/* Returns a process that is stopped and has the parent of this one; 0: none. */
static long stopped_sibling(void)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    long found = 0;
    while (processes != NULL && found == 0 && (entry = readdir(processes)) != NULL) {
        const long process = strtol(entry->d_name, NULL, 10); /* 0 of other names */
        const hb_process_state state = hb_process_state_of((pid_t)process);
        found = state.stopped && state.parent == getppid() ? process : 0;
    }
    if (processes != NULL) {
        closedir(processes);
    }
    return found;
}

static void tell(void *context, double seconds)
{
    const long rank = rank_of_launcher(), stopped = hb_board_is_time(seconds) && rank < 2 ? stopped_sibling() : 0;
    const int minutes = (int)(seconds / SECONDS_PER_MINUTE);
    (void)context;
    if (!hb_board_is_time(seconds) || rank >= 2) {
        return;
    }
    if (stopped > 0) {
        dprintf(STDERR_FILENO,
                "hebatch: waiting      rank %ld has waited %d min for others to start: process %ld is stopped by a "
                "signal: kill -CONT lets it go on\n",
                rank, minutes, stopped);
    } else {
        dprintf(STDERR_FILENO,
                "hebatch: waiting      rank %ld has waited %d min for others to start: the launcher or a host does not "
                "answer\n",
                rank, minutes);
    }
}

/* Watches the start, which the caller enters and leaves: after one minute, two, four and so on the first two ranks of
 * the job say on stderr that others have not come, and name a process of this host that the same launcher started and a
 * signal has stopped. NULL, without a watch, where memory or a thread is missing. */
static hb_watch *start_watch(void)
{
    hb_watch *watch = NULL;
    if (hb_watch_open_for(FIRST_TOLD, tell, NULL, &watch) != HB_OK) {
        hb_clear_error();
    }
    return watch;
}

/* --- opening */

hb_status hb_group_open(int *argc, char ***argv, hb_group **out)
{
    const hb_launcher launcher = hb_launcher_detect();
    *out = NULL;
    /* A launcher that does not tell the number (0) may have started several: MPI finds out. */
    const bool alone = launcher.variable == NULL || launcher.ranks == 1;
    if (alone) {
        return hb_group_open_alone(out);
    }
    hb_watch *watch = start_watch();
    hb_watch_enter(watch);
    const hb_status st = hb_group_open_mpi(argc, argv, out);
    hb_watch_leave(watch);
    hb_watch_close(watch);
    return st;
}
