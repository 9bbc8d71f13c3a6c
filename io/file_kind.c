#include "file_kind.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "format_private.h"
#include "h5_private.h"

static hb_status kind_of_format(const char *path, const char *format, hb_file_kind *kind)
{
    static const struct {
        const char *format;
        hb_file_kind kind;
    } formats[] = {{HB_FORMAT, HB_FILE_DATASET}, {HB_KEY_FORMAT, HB_FILE_KEY}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(format, formats[i].format) == 0) {
            *kind = formats[i].kind;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EDATA, "%s: is of the unknown format '%s'", path, format);
}

static hb_status refuse_foreign(const char *path)
{
    return HB_FAIL(HB_EDATA, "%s: is neither a key file nor a ciphertext dataset", path);
}

/* A file of ours that is damaged is said to be just that. */
static hb_status read_format(const char *path, char *format, size_t room)
{
    hid_t file;
    uint64_t bytes;
    hb_status st = hb_h5_open_ours(path, &file, &bytes);
    if (st != HB_OK) {
        return st == HB_EDATA && H5Fis_hdf5(path) == 0 ? refuse_foreign(path) : st;
    }
    st = H5Aexists(file, "format") == 0 ? refuse_foreign(path) : hb_h5_get_text(file, "format", path, format, room);
    hb_h5_close(file);
    return st;
}

hb_status hb_file_kind_of(const char *path, hb_file_kind *kind)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return HB_FAIL(HB_ENOINPUT, "%s: %s", path, strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        *kind = HB_FILE_DATASET;
        return HB_OK;
    }
    char format[16];
    HB_TRY(read_format(path, format, sizeof format));
    return kind_of_format(path, format, kind);
}
