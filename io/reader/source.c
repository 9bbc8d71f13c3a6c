#include "source_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/h5/h5.h"

static hb_status no_memory(const hb_sources *s)
{
    return HB_FAIL(HB_ENOMEM, "%s: no memory for its columns", s->name);
}

/* --- types */

/* Values of an enumeration in ascending order, so that a value is found by halving. */
static void sort_values(hb_source *source)
{
    /* Most are in order already, and none has many. */
    for (uint64_t i = 1; i < source->count; i++) {
        const int64_t value = source->value[i];
        const char *label = source->label[i];
        uint64_t at = i;
        for (; at > 0 && source->value[at - 1] > value; at--) {
            source->value[at] = source->value[at - 1];
            source->label[at] = source->label[at - 1];
        }
        source->value[at] = value;
        source->label[at] = label;
    }
}

static bool is_truth(const hb_source *source)
{
    return source->count == 2 && source->value[0] == 0 && source->value[1] == 1 &&
           strcasecmp(source->label[0], "false") == 0 && strcasecmp(source->label[1], "true") == 0;
}

static hb_status refuse_enumeration(const hb_sources *s, const hb_source *source)
{
    return HB_FAIL(HB_EDATA, "%s: column '%s': its type is an enumeration without values that integers hold", s->name,
                   source->name);
}

/* Values of enumerations are of a type of their own, which HDF5 converts. */
static hb_status read_enumeration(const hb_sources *s, hid_t type, hb_source *source)
{
    enum { MOST_SIZE = 8, MOST_MEMBERS = 1 << 12 };
    const int members = H5Tget_nmembers(type);
    const hid_t base = H5Tget_super(type);
    hb_status st = HB_OK;
    if (members <= 0 || members > MOST_MEMBERS || base < 0 || H5Tget_class(base) != H5T_INTEGER ||
        H5Tget_size(type) > MOST_SIZE) {
        HB_GOTO(refuse_enumeration(s, source));
    }
    source->value = calloc((size_t)members, sizeof *source->value);
    source->label = calloc((size_t)members, sizeof *source->label);
    if (source->value == NULL || source->label == NULL) {
        HB_GOTO(no_memory(s));
    }
    source->count = (uint64_t)members;
    for (int i = 0; i < members; i++) {
        source->label[i] = H5Tget_member_name(type, (unsigned)i);
        if (source->label[i] == NULL || H5Tget_member_value(type, (unsigned)i, &source->value[i]) < 0 ||
            H5Tconvert(base, H5T_NATIVE_INT64, 1, &source->value[i], NULL, H5P_DEFAULT) < 0) {
            HB_GOTO(refuse_enumeration(s, source));
        }
    }
    sort_values(source);
    source->meaning = is_truth(source) ? HB_MEANING_BOOL : HB_MEANING_CATEGORY;
done:
    hb_h5_close(base);
    return st;
}

static const char *what_to_do(H5T_class_t class)
{
    if (class == H5T_STRING || class == H5T_VLEN) {
        return "texts: --columns leaves them out; texts are read as labels alone, of an enumeration or a CSV, and are "
               "PUBLIC then";
    }
    return class == H5T_COMPOUND ? "compounds, which only a table's rows may be" : "what are no numbers";
}

/* Takes the facts about a column's values from its type. */
static hb_status take_type(const hb_sources *s, hid_t type, hb_source *source)
{
    const size_t size = H5Tget_size(type);
    source->class = H5Tget_class(type);
    if (source->class == H5T_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8)) {
        source->below = H5Tget_sign(type) == H5T_SGN_2;
        source->is_signed = source->below && !s->real;
        return HB_OK;
    }
    if (source->class == H5T_BITFIELD && size == 1) {
        source->meaning = HB_MEANING_BOOL;
        return HB_OK;
    }
    if (source->class == H5T_ENUM) {
        return read_enumeration(s, type, source);
    }
    if (source->class == H5T_FLOAT) {
        source->cells.bits = (uint64_t)hb_h5_float_bits(type);
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA, "%s: column '%s' holds %s", s->name, source->name, what_to_do(source->class));
}

