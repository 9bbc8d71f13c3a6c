#include "keygen_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "batch/job/plan.h"
#include "batch/unit/work.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/stop.h"
#include "io/files/durable.h"
#include "keygen_private.h"
#include "ranks/unseal.h"
#include "rlwe/sparse_secret.h"
#include "scheme/quality.h"

static hb_status refuse_existing(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0) {
        return HB_FAIL(HB_ECREATE, "%s exists: a key is never overwritten; choose another --out", path);
    }
    return errno == ENOENT ? HB_OK : HB_FAIL(HB_ECREATE, "cannot create %s: %s", path, strerror(errno));
}

/* An existing key stays: it must belong to this pair and to its name. */
static hb_status check_there(const hb_keygen_job *job, const hb_keygen_key *key)
{
    hb_switch_key_label label;
    HB_TRY(hb_switch_key_file_look(key->path, &label));
    if (memcmp(label.key_id, job->session.key_id, sizeof label.key_id) != 0) {
        char own[2 * HB_KEY_ID_BYTES + 1];
        hb_hex(own, label.key_id, sizeof label.key_id);
        return HB_FAIL(HB_ECREATE, "%s exists and belongs to another key pair, %s: a key is never overwritten",
                       key->path, own);
    }
    return hb_key_name_same(label.name, key->name) ? HB_OK
                                                   : HB_FAIL(HB_ECREATE, "%s exists and holds another key, the %s",
                                                             key->path, hb_key_text_of(&label.spec, label.name).text);
}

/* One for a higher level does as well. */
static hb_status look_for_key(const hb_keygen_job *job, const hb_key_names *files, hb_keygen_key *key)
{
    for (uint32_t i = 0; i < files->count; i++) {
        if (hb_key_name_serves(files->name[i], key->name)) {
            key->name = files->name[i];
            key->there = true;
        }
    }
    HB_TRY(hb_switch_key_path(job->directory, key->name, &key->path));
    if (!key->there) {
        return HB_OK;
    }
    return job->options.output != NULL ? refuse_existing(key->path) : check_there(job, key);
}

static hb_status make_list(hb_keygen_job *job, uint32_t count)
{
    job->keys = calloc(count + (size_t)1, sizeof *job->keys);
    job->count = job->keys != NULL ? count : 0;
    return job->keys != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a list of %u keys", count);
}

/* The files of a directory that may not be there yet. */
static hb_status list_files(const char *directory, hb_key_names *files)
{
    struct stat status;
    *files = (hb_key_names){NULL, 0};
    return stat(directory, &status) == 0 && S_ISDIR(status.st_mode) ? hb_switch_key_list(directory, files) : HB_OK;
}

static hb_status choose_keys(hb_keygen_job *job)
{
    hb_key_names list = {NULL, 0}, files = {NULL, 0};
    hb_status st;
    HB_GOTO(hb_keygen_names(&list, &job->options.request, job->session.params));
    HB_GOTO(list_files(job->directory, &files));
    HB_GOTO(make_list(job, list.count));
    for (uint32_t i = 0; i < job->count; i++) {
        job->keys[i].name = list.name[i];
        HB_GOTO(look_for_key(job, &files, &job->keys[i]));
    }
done:
    free(files.name);
    free(list.name);
    return st;
}

/* Takes rank 0's list of keys. Collective. */
static hb_status share_keys(hb_keygen_job *job)
{
    hb_group *group = job->group;
    uint32_t count = job->count;
    HB_TRY(hb_agree(group, hb_group_broadcast(group, &count, sizeof count, 0)));
    HB_TRY(hb_agree(group, group->rank == 0 ? HB_OK : make_list(job, count)));
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < count; i++) {
        hb_keygen_key *key = &job->keys[i];
        st = st == HB_OK ? hb_group_broadcast(group, &key->name, sizeof key->name, 0) : st;
        st = st == HB_OK ? hb_group_broadcast(group, &key->there, sizeof key->there, 0) : st;
        if (st == HB_OK && key->path == NULL) {
            st = hb_switch_key_path(job->directory, key->name, &key->path);
        }
    }
    return hb_agree(group, st);
}

/* Whether the sparse secret, on which some keys depend, is known. */
static hb_status check_sparse(const hb_keygen_job *job)
{
    const bool known = job->options.output != NULL || job->root != NULL;
    for (uint32_t i = 0; i < job->count && !known; i++) {
        const hb_key_sort sort = job->keys[i].name.sort;
        if (!job->keys[i].there && (sort == HB_KEY_TO_SPARSE || sort == HB_KEY_FROM_SPARSE)) {
            return HB_FAIL(HB_EDATA, "%s does not hold what it was drawn from, from which the %s follows", job->secret,
                           hb_key_text_of(&job->session.params->spec, job->keys[i].name).text);
        }
    }
    return HB_OK;
}

