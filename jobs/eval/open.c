/* Finds out everything for the plan of a computation, and loads its keys. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "batch/job/resident.h"
#include "batch/job/shared_dataset.h"
#include "io/files/durable.h"
#include "job_private.h"
#include "machine/machine.h"
#include "scheme/params.h"

/* The most bytes of key files that a dry run reads to compute a sample. */
static const uint64_t most_sampled_bytes = (uint64_t)256 << 20;

/* A key is compared with the checksum that its file had when it was opened, so no other one is loaded. */
static hb_status check_keys(const hb_eval_job *job)
{
    const hb_key_files *files = job->key_files;
    for (uint32_t i = 0; job->options.checked != NULL && i < files->choices.count; i++) {
        HB_TRY(hb_checked_keys_require(job->options.checked, files->path[i], files->source[i].label.sum));
    }
    return HB_OK;
}

/* Finds which key files the program needs. */
static hb_status find_keys(hb_eval_job *job)
{
    if (job->program.keys.count == 0) {
        return HB_OK;
    }
    /* Asked for only now: an expression without products and rotations needs no keys. */
    if (job->options.keys == NULL) {
        return HB_FAIL(HB_EUSAGE,
                       "--keys DIR is missing: this expression needs keys to compute with, which keygen --for makes");
    }
    HB_TRY(hb_key_store_find(&job->keys, job->options.keys, job->base.session.params, job->base.session.key_id,
                             &job->program.keys));
    hb_resident *resident = hb_resident_of(job->base.group);
    HB_TRY(hb_key_files_open_known(&job->key_files, job->options.keys, job->base.session.params,
                                   job->base.session.key_id, job->keys, resident != NULL ? &resident->keys : NULL,
                                   &job->plan.key_file_bytes));
    HB_TRY(check_keys(job));
    /* Keys of bootstrapping take minutes from a slow disk, and a sample of it as long. */
    job->plan.looks = job->options.dry_run && job->plan.key_file_bytes > most_sampled_bytes;
    return HB_OK;
}

/* Reads the public key, for the session to load, with which results are sanitized. */
static hb_status read_public_key(hb_eval_job *job)
{
    hb_session *session = &job->base.session;
    char *path;
    if (job->options.keys == NULL) {
        return HB_FAIL(HB_EUSAGE, "--keys DIR is missing: --sanitize takes its public key");
    }
    HB_TRY(hb_path_with(job->options.keys, "/" HB_KEYFILE_PUBLIC, &path));
    hb_status st = hb_keyfile_read(path, &session->file);
    if (st == HB_OK && (session->file.kind != HB_KEY_PUBLIC ||
                        memcmp(session->file.key_id, session->key_id, sizeof session->key_id) != 0 ||
                        !hb_params_same(&session->file.spec, &session->params->spec))) {
        st = HB_FAIL(HB_EDATA, "%s: is another key than that of the inputs", path);
    }
    free(path);
    return st;
}

static hb_status begin_sanitizing(hb_eval_job *job)
{
    hb_eval_outputs *outputs = &job->outputs;
    if (job->options.sanitize == 0) {
        return HB_OK;
    }
    outputs->sanitizing = calloc((size_t)outputs->count + 1, sizeof *outputs->sanitizing);
    return outputs->sanitizing != NULL ? read_public_key(job)
                                       : HB_FAIL(HB_ENOMEM, "no memory for %" PRIu32 " outputs", outputs->count);
}

/* Without a device, so that the work is known by which a device is chosen. */
hb_status hb_eval_job_find_out(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    base->header = &job->steps;
    HB_TRY(hb_eval_job_open_inputs(job));
    HB_TRY(hb_eval_job_compile(job));
    HB_TRY(find_keys(job));
    HB_TRY(begin_sanitizing(job));
    return hb_eval_plan_lay_out(job);
}

/* --- keys are read */

/* Begins to read keys with the ranks of `group`, which all read the same rows; unless nothing is to be computed.
 * Collective among all. */
