#include "reader_source_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/base/real_text.h"
#include "io/h5/h5.h"
#include "table_private.h"

/* Numbers that are read at a time. */
#define BATCH ((uint64_t)1 << 17)

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

static const char *what_to_do(H5T_class_t class, bool real)
{
    if (class == H5T_STRING || class == H5T_VLEN) {
        return "texts: make them an enumeration, or a CSV and --category";
    }
    if (class == H5T_FLOAT && !real) {
        return "fractions, and these parameters are for integers; keygen --params ckks-14 makes keys for reals";
    }
    return class == H5T_COMPOUND ? "compounds, which only a table's rows may be" : "what are no numbers";
}

/* Takes what a type says of a column's values. */
static hb_status take_type(const hb_sources *s, hid_t type, hb_source *source)
{
    const size_t size = H5Tget_size(type);
    source->class = H5Tget_class(type);
    if (source->class == H5T_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8)) {
        source->is_signed = !s->real && H5Tget_sign(type) == H5T_SGN_2;
        return HB_OK;
    }
    if (source->class == H5T_BITFIELD && size == 1) {
        source->meaning = HB_MEANING_BOOL;
        return HB_OK;
    }
    if (source->class == H5T_ENUM) {
        return read_enumeration(s, type, source);
    }
    if (source->class == H5T_FLOAT && s->real) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA, "%s: column '%s' holds %s", s->name, source->name, what_to_do(source->class, s->real));
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

hb_status hb_sources_add_member(hb_sources *s, hid_t dataset, unsigned member, const char *const *names, uint64_t count)
{
    uint64_t shape[2];
    const hid_t row = H5Dget_type(dataset);
    const char *name = row < 0 ? NULL : H5Tget_member_name(row, member); /* kept by the column */
    hid_t type = name == NULL ? H5I_INVALID_HID : H5Tget_member_type(row, member);
    hb_status st = HB_OK;
    hb_source source = {.dataset = dataset, .name = count > 0 ? names[0] : name, .member = name, .elements = 1};
    if (name != NULL && !hb_sources_want(s, name, names, count)) {
        goto done;
    }
    /* Of a damaged file a member may lie outside its compound, which HDF5 copies all the same. */
    const size_t whole = row < 0 ? 0 : H5Tget_size(row), own = type < 0 ? 0 : H5Tget_size(type);
    if (type < 0 || own > whole || H5Tget_member_offset(row, member) > whole - own) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: member %u of its compounds cannot be read", s->name, member));
    }
    HB_GOTO(read_shape(s, dataset, name, shape, &source.wide));
    if (source.wide) {
        HB_GOTO(HB_FAIL(HB_EDATA, "%s: has compounds in two dimensions; a table of them has one", s->name));
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
    HB_GOTO(take_rows(s, name, shape[0]));
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
    for (int i = 0; i < members; i++) {
        HB_TRY(hb_sources_add_member(s, dataset, (unsigned)i, NULL, 0));
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
    HB_GOTO(take_rows(s, name, shape[0]));
    HB_GOTO(take_type(s, type, &source));
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
    HB_TRY(HB_H5(member = H5Oopen(group, name, H5P_DEFAULT), HB_EDATA, "%s: '%s' cannot be opened", s->name, name));
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

/* --- values */

/* Makes the type that numbers of a column are read as, of `elements` and in a compound where it has those. */
static hb_status memory_type(const hb_sources *s, const hb_source *source, hid_t *type)
{
    const hid_t number = source->class == H5T_BITFIELD ? H5T_NATIVE_B8
                         : source->class == H5T_ENUM   ? H5T_NATIVE_INT64
                         : s->real                     ? H5T_NATIVE_DOUBLE
                         : source->is_signed           ? H5T_NATIVE_INT64
                                                       : H5T_NATIVE_UINT64;
    const hsize_t extent = source->elements;
    hid_t inner, row = 0;
    HB_TRY(HB_H5(inner = source->array ? H5Tarray_create2(number, 1, &extent) : H5Tcopy(number), HB_ENOMEM,
                 "%s: no memory to read it", s->name));
    hb_status st = HB_OK;
    if (source->member == NULL) {
        *type = inner;
        return HB_OK;
    }
    HB_GOTO(HB_H5(row = H5Tcreate(H5T_COMPOUND, H5Tget_size(inner)), HB_ENOMEM, "%s: no memory to read it", s->name));
    HB_GOTO(HB_H5(H5Tinsert(row, source->member, 0, inner), HB_ENOMEM, "%s: no memory to read it", s->name));
done:
    hb_h5_close(inner);
    *type = row;
    return st;
}

/* Reads all numbers of some rows, of which a member that is an array has several. */
static hb_status read_numbers(const hb_sources *s, const hb_source *source, uint64_t row, uint64_t rows, void *numbers)
{
    const hsize_t start[2] = {row, source->column}, extent[2] = {rows, 1};
    hid_t space, memory = 0, type = 0;
    HB_TRY(HB_H5(space = H5Dget_space(source->dataset), HB_EDATA, "%s: has no shape", s->name));
    hb_status st = HB_OK;
    HB_GOTO(HB_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL), HB_EIO,
                  "%s: column '%s': cannot select rows %" PRIu64 " to %" PRIu64, s->name, source->name, row + 1,
                  row + rows));
    HB_GOTO(HB_H5(memory = H5Screate_simple(1, extent, NULL), HB_ENOMEM, "%s: no memory to read it", s->name));
    HB_GOTO(memory_type(s, source, &type));
    st = HB_H5(H5Dread(source->dataset, type, memory, space, H5P_DEFAULT, numbers), HB_EIO,
               "%s: column '%s': cannot read rows %" PRIu64 " to %" PRIu64, s->name, source->name, row + 1, row + rows);
done:
    hb_h5_close(type);
    hb_h5_close(memory);
    hb_h5_close(space);
    return st;
}

