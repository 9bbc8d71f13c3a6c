#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/console.h"
#include "cli/params_options.h"
#include "cli/report.h"
#include "info.h"
#include "io/files/durable.h"
#include "io/joint/place.h"
#include "io/keys/key_seal.h"
#include "keys/key_store.h"
#include "scheme/params.h"
#include "scheme/slots.h"

void hb_info_print_params(const hb_group *group, const hb_common *common, const hb_params *params)
{
    char brief[HB_PARAMS_BRIEF];
    hb_params_brief(brief, &params->spec);
    hb_console_result(group, common, "parameters   %s: N %zu, %" PRIu32 " primes of %" PRIu32 " bits in all, %s",
                      params->name, params->spec.n, params->spec.key_limbs, params->chain_bits, brief);
    hb_console_result(group, common, "security     %s",
                      hb_security_claim(params->spec.security, params->spec.n, params->chain_bits).text);
    const hb_joint_spec *joint = &params->spec.joint;
    if (hb_spec_owners(&params->spec) > 1) {
        char counted[HB_PARAMS_COUNTED];
        hb_params_counted(counted, &params->spec);
        hb_console_result(group, common,
                          "owners       %" PRIu32 ", of whom %" PRIu32 " decrypt, %" PRIu64
                          " ciphertexts in all%s; session %s",
                          joint->owners, joint->threshold, joint->results, counted, hb_short_of(joint->session).text);
    }
}

/* One file of keys, whichever it is. */
typedef struct entry {
    char *path;
    bool pair;        /* of a key pair: then ... */
    hb_key_kind kind; /* ... this, else ... */
    hb_key_name name; /* ... this; seeded: component 1 is a seed a part */
    bool seeded;
    hb_rekey_facts rekey; /* of HB_KEY_REKEY */
    uint64_t sealed;      /* of a secret key: by a passphrase of which a try takes so many bytes; 0: it is open */
    uint8_t key_id[HB_KEY_ID_BYTES];
    hb_params_spec spec;
    uint64_t bytes;
} entry;

static void entry_clear(entry *e)
{
    free(e->path);
    memset(e, 0, sizeof *e);
}

static const char *entry_name(const entry *e)
{
    const char *slash = strrchr(e->path, '/');
    return slash != NULL ? slash + 1 : e->path;
}

static hb_key_text entry_text(const entry *e)
{
    if (!e->pair) {
        return hb_key_text_of(&e->spec, e->name);
    }
    hb_key_text text;
    snprintf(text.text, sizeof text.text, "%s", e->kind == HB_KEY_SECRET ? "secret key" : "public key");
    return text;
}

/* Reads the key file at path, which e takes over. */
static hb_status read_pair(char *path, entry *e)
{
    hb_keyfile key = {0};
    struct stat status;
    *e = (entry){.path = path, .pair = true};
    HB_TRY(hb_keyfile_read(path, &key));
    e->kind = key.kind;
    e->seeded = key.kind == HB_KEY_PUBLIC && key.packed_a == NULL;
    e->sealed = hb_keyfile_is_sealed(&key) ? key.seal->how.memory : 0;
    e->spec = key.spec;
    memcpy(e->key_id, key.key_id, sizeof e->key_id);
    const hb_status st =
        stat(path, &status) == 0 ? HB_OK : HB_FAIL(HB_ENOINPUT, "%s: cannot look at it: %s", path, strerror(errno));
    e->bytes = st == HB_OK ? (uint64_t)status.st_size : 0;
    hb_keyfile_clear(&key);
    return st;
}

static hb_status look_at(char *path, entry *e)
{
    hb_switch_key_label label;
    *e = (entry){.path = path};
    HB_TRY(hb_switch_key_file_look(path, &label));
    e->name = label.name;
    e->seeded = label.seeded;
    e->rekey = label.rekey;
    e->spec = label.spec;
    memcpy(e->key_id, label.key_id, sizeof e->key_id);
    e->bytes = label.file_bytes;
    return HB_OK;
}

