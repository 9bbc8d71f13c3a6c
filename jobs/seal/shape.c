/* Which table exported ciphertexts or plaintexts hold: index.json beside them, for import and for people; and their
 * names and number. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "data.h"
#include "io/files/durable.h"

static const char index_name[] = "index.json";

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
    if (index != NULL && header->block > 0 &&
        json_object_set_new(index, "block", json_integer((json_int_t)header->block)) != 0) {
        json_decref(index);
        return NULL;
    }
    if (index != NULL && schema->total_left_out > 0 &&
        json_object_set_new(index, "total_left_out", json_integer((json_int_t)schema->total_left_out)) != 0) {
        json_decref(index);
        return NULL;
    }
    if (index != NULL && schema->threshold_gap > 0 &&
        json_object_set_new(index, "threshold_gap", json_real(schema->threshold_gap)) != 0) {
        json_decref(index);
        return NULL;
    }
    const hb_left_out *left_out = &schema->left_out;
    if (index != NULL && left_out->rows > 0 &&
        json_object_set_new(index, "left_out",
                            json_pack("[I, I, I]", (json_int_t)left_out->rows, (json_int_t)left_out->sum[0],
                                      (json_int_t)left_out->sum[1])) != 0) {
        json_decref(index);
        return NULL;
    }
    if (index != NULL && header->made_by != HB_MADE_FRESH) {
        json_t *sanitized = header->past.sanitized > 0 ? json_real(header->past.sanitized) : NULL;
        json_t *noise = json_pack("{s:f, s:f, s:o*}", "worst", header->quality.worst, "expected",
                                  header->quality.expected, "sanitized", sanitized);
        if (json_object_set_new(index, "noise", noise) != 0) {
            json_decref(index);
            return NULL;
        }
    }
    return index;
}

/* Names of columns that are no UTF-8 have '?' for their odd bytes. */
static hb_status index_write(const char *path, const hb_header *header)
{
    json_t *index = index_of(header);
    char *text = index != NULL ? hb_report_dump(index) : NULL;
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

/* A column that may have wrapped stays marked as such. An index that does not say it is of an older version, which kept
 * nothing of this. Ranges are not taken over: others may have computed on the ciphertexts since. */
static bool get_may_wrap(const json_t *index, const json_t *column, bool *may_wrap)
{
    const json_t *said = json_object_get(column, "may_wrap");
    *may_wrap = said != NULL ? json_is_true(said) : json_object_get(index, "noise") != NULL;
    return said == NULL || json_is_boolean(said);
}

/* Reads the kind of a column; false also for a pair without names, and when out of memory. */
static bool get_halves(const json_t *column, hb_cell_type cells, hb_column *of)
{
    const json_t *said = json_object_get(column, "halves"), *parts = json_object_get(column, "parts");
    bool pair;
    if (said == NULL) {
        return true;
    }
    if (cells != HB_CELL_REAL || !get_choice(column, "halves", "complex", "pair", &pair)) {
        return false;
    }
    of->halves = pair ? HB_HALVES_PAIR : HB_HALVES_COMPLEX;
    for (size_t part = 0; part < 2 && pair; part++) {
        const char *name = json_string_value(json_array_get(parts, part));
        of->part[part] = name != NULL && name[0] != '\0' && strlen(name) <= UINT8_MAX ? strdup(name) : NULL;
        if (of->part[part] == NULL) {
            return false;
        }
    }
    return !pair || strcmp(of->part[0], of->part[1]) != 0;
}

/* false also when out of memory: the schema is then not whole. Signs are those of integers. */
static bool get_columns(const json_t *index, hb_cell_type cells, hb_schema *schema)
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
        schema->column[c] = (hb_column){.name = strdup(name),
                                        .cells = cells,
                                        .is_signed = cells == HB_CELL_INTEGER && json_is_true(sign),
                                        .may_wrap = cells == HB_CELL_INTEGER && may_wrap};
        if (schema->column[c].name == NULL || !get_halves(column, cells, &schema->column[c])) {
            return false;
        }
    }
    return schema->column != NULL;
}

