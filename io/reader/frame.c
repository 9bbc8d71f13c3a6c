/* Frames as pandas writes them (DataFrame.to_hdf). In format "fixed" a group has the columns of each type as one
 * two-dimensional dataset, blockK_values, and their names, blockK_items. In format "table" a group has a dataset of
 * compounds, `table`. Its members are columns, or arrays of columns of one type; its attributes have their names, as
 * Python lists in a pickle of protocol 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5.h"
#include "source_private.h"

enum { MOST_TEXT = 1 << 20 /* bytes of an attribute, and of names of a block */, MOST_BLOCKS = 1 << 12 };

/* Texts that the end of the process frees. */
typedef struct texts {
    const char **text;
    uint64_t count;
} texts;

static hb_status no_memory(const hb_sources *s)
{
    return HB_FAIL(HB_ENOMEM, "%s: no memory for its columns", s->name);
}

/* Refuses a frame, with advice. */
static hb_status refuse(const hb_sources *s, const char *what)
{
    return HB_FAIL(HB_EDATA,
                   "%s: a frame of pandas %s; pandas.read_hdf(...).to_csv(...) makes a table of it, "
                   "which is read",
                   s->name, what);
}

/* Reads an attribute that is a text of fixed length; *text is NULL where the object has none, or an empty one. The
 * caller frees it, also after a failure. HB_EDATA for another type. */
static hb_status read_text(const hb_sources *s, hid_t object, const char *name, char **text)
{
    hid_t attribute = 0, type = 0, space = 0;
    htri_t there;
    hb_status st = HB_OK;
    *text = NULL;
    HB_TRY(HB_H5(there = H5Aexists(object, name), HB_EDATA, "%s: its attributes cannot be read", s->name));
    if (there == 0) {
        return HB_OK;
    }
    HB_GOTO(HB_H5(attribute = H5Aopen(object, name, H5P_DEFAULT), HB_EDATA, "%s: cannot open attribute '%s'", s->name,
                  name));
    HB_GOTO(HB_H5(type = H5Aget_type(attribute), HB_EDATA, "%s: attribute '%s' has no type", s->name, name));
    HB_GOTO(HB_H5(space = H5Aget_space(attribute), HB_EDATA, "%s: attribute '%s' has no shape", s->name, name));
    const size_t size = H5Tget_size(type);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count == 0) {
        goto done;
    }
    if (count != 1 || size == 0 || size > MOST_TEXT || H5Tget_class(type) != H5T_STRING ||
        H5Tis_variable_str(type) != 0) {
        HB_GOTO(refuse(s, "has other attributes than pandas writes"));
    }
    *text = calloc(1, size + 1);
    if (*text == NULL) {
        HB_GOTO(no_memory(s));
    }
    st = HB_H5(H5Aread(attribute, type, *text), HB_EDATA, "%s: cannot read attribute '%s'", s->name, name);
done:
    hb_h5_close(space);
    hb_h5_close(type);
    hb_h5_close(attribute);
    return st;
}

/* Refuses a frame where an attribute has a word: its integers stand for other values. */
static hb_status check_word(const hb_sources *s, hid_t object, const char *name, const char *word, const char *what)
{
    char *text;
    hb_status st = read_text(s, object, name, &text);
    if (st == HB_OK && text != NULL && strstr(text, word) != NULL) {
        st = refuse(s, what);
    }
    free(text);
    return st;
}

bool hb_is_frame(hid_t group)
{
    return H5Aexists(group, "pandas_type") != 0; /* where that cannot be told, finding its columns says so */
}

/* Opens a dataset of the frame, which has to be one. The caller closes it, also after a failure. */
static hb_status open_member(const hb_sources *s, hid_t group, const char *name, hid_t *dataset)
{
    HB_TRY(hb_h5_process_open_object(group, name, s->name, s->follows, dataset));
    HB_TRY(HB_H5(*dataset, HB_EDATA, "%s: a frame of pandas without %s", s->name, name));
    return H5Iget_type(*dataset) == H5I_DATASET
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: a frame of pandas whose %s is no dataset", s->name, name);
}

/* --- names in a pickle */

static hb_status add_text(const hb_sources *s, texts *t, char *text)
{
    if (text == NULL) {
        return no_memory(s);
    }
    if ((t->count & (t->count - 1)) == 0) {
        const char **more = realloc(t->text, (size_t)(t->count > 0 ? 2 * t->count : 1) * sizeof *more);
        if (more == NULL) {
            return no_memory(s);
        }
        t->text = more;
    }
    t->text[t->count++] = text;
    return HB_OK;
}

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xf0 | (c >> 18 & 7));
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* Text as pickle writes it: Latin-1, in which \uXXXX and \UXXXXXXXX stand for other characters. */
static char *unescape(const char *from, size_t length)
{
    char *text = calloc(2, length + 1), *to = text; /* a byte becomes two at most */
    for (size_t i = 0; text != NULL && i < length; i++) {
        const size_t digits = from[i] != '\\' || i + 1 == length ? 0
                              : from[i + 1] == 'u'               ? 4
                              : from[i + 1] == 'U'               ? 8
                                                                 : 0;
        uint32_t c = (unsigned char)from[i];
        if (digits > 0 && length - i - 2 >= digits) {
            char hex[9] = "";
            memcpy(hex, from + i + 2, digits);
            c = (uint32_t)strtoul(hex, NULL, 16);
            i += digits + 1;
        }
        to = put_utf8(to, c);
    }
    return text;
}