static json_t *entry_json(const entry *e)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, e->key_id, sizeof e->key_id);
    json_t *json = json_pack("{s:o, s:s, s:s, s:I}", "file", hb_report_text(e->path), "kind",
                             e->pair ? entry_text(e).text : hb_key_sort_text(e->name.sort), "key_id", id, "bytes",
                             (json_int_t)e->bytes);
    if (e->pair && e->kind == HB_KEY_SECRET) {
        json_object_set_new(json, "sealed", json_boolean(e->sealed > 0));
    }
    if (e->name.limbs != 0) {
        json_object_set_new(json, "limbs", json_integer((json_int_t)e->name.limbs));
    }
    if (!e->pair && e->name.sort == HB_KEY_REKEY) {
        hb_hex(id, e->rekey.from, sizeof e->rekey.from);
        json_object_set_new(json, "from_key_id", json_string(id));
        json_object_set_new(json, "another", json_boolean(e->rekey.another));
    }
    if (e->pair || e->name.sort != HB_KEY_GALOIS) {
        return json;
    }
    int swap;
    const int64_t step = hb_slots_step(&e->spec, e->name.element, &swap);
    json_t *more = json_pack("{s:I, s:I, s:b}", "element", (json_int_t)e->name.element, "step", (json_int_t)step,
                             hb_slots_swap_word(&e->spec), swap);
    if (json_object_update(json, more) != 0) {
        json_decref(json);
        json = NULL;
    }
    json_decref(more);
    return json;
}

static hb_status show(const hb_group *group, const hb_common *common, const entry *e)
{
    hb_params *params;
    char id[2 * HB_KEY_ID_BYTES + 1];
    HB_TRY(hb_params_open(&e->spec, &params));
    hb_hex(id, e->key_id, sizeof e->key_id);
    hb_status st = HB_OK;
    if (common->json) {
        json_t *json = entry_json(e);
        st = json_object_set_new(json, "params", hb_report_params(params)) == 0
                 ? hb_report_results(group, "info", json)
                 : HB_FAIL(HB_ENOMEM, "out of memory for the results of info");
    }
    hb_console_result(group, common, "file         %s", e->path);
    const bool own =
        e->seeded || (e->pair && e->kind == HB_KEY_SECRET) || e->rekey.another || hb_spec_owners(&e->spec) > 1;
    hb_console_result(group, common, "kind         %s%s", entry_text(e).text, own ? "" : ", of another program");
    hb_console_result(group, common, "key id       %s", id);
    if (!e->pair && e->name.sort == HB_KEY_REKEY) {
        hb_hex(id, e->rekey.from, sizeof e->rekey.from);
        hb_console_result(group, common, "from key id  %s, to a key of %s", id,
                          e->rekey.another ? "another person" : "the same person");
    }
    if (e->sealed > 0) {
        hb_console_result(group, common, "sealed       by a passphrase: a try takes %s (Argon2id)",
                          hb_human_bytes((double)e->sealed).text);
    }
    hb_info_print_params(group, common, params);
    if (!e->pair) {
        const hb_key_purpose purpose = hb_key_purpose_of_name(&e->spec, e->name);
        hb_console_result(group, common, "size         %s on disk, %s in the memory of a device",
                          hb_human_bytes((double)e->bytes).text,
                          hb_human_bytes((double)hb_key_purpose_bytes(params, &purpose)).text);
    }
    hb_params_close(params);
    return st;
}

hb_status hb_info_key(const hb_group *group, const hb_common *common, const char *path)
{
    entry e = {0};
    char *own;
    HB_TRY(hb_path_with(path, "", &own));
    hb_status st = read_pair(own, &e);
    if (st == HB_OK) {
        st = show(group, common, &e);
    }
    entry_clear(&e);
    return st;
}

hb_status hb_info_switch_key(const hb_group *group, const hb_common *common, const char *path)
{
    entry e = {0};
    hb_switch_key_file file = {.parts = 0};
    char *own;
    HB_TRY(hb_path_with(path, "", &own));
    hb_status st = look_at(own, &e);
    if (st == HB_OK) {
        st = hb_switch_key_file_read(path, &file); /* for its checksum */
    }
    if (st == HB_OK) {
        st = show(group, common, &e);
    }
    hb_switch_key_file_clear(&file);
    entry_clear(&e);
    return st;
}

/* All keys of a directory: the pair, then the others by their elements. */
typedef struct listing {
    entry *entries;
    uint32_t count;
} listing;

static void listing_clear(listing *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        entry_clear(&list->entries[i]);
    }
    free(list->entries);
    memset(list, 0, sizeof *list);
}

static hb_status list_pair(listing *list, const char *directory)
{
    static const char *const names[] = {"/" HB_KEYFILE_SECRET, "/" HB_KEYFILE_PUBLIC};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path;
        bool there;
        HB_TRY(hb_path_with(directory, names[i], &path));
        const hb_status st = hb_path_is_there(path, &there);
        if (st == HB_OK && there) {
            HB_TRY(read_pair(path, &list->entries[list->count++]));
        } else {
            free(path);
        }
        HB_TRY(st);
    }
    return HB_OK;
}

