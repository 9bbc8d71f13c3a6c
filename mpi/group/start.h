/* The start of a job's ranks, which wait for one another in MPI before any of them knows the others. */
#ifndef HB_MPI_GROUP_START_H
#define HB_MPI_GROUP_START_H

#include "guard.h"

/* Watches the start, which the caller enters and leaves: after one minute, two, four and so on the first two ranks of
 * the job say on stderr that others have not come, and name a process of this host that the same launcher started and a
 * signal has stopped. NULL, where nobody watches, without memory or a thread for it. */
hb_watch *hb_start_watch(void);

#endif
