#include "keygen_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console.h"
#include "durable.h"
#include "hex.h"
#include "plan.h"
#include "stop.h"

static hb_status refuse_existing(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0) {
        return HB_FAIL(HB_ECREATE, "%s exists: a key is never overwritten; choose another --out", path);
    }
    return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "cannot create %s: %s", path, strerror(errno));
}

static hb_status choose_paths(hb_keygen_job *job)
{
    const hb_keygen_options *options = &job->options;
    if (options->output == NULL) {
        return hb_folder_of(options->secret, &job->directory);
    }
    HB_TRY(hb_path_with(options->output, "", &job->directory));
    HB_TRY(hb_path_with(options->output, "/" HB_KEYFILE_SECRET, &job->secret));
    HB_TRY(hb_path_with(options->output, "/" HB_KEYFILE_PUBLIC, &job->public));
    if (access(job->secret, F_OK) == 0) {
        return HB_FAIL(HB_ECREATE,
                       "%s exists: a key is never overwritten; --key %s instead of --out adds keys to that pair, "
                       "another --out makes a new one",
                       job->secret, job->secret);
    }
    HB_TRY(refuse_existing(job->secret));
    return refuse_existing(job->public);
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
                       hb_key_text_of(label.spec.n, label.element).text);
    }
    key->there = true;
    return HB_OK;
}

static hb_status choose_keys(hb_keygen_job *job)
{
    hb_elements list = {NULL, 0};
    hb_status st;
    HB_GOTO(hb_keygen_elements(&list, &job->options.wants, job->session.params));
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
    if (options->output != NULL) {
        HB_TRY(hb_session_open_keyless(&job->session, options->spec));
    } else {
        HB_TRY(hb_session_open(&job->session, options->secret));
        if (job->session.kind != HB_KEY_SECRET) {
            return HB_FAIL(HB_EDATA, "%s is a public key: keys for computing are made with the secret one",
                           options->secret);
        }
    }
    HB_TRY(choose_paths(job));
    HB_TRY(choose_keys(job));
    HB_TRY(check_space(job));
    const hb_work work = hb_work_keygen(job->session.params, job->missing);
    HB_TRY(hb_device_choose(&job->device, group, &options->device, &work));
    return hb_session_start(&job->session, group, &job->device, NULL, NULL);
}

void hb_keygen_job_close(hb_keygen_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        free(job->keys[i].path);
    }
    free(job->keys);
    free(job->public);
    free(job->secret);
    free(job->directory);
    hb_session_close(&job->session);
    memset(job, 0, sizeof *job);
}

/* Draws the pair of `root` into the contents of its two files, and leaves the secret in the session. */
static hb_status make_pair(hb_session *session, const hb_seed *root, hb_keyfile *secret_file, hb_keyfile *public_file)
{
    const hb_params *params = session->params;
    hb_engine *engine = session->engine;
    *secret_file = (hb_keyfile){.kind = HB_KEY_SECRET, .spec = params->spec, .ternary = malloc(params->spec.n)};
    *public_file = (hb_keyfile){.kind = HB_KEY_PUBLIC, .spec = params->spec};
    public_file->packed_bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    public_file->packed_b = malloc(public_file->packed_bytes);
    if (secret_file->ternary == NULL || public_file->packed_b == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a key of N = %zu", params->spec.n);
    }
    HB_TRY(hb_secret_draw(engine, params, root, secret_file->ternary));
    hb_seed_public(&public_file->public_seed, 1, root, 0);
    HB_TRY(hb_secret_key_load(&session->secret, engine, params, secret_file->ternary));
    HB_TRY(hb_public_key_generate(&session->public_key, &session->secret, root, &public_file->public_seed));
    HB_TRY(hb_public_key_pack(&session->public_key, public_file->packed_b, NULL));
    hb_key_id(public_file->key_id, params, &public_file->public_seed, public_file->packed_b, NULL);
    memcpy(secret_file->key_id, public_file->key_id, HB_KEY_ID_BYTES);
    memcpy(session->key_id, public_file->key_id, HB_KEY_ID_BYTES);
    return HB_OK;
}

static hb_status write_pair(hb_keygen_job *job, const hb_seed *root)
{
    if (mkdir(job->directory, 0700) != 0 && errno != EEXIST) {
        return HB_FAIL(HB_ECREATE, "cannot create the directory %s: %s", job->directory, strerror(errno));
    }
    hb_keyfile secret_file = {0}, public_file = {0};
    hb_status st;
    HB_GOTO(make_pair(&job->session, root, &secret_file, &public_file));
    HB_GOTO(hb_keyfile_write(job->secret, &secret_file));
    job->secret_made = true;
    HB_GOTO(hb_keyfile_write(job->public, &public_file));
    job->public_made = true;
done:
    hb_keyfile_clear(&public_file);
    hb_keyfile_clear(&secret_file);
    return st;
}

static hb_status write_key(const hb_keygen_job *job, hb_keygen_key *key, const hb_seed *root)
{
    const hb_params *params = job->session.params;
    hb_switch_key_file file = {.parts = 0};
    hb_switch_key made = {0};
    hb_seed own;
    hb_status st;
    hb_switch_key_root(&own, root, key->element);
    HB_GOTO(hb_stop_check());
    HB_GOTO(hb_switch_key_file_init(&file, &params->spec, key->element, true));
    memcpy(file.key_id, job->session.key_id, sizeof file.key_id);
    hb_seed_public(file.seeds, file.parts, &own, 0);
    HB_GOTO(hb_switch_key_generate(&made, &job->session.secret, key->element, &own, file.seeds));
    HB_GOTO(hb_switch_key_pack(&made, file.b, NULL));
    HB_GOTO(hb_switch_key_file_write(key->path, &file));
    key->made = true;
done:
    hb_wipe(&own, sizeof own);
    hb_switch_key_clear(&made);
    hb_switch_key_file_clear(&file);
    return st;
}

/* The reason of the failure stays the one that is told. */
static void undo(hb_keygen_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        if (job->keys[i].made) {
            unlink(job->keys[i].path);
            job->keys[i].made = false;
        }
    }
    if (job->public_made) {
        unlink(job->public);
    }
    if (job->secret_made) {
        unlink(job->secret);
    }
    job->public_made = job->secret_made = false;
}

hb_status hb_keygen_job_run(hb_keygen_job *job)
{
    hb_seed root;
    hb_status st = HB_OK;
    if (job->options.root != NULL) {
        root = *job->options.root;
    } else {
        hb_seed_random(&root);
    }
    hb_stop_catch();
    if (job->options.output != NULL) {
        HB_GOTO(write_pair(job, &root));
    }
    for (uint32_t i = 0; i < job->count; i++) {
        if (!job->keys[i].there) {
            HB_GOTO(write_key(job, &job->keys[i], &root));
        }
    }
done:
    hb_wipe(&root, sizeof root);
    if (st != HB_OK) {
        undo(job);
    }
    return st;
}
