/* report.json of a run, written beside each of its outputs by rank 0, however the run ended. */
#ifndef HB_BATCH_JOB_RUN_REPORT_H
#define HB_BATCH_JOB_RUN_REPORT_H

#include "cli/report.h"
#include "job.h"

/* One output of a run; both pointers are borrowed. */
typedef struct hb_run_output {
    const char *path;  /* OUT of OUT.report.json */
    const bool *begun; /* whether a failed run has something to report for this output; NULL: it always has */
} hb_run_output;

/* The contents of a job's report, and the outputs that it stands beside. */
typedef struct hb_run_report {
    /* Returns all but the outcome; NULL when out of memory. */
    json_t *(*document)(const hb_job *job, const void *context, hb_status status);
    const void *context;
    const hb_run_output *outputs; /* [output_count] */
    uint32_t output_count;
    bool resume; /* the run continues earlier runs, and keeps their reports in short */
} hb_run_report;

/* Runs an opened job and writes its report over older ones; prints the report with --json if all went well. Collective.
 * Checks before the run that reports can be written. Returns the status of the run, or the reason why a good run could
 * not be reported. With several residues only the last job reports, or the first that fails. */
hb_status hb_run_and_report(hb_job *job, const hb_run_report *report);

/* A run that failed before it began, and the known facts about it. Everything but `facts` is borrowed. */
typedef struct hb_run_failure {
    const char *command;
    json_t *facts;              /* taken over by hb_run_report_failure; NULL: out of memory */
    const char *const *outputs; /* [output_count] */
    uint32_t output_count;
    bool (*is_free)(const char *output, bool over); /* whether no report of another run would be replaced */
    bool over;                                      /* --resume or --force */
} hb_run_failure;
/* Writes the report of the failure beside the outputs that are free; writes none after a misuse of the command line
 * (HB_EUSAGE). Collective. Returns `status`, with its error. */
hb_status hb_run_report_failure(hb_group *group, const hb_run_failure *failure, hb_status status);
/* The same for a command whose one output is a dataset. facts are taken over; NULL: out of memory. Returns `status`. */
hb_status hb_run_report_dataset_failure(hb_group *group, const char *command, json_t *facts, const char *output,
                                        bool over, hb_status status);
/* is_free for the name of a dataset: there is no such dataset, no running job makes it, and, unless `over`, no ended
 * job has left it unfinished. */
bool hb_run_report_dataset(const char *output, bool over);

#endif
