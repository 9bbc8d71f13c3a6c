/* The attributes and groups of an HDF5 file as JSON, in the reader's process (process.h): files of models keep
 * words, ranges and names there. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5.h"
#include "process.h"
#include "source_private.h"
#include "table/real_text.h"

/* Against hostile files: groups within groups, members of one, values of one attribute, bytes of one string. */
enum { MOST_DEPTH = 1, MOST_MEMBERS = 1024, MOST_VALUES = 1 << 14, MOST_STRING = 1 << 12 };

/* The state of writing. */
typedef struct h5_attributes {
    const char *file, *opened; /* its name in messages; to HDF5 */
    FILE *out;
} h5_attributes;

/* Something that has values: an attribute, or a dataset. */
typedef struct source {
    hid_t id, type;
    bool attribute;
    const char *where; /* for messages */
    const char *file;  /* that it is to be in */
    size_t count;
    bool list; /* a list of them, and not one alone */
} source;

static hb_status read_values(const source *s, hid_t type, void *values)
{
    if (!s->attribute) {
        HB_TRY(hb_h5_process_check_storage(s->id, s->where, s->file, false));
    }
    const herr_t done =
        s->attribute ? H5Aread(s->id, type, values) : H5Dread(s->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    return HB_H5(done, HB_EDATA, "%s: cannot be read", s->where);
}

static hb_status check_length(const h5_attributes *o)
{
    const long bytes = ftell(o->out);
    return bytes >= 0 && bytes <= HB_H5_ATTRIBUTES_MOST
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: has too many names and attributes", o->file);
}

/* At most `most` bytes, or up to a zero. Whether it is UTF-8 is found by who reads the JSON. */
static void write_text(const h5_attributes *o, const char *text, size_t most)
{
    putc('"', o->out);
    for (size_t i = 0; i < most && text[i] != '\0'; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\' || c < ' ') {
            fprintf(o->out, "\\u%04x", c);
        } else {
            putc(c, o->out);
        }
    }
    putc('"', o->out);
}

static hb_status write_strings(const h5_attributes *o, const source *s)
{
    const bool variable = H5Tis_variable_str(s->type) > 0;
    const size_t bytes = variable ? sizeof(char *) : H5Tget_size(s->type);
    if (bytes == 0 || bytes > MOST_STRING) {
        return HB_FAIL(HB_EDATA, "%s: strings of %zu bytes; they have at most %d", s->where, bytes, MOST_STRING);
    }
    char *fixed = calloc(s->count + 1, bytes);
    char **strings = (char **)(void *)fixed;
    if (fixed == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", s->where);
    }
    hb_status st = read_values(s, s->type, fixed);
    for (size_t i = 0; i < s->count && st == HB_OK; i++) {
        fputs(i > 0 ? ", " : "", o->out);
        const char *text = variable ? strings[i] : fixed + i * bytes;
        write_text(o, text != NULL ? text : "", variable ? MOST_STRING : bytes);
        st = check_length(o);
    }
    for (size_t i = 0; variable && i < s->count; i++) {
        (void)H5free_memory(strings[i]);
    }
    free(fixed);
    return st;
}

static hb_status write_numbers(const h5_attributes *o, const source *s, bool floats)
{
    union {
        int64_t integer;
        double real;
    } *values = calloc(s->count + 1, sizeof *values);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", s->where);
    }
    hb_status st = read_values(s, floats ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, values);
    for (size_t i = 0; i < s->count && st == HB_OK; i++) {
        char number[HB_REAL_TEXT];
        fputs(i > 0 ? ", " : "", o->out);
        if (!floats) {
            fprintf(o->out, "%" PRId64, values[i].integer);
        } else if (isfinite(values[i].real)) {
            hb_real_text(number, values[i].real);
            fputs(number, o->out);
        } else {
            st = HB_FAIL(HB_EDATA, "%s: has a number that is not finite", s->where);
        }
    }
    free(values);
    return st;
}

/* Takes how many values there are. */
static hb_status measure(source *s)
{
    hid_t space;
    HB_TRY(HB_H5(space = s->attribute ? H5Aget_space(s->id) : H5Dget_space(s->id), HB_EDATA, "%s: has no shape",
                 s->where));
    const int rank = H5Sget_simple_extent_ndims(space);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    hb_h5_close(space);
    if (rank < 0 || rank > 1 || count < (rank == 0) || count > MOST_VALUES) {
        return HB_FAIL(HB_EDATA, "%s: is neither one value nor a list of at most %d", s->where, MOST_VALUES);
    }
    s->count = (size_t)count;
    s->list = rank == 1;
    return HB_OK;
}

static hb_status write_values(const h5_attributes *o, source *s)
{
    const H5T_class_t class = H5Tget_class(s->type);
    HB_TRY(measure(s));
    if (class != H5T_STRING && class != H5T_INTEGER && class != H5T_FLOAT) {
        return HB_FAIL(HB_EDATA, "%s: holds neither text nor numbers", s->where);
    }
    fputs(s->list ? "[" : "", o->out);
    HB_TRY(class == H5T_STRING ? write_strings(o, s) : write_numbers(o, s, class == H5T_FLOAT));
    fputs(s->list ? "]" : "", o->out);
    return check_length(o);
}

