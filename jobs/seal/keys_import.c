/* hebatch import --keys: secret and public key, then switching keys, of whomever they are said to be. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "cli/parse.h"
#include "cli/stop.h"
#include "io/files/durable.h"
#include "key_check.h"
#include "keys.h"
#include "keys_identity.h"
#include "ranks/unseal.h"
#include "scheme/params.h"

/* An import of keys on its way. */
typedef struct key_import {
    const char *folder; /* of SEAL's files */
    hb_seal_setup setup;
    hb_seal_folder to;
    hb_seal_keys *keys;
    const char *directory; /* where the keys go; NULL while that is new: then to.name, as a whole */
    hb_seal_identity said; /* the declared owner of the keys, if any */
    bool identified;       /* keys->key_id is set */
    int8_t *ternary;       /* [n], of the directory's secret key; or NULL */
    hb_secret_key secret;  /* with check.secret: all other keys are checked with it */
    hb_seal_key_check check;
    uint64_t *words; /* [2 data limbs][key limbs][n], at least 2 polynomials */
    size_t word_bytes;
} key_import;

/* NTT form, all limbs, of a ternary polynomial: its coefficients. HB_EDATA when it is none. */
static hb_status find_ternary(const key_import *x, const char *path, int8_t *ternary)
{
    const hb_params *params = x->setup.params;
    hb_engine *engine = x->setup.engine;
    const size_t n = params->spec.n;
    hb_batch s;
    uint64_t odd = 0;
    HB_TRY(hb_batch_alloc(engine, &s, 1, params->key_limbs, params->ids));
    hb_status st;
    HB_GOTO(hb_key_words(engine, s, x->words));
    HB_GOTO(hb_intt(engine, s));
    HB_GOTO(hb_download(engine, x->words, s.data, params->key_limbs * n * sizeof *x->words));
    HB_GOTO(hb_finish(engine));
    for (uint32_t l = 0; l < params->key_limbs; l++) {
        const uint64_t q = params->spec.primes[l], *row = x->words + l * n;
        for (size_t i = 0; i < n; i++) {
            const int8_t value = (int8_t)((row[i] == 1) - (row[i] == q - 1));
            odd |= (uint64_t)(value == 0 && row[i] != 0) | (uint64_t)(l > 0 && value != ternary[i]);
            ternary[i] = value;
        }
    }
    st = odd == 0 ? HB_OK : HB_FAIL(HB_EDATA, "%s: is no ternary secret, the only kind that SEAL makes", path);
done:
    hb_batch_wipe(engine, s);
    hb_batch_free(engine, &s);
    return st;
}

static hb_status import_secret(key_import *x, hb_keyfile *file)
{
    const hb_params *params = x->setup.params;
    char *path;
    HB_TRY(hb_seal_find(x->folder, HB_SEAL_SECRET, &path));
    if (path == NULL) {
        return HB_OK;
    }
    *file = (hb_keyfile){.kind = HB_KEY_SECRET, .spec = params->spec, .ternary = calloc(params->spec.n, 1)};
    hb_status st;
    HB_GOTO(file->ternary != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a secret of %zu bytes", params->spec.n));
    HB_GOTO(hb_seal_secret_load(path, &x->setup.chain, x->words));
    hb_lock(file->ternary, params->spec.n);
    HB_GOTO(find_ternary(x, path, file->ternary));
    if (x->ternary == NULL) {
        HB_GOTO(hb_secret_key_load(&x->secret, x->setup.engine, params, file->ternary));
        HB_GOTO(hb_seal_key_check_init(&x->check, &x->secret));
    } else if (memcmp(x->ternary, file->ternary, params->spec.n) != 0) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: is another secret key than that of %s", path, x->directory));
    }
    x->keys->secret = true;
done:
    free(path);
    return st;
}

static hb_status store(const key_import *x, const char *name, hb_keyfile *file)
{
    char *path;
    memcpy(file->key_id, x->keys->key_id, HB_KEY_ID_BYTES);
    HB_TRY(hb_seal_path(x->to.partial, name, &path));
    const hb_status st = hb_keyfile_write(path, file);
    free(path);
    return st;
}

