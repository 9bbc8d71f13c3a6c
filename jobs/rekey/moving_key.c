#include "moving_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/parse.h"
#include "io/files/durable.h"
#include "scheme/params.h"

typedef struct id_text {
    char text[2 * HB_KEY_ID_BYTES + 1];
} id_text;

static id_text text_of(const uint8_t id[HB_KEY_ID_BYTES])
{
    id_text text;
    hb_hex(text.text, id, HB_KEY_ID_BYTES);
    return text;
}

/* Opens a file, whichever rekeying key it is; takes the path over. */
static hb_status open_file(hb_moving_key *key, char *path)
{
    *key = (hb_moving_key){.path = path, .source = {.fd = -1}};
    HB_TRY(hb_switch_key_source_open(path, &key->source));
    return key->source.label.name.sort == HB_KEY_REKEY
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is no rekeying key: take one that hebatch keygen --rekey made", key->path);
}

static bool is_from(const hb_moving_key *key, const hb_header *header)
{
    return memcmp(key->source.label.rekey.from, header->key_id, HB_KEY_ID_BYTES) == 0;
}

/* Looks at one file of the folder, which *key becomes if it is from the dataset's key. */
static hb_status try_file(hb_moving_key *key, const char *folder, const char *file, const hb_header *header,
                          const char *name)
{
    char suffix[HB_REKEY_NAME + 1], *path;
    hb_moving_key tried = {.path = NULL};
    hb_status st;
    snprintf(suffix, sizeof suffix, "/%s", file);
    HB_TRY(hb_path_with(folder, suffix, &path));
    HB_GOTO(open_file(&tried, path));
    if (!is_from(&tried, header)) {
        goto done;
    }
    if (key->path != NULL) {
        HB_GOTO(HB_FAIL(HB_EUSAGE, "%s and %s are both from the key of %s: leave one of them in the folder", key->path,
                        tried.path, name));
    }
    *key = tried;
    tried = (hb_moving_key){.path = NULL};
done:
    hb_moving_key_close(&tried);
    return st;
}

/* Files whose names begin otherwise are from other keys. */
hb_status hb_moving_key_find(hb_moving_key *key, const char *folder, const hb_header *header, const char *name)
{
    enum { BEGIN = sizeof "rekey-########-" - 1 };
    char wanted[HB_REKEY_NAME];
    hb_rekey_names names;
    *key = (hb_moving_key){.path = NULL};
    hb_rekey_name(wanted, header->key_id, header->key_id);
    HB_TRY(hb_rekey_list(folder, &names));
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < names.count && st == HB_OK; i++) {
        if (strncmp(names.name[i], wanted, BEGIN) == 0) {
            st = try_file(key, folder, names.name[i], header, name);
        }
    }
    free(names.name);
    return st;
}

static hb_status find_in_folder(hb_moving_key *key, const char *folder, const hb_header *header, const char *name)
{
    HB_TRY(hb_moving_key_find(key, folder, header, name));
    return key->path != NULL ? HB_OK
                             : HB_FAIL(HB_ENOINPUT,
                                       "%s: has no rekeying key from %s, the key of %s; hebatch keygen --rekey makes "
                                       "one",
                                       folder, text_of(header->key_id).text, name);
}

static hb_status open_named(hb_moving_key *key, const char *file, const hb_header *header, const char *name)
{
    char *path;
    HB_TRY(hb_path_with(file, "", &path));
    HB_TRY(open_file(key, path));
    return is_from(key, header)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s is from key %s, but %s was encrypted with key %s", file,
                         text_of(key->source.label.rekey.from).text, name, text_of(header->key_id).text);
}

hb_status hb_moving_key_open(hb_moving_key *key, const char *keys, const hb_header *header, const char *name)
{
    struct stat status;
    const bool folder = stat(keys, &status) == 0 && S_ISDIR(status.st_mode);
    *key = (hb_moving_key){.path = NULL};
    const hb_status st = folder ? find_in_folder(key, keys, header, name) : open_named(key, keys, header, name);
    HB_TRY(st);
    const hb_switch_key_label *label = &key->source.label;
    const uint32_t limbs = hb_key_name_limbs(&label->spec, label->name);
    if (!hb_params_same(&label->spec, &header->spec)) {
        return HB_FAIL(HB_ECONFIG, "%s has other parameters than %s", key->path, name);
    }
    if (header->limbs > limbs) {
        return HB_FAIL(HB_EDATA, "%s serves ciphertexts of at most %" PRIu32 " limbs, and %s has such of %" PRIu32,
                       key->path, limbs, name, header->limbs);
    }
    return HB_OK;
}

hb_status hb_moving_key_require_receiver(const hb_moving_key *key, const hb_session *session)
{
    const hb_switch_key_label *label = &key->source.label;
    const hb_params_spec *spec = &session->params->spec;
    if (session->kind != HB_KEY_PUBLIC) {
        return HB_FAIL(HB_EUSAGE,
                       "--key: %s is a secret key: data are sanitized with the public key of the other person",
                       session->key_name);
    }
    if (memcmp(session->key_id, label->key_id, HB_KEY_ID_BYTES) != 0) {
        return HB_FAIL(HB_EDATA, "%s is key %s, but %s leads to key %s", session->key_name,
                       text_of(session->key_id).text, key->path, text_of(label->key_id).text);
    }
    /* Bounds of noise go by the number of owners, which no id covers. */
    return hb_keys_same(session->key_id, spec, label->key_id, &label->spec) &&
                   label->rekey.error == hb_rekey_error(spec, true, hb_spec_owners(spec))
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s and %s name one key, with other parameters or owners: one of them is damaged",
                         session->key_name, key->path);
}

hb_status hb_moving_key_load(hb_moving_key *key, const hb_session *session, const hb_header *header,
                             hb_switch_key *loaded)
{
    const hb_params *params = session->params;
    const hb_key_purpose purpose = hb_moving_key_purpose(header);
    hb_key_rows rows;
    rows.parts = hb_switch_key_takes(params, &purpose, (uint32_t)session->grid.members->rank, &rows.primes);
    hb_switch_key_source_choose(&key->source, rows);
    const size_t bytes = hb_switch_key_source_bytes(&key->source);
    uint8_t *memory = malloc(bytes);
    if (memory == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a key of %zu bytes", key->path, bytes);
    }
    hb_status st =
        hb_switch_key_source_read(&key->source, key->path, memory, memory + hb_switch_key_source_a_place(&key->source));
    const hb_packed_key packed = hb_switch_key_source_rows(&key->source, memory);
    st = st == HB_OK ? hb_switch_key_load_for(loaded, session->engine, params, &purpose, &packed) : st;
    free(memory);
    return st;
}

void hb_moving_key_close(hb_moving_key *key)
{
    if (key->path != NULL) {
        hb_switch_key_source_close(&key->source);
    }
    free(key->path);
    *key = (hb_moving_key){.path = NULL};
}