static hb_status begin_keys(hb_eval_job *job, hb_group *group, hb_key_share share)
{
    hb_group *all = job->base.group;
    job->plan.key_read_bytes = hb_key_files_choose(job->key_files, share);
    if (job->plan.looks) {
        return HB_OK;
    }
    return hb_agree(all, hb_key_files_begin(job->key_files, group, share, hb_key_files_threads(all),
                                            hb_key_files_passing_bytes(all)));
}

hb_status hb_eval_job_compare(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    HB_TRY(hb_eval_job_check_same(job));
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        hb_dataset *dataset = job->inputs.input[i].dataset;
        if (dataset != NULL) {
            HB_TRY(hb_dataset_tell(dataset, hb_shared_dataset_ranks(base->group)));
        }
    }
    if (job->key_files == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_limb_choice_same(&base->options.limbs, base->group));
    const hb_switch_keys *held = base->kept != NULL ? &base->kept->session.resting : NULL;
    const hb_key_share share = {base->session.params, held, 0};
    /* Before a device and a number of ranks are chosen, both by what they cost; nothing is divided yet. */
    job->plan.key_whole_bytes = hb_key_files_choose(job->key_files, share);
    return hb_limb_choice_divides(&base->options.limbs, base->group) ? HB_OK : begin_keys(job, base->group, share);
}

/* Where limbs may be divided, reading begins once it is known which of them a rank has. */
static hb_status begin_keys_of_limbs(hb_eval_job *job)
{
    const bool later = hb_limb_choice_divides(&job->base.options.limbs, job->base.group);
    return job->key_files != NULL && later ? begin_keys(job, job->base.session.grid.peers, hb_eval_job_key_share(job))
                                           : HB_OK;
}

/* --- outputs */

