#include "keygen_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch/plan.h"
#include "batch/work.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/stop.h"
#include "io/base/durable.h"
#include "keygen_private.h"
#include "scheme/quality.h"

static hb_status refuse_existing(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0) {
        return HB_FAIL(HB_ECREATE, "%s exists: a key is never overwritten; choose another --out", path);
    }
    return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "cannot create %s: %s", path, strerror(errno));
}

/* A key that is there stays: it must be one of this pair, and what its name says. */
static hb_status look_for_key(const hb_keygen_job *job, hb_keygen_key *key)
{
    struct stat status;
    if (lstat(key->path, &status) != 0) {
        return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "cannot create %s: %s", key->path, strerror(errno));
    }
    if (job->options.output != NULL) {
        return refuse_existing(key->path);
    }
    hb_switch_key_label label;
    HB_TRY(hb_switch_key_file_look(key->path, &label));
    if (memcmp(label.key_id, job->session.key_id, sizeof label.key_id) != 0) {
        char own[2 * HB_KEY_ID_BYTES + 1];
        hb_hex(own, label.key_id, sizeof label.key_id);
        return HB_FAIL(HB_ECREATE, "%s exists and belongs to another key pair, %s: a key is never overwritten",
                       key->path, own);
    }
    if (label.element != key->element) {
        return HB_FAIL(HB_ECREATE, "%s exists and holds another key, the %s", key->path,
                       hb_key_text_of(&label.spec, label.element).text);
    }
    key->there = true;
    return HB_OK;
}

static hb_status choose_keys(hb_keygen_job *job)
{
    hb_elements list = {NULL, 0};
    hb_status st;
    HB_GOTO(hb_keygen_elements(&list, &job->options.request, job->session.params));
    job->keys = calloc(list.count + (size_t)1, sizeof *job->keys);
    if (job->keys == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for a list of %u keys", list.count));
    }
    for (; job->count < list.count; job->count++) {
        job->keys[job->count].element = list.element[job->count];
    }
    for (uint32_t i = 0; i < job->count; i++) {
        hb_keygen_key *key = &job->keys[i];
        HB_GOTO(hb_switch_key_path(job->directory, key->element, &key->path));
        HB_GOTO(look_for_key(job, key));
        job->missing += !key->there;
    }
done:
    free(list.element);
    return st;
}

static hb_status check_space(hb_keygen_job *job)
{
    enum { PAIR_OVERHEAD = 32 << 10 }; /* attributes of both files, at most */
    const hb_params *params = job->session.params;
    const uint64_t pair =
        params->spec.n + hb_packed_bytes(&params->ring, params->ids, params->key_limbs) + PAIR_OVERHEAD;
    job->key_bytes = job->count > 0 ? hb_switch_key_file_bytes(&params->spec) : 0;
    job->output_bytes = job->missing * job->key_bytes + (job->options.output != NULL ? pair : 0);
    return hb_plan_space(job->directory, job->output_bytes, &job->free_bytes);
}

hb_status hb_keygen_job_open(hb_keygen_job *job, hb_group *group, const hb_common *common,
                             const hb_keygen_options *options)
{
    *job = (hb_keygen_job){.group = group, .common = common, .options = *options};
    if (options->output == NULL) {
        HB_TRY(hb_keygen_pair_open(job));
    } else {
        HB_TRY(hb_session_open_keyless(&job->session, options->spec));
        HB_TRY(hb_quality_require_fresh(job->session.params, true)); /* the secret key's have more bits left */
        HB_TRY(hb_keygen_pair_names(job));
    }
    HB_TRY(choose_keys(job));
    HB_TRY(check_space(job));
    const hb_work work = hb_work_keygen(job->session.params, job->missing);
    HB_TRY(hb_device_choose(&job->device, group, &options->device, &work));
    return hb_session_start(&job->session, group, &job->device, NULL, NULL);
}

