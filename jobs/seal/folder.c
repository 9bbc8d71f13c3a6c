#include "folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/dataset/file_kind.h"
#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "io/keys/switch_key_file.h"
#include "scheme/params.h"

/* Is in each folder in the making, from before that is NAME.partial until after it is NAME: killed just then, a run
 * leaves it there, where nothing minds it. */
static const char mark[] = "/.hebatch-partial";

static hb_status mark_folder(const char *folder)
{
    char *path;
    int fd;
    HB_TRY(hb_path_with(folder, mark, &path));
    const hb_status st = hb_create_file(path, 0600, false, &fd);
    if (st == HB_OK) {
        close(fd);
    }
    free(path);
    return st;
}

static void unmark(const char *folder)
{
    char *path;
    if (hb_path_with(folder, mark, &path) == HB_OK) {
        unlink(path);
        free(path);
    }
}

/* Removes the files of a killed run, under its lock: by way of another name, which a later sweep knows as well. */
static hb_status remove_marked(const char *partial)
{
    char *path = NULL, *own = NULL;
    bool marked = false;
    hb_status st;
    HB_GOTO(hb_path_with(partial, mark, &path));
    HB_GOTO(hb_path_is_there(path, &marked));
    if (!marked) {
        HB_GOTO(
            HB_FAIL(HB_ECREATE, "%s: is there, and hebatch has not made it: remove it, or give another name", partial));
    }
    HB_GOTO(hb_file_lock_own_name(partial, &own));
    HB_GOTO(hb_rename_new(partial, own) ? HB_OK
                                        : HB_FAIL(HB_ECREATE, "cannot remove %s: %s", partial, strerror(errno)));
    st = hb_remove_folder(own);
done:
    free(path);
    free(own);
    return st;
}

/* Makes way for a new NAME.partial. */
static hb_status remove_left(const char *partial)
{
    int fd;
    bool there;
    hb_file_lock_sweep(partial, hb_remove_folder);
    HB_TRY(hb_path_is_there(partial, &there));
    if (!there) {
        return HB_OK;
    }
    hb_status st = hb_file_lock_take(partial, &fd);
    if (st == HB_ENOINPUT) { /* the run that had it has finished meanwhile */
        return HB_OK;
    }
    HB_TRY(st);
    st = remove_marked(partial);
    close(fd);
    return st;
}

/* Makes NAME.partial under a name of its own, so that it is locked and marked when others see it. */
static hb_status make(hb_seal_folder *folder, mode_t mode)
{
    char *own = NULL;
    bool taken = false;
    HB_TRY(hb_file_lock_new_folder(folder->partial, mode, &own, &folder->lock));
    hb_status st = mark_folder(own);
    st = st == HB_OK ? hb_file_lock_place(own, folder->partial, &taken) : st;
    if (st == HB_OK && taken) {
        st = HB_FAIL(HB_ECREATE, "%s: another process is writing it", folder->partial);
    }
    if (st != HB_OK) {
        const hb_error cause = *hb_last_error();
        (void)!hb_remove_folder(own);
        hb_set_error(&cause);
        close(folder->lock);
    }
    folder->begun = st == HB_OK;
    free(own);
    return st;
}

hb_status hb_seal_folder_begin(hb_seal_folder *folder, const char *name, mode_t mode)
{
    struct stat status;
    *folder = (hb_seal_folder){.name = name};
    HB_TRY(hb_can_create(name));
    if (lstat(name, &status) == 0) {
        return HB_FAIL(HB_ECREATE, "%s: exists; nothing is written into a folder that is there", name);
    }
    HB_TRY(hb_path_with(name, ".partial", &folder->partial));
    HB_TRY(remove_left(folder->partial));
    return make(folder, mode);
}

void hb_seal_folder_leave(hb_seal_folder *folder)
{
    folder->begun = false;
    close(folder->lock);
}

hb_status hb_seal_folder_commit(hb_seal_folder *folder)
{
    HB_TRY(hb_rename(folder->partial, folder->name, false));
    unmark(folder->name);
    hb_seal_folder_leave(folder);
    return HB_OK;
}

void hb_seal_folder_close(hb_seal_folder *folder)
{
    if (folder->begun) {
        const hb_error cause = *hb_last_error();
        if (hb_remove_folder(folder->partial) != HB_OK) {
            hb_set_error(&cause); /* the first failure matters more */
        }
        hb_seal_folder_leave(folder);
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
    if (hb_spec_can_bootstrap(spec)) {
        return HB_FAIL(HB_ECONFIG,
                       "Microsoft SEAL has no such chains: levels of this one are for bootstrapping, and its "
                       "keys are of another kind; to exchange data, encrypt it anew with a chain of SEAL's, "
                       "seal-...");
    }
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
