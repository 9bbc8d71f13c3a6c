#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "params_h5_private.h"
#include "table_private.h"

static const char *const encodings[] = {[HB_ENCODE_SLOTS] = "slots", [HB_ENCODE_COEFFICIENTS] = "coefficients"};
static const char *const orders[] = {[HB_PACK_COLUMNS] = "columns", [HB_PACK_ROWS] = "rows"};

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

static hb_status put_table(hid_t file, const hb_header *header)
{
    const hb_schema *schema = &header->schema;
    hid_t group;
    HB_TRY(hb_h5_create_group(file, "table", &group));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_put_u64(group, "rows", schema->rows));
    HB_GOTO(hb_h5_put_u64(group, "columns", schema->columns));
    HB_GOTO(hb_h5_put_u64(group, "rank", schema->rank));
    HB_GOTO(hb_h5_put_u64(group, "width", schema->width));
    HB_GOTO(hb_h5_put_u64(group, "big_endian", schema->big_endian));
    HB_GOTO(hb_h5_put_u64(group, "named", schema->named));
    HB_GOTO(hb_h5_put_text(group, "order", orders[header->order]));
    HB_GOTO(hb_h5_put_text(group, "encoding", encodings[header->encoding]));
    HB_GOTO(put_signs(group, schema));
    if (schema->named) {
        st = put_names(group, schema);
    }
done:
    hb_h5_close(group);
    return st;
}

hb_status hb_header_put(hid_t file, const hb_header *header, hid_t *ct)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_header_digest(digest, header);
    HB_TRY(hb_h5_put_text(file, "format", HB_FORMAT));
    HB_TRY(hb_h5_put_u64(file, "version", HB_FORMAT_VERSION));
    HB_TRY(hb_h5_put_text(file, "tool", "hebatch " HEBATCH_VERSION));
    HB_TRY(hb_h5_put_bytes(file, "key_id", header->key_id, HB_KEY_ID_BYTES));
    HB_TRY(hb_h5_put_bytes(file, "header_digest", digest, sizeof digest));
    HB_TRY(hb_spec_put(file, &header->spec));
    HB_TRY(put_table(file, header));
    hid_t group;
    HB_TRY(hb_h5_create_group(file, "ct", &group));
    hb_status st = HB_OK;
    HB_GOTO(hb_h5_put_u64(group, "limbs", header->limbs));
    HB_GOTO(hb_h5_put_u64(group, "components", header->components));
    HB_GOTO(hb_h5_put_u64(group, "seeded", header->seeded));
    HB_GOTO(hb_h5_put_u64(group, "ciphertexts", header->ciphertexts));
    HB_GOTO(hb_h5_put_u64(group, "unit", header->unit));
    *ct = group;
    group = 0;
done:
    hb_h5_close(group);
    return st;
}

/* Reads a text attribute that is one of two words; *second: whether it is the second. */
static hb_status get_word(hid_t at, const char *name, const char *path, const char *const words[2], bool *second)
{
    char text[32];
    HB_TRY(hb_h5_get_text(at, name, path, text, sizeof text));
    if (strcmp(text, words[0]) != 0 && strcmp(text, words[1]) != 0) {
        return HB_FAIL(HB_EDATA, "%s: attribute '%s' is neither '%s' nor '%s'", path, name, words[0], words[1]);
    }
    *second = strcmp(text, words[1]) == 0;
    return HB_OK;
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
static hb_status get_columns(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
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

static hb_status get_table(hid_t group, const char *path, uint64_t file_bytes, hb_header *header)
{
    uint64_t rank, width, rows, columns;
    bool coefficients, by_rows;
    HB_TRY(hb_h5_get_u64(group, "rank", path, 2, &rank));
    HB_TRY(hb_h5_get_u64(group, "width", path, 8, &width));
    HB_TRY(hb_h5_get_u64(group, "rows", path, UINT64_MAX, &rows));
    HB_TRY(hb_h5_get_u64(group, "columns", path, UINT64_MAX, &columns));
    HB_TRY(get_word(group, "order", path, orders, &by_rows));
    HB_TRY(get_word(group, "encoding", path, encodings, &coefficients));
    hb_schema *schema = &header->schema;
    HB_TRY(hb_h5_get_bool(group, "big_endian", path, &schema->big_endian));
    HB_TRY(hb_h5_get_bool(group, "named", path, &schema->named));
    header->order = by_rows ? HB_PACK_ROWS : HB_PACK_COLUMNS;
    header->encoding = coefficients ? HB_ENCODE_COEFFICIENTS : HB_ENCODE_SLOTS;
    schema->rank = (uint32_t)rank;
    schema->width = (uint32_t)width;
    schema->rows = rows;
    schema->columns = columns;
    return get_columns(group, path, file_bytes, schema);
}

static hb_status get_ct(hid_t group, const char *path, hb_header *header)
{
    uint64_t limbs, components;
    HB_TRY(hb_h5_get_u64(group, "limbs", path, HB_MAX_LIMBS, &limbs));
    HB_TRY(hb_h5_get_u64(group, "components", path, 2, &components));
    HB_TRY(hb_h5_get_bool(group, "seeded", path, &header->seeded));
    HB_TRY(hb_h5_get_u64(group, "ciphertexts", path, UINT64_MAX, &header->ciphertexts));
    HB_TRY(hb_h5_get_u64(group, "unit", path, UINT64_MAX, &header->unit));
    header->limbs = (uint32_t)limbs;
    header->components = (uint32_t)components;
    return HB_OK;
}

hb_status hb_header_get(hid_t file, const char *path, uint64_t file_bytes, hb_header *header,
                        uint8_t digest[HB_DIGEST_BYTES])
{
    hid_t group;
    uint8_t stored[HB_DIGEST_BYTES];
    HB_TRY(hb_h5_check_format(file, path, HB_FORMAT, HB_FORMAT_VERSION));
    HB_TRY(hb_h5_get_bytes(file, "key_id", path, header->key_id, HB_KEY_ID_BYTES));
    HB_TRY(hb_h5_get_bytes(file, "header_digest", path, stored, sizeof stored));
    HB_TRY(hb_spec_get(file, path, file_bytes, &header->spec));
    HB_TRY(hb_h5_open_group(file, "ct", path, &group));
    hb_status st = get_ct(group, path, header);
    hb_h5_close(group);
    HB_TRY(st);
    HB_TRY(hb_h5_open_group(file, "table", path, &group));
    st = get_table(group, path, file_bytes, header);
    hb_h5_close(group);
    HB_TRY(st);
    HB_TRY(hb_header_check(header, path));
    hb_header_digest(digest, header);
    return memcmp(digest, stored, sizeof stored) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its header does not match its digest: the file is damaged", path);
}
