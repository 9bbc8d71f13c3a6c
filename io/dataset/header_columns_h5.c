/* What is known of a table's columns in HDF5: signs, names, ranges of values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "io/base/schema.h"

/* All names at one length, that of the longest (at least 1), padded with zeros; *names is allocated. */
static hb_status join_names(const hb_schema *schema, char **names, size_t *length)
{
    size_t longest = 1;
    for (uint64_t c = 0; c < schema->columns; c++) {
        size_t bytes = strlen(schema->column[c].name);
        longest = bytes > longest ? bytes : longest;
    }
    char *joined = calloc((size_t)schema->columns, longest);
    if (!joined) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", schema->columns);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        memcpy(joined + c * longest, schema->column[c].name, strlen(schema->column[c].name));
    }
    *names = joined;
    *length = longest;
    return HB_OK;
}

static hb_status put_names(hid_t group, const hb_schema *schema)
{
    size_t length = 0;
    char *names = NULL;
    hid_t type = 0;
    HB_TRY(join_names(schema, &names, &length));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_name_type(length, H5T_CSET_UTF8, &type));
    st = hb_h5_put_dataset(group, "names", hb_h5_vector(type, schema->columns), names);
done:
    free(names);
    hb_h5_close(type);
    return st;
}

/* Facts of every column, each a dataset: its element, and where it stands in hb_column. */
typedef struct fact {
    const char *name;
    bool is_flag; /* u8, 0 or 1, of a bool; else u64 */
    size_t place;
} fact;
static const fact sign = {"signed", true, offsetof(hb_column, is_signed)};
static const fact range_facts[] = {{"ranged", true, offsetof(hb_column, ranged)},
                                   {"least", false, offsetof(hb_column, least)},
                                   {"most", false, offsetof(hb_column, most)},
                                   {"may_wrap", true, offsetof(hb_column, may_wrap)}};
enum { RANGE_FACTS = sizeof range_facts / sizeof range_facts[0] };

static hb_h5_shape shape_of(const fact *of, uint64_t columns)
{
    return hb_h5_vector(of->is_flag ? H5T_STD_U8LE : H5T_STD_U64LE, columns);
}

static hb_status alloc_fact(const fact *of, uint64_t columns, uint8_t **bytes)
{
    *bytes = calloc((size_t)columns + 1, of->is_flag ? 1 : sizeof(uint64_t));
    return *bytes ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", columns);
}

static hb_status put_fact(hid_t group, const fact *of, const hb_schema *schema)
{
    uint8_t *bytes;
    HB_TRY(alloc_fact(of, schema->columns, &bytes));
    for (uint64_t c = 0; c < schema->columns; c++) {
        const char *from = (const char *)&schema->column[c] + of->place;
        if (of->is_flag) {
            bytes[c] = *(const bool *)from;
        } else {
            memcpy(bytes + c * sizeof(uint64_t), from, sizeof(uint64_t));
        }
    }
    hb_status st = hb_h5_put_dataset(group, of->name, shape_of(of, schema->columns), bytes);
    free(bytes);
    return st;
}

hb_status hb_columns_put(hid_t group, const hb_schema *schema)
{
    HB_TRY(put_fact(group, &sign, schema));
    for (int i = 0; i < RANGE_FACTS; i++) {
        HB_TRY(put_fact(group, &range_facts[i], schema));
    }
    return schema->named ? put_names(group, schema) : HB_OK;
}

static hb_status get_fact(hid_t group, const fact *of, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    uint8_t *bytes;
    HB_TRY(alloc_fact(of, schema->columns, &bytes));
    hb_status st = hb_h5_get_dataset(group, of->name, path, shape_of(of, schema->columns), file_bytes, bytes);
    for (uint64_t c = 0; st == HB_OK && c < schema->columns; c++) {
        char *to = (char *)&schema->column[c] + of->place;
        if (of->is_flag) {
            *(bool *)to = bytes[c] != 0;
        } else {
            memcpy(to, bytes + c * sizeof(uint64_t), sizeof(uint64_t));
        }
    }
    free(bytes);
    return st;
}

static hb_status get_ranges(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    for (int i = 0; i < RANGE_FACTS; i++) {
        HB_TRY(get_fact(group, &range_facts[i], path, file_bytes, schema));
    }
    return HB_OK;
}

static hb_status get_names(hid_t group, const char *path, uint64_t file_bytes, H5T_cset_t characters, hb_schema *schema)
{
    uint64_t count;
    size_t length = 0;
    HB_TRY(hb_h5_extent(group, "names", path, file_bytes, &count, &length));
    if (count != schema->columns || length > HB_COLUMN_NAME_MAX) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " names of %zu bytes do not suit %" PRIu64 " columns", path, count,
                       length, schema->columns);
    }
    hid_t type;
    HB_TRY(hb_h5_name_type(length, characters, &type));
    hb_status st = HB_OK;
    char *names = malloc((size_t)count * length);
    if (!names) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for the names of %" PRIu64 " columns", path, count));
    }
    HB_GOTO(hb_h5_get_dataset(group, "names", path, hb_h5_vector(type, count), file_bytes, names));
    for (uint64_t c = 0; c < count; c++) {
        schema->column[c].name = strndup(names + c * length, length);
        if (!schema->column[c].name) {
            HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for the names of %" PRIu64 " columns", path, count));
        }
    }
done:
    free(names);
    hb_h5_close(type);
    return st;
}

/* Signs come first: their dataset lies in the file, so the number of columns is bounded by its size. */
hb_status hb_columns_get(hid_t group, const char *path, uint64_t file_bytes, uint32_t version, hb_schema *schema)
{
    uint64_t rows = schema->rows, columns;
    size_t element;
    HB_TRY(hb_h5_extent(group, "signed", path, file_bytes, &columns, &element));
    if (columns != schema->columns) {
        return HB_FAIL(HB_EDATA, "%s: has signs of %" PRIu64 " columns, but %" PRIu64 " columns", path, columns,
                       schema->columns);
    }
    HB_TRY(hb_schema_alloc(schema, rows, columns));
    HB_TRY(get_fact(group, &sign, path, file_bytes, schema));
    for (uint64_t c = 0; !schema->named && c < columns; c++) {
        if (!(schema->column[c].name = strdup(""))) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", path, columns);
        }
    }
    for (uint64_t c = 0; c < columns; c++) {
        schema->column[c].may_wrap = version == HB_FORMAT_EVALUATED; /* nobody kept what was known */
    }
    if (version >= HB_FORMAT_BFV) {
        HB_TRY(get_ranges(group, path, file_bytes, schema));
    }
    /* Older versions called them ASCII whatever they held. */
    return schema->named
               ? get_names(group, path, file_bytes, version >= HB_FORMAT_BFV ? H5T_CSET_UTF8 : H5T_CSET_ASCII, schema)
               : HB_OK;
}