/* Which of its numbers stand for missing cells. */
static hb_status find_gaps(const hb_sources *s, hid_t dataset, hid_t type, hb_source *source)
{
    const hb_gaps_of of = {.table = s->name,
                           .column = source->name,
                           .bits = (int)source->cells.bits,
                           .is_signed = source->class == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2,
                           .numbers = source->class == H5T_INTEGER || source->class == H5T_FLOAT};
    return hb_h5_process_find_gaps(&of, dataset, &source->cells.gaps);
}

/* --- columns */

/* Whether a name that is wanted is this one, or, of members that are arrays, this one with a number behind it. */
static bool is_wanted(const hb_sources *s, const char *name, bool numbered)
{
    const size_t length = strlen(name);
    bool found = s->wanted_count == 0;
    for (uint32_t i = 0; !found && i < s->wanted_count; i++) {
        found = strcmp(s->wanted[i], name) == 0 ||
                (numbered && strncmp(s->wanted[i], name, length) == 0 && s->wanted[i][length] == '_');
    }
    return found;
}

bool hb_sources_want(const hb_sources *s, const char *name, const char *const *names, uint64_t count)
{
    bool any = names == NULL && is_wanted(s, name, true);
    for (uint64_t i = 0; names != NULL && !any && i < count; i++) {
        any = is_wanted(s, names[i], false);
    }
    return any;
}

static hb_status add(hb_sources *s, const hb_source *source)
{
    if (!is_wanted(s, source->name, false)) {
        return HB_OK;
    }
    if (s->count == HB_MOST_SOURCES) {
        return HB_FAIL(HB_EDATA, "%s: has more than %" PRIu64 " columns", s->name, HB_MOST_SOURCES);
    }
    if (strlen(source->name) > HB_COLUMN_NAME_MAX) {
        return HB_FAIL(HB_EDATA, "%s: the name of column %" PRIu64 " has more than %d bytes", s->name, s->count + 1,
                       HB_COLUMN_NAME_MAX);
    }
    /* At powers of two there is no room for one more. */
    if ((s->count & (s->count - 1)) == 0) {
        hb_source *more = realloc(s->source, (size_t)(s->count > 0 ? 2 * s->count : 1) * sizeof *more);
        if (more == NULL) {
            return no_memory(s);
        }
        s->source = more;
    }
    s->source[s->count++] = *source;
    return HB_OK;
}

/* All parts have the same rows. */
static hb_status take_rows(hb_sources *s, const char *name, uint64_t rows)
{
    if (s->count > 0 && rows != s->rows) {
        return HB_FAIL(HB_EDATA, "%s: '%s' has %" PRIu64 " rows, those before it %" PRIu64, s->name, name, rows,
                       s->rows);
    }
    s->rows = rows;
    return HB_OK;
}

/* Shape of a dataset of one or two dimensions. */
static hb_status read_shape(const hb_sources *s, hid_t dataset, const char *name, uint64_t shape[2], bool *wide)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(dataset);
    const int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, extent, NULL);
    hb_h5_close(space);
    if ((rank != 1 && rank != 2) || (rank == 2 && (extent[1] == 0 || extent[1] > HB_MOST_SOURCES))) {
        return HB_FAIL(HB_EDATA, "%s: '%s' has %d dimensions, or no columns: a table has rows and columns", s->name,
                       name, rank);
    }
    shape[0] = extent[0];
    shape[1] = rank == 2 ? extent[1] : 1;
    *wide = rank == 2;
    return HB_OK;
}

/* Adds one column for each of `shared->elements` or of `wide` columns, which differ in their place alone. */
static hb_status add_each(hb_sources *s, const hb_source *shared, uint64_t places, const char *const *names,
                          uint64_t count)
{
    if (names != NULL && count != places) {
        return HB_FAIL(HB_EDATA, "%s: '%s' has %" PRIu64 " columns and %" PRIu64 " names", s->name, shared->name,
                       places, count);
    }
    for (uint64_t i = 0; i < places; i++) {
        hb_source one = *shared;
        char *made = NULL;
        one.element = shared->wide ? 0 : (uint32_t)i;
        one.column = shared->wide ? i : 0;
        if (names == NULL && places > 1 && asprintf(&made, "%s_%" PRIu64, shared->name, i) < 0) {
            return no_memory(s);
        }
        one.name = names != NULL ? names[i] : made != NULL ? made : shared->name;
        HB_TRY(add(s, &one));
    }
    return HB_OK;
}

