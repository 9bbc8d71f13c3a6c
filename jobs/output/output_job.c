#include "output_job.h"

#include "cli/misplaced_argument.h"
#include "cli/paths.h"
#include "io/files/durable.h"

hb_status hb_output_job_look(const hb_output_job *job)
{
    const hb_job *base = &job->job;
    const hb_output_request *request = &job->request;
    HB_TRY(hb_misplaced_dataset_name(request->path));
    HB_TRY(hb_inputs_are_there(job->inputs, job->input_count));
    /* One rank asks whether the output can be: the others would only meet its file. */
    if (base->group->rank == 0 && base->options.residue == 0) {
        HB_TRY(hb_output_probe(base->group, base->common, request));
    }
    HB_TRY(hb_can_create(request->path));
    return hb_paths_check(&request->path, 1, job->inputs, job->input_count);
}

/* Finds how much is still to be written where the output goes. */
static hb_status plan_output(hb_plan *plan, const hb_output_dataset *out)
{
    /* A job that is continued keeps its shards from the beginning, for any number of ranks now. */
    plan->parts = out->shards.count;
    const hb_header made = hb_plan_made(out->request.header, &out->growth);
    return hb_plan_output(plan, hb_output_dataset_left(out, hb_plan_file_bytes(&made, plan->parts)), out->request.path);
}

static hb_status describe_on_first(const hb_output_job *job, hb_resume *described)
{
    const hb_job *base = &job->job;
    if (base->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(hb_resume_describe(described, base->kind->command, job->request.header,
                              (uint32_t)base->session.grid.peers->size));
    return job->describe(base, described);
}

hb_status hb_output_job_open(hb_job *base)
{
    hb_output_job *job = (hb_output_job *)base;
    hb_output_dataset *out = &job->output;
    hb_resume described = {0};
    hb_status st;
    HB_GOTO(hb_agree(base->group, describe_on_first(job, &described)));
    HB_GOTO(hb_output_dataset_open(out, base->group, base->common, &job->request, &described));
    st = hb_agree(base->group, plan_output(&base->plan, out));
done:
    /* Empty where the output has taken it over. */
    hb_resume_clear(&described);
    return st;
}

hb_status hb_output_job_begin(hb_job *base)
{
    return hb_output_dataset_begin(&((hb_output_job *)base)->output);
}

hb_status hb_output_job_check(hb_job *base)
{
    hb_output_dataset *out = &((hb_output_job *)base)->output;
    HB_TRY(hb_output_dataset_check(out, &base->session, &base->plan.workers, NULL));
    if (out->resumed) {
        hb_job_times_end(&base->job_times, HB_SPAN_CHECK);
    }
    return HB_OK;
}

hb_status hb_output_job_divide(hb_output_job *job)
{
    hb_job *base = &job->job;
    hb_output_dataset *out = &job->output;
    HB_TRY(hb_unit_map_divide(&out->finished, false, base->session.grid.peers, out->request.header, &base->units));
    HB_TRY(hb_output_dataset_expect(out, &base->units));
    return hb_output_dataset_interleave(out, &base->units, 1, base->plan.workers.files);
}

hb_status hb_output_job_write(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_output_job *job = context;
    const hb_unit_buffer *done = &job->job.buffers.buffer[buffer];
    return hb_output_dataset_write(&job->output, u, &done->rows, done->sum);
}

hb_status hb_output_job_run(hb_job *base)
{
    const hb_status st = hb_job_run_ciphertexts(base);
    ((hb_output_job *)base)->output.discard = st == HB_EDATA;
    return st;
}

hb_status hb_output_job_sync(hb_job *base)
{
    return hb_output_dataset_sync(&((hb_output_job *)base)->output);
}

hb_status hb_output_job_commit(hb_job *base)
{
    return hb_output_dataset_commit(&((hb_output_job *)base)->output);
}

void hb_output_job_end(hb_job *base)
{
    hb_output_dataset_end(&((hb_output_job *)base)->output);
}

json_t *hb_output_job_json(const hb_output_job *job, uint64_t done, json_t *times, hb_status status)
{
    const hb_plan *plan = &job->job.plan;
    const hb_output_dataset *out = &job->output;
    const uint64_t there = hb_output_dataset_there(out);
    char sum[2 * HB_DIGEST_BYTES + 1];
    hb_hex(sum, out->sum, HB_DIGEST_BYTES);
    return json_pack("{s:{s:b, s:I, s:I, s:I}, s:o, s:s}", "units", "resumed", (int)hb_output_dataset_continues(out),
                     "there", (json_int_t)there, "todo", (json_int_t)(plan->residues * plan->units - there), "done",
                     (json_int_t)done, "times", times, "sum", status == HB_OK ? sum : "");
}
