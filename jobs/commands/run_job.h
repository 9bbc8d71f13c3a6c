/* The one order of steps for all commands that run jobs: open, print the plan, run and report, once for each residue of
 * several plain moduli. A command gives a row of functions for the steps that differ. */
#ifndef HB_COMMANDS_RUN_JOB_H
#define HB_COMMANDS_RUN_JOB_H

#include <jansson.h>

#include "batch/job/job.h"
#include "batch/job/run_report.h"

/* A command that runs jobs of one kind. The job's memory has the size that the command says; hb_job is its first
 * member. */
typedef struct hb_job_command {
    const char *name; /* of the command, in reports */
    size_t bytes;     /* of the struct that embeds hb_job */
    /* Opens the job of one residue. Collective; errors are those of the kind's open function. */
    hb_status (*open)(hb_job *job, hb_group *group, const hb_common *common, void *context);
    /* Prints the facts known before the run. Called for every residue; the first residue's output covers all. NULL: the
     * run prints nothing but its result. Collective. */
    hb_status (*print_plan)(hb_job *job, bool dry_run);
    /* Returns the facts that are known before the run: the output of --dry-run --json, and the beginning of the report
     * of a job with one dataset as its output; NULL when out of memory. The member is NULL where the command has
     * neither. */
    json_t *(*describe)(const hb_job *job);
    /* Runs the job, reports and prints the result. Collective. NULL: the job embeds hb_output_job and is run and
     * reported as all such jobs are; the next two are for these. */
    hb_status (*run)(hb_job *job);
    /* Prints the result, after the last residue. sum: of the dataset, hexadecimal digits. */
    void (*print_result)(const hb_job *job, const char *sum);
    /* Returns hb_output_job_json with what is special to the kind. NULL: nothing is. */
    json_t *(*results)(const hb_job *job, hb_status status);
    /* Writes the report of a job that could not be opened; returns `status`, with its error. Collective. NULL: there is
     * none, but a job with one dataset as its output, where `run` is NULL, has one with input and output. */
    hb_status (*report_failure)(hb_group *group, const hb_job *job, void *context, hb_status status);
    /* Returns whether the opened job's residue is the only one. NULL: the parameters say so. */
    bool (*alone)(const hb_job *job);
} hb_job_command;

/* Runs the job of every residue, one after another, until one fails; in a dry run only the first. `context` is passed
 * to `open` and `report_failure`; `options` are those of the job in it, whose residue and sums this function sets for
 * every job. Collective, with the same status on all ranks: that of the last job, or HB_ENOMEM. */
hb_status hb_command_run_job(const hb_job_command *command, hb_group *group, const hb_common *common, bool dry_run,
                             void *context, hb_job_options *options);

#endif
