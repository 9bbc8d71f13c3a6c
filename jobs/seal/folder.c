#include "folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/base/durable.h"
#include "io/dataset/file_kind.h"
#include "io/keys/switch_key_file.h"
#include "scheme/params.h"

hb_status hb_seal_folder_begin(hb_seal_folder *folder, const char *name, mode_t mode)
{
    struct stat status;
    *folder = (hb_seal_folder){.name = name};
    HB_TRY(hb_can_create(name));
    if (lstat(name, &status) == 0) {
        return HB_FAIL(HB_ECREATE, "%s: exists; nothing is written into a folder that is there", name);
    }
    HB_TRY(hb_path_with(name, ".partial", &folder->partial));
    folder->begun = mkdir(folder->partial, mode) == 0;
    return folder->begun ? HB_OK
                         : HB_FAIL(HB_ECREATE, "cannot make %s: %s%s", folder->partial, strerror(errno),
                                   errno == EEXIST ? "; if nothing is writing it any more, remove it" : "");
}

hb_status hb_seal_folder_commit(hb_seal_folder *folder)
{
    HB_TRY(hb_rename(folder->partial, folder->name, false));
    folder->begun = false;
    return HB_OK;
}

void hb_seal_folder_close(hb_seal_folder *folder)
{
    if (folder->begun) {
        const hb_error cause = *hb_last_error();
        if (hb_remove_folder(folder->partial) != HB_OK) {
            hb_set_error(&cause); /* what led here matters more */
        }
    }
    free(folder->partial);
    *folder = (hb_seal_folder){.name = NULL};
}

hb_status hb_seal_path(const char *folder, const char *name, char **path)
{
    char *slash;
    HB_TRY(hb_path_with(folder, "/", &slash));
    *path = malloc(strlen(slash) + strlen(name) + 1);
    if (*path != NULL) {
        strcat(strcpy(*path, slash), name);
    }
    free(slash);
    return *path != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a path", name);
}

hb_status hb_seal_find(const char *folder, const char *name, char **path)
{
    bool there;
    HB_TRY(hb_seal_path(folder, name, path));
    const hb_status st = hb_path_is_there(*path, &there);
    if (!there) {
        free(*path);
        *path = NULL;
    }
    return st;
}

hb_status hb_seal_setup_open(hb_seal_setup *setup, const hb_params_spec *spec)
{
    if (!hb_spec_switches_like_seal(spec)) {
        return HB_FAIL(HB_ECONFIG, "Microsoft SEAL has no keys of such parameters: it has one special prime and digits "
                                   "of one prime; those of CKKS that it has are called seal-ckks-..., or made with "
                                   "--like-seal");
    }
    if (hb_spec_residues(spec) > 1) {
        return HB_FAIL(HB_ECONFIG, "Microsoft SEAL has one plain modulus, and these parameters have %" PRIu32,
                       hb_spec_residues(spec));
    }
    HB_TRY(hb_params_open(spec, &setup->params));
    hb_seal_chain_init(&setup->chain, setup->params);
    return hb_cpu_engine_open(&setup->params->ring, &setup->engine);
}

void hb_seal_setup_close(hb_seal_setup *setup)
{
    hb_engine_close(setup->engine);
    hb_params_close(setup->params);
    setup->engine = NULL;
    setup->params = NULL;
}

static hb_status identify_key(const char *path, hb_params_spec *spec, uint8_t key_id[HB_KEY_ID_BYTES])
{
    hb_keyfile key = {0};
    HB_TRY(hb_keyfile_read(path, &key));
    *spec = key.spec;
    memcpy(key_id, key.key_id, HB_KEY_ID_BYTES);
    hb_keyfile_clear(&key);
    return HB_OK;
}

static hb_status identify_switch_key(const char *path, hb_params_spec *spec, uint8_t key_id[HB_KEY_ID_BYTES])
{
    hb_switch_key_label label;
    HB_TRY(hb_switch_key_file_look(path, &label));
    *spec = label.spec;
    memcpy(key_id, label.key_id, HB_KEY_ID_BYTES);
    return HB_OK;
}

/* The file of a directory that is read first: a public key, as it is not secret; NULL: there is no key. */
static hb_status choose_file(const char *directory, char **path)
{
    HB_TRY(hb_seal_find(directory, HB_KEYFILE_PUBLIC, path));
    if (*path == NULL) {
        HB_TRY(hb_seal_find(directory, HB_KEYFILE_SECRET, path));
    }
    if (*path != NULL) {
        return HB_OK;
    }
    hb_key_names names;
    HB_TRY(hb_switch_key_list(directory, &names));
    const hb_status st = names.count > 0 ? hb_switch_key_path(directory, names.name[0], path) : HB_OK;
    free(names.name);
    return st;
}

hb_status hb_seal_identify(const char *path, hb_params_spec *spec, uint8_t key_id[HB_KEY_ID_BYTES])
{
    hb_file_kind kind;
    HB_TRY(hb_file_kind_of(path, &kind));
    if (kind == HB_FILE_KEY) {
        return identify_key(path, spec, key_id);
    }
    if (kind == HB_FILE_SWITCH_KEY) {
        return identify_switch_key(path, spec, key_id);
    }
    char *file = NULL;
    if (kind == HB_FILE_KEYS) {
        HB_TRY(choose_file(path, &file));
    }
    if (file == NULL) {
        return HB_FAIL(HB_EDATA, "%s: is no key and no directory of keys", path);
    }
    const hb_status st = hb_seal_identify(file, spec, key_id);
    free(file);
    return st;
}
