#include "format.h"
#include "h5.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Type and space stay the caller's. The files are made in memory, so a failure here is one of memory or of a name that
 * is taken, never of a disk. */
static hb_status put(hid_t at, const char *name, hid_t type, hid_t space, const void *value)
{
    hid_t attribute;
    HB_TRY(HB_H5(attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT), HB_EIO,
                 "attribute '%s': cannot be created", name));
    hb_status st = HB_H5(H5Awrite(attribute, type, value), HB_EIO, "attribute '%s': cannot be written", name);
    return hb_h5_close_written(attribute, name, st);
}

hb_status hb_h5_put_u64(hid_t at, const char *name, uint64_t value)
{
    hid_t space;
    HB_TRY(HB_H5(space = H5Screate(H5S_SCALAR), HB_ENOMEM, "attribute '%s': no memory", name));
    hb_status st = put(at, name, H5T_STD_U64LE, space, &value);
    hb_h5_close(space);
    return st;
}

hb_status hb_h5_put_f64(hid_t at, const char *name, double value)
{
    hid_t space;
    HB_TRY(HB_H5(space = H5Screate(H5S_SCALAR), HB_ENOMEM, "attribute '%s': no memory", name));
    hb_status st = put(at, name, H5T_IEEE_F64LE, space, &value);
    hb_h5_close(space);
    return st;
}

hb_status hb_h5_put_text(hid_t at, const char *name, const char *text)
{
    hid_t type = 0, space = 0;
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(type = H5Tcopy(H5T_C_S1), HB_ENOMEM, "attribute '%s': no memory", name));
    /* With the terminating zero, so that a reader in C needs no length. */
    HB_GOTO(HB_H5(H5Tset_size(type, strlen(text) + 1), HB_EINTERNAL, "attribute '%s': bad length", name));
    HB_GOTO(HB_H5(space = H5Screate(H5S_SCALAR), HB_ENOMEM, "attribute '%s': no memory", name));
    st = put(at, name, type, space, text);
done:
    hb_h5_close(space);
    hb_h5_close(type);
    return st;
}

hb_status hb_h5_put_bytes(hid_t at, const char *name, const uint8_t *bytes, size_t count)
{
    hid_t space;
    hsize_t extent = count;
    HB_TRY(HB_H5(space = H5Screate_simple(1, &extent, NULL), HB_ENOMEM, "attribute '%s': no memory", name));
    hb_status st = put(at, name, H5T_STD_U8LE, space, bytes);
    hb_h5_close(space);
    return st;
}

/* An attribute that was opened, with its type; the caller closes both with close_attribute. */
typedef struct opened {
    hid_t attribute, type;
    hssize_t points; /* elements */
    int rank;
} opened;

static void close_attribute(opened *a)
{
    hb_h5_close(a->type);
    hb_h5_close(a->attribute);
}

/* Asks for everything that says how many bytes reading will store: nothing is read before that was compared. */
static hb_status open_attribute(hid_t at, const char *name, const char *path, opened *a)
{
    *a = (opened){0};
    hid_t space = 0;
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(a->attribute = H5Aopen(at, name, H5P_DEFAULT), HB_EDATA, "%s: has no attribute '%s'", path, name));
    /* The type and the shape in the file: the caller compares them with the expected ones. */
    HB_GOTO(HB_H5(a->type = H5Aget_type(a->attribute), HB_EDATA, "%s: attribute '%s' has no type", path, name));
    HB_GOTO(HB_H5(space = H5Aget_space(a->attribute), HB_EDATA, "%s: attribute '%s' has no shape", path, name));
    HB_GOTO(HB_H5(a->rank = H5Sget_simple_extent_ndims(space), HB_EDATA, "%s: attribute '%s' has no rank", path, name));
    HB_GOTO(
        HB_H5(a->points = H5Sget_simple_extent_npoints(space), HB_EDATA, "%s: attribute '%s' has no size", path, name));
done:
    hb_h5_close(space);
    if (st != HB_OK) {
        close_attribute(a);
    }
    return st;
}

/* Reads an attribute of exactly this type, rank and number of elements. */
static hb_status get(hid_t at, const char *name, const char *path, hid_t type, int rank, size_t count, void *values)
{
    opened a;
    HB_TRY(open_attribute(at, name, path, &a));
    hb_status st = HB_OK;
    /* Exactly ours: HDF5 would convert other types, and could then store more bytes than `values` has. */
    if (H5Tequal(a.type, type) <= 0 || a.rank != rank || a.points != (hssize_t)count) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: attribute '%s' has another type or shape than it should", path, name));
    }
    st = HB_H5(H5Aread(a.attribute, type, values), HB_EDATA, "%s: cannot read attribute '%s'", path, name);
done:
    close_attribute(&a);
    return st;
}

hb_status hb_h5_get_u64(hid_t at, const char *name, const char *path, uint64_t most, uint64_t *value)
{
    uint64_t read = 0;
    HB_TRY(get(at, name, path, H5T_STD_U64LE, 0, 1, &read));
    if (read > most) {
        return HB_FAIL(HB_EDATA, "%s: attribute '%s' is %" PRIu64 ", above %" PRIu64, path, name, read, most);
    }
    *value = read;
    return HB_OK;
}