/* A dataset of numbers is named, as a table; one of strings is written as a list. */
static hb_status write_dataset(const h5_attributes *o, hid_t dataset, const char *path)
{
    hid_t type;
    HB_TRY(HB_H5(type = H5Dget_type(dataset), HB_EDATA, "%s:%s: has no type", o->file, path));
    hb_status st = HB_OK;
    char *name = NULL;
    if (asprintf(&name, "%s:%s", o->file, path) < 0) {
        name = NULL;
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for a path", o->file));
    }
    if (H5Tget_class(type) == H5T_STRING) {
        source s = {.id = dataset, .type = type, .where = name, .file = o->opened};
        st = write_values(o, &s);
    } else {
        fputs("{\"file\": ", o->out);
        write_text(o, name, SIZE_MAX);
        putc('}', o->out);
    }
done:
    free(name);
    hb_h5_close(type);
    return st;
}

static hb_status write_attribute(const h5_attributes *o, hid_t group, hsize_t i, const char *path)
{
    char name[MOST_STRING] = "", where[2 * MOST_STRING];
    hid_t attribute, type = 0;
    HB_TRY(HB_H5(attribute = H5Aopen_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
                 HB_EDATA, "%s:%s: cannot open an attribute", o->file, path));
    hb_status st = HB_OK;
    HB_GOTO(
        HB_H5(H5Aget_name(attribute, sizeof name, name), HB_EDATA, "%s:%s: an attribute has no name", o->file, path));
    HB_GOTO(HB_H5(type = H5Aget_type(attribute), HB_EDATA, "%s:%s: an attribute has no type", o->file, path));
    snprintf(where, sizeof where, "%s:%s: attribute '%s'", o->file, path, name);
    write_text(o, name, sizeof name);
    fputs(": ", o->out);
    source s = {.id = attribute, .type = type, .attribute = true, .where = where};
    st = write_values(o, &s);
done:
    hb_h5_close(type);
    hb_h5_close(attribute);
    return st;
}

static hb_status write_group(const h5_attributes *o, hid_t group, const char *path, int depth);

/* Writes one link of a group, of any kind. */
static hb_status write_member(const h5_attributes *o, hid_t group, hsize_t i, const char *path, int depth)
{
    char name[MOST_STRING] = "", below[2 * MOST_STRING];
    hid_t member;
    HB_TRY(HB_H5(H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT),
                 HB_EDATA, "%s:%s: a member has no name", o->file, path));
    if ((size_t)snprintf(below, sizeof below, "%s%s%s", path, depth > 0 ? "/" : "", name) >= sizeof below) {
        return HB_FAIL(HB_EDATA, "%s: a path is too long", o->file);
    }
    HB_TRY(hb_h5_process_open_object(group, name, o->file, false, &member));
    HB_TRY(HB_H5(member, HB_EDATA, "%s:%s: cannot be opened", o->file, below));
    const H5I_type_t kind = H5Iget_type(member);
    write_text(o, name, sizeof name);
    fputs(": ", o->out);
    hb_status st;
    if (kind == H5I_DATASET) {
        st = write_dataset(o, member, below);
    } else if (kind == H5I_GROUP && depth < MOST_DEPTH) {
        st = write_group(o, member, below, depth + 1);
    } else {
        st = HB_FAIL(HB_EDATA, "%s:%s: is neither a dataset nor a group of datasets", o->file, below);
    }
    hb_h5_close(member);
    return st;
}

static hb_status write_group(const h5_attributes *o, hid_t group, const char *path, int depth)
{
    H5G_info_t info = {.nlinks = 0};
    const int attributes = H5Aget_num_attrs(group); /* the one call for it that all versions have alike */
    HB_TRY(HB_H5(H5Gget_info(group, &info), HB_EDATA, "%s:%s: is no group", o->file, path));
    HB_TRY(HB_H5(attributes, HB_EDATA, "%s:%s: has no attributes to be read", o->file, path));
    if (info.nlinks > MOST_MEMBERS || attributes > MOST_MEMBERS) {
        return HB_FAIL(HB_EDATA, "%s:%s: has more than %d members or attributes", o->file, path, MOST_MEMBERS);
    }
    const char *comma = "";
    putc('{', o->out);
    for (int i = 0; i < attributes; i++, comma = ", ") {
        fputs(comma, o->out);
        HB_TRY(write_attribute(o, group, (hsize_t)i, path));
    }
    for (hsize_t i = 0; i < info.nlinks; i++, comma = ", ") {
        fputs(comma, o->out);
        HB_TRY(write_member(o, group, i, path, depth));
    }
    putc('}', o->out);
    return check_length(o);
}

hb_status hb_h5_attributes_text(hid_t handle, const char *file, const char *opened, char **text, size_t *bytes)
{
    h5_attributes o = {.file = file, .opened = opened};
    hid_t root = 0;
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(root = H5Gopen2(handle, "/", H5P_DEFAULT), HB_EDATA, "%s: has no root", file));
    o.out = open_memstream(text, bytes);
    if (o.out == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for its contents", file));
    }
    st = write_group(&o, root, "/", 0);
    const bool failed = ferror(o.out) != 0;
    if ((fclose(o.out) != 0 || failed) && st == HB_OK) {
        st = HB_FAIL(HB_ENOMEM, "%s: no memory for its contents", file);
    }
done:
    hb_h5_close(root);
    return st;
}
