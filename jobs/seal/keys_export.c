/* hebatch export KEYS DIR. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "keys.h"
#include "keys_identity.h"
#include "ranks/unseal.h"
#include "scheme/params.h"

typedef struct key_export {
    const char *directory;
    hb_seal_style style;
    bool seeded;
    hb_seal_setup setup;
    hb_seal_folder folder;
    hb_seal_keys *keys;
    hb_seal_identity identity; /* for keys.json */
    uint32_t *elements, count; /* of the switching keys, in order */
    uint64_t *words;           /* [2 data limbs][key limbs][n], at least 2 polynomials */
    size_t word_bytes;
    hb_secret_key secret; /* seeded: the source of switching keys */
    hb_seed root;         /* and the root of their errors */
} key_export;

static bool same_pair(const key_export *x, const hb_params_spec *spec, const uint8_t key_id[HB_KEY_ID_BYTES])
{
    return hb_keys_same(key_id, spec, x->keys->key_id, &x->setup.params->spec);
}

static hb_status refuse_other(const key_export *x, const char *path)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, x->keys->key_id, HB_KEY_ID_BYTES);
    return HB_FAIL(HB_EDATA, "%s: is of another key pair than the rest of %s, which is %s", path, x->directory, id);
}

static hb_status fetch(const key_export *x, uint64_t *words, hb_batch batch)
{
    hb_engine *engine = x->setup.engine;
    const size_t bytes = batch.count * batch.stride * sizeof *words;
    HB_TRY(hb_download(engine, words, batch.data, bytes));
    return hb_finish(engine);
}

static hb_status write_secret(const key_export *x, const hb_keyfile *file, const char *path)
{
    hb_secret_key key = {0};
    hb_status st;
    HB_GOTO(hb_secret_key_load(&key, x->setup.engine, x->setup.params, file->ternary));
    HB_GOTO(fetch(x, x->words, key.s));
    st = hb_seal_secret_save(path, x->style, &x->setup.chain, x->words);
done:
    hb_secret_key_clear(&key);
    return st;
}

static hb_status write_public(const key_export *x, const hb_keyfile *file, const char *path)
{
    const hb_params *params = x->setup.params;
    hb_public_key key = {0};
    hb_status st;
    HB_GOTO(hb_public_key_load(&key, x->setup.engine, params, file->packed_b, file->packed_a, &file->public_seed));
    HB_GOTO(fetch(x, x->words, key.b));
    HB_GOTO(fetch(x, x->words + params->key_limbs * params->spec.n, key.a));
    st = hb_seal_public_save(path, x->style, &x->setup.chain, x->words);
done:
    hb_public_key_clear(&key);
    return st;
}

/* One of the two files of a pair, where it is there. */
static hb_status export_key(key_export *x, hb_key_kind kind, bool *there)
{
    char *from = NULL, *to = NULL;
    hb_keyfile file = {0};
    hb_status st;
    HB_GOTO(hb_seal_find(x->directory, kind == HB_KEY_SECRET ? HB_KEYFILE_SECRET : HB_KEYFILE_PUBLIC, &from));
    *there = from != NULL;
    if (from == NULL) {
        return HB_OK;
    }
    HB_GOTO(hb_keyfile_read(from, &file));
    HB_GOTO(hb_unseal(&file, from));
    HB_GOTO(file.kind == kind && same_pair(x, &file.spec, file.key_id) ? HB_OK : refuse_other(x, from));
    HB_GOTO(hb_seal_path(x->folder.partial, kind == HB_KEY_SECRET ? HB_SEAL_SECRET : HB_SEAL_PUBLIC, &to));
    st = kind == HB_KEY_SECRET ? write_secret(x, &file, to) : write_public(x, &file, to);
    if (kind == HB_KEY_PUBLIC && file.packed_a == NULL) {
        x->identity.seeded = true;
        x->identity.public_seed = file.public_seed;
    }
done:
    hb_keyfile_clear(&file);
    free(from);
    free(to);
    return st;
}

/* The words of a switching key. */
static hb_status load_switch_key(key_export *x, uint32_t element)
{
    char *path = NULL;
    hb_switch_key_file file = {0};
    hb_switch_key key = {0};
    hb_status st;
    HB_GOTO(hb_switch_key_path(x->directory, hb_key_for_all_levels(element), &path));
    HB_GOTO(hb_switch_key_file_read(path, &file));
    HB_GOTO(hb_key_name_same(file.name, hb_key_for_all_levels(element)) && same_pair(x, &file.spec, file.key_id)
                ? HB_OK
                : refuse_other(x, path));
    HB_GOTO(hb_switch_key_load(&key, x->setup.engine, x->setup.params, element, file.b, file.a, file.seeds));
    st = fetch(x, x->words, key.parts);
done:
    hb_switch_key_clear(&key);
    hb_switch_key_file_clear(&file);
    free(path);
    return st;
}

