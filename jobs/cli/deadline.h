/* The time that a job has: it stops by itself before that is over, as if it had been asked to (stop.h). */
#ifndef HB_CLI_DEADLINE_H
#define HB_CLI_DEADLINE_H

#include "common.h"
#include "mpi/group/group.h"

typedef struct hb_deadline {
    double at;          /* hb_now of the end; 0: there is none */
    double reserve;     /* seconds that the caller needs at the end, beyond what units take */
    const char *source; /* who set it */
} hb_deadline;

/* Of --max-time. */
#define HB_DEADLINE_HELP                                                                                              \
    "stop (75) before so much time is over, since the start, for --resume to\ngo on; else before the end of Slurm's " \
    "job (SLURM_JOB_END_TIME)"

/* seconds: of --max-time, since the process started; 0: not given, then SLURM_JOB_END_TIME (seconds since 1970) of the
 * environment counts, where it is set. HB_EUSAGE when that is no number. */
hb_status hb_deadline_set(hb_deadline *deadline, double seconds);
/* Whether another unit may not be through in time: computing one took up to `compute` seconds, and what is computed by
 * then is written in up to `write` seconds. */
bool hb_deadline_near(const hb_deadline *deadline, double now, double compute, double write);
/* HB_ESTOPPED, naming the source. */
hb_status hb_deadline_stop(const hb_deadline *deadline);
/* A line of the plan, if there is a deadline. */
void hb_deadline_print(const hb_deadline *deadline, const hb_group *group, const hb_common *common, bool results);

#endif
