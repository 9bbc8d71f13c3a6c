#include "run_job.h"

#include <stdlib.h>

#include "cli/console.h"
#include "cli/report.h"

/* An opened job; *residues: how many there are. */
static hb_status run_opened(const hb_job_command *command, hb_job *job, bool dry_run, uint32_t *residues)
{
    const uint32_t all = hb_spec_residues(&job->session.params->spec);
    *residues = dry_run || (command->alone != NULL && command->alone(job)) ? 1 : all;
    if (command->print_plan != NULL) {
        HB_TRY(command->print_plan(job, dry_run));
        hb_console_residue(job->group, job->common, job->options.residue, all);
    }
    if (!dry_run) {
        return command->run(job);
    }
    return job->common->json
               ? hb_agree(job->group, hb_report_results(job->group, command->name, command->describe(job)))
               : HB_OK;
}

hb_status hb_command_run_job(const hb_job_command *command, hb_group *group, const hb_common *common, bool dry_run,
                             void *context)
{
    hb_job *job = calloc(1, command->bytes); /* stacks are short */
    hb_status st = hb_agree(group, job != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the job"));
    uint32_t residues = 1;
    hb_residues_so_far so_far = {0};
    for (uint32_t r = 0; r < residues && st == HB_OK; r++) {
        st = command->open(job, group, common, (hb_job_turn){r, &so_far}, context);
        if (st == HB_OK) {
            st = run_opened(command, job, dry_run, &residues);
        } else if (!dry_run && command->report_failure != NULL) {
            st = command->report_failure(group, job, context, st);
        }
        hb_job_close(job);
    }
    hb_table_close(so_far.table);
    hb_schema_clear(&so_far.ranges);
    free(job);
    return st;
}