hb_status hb_sources_open_compounds(const hb_sources *s, hid_t dataset, hb_compounds *of)
{
    uint64_t shape[2];
    bool wide;
    HB_TRY(read_shape(s, dataset, "/", shape, &wide));
    if (wide) {
        return HB_FAIL(HB_EDATA, "%s: has compounds in two dimensions; a table of them has one", s->name);
    }
    *of = (hb_compounds){.dataset = dataset, .rows = shape[0]};
    HB_TRY(hb_h5_process_check_storage(dataset, s->name, s->file, s->follows));
    return find_gaps(s, dataset, H5I_INVALID_HID, &(hb_source){.class = H5T_COMPOUND, .name = "/"});
}

hb_status hb_sources_add_member(hb_sources *s, const hb_compounds *of, unsigned member, const char *const *names,
                                uint64_t count)
{
    const hid_t row = H5Dget_type(of->dataset);
    const char *name = row < 0 ? NULL : H5Tget_member_name(row, member); /* kept by the column */
    hid_t type = name == NULL ? H5I_INVALID_HID : H5Tget_member_type(row, member);
    hb_status st = HB_OK;
    hb_source source = {.dataset = of->dataset, .name = count > 0 ? names[0] : name, .member = name, .elements = 1};
    if (name != NULL && !hb_sources_want(s, name, names, count)) {
        goto done;
    }
    /* For a damaged file a member may lie outside its compound, which HDF5 copies all the same. */
    const size_t whole = row < 0 ? 0 : H5Tget_size(row), own = type < 0 ? 0 : H5Tget_size(type);
    if (type < 0 || own > whole || H5Tget_member_offset(row, member) > whole - own) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: member %u of its compounds cannot be read", s->name, member));
    }
    if (H5Tget_class(type) == H5T_ARRAY) {
        hsize_t extent[H5S_MAX_RANK] = {0};
        const hid_t element = H5Tget_super(type);
        const bool list = H5Tget_array_ndims(type) == 1 && H5Tget_array_dims2(type, extent) == 1 && extent[0] > 0 &&
                          extent[0] <= HB_MOST_SOURCES;
        hb_h5_close(type);
        type = element;
        if (!list || element < 0) {
            HB_GOTO(HB_FAIL(HB_EDATA, "%s: column '%s' holds arrays of several dimensions", s->name, name));
        }
        source.elements = (uint32_t)extent[0];
        source.array = true;
    }
    HB_GOTO(take_rows(s, name, of->rows));
    HB_GOTO(take_type(s, type, &source));
    st = add_each(s, &source, source.elements, names, count);
done:
    hb_h5_close(type);
    hb_h5_close(row);
    return st;
}

static hb_status add_members(hb_sources *s, hid_t dataset, hid_t type)
{
    const int members = H5Tget_nmembers(type);
    hb_compounds of = {.rows = 0};
    HB_TRY(hb_sources_open_compounds(s, dataset, &of));
    for (int i = 0; i < members; i++) {
        HB_TRY(hb_sources_add_member(s, &of, (unsigned)i, NULL, 0));
    }
    return HB_OK;
}

hb_status hb_sources_add(hb_sources *s, hid_t dataset, const char *name, const char *const *names, uint64_t count)
{
    uint64_t shape[2];
    hb_source source = {.dataset = dataset, .name = count > 0 ? names[0] : name, .elements = 1};
    hid_t type;
    HB_TRY(HB_H5(type = H5Dget_type(dataset), HB_EDATA, "%s: '%s' has no type", s->name, name));
    hb_status st = HB_OK;
    if (H5Tget_class(type) == H5T_COMPOUND && names == NULL && s->count == 0) {
        HB_GOTO(add_members(s, dataset, type));
        goto done;
    }
    HB_GOTO(read_shape(s, dataset, name, shape, &source.wide));
    HB_GOTO(hb_h5_process_check_storage(dataset, s->name, s->file, s->follows));
    HB_GOTO(take_rows(s, name, shape[0]));
    HB_GOTO(take_type(s, type, &source));
    HB_GOTO(find_gaps(s, dataset, type, &source));
    st = add_each(s, &source, shape[1], names, count);
done:
    hb_h5_close(type);
    return st;
}

