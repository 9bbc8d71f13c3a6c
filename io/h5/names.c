#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "h5.h"

/* The type of such strings; the caller closes it. */
static hb_status type_of(const hb_h5_names *names, hid_t *type)
{
    /* A copy of the type of one character, lengthened. */
    HB_TRY(HB_H5(*type = H5Tcopy(H5T_C_S1), HB_ENOMEM, "cannot make an HDF5 type"));
    hb_status st =
        HB_H5(H5Tset_size(*type, names->bytes), HB_EINTERNAL, "names of %zu bytes are refused", names->bytes);
    if (st == HB_OK) {
        st = HB_H5(H5Tset_strpad(*type, H5T_STR_NULLPAD), HB_EINTERNAL, "HDF5 refuses padding");
    }
    if (st == HB_OK) {
        st = HB_H5(H5Tset_cset(*type, names->characters), HB_EINTERNAL, "HDF5 refuses a character set");
    }
    if (st != HB_OK) {
        hb_h5_close(*type);
    }
    return st;
}

static hb_status no_memory(const char *name, uint64_t count)
{
    return HB_FAIL(HB_ENOMEM, "no memory for '%s', %" PRIu64 " of them", name, count);
}

hb_status hb_h5_put_names(hid_t at, const char *name, const hb_h5_names *names)
{
    hid_t type;
    HB_TRY(type_of(names, &type));
    const hb_status st = hb_h5_put_dataset(at, name, hb_h5_vector(type, names->count), names->text);
    hb_h5_close(type);
    return st;
}

hb_status hb_h5_put_texts(hid_t at, const char *name, const char *const *text, uint64_t count)
{
    hb_h5_names names = {.characters = H5T_CSET_UTF8, .count = count, .bytes = 1};
    for (uint64_t i = 0; i < count; i++) {
        const size_t bytes = text[i] != NULL ? strlen(text[i]) : 0;
        names.bytes = bytes > names.bytes ? bytes : names.bytes;
    }
    names.text = calloc((size_t)count, names.bytes);
    if (names.text == NULL) {
        return no_memory(name, count);
    }
    for (uint64_t i = 0; i < count; i++) {
        memcpy(names.text + i * names.bytes, text[i] != NULL ? text[i] : "", text[i] != NULL ? strlen(text[i]) : 0);
    }
    const hb_status st = hb_h5_put_names(at, name, &names);
    free(names.text);
    return st;
}

hb_status hb_h5_get_names(hid_t at, const char *name, const char *path, uint64_t file_bytes, hb_h5_names *names)
{
    names->text = malloc((size_t)names->count * names->bytes);
    if (names->text == NULL) {
        return no_memory(name, names->count);
    }
    hid_t type;
    HB_TRY(type_of(names, &type));
    const hb_status st = hb_h5_get_dataset(at, name, path, hb_h5_vector(type, names->count), file_bytes, names->text);
    hb_h5_close(type);
    return st;
}
