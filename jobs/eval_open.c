/* Finding out everything for the plan of a computation, and loading its keys. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "durable.h"
#include "eval_job.h"
#include "key_store.h"

static hb_status find_keys(hb_eval_job *job)
{
    const hb_program *program = &job->program;
    const hb_key_wants wants = {program->relinearizes, program->swaps, program->steps, program->step_count};
    if (!wants.relinearization && !wants.swap && wants.step_count == 0) {
        return HB_OK;
    }
    if (job->options.keys == NULL) {
        return HB_FAIL(HB_EUSAGE, "--keys DIR is missing: this expression needs keys to compute with");
    }
    return hb_key_store_find(job->options.keys, job->session.params, &wants, &job->elements, &job->element_count);
}

static hb_status find_out(hb_eval_job *job)
{
    HB_TRY(hb_eval_job_open_inputs(job));
    HB_TRY(hb_eval_job_compile(job));
    HB_TRY(find_keys(job));
    return hb_eval_job_plan(job);
}

/* What the results follow from: the datasets' sums, and which keys there are for rotations that could be made in
 * several ways. `files`: tables as files, by size and time; else by shape. */
static hb_status digest_inputs(const hb_eval_job *job, bool files, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch inputs");
    for (uint32_t i = 0; i < job->input_count; i++) {
        const hb_eval_input *input = &job->inputs[i];
        uint8_t sum[HB_DIGEST_BYTES];
        hb_digest_add(&state, input->name, strlen(input->name) + 1);
        hb_digest_add_u64(&state, input->header->schema.rows);
        hb_digest_add_u64(&state, input->header->schema.columns);
        if (input->dataset != NULL) {
            hb_dataset_sum(input->dataset, sum);
            hb_digest_add(&state, sum, sizeof sum);
        } else if (files) {
            char *file, *dataset;
            struct stat info;
            HB_TRY(hb_table_name_split(input->path, &file, &dataset));
            const bool seen = stat(file, &info) == 0;
            free(file);
            free(dataset);
            if (!seen) {
                return HB_FAIL(HB_ENOINPUT, "%s: cannot look at it any more", input->path);
            }
            hb_digest_add_u64(&state, (uint64_t)info.st_size);
            hb_digest_add_u64(&state, (uint64_t)info.st_mtim.tv_sec);
            hb_digest_add_u64(&state, (uint64_t)info.st_mtim.tv_nsec);
        }
    }
    for (uint32_t i = 0; i < job->element_count; i++) {
        hb_digest_add_u64(&state, job->elements[i]);
    }
    hb_digest_end(&state, digest);
    return HB_OK;
}

/* Every rank is about to do its share of the same. */
static hb_status check_same(hb_eval_job *job)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_status st = digest_inputs(job, false, digest);
    HB_TRY(hb_agree(job->group, st));
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch eval");
    hb_digest_add(&state, digest, sizeof digest);
    hb_digest_add(&state, job->options.expression, strlen(job->options.expression) + 1);
    for (uint32_t o = 0; o < job->output_count; o++) {
        hb_header_digest(digest, &job->outputs[o].header);
        hb_digest_add(&state, digest, sizeof digest);
    }
    hb_digest_end(&state, digest);
    return hb_ranks_same(job->group, digest, "an input, the keys or the expression");
}

static hb_status describe(const hb_eval_job *job, uint32_t o, hb_resume *described)
{
    uint8_t digest[HB_DIGEST_BYTES];
    if (job->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(digest_inputs(job, true, digest));
    return hb_resume_describe_program(described, job->options.expression, &job->outputs[o].header, digest,
                                      (uint32_t)job->group->size);
}

static uint64_t dataset_bytes(const hb_eval_output *output)
{
    const uint64_t overhead = (uint64_t)64 << 10; /* of HDF5, a file */
    const hb_header *header = &output->header;
    return header->ciphertexts * hb_header_ciphertext_bytes(header) + (output->making.shards.count + 1) * overhead +
           2 * hb_header_units(header) * HB_DIGEST_BYTES;
}

static hb_status check_space(hb_eval_job *job, const hb_eval_output *output)
{
    const uint64_t bytes = hb_making_left(&output->making, dataset_bytes(output));
    uint64_t space;
    HB_TRY(hb_free_bytes(output->path, &space));
    job->plan.output_bytes += bytes;
    return bytes <= space ? HB_OK
                          : HB_FAIL(HB_EIO, "%s needs %s, but only %s are free there", output->path,
                                    hb_human_bytes((double)bytes).text, hb_human_bytes((double)space).text);
}

static hb_status open_making(hb_eval_job *job, uint32_t o)
{
    hb_eval_output *output = &job->outputs[o];
    hb_resume described = {0};
    hb_status st;
    HB_GOTO(hb_agree(job->group, describe(job, o, &described)));
    HB_GOTO(hb_making_open(&output->making, job->group, job->common, output->path, &output->header, &described,
                           job->options.resume, job->options.force));
    st = hb_agree(job->group, check_space(job, output));
done:
    hb_resume_clear(&described);
    return st;
}

static hb_status load_keys(hb_eval_job *job)
{
    return job->element_count > 0 ? hb_key_store_load(&job->session.ring, &job->session, job->options.keys,
                                                      job->session.key_id, job->elements, job->element_count)
                                  : HB_OK;
}

hb_status hb_eval_job_open(hb_eval_job *job, hb_group *group, const hb_common *common, const hb_eval_options *options)
{
    *job = (hb_eval_job){.group = group, .common = common, .options = *options};
    HB_TRY(hb_device_choose(&job->device, group, &options->device));
    HB_TRY(hb_agree(group, find_out(job)));
    HB_TRY(check_same(job));
    for (uint32_t o = 0; o < job->output_count; o++) {
        HB_TRY(open_making(job, o));
    }
    return hb_agree(group, load_keys(job));
}
