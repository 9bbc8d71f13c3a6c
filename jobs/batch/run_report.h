/* report.json of a run, written beside each of its outputs by rank 0 however the run ended. */
#ifndef HB_BATCH_RUN_REPORT_H
#define HB_BATCH_RUN_REPORT_H

#include "cli/report.h"
#include "machine/machine.h"
#include "ranks.h"

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

/* A run that failed before it began, and what is known of it. */
typedef struct hb_run_failure {
    const char *command;
    json_t *facts;              /* taken over; NULL: out of memory */
    const char *const *outputs; /* [output_count] */
    uint32_t output_count;
    bool (*is_free)(const char *output, bool over); /* what is there of another run keeps the report of that */
    bool over;                                      /* --resume or --force */
} hb_run_failure;
/* Collective. Writes the report of it beside outputs that are free. Nothing after a slip on the command line
 * (HB_EUSAGE). Returns `status`, with its error. */
hb_status hb_run_report_failure(hb_group *group, const hb_run_failure *failure, hb_status status);
/* is_free of a dataset's name: it is not there, and neither does a job that runs make it, nor, unless `over`, has one
 * left it unfinished. */
bool hb_run_report_dataset(const char *output, bool over);

#endif
