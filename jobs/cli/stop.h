/* What a job is told by signals: to stop (SIGTERM, SIGINT, SIGHUP, SIGUSR2: what Slurm can send ahead of the time
 * limit), or to say how far it is (SIGUSR1). */
#ifndef HB_CLI_STOP_H
#define HB_CLI_STOP_H

#include <stdbool.h>

#include "mpi/group/group.h"

/* From here on the signals that people do not send from a keyboard are noted, which would end the process: SIGUSR1, and
 * SIGUSR2 as a request to stop, which a scheduler may send while a job still opens. At the start of every command. */
void hb_stop_catch_early(void);
/* Whether there was one since the last call. */
bool hb_stop_status_wanted(void);

/* What to say should another rank of this group be gone, as the launcher then ends this one by SIGTERM, or nobody does.
 * NULL: no group any more. */
void hb_stop_watch(const hb_group *group, const char *command);
/* What its user can do then, in one sentence; NULL: start it again. */
void hb_stop_advise(const char *advice);
/* Whether a rank of this host is gone; says so, with the advice, once for the ranks that are left on it. */
bool hb_stop_tell_gone(void);

/* From here on the others are noted; another one of the same kind, a second or more after the first, ends the process
 * as if never caught. */
void hb_stop_catch(void);
/* HB_ESTOPPED naming the signal, once one came. */
hb_status hb_stop_check(void);

#endif