/* Reads the texts of a pickle that holds lists of texts, numbers and nothing else; no other instruction of pickle is
 * followed. */
static hb_status read_pickle(const hb_sources *s, const char *pickle, texts *t)
{
    for (const char *at = pickle; *at != '\0' && *at != '.'; at++) {
        const char *end = strchr(at, '\n');
        if (strchr("(lat", *at) != NULL) {
            continue; /* brackets: which list a text is in follows from the order */
        }
        if (strchr("pIV", *at) == NULL || end == NULL) {
            return refuse(s, "has names that are no texts");
        }
        if (*at == 'V') {
            if (t->count == HB_MOST_SOURCES) {
                return refuse(s, "has too many names");
            }
            HB_TRY(add_text(s, t, unescape(at + 1, (size_t)(end - at) - 1)));
        }
        at = end;
    }
    return HB_OK;
}

static hb_status read_pickled(const hb_sources *s, hid_t object, const char *attribute, texts *t)
{
    char *pickle;
    hb_status st = read_text(s, object, attribute, &pickle);
    if (st == HB_OK) {
        st = pickle == NULL ? refuse(s, "has no names") : read_pickle(s, pickle, t);
    }
    free(pickle);
    return st;
}

/* --- order */

static bool place_of(const texts *order, const char *name, uint64_t *place)
{
    uint64_t i = 0;
    while (i < order->count && strcmp(order->text[i], name) != 0) {
        i++;
    }
    *place = i;
    return i < order->count;
}

/* Brings columns from the order of blocks into that of the frame, which says no others. */
static hb_status order_columns(hb_sources *s, const texts *order)
{
    uint64_t place, count = 0;
    if (order->count < s->count || (s->wanted_count == 0 && order->count > s->count)) {
        return refuse(s, "has other columns than it says");
    }
    hb_source *ordered = calloc((size_t)order->count + 1, sizeof *ordered);
    if (ordered == NULL) {
        return no_memory(s);
    }
    for (uint64_t c = 0; c < s->count; c++) {
        if (!place_of(order, s->source[c].name, &place) || ordered[place].name != NULL) {
            free(ordered);
            return refuse(s, "has other columns than it says");
        }
        ordered[place] = s->source[c];
    }
    /* Unwanted columns leave gaps. */
    for (uint64_t i = 0; i < order->count; i++) {
        ordered[count] = ordered[i];
        count += ordered[i].name != NULL;
    }
    free(s->source);
    s->source = ordered;
    return HB_OK;
}

/* --- format "table" */

/* By the attributes MEMBER_meta and MEMBER_dtype. */
static hb_status check_member(const hb_sources *s, hid_t table, const char *member)
{
    char attribute[HB_COLUMN_NAME_MAX + 16];
    snprintf(attribute, sizeof attribute, "%s_meta", member);
    HB_TRY(check_word(s, table, attribute, "category", "has a categorical column"));
    snprintf(attribute, sizeof attribute, "%s_dtype", member);
    /* datetime64, timedelta64 */
    return check_word(s, table, attribute, "time", "has a column of times");
}

static hb_status add_table_member(hb_sources *s, const hb_compounds *of, unsigned i, const char *member)
{
    const hid_t table = of->dataset;
    char attribute[HB_COLUMN_NAME_MAX + 16];
    texts names = {NULL, 0};
    if (strcmp(member, "index") == 0) {
        return HB_OK; /* the numbers of rows, mostly */
    }
    if (strlen(member) > HB_COLUMN_NAME_MAX) {
        return refuse(s, "has too long a name");
    }
    snprintf(attribute, sizeof attribute, "%s_kind", member);
    HB_TRY(read_pickled(s, table, attribute, &names));
    if (!hb_sources_want(s, member, names.text, names.count)) {
        return HB_OK;
    }
    HB_TRY(check_member(s, table, member));
    return hb_sources_add_member(s, of, i, names.text, names.count);
}