static hb_status alloc_public(const key_import *x, hb_keyfile *file, bool seeded)
{
    const hb_params *params = x->setup.params;
    *file = (hb_keyfile){.kind = HB_KEY_PUBLIC, .spec = params->spec};
    file->packed_bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    file->packed_b = malloc(file->packed_bytes);
    file->packed_a = seeded ? NULL : malloc(file->packed_bytes);
    return file->packed_b != NULL && (seeded || file->packed_a != NULL)
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for a public key of %zu bytes", file->packed_bytes);
}

/* A public key of words, [2][key limbs][n]. */
static hb_status pack_public(const key_import *x, hb_keyfile *file)
{
    hb_public_key key = {0};
    HB_TRY(alloc_public(x, file, false));
    hb_status st;
    HB_GOTO(hb_public_key_load_words(&key, x->setup.engine, x->setup.params, x->words));
    st = hb_public_key_pack(&key, file->packed_b, file->packed_a);
done:
    hb_public_key_clear(&key);
    return st;
}

/* A public key of the secret: its error and the seed of a are drawn from a digest of the secret, so that it is
 * always the same. */
static hb_status derive_public(const key_import *x, const int8_t *ternary, hb_keyfile *file)
{
    hb_public_key key = {0};
    hb_digest_state state;
    hb_seed root;
    hb_digest_begin(&state, "hebatch import");
    hb_digest_add(&state, ternary, x->setup.params->spec.n);
    hb_digest_end(&state, root.bytes);
    hb_wipe(&state, sizeof state);
    hb_status st;
    HB_GOTO(alloc_public(x, file, true));
    hb_seed_public(&file->public_seed, 1, &root, 0);
    HB_GOTO(hb_public_key_generate(&key, &x->secret, &root, &file->public_seed));
    st = hb_public_key_pack(&key, file->packed_b, NULL);
done:
    hb_public_key_clear(&key);
    hb_wipe(&root, sizeof root);
    return st;
}

static void identify(key_import *x, const hb_keyfile *file)
{
    hb_key_id(x->keys->key_id, x->setup.params, &file->public_seed, file->packed_b, file->packed_a);
    x->identified = true;
}

/* The identity that words, [2][key limbs][n], have as a public key. */
static hb_status identify_words(key_import *x)
{
    hb_keyfile file = {0};
    const hb_status st = pack_public(x, &file);
    if (st == HB_OK) {
        identify(x, &file);
    }
    hb_keyfile_clear(&file);
    return st;
}

