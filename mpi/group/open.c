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

/* A rank of this host is looked for every LOOK seconds, as all processes of the host are looked through, and believed
 * to be gone when it is missing in so many looks (MISSED): launchers start their ranks one after another. */
enum { SECONDS_PER_MINUTE = 60, LOOK = 5, MISSED = 2 };

/* Returns the first of these variables of the environment that is a number; 0: none is. */
static long number_in(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = getenv(names[i]);
        if (text != NULL && text[0] >= '0' && text[0] <= '9') {
            return strtol(text, NULL, 10);
        }
    }
    return 0;
}

/* The rank that the launcher has given this process; 0 where it does not tell. */
static long rank_of_launcher(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};
    return number_in(names, sizeof names / sizeof *names);
}

/* The ranks that the launcher started on this host; 0 where it does not tell, or is not the parent of this process: one
 * in between may have other children. */
static long ranks_of_launcher(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    static const char *const launchers[] = {"mpirun",  "mpiexec", "orterun",        "orted",
                                            "prterun", "prted",   "hydra_pmi_proxy"};
    char parent[16];
    hb_process_name(getppid(), parent);
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (strncmp(parent, launchers[i], strlen(launchers[i])) == 0) {
            return number_in(names, sizeof names / sizeof *names);
        }
    }
    return 0;
}

/* The processes that have the parent of this one. */
typedef struct siblings {
    long stopped; /* one that is stopped; 0: none */
    long count;   /* that have not ended, with this one */
} siblings;

static siblings look_at_siblings(void)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    siblings found = {0, 0};
    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        const long process = strtol(entry->d_name, NULL, 10); /* 0 of other names */
        const hb_process_state state = hb_process_state_of((pid_t)process);
        if (state.parent == getppid() && !state.ended) {
            found.stopped = state.stopped ? process : found.stopped;
            found.count++;
        }
    }
    if (processes != NULL) {
        closedir(processes);
    }
    return found;
}

/* Ends this process where a rank of its host is gone: the others would wait for it inside MPI, and some launchers leave
 * them there (mpirun --enable-recovery). */
static void end_if_gone(const siblings *s, int *missed)
{
    const long ranks = ranks_of_launcher();
    *missed = ranks > 0 && s->count > 0 && s->count < ranks ? *missed + 1 : 0;
    if (*missed >= MISSED) {
        dprintf(STDERR_FILENO,
                "hebatch: a rank of this host ended while ranks start: this one ends, too. The same command "
                "starts the job again\n");
        _exit(HB_ECOMM);
    }
}

/* Is called once a second. Minutes are looks, too. */
static void tell(void *context, double seconds)
{
    const uint64_t whole = (uint64_t)seconds;
    if (whole == 0 || whole % LOOK != 0) {
        return;
    }
    const siblings found = look_at_siblings();
    const long rank = rank_of_launcher(), stopped = found.stopped;
    const int minutes = (int)(seconds / SECONDS_PER_MINUTE);
    end_if_gone(&found, context);
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

/* Watches the start, which the caller enters and leaves. A rank ends with HB_ECOMM when another one of its host is
 * gone. After one minute, two, four and so on the first two ranks of the job say on stderr that others have not come,
 * and name a process of this host that the same launcher started and a signal has stopped. NULL, without a watch, where
 * memory or a thread is missing. */
static hb_watch *start_watch(int *missed)
{
    hb_watch *watch = NULL;
    if (hb_watch_open_for(0, tell, missed, &watch) != HB_OK) {
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
    int missed = 0; /* looks */
    hb_watch *watch = start_watch(&missed);
    hb_watch_enter(watch);
    const hb_status st = hb_group_open_mpi(argc, argv, out);
    hb_watch_leave(watch);
    hb_watch_close(watch);
    return st;
}