/* Describes output o on rank 0, which alone knows the identity. */
static hb_status describe(const hb_eval_job *job, uint32_t o, hb_resume *described)
{
    if (job->base.group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(hb_resume_describe(described, job->base.kind->command, &job->outputs.output[o].header,
                              job->base.plan.limbs.groups));
    HB_TRY(hb_resume_add_text(described, "expression", job->options.expression));
    HB_TRY(hb_resume_add_text(described, "output", job->outputs.names[o]));
    HB_TRY(hb_resume_add_digest(described, "inputs", job->identity));
    described->step = job->plan.steps_bound ? job->steps.unit : 0;
    return HB_OK;
}

/* Describes output o and finds whether it is continued. Collective. */
static hb_status open_output(hb_eval_job *job, uint32_t o)
{
    hb_eval_output *output = &job->outputs.output[o];
    const hb_output_request request = {.path = output->path,
                                       .header = &output->header,
                                       .resume = job->options.resume,
                                       .force = job->options.force,
                                       .dry_run = job->options.dry_run,
                                       .found = job->options.found != NULL ? &job->options.found[o] : NULL};
    hb_resume described = {0};
    hb_status st;
    HB_GOTO(hb_agree(job->base.group, describe(job, o, &described)));
    st = hb_output_dataset_open(&output->dataset, job->base.group, job->base.common, &request, &described);
done:
    /* Empty where the output has taken it over. */
    hb_resume_clear(&described);
    return st;
}

/* Where results are sanitized: finds or draws the root, once it is known which outputs an earlier job left, and derives
 * those of all outputs of this residue. Collective. */
static hb_status settle_roots(hb_eval_job *job)
{
    hb_eval_outputs *outputs = &job->outputs;
    bool resumed = false;
    if (outputs->sanitizing == NULL) {
        return HB_OK;
    }
    for (uint32_t o = 0; o < outputs->count; o++) {
        resumed = resumed || outputs->output[o].dataset.resumed;
    }
    HB_TRY(hb_kept_root_take(&outputs->root, job->base.group, outputs->output[0].path, resumed));
    HB_TRY(hb_kept_root_settle(&outputs->root, resumed));
    for (uint32_t o = 0; o < outputs->count; o++) {
        hb_seed *root = &outputs->sanitizing[o].root;
        char label[64];
        snprintf(label, sizeof label, "output %" PRIu32 " residue %" PRIu32, o, job->options.job.residue);
        hb_lock(root, sizeof *root);
        hb_seed_derive(root, &outputs->root.seed, label);
    }
    return HB_OK;
}

/* Returns the bytes of the engine's memory that inputs may be kept in: on a GPU three quarters of the memory that the
 * plan leaves, with all that stays for later jobs; on the host a quarter of the rank's share, as the system keeps files
 * in memory, too. */
static uint64_t spare_bytes(const hb_eval_job *job)
{
    const hb_plan *plan = &job->base.plan;
    if (job->base.device.gpu) {
        const hb_resident *resident = hb_resident_of(job->base.group);
        const uint64_t left = plan->device_limit > plan->device_bytes ? plan->device_limit - plan->device_bytes : 0,
                       most = left / 4 * 3, stays = resident != NULL ? resident->most : 0;
        return most > stays ? most - stays : 0;
    }
    const uint64_t share = hb_machine_memory_each((uint32_t)job->base.group->node_size) / 4;
    return share > plan->host_bytes ? share - plan->host_bytes : 0;
}

/* Finds the room for inputs that are kept, the same on all ranks, and adds their bytes to the plan. Members of a group
 * that shares limbs exchange as they check units, so they keep those of all steps or none: which worker comes first
 * differs among them. Collective. */
static hb_status find_room(hb_eval_job *job)
{
    const hb_session *session = &job->base.session;
    hb_plan *plan = &job->base.plan;
    const bool divided = session->exchange != NULL;
    uint64_t taken = UINT64_MAX - spare_bytes(job);
    HB_TRY(hb_agree(job->base.group, hb_group_max(job->base.group, &taken, 1)));
    job->kept_setting = (hb_kept_setting){.engine = session->engine,
                                          .params = session->params,
                                          .shape = &job->setting.shape,
                                          .program = &job->program,
                                          .steps = divided ? plan->units : plan->rank_units,
                                          .bytes = UINT64_MAX - taken,
                                          .all_or_none = divided};
    job->plan.kept_bytes = hb_kept_inputs_bytes(&job->kept_setting);
    *(job->base.device.gpu ? &plan->device_bytes : &plan->host_bytes) += job->plan.kept_bytes;
    return HB_OK;
}

static hb_status load_keys(hb_eval_job *job)
{
    const double begun = hb_now();
    hb_session *session = &job->base.session;
    if (job->plan.looks || job->key_files == NULL) {
        return HB_OK;
    }
    hb_progress progress; /* every rank loads all of them */
    hb_progress_begin(&progress, job->base.group, job->base.common, (hb_tally){"loaded", "key", 0},
                      job->key_files->reader.count);
    progress.alone = true;
    progress.work.started = begun;
    /* The threads are counted again: a rank that is bound to one core at first is not where it feeds a GPU. */
    HB_TRY(hb_key_files_load(job->key_files, &session->switch_keys, &session->resting, session,
                             hb_key_files_threads(job->base.group), &progress));
    session->switch_seconds += hb_now() - begun;
    job->plan.key_seconds = session->switch_seconds;
    return HB_OK;
}

hb_status hb_eval_job_open_outputs(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    hb_group *group = base->group;
    HB_TRY(begin_keys_of_limbs(job));
    /* Plain tables are read for it, so one rank does it. */
    HB_TRY(hb_agree(group, group->rank == 0 ? hb_eval_job_identify(job) : HB_OK));
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        HB_TRY(open_output(job, o));
    }
    HB_TRY(settle_roots(job));
    HB_TRY(hb_agree(group, hb_eval_plan_complete(job)));
    HB_TRY(find_room(job));
    return hb_agree(group, load_keys(job));
}
