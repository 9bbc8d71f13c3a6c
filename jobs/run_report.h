/* report.json of a run, written beside each of its outputs by rank 0 however the run ended. */
#ifndef HB_RUN_REPORT_H
#define HB_RUN_REPORT_H

#include "machine.h"
#include "ranks.h"
#include "report.h"

typedef struct hb_run_output {
    const char *path; /* OUT of OUT.report.json */
    bool begun;       /* a run that failed before has nothing to report there */
} hb_run_output;

typedef struct hb_run {
    const void *job;
    json_t *(*document)(const void *job, hb_status status); /* everything but how it ended; NULL when out of memory */
    const hb_run_output *outputs;                           /* [output_count] */
    uint32_t output_count;
    double started; /* hb_now */
} hb_run;

/* Collective. Writes the report of a run that ended with `status` and the last error, replacing older ones, and prints
 * it with --json if all went well. Returns `status`, or why a good run could not be reported. */
hb_status hb_run_report(hb_group *group, const hb_common *common, const hb_run *run, hb_status status);

#endif
