/* The one order of steps for all commands that run jobs: open, print the plan, run and report, once for each residue of
 * several plain moduli. A command gives a row of functions for the steps that differ. */
#ifndef HB_COMMANDS_RUN_JOB_H
#define HB_COMMANDS_RUN_JOB_H

#include <jansson.h>

#include "batch/job/job.h"
#include "batch/job/run_report.h"

/* The turn of a job among those of its command: members of hb_job_options. */
typedef struct hb_job_turn {
    uint32_t residue;
    hb_residues_so_far *so_far;
} hb_job_turn;

/* A command that runs jobs of one kind. The job's memory has the size that the command says; hb_job is its first
 * member. */
typedef struct hb_job_command {
    const char *name; /* of the command, in reports */
    size_t bytes;     /* of the struct that embeds hb_job */
    /* Opens the job of one residue. Collective; errors are those of the kind's open function. */
    hb_status (*open)(hb_job *job, hb_group *group, const hb_common *common, hb_job_turn turn, void *context);
    /* Prints the facts known before the run. Called for every residue; the first residue's output covers all. NULL: the
     * run prints nothing but its result. Collective. */
    hb_status (*print_plan)(hb_job *job, bool dry_run);
    /* Runs the job, reports and prints the result. Collective. */
    hb_status (*run)(hb_job *job);
    /* Returns the output of --dry-run --json; NULL when out of memory. The member is NULL where the command has no dry
     * run. */
    json_t *(*describe)(const hb_job *job);
    /* Writes the report of a job that could not be opened; returns `status`, with its error. NULL: there is none.
     * Collective. */
    hb_status (*report_failure)(hb_group *group, const hb_job *job, void *context, hb_status status);
    /* Returns whether the opened job's residue is the only one. NULL: the parameters say so. */
    bool (*alone)(const hb_job *job);
} hb_job_command;

/* Runs the job of every residue, one after another, until one fails; in a dry run only the first. `context` is passed
 * to `open` and `report_failure`. Collective, with the same status on all ranks: that of the last job, or HB_ENOMEM. */
hb_status hb_command_run_job(const hb_job_command *command, hb_group *group, const hb_common *common, bool dry_run,
                             void *context);

#endif