/* Where rows were left out: how many, and the sums that say which (src/table/left_out.h). */
static bool get_left_out(const json_t *index, hb_schema *schema)
{
    const json_t *said = json_object_get(index, "left_out");
    hb_left_out *to = &schema->left_out;
    const json_t *gap = json_object_get(index, "threshold_gap");
    if (gap != NULL && !(json_is_number(gap) && json_number_value(gap) > 0)) {
        return false;
    }
    schema->threshold_gap = json_number_value(gap);
    if (json_object_get(index, "total_left_out") != NULL &&
        !get_count(index, "total_left_out", 1, &schema->total_left_out)) {
        return false;
    }
    if (said == NULL) {
        return true;
    }
    uint64_t *const numbers[] = {&to->rows, &to->sum[0], &to->sum[1]};
    bool good = json_array_size(said) == sizeof numbers / sizeof *numbers;
    for (size_t i = 0; good && i < sizeof numbers / sizeof *numbers; i++) {
        const json_t *number = json_array_get(said, i);
        good = json_is_integer(number) && json_integer_value(number) >= 0;
        *numbers[i] = (uint64_t)json_integer_value(number);
    }
    return good && hb_left_out_is_possible(to, schema->rows);
}

static bool get_schema(const json_t *index, hb_cell_type cells, hb_schema *schema)
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
    return get_left_out(index, schema) && get_columns(index, cells, schema);
}

static bool get_noise(const json_t *index, hb_header *header)
{
    const json_t *noise = json_object_get(index, "noise");
    const json_t *worst = json_object_get(noise, "worst"), *expected = json_object_get(noise, "expected");
    if (noise == NULL) {
        return true;
    }
    const hb_quality bounds = {.worst = json_number_value(worst), .expected = json_number_value(expected)};
    if (!(bounds.worst >= 0 && bounds.worst <= MOST_NOISE && bounds.expected >= 0 && bounds.expected <= MOST_NOISE)) {
        return false;
    }
    hb_header_quality(header, bounds);
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
    header->block = 0;
    if (json_object_get(index, "block") != NULL && !get_count(index, "block", 1, &header->block)) {
        return false;
    }
    hb_header_set_scheme(header, &header->spec, coefficients ? HB_ENCODE_COEFFICIENTS : HB_ENCODE_SLOTS);
    return get_schema(index, header->cells, &header->schema) && get_noise(index, header);
}

/* Sets schema (of values: only which columns may have wrapped), order, encoding and the members that follow from it,
 * ciphertexts and, of evaluated ciphertexts, noise of the header; the rest is the caller's, with spec set before.
 * HB_EDATA when a member is missing or cannot be; the caller clears the header in any case. */
static hb_status index_read(const char *path, hb_header *header)
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

hb_status hb_seal_layout(hb_seal_job *job, const char *pack, const char *encoding)
{
    const bool rows = pack != NULL && strcmp(pack, "rows") == 0;
    const bool coefficients = encoding != NULL && strcmp(encoding, "coefficients") == 0;
    if (pack != NULL && !rows && strcmp(pack, "columns") != 0) {
        return HB_FAIL(HB_EUSAGE, "--pack %s: it is columns or rows", pack);
    }
    if (encoding != NULL && !coefficients && strcmp(encoding, "slots") != 0) {
        return HB_FAIL(HB_EUSAGE, "--encoding %s: it is slots or coefficients", encoding);
    }
    job->order = rows ? HB_PACK_ROWS : HB_PACK_COLUMNS;
    job->encoding = coefficients ? HB_ENCODE_COEFFICIENTS : HB_ENCODE_SLOTS;
    return HB_OK;
}

hb_status hb_seal_numbered(const char *folder, const char *prefix, uint64_t i, uint64_t count, char **path)
{
    int digits = 6;
    for (uint64_t rest = (count - 1) / 1000000; rest > 0; rest /= 10) { /* 10^6: as many as six digits can tell apart */
        digits++;
    }
    char *name = NULL;
    if (asprintf(&name, "%s-%0*" PRIu64 ".seal", prefix, digits, i) < 0) {
        return HB_FAIL(HB_ENOMEM, "no memory for the name of a file");
    }
    const hb_status st = hb_seal_path(folder, name, path);
    free(name);
    return st;
}

hb_status hb_seal_describe(const hb_seal_job *job, const char *folder, const hb_header *header)
{
    char *parameters = NULL, *index = NULL;
    hb_status st;
    HB_GOTO(hb_seal_path(folder, HB_SEAL_PARAMETERS, &parameters));
    HB_GOTO(hb_seal_path(folder, index_name, &index));
    HB_GOTO(hb_seal_parameters_save(parameters, job->style, &header->spec));
    st = index_write(index, header);
done:
    free(parameters);
    free(index);
    return st;
}

