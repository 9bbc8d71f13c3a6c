/* Meanings of totals of groups in HDF5: group /table/groups. Keys and shown columns are stored as columns of tables
 * are: one dataset for each fact. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "table/fetched.h"
#include "table/grouping.h"

/* Datasets of kinds, parts, names, counts, values of keys, and the room that two groups take. */
enum { DATASETS = 7 };

uint32_t hb_grouping_datasets(const hb_grouping *grouping)
{
    return grouping == NULL ? 0 : DATASETS + hb_columns_datasets(&grouping->keys);
}

static hb_status put_names(hid_t group, const hb_grouping *grouping)
{
    const uint64_t count = grouping->columns;
    const char **names = calloc((size_t)count, sizeof *names);
    if (names == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", count);
    }
    for (uint64_t i = 0; i < count; i++) {
        names[i] = grouping->column[i].name;
    }
    const hb_status st = hb_h5_put_texts(group, "names", names, count);
    free(names);
    return st;
}

static hb_status get_names(hid_t group, const char *path, uint64_t file_bytes, hb_grouping *grouping)
{
    hb_h5_names names = {.characters = H5T_CSET_UTF8};
    HB_TRY(hb_h5_extent(group, "names", path, file_bytes, &names.count, &names.bytes));
    if (names.count != grouping->columns || names.bytes > HB_COLUMN_NAME_MAX) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " names of %zu bytes do not suit %" PRIu64 " columns of groups", path,
                       names.count, names.bytes, grouping->columns);
    }
    hb_status st = hb_h5_get_names(group, "names", path, file_bytes, &names);
    for (uint64_t i = 0; st == HB_OK && i < names.count; i++) {
        grouping->column[i].name = strndup(names.text + i * names.bytes, names.bytes);
        st = grouping->column[i].name == NULL ? HB_FAIL(HB_ENOMEM, "%s: no memory for names", path) : HB_OK;
    }
    free(names.text);
    return st;
}

/* Kinds and parts of the shown columns, as files have them. */
typedef struct facts {
    uint8_t *kinds;
    uint64_t *parts;
} facts;

static hb_status facts_alloc(facts *x, const hb_grouping *grouping)
{
    x->kinds = calloc((size_t)grouping->columns + 1, sizeof *x->kinds);
    x->parts = calloc((size_t)grouping->columns + 1, HB_GROUPED_PARTS * sizeof *x->parts);
    return x->kinds && x->parts ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for columns of groups");
}

static hb_status put_facts(hid_t group, const hb_grouping *grouping)
{
    facts x = {0};
    const uint64_t columns = grouping->columns;
    hb_status st = HB_OK;
    HB_GOTO(facts_alloc(&x, grouping));
    for (uint64_t c = 0; c < columns; c++) {
        x.kinds[c] = grouping->column[c].epilogue->number;
        memcpy(x.parts + c * HB_GROUPED_PARTS, grouping->column[c].part, sizeof grouping->column[c].part);
    }
    HB_GOTO(hb_h5_put_dataset(group, "kind", hb_h5_vector(H5T_STD_U8LE, columns), x.kinds));
    st = hb_h5_put_dataset(group, "part", hb_h5_matrix(H5T_STD_U64LE, columns, HB_GROUPED_PARTS), x.parts);
done:
    free(x.kinds);
    free(x.parts);
    return st;
}

static hb_status get_facts(hid_t group, const char *path, uint64_t file_bytes, hb_grouping *grouping)
{
    facts x = {0};
    const uint64_t columns = grouping->columns;
    const hb_h5_shape parts = hb_h5_matrix(H5T_STD_U64LE, columns, HB_GROUPED_PARTS);
    hb_status st = HB_OK;
    HB_GOTO(facts_alloc(&x, grouping));
    HB_GOTO(hb_h5_get_dataset(group, "kind", path, hb_h5_vector(H5T_STD_U8LE, columns), file_bytes, x.kinds));
    HB_GOTO(hb_h5_get_dataset(group, "part", path, parts, file_bytes, x.parts));
    for (uint64_t c = 0; c < columns; c++) {
        grouping->column[c].epilogue = hb_epilogue_of(x.kinds[c]);
        memcpy(grouping->column[c].part, x.parts + c * HB_GROUPED_PARTS, sizeof grouping->column[c].part);
    }
done:
    free(x.kinds);
    free(x.parts);
    return st;
}