static hb_status count_bytes(hb_keygen_job *job)
{
    enum { PAIR_OVERHEAD = 32 << 10 }; /* attributes of both files, at most */
    const hb_params *params = job->session.params;
    const uint64_t pair =
        params->spec.n + hb_packed_bytes(&params->ring, params->ids, params->key_limbs) + PAIR_OVERHEAD;
    job->output_bytes = job->options.output != NULL ? pair : 0;
    for (uint32_t i = 0; i < job->count; i++) {
        hb_keygen_key *key = &job->keys[i];
        const hb_key_purpose purpose = hb_key_purpose_of_name(&params->spec, key->name);
        key->bytes = hb_switch_key_file_bytes(&params->spec, key->name);
        job->device_bytes += hb_key_purpose_bytes(params, &purpose);
        job->output_bytes += key->there ? 0 : key->bytes;
        job->missing += !key->there;
    }
    return job->group->rank == 0 ? hb_plan_space(job->directory, job->output_bytes, &job->free_bytes) : HB_OK;
}

/* On rank 0, which decides the keys to make. */
static hb_status open_first(hb_keygen_job *job)
{
    if (job->options.output == NULL) {
        HB_TRY(hb_keygen_pair_open(job));
    } else {
        HB_TRY(hb_session_open_keyless(&job->session, job->options.spec));
        HB_TRY(hb_quality_require_fresh(job->session.params, true)); /* the secret key's have more bits left */
        HB_TRY(hb_keygen_pair_names(job));
    }
    HB_TRY(choose_keys(job));
    return check_sparse(job);
}

/* On the others. */
static hb_status open_other(hb_keygen_job *job)
{
    if (job->options.output == NULL) {
        return hb_keygen_pair_join(job);
    }
    HB_TRY(hb_session_open_keyless(&job->session, job->options.spec));
    HB_TRY(hb_path_with(job->options.output, "", &job->directory));
    return hb_path_with(job->options.output, "/" HB_KEYFILE_SECRET, &job->secret);
}

hb_status hb_keygen_job_open(hb_keygen_job *job, hb_group *group, const hb_common *common,
                             const hb_keygen_options *options)
{
    *job = (hb_keygen_job){.group = group, .common = common, .options = *options};
    HB_TRY(hb_agree(group, group->rank == 0 ? open_first(job) : HB_OK));
    HB_TRY(hb_agree(group, hb_group_broadcast(group, &job->adopted, sizeof job->adopted, 0)));
    HB_TRY(hb_agree(group, group->rank == 0 ? HB_OK : open_other(job)));
    if (options->output == NULL) {
        HB_TRY(hb_keygen_pair_unseal(job));
    }
    HB_TRY(share_keys(job));
    HB_TRY(hb_agree(group, count_bytes(job)));
    const uint32_t ranks = (uint32_t)group->size, most = (job->missing + ranks - 1) / ranks;
    const hb_work work = hb_work_keygen(job->session.params, most);
    HB_TRY(hb_device_choose(&job->device, group, &options->device, &work));
    return hb_session_start(&job->session, group, &job->device, NULL, NULL);
}

