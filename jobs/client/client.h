/* Hands the command of this process over to a server, and waits for its end. One body for hebatch and for the program
 * that does nothing else (main.c). Rank-local: for a process alone. */
#ifndef HB_CLIENT_CLIENT_H
#define HB_CLIENT_CLIENT_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/common.h"

/* Has the server that common->server names run these words, whose first is the program, with this process's
 * environment, descriptors 0 to 2, working directory and mask; `build_id`: of this program (request.h); `began`: when
 * it began, by hb_now. Signals that ask a job to stop, or how far it is, go to it from when it begins; before, and
 * where one comes again a second or more later, they end this process as ever.
 *
 * Returns false, and does nothing, where no server is named, an empty variable naming none, or none runs the command
 * and only the environment names one. Else *status is the exit code of the job, with its error, whose reason is
 * printed. Or it is HB_EUNAVAILABLE where no server is there, or it is gone before the job has ended; HB_EPERM,
 * HB_ENOINPUT for a folder that is none of this user's alone; HB_ECONFIG for another build; HB_EUSAGE, HB_ENOMEM,
 * HB_EIO. */
bool hb_client_run(const char *command, const char *build_id, double began, char **words, const hb_common *common,
                   hb_status *status);
/* Ends the server of the folder, once it has done the job that it is at, and waits for that, which it says on stderr
 * unless common->quiet. Statuses as above. */
hb_status hb_client_stop(const char *folder, const char *build_id, const hb_common *common);

#endif