static hb_status put_counts(hid_t group, const hb_grouping *grouping)
{
    const uint64_t cells = grouping->keys.rows * grouping->counted;
    return cells == 0 ? HB_OK
                      : hb_h5_put_dataset(group, "counts", hb_h5_vector(H5T_STD_U64LE, cells), grouping->counts);
}

static hb_h5_shape shape_of_values(const hb_grouping *grouping)
{
    return hb_h5_matrix(H5T_STD_U64LE, grouping->keys.rows, grouping->keys.columns);
}

/* Keys are stored as columns of tables are. */
static hb_status put_keys(hid_t groups, const hb_grouping *grouping)
{
    hid_t group;
    if (grouping->keys.columns == 0) {
        return HB_OK;
    }
    HB_TRY(hb_h5_create_group(groups, "keys", &group));
    hb_status st = hb_columns_put(group, &grouping->keys);
    st = st == HB_OK ? hb_h5_put_dataset(group, "values", shape_of_values(grouping), grouping->values) : st;
    hb_h5_close(group);
    return st;
}

static hb_status get_keys(hid_t group, const char *path, uint64_t file_bytes, hb_grouping *grouping)
{
    const uint64_t groups = grouping->keys.rows, keys = grouping->keys.columns;
    hb_schema_clear(&grouping->keys);
    grouping->keys = (hb_schema){.rows = groups, .columns = keys, .rank = 2, .width = sizeof(uint64_t), .named = true};
    HB_TRY(hb_columns_get(group, path, file_bytes, HB_FORMAT_VERSION, &grouping->keys));
    for (uint64_t k = 0; k < keys && grouping->cells > 0; k++) {
        grouping->keys.column[k].cells = HB_CELL_REAL;
    }
    return hb_h5_get_dataset(group, "values", path, shape_of_values(grouping), file_bytes, grouping->values);
}

hb_status hb_grouping_put(hid_t table, const hb_grouping *grouping)
{
    hid_t group;
    if (grouping == NULL) {
        return HB_OK;
    }
    HB_TRY(hb_h5_create_group(table, "groups", &group));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_put_u64(group, "groups", grouping->keys.rows));
    HB_GOTO(hb_h5_put_u64(group, "rows", grouping->rows));
    HB_GOTO(hb_h5_put_u64(group, "parts", grouping->parts));
    if (grouping->fetched > 0) {
        HB_GOTO(hb_h5_put_u64(group, "fetched", grouping->fetched));
        HB_GOTO(grouping->cells > 0 ? hb_h5_put_u64(group, "cells", grouping->cells)
                                    : hb_h5_put_u64(group, "modulus", grouping->modulus));
        HB_GOTO(grouping->unit > 1 ? hb_h5_put_u64(group, "unit", grouping->unit) : HB_OK);
    } else {
        HB_GOTO(put_facts(group, grouping));
        HB_GOTO(put_names(group, grouping));
    }
    HB_GOTO(put_counts(group, grouping));
    st = put_keys(group, grouping);
done:
    hb_h5_close(group);
    return st;
}

/* Counts of groups, which files have where there are any. */
static hb_status get_counts(hid_t group, const char *path, uint64_t file_bytes, hb_grouping *grouping)
{
    bool there;
    size_t element;
    uint64_t cells;
    const uint64_t groups = grouping->keys.rows;
    HB_TRY(hb_h5_has(group, "counts", path, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(hb_h5_extent(group, "counts", path, file_bytes, &cells, &element));
    if (groups == 0 || cells == 0 || cells % groups != 0) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " counts do not suit %" PRIu64 " groups", path, cells, groups);
    }
    HB_TRY(hb_grouping_alloc_counts(grouping, cells / groups));
    return hb_h5_get_dataset(group, "counts", path, hb_h5_vector(H5T_STD_U64LE, cells), file_bytes, grouping->counts);
}

