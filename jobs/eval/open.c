/* Finding out everything for the plan of a computation, and loading its keys. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch/work.h"
#include "cli/paths.h"
#include "job.h"
#include "keys/key_store.h"

static hb_status find_keys(hb_eval_job *job)
{
    const hb_program *program = &job->program;
    const hb_key_wants wants = {program->relinearizes, program->swaps, program->steps, program->step_count};
    if (!wants.relinearization && !wants.swap && wants.step_count == 0) {
        return HB_OK;
    }
    if (job->options.keys == NULL) {
        return HB_FAIL(HB_EUSAGE,
                       "--keys DIR is missing: this expression needs keys to compute with, which keygen --for makes");
    }
    return hb_key_store_find(&job->keys, job->options.keys, job->session.params, job->session.key_id, &wants);
}

/* Without a device: what the work is. */
static hb_status find_out(hb_eval_job *job)
{
    HB_TRY(hb_eval_job_open_inputs(job));
    HB_TRY(hb_eval_job_compile(job));
    return find_keys(job);
}

static hb_status choose_device(hb_eval_job *job)
{
    const hb_work work =
        hb_work_program(job->session.params, &job->program, job->plan.blocks, job->keys.count, job->group->size);
    return hb_device_choose(&job->device, job->group, &job->options.device, &work);
}

/* Rank 0 knows the identity. */
static hb_status describe(const hb_eval_job *job, uint32_t o, hb_resume *described)
{
    return job->group->rank == 0
               ? hb_resume_describe_program(described, job->options.expression, job->output_names[o],
                                            &job->outputs[o].header, job->identity, job->plan.limbs.groups)
               : HB_OK;
}

static hb_status open_output(hb_eval_job *job, uint32_t o)
{
    hb_eval_output *output = &job->outputs[o];
    const hb_output_request request = {output->path, &output->header, job->options.resume, job->options.force};
    hb_resume described = {0};
    hb_status st;
    HB_GOTO(hb_agree(job->group, describe(job, o, &described)));
    st = hb_output_dataset_open(&output->dataset, job->group, job->common, &request, &described);
done:
    hb_resume_clear(&described);
    return st;
}

static uint64_t output_bytes(const hb_eval_output *output)
{
    return hb_output_dataset_left(&output->dataset, hb_plan_file_bytes(&output->header, output->dataset.shards.count));
}

/* Where several outputs go to one disk, it has to hold them all. */
static hb_status check_space(hb_eval_job *job)
{
    hb_eval_plan *plan = &job->plan;
    plan->free_bytes = UINT64_MAX;
    for (uint32_t o = 0; o < job->output_count; o++) {
        const hb_eval_output *output = &job->outputs[o];
        uint64_t there = 0, space;
        for (uint32_t other = 0; other < job->output_count; other++) {
            bool same;
            HB_TRY(hb_path_same_disk(output->path, job->outputs[other].path, &same));
            there += same ? output_bytes(&job->outputs[other]) : 0;
        }
        HB_TRY(hb_plan_space(output->path, there, &space));
        plan->free_bytes = space < plan->free_bytes ? space : plan->free_bytes;
        plan->output_bytes += output_bytes(output);
    }
    return HB_OK;
}

static hb_status load_keys(hb_eval_job *job)
{
    return hb_key_store_load(&job->session.ring, &job->session, job->options.keys, job->session.key_id, job->keys,
                             &job->ahead);
}

hb_status hb_eval_job_open(hb_eval_job *job, hb_group *group, const hb_common *common, const hb_eval_options *options)
{
    *job = (hb_eval_job){.group = group, .common = common, .options = *options};
    hb_phases_begin(&job->phases);
    HB_TRY(hb_agree(group, hb_deadline_set(&job->deadline, options->max_time)));
    HB_TRY(hb_agree(group, find_out(job)));
    hb_key_ahead_begin(&job->ahead, options->keys, job->keys);
    HB_TRY(choose_device(job));
    HB_TRY(hb_agree(group, hb_eval_job_lay_out(job)));
    HB_TRY(hb_eval_job_check_same(job));
    HB_TRY(hb_eval_job_start(job));
    hb_key_ahead_wait(&job->ahead);
    HB_TRY(hb_agree(group, group->rank == 0 ? hb_eval_job_identify(job) : HB_OK));
    for (uint32_t o = 0; o < job->output_count; o++) {
        HB_TRY(open_output(job, o));
    }
    HB_TRY(hb_agree(group, check_space(job)));
    return hb_agree(group, load_keys(job));
}
