#include "keygen_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "ranks/unseal.h"
#include "scheme/params.h"

static hb_status refuse_secret(const hb_keygen_job *job)
{
    return HB_FAIL(HB_ECREATE,
                   "%s exists: a key is never overwritten; --key %s instead of --out adds keys to that pair, another "
                   "--out makes a new one",
                   job->secret, job->secret);
}

/* A public key without its secret one: the rest of a killed run, or a copy for users who encrypt. */
static hb_status refuse_public(const hb_keygen_job *job)
{
    bool left;
    char *partial;
    HB_TRY(hb_path_with(job->secret, ".partial", &partial));
    const hb_status st = hb_path_is_there(partial, &left);
    free(partial);
    HB_TRY(st);
    if (left) {
        return HB_FAIL(HB_ECREATE,
                       "%s exists, of a pair whose making was cut short: hebatch keygen --key %s completes it, another "
                       "--out makes a new one",
                       job->public, job->secret);
    }
    return HB_FAIL(HB_ECREATE,
                   "%s exists, and its secret key is not beside it: a key is never overwritten; choose another --out",
                   job->public);
}

hb_status hb_keygen_pair_names(hb_keygen_job *job)
{
    bool secret, public;
    const char *output = job->options.output;
    HB_TRY(hb_path_with(output, "", &job->directory));
    HB_TRY(hb_path_with(output, "/" HB_KEYFILE_SECRET, &job->secret));
    HB_TRY(hb_path_with(output, "/" HB_KEYFILE_PUBLIC, &job->public));
    if (hb_path_is_there(job->secret, &secret) != HB_OK || hb_path_is_there(job->public, &public) != HB_OK) {
        return HB_FAIL(HB_ECREATE, "%s", hb_last_error()->text);
    }
    if (secret) {
        return refuse_secret(job);
    }
    return public ? refuse_public(job) : HB_OK;
}

/* The secret key that an unfinished run left, if the public key of its pair has its name already: it is whole then. */
static hb_status adopt(hb_keygen_job *job)
{
    bool secret, public;
    HB_TRY(hb_path_is_there(job->secret, &secret));
    HB_TRY(hb_path_is_there(job->public, &public));
    return secret || !public ? HB_OK : hb_pending_adopt(&job->secret_file, job->secret, &job->adopted);
}

static hb_status check_adopted(const hb_keygen_job *job)
{
    hb_keyfile public = {0};
    HB_TRY(hb_keyfile_read(job->public, &public));
    const bool same = memcmp(public.key_id, job->session.key_id, HB_KEY_ID_BYTES) == 0;
    hb_keyfile_clear(&public);
    if (same) {
        return HB_OK;
    }
    return HB_FAIL(HB_ENOINPUT, "%s: is not there, and %s, which an unfinished run left, is of another pair than %s",
                   job->secret, job->secret_file.partial, job->public);
}

/* By its name: who keeps a secret key under another one, or away from the rest, wants no public key beside it. */
static hb_status look_for_public(hb_keygen_job *job)
{
    const char *slash = strrchr(job->secret, '/');
    bool there;
    if (strcmp(slash != NULL ? slash + 1 : job->secret, HB_KEYFILE_SECRET) != 0) {
        return HB_OK;
    }
    HB_TRY(hb_path_is_there(job->public, &there));
    job->public_missing = !there;
    return HB_OK;
}

static hb_status check_request(const hb_keygen_job *job)
{
    const hb_keygen_request *request = &job->options.request;
    if (request->relin || request->swap || request->conj || request->bootstrap || request->rotations != NULL ||
        request->expression != NULL || job->adopted) {
        return HB_OK;
    }
    if (!job->public_missing) {
        return HB_FAIL(HB_EUSAGE,
                       "with --key say what to make: --relin, --rotations, --swap, --conj, --bootstrap or --for");
    }
    if (job->root != NULL) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA,
                   "%s is missing, and %s does not hold what it was drawn from, as keys of other programs and of older "
                   "releases do not: take it from a copy",
                   job->public, job->secret);
}

static hb_status name_pair(hb_keygen_job *job)
{
    HB_TRY(hb_folder_of(job->options.secret, &job->directory));
    HB_TRY(hb_path_with(job->options.secret, "", &job->secret));
    return hb_path_with(job->directory, "/" HB_KEYFILE_PUBLIC, &job->public);
}

static hb_status read_secret(hb_keygen_job *job, const char *path)
{
    HB_TRY(hb_session_open(&job->session, path));
    if (job->session.kind != HB_KEY_SECRET) {
        return HB_FAIL(HB_EDATA, "%s is a public key: keys for computing are made with the secret one",
                       job->options.secret);
    }
    return HB_OK;
}

static void take_root(hb_keygen_job *job)
{
    job->root = job->session.file.root;
    job->session.file.root = NULL;
}

hb_status hb_keygen_pair_join(hb_keygen_job *job)
{
    char *partial;
    HB_TRY(name_pair(job));
    HB_TRY(hb_path_with(job->secret, ".partial", &partial));
    const hb_status st = read_secret(job, job->adopted ? partial : job->secret);
    free(partial);
    return st;
}