/* The seed that keys.json names in the place of the second polynomial, if it expands to that. */
static hb_status try_seed(const key_import *x, hb_keyfile *file)
{
    if (!x->said.seeded) {
        return HB_OK;
    }
    hb_public_key key = {0};
    hb_status st;
    uint8_t *b = malloc(file->packed_bytes), *a = malloc(file->packed_bytes);
    HB_GOTO(b != NULL && a != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a public key"));
    HB_GOTO(hb_public_key_load(&key, x->setup.engine, x->setup.params, file->packed_b, NULL, &x->said.public_seed));
    HB_GOTO(hb_public_key_pack(&key, b, a));
    if (memcmp(a, file->packed_a, file->packed_bytes) == 0) {
        free(file->packed_a);
        file->packed_a = NULL;
        file->public_seed = x->said.public_seed;
    }
done:
    hb_public_key_clear(&key);
    free(b);
    free(a);
    return st;
}

/* The public key has the identity of its pair in itself: no other can be given. */
static hb_status check_identity(key_import *x, const hb_keyfile *file, const char *path)
{
    uint8_t own[HB_KEY_ID_BYTES];
    char id[2 * HB_KEY_ID_BYTES + 1], said[2 * HB_KEY_ID_BYTES + 1];
    hb_key_id(own, x->setup.params, &file->public_seed, file->packed_b, file->packed_a);
    if (!x->identified || memcmp(own, x->keys->key_id, sizeof own) == 0) {
        return HB_OK;
    }
    hb_hex(id, own, sizeof own);
    hb_hex(said, x->keys->key_id, sizeof own);
    return HB_FAIL(HB_EDATA, "%s: is the public key of %s, but %s says %s: leave it out, or what says so", path, id,
                   x->said.source, said);
}

static hb_status import_public(key_import *x, const int8_t *ternary, hb_keyfile *file)
{
    char *path;
    HB_TRY(hb_seal_find(x->folder, HB_SEAL_PUBLIC, &path));
    if (path == NULL && (ternary == NULL || x->identified)) { /* of the secret alone, one is made for its identity */
        return HB_OK;
    }
    hb_status st;
    if (path != NULL) {
        HB_GOTO(hb_seal_public_load(path, &x->setup.chain, x->words));
        if (x->check.secret != NULL) {
            HB_GOTO(hb_seal_key_check_part(&x->check, HB_RELINEARIZATION, HB_SEAL_NO_TARGET, x->words, path));
        }
        HB_GOTO(pack_public(x, file));
        HB_GOTO(try_seed(x, file));
        HB_GOTO(check_identity(x, file, path));
    } else {
        HB_GOTO(derive_public(x, ternary, file));
    }
    identify(x, file);
    x->keys->public_key = true;
    st = store(x, HB_KEYFILE_PUBLIC, file);
done:
    free(path);
    return st;
}

/* secret.h5 and public.h5, from the files that exist; where only a secret exists, the public key is made of it; sets
 * the identity where it can. */
static hb_status import_pair(key_import *x)
{
    hb_keyfile secret = {0}, public = {0};
    hb_status st;
    HB_GOTO(import_secret(x, &secret));
    HB_GOTO(import_public(x, secret.ternary, &public));
    st = x->keys->secret ? store(x, HB_KEYFILE_SECRET, &secret) : HB_OK;
done:
    hb_keyfile_clear(&secret);
    hb_keyfile_clear(&public);
    return st;
}

/* The words of a whole key, into its file. */
static hb_status store_switch_key(key_import *x, uint32_t element)
{
    const hb_params *params = x->setup.params;
    hb_switch_key key = {0};
    hb_switch_key_file file = {0};
    char *path = NULL;
    hb_status st;
    if (!x->identified) {
        HB_GOTO(identify_words(x));
    }
    HB_GOTO(hb_switch_key_load_words(&key, x->setup.engine, params, element, x->words));
    HB_GOTO(hb_switch_key_file_init(&file, &params->spec, hb_key_for_all_levels(element), false));
    HB_GOTO(hb_switch_key_pack(&key, file.b, file.a));
    memcpy(file.key_id, x->keys->key_id, HB_KEY_ID_BYTES);
    HB_GOTO(hb_switch_key_path(x->to.partial, hb_key_for_all_levels(element), &path));
    st = hb_switch_key_file_write(path, &file);
done:
    free(path);
    hb_switch_key_file_clear(&file);
    hb_switch_key_clear(&key);
    return st;
}

static hb_status read_parts(key_import *x, hb_seal_reader *reader, uint32_t element, uint32_t parts)
{
    const hb_params *params = x->setup.params;
    for (uint32_t part = 0; part < parts; part++) {
        uint64_t *words = x->words + part * 2 * params->key_limbs * params->spec.n;
        HB_TRY(hb_stop_check());
        HB_TRY(hb_seal_key_part_read(reader, &x->setup.chain, words));
        if (x->check.secret != NULL) {
            HB_TRY(hb_seal_key_check_part(&x->check, element, part, words, hb_seal_reader_path(reader)));
        }
    }
    return HB_OK;
}

static hb_status read_slots(key_import *x, hb_seal_reader *reader, bool galois, uint32_t *found)
{
    uint64_t slots, end;
    uint32_t parts;
    HB_TRY(hb_seal_switch_keys_begin(reader, &x->setup.chain, &slots, &end));
    for (uint64_t slot = 0; slot < slots; slot++) {
        HB_TRY(hb_seal_switch_keys_next(reader, &x->setup.chain, &parts));
        if (parts == 0) {
            continue;
        }
        if (!galois && slot > 0) {
            return HB_FAIL(HB_EDATA, "%s: has keys for higher powers of the secret than its square, or is of rotations",
                           hb_seal_reader_path(reader));
        }
        const uint32_t element = galois ? (uint32_t)(2 * slot + 1) : HB_RELINEARIZATION;
        HB_TRY(read_parts(x, reader, element, parts));
        if (element != 1) { /* X -> X, for which SEAL makes a key where it is asked to, needs none */
            HB_TRY(store_switch_key(x, element));
            ++*found;
        }
    }
    return hb_seal_object_end(reader, end);
}

static hb_status import_switch_keys(key_import *x, const char *name, bool galois, uint32_t *found)
{
    char *path;
    HB_TRY(hb_seal_find(x->folder, name, &path));
    if (path == NULL) {
        return HB_OK;
    }
    hb_seal_reader *reader = NULL;
    hb_status st;
    HB_GOTO(hb_seal_reader_open(path, &reader));
    st = read_slots(x, reader, galois, found);
done:
    hb_seal_reader_close(reader);
    free(path);
    return st;
}

static hb_status import_all(key_import *x)
{
    uint32_t relinearization = 0;
    const hb_seal_keys *keys = x->keys;
    HB_TRY(import_pair(x));
    HB_TRY(import_switch_keys(x, HB_SEAL_RELINEARIZATION, false, &relinearization));
    HB_TRY(import_switch_keys(x, HB_SEAL_GALOIS, true, &x->keys->galois));
    x->keys->relinearization = relinearization > 0;
    return keys->secret || keys->public_key || keys->relinearization || keys->galois > 0
               ? HB_OK
               : HB_FAIL(HB_ENOINPUT,
                         "%s: has none of " HB_SEAL_SECRET ", " HB_SEAL_PUBLIC ", " HB_SEAL_RELINEARIZATION
                         " and " HB_SEAL_GALOIS " with a key in it",
                         x->folder);
}

/* Parameters of the folder; of a directory that is there, which must have the same, with its security. */
static hb_status choose_spec(key_import *x, const hb_seal_choice *choice, hb_params_spec *spec)
{
    hb_params_spec own;
    char *path;
    HB_TRY(hb_seal_path(x->folder, HB_SEAL_PARAMETERS, &path));
    hb_status st = HB_OK;
    uint32_t scale_bits = choice->scale_bits;
    if (x->directory != NULL) {
        HB_GOTO(hb_seal_identify(x->directory, &own, x->said.key_id));
        scale_bits = scale_bits != 0 ? scale_bits : own.ckks.scale_bits;
        x->said.known = true;
        x->said.source = x->directory;
    }
    HB_GOTO(hb_seal_parameters_load(path, scale_bits, spec));
    spec->security = choice->security;
    spec->insecure = choice->insecure;
    spec->joint = x->said.joint;
    if (x->directory != NULL) {
        if (!hb_params_same(&own, spec)) {
            HB_GOTO(HB_FAIL(HB_EDATA, "%s: has other parameters than the keys in %s", path, x->directory));
        }
        *spec = own;
    }
    if (spec->joint.owners > 0 && spec->scheme != HB_BFV) {
        st = HB_FAIL(HB_EDATA, "%s/" HB_SEAL_KEYS_INDEX ": has several owners, as only keys of BFV have", x->folder);
    }
done:
    free(path);
    return st;
}

/* Who says whose the keys are: an option over keys.json, a directory over both, which must agree. */
static hb_status choose_identity(key_import *x, const uint8_t *key_id)
{
    HB_TRY(hb_seal_identity_read(x->folder, &x->said));
    if (key_id != NULL) {
        memcpy(x->said.key_id, key_id, HB_KEY_ID_BYTES);
        x->said.known = true;
        x->said.source = "--key-id";
    }
    return HB_OK;
}

/* The secret key of a directory that further keys come to: they are checked with it. */
static hb_status load_own_secret(key_import *x)
{
    hb_keyfile file = {0};
    char *path;
    HB_TRY(hb_seal_find(x->directory, HB_KEYFILE_SECRET, &path));
    if (path == NULL) {
        return HB_OK;
    }
    hb_status st;
    HB_GOTO(hb_keyfile_read(path, &file));
    HB_GOTO(hb_unseal(&file, path));
    HB_GOTO(hb_secret_key_load(&x->secret, x->setup.engine, x->setup.params, file.ternary));
    HB_GOTO(hb_seal_key_check_init(&x->check, &x->secret));
    x->ternary = file.ternary;
    file.ternary = NULL;
done:
    hb_keyfile_clear(&file);
    free(path);
    return st;
}

static hb_status make_ready(key_import *x, const hb_seal_choice *choice, const uint8_t *key_id)
{
    hb_params_spec spec;
    HB_TRY(choose_identity(x, key_id));
    HB_TRY(choose_spec(x, choice, &spec));
    if (x->directory != NULL && key_id != NULL && memcmp(key_id, x->said.key_id, HB_KEY_ID_BYTES) != 0) {
        return HB_FAIL(HB_EDATA, "%s: holds keys of another pair than --key-id names", x->directory);
    }
    memcpy(x->keys->key_id, x->said.key_id, HB_KEY_ID_BYTES);
    x->identified = x->keys->adopted = x->said.known;
    HB_TRY(hb_seal_setup_open(&x->setup, &spec));
    const hb_params *params = x->setup.params;
    x->keys->insecure_bits = params->spec.insecure ? params->chain_bits : 0;
    x->word_bytes = 2 * params->data_limbs * params->key_limbs * spec.n * sizeof *x->words;
    x->words = malloc(x->word_bytes);
    if (x->words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a key of %zu bytes", x->word_bytes);
    }
    return x->directory != NULL ? load_own_secret(x) : HB_OK;
}

/* A new directory is there whole or not at all; to one that is there, keys come one by one. */
static hb_status begin(key_import *x, const char *directory, char **aside)
{
    if (x->directory == NULL) {
        return hb_seal_folder_begin(&x->to, directory, 0700);
    }
    HB_TRY(hb_path_with(directory, ".further", aside));
    return hb_seal_folder_begin(&x->to, *aside, 0700);
}

static hb_status commit(key_import *x)
{
    if (x->directory == NULL) {
        return hb_seal_folder_commit(&x->to);
    }
    HB_TRY(hb_seal_keys_merge(x->to.partial, x->directory));
    hb_seal_folder_leave(&x->to);
    return HB_OK;
}

static void clear(key_import *x)
{
    hb_seal_folder_close(&x->to);
    hb_seal_key_check_clear(&x->check);
    hb_secret_key_clear(&x->secret);
    if (x->ternary != NULL) {
        hb_wipe(x->ternary, x->setup.params->spec.n);
    }
    free(x->ternary);
    if (x->words != NULL) {
        hb_wipe(x->words, x->word_bytes);
        free(x->words);
    }
    hb_seal_setup_close(&x->setup);
}

hb_status hb_seal_keys_import(const char *folder, const char *directory, const hb_seal_choice *choice,
                              const uint8_t *key_id, hb_seal_keys *keys)
{
    *keys = (hb_seal_keys){.galois = 0};
    key_import x = {.folder = folder, .keys = keys};
    char *aside = NULL;
    bool there;
    hb_status st;
    HB_GOTO(hb_path_is_there(directory, &there));
    x.directory = there ? directory : NULL;
    HB_GOTO(make_ready(&x, choice, key_id));
    HB_GOTO(begin(&x, directory, &aside));
    HB_GOTO(import_all(&x));
    HB_GOTO(commit(&x));
    keys->checked = x.check.secret != NULL;
done:
    clear(&x);
    free(aside);
    return st;
}