static hb_status list_moves(listing *list, const char *directory, const hb_rekey_names *moves)
{
    for (uint32_t i = 0; i < moves->count; i++) {
        char *path, suffix[HB_REKEY_NAME + 1];
        snprintf(suffix, sizeof suffix, "/%s", moves->name[i]);
        HB_TRY(hb_path_with(directory, suffix, &path));
        HB_TRY(look_at(path, &list->entries[list->count++]));
    }
    return HB_OK;
}

static hb_status list_keys(listing *list, const char *directory)
{
    hb_key_names names = {NULL, 0};
    hb_rekey_names moves = {NULL, 0};
    hb_status st;
    HB_GOTO(hb_switch_key_list(directory, &names));
    HB_GOTO(hb_rekey_list(directory, &moves));
    const size_t count = (size_t)names.count + moves.count;
    list->entries = calloc(count + 2, sizeof *list->entries);
    if (list->entries == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for a list of %zu keys", directory, count));
    }
    HB_GOTO(list_pair(list, directory));
    for (uint32_t i = 0; i < names.count; i++) {
        char *path;
        HB_GOTO(hb_switch_key_path(directory, names.name[i], &path));
        HB_GOTO(look_at(path, &list->entries[list->count++]));
    }
    st = list_moves(list, directory, &moves);
done:
    free(names.name);
    free(moves.name);
    return st;
}

/* The bytes of the keys for computing on a device that has all of them. */
static uint64_t device_bytes(const hb_params *params, const listing *list)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const entry *e = &list->entries[i];
        if (!e->pair && hb_params_same(&e->spec, &params->spec)) {
            const hb_key_purpose purpose = hb_key_purpose_of_name(&e->spec, e->name);
            bytes += hb_key_purpose_bytes(params, &purpose);
        }
    }
    return bytes;
}

static void print_listing(const hb_group *group, const hb_common *common, const hb_params *params, const listing *list)
{
    const uint64_t bytes = device_bytes(params, list);
    const entry *first = &list->entries[0];
    double total = 0;
    int width = 30;
    for (uint32_t i = 0; i < list->count; i++) {
        const int length = (int)strlen(entry_text(&list->entries[i]).text);
        width = length > width ? length : width;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const entry *e = &list->entries[i];
        char other[2 * HB_KEY_ID_BYTES + 1] = "";
        if (memcmp(e->key_id, first->key_id, sizeof e->key_id) != 0) {
            hb_hex(other, e->key_id, sizeof e->key_id);
        }
        hb_console_result(group, common, "%-18s %-*s %12s%s%s", entry_name(e), width, entry_text(e).text,
                          hb_human_bytes((double)e->bytes).text, other[0] != '\0' ? "  OF ANOTHER PAIR: " : "", other);
        total += (double)e->bytes;
    }
    hb_console_result(group, common, "size         %s in %s", hb_human_bytes(total).text,
                      hb_human_things(list->count, "file").text);
    if (bytes > 0) {
        hb_console_result(group, common, "device       %s of memory for all that are for computing",
                          hb_human_bytes((double)bytes).text);
    }
}

static json_t *listing_json(const char *directory, const hb_params *params, const char *id, const listing *list)
{
    json_t *keys = json_array();
    for (uint32_t i = 0; i < list->count; i++) {
        if (json_array_append_new(keys, entry_json(&list->entries[i])) != 0) {
            json_decref(keys);
            return NULL;
        }
    }
    return json_pack("{s:o, s:s, s:s, s:o, s:o}", "file", hb_report_text(directory), "kind", "directory of keys",
                     "key_id", id, "params", hb_report_params(params), "keys", keys);
}

hb_status hb_info_keys(const hb_group *group, const hb_common *common, const char *directory)
{
    listing list = {0};
    hb_params *params = NULL;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_status st;
    HB_GOTO(list_keys(&list, directory));
    if (list.count == 0) {
        HB_GOTO(HB_FAIL(HB_ENOINPUT, "%s: has no keys", directory));
    }
    HB_GOTO(hb_params_open(&list.entries[0].spec, &params));
    hb_hex(id, list.entries[0].key_id, HB_KEY_ID_BYTES);
    if (common->json) {
        HB_GOTO(hb_report_results(group, "info", listing_json(directory, params, id, &list)));
    }
    hb_console_result(group, common, "directory    %s", directory);
    hb_console_result(group, common, "key id       %s", id);
    hb_info_print_params(group, common, params);
    print_listing(group, common, params, &list);
done:
    hb_params_close(params);
    listing_clear(&list);
    return st;
}
