#include "run_job.h"

#include <stdlib.h>

#include "batch/job/resident.h"
#include "cli/console.h"
#include "cli/report.h"
#include "output/output_job.h"

/* --- jobs with one dataset as their output */

static json_t *document(const hb_job *job, const void *context, hb_status status)
{
    const hb_job_command *command = context;
    json_t *results = command->results != NULL
                          ? command->results(job, status)
                          : hb_output_job_json((const hb_output_job *)job, job->units_done,
                                               hb_job_times_json(&job->job_times, &job->times), status);
    return hb_report_compose(job->group, command->name, command->describe(job), results);
}

static hb_status run_output_job(const hb_job_command *command, hb_job *base)
{
    const hb_output_job *job = (const hb_output_job *)base;
    const hb_run_output output = {job->request.path, &job->output.begun};
    const hb_run_report report = {document, command, &output, 1, job->request.resume};
    char sum[2 * HB_DIGEST_BYTES + 1];
    HB_TRY(hb_run_and_report(base, &report));
    if (!hb_spec_last_residue(&job->request.header->spec)) {
        return HB_OK; /* more residues follow */
    }
    hb_job_times_log(base->group, base->common, &base->job_times, &base->times);
    hb_hex(sum, job->output.sum, HB_DIGEST_BYTES);
    command->print_result(base, sum);
    return HB_OK;
}

static hb_status report_output_failure(const hb_job_command *command, const hb_job *base, hb_status status)
{
    const hb_output_job *job = (const hb_output_job *)base;
    const hb_output_request *request = &job->request;
    json_t *facts =
        json_pack("{s:o, s:o}", "input", hb_report_text(job->inputs[0]), "output", hb_report_text(request->path));
    return hb_run_report_dataset_failure(base->group, command->name, facts, request->path,
                                         request->resume || request->force, status);
}

/* --- all jobs */

static hb_status report_failure(const hb_job_command *command, hb_group *group, const hb_job *job, void *context,
                                hb_status status)
{
    if (command->report_failure != NULL) {
        return command->report_failure(group, job, context, status);
    }
    return command->run == NULL ? report_output_failure(command, job, status) : status;
}

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
        return command->run != NULL ? command->run(job) : run_output_job(command, job);
    }
    return job->common->json
               ? hb_agree(job->group, hb_report_results(job->group, command->name, command->describe(job)))
               : HB_OK;
}

/* Opens a job; where memory is too short for it beside what earlier jobs left, it is opened again without that. */
static hb_status open_with_room(const hb_job_command *command, hb_job *job, hb_group *group, const hb_common *common,
                                void *context)
{
    const hb_status st = command->open(job, group, common, context);
    if (!hb_resident_crowds(group, st)) {
        return st;
    }
    hb_job_close(job);
    hb_resident_end_job(group, st);
    return command->open(job, group, common, context);
}

hb_status hb_command_run_job(const hb_job_command *command, hb_group *group, const hb_common *common, bool dry_run,
                             void *context, hb_job_options *options)
{
    hb_job *job = calloc(1, command->bytes); /* stacks are short */
    hb_status st = hb_agree(group, job != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the job"));
    uint32_t residues = 1;
    hb_residues_so_far so_far = {0};
    for (uint32_t r = 0; r < residues && st == HB_OK; r++) {
        options->residue = r;
        options->so_far = &so_far;
        st = open_with_room(command, job, group, common, context);
        if (st == HB_OK) {
            st = run_opened(command, job, dry_run, &residues);
        } else if (!dry_run) {
            st = report_failure(command, group, job, context, st);
        }
        hb_job_close(job);
    }
    hb_resident_end_job(group, st);
    hb_table_close(so_far.table);
    hb_schema_clear(&so_far.ranges);
    free(job);
    return st;
}