void hb_keygen_job_close(hb_keygen_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        hb_pending_drop(&job->keys[i].file);
        free(job->keys[i].path);
    }
    if (job->adopted) { /* by rank 0: nothing is pending on the others */
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

/* Generates a key, with the sparse secret if that takes part in it. */
static hb_status generate(const hb_keygen_job *job, hb_switch_key *key, const hb_key_purpose *purpose,
                          const hb_seed *own, const hb_switch_key_file *file, const hb_seed *pair_root)
{
    const hb_secret_key *secret = &job->session.secret;
    hb_key_purpose whole = *purpose;
    hb_secret_key sparse = {.engine = NULL};
    hb_status st;
    if (purpose->source == HB_TO_SPARSE || purpose->source == HB_FROM_SPARSE) {
        HB_GOTO(hb_sparse_secret_open(&sparse, secret->engine, secret->params, pair_root));
        whole.other = &sparse;
    }
    st = hb_switch_key_generate_for(key, secret, &whole, own, file->seeds);
done:
    hb_secret_key_clear(&sparse);
    return st;
}

/* Whole, but without its name. */
static hb_status make_key(const hb_keygen_job *job, hb_keygen_key *key, const hb_seed *root, const hb_seed *pair_root)
{
    const hb_params *params = job->session.params;
    const hb_key_purpose purpose = hb_key_purpose_of_name(&params->spec, key->name);
    hb_switch_key_file file = {.parts = 0};
    hb_switch_key made = {0};
    hb_seed own;
    hb_status st;
    hb_key_purpose_root(&own, root, &purpose);
    HB_GOTO(hb_stop_check());
    HB_GOTO(hb_switch_key_file_init(&file, &params->spec, key->name, true));
    memcpy(file.key_id, job->session.key_id, sizeof file.key_id);
    hb_seed_public(file.seeds, file.parts, &own, 0);
    HB_GOTO(generate(job, &made, &purpose, &own, &file, pair_root));
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

/* Ends this rank's key after a turn of ranks. */
typedef hb_status (*key_end)(hb_keygen_key *key);

/* There may be more than files that a process can have open. */
static hb_status park_key(hb_keygen_key *key)
{
    hb_pending_park(&key->file);
    return HB_OK;
}

/* Each rank knows how many keys all have made, as they take turns. */
static hb_progress begin_progress(const hb_keygen_job *job)
{
    hb_progress progress;
    hb_progress_begin(&progress, job->group, job->common, (hb_tally){"made", "key", 0}, job->missing);
    progress.alone = true;
    progress.work.started = progress.started;
    for (uint32_t i = 0; i < job->count; i++) {
        progress.work.own += job->keys[i].there ? 0 : job->keys[i].bytes;
    }
    return progress;
}

/* Each rank makes the key whose turn is its own, as long as there are any; a failure of one ends all after that turn.
 * Collective. */
static hb_status make_keys(hb_keygen_job *job, const hb_seed *root, const hb_seed *pair_root, key_end end)
{
    hb_group *group = job->group;
    const double begin = hb_now();
    hb_progress progress = begin_progress(job);
    uint64_t bytes = 0;
    uint32_t turn = 0;
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < job->count; i++) {
        hb_keygen_key *key = &job->keys[i];
        if (key->there) {
            continue;
        }
        if (turn % (uint32_t)group->size == (uint32_t)group->rank) {
            st = make_key(job, key, root, pair_root);
            st = st == HB_OK ? end(key) : st;
        }
        turn++;
        bytes += key->bytes;
        if (turn % (uint32_t)group->size == 0 || turn == job->missing) {
            HB_TRY(hb_agree(group, st));
            hb_progress_set(&progress, turn, bytes);
        }
    }
    job->seconds = hb_now() - begin;
    return HB_OK;
}

static hb_status commit_public(hb_keygen_job *job)
{
    HB_TRY(hb_stop_check());
    HB_TRY(hb_pending_commit(&job->public_file));
    job->public_made = true;
    return HB_OK;
}

static hb_status name_keys(hb_keygen_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        if (job->keys[i].file.path != NULL) {
            HB_TRY(name_key(&job->keys[i]));
        }
    }
    return HB_OK;
}

static hb_status commit_secret(hb_keygen_job *job)
{
    HB_TRY(hb_pending_commit(&job->secret_file));
    job->secret_made = true;
    return HB_OK;
}

/* Ranks may see other folders under the same name. Collective. */
static hb_status check_same_pair(hb_keygen_job *job)
{
    uint8_t digest[HB_DIGEST_BYTES] = {0};
    memcpy(digest, job->session.key_id, sizeof job->session.key_id);
    return hb_group_same(job->group, digest, "the secret key");
}

/* The secret key last: while it lacks its name, there is no pair; when it has it, all that was asked for is there.
 * Keys are drawn from the root of the pair, which the other ranks find in its file. Collective. */
static hb_status make_all(hb_keygen_job *job, hb_seed *root)
{
    hb_group *group = job->group;
    const bool first = group->rank == 0;
    if (job->options.seal) {
        HB_TRY(hb_agree(group, first ? hb_seal_begin(job->secret, NULL, job->options.cost) : HB_OK));
        HB_TRY(hb_seal_share(group));
    }
    HB_TRY(hb_agree(group, first ? hb_keygen_pair_prepare(job, root) : HB_OK));
    if (job->missing > 0) {
        HB_TRY(hb_agree(group, first ? HB_OK : hb_keygen_pair_take(job, root)));
        HB_TRY(check_same_pair(job));
        HB_TRY(make_keys(job, root, root, park_key));
    }
    HB_TRY(hb_agree(group, first ? commit_public(job) : HB_OK));
    HB_TRY(hb_agree(group, name_keys(job)));
    return hb_agree(group, first ? commit_secret(job) : HB_OK);
}

/* Each key has its name as soon as it is whole: it serves without the others. Each rank has a root of its own, but in
 * tests. Collective. */
static hb_status make_missing(hb_keygen_job *job, const hb_seed *root)
{
    HB_TRY(check_same_pair(job));
    HB_TRY(hb_agree(job->group, job->group->rank == 0 ? hb_keygen_pair_complete(job) : HB_OK));
    return make_keys(job, root, job->root != NULL ? &job->root->seed : NULL, name_key);
}

/* The secret key first, for the order in which they got their names. The reason of the failure stays the one that is
 * told. A pair that was completed stays complete. Collective. */
static void undo(hb_keygen_job *job)
{
    const hb_error why = *hb_last_error();
    if (job->options.output != NULL && job->secret_made) {
        unlink(job->secret);
    }
    (void)hb_agree(job->group, HB_OK);
    for (uint32_t i = 0; i < job->count; i++) {
        if (job->keys[i].made) {
            unlink(job->keys[i].path);
            job->keys[i].made = false;
        }
    }
    (void)hb_agree(job->group, HB_OK);
    if (job->options.output != NULL && job->public_made) {
        unlink(job->public);
    }
    job->public_made = job->secret_made = false;
    hb_set_error(&why);
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