void hb_keygen_job_close(hb_keygen_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        hb_pending_drop(&job->keys[i].file);
        free(job->keys[i].path);
    }
    if (job->adopted) {
        hb_pending_leave(&job->secret_file);
    } else {
        hb_pending_drop(&job->secret_file);
    }
    hb_pending_drop(&job->public_file);
    if (job->root != NULL) {
        hb_wipe(job->root, sizeof *job->root);
    }
    free(job->root);
    free(job->keys);
    free(job->public);
    free(job->secret);
    free(job->directory);
    hb_session_close(&job->session);
    memset(job, 0, sizeof *job);
}

/* Whole, but without its name. */
static hb_status make_key(const hb_keygen_job *job, hb_keygen_key *key, const hb_seed *root)
{
    const hb_params *params = job->session.params;
    hb_switch_key_file file = {.parts = 0};
    hb_switch_key made = {0};
    hb_seed own;
    hb_status st;
    hb_switch_key_root(&own, root, &params->spec, key->element);
    HB_GOTO(hb_stop_check());
    HB_GOTO(hb_switch_key_file_init(&file, &params->spec, key->element, true));
    memcpy(file.key_id, job->session.key_id, sizeof file.key_id);
    hb_seed_public(file.seeds, file.parts, &own, 0);
    HB_GOTO(hb_switch_key_generate(&made, &job->session.secret, key->element, &own, file.seeds));
    HB_GOTO(hb_switch_key_pack(&made, file.b, NULL));
    st = hb_switch_key_file_prepare(key->path, &file, &key->file);
done:
    hb_wipe(&own, sizeof own);
    hb_switch_key_clear(&made);
    hb_switch_key_file_clear(&file);
    return st;
}

static hb_status name_key(hb_keygen_key *key)
{
    HB_TRY(hb_pending_commit(&key->file));
    key->made = true;
    return HB_OK;
}

/* The secret key last: while it lacks its name, there is no pair; when it has it, all that was asked for is there. */
static hb_status make_all(hb_keygen_job *job, const hb_seed *root)
{
    HB_TRY(hb_keygen_pair_prepare(job, root));
    for (uint32_t i = 0; i < job->count; i++) {
        HB_TRY(make_key(job, &job->keys[i], root));
        hb_pending_park(&job->keys[i].file); /* there may be more than files that a process can have open */
    }
    HB_TRY(hb_stop_check());
    HB_TRY(hb_pending_commit(&job->public_file));
    job->public_made = true;
    for (uint32_t i = 0; i < job->count; i++) {
        HB_TRY(name_key(&job->keys[i]));
    }
    HB_TRY(hb_pending_commit(&job->secret_file));
    job->secret_made = true;
    return HB_OK;
}

/* Each key has its name as soon as it is whole: it serves without the others. */
static hb_status make_missing(hb_keygen_job *job, const hb_seed *root)
{
    HB_TRY(hb_keygen_pair_complete(job));
    for (uint32_t i = 0; i < job->count; i++) {
        if (!job->keys[i].there) {
            HB_TRY(make_key(job, &job->keys[i], root));
            HB_TRY(name_key(&job->keys[i]));
        }
    }
    return HB_OK;
}

/* The secret key first, for the order in which they got their names. The reason of the failure stays the one that is
 * told. A pair that was completed stays complete. */
static void undo(hb_keygen_job *job)
{
    if (job->options.output != NULL && job->secret_made) {
        unlink(job->secret);
    }
    for (uint32_t i = 0; i < job->count; i++) {
        if (job->keys[i].made) {
            unlink(job->keys[i].path);
            job->keys[i].made = false;
        }
    }
    if (job->options.output != NULL && job->public_made) {
        unlink(job->public);
    }
    job->public_made = job->secret_made = false;
}

hb_status hb_keygen_job_run(hb_keygen_job *job)
{
    hb_seed root;
    hb_lock(&root, sizeof root);
    if (job->options.root != NULL) {
        root = *job->options.root;
    } else {
        hb_seed_random(&root);
    }
    hb_stop_catch();
    const hb_status st = job->options.output != NULL ? make_all(job, &root) : make_missing(job, &root);
    hb_wipe(&root, sizeof root);
    if (st != HB_OK) {
        undo(job);
    }
    return st;
}
