/* hebatch import DIR --keys KEYS. */
#include <stdlib.h>
#include <string.h>

#include "cli/stop.h"
#include "io/base/durable.h"
#include "keys_private.h"

/* The words of a whole key, into its file. */
static hb_status store_switch_key(hb_seal_key_import *x, uint32_t element)
{
    const hb_params *params = x->setup.params;
    hb_switch_key key = {0};
    hb_switch_key_file file = {0};
    char *path = NULL;
    hb_status st;
    if (!x->identified) {
        HB_GOTO(hb_seal_identify_words(x));
    }
    HB_GOTO(hb_switch_key_load_words(&key, x->setup.engine, params, element, x->words));
    HB_GOTO(hb_switch_key_file_init(&file, &params->spec, element, false));
    HB_GOTO(hb_switch_key_pack(&key, file.b, file.a));
    memcpy(file.key_id, x->keys->key_id, HB_KEY_ID_BYTES);
    HB_GOTO(hb_switch_key_path(x->to.partial, element, &path));
    st = hb_switch_key_file_write(path, &file);
done:
    free(path);
    hb_switch_key_file_clear(&file);
    hb_switch_key_clear(&key);
    return st;
}

static hb_status read_parts(hb_seal_key_import *x, hb_seal_reader *reader, uint32_t element, uint32_t parts)
{
    const hb_params *params = x->setup.params;
    for (uint32_t part = 0; part < parts; part++) {
        uint64_t *words = x->words + part * 2 * params->key_limbs * params->spec.n;
        HB_TRY(hb_stop_check());
        HB_TRY(hb_seal_key_part_read(reader, &x->setup.chain, words));
        HB_TRY(x->check.secret != NULL
                   ? hb_seal_key_check_part(&x->check, element, part, words, hb_seal_reader_path(reader))
                   : HB_OK);
    }
    return HB_OK;
}

static hb_status read_slots(hb_seal_key_import *x, hb_seal_reader *reader, bool galois, uint32_t *found)
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
        HB_TRY(store_switch_key(x, element));
        ++*found;
    }
    return hb_seal_object_end(reader, end);
}

static hb_status import_switch_keys(hb_seal_key_import *x, const char *name, bool galois, uint32_t *found)
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

static hb_status import_all(hb_seal_key_import *x)
{
    uint32_t relinearization = 0;
    const hb_seal_keys *keys = x->keys;
    HB_TRY(hb_seal_import_pair(x));
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
static hb_status choose_spec(hb_seal_key_import *x, const hb_params_spec *choice, hb_params_spec *spec)
{
    hb_params_spec own;
    char *path;
    HB_TRY(hb_seal_path(x->folder, HB_SEAL_PARAMETERS, &path));
    hb_status st = hb_seal_parameters_load(path, spec);
    spec->security = choice->security;
    spec->insecure = choice->insecure;
    if (st == HB_OK && x->directory != NULL) {
        st = hb_seal_identify(x->directory, &own, x->said.key_id);
        x->said.known = true;
        x->said.source = x->directory;
        if (st == HB_OK && (own.n != spec->n || own.bfv.plain != spec->bfv.plain || own.key_limbs != spec->key_limbs ||
                            memcmp(own.primes, spec->primes, spec->key_limbs * sizeof *spec->primes) != 0)) {
            st = HB_FAIL(HB_EDATA, "%s: has other parameters than the keys in %s", path, x->directory);
        }
        *spec = own;
    }
    free(path);
    return st;
}

/* Who says whose the keys are: an option over keys.json, a directory over both, which must agree. */
static hb_status choose_identity(hb_seal_key_import *x, const uint8_t *key_id)
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
static hb_status load_own_secret(hb_seal_key_import *x)
{
    hb_keyfile file = {0};
    char *path;
    HB_TRY(hb_seal_find(x->directory, HB_KEYFILE_SECRET, &path));
    if (path == NULL) {
        return HB_OK;
    }
    hb_status st;
    HB_GOTO(hb_keyfile_read(path, &file));
    HB_GOTO(hb_secret_key_load(&x->secret, x->setup.engine, x->setup.params, file.ternary));
    HB_GOTO(hb_seal_key_check_init(&x->check, &x->secret));
    x->ternary = file.ternary;
    file.ternary = NULL;
done:
    hb_keyfile_clear(&file);
    free(path);
    return st;
}

static hb_status make_ready(hb_seal_key_import *x, const hb_params_spec *choice, const uint8_t *key_id)
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
    HB_TRY(x->words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a key of %zu bytes", x->word_bytes));
    return x->directory != NULL ? load_own_secret(x) : HB_OK;
}

/* A new directory is there whole or not at all; to one that is there, keys come one by one. */
static hb_status begin(hb_seal_key_import *x, const char *directory, char **aside)
{
    if (x->directory == NULL) {
        return hb_seal_folder_begin(&x->to, directory, 0700);
    }
    HB_TRY(hb_path_with(directory, ".further", aside));
    return hb_seal_folder_begin(&x->to, *aside, 0700);
}

static hb_status commit(hb_seal_key_import *x)
{
    if (x->directory == NULL) {
        return hb_seal_folder_commit(&x->to);
    }
    HB_TRY(hb_seal_keys_merge(x->to.partial, x->directory));
    x->to.begun = false;
    return HB_OK;
}

static void clear(hb_seal_key_import *x)
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

hb_status hb_seal_keys_import(const char *folder, const char *directory, const hb_params_spec *spec,
                              const uint8_t *key_id, hb_seal_keys *keys)
{
    *keys = (hb_seal_keys){.galois = 0};
    hb_seal_key_import x = {.folder = folder, .keys = keys};
    char *aside = NULL;
    bool there;
    hb_status st;
    HB_GOTO(hb_path_is_there(directory, &there));
    x.directory = there ? directory : NULL;
    HB_GOTO(make_ready(&x, spec, key_id));
    HB_GOTO(begin(&x, directory, &aside));
    HB_GOTO(import_all(&x));
    HB_GOTO(commit(&x));
    keys->checked = x.check.secret != NULL;
done:
    clear(&x);
    free(aside);
    return st;
}
