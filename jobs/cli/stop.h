/* Signals to a job: to stop (SIGTERM, SIGINT, SIGHUP, and SIGUSR2, which Slurm can send before the time limit), or to
 * report its progress (SIGUSR1). For the main thread, as other threads block all signals. */
#ifndef HB_CLI_STOP_H
#define HB_CLI_STOP_H

#include <stdbool.h>

#include "mpi/group/group.h"

/* Begins to catch the signals that do not come from a keyboard and that would end the process: SIGUSR1, and SIGUSR2 as
 * a request to stop, which a scheduler may send while a job still opens. The end of the process that HEBATCH_PARENT
 * names is such a request, too, if it has started this one. Called at the start of every command. */
void hb_stop_catch_early(void);
/* Returns whether SIGUSR1 arrived since the last call. */
bool hb_stop_status_wanted(void);

/* Begins or, with group NULL, ends a run: sets the group and the command for the message about a rank that is lost,
 * when the launcher ends this rank by SIGTERM, or this rank goes on; both are borrowed and must last. Forgets advice,
 * and requests that were passed on. */
void hb_stop_watch(const hb_group *group, const char *command);
/* Has SIGTERM end this process, after that message where a rank is lost, until a job catches it. */
void hb_stop_tell_end(const hb_group *group);
/* Does what a signal to this process would, for the run that goes on: a request to stop, or, with SIGUSR1, to report
 * progress. Any thread may call it. */
void hb_stop_pass_on(int signal_number);
/* Sets the advice to the user in that message, one sentence, which is copied; NULL: to give the same command again, as
 * an earlier job's unfinished output may still be there to continue. */
void hb_stop_advise(const char *advice);
/* Returns whether a rank is lost (hb_group_lost); prints the message and the advice once for all remaining ranks of the
 * host. Safe in a signal handler. */
bool hb_stop_tell_gone(void);

/* Begins to catch all requests to stop. Another signal of the same kind, at least a second after the first, ends the
 * process as if it were not caught. */
void hb_stop_catch(void);
/* Returns HB_ESTOPPED naming the signal, from the first request on. */
hb_status hb_stop_check(void);

#endif
