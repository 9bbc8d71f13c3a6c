/* Running a computation, and what is said of how it went. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/clock.h"
#include "batch/run_report.h"
#include "job.h"

static json_t *document(const void *of, hb_status status)
{
    (void)status;
    const hb_eval_job *job = of;
    return hb_report_compose(job->group, "eval", hb_eval_job_json(job),
                             json_pack("{s:I, s:o}", "steps_done", (json_int_t)job->steps_done, "times",
                                       hb_phases_json(&job->phases, &job->times)));
}

static void print_results(const hb_eval_job *job)
{
    hb_phases_log(job->group, job->common, &job->phases, &job->times);
    for (uint32_t o = 0; o < job->output_count; o++) {
        const hb_eval_output *output = &job->outputs[o];
        char sum[2 * HB_DIGEST_BYTES + 1];
        hb_hex(sum, output->dataset.sum, sizeof output->dataset.sum);
        hb_console_result(job->group, job->common, "%s: %s, sum %s", output->path,
                          hb_human_table(output->header.schema.rows, output->header.schema.columns).text, sum);
    }
}

static hb_status probe_reports(const hb_eval_job *job)
{
    for (uint32_t o = 0; o < job->output_count; o++) {
        HB_TRY(hb_report_probe(job->outputs[o].path));
    }
    return HB_OK;
}

hb_status hb_eval_job_run_and_report(hb_eval_job *job)
{
    hb_run_output *outputs = calloc(job->output_count, sizeof *outputs);
    const hb_run run = {
        .job = job, .document = document, .outputs = outputs, .output_count = job->output_count, .started = hb_now()};
    hb_status st;
    HB_GOTO(hb_agree(job->group, outputs != NULL ? probe_reports(job) : HB_FAIL(HB_ENOMEM, "no memory for the names")));
    const hb_status ended = hb_eval_job_run(job);
    for (uint32_t o = 0; o < job->output_count; o++) {
        outputs[o] = (hb_run_output){job->outputs[o].path, job->outputs[o].dataset.begun};
    }
    HB_GOTO(hb_run_report(job->group, job->common, &run, ended));
    print_results(job);
done:
    free(outputs);
    return st;
}