hb_status hb_keygen_pair_unseal(hb_keygen_job *job)
{
    HB_TRY(hb_unseal_all(job->group, &job->session.file, job->secret));
    if (job->group->rank != 0) {
        take_root(job);
    }
    return HB_OK;
}

hb_status hb_keygen_pair_open(hb_keygen_job *job)
{
    HB_TRY(name_pair(job));
    HB_TRY(adopt(job));
    HB_TRY(read_secret(job, job->adopted ? job->secret_file.partial : job->options.secret));
    HB_TRY(hb_unseal(&job->session.file, job->secret));
    take_root(job);
    if (job->adopted) {
        HB_TRY(check_adopted(job));
    }
    HB_TRY(look_for_public(job));
    HB_TRY(check_request(job));
    job->public_missing = job->public_missing && job->root != NULL;
    return HB_OK;
}

/* The public key of the session's secret key, drawn from `root`, as a file; and its identity. */
static hb_status make_public(hb_session *session, const hb_seed *root, hb_keyfile *file)
{
    const hb_params *params = session->params;
    *file = (hb_keyfile){.kind = HB_KEY_PUBLIC, .spec = params->spec};
    file->packed_bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    file->packed_b = malloc(file->packed_bytes);
    if (file->packed_b == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a key of N = %zu", params->spec.n);
    }
    hb_seed_public(&file->public_seed, 1, root, 0);
    HB_TRY(hb_public_key_generate(&session->public_key, &session->secret, root, &file->public_seed));
    HB_TRY(hb_public_key_pack(&session->public_key, file->packed_b, NULL));
    hb_key_id(file->key_id, params, &file->public_seed, file->packed_b, NULL);
    return HB_OK;
}

/* Draws the secret key of `root` into its file, and leaves it in the session. */
static hb_status make_secret(hb_session *session, const hb_seed *root, hb_keyfile *file)
{
    const hb_params *params = session->params;
    *file = (hb_keyfile){.kind = HB_KEY_SECRET, .spec = params->spec, .ternary = malloc(params->spec.n)};
    if (file->ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a key of N = %zu", params->spec.n);
    }
    hb_lock(file->ternary, params->spec.n);
    HB_TRY(hb_secret_draw(session->engine, params, root, file->ternary));
    return hb_secret_key_load(&session->secret, session->engine, params, file->ternary);
}

hb_status hb_keygen_pair_prepare(hb_keygen_job *job, const hb_seed *root)
{
    if (mkdir(job->directory, 0700) != 0 && errno != EEXIST) {
        return HB_FAIL(HB_ECREATE, "cannot create the directory %s: %s", job->directory, strerror(errno));
    }
    hb_keyfile secret = {0}, public = {0};
    hb_status st;
    HB_GOTO(make_secret(&job->session, root, &secret));
    HB_GOTO(make_public(&job->session, root, &public));
    memcpy(secret.key_id, public.key_id, HB_KEY_ID_BYTES);
    memcpy(job->session.key_id, public.key_id, HB_KEY_ID_BYTES);
    HB_GOTO(hb_keyfile_set_root(&secret, root));
    HB_GOTO(job->options.seal ? hb_seal(&secret) : HB_OK);
    HB_GOTO(hb_keyfile_prepare(job->secret, &secret, &job->secret_file)); /* its lock keeps other runs away ... */
    HB_GOTO(hb_key_folder_sweep(job->directory));                         /* ... so remains here have no owner */
    st = hb_keyfile_prepare(job->public, &public, &job->public_file);
done:
    hb_keyfile_clear(&public);
    hb_keyfile_clear(&secret);
    return st;
}

hb_status hb_keygen_pair_take(hb_keygen_job *job, hb_seed *root)
{
    hb_session *session = &job->session;
    hb_keyfile secret = {0};
    char *partial;
    hb_status st;
    HB_TRY(hb_path_with(job->secret, ".partial", &partial));
    HB_GOTO(hb_keyfile_read(partial, &secret));
    HB_GOTO(hb_unseal_known(&secret, partial));
    if (secret.kind != HB_KEY_SECRET || secret.root == NULL || !hb_params_same(&secret.spec, &session->params->spec)) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: is not the secret key that rank 0 wrote", partial));
    }
    *root = secret.root->seed;
    memcpy(session->key_id, secret.key_id, HB_KEY_ID_BYTES);
    st = hb_secret_key_load(&session->secret, session->engine, session->params, secret.ternary);
done:
    hb_keyfile_clear(&secret);
    free(partial);
    return st;
}

hb_status hb_keygen_pair_complete(hb_keygen_job *job)
{
    hb_keyfile public = {0};
    hb_status st = HB_OK;
    if (job->adopted) {
        HB_GOTO(hb_pending_commit(&job->secret_file));
        job->secret_made = true;
    }
    HB_GOTO(hb_key_folder_sweep(job->directory));
    if (job->public_missing) {
        HB_GOTO(make_public(&job->session, &job->root->seed, &public));
        if (memcmp(public.key_id, job->session.key_id, HB_KEY_ID_BYTES) != 0) {
            HB_GOTO(HB_FAIL(HB_EDATA, "%s: its seed gives another pair: it is damaged", job->secret));
        }
        HB_GOTO(hb_keyfile_write(job->public, &public));
        job->public_made = true;
    }
done:
    hb_keyfile_clear(&public);
    return st;
}