static hb_status find_table(hid_t group, hb_sources *s)
{
    texts order = {NULL, 0};
    hb_compounds of = {.rows = 0};
    hid_t table, type = 0;
    HB_TRY(open_member(s, group, "table", &table));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(type = H5Dget_type(table), HB_EDATA, "%s: its table has no type", s->name));
    if (H5Tget_class(type) != H5T_COMPOUND) {
        HB_GOTO(refuse(s, "is no table of compounds"));
    }
    HB_GOTO(hb_sources_open_compounds(s, table, &of));
    for (int i = 0, members = H5Tget_nmembers(type); i < members; i++) {
        char *member = H5Tget_member_name(type, (unsigned)i);
        st = member == NULL ? no_memory(s) : add_table_member(s, &of, (unsigned)i, member);
        H5free_memory(member);
        HB_GOTO(st);
    }
    HB_GOTO(read_pickled(s, group, "non_index_axes", &order));
    st = order_columns(s, &order);
done:
    hb_h5_close(type);
    return st;
}

/* --- format "fixed" */

/* Reads a list of names, strings of fixed length. */
static hb_status read_items(const hb_sources *s, hid_t group, const char *name, texts *t)
{
    hid_t dataset, type = 0, space = 0;
    char *all = NULL;
    hsize_t count = 0;
    hb_status st = HB_OK;
    HB_GOTO(open_member(s, group, name, &dataset));
    HB_GOTO(hb_h5_process_check_storage(dataset, s->name, s->file, s->follows));
    HB_GOTO(HB_H5(type = H5Dget_type(dataset), HB_EDATA, "%s: %s has no type", s->name, name));
    HB_GOTO(HB_H5(space = H5Dget_space(dataset), HB_EDATA, "%s: %s has no shape", s->name, name));
    const size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || H5Sget_simple_extent_ndims(space) != 1 ||
        H5Sget_simple_extent_dims(space, &count, NULL) != 1 || size == 0 || size > MOST_TEXT ||
        count > MOST_TEXT / size) {
        HB_GOTO(refuse(s, "has names that are no texts"));
    }
    all = calloc((size_t)count + 1, size);
    if (all == NULL) {
        HB_GOTO(no_memory(s));
    }
    HB_GOTO(HB_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all), HB_EDATA, "%s: cannot read %s", s->name,
                  name));
    for (hsize_t i = 0; i < count && st == HB_OK; i++) {
        st = add_text(s, t, strndup(all + i * size, size));
    }
done:
    free(all);
    hb_h5_close(space);
    hb_h5_close(type);
    hb_h5_close(dataset);
    return st;
}

static hb_status add_block(hb_sources *s, hid_t group, int block)
{
    char name[40];
    texts names = {NULL, 0};
    hid_t values;
    snprintf(name, sizeof name, "block%d_items", block);
    HB_TRY(read_items(s, group, name, &names));
    if (!hb_sources_want(s, name, names.text, names.count)) {
        return HB_OK;
    }
    snprintf(name, sizeof name, "block%d_values", block);
    HB_TRY(open_member(s, group, name, &values));
    const hid_t type = H5Dget_type(values);
    const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    hb_h5_close(type);
    if (class == H5T_VLEN || class == H5T_STRING) {
        return refuse(s, "has a column of texts");
    }
    HB_TRY(check_word(s, values, "value_type", "time", "has a column of times"));
    /* Kept: a column's name is its own. */
    char *kept = strdup(name);
    return kept == NULL ? no_memory(s) : hb_sources_add(s, values, kept, names.text, names.count);
}

static hb_status find_fixed(hid_t group, hb_sources *s)
{
    int64_t blocks = 0;
    texts order = {NULL, 0};
    const hid_t attribute = H5Aexists(group, "nblocks") > 0 ? H5Aopen(group, "nblocks", H5P_DEFAULT) : H5I_INVALID_HID;
    const hid_t space = attribute < 0 ? H5I_INVALID_HID : H5Aget_space(attribute);
    const bool one = space >= 0 && H5Sget_simple_extent_npoints(space) == 1;
    const bool read = one && H5Aread(attribute, H5T_NATIVE_INT64, &blocks) >= 0;
    hb_h5_close(space);
    hb_h5_close(attribute);
    if (!read || blocks < 1 || blocks > MOST_BLOCKS) {
        return refuse(s, "does not say how many blocks it has");
    }
    for (int block = 0; block < (int)blocks; block++) {
        HB_TRY(add_block(s, group, block));
    }
    HB_TRY(read_items(s, group, "axis0", &order));
    return order_columns(s, &order);
}

hb_status hb_frame_find(hid_t group, hb_sources *s)
{
    char *kind;
    const hb_status st = read_text(s, group, "pandas_type", &kind);
    const bool table = kind != NULL && strcmp(kind, "frame_table") == 0;
    const bool fixed = kind != NULL && strcmp(kind, "frame") == 0;
    free(kind);
    HB_TRY(st);
    return table ? find_table(group, s) : fixed ? find_fixed(group, s) : refuse(s, "of another kind than one frame");
}