/* How many keys a group has: their signs lie in the file, so it bounds them, and it bounds their values. */
static hb_status count_keys(hid_t group, const char *path, uint64_t file_bytes, uint64_t groups, uint64_t *keys)
{
    uint64_t cells;
    size_t element;
    HB_TRY(hb_h5_extent(group, "signed", path, file_bytes, keys, &element));
    if (__builtin_mul_overflow(groups, *keys, &cells) || cells > file_bytes / sizeof(uint64_t)) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " groups of %" PRIu64 " keys are more than the file holds", path,
                       groups, *keys);
    }
    return HB_OK;
}

/* How fetched rows are told from sums: integers by a modulus, reals by cells, and by a unit where it is not 1. */
static hb_status get_fetched(hid_t group, const char *path, uint64_t columns, hb_grouping *grouping)
{
    htri_t there;
    HB_TRY(hb_h5_get_u64(group, "fetched", path, HB_MOST_FETCHED, &grouping->fetched));
    HB_TRY(HB_H5(there = H5Aexists(group, "cells"), HB_EDATA, "%s: cannot look for attribute 'cells'", path));
    if (there == 0) {
        return hb_h5_get_u64(group, "modulus", path, UINT64_MAX, &grouping->modulus);
    }
    HB_TRY(hb_h5_get_u64(group, "cells", path, columns, &grouping->cells));
    HB_TRY(HB_H5(there = H5Aexists(group, "unit"), HB_EDATA, "%s: cannot look for attribute 'unit'", path));
    grouping->unit = 1;
    return there > 0 ? hb_h5_get_u64(group, "unit", path, UINT64_MAX, &grouping->unit) : HB_OK;
}

static hb_status get_groups(hid_t group, hid_t own, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    uint64_t groups, rows, parts, columns = 0, keys = 0;
    size_t element;
    htri_t few;
    HB_TRY(hb_h5_get_u64(group, "groups", path, schema->columns, &groups));
    HB_TRY(hb_h5_get_u64(group, "rows", path, UINT64_MAX, &rows));
    HB_TRY(hb_h5_get_u64(group, "parts", path, schema->columns, &parts));
    HB_TRY(HB_H5(few = H5Aexists(group, "fetched"), HB_EDATA, "%s: cannot look for attribute 'fetched'", path));
    if (few == 0) {
        HB_TRY(hb_h5_extent(group, "kind", path, file_bytes, &columns, &element));
    }
    if (own > 0) {
        HB_TRY(count_keys(own, path, file_bytes, groups, &keys));
    }
    HB_TRY(hb_grouping_alloc(groups, keys, columns, &schema->grouping));
    hb_grouping *grouping = schema->grouping;
    grouping->rows = rows;
    grouping->parts = parts;
    if (few > 0) {
        HB_TRY(get_fetched(group, path, schema->columns, grouping));
    } else {
        HB_TRY(get_facts(group, path, file_bytes, grouping));
        HB_TRY(get_names(group, path, file_bytes, grouping));
    }
    HB_TRY(get_counts(group, path, file_bytes, grouping));
    return own > 0 ? get_keys(own, path, file_bytes, grouping) : HB_OK;
}

hb_status hb_grouping_get(hid_t table, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    hid_t group, own;
    HB_TRY(hb_h5_open_group_if_any(table, "groups", path, &group));
    if (group == 0) {
        return HB_OK;
    }
    hb_status st = hb_h5_open_group_if_any(group, "keys", path, &own);
    st = st == HB_OK ? get_groups(group, own, path, file_bytes, schema) : st;
    hb_h5_close(own);
    hb_h5_close(group);
    return st;
}
