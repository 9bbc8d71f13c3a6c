/* Signs and names of a table's columns in HDF5. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "table_private.h"

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
    HB_GOTO(hb_h5_name_type(length, &type));
    st = hb_h5_put_dataset(group, "names", hb_h5_vector(type, schema->columns), names);
done:
    free(names);
    hb_h5_close(type);
    return st;
}

static hb_status put_signs(hid_t group, const hb_schema *schema)
{
    uint8_t *signs = malloc((size_t)schema->columns + 1);
    if (!signs) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        signs[c] = schema->column[c].is_signed;
    }
    hb_status st = hb_h5_put_dataset(group, "signed", hb_h5_vector(H5T_STD_U8LE, schema->columns), signs);
    free(signs);
    return st;
}

hb_status hb_columns_put(hid_t group, const hb_schema *schema)
{
    HB_TRY(put_signs(group, schema));
    return schema->named ? put_names(group, schema) : HB_OK;
}

static hb_status get_names(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    uint64_t count;
    size_t length = 0;
    HB_TRY(hb_h5_extent(group, "names", path, file_bytes, &count, &length));
    if (count != schema->columns || length > HB_COLUMN_NAME_MAX) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " names of %zu bytes do not suit %" PRIu64 " columns", path, count,
                       length, schema->columns);
    }
    hid_t type;
    HB_TRY(hb_h5_name_type(length, &type));
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
hb_status hb_columns_get(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    uint64_t rows = schema->rows, columns;
    size_t element;
    HB_TRY(hb_h5_extent(group, "signed", path, file_bytes, &columns, &element));
    if (columns != schema->columns) {
        return HB_FAIL(HB_EDATA, "%s: has signs of %" PRIu64 " columns, but %" PRIu64 " columns", path, columns,
                       schema->columns);
    }
    HB_TRY(hb_schema_alloc(schema, rows, columns));
    uint8_t *signs = malloc((size_t)columns + 1);
    if (!signs) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", path, columns);
    }
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_get_dataset(group, "signed", path, hb_h5_vector(H5T_STD_U8LE, columns), file_bytes, signs));
    for (uint64_t c = 0; c < columns; c++) {
        schema->column[c].is_signed = signs[c] != 0;
        if (!schema->named && !(schema->column[c].name = strdup(""))) {
            HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", path, columns));
        }
    }
    if (schema->named) {
        st = get_names(group, path, file_bytes, schema);
    }
done:
    free(signs);
    return st;
}