/* The key in the directory is only looked at: it is of this pair, and for this element. */
static hb_status check_label(const key_export *x, uint32_t element)
{
    char *path;
    hb_switch_key_label label;
    HB_TRY(hb_switch_key_path(x->directory, hb_key_for_all_levels(element), &path));
    hb_status st = hb_switch_key_file_look(path, &label);
    if (st == HB_OK &&
        (!hb_key_name_same(label.name, hb_key_for_all_levels(element)) || !same_pair(x, &label.spec, label.key_id))) {
        st = refuse_other(x, path);
    }
    free(path);
    return st;
}

static void seed_part(hb_seal_seed *seed)
{
    hb_seed halves[2];
    _Static_assert(sizeof halves == sizeof seed->bytes, "two of ours are one of SEAL's");
    hb_seed_random(&halves[0]);
    hb_seed_random(&halves[1]);
    seed->kind = HB_SEAL_BLAKE2XB; /* SEAL's default: every build of it has this one */
    memcpy(seed->bytes, halves, sizeof halves);
}

/* The words of a new switching key, whose second polynomials expand from seeds, [data limbs], drawn here. */
static hb_status make_switch_key(key_export *x, uint32_t element, hb_seal_seed *seeds)
{
    const hb_params *params = x->setup.params;
    const size_t polynomial = params->key_limbs * params->spec.n;
    hb_switch_key key = {0};
    hb_seed own;
    hb_status st;
    HB_TRY(check_label(x, element));
    for (uint32_t part = 0; part < params->data_limbs; part++) {
        seed_part(&seeds[part]);
        hb_seal_sample_uniform(x->words + (2 * part + 1) * polynomial, params->spec.n, params->spec.primes,
                               params->key_limbs, &seeds[part]);
    }
    hb_switch_key_root(&own, &x->root, &params->spec, element);
    HB_GOTO(hb_switch_key_generate_words(&key, &x->secret, element, &own, x->words));
    st = fetch(x, x->words, key.parts);
done:
    hb_wipe(&own, sizeof own);
    hb_switch_key_clear(&key);
    return st;
}

static hb_status write_switch_key(key_export *x, hb_seal_writer *writer, uint32_t element)
{
    const hb_params *params = x->setup.params;
    hb_seal_seed seeds[HB_MAX_LIMBS];
    HB_TRY(hb_stop_check());
    HB_TRY(x->seeded ? make_switch_key(x, element, seeds) : load_switch_key(x, element));
    HB_TRY(hb_seal_write_u64(writer, params->data_limbs));
    for (uint32_t part = 0; part < params->data_limbs; part++) {
        const uint64_t *words = x->words + part * 2 * params->key_limbs * params->spec.n;
        HB_TRY(hb_seal_key_part_write(writer, &x->setup.chain, words, x->seeded ? &seeds[part] : NULL));
    }
    return HB_OK;
}

/* elements: in order; element g is in slot (g - 1) / 2, the relinearization key in the only one. */
static hb_status write_slots(key_export *x, hb_seal_writer *writer, uint64_t slots, const uint32_t *elements,
                             uint32_t count)
{
    for (uint64_t slot = 0, k = 0; slot < slots; slot++) {
        if (k < count && (elements[k] == HB_RELINEARIZATION || (elements[k] - 1) / 2 == slot)) {
            HB_TRY(write_switch_key(x, writer, elements[k++]));
        } else {
            HB_TRY(hb_seal_write_u64(writer, 0));
        }
    }
    return hb_seal_writer_finish(writer);
}

static hb_status export_switch_keys(key_export *x, const char *name, uint64_t slots, const uint32_t *elements,
                                    uint32_t count)
{
    char *path = NULL;
    hb_seal_writer *writer = NULL;
    hb_status st;
    HB_GOTO(hb_seal_path(x->folder.partial, name, &path));
    HB_GOTO(hb_seal_switch_keys_open(path, x->style, &x->setup.chain, slots, count, x->seeded, &writer));
    st = write_slots(x, writer, slots, elements, count);
done:
    hb_seal_writer_close(writer);
    free(path);
    return st;
}

static hb_status export_all(key_export *x)
{
    hb_seal_keys *keys = x->keys;
    HB_TRY(export_key(x, HB_KEY_SECRET, &keys->secret));
    HB_TRY(export_key(x, HB_KEY_PUBLIC, &keys->public_key));
    keys->relinearization = x->count > 0 && x->elements[0] == HB_RELINEARIZATION;
    keys->galois = x->count - keys->relinearization;
    if (keys->relinearization) {
        HB_TRY(export_switch_keys(x, HB_SEAL_RELINEARIZATION, 1, x->elements, 1));
    }
    if (keys->galois > 0) {
        HB_TRY(export_switch_keys(x, HB_SEAL_GALOIS, x->setup.params->spec.n, x->elements + keys->relinearization,
                                  keys->galois));
    }
    memcpy(x->identity.key_id, keys->key_id, HB_KEY_ID_BYTES);
    x->identity.joint = x->setup.params->spec.joint;
    return hb_seal_identity_write(x->folder.partial, &x->identity);
}

