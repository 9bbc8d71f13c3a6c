/* The time limit of a job: the job stops by itself before it is over, as after a request to stop (stop.h).
 * Rank-local. */
#ifndef HB_CLI_DEADLINE_H
#define HB_CLI_DEADLINE_H

#include "common.h"
#include "mpi/group/group.h"

/* The end of the job's time. */
typedef struct hb_deadline {
    double at;          /* hb_now of the end; 0: there is no end */
    double reserve;     /* seconds that the caller needs at the end, after the last unit */
    const char *source; /* the origin of the limit, for people; a literal */
} hb_deadline;

/* Help of --max-time. */
#define HB_DEADLINE_HELP                                                                                              \
    "stop (75) before so much time is over, since the start, for --resume to\ngo on; else before the end of Slurm's " \
    "job (SLURM_JOB_END_TIME)"

/* Sets the end: `seconds` after the start of the command, which was `age` seconds ago, from --max-time; or, for 0 (not
 * given), SLURM_JOB_END_TIME of the environment (seconds since 1970), if set; else none. Returns HB_EUSAGE when the
 * variable is no number. */
hb_status hb_deadline_set(hb_deadline *deadline, double seconds, double age);
/* Returns whether another unit may not be finished in time, when computing one took up to `compute` seconds, and
 * writing the units computed by then takes up to `write` seconds. */
bool hb_deadline_near(const hb_deadline *deadline, double now, double compute, double write);
/* Returns HB_ESTOPPED with a text that names the origin of the limit. */
hb_status hb_deadline_stop(const hb_deadline *deadline);
/* Prints a line of the plan, as results or as log, if there is a deadline. */
void hb_deadline_print(const hb_deadline *deadline, const hb_group *group, const hb_common *common, bool results);

#endif
