#include "file_kind.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "h5_private.h"

static hb_status kind_of_format(const char *path, const char *format, hb_file_kind *kind)
{
    static const struct {
        const char *format;
        hb_file_kind kind;
    } formats[] = {{"HEB1", HB_FILE_DATASET}, {"HEBK1", HB_FILE_KEY}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(format, formats[i].format) == 0) {
            *kind = formats[i].kind;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EDATA, "%s: is of the unknown format '%s'", path, format);
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
    hid_t file;
    uint64_t bytes;
    char format[16];
    hb_status st = hb_h5_open_ours(path, &file, &bytes);
    if (st == HB_OK) {
        st = hb_h5_get_text(file, "format", path, format, sizeof format);
        hb_h5_close(file);
    }
    if (st == HB_EDATA) {
        return HB_FAIL(HB_EDATA, "%s: is neither a key file nor a ciphertext dataset", path);
    }
    HB_TRY(st);
    return kind_of_format(path, format, kind);
}
