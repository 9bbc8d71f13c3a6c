/* Ranks that wait for others: after a minute a line on stderr and in the log says for which rank, and the phases
 * of both. And rank 0 in a long phase of its own that shows no progress: after each 10 seconds, with the step that it
 * is at where one is known. */
#ifndef HB_BATCH_JOB_WAITS_H
#define HB_BATCH_JOB_WAITS_H

#include <stdatomic.h>

#include "job_times.h"

/* Begins to print such lines, after one minute, two, four and so on. Ends this rank (HB_ECOMM) when it waits for a rank
 * that is gone and MPI does not notice. Every rank calls it once, before its work. Not collective. HB_ENOMEM. Borrows
 * *quiet until the group is closed: while it is set, rank 0's own phases are not told. */
hb_status hb_waits_watch(hb_group *group, const atomic_bool *quiet);
/* Shows the other ranks of this host the current span of this one. Cheap. */
void hb_waits_mark(const hb_group *group, hb_job_span span);
/* The same for a search for parameters that has tried so many: each trial is a phase of its own. */
void hb_waits_mark_search(const hb_group *group, uint32_t tried);

#endif