/* Loads the secret key, from which seeded keys are made again. */
static hb_status load_secret(key_export *x)
{
    char *path;
    hb_keyfile file = {0};
    hb_status st;
    if (x->count == 0) {
        return HB_FAIL(HB_ENOINPUT, "%s: has no relinearization or Galois key for --seeded to halve", x->directory);
    }
    HB_TRY(hb_seal_find(x->directory, HB_KEYFILE_SECRET, &path));
    if (path == NULL) {
        return HB_FAIL(HB_ENOINPUT,
                       "%s: has no " HB_KEYFILE_SECRET ": --seeded makes switching keys anew, as SEAL expands other "
                       "seeds than ours; export on the owner's machine, or without --seeded",
                       x->directory);
    }
    HB_GOTO(hb_keyfile_read(path, &file));
    HB_GOTO(hb_unseal(&file, path));
    HB_GOTO(file.kind == HB_KEY_SECRET && same_pair(x, &file.spec, file.key_id) ? HB_OK : refuse_other(x, path));
    HB_GOTO(hb_secret_key_load(&x->secret, x->setup.engine, x->setup.params, file.ternary));
    hb_lock(&x->root, sizeof x->root);
    hb_seed_random(&x->root);
done:
    hb_keyfile_clear(&file);
    free(path);
    return st;
}

/* Keys for all levels: SEAL has no others. */
static hb_status list_elements(key_export *x)
{
    hb_key_names names;
    HB_TRY(hb_switch_key_list(x->directory, &names));
    x->elements = calloc(names.count + (size_t)1, sizeof *x->elements);
    for (uint32_t i = 0; x->elements != NULL && i < names.count; i++) {
        if (hb_key_name_same(names.name[i], hb_key_for_all_levels(names.name[i].element))) {
            x->elements[x->count++] = names.name[i].element;
        }
    }
    free(names.name);
    return x->elements != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
}

static hb_status make_ready(key_export *x)
{
    hb_params_spec spec;
    HB_TRY(hb_seal_identify(x->directory, &spec, x->keys->key_id));
    HB_TRY(hb_seal_setup_open(&x->setup, &spec));
    HB_TRY(list_elements(x));
    const hb_params *params = x->setup.params;
    x->word_bytes = 2 * params->data_limbs * params->key_limbs * params->spec.n * sizeof *x->words;
    x->words = malloc(x->word_bytes);
    if (x->words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a key of %zu bytes", x->word_bytes);
    }
    return x->seeded ? load_secret(x) : HB_OK;
}

static void clear(key_export *x)
{
    hb_seal_folder_close(&x->folder);
    hb_secret_key_clear(&x->secret);
    hb_wipe(&x->root, sizeof x->root);
    if (x->words != NULL) {
        hb_wipe(x->words, x->word_bytes); /* the secret was in it */
        free(x->words);
    }
    free(x->elements);
    hb_seal_setup_close(&x->setup);
}

hb_status hb_seal_keys_export(const char *directory, const char *folder, hb_seal_style style, bool seeded,
                              hb_seal_keys *keys)
{
    *keys = (hb_seal_keys){.fresh = seeded};
    key_export x = {.directory = directory, .style = style, .seeded = seeded, .keys = keys};
    char *parameters = NULL;
    hb_status st;
    HB_GOTO(make_ready(&x));
    HB_GOTO(hb_seal_folder_begin(&x.folder, folder, 0700));
    HB_GOTO(hb_seal_path(x.folder.partial, HB_SEAL_PARAMETERS, &parameters));
    HB_GOTO(hb_seal_parameters_save(parameters, style, &x.setup.params->spec));
    HB_GOTO(export_all(&x));
    st = hb_seal_folder_commit(&x.folder);
done:
    free(parameters);
    clear(&x);
    return st;
}

json_t *hb_seal_keys_json(const hb_seal_keys *keys, const char *output)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, keys->key_id, HB_KEY_ID_BYTES);
    return json_pack("{s:s, s:o, s:s, s:b, s:b, s:b, s:i, s:b}", "kind", "keys", "output", hb_report_text(output),
                     "key_id", id, "secret", (int)keys->secret, "public", (int)keys->public_key, "relinearization",
                     (int)keys->relinearization, "galois", (int)keys->galois, "fresh_switching_keys", (int)keys->fresh);
}
