/* report.json of a run, written beside each of its outputs by rank 0 however the run ended. */
#ifndef HB_BATCH_RUN_REPORT_H
#define HB_BATCH_RUN_REPORT_H

#include "cli/report.h"
#include "job.h"

typedef struct hb_run_output {
    const char *path;  /* OUT of OUT.report.json */
    const bool *begun; /* a run that failed before has nothing to report there; NULL: it always has */
} hb_run_output;

/* What the report of a job says, and where it stands. */
typedef struct hb_run_report {
    json_t *(*document)(const hb_job *job, hb_status status); /* all but how it ended; NULL when out of memory */
    const hb_run_output *outputs;                             /* [output_count] */
    uint32_t output_count;
} hb_run_report;

/* Collective. Runs a job that was opened, and writes the report of it, replacing older ones; prints the report with
 * --json if all went well. Returns what the run did, or why a good run could not be reported. */
hb_status hb_run_and_report(hb_job *job, const hb_run_report *report);

/* A run that failed before it began, and what is known of it. */
typedef struct hb_run_failure {
    const char *command;
    json_t *facts;              /* taken over; NULL: out of memory */
    const char *const *outputs; /* [output_count] */
    uint32_t output_count;
    bool (*is_free)(const char *output, bool over); /* what is there of another run keeps the report of that */
    bool over;                                      /* --resume or --force */
} hb_run_failure;
/* Collective. Writes the report of it beside outputs that are free. Nothing after a misuse of the command line
 * (HB_EUSAGE). Returns `status`, with its error. */
hb_status hb_run_report_failure(hb_group *group, const hb_run_failure *failure, hb_status status);
/* is_free of a dataset's name: it is not there, and neither does a job that runs make it, nor, unless `over`, has one
 * left it unfinished. */
bool hb_run_report_dataset(const char *output, bool over);

#endif
