/* Runs a computation, and says how it went. */
#include <inttypes.h>
#include <stdlib.h>

#include "batch/job/run_report.h"
#include "job.h"

static json_t *document(const hb_job *base, const void *context, hb_status status)
{
    (void)context;
    (void)status;
    const hb_eval_job *job = (const hb_eval_job *)base;
    return hb_report_compose(job->base.group, "eval", hb_eval_job_json(job),
                             json_pack("{s:I, s:o}", "steps_done", (json_int_t)job->base.units_done, "times",
                                       hb_job_times_json(&job->base.job_times, &job->base.times)));
}

/* Prints the parts of the time and the outputs, on rank 0. */
static void print_results(const hb_eval_job *job)
{
    const hb_params_spec *spec = &job->base.session.params->spec;
    if (!hb_spec_last_residue(spec)) {
        return; /* the last one makes the whole, and has the times of all */
    }
    hb_job_times_log(job->base.group, job->base.common, &job->base.job_times, &job->base.times);
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        const hb_eval_output *output = &job->outputs.output[o];
        char sum[2 * HB_DIGEST_BYTES + 1];
        hb_hex(sum, output->dataset.sum, sizeof output->dataset.sum);
        hb_console_result(job->base.group, job->base.common, "%s: %s, sum %s", output->path,
                          hb_human_table(output->header.schema.rows, output->header.schema.columns).text, sum);
    }
}

hb_status hb_eval_job_run_and_report(hb_eval_job *job)
{
    const uint32_t count = job->outputs.count;
    hb_run_output *outputs = calloc(count, sizeof *outputs);
    const hb_run_report report = {document, NULL, outputs, count, job->options.resume};
    hb_status st = outputs != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the names");
    HB_GOTO(hb_agree(job->base.group, st));
    for (uint32_t o = 0; o < count; o++) {
        outputs[o] = (hb_run_output){job->outputs.output[o].path, &job->outputs.output[o].dataset.begun};
    }
    HB_GOTO(hb_run_and_report(&job->base, &report));
    print_results(job);
done:
    free(outputs);
    return st;
}
