#include "rekey_keygen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/job/plan.h"
#include "batch/unit/work.h"
#include "cli/parse.h"
#include "cli/stop.h"
#include "io/files/durable.h"
#include "ranks/unseal.h"
#include "scheme/params.h"
#include "scheme/ring_switch.h"

static const char *new_key(const hb_rekey_keygen *job)
{
    return job->options.to != NULL ? job->options.to : job->options.key;
}

/* On every rank. */
static hb_status open_new(hb_rekey_keygen *job)
{
    HB_TRY(hb_session_open(&job->session, new_key(job)));
    if (job->options.to != NULL && job->session.kind != HB_KEY_PUBLIC) {
        return HB_FAIL(HB_EDATA,
                       "%s is a secret key: --to takes the public key of another person; for a pair of your own give "
                       "--key %s",
                       job->options.to, job->options.to);
    }
    if (job->options.key != NULL && job->session.kind != HB_KEY_SECRET) {
        return HB_FAIL(HB_EDATA, "%s is a public key: --to %s makes a key to another person's pair", job->options.key,
                       job->options.key);
    }
    return hb_params_require_switching(job->session.params);
}

/* Whether the old pair is of a smaller ring; for another person there is no such key. */
static bool from_smaller(const hb_rekey_keygen *job)
{
    return job->options.to == NULL && hb_ring_switch_fits(job->session.params, &job->old.spec);
}

/* The key's purpose, but for its secret. In a chain with bootstrapping the level of the data is below the highest. */
static hb_key_purpose purpose_of(const hb_rekey_keygen *job)
{
    return from_smaller(job)
               ? hb_ring_switch_purpose(&job->old.spec)
               : (hb_key_purpose){.limbs = hb_params_fresh_limbs(job->session.params), .source = HB_FROM_SECRET};
}

static hb_status read_old(hb_rekey_keygen *job)
{
    const hb_session *session = &job->session;
    const char *from = job->options.from;
    HB_TRY(hb_keyfile_read(from, &job->old));
    if (job->old.kind != HB_KEY_SECRET) {
        return HB_FAIL(HB_EDATA, "%s is a public key: a rekeying key is made with the old secret", from);
    }
    if (!hb_params_same(&job->old.spec, &session->params->spec) && !from_smaller(job)) {
        return HB_FAIL(HB_ECONFIG,
                       "%s and %s have other parameters: ciphertexts move between pairs of the same ones, or from a "
                       "pair that keygen --ring made",
                       from, new_key(job));
    }
    return memcmp(job->old.key_id, session->key_id, HB_KEY_ID_BYTES) != 0
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "%s and %s are one pair: there is nothing to move", from, new_key(job));
}

static void describe(hb_rekey_keygen *job)
{
    const hb_params *params = job->session.params;
    const hb_key_purpose purpose = purpose_of(job);
    job->name = hb_key_name_of(&params->spec, &purpose);
    memcpy(job->facts.from, job->old.key_id, sizeof job->facts.from);
    job->facts.another = job->options.to != NULL;
    job->facts.error = hb_rekey_error(&params->spec, job->facts.another, hb_spec_owners(&params->spec));
    job->bytes = hb_switch_key_file_bytes(&params->spec, job->name) * (job->facts.another ? 2 : 1);
}

/* Finds the path, which must be free. */
static hb_status name_file(hb_rekey_keygen *job)
{
    char name[HB_REKEY_NAME], suffix[HB_REKEY_NAME + 1];
    uint64_t free_bytes;
    bool there;
    hb_rekey_name(name, job->facts.from, job->session.key_id);
    snprintf(suffix, sizeof suffix, "/%s", name);
    HB_TRY(hb_path_with(job->options.directory, suffix, &job->path));
    HB_TRY(hb_path_is_there(job->path, &there));
    if (there) {
        return HB_FAIL(HB_ECREATE, "%s exists: a key is never overwritten; it serves, or choose another --out",
                       job->path);
    }
    return hb_plan_space(job->options.directory, job->bytes, &free_bytes);
}

/* On rank 0. */
static hb_status open_first(hb_rekey_keygen *job)
{
    HB_TRY(read_old(job));
    describe(job);
    return name_file(job);
}

