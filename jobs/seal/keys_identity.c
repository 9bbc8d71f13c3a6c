#include "keys_identity.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/parse.h"
#include "folder.h"
#include "io/files/durable.h"
#include "io/keys/switch_key_file.h"

#define INDEX_FORMAT "hebatch keys"
#define INDEX_MOST_BYTES ((size_t)1 << 16)

static bool get_hex(const json_t *index, const char *name, uint8_t *bytes, size_t count)
{
    const char *text = json_string_value(json_object_get(index, name));
    return text != NULL && hb_parse_hex(text, bytes, count) == HB_OK;
}

/* The owners of joint keys, as files of keys have them (io/README.md); without them the keys are of one owner. */
static bool get_owners(const json_t *index, hb_joint_spec *joint)
{
    const json_t *owners = json_object_get(index, "owners");
    const json_int_t all = json_integer_value(owners),
                     threshold = json_integer_value(json_object_get(index, "threshold")),
                     results = json_integer_value(json_object_get(index, "results"));
    *joint = (hb_joint_spec){.owners = 0};
    if (owners == NULL) {
        return true;
    }
    if (all < 2 || all > HB_MOST_OWNERS || threshold < 2 || threshold > all || results < 1 ||
        !get_hex(index, "session", joint->session, sizeof joint->session)) {
        return false;
    }
    joint->owners = (uint32_t)all;
    joint->threshold = (uint32_t)threshold;
    joint->results = (uint64_t)results;
    return true;
}

static bool get_identity(const json_t *index, hb_seal_identity *identity)
{
    const char *format = json_string_value(json_object_get(index, "format"));
    identity->seeded = json_object_get(index, "public_seed") != NULL;
    identity->known = format != NULL && strcmp(format, INDEX_FORMAT) == 0 &&
                      json_integer_value(json_object_get(index, "version")) == 1 &&
                      get_hex(index, "key_id", identity->key_id, sizeof identity->key_id) &&
                      get_owners(index, &identity->joint) &&
                      (!identity->seeded || get_hex(index, "public_seed", identity->public_seed.bytes, HB_SEED_BYTES));
    return identity->known;
}

hb_status hb_seal_identity_read(const char *folder, hb_seal_identity *identity)
{
    char *path;
    uint8_t *text = NULL;
    size_t bytes;
    mode_t mode;
    hb_status st;
    *identity = (hb_seal_identity){.known = false, .source = HB_SEAL_KEYS_INDEX};
    HB_TRY(hb_seal_find(folder, HB_SEAL_KEYS_INDEX, &path));
    if (path == NULL) {
        return HB_OK;
    }
    HB_GOTO(hb_read_file(path, INDEX_MOST_BYTES, &text, &bytes, &mode));
    json_t *index = json_loadb((const char *)text, bytes, JSON_REJECT_DUPLICATES, NULL);
    const bool good = index != NULL && get_identity(index, identity);
    json_decref(index);
    st = good
             ? HB_OK
             : HB_FAIL(HB_EDATA, "%s: does not name a key as 'hebatch export' does; remove it and give --key-id", path);
done:
    free(text);
    free(path);
    return st;
}

static json_t *to_json(const hb_seal_identity *identity)
{
    char id[2 * HB_KEY_ID_BYTES + 1], seed[2 * HB_SEED_BYTES + 1], session[2 * HB_DIGEST_BYTES + 1];
    const hb_joint_spec *joint = &identity->joint;
    hb_hex(id, identity->key_id, HB_KEY_ID_BYTES);
    json_t *index = json_pack("{s:s, s:i, s:s}", "format", INDEX_FORMAT, "version", 1, "key_id", id);
    if (identity->seeded) {
        hb_hex(seed, identity->public_seed.bytes, HB_SEED_BYTES);
        json_object_set_new(index, "public_seed", json_string(seed));
    }
    if (joint->owners > 0) {
        hb_hex(session, joint->session, HB_DIGEST_BYTES);
        json_object_set_new(index, "owners", json_integer(joint->owners));
        json_object_set_new(index, "threshold", json_integer(joint->threshold));
        json_object_set_new(index, "results", json_integer((json_int_t)joint->results));
        json_object_set_new(index, "session", json_string(session));
    }
    return index;
}

hb_status hb_seal_identity_write(const char *folder, const hb_seal_identity *identity)
{
    char *path = NULL;
    json_t *index = to_json(identity);
    char *text = json_dumps(index, JSON_INDENT(2));
    hb_status st;
    HB_GOTO(text != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for " HB_SEAL_KEYS_INDEX));
    HB_GOTO(hb_seal_path(folder, HB_SEAL_KEYS_INDEX, &path));
    st = hb_write_file(path, text, strlen(text), 0644, false);
done:
    free(path);
    free(text);
    json_decref(index);
    return st;
}

static hb_status merge_file(const char *from, const char *to)
{
    bool there;
    HB_TRY(hb_path_is_there(from, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(hb_path_is_there(to, &there));
    return there ? HB_OK : hb_rename(from, to, false); /* an existing file stays; the other goes with its folder */
}

/* Names that both have in common: SUFFIX begins with a slash. */
static hb_status merge_name(const char *from, const char *to, const char *suffix)
{
    char *source = NULL, *target = NULL;
    hb_status st;
    HB_GOTO(hb_path_with(from, suffix, &source));
    HB_GOTO(hb_path_with(to, suffix, &target));
    st = merge_file(source, target);
done:
    free(source);
    free(target);
    return st;
}

static hb_status merge_switch_keys(const char *from, const char *to)
{
    hb_key_names names;
    HB_TRY(hb_switch_key_list(from, &names));
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < names.count && st == HB_OK; i++) {
        char *path;
        st = hb_switch_key_path("", names.name[i], &path);
        if (st == HB_OK) {
            st = merge_name(from, to, path);
            free(path);
        }
    }
    free(names.name);
    return st;
}

/* The secret key last: it has its public one beside it at every moment. */
hb_status hb_seal_keys_merge(const char *from, const char *to)
{
    HB_TRY(merge_name(from, to, "/" HB_KEYFILE_PUBLIC));
    HB_TRY(merge_switch_keys(from, to));
    HB_TRY(merge_name(from, to, "/" HB_KEYFILE_SECRET));
    return hb_remove_folder(from);
}
