/* What a job is told by signals: to stop (SIGTERM, SIGINT, SIGHUP, SIGUSR2: what Slurm can send ahead of the time
 * limit), or to say how far it is (SIGUSR1). For the main thread, as other threads block all signals. */
#ifndef HB_CLI_STOP_H
#define HB_CLI_STOP_H

#include <stdbool.h>

#include "mpi/group/group.h"

/* Begins to note the signals that people do not send from a keyboard and that would end the process: SIGUSR1, and
 * SIGUSR2 as a request to stop, which a scheduler may send while a job still opens. Called at the start of every
 * command. */
void hb_stop_catch_early(void);
/* Returns whether SIGUSR1 came since the last call. */
bool hb_stop_status_wanted(void);

/* Sets what to say should another rank of this group be gone, as the launcher then ends this one by SIGTERM, or nobody
 * does. Both stay the caller's and must last; group NULL: there is no group any more. */
void hb_stop_watch(const hb_group *group, const char *command);
/* Sets what its user can do then, in one sentence, which is copied; NULL: give the same command again, as what an
 * earlier job left may still be there to be continued. */
void hb_stop_advise(const char *advice);
/* Returns whether a rank of this host is gone; says so, with the advice, once for the ranks that are left on it. Safe
 * in a handler of signals. */
bool hb_stop_tell_gone(void);

/* Begins to note all requests to stop. Another signal of the same kind, a second or more after the first, ends the
 * process as if it had never been caught. */
void hb_stop_catch(void);
/* Returns HB_ESTOPPED naming the signal, once a request came; it stays. */
hb_status hb_stop_check(void);

#endif
