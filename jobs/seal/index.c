#include "index.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "io/base/durable.h"

#define INDEX_FORMAT "hebatch exchange"
#define INDEX_MOST_BYTES ((size_t)64 << 20)
#define MOST_NOISE (HB_MAX_LIMBS * 61) /* bits: no product of moduli has more */

static json_t *index_of(const hb_header *header)
{
    const hb_schema *schema = &header->schema;
    json_t *index =
        json_pack("{s:s, s:i, s:I, s:I, s:I, s:s, s:s, s:i, s:i, s:b, s:b, s:o}", "format", INDEX_FORMAT, "version", 1,
                  "ciphertexts", (json_int_t)header->ciphertexts, "rows", (json_int_t)schema->rows, "columns",
                  (json_int_t)schema->columns, "packing", header->order == HB_PACK_ROWS ? "rows" : "columns",
                  "encoding", header->encoding == HB_ENCODE_SLOTS ? "slots" : "coefficients", "dimensions",
                  (int)schema->rank, "width", (int)schema->width, "big_endian", (int)schema->big_endian, "named",
                  (int)schema->named, "column", hb_report_columns(schema));
    if (index != NULL && header->made_by != HB_MADE_FRESH) {
        json_t *noise = json_pack("{s:f, s:f}", "worst", header->noise.worst, "expected", header->noise.expected);
        if (json_object_set_new(index, "noise", noise) != 0) {
            json_decref(index);
            return NULL;
        }
    }
    return index;
}

hb_status hb_seal_index_write(const char *path, const hb_header *header)
{
    json_t *index = index_of(header);
    char *text = index != NULL ? json_dumps(index, JSON_INDENT(2)) : NULL;
    json_decref(index);
    if (text == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for it", path);
    }
    const size_t length = strlen(text);
    text[length] = '\n'; /* in the place of the final zero */
    const hb_status st = hb_write_file(path, text, length + 1, 0644, false);
    free(text);
    return st;
}

/* A member that is one of two words. */
static bool get_choice(const json_t *index, const char *key, const char *first, const char *second, bool *is_second)
{
    const char *word = json_string_value(json_object_get(index, key));
    *is_second = word != NULL && strcmp(word, second) == 0;
    return word != NULL && (*is_second || strcmp(word, first) == 0);
}

static bool get_count(const json_t *index, const char *key, uint64_t least, uint64_t *value)
{
    const json_t *number = json_object_get(index, key);
    *value = (uint64_t)json_integer_value(number);
    return json_is_integer(number) && json_integer_value(number) >= 0 && *value >= least;
}

/* What may have wrapped stays so. An index that does not say it is of an older version, which kept nothing of this.
 * Ranges are not taken over: others may have computed on the ciphertexts since. */
static bool get_may_wrap(const json_t *index, const json_t *column, bool *may_wrap)
{
    const json_t *said = json_object_get(column, "may_wrap");
    *may_wrap = said != NULL ? json_is_true(said) : json_object_get(index, "noise") != NULL;
    return said == NULL || json_is_boolean(said);
}

/* false also when out of memory: the schema is then not whole. */
static bool get_columns(const json_t *index, hb_schema *schema)
{
    const json_t *columns = json_object_get(index, "column");
    if (!json_is_array(columns) || json_array_size(columns) != schema->columns) {
        return false;
    }
    schema->column = calloc((size_t)schema->columns, sizeof *schema->column);
    for (size_t c = 0; schema->column != NULL && c < (size_t)schema->columns; c++) {
        const json_t *column = json_array_get(columns, c), *sign = json_object_get(column, "signed");
        const char *name = json_string_value(json_object_get(column, "name"));
        bool may_wrap;
        if (name == NULL || strlen(name) > UINT8_MAX || !json_is_boolean(sign) ||
            !get_may_wrap(index, column, &may_wrap)) {
            return false;
        }
        schema->column[c] = (hb_column){.name = strdup(name), .is_signed = json_is_true(sign), .may_wrap = may_wrap};
        if (schema->column[c].name == NULL) {
            return false;
        }
    }
    return schema->column != NULL;
}

static bool get_schema(const json_t *index, hb_schema *schema)
{
    uint64_t rank, width;
    const json_t *big = json_object_get(index, "big_endian"), *named = json_object_get(index, "named");
    if (!get_count(index, "rows", 0, &schema->rows) || !get_count(index, "columns", 1, &schema->columns) ||
        !get_count(index, "dimensions", 1, &rank) || !get_count(index, "width", 1, &width) || !json_is_boolean(big) ||
        !json_is_boolean(named) || rank > 2 || (rank == 1 && schema->columns != 1) ||
        (width != 1 && width != 2 && width != 4 && width != 8)) {
        return false;
    }
    schema->rank = (uint32_t)rank;
    schema->width = (uint32_t)width;
    schema->big_endian = json_is_true(big);
    schema->named = json_is_true(named);
    return get_columns(index, schema);
}

static bool get_noise(const json_t *index, hb_header *header)
{
    const json_t *noise = json_object_get(index, "noise");
    const json_t *worst = json_object_get(noise, "worst"), *expected = json_object_get(noise, "expected");
    if (noise == NULL) {
        return true;
    }
    const hb_noise bounds = {.worst = json_number_value(worst), .expected = json_number_value(expected)};
    if (!(bounds.worst >= 0 && bounds.worst <= MOST_NOISE && bounds.expected >= 0 && bounds.expected <= MOST_NOISE)) {
        return false;
    }
    hb_header_noise(header, bounds);
    return true;
}

static bool get_header(const json_t *index, hb_header *header)
{
    const char *format = json_string_value(json_object_get(index, "format"));
    bool rows, coefficients;
    if (format == NULL || strcmp(format, INDEX_FORMAT) != 0 ||
        json_integer_value(json_object_get(index, "version")) != 1 ||
        !get_count(index, "ciphertexts", 0, &header->ciphertexts) ||
        !get_choice(index, "packing", "columns", "rows", &rows) ||
        !get_choice(index, "encoding", "slots", "coefficients", &coefficients)) {
        return false;
    }
    header->order = rows ? HB_PACK_ROWS : HB_PACK_COLUMNS;
    header->encoding = coefficients ? HB_ENCODE_COEFFICIENTS : HB_ENCODE_SLOTS;
    return get_schema(index, &header->schema) && get_noise(index, header);
}

hb_status hb_seal_index_read(const char *path, hb_header *header)
{
    uint8_t *text;
    size_t bytes;
    mode_t mode;
    HB_TRY(hb_read_file(path, INDEX_MOST_BYTES, &text, &bytes, &mode));
    json_t *index = json_loadb((const char *)text, bytes, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    const bool good = index != NULL && get_header(index, header);
    json_decref(index);
    return good ? HB_OK
                : HB_FAIL(HB_EDATA,
                          "%s: does not describe a table as 'hebatch export' does; --rows and --columns say "
                          "what there is without it",
                          path);
}
