#include "output_job.h"

#include "cli/misplaced_argument.h"
#include "cli/paths.h"
#include "io/files/durable.h"

hb_status hb_output_job_look(const hb_job *job, const hb_output_request *request, const char *const *inputs,
                             size_t input_count)
{
    HB_TRY(hb_misplaced_dataset_name(request->path));
    /* One rank asks whether the output can be: the others would only meet its file. */
    if (job->group->rank == 0 && job->options.residue == 0) {
        HB_TRY(hb_output_probe(job->group, job->common, request));
    }
    HB_TRY(hb_can_create(request->path));
    return hb_paths_check(&request->path, 1, inputs, input_count);
}

/* Finds how much is still to be written where the output goes. */
static hb_status plan_output(hb_plan *plan, const hb_output_dataset *out)
{
    /* A job that is continued keeps its shards from the beginning, for any number of ranks now. */
    plan->parts = out->shards.count;
    const hb_header made = hb_plan_made(out->request.header, &out->growth);
    return hb_plan_output(plan, hb_output_dataset_left(out, hb_plan_file_bytes(&made, plan->parts)), out->request.path);
}

static hb_status describe_on_first(const hb_job *job, const hb_header *header,
                                   hb_status (*describe)(const hb_job *job, hb_resume *described), hb_resume *described)
{
    if (job->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(hb_resume_describe(described, header, (uint32_t)job->session.grid.peers->size));
    return describe(job, described);
}

hb_status hb_output_job_open(hb_job *job, hb_output_dataset *out, const hb_output_request *request,
                             hb_status (*describe)(const hb_job *job, hb_resume *described))
{
    hb_resume described = {0};
    hb_status st;
    HB_GOTO(hb_agree(job->group, describe_on_first(job, request->header, describe, &described)));
    HB_GOTO(hb_output_dataset_open(out, job->group, job->common, request, &described));
    st = hb_agree(job->group, plan_output(&job->plan, out));
done:
    /* Empty where the output has taken it over. */
    hb_resume_clear(&described);
    return st;
}

hb_status hb_output_job_check(hb_job *job, hb_output_dataset *out)
{
    HB_TRY(hb_output_dataset_check(out, &job->session, &job->plan.workers, NULL));
    if (out->resumed) {
        hb_job_times_end(&job->job_times, HB_SPAN_CHECK);
    }
    return HB_OK;
}

hb_status hb_output_job_divide(hb_job *job, hb_output_dataset *out)
{
    HB_TRY(hb_unit_map_divide(&out->finished, false, job->session.grid.peers, out->request.header, &job->units));
    HB_TRY(hb_output_dataset_expect(out, &job->units));
    return hb_output_dataset_interleave(out, &job->units, 1, job->plan.workers.files);
}

hb_status hb_output_job_run(hb_job *job, hb_output_dataset *out)
{
    const hb_status st = hb_job_run_ciphertexts(job);
    out->discard = st == HB_EDATA;
    return st;
}

json_t *hb_output_job_json(const hb_job *job, const hb_output_dataset *out, uint64_t done, json_t *times,
                           hb_status status)
{
    const hb_plan *plan = &job->plan;
    const uint64_t there = hb_output_dataset_there(out);
    char sum[2 * HB_DIGEST_BYTES + 1];
    hb_hex(sum, out->sum, HB_DIGEST_BYTES);
    return json_pack("{s:{s:b, s:I, s:I, s:I}, s:o, s:s}", "units", "resumed", (int)hb_output_dataset_continues(out),
                     "there", (json_int_t)there, "todo", (json_int_t)(plan->residues * plan->units - there), "done",
                     (json_int_t)done, "times", times, "sum", status == HB_OK ? sum : "");
}
