/* hebatch eval: an expression over ciphertext datasets and plain tables. */
#include <stdlib.h>

#include "batch/job/run_report.h"
#include "cli/report.h"
#include "commands.h"
#include "eval_request.h"
#include "run_job.h"

/* The task of a command: the job of each residue leaves device, engine and keys to the next one. */
typedef struct evaluation {
    hb_eval_options *options;
    hb_job_kept *kept;
} evaluation;

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *context)
{
    const evaluation *e = context;
    return hb_eval_job_open((hb_eval_job *)base, group, common, e->options, e->kept);
}

/* With the outputs as far as they are known. */
static hb_status report_failure(hb_group *group, const hb_job *base, void *context, hb_status status)
{
    const hb_eval_job *job = (const hb_eval_job *)base;
    const hb_eval_options *options = ((const evaluation *)context)->options;
    const char **outputs = calloc((size_t)job->outputs.count + 1, sizeof *outputs);
    for (uint32_t o = 0; outputs != NULL && o < job->outputs.count; o++) {
        outputs[o] = job->outputs.output[o].path;
    }
    const hb_run_failure failure = {.command = "eval",
                                    .facts = json_pack("{s:o}", "expression", hb_report_text(options->expression)),
                                    .outputs = outputs,
                                    .output_count = outputs != NULL ? job->outputs.count : 0,
                                    .is_free = hb_run_report_dataset,
                                    .over = options->resume || options->force};
    status = hb_run_report_failure(group, &failure, status);
    free(outputs);
    return status;
}

/* The plan is that of the first residue; the expression was compiled for all of them. */
static hb_status print_plan(hb_job *base, bool dry_run)
{
    hb_eval_job *job = (hb_eval_job *)base;
    const hb_params *params = base->session.params;
    if (base->options.residue > 0) {
        return HB_OK;
    }
    if (params->spec.insecure) {
        hb_console_warn_insecure(base->group, params->chain_bits);
    }
    HB_TRY(hb_agree(base->group, dry_run ? hb_eval_job_estimate(job) : HB_OK));
    hb_eval_job_print(job, dry_run);
    return HB_OK;
}

static hb_status run_and_report(hb_job *base)
{
    return hb_eval_job_run_and_report((hb_eval_job *)base);
}

static json_t *describe_plan(const hb_job *base)
{
    return hb_eval_job_json((const hb_eval_job *)base);
}

static const hb_job_command job_command = {.name = "eval",
                                           .bytes = sizeof(hb_eval_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .run = run_and_report,
                                           .describe = describe_plan,
                                           .report_failure = report_failure};

static hb_status evaluate(hb_group *group, const hb_common *common, hb_eval_options *options)
{
    evaluation e = {options, calloc(1, sizeof *e.kept)};
    options->found = calloc((size_t)options->binding_count + 1, sizeof *options->found);
    hb_status st = hb_agree(
        group, e.kept != NULL && options->found != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a session"));
    st = st == HB_OK ? hb_command_run_job(&job_command, group, common, options->dry_run, &e, &options->job) : st;
    hb_job_kept_free(e.kept);
    free(options->found);
    options->found = NULL;
    return st;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_eval_request *r = calloc(1, sizeof *r); /* stacks are short */
    hb_parsed parsed = {.help = false};
    hb_status st = r != NULL ? hb_eval_request_read(r, &hb_command_eval, group, argc, argv, &parsed)
                             : HB_FAIL(HB_ENOMEM, "no memory for what is to be computed");
    if (st != HB_OK || !parsed.help) {
        st = hb_agree(group, st);
        st = st == HB_OK ? evaluate(group, &parsed.common, &r->options) : st;
    }
    if (r != NULL) {
        hb_eval_request_clear(r);
    }
    free(r);
    return st;
}

const hb_command hb_command_eval = {
    .name = "eval",
    .arguments = "[--keys DIR] 'EXPRESSION' NAME=FILE ... | --model NET.json x=IN.heb y=OUT.heb | JOB.json [OPTIONS]",
    .summary = "compute on ciphertext datasets: + - * sum mean var count groupby where histogram lookup, models",
    .notes =
        "Names that it assigns are outputs, others inputs: datasets, plain tables. hebatch help language has it, and "
        "job files.\n"
        "  hebatch eval --keys keys 'y = a * b + 1; s = sum(y)' a=a.heb b=b.heb y=y.heb s=s.heb",
    .ranks = true,
    .run = run};