/* Columns of 64-bit integers without names, as many values as the files have room for. */
static hb_status shape_of_job(const hb_seal_job *job, hb_header *header)
{
    hb_schema *schema = &header->schema;
    header->order = job->order;
    hb_header_set_scheme(header, &header->spec, job->encoding);
    if (job->is_complex && (header->cells != HB_CELL_REAL || header->encoding != HB_ENCODE_SLOTS)) {
        return HB_FAIL(HB_EUSAGE, "--complex: values are complex in slots of CKKS alone");
    }
    schema->columns = job->columns != UINT64_MAX ? job->columns : 1;
    if (schema->columns < 1 || schema->columns > SIZE_MAX / sizeof *schema->column) {
        return HB_FAIL(HB_EUSAGE, "a table of %" PRIu64 " columns is not possible", schema->columns);
    }
    schema->rows = job->rows != UINT64_MAX ? job->rows : job->file_count / schema->columns * header->capacity;
    schema->rank = 2;
    schema->width = sizeof(uint64_t);
    schema->column = calloc((size_t)schema->columns, sizeof *schema->column);
    for (uint64_t c = 0; schema->column != NULL && c < schema->columns; c++) {
        schema->column[c] = (hb_column){.name = strdup(""),
                                        .cells = header->cells,
                                        .halves = job->is_complex ? HB_HALVES_COMPLEX : HB_HALVES_REAL,
                                        .is_signed = header->cells == HB_CELL_INTEGER && job->is_signed};
        if (schema->column[c].name == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
        }
    }
    return schema->column != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
}

static hb_status find_index(const hb_seal_job *job, char **index)
{
    *index = NULL;
    if (job->shaped) {
        return HB_OK;
    }
    char *folder;
    HB_TRY(hb_folder_of(job->files[0], &folder));
    const hb_status st = hb_seal_find(folder, index_name, index);
    free(folder);
    return st;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* A folder that was exported has these files and no others: one that is missing, or one more, would shift the rows of
 * all that follow. Both lists are in order. */
static hb_status check_names(const hb_seal_job *job, const char *prefix, const char *index, uint64_t count)
{
    for (uint64_t i = 0; i < count || i < job->file_count; i++) {
        char *wanted;
        HB_TRY(hb_seal_numbered(job->folder, prefix, i, count, &wanted));
        const int order = i >= job->file_count ? -1
                          : i >= count         ? 1
                                               : strverscmp(base_name(wanted), base_name(job->files[i]));
        const hb_status st =
            order == 0  ? HB_OK
            : order < 0 ? HB_FAIL(HB_EDATA, "%s: is missing, of the %" PRIu64 " files of %s", wanted, count, index)
                        : HB_FAIL(HB_EDATA, "%s: is none of the %" PRIu64 " files of %s", job->files[i], count, index);
        free(wanted);
        HB_TRY(st);
    }
    return HB_OK;
}

hb_status hb_seal_check_rows(const char *name, uint64_t rows)
{
    return rows > 0 ? HB_OK : HB_FAIL(HB_EDATA, "%s: has no rows: there is nothing to export", name);
}

hb_status hb_seal_shape(const hb_seal_job *job, const char *prefix, hb_header *header)
{
    char *index;
    HB_TRY(find_index(job, &index));
    hb_status st;
    HB_GOTO(index != NULL ? index_read(index, header) : shape_of_job(job, header));
    const hb_packing packing = hb_header_packing(header);
    HB_GOTO(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    if (index != NULL && job->folder != NULL) {
        HB_GOTO(check_names(job, prefix, index, header->ciphertexts));
    }
    if (header->ciphertexts != job->file_count) {
        st = HB_FAIL(HB_EDATA, "%" PRIu64 " rows and %" PRIu64 " columns%s%s fill %" PRIu64 " files; %zu are given%s",
                     packing.rows, packing.columns, index != NULL ? " as in " : "", index != NULL ? index : "",
                     header->ciphertexts, job->file_count,
                     index != NULL ? ": --rows and --columns say what these hold" : "");
    }
done:
    free(index);
    return st;
}