/* --- groups */

/* Members in the order in which they were made, where the file knows it, else by their names. */
static H5_index_t order_of(hid_t group)
{
    const hid_t creation = H5Gget_create_plist(group);
    unsigned flags = 0;
    const bool tracked = creation >= 0 && H5Pget_link_creation_order(creation, &flags) >= 0 &&
                         (flags & H5P_CRT_ORDER_TRACKED) != 0 && (flags & H5P_CRT_ORDER_INDEXED) != 0;
    hb_h5_close(creation);
    return tracked ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

static hb_status add_dataset(hb_sources *s, hid_t group, H5_index_t order, hsize_t i)
{
    char name[HB_COLUMN_NAME_MAX + 2] = "";
    hid_t member;
    HB_TRY(HB_H5(H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT), HB_EDATA,
                 "%s: a member has no name", s->name));
    /* A name that is cut opens nothing, or another dataset. */
    if (strlen(name) > HB_COLUMN_NAME_MAX) {
        return HB_FAIL(HB_EDATA, "%s: the name of a column has more than %d bytes", s->name, HB_COLUMN_NAME_MAX);
    }
    if (!is_wanted(s, name, false)) {
        return HB_OK;
    }
    HB_TRY(hb_h5_process_open_object(group, name, s->name, s->follows, &member));
    HB_TRY(HB_H5(member, HB_EDATA, "%s: '%s' cannot be opened", s->name, name));
    uint64_t shape[2];
    bool wide = false;
    hb_status st = HB_OK;
    char *kept = strdup(name);
    if (kept == NULL) {
        st = no_memory(s);
    } else if (H5Iget_type(member) != H5I_DATASET) {
        st = HB_FAIL(HB_EDATA,
                     "%s: '%s' is no dataset; a group is a table where all of its members are columns: datasets of one "
                     "dimension",
                     s->name, name);
    } else {
        st = read_shape(s, member, name, shape, &wide);
    }
    if (st == HB_OK && wide) {
        st = HB_FAIL(HB_EDATA, "%s: '%s' has two dimensions; it is a table by itself, and not a column of one", s->name,
                     name);
    }
    return st == HB_OK ? hb_sources_add(s, member, kept, (const char *const[]){kept}, 1) : st;
}

static hb_status find_in_group(hid_t group, hb_sources *s)
{
    H5G_info_t info = {.nlinks = 0};
    const H5_index_t order = order_of(group);
    HB_TRY(HB_H5(H5Gget_info(group, &info), HB_EDATA, "%s: is no group", s->name));
    if (info.nlinks == 0 || info.nlinks > HB_MOST_SOURCES) {
        return HB_FAIL(HB_EDATA, "%s: is a group of %" PRIu64 " members; a table has 1 to %" PRIu64 " columns", s->name,
                       (uint64_t)info.nlinks, HB_MOST_SOURCES);
    }
    for (hsize_t i = 0; i < info.nlinks; i++) {
        HB_TRY(add_dataset(s, group, order, i));
    }
    return HB_OK;
}

static hb_status find(hid_t object, hb_sources *s)
{
    s->named = true;
    if (H5Iget_type(object) != H5I_GROUP) {
        HB_TRY(hb_sources_add(s, object, "1", NULL, 0));
        s->named = s->count == 0 || s->source[0].member != NULL;
        s->flat = !s->named && !s->source[0].wide;
        return HB_OK;
    }
    return hb_is_frame(object) ? hb_frame_find(object, s) : find_in_group(object, s);
}

hb_status hb_sources_find(hid_t object, hb_sources *s)
{
    HB_TRY(find(object, s));
    for (uint32_t i = 0; i < s->wanted_count; i++) {
        uint64_t c = 0;
        while (c < s->count && strcmp(s->source[c].name, s->wanted[i]) != 0) {
            c++;
        }
        if (c == s->count) {
            return HB_FAIL(HB_EUSAGE, "%s: there is no column '%.64s'", s->name, s->wanted[i]);
        }
    }
    return s->count > 0 ? HB_OK : HB_FAIL(HB_EDATA, "%s: has no columns", s->name);
}
