#include "file_kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/durable.h"
#include "io/h5/format.h"
#include "io/keys/key_content_private.h"
#include "io/keys/keyfile.h"
#include "io/keys/switch_key_file.h"

static hb_status refuse_foreign(const char *path)
{
    return HB_FAIL(HB_EDATA, "%s: is neither a key file nor a ciphertext dataset", path);
}

static hb_status read_kind(hid_t file, const char *path, hb_file_kind *kind)
{
    char format[16];
    if (H5Aexists(file, "format") == 0) {
        return refuse_foreign(path);
    }
    HB_TRY(hb_h5_get_text(file, "format", path, format, sizeof format));
    if (strcmp(format, HB_FORMAT) == 0 || strcmp(format, HB_PART_FORMAT) == 0) {
        *kind = HB_FILE_DATASET;
        return HB_OK;
    }
    if (strcmp(format, HB_JOINT_FORMAT) == 0) {
        *kind = HB_FILE_JOINT;
        return HB_OK;
    }
    if (strcmp(format, HB_KEY_FORMAT) != 0) {
        return HB_FAIL(HB_EDATA, "%s: is of the unknown format '%s'", path, format);
    }
    uint32_t key;
    HB_TRY(hb_key_kind_get(file, path, &key));
    *kind = key == HB_KIND_SECRET || key == HB_KIND_PUBLIC ? HB_FILE_KEY : HB_FILE_SWITCH_KEY;
    return HB_OK;
}

/* Whether a file begins as HDF5's do. */
static bool is_hdf5(const char *path)
{
    static const uint8_t signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    uint8_t head[sizeof signature];
    int fd;
    uint64_t bytes;
    mode_t mode;
    const hb_error before = *hb_last_error();
    bool is = false;
    if (hb_open_file(path, true, &fd, &bytes, &mode) == HB_OK) {
        is = bytes >= sizeof head && hb_read_at(fd, head, sizeof head, 0, path) == HB_OK &&
             memcmp(head, signature, sizeof head) == 0;
        close(fd);
    }
    hb_set_error(&before);
    return is;
}

/* A file of ours that is damaged is said to be just that. */
static hb_status kind_of_file(const char *path, hb_file_kind *kind)
{
    hid_t file;
    uint64_t bytes;
    hb_status st = hb_h5_open_ours(path, &file, &bytes);
    if (st != HB_OK) {
        return st == HB_EDATA && !is_hdf5(path) ? refuse_foreign(path) : st;
    }
    st = read_kind(file, path, kind);
    hb_h5_close(file);
    return st;
}

static hb_status has(const char *folder, const char *name, bool *there)
{
    char *path;
    HB_TRY(hb_path_with(folder, name, &path));
    const hb_status st = hb_path_is_there(path, there);
    free(path);
    return st;
}

static hb_status kind_of_folder(const char *path, hb_file_kind *kind)
{
    bool secret, public, session, index;
    hb_key_names names;
    hb_rekey_names moves;
    HB_TRY(has(path, "/" HB_KEYFILE_SECRET, &secret));
    HB_TRY(has(path, "/" HB_KEYFILE_PUBLIC, &public));
    HB_TRY(has(path, "/session.h5", &session));
    HB_TRY(has(path, "/index.h5", &index)); /* of a part of a decryption, which has its session beside */
    HB_TRY(hb_switch_key_list(path, &names));
    free(names.name);
    HB_TRY(hb_rekey_list(path, &moves));
    free(moves.name);
    *kind = secret || public || names.count + moves.count > 0 ? HB_FILE_KEYS
            : session && !index                               ? HB_FILE_JOINT
                                                              : HB_FILE_DATASET;
    return HB_OK;
}

hb_status hb_file_kind_of(const char *path, hb_file_kind *kind)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return HB_FAIL(HB_ENOINPUT, "%s: %s", path, strerror(errno));
    }
    return S_ISDIR(status.st_mode) ? kind_of_folder(path, kind) : kind_of_file(path, kind);
}