/* Draws the key. Two keys from different secrets never have one root. */
static hb_status generate(const hb_rekey_keygen *job, const hb_secret_key *from, hb_switch_key *key,
                          hb_switch_key_file *file)
{
    const hb_session *session = &job->session;
    hb_key_purpose purpose = purpose_of(job);
    char label[2 * HB_KEY_ID_BYTES + 16] = "rekey ";
    hb_seed root, own;
    hb_lock(&root, sizeof root);
    hb_lock(&own, sizeof own);
    hb_hex(label + strlen(label), job->facts.from, HB_KEY_ID_BYTES);
    hb_seed_random(&root);
    hb_seed_derive(&own, job->options.root != NULL ? job->options.root : &root, label);
    hb_key_purpose_root(&root, &own, &purpose);
    hb_status st;
    if (job->facts.another) {
        st = hb_switch_key_encrypt(key, from, &session->public_key, purpose.limbs, &root);
    } else {
        purpose.other = from;
        hb_seed_public(file->seeds, file->parts, &root, 0);
        st = hb_switch_key_generate_for(key, &session->secret, &purpose, &root, file->seeds);
    }
    hb_wipe(&root, sizeof root);
    hb_wipe(&own, sizeof own);
    return st;
}

/* Puts the old secret on the engine, in the ring of the new one. */
static hb_status load_old(const hb_rekey_keygen *job, hb_secret_key *from)
{
    const hb_params *params = job->session.params;
    const size_t n = params->spec.n;
    if (!from_smaller(job)) {
        return hb_secret_key_load(from, job->session.engine, params, job->old.ternary);
    }
    int8_t *ternary = malloc(n);
    if (ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for its secret", job->options.from);
    }
    hb_lock(ternary, n);
    hb_ring_switch_secret(ternary, n, job->old.ternary, job->old.spec.n);
    const hb_status st = hb_secret_key_load(from, job->session.engine, params, ternary);
    hb_wipe(ternary, n);
    free(ternary);
    return st;
}

static hb_status write_file(const hb_rekey_keygen *job, const hb_switch_key_file *file)
{
    if (mkdir(job->options.directory, 0700) != 0 && errno != EEXIST) {
        return HB_FAIL(HB_ECREATE, "cannot create the directory %s: %s", job->options.directory, strerror(errno));
    }
    HB_TRY(hb_key_folder_sweep(job->options.directory));
    return hb_switch_key_file_write(job->path, file);
}

/* On rank 0. */
static hb_status make(hb_rekey_keygen *job)
{
    const hb_session *session = &job->session;
    hb_switch_key_file file = {.parts = 0};
    hb_switch_key key = {0};
    hb_secret_key from = {0};
    hb_status st;
    HB_GOTO(hb_unseal(&job->old, job->options.from));
    HB_GOTO(load_old(job, &from));
    HB_GOTO(hb_stop_check());
    HB_GOTO(hb_switch_key_file_init(&file, &session->params->spec, job->name, !job->facts.another));
    memcpy(file.key_id, session->key_id, sizeof file.key_id);
    file.rekey = job->facts;
    HB_GOTO(generate(job, &from, &key, &file));
    HB_GOTO(hb_switch_key_pack(&key, file.b, file.a));
    st = write_file(job, &file);
done:
    hb_secret_key_clear(&from);
    hb_switch_key_clear(&key);
    hb_switch_key_file_clear(&file);
    return st;
}

hb_status hb_rekey_keygen_run(hb_rekey_keygen *job, hb_group *group, const hb_rekey_keygen_options *options)
{
    *job = (hb_rekey_keygen){.options = *options};
    HB_TRY(hb_agree(group, open_new(job)));
    HB_TRY(hb_agree(group, group->rank == 0 ? open_first(job) : HB_OK));
    const hb_work work = hb_work_keygen(job->session.params, 1);
    HB_TRY(hb_device_choose(&job->device, group, &options->device, &work));
    HB_TRY(hb_session_start(&job->session, group, &job->device, NULL, NULL));
    if (options->dry_run) {
        return HB_OK;
    }
    hb_stop_catch();
    return hb_agree(group, group->rank == 0 ? make(job) : HB_OK);
}

void hb_rekey_keygen_close(hb_rekey_keygen *job)
{
    hb_keyfile_clear(&job->old);
    hb_session_close(&job->session);
    free(job->path);
    memset(job, 0, sizeof *job);
}