hb_status hb_h5_get_f64(hid_t at, const char *name, const char *path, double *value)
{
    return get(at, name, path, H5T_IEEE_F64LE, 0, 1, value);
}

hb_status hb_h5_get_bool(hid_t at, const char *name, const char *path, bool *value)
{
    uint64_t read = 0;
    HB_TRY(hb_h5_get_u64(at, name, path, 1, &read));
    *value = read != 0;
    return HB_OK;
}

hb_status hb_h5_get_bytes(hid_t at, const char *name, const char *path, uint8_t *bytes, size_t count)
{
    return get(at, name, path, H5T_STD_U8LE, 1, count, bytes);
}

hb_status hb_h5_get_text(hid_t at, const char *name, const char *path, char *text, size_t capacity)
{
    opened a;
    HB_TRY(open_attribute(at, name, path, &a));
    hb_status st = HB_OK;
    size_t length = H5Tget_size(a.type);
    /* Strings of variable length would make HDF5 allocate as much as the file says. */
    if (H5Tget_class(a.type) != H5T_STRING || H5Tis_variable_str(a.type) != 0 || length == 0 || length > capacity ||
        a.rank != 0 || a.points != 1) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: attribute '%s' is no text, or too long", path, name));
    }
    memset(text, 0, capacity);
    st = HB_H5(H5Aread(a.attribute, a.type, text), HB_EDATA, "%s: cannot read attribute '%s'", path, name);
    /* The 0 behind the string may be one of the file's; other paddings may leave none. */
    if (st == HB_OK && text[capacity - 1] != '\0') {
        memset(text, 0, capacity);
        st = HB_FAIL(HB_EDATA, "%s: attribute '%s' is too long", path, name);
    }
done:
    close_attribute(&a);
    return st;
}

hb_status hb_h5_get_word(hid_t at, const char *name, const char *path, const char *const *words, uint32_t count,
                         uint32_t *word)
{
    char text[32];
    HB_TRY(hb_h5_get_text(at, name, path, text, sizeof text));
    for (uint32_t w = 0; w < count; w++) {
        if (strcmp(text, words[w]) == 0) {
            *word = w;
            return HB_OK;
        }
    }
    char known[96] = "";
    for (uint32_t w = 0; w < count; w++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", w == 0 ? "" : ", ", words[w]);
    }
    return HB_FAIL(HB_EDATA, "%s: attribute '%s' is '%s'; this program knows: %s", path, name, text, known);
}

/* Returns words for files of a format; NULL where there are none. */
static const char *words_of(const char *format)
{
    static const char *const words[][2] = {{HB_FORMAT, "a ciphertext dataset (NAME.heb)"},
                                           {HB_PART_FORMAT, "a part of a decryption (OWNER.part)"},
                                           {HB_KEY_FORMAT, "a key (public.h5, secret.h5)"},
                                           {HB_JOINT_FORMAT, "a file of owners of joint keys (party.h5)"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(format, words[i][0]) == 0) {
            return words[i][1];
        }
    }
    return NULL;
}

/* Files of owners say themselves which of them they are. */
static hb_status refuse_format(hid_t file, const char *path, const char *found, const char *wanted)
{
    const char *is = words_of(found), *needed = words_of(wanted);
    char kind[32];
    if (is == NULL || needed == NULL) {
        return HB_FAIL(HB_EDATA, "%s: is of format '%s', not '%s'", path, found, wanted);
    }
    if (strcmp(found, HB_JOINT_FORMAT) == 0 && hb_h5_get_text(file, "kind", path, kind, sizeof kind) == HB_OK) {
        return HB_FAIL(HB_EDATA, "%s: is the %s file of an owner of joint keys, where %s is needed", path, kind,
                       needed);
    }
    return HB_FAIL(HB_EDATA, "%s: is %s, where %s is needed", path, is, needed);
}

hb_status hb_h5_get_format(hid_t file, const char *path, const char *format, uint32_t least, uint32_t most,
                           uint32_t *version)
{
    /* Long enough for every format of ours; a longer one is refused with a message of its own. */
    char text[16];
    uint64_t found;
    /* The format before the version: numbers of another format mean nothing here. */
    HB_TRY(hb_h5_get_text(file, "format", path, text, sizeof text));
    if (strcmp(text, format) != 0) {
        return refuse_format(file, path, text, format);
    }
    /* Any number is read, so that the message can name a version of the future. */
    HB_TRY(hb_h5_get_u64(file, "version", path, UINT64_MAX, &found));
    if (found < least || found > most) {
        char to[16] = "";
        if (least < most) {
            snprintf(to, sizeof to, " to %" PRIu32, most);
        }
        return HB_FAIL(HB_EDATA, "%s: is of version %" PRIu64 " of the format; this program reads %" PRIu32 "%s", path,
                       found, least, to);
    }
    *version = (uint32_t)found;
    return HB_OK;
}
