/* Hands the command of this process over to a server, and waits for its end. Rank-local: for a process alone. */
#ifndef HB_SERVER_CLIENT_H
#define HB_SERVER_CLIENT_H

#include <stdbool.h>

#include "base/status.h"

/* Has the server of the folder run these words, whose first is the program, with this process's environment,
 * descriptors 0 to 2, working directory and mask. Signals that ask a job to stop, or how far it is, go to it from when
 * it begins; before, and where one comes again a second or more later, they end this process as ever.
 *
 * Returns the exit code of the job, with its error; *told: the server has printed the reason. Else: HB_EUNAVAILABLE
 * where no server is there, or it is gone before the job has ended; HB_EPERM, HB_ENOINPUT for a folder that is none of
 * this user's alone; HB_ECONFIG for another build; HB_EUSAGE, HB_ENOMEM, HB_EIO. */
hb_status hb_client_run(const char *folder, char **words, bool *told);
/* Ends the server of the folder, once it has done the job that it is at, and waits for that. Statuses as above. */
hb_status hb_client_stop(const char *folder);

#endif