/* The place of a value among those of its type. */
static bool find_value(const hb_source *source, int64_t value, uint64_t *place)
{
    uint64_t low = 0, high = source->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (source->value[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *place = low;
    return low < source->count && source->value[low] == value;
}

/* Makes the word of a number as it was read. */
static bool word_of(const hb_sources *s, const hb_source *source, const uint64_t *numbers, uint64_t at, uint64_t *word)
{
    bool known = true;
    if (source->class == H5T_BITFIELD) {
        *word = ((const uint8_t *)numbers)[at];
        known = *word <= 1;
    } else if (source->class == H5T_ENUM) {
        known = find_value(source, (int64_t)numbers[at], word);
    } else {
        *word = numbers[at];
        return true;
    }
    *word = s->real ? hb_real_word((double)*word) : *word;
    return known;
}

/* Reads one column of a rectangle, to every `columns`-th word. */
static hb_status read_column(const hb_sources *s, const hb_source *source, const hb_rectangle *cells, uint64_t *numbers,
                             uint64_t *values)
{
    const uint64_t fit = BATCH / source->elements, most = fit > 0 ? fit : 1;
    for (uint64_t row = 0; row < cells->rows; row += most) {
        const uint64_t rows = cells->rows - row < most ? cells->rows - row : most;
        HB_TRY(read_numbers(s, source, cells->row + row, rows, numbers));
        for (uint64_t r = 0; r < rows; r++) {
            if (!word_of(s, source, numbers, r * source->elements + source->element,
                         values + (row + r) * cells->columns)) {
                return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column '%s': the value is none that its type has",
                               s->name, cells->row + row + r + 1, source->name);
            }
        }
    }
    return HB_OK;
}

hb_status hb_sources_read(const hb_sources *s, const hb_rectangle *cells, uint64_t *values)
{
    uint64_t *numbers = malloc((size_t)BATCH * sizeof *numbers); /* elements are no more than BATCH */
    hb_status st = HB_OK;
    if (numbers == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", s->name);
    }
    for (uint64_t c = 0; c < cells->columns && st == HB_OK; c++) {
        st = read_column(s, &s->source[cells->column + c], cells, numbers, values + c);
    }
    free(numbers);
    return st;
}
