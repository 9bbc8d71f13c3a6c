/* report.json of a run, written beside each of its outputs by rank 0, however the run ended. */
#ifndef HB_BATCH_RUN_REPORT_H
#define HB_BATCH_RUN_REPORT_H

#include "cli/report.h"
#include "job.h"

/* One output of a run; both pointers are borrowed. */
typedef struct hb_run_output {
    const char *path;  /* OUT of OUT.report.json */
    const bool *begun; /* whether a run that failed has something to report there; NULL: it always has */
} hb_run_output;

/* What the report of a job says, and beside which outputs it stands. */
typedef struct hb_run_report {
    json_t *(*document)(const hb_job *job, hb_status status); /* all but how it ended; NULL when out of memory */
    const hb_run_output *outputs;                             /* [output_count] */
    uint32_t output_count;
    bool resume; /* it goes on with what earlier runs left, of which their reports are kept in short */
} hb_run_report;

/* Runs a job that was opened, and writes its report, replacing older ones; prints the report with --json if all went
 * well. Collective. Returns what the run did, or why a good run could not be reported. That reports can be written is
 * checked before the run. Of several residues the job of the last one reports, or one that fails. */
hb_status hb_run_and_report(hb_job *job, const hb_run_report *report);

/* A run that failed before it began, and what is known of it. Everything but `facts` is borrowed. */
typedef struct hb_run_failure {
    const char *command;
    json_t *facts;              /* taken over by hb_run_report_failure; NULL: out of memory */
    const char *const *outputs; /* [output_count] */
    uint32_t output_count;
    bool (*is_free)(const char *output, bool over); /* nothing of another run is there, whose report would go */
    bool over;                                      /* --resume or --force */
} hb_run_failure;
/* Writes the report of the failure beside outputs that are free; none after a misuse of the command line (HB_EUSAGE).
 * Collective. Returns `status`, with its error. */
hb_status hb_run_report_failure(hb_group *group, const hb_run_failure *failure, hb_status status);
/* is_free for a dataset's name: it is not there, no running job makes it, and, unless `over`, no ended job has left it
 * unfinished. */
bool hb_run_report_dataset(const char *output, bool over);

#endif
