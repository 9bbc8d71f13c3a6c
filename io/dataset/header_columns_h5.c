/* Facts about columns of a table in HDF5: signs, names, ranges of values, which halves hold them, meanings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "table/schema.h"

/* Names of which every column has `each`: its own one, or those of the parts of a pair. */
static char **name_of(const hb_schema *schema, uint64_t each, uint64_t i)
{
    hb_column *column = &schema->column[i / each];
    return each == 1 ? &column->name : &column->part[i % each];
}

static hb_status put_names(hid_t group, const char *called, const hb_schema *schema, uint64_t each)
{
    const uint64_t count = each * schema->columns;
    const char **names = calloc((size_t)count, sizeof *names);
    if (names == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", schema->columns);
    }
    for (uint64_t i = 0; i < count; i++) {
        names[i] = *name_of(schema, each, i);
    }
    const hb_status st = hb_h5_put_texts(group, called, names, count);
    free(names);
    return st;
}

/* Facts of every column, each a dataset: its element, and where it stands in hb_column. */
typedef struct fact {
    const char *name;
    bool is_flag; /* u8, 0 or 1, of a bool; else u64 */
    size_t place;
} fact;
static const fact sign = {"signed", true, offsetof(hb_column, is_signed)};
static const fact scale = {"scale", false, offsetof(hb_column, meaning.scale)};
static const fact range_facts[] = {{"ranged", true, offsetof(hb_column, ranged)},
                                   {"least", false, offsetof(hb_column, least)},
                                   {"most", false, offsetof(hb_column, most)},
                                   {"may_wrap", true, offsetof(hb_column, may_wrap)}};
static const fact digit_facts[] = {{"digit_base", false, offsetof(hb_column, digit_base)},
                                   {"digits", false, offsetof(hb_column, digits)}};
static const fact mask_facts[] = {{"mask", false, offsetof(hb_column, mask)},
                                  {"full", false, offsetof(hb_column, full)},
                                  {"zeroed", true, offsetof(hb_column, has_fill)}};
static const fact fill = {"fill", false, offsetof(hb_column, fill)};
enum { MASK_FACTS = 3 };
enum { RANGE_FACTS = sizeof range_facts / sizeof range_facts[0], MEANING_DATASETS = 4, DIGIT_FACTS = 2 };

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

static bool is_wide(const hb_schema *schema)
{
    return schema->columns > 0 && schema->column[0].wide;
}

/* One end of the ranges of wide columns: HB_WIDE_WORDS words each. */
static hb_status put_wide(hid_t group, const char *name, const hb_schema *schema, size_t place)
{
    hb_wide *ends = calloc((size_t)schema->columns + 1, sizeof *ends);
    if (ends == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the ranges of %" PRIu64 " columns", schema->columns);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        ends[c] = *(const hb_wide *)(const void *)((const char *)&schema->column[c] + place);
    }
    const hb_status st =
        hb_h5_put_dataset(group, name, hb_h5_matrix(H5T_STD_U64LE, schema->columns, HB_WIDE_WORDS), ends);
    free(ends);
    return st;
}

static hb_status put_wide_ranges(hid_t group, const hb_schema *schema)
{
    if (!is_wide(schema)) {
        return HB_OK;
    }
    HB_TRY(put_wide(group, "wide_least", schema, offsetof(hb_column, wide_least)));
    return put_wide(group, "wide_most", schema, offsetof(hb_column, wide_most));
}

static bool has_pairs(const hb_schema *schema)
{
    uint64_t c = 0;
    while (c < schema->columns && schema->column[c].halves != HB_HALVES_PAIR) {
        c++;
    }
    return c < schema->columns;
}

/* For columns that are all real nothing is said. */
static hb_status put_halves(hid_t group, const hb_schema *schema)
{
    if (!hb_schema_has_halves(schema)) {
        return HB_OK;
    }
    uint8_t *kinds = calloc((size_t)schema->columns + 1, 1);
    if (kinds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        kinds[c] = (uint8_t)schema->column[c].halves;
    }
    const hb_status st = hb_h5_put_dataset(group, "halves", hb_h5_vector(H5T_STD_U8LE, schema->columns), kinds);
    free(kinds);
    HB_TRY(st);
    return has_pairs(schema) ? put_names(group, "parts", schema, 2) : HB_OK;
}

/* All labels of all columns, one after another. */
static hb_status put_labels(hid_t group, const hb_schema *schema)
{
    uint64_t count = 0;
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_labels *labels = schema->column[c].meaning.labels;
        count += labels != NULL ? labels->count : 0;
    }
    if (count == 0) {
        return HB_OK;
    }
    const char **text = calloc((size_t)count, sizeof *text), **to = text;
    if (text == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " labels", count);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_labels *labels = schema->column[c].meaning.labels;
        for (uint64_t i = 0; labels != NULL && i < labels->count; i++) {
            *to++ = labels->text[i];
        }
    }
    const hb_status st = hb_h5_put_texts(group, "labels", text, count);
    free(text);
    return st;
}

/* For columns that are all plain numbers nothing is said. */
static hb_status put_meanings(hid_t group, const hb_schema *schema)
{
    if (!hb_schema_has_meanings(schema)) {
        return HB_OK;
    }
    uint8_t *kinds = calloc((size_t)schema->columns + 1, 1);
    uint64_t *counts = calloc((size_t)schema->columns + 1, sizeof *counts);
    hb_status st = HB_OK;
    if (kinds == NULL || counts == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns));
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_meaning *meaning = &schema->column[c].meaning;
        kinds[c] = hb_meaning_code(meaning);
        counts[c] = meaning->labels != NULL ? meaning->labels->count : 0;
    }
    HB_GOTO(hb_h5_put_dataset(group, "meaning", hb_h5_vector(H5T_STD_U8LE, schema->columns), kinds));
    HB_GOTO(put_fact(group, &scale, schema));
    HB_GOTO(hb_h5_put_dataset(group, "label_counts", hb_h5_vector(H5T_STD_U64LE, schema->columns), counts));
    st = put_labels(group, schema);
done:
    free(counts);
    free(kinds);
    return st;
}

uint32_t hb_columns_datasets(const hb_schema *schema)
{
    /* Room for names is left in any case. */
    return 2 + RANGE_FACTS + (uint32_t)hb_schema_has_halves(schema) + (uint32_t)has_pairs(schema) +
           2 * (uint32_t)is_wide(schema) + (hb_schema_has_meanings(schema) ? MEANING_DATASETS : 0) +
           (hb_schema_has_digits(schema) ? DIGIT_FACTS : 0) + (hb_schema_masks(schema) > 0 ? MASK_FACTS : 0) +
           (uint32_t)hb_schema_has_fills(schema) + hb_grouping_datasets(schema->grouping);
}

hb_status hb_columns_put(hid_t group, const hb_schema *schema)
{
    HB_TRY(put_fact(group, &sign, schema));
    for (int i = 0; i < RANGE_FACTS; i++) {
        HB_TRY(put_fact(group, &range_facts[i], schema));
    }
    HB_TRY(put_wide_ranges(group, schema));
    HB_TRY(put_halves(group, schema));
    HB_TRY(put_meanings(group, schema));
    for (int i = 0; i < DIGIT_FACTS && hb_schema_has_digits(schema); i++) {
        HB_TRY(put_fact(group, &digit_facts[i], schema));
    }
    for (int i = 0; i < MASK_FACTS && hb_schema_masks(schema) > 0; i++) {
        HB_TRY(put_fact(group, &mask_facts[i], schema));
    }
    if (hb_schema_has_fills(schema)) {
        HB_TRY(put_fact(group, &fill, schema));
    }
    return schema->named ? put_names(group, "names", schema, 1) : HB_OK;
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

/* Ends that are saturated, or no magnitude of hb_wide at all, are of no range. */
static bool is_end(const hb_wide *end)
{
    return hb_wide_bits(*end) <= HB_WIDE_END_BITS;
}

static hb_status get_wide(hid_t group, const char *name, const char *path, uint64_t file_bytes, hb_schema *schema,
                          size_t place)
{
    hb_wide *ends = calloc((size_t)schema->columns + 1, sizeof *ends);
    if (ends == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for the ranges of %" PRIu64 " columns", path, schema->columns);
    }
    hb_status st = hb_h5_get_dataset(group, name, path, hb_h5_matrix(H5T_STD_U64LE, schema->columns, HB_WIDE_WORDS),
                                     file_bytes, ends);
    for (uint64_t c = 0; st == HB_OK && c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        column->wide = true;
        *(hb_wide *)(void *)((char *)column + place) = ends[c];
        if (!is_end(&ends[c]) || (!column->ranged && hb_wide_sign(ends[c]) != 0)) {
            st = HB_FAIL(HB_EDATA, "%s: the range of column %" PRIu64 " is none", path, c + 1);
        }
    }
    free(ends);
    return st;
}

/* For one plain modulus there is nothing. */
static hb_status get_wide_ranges(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    bool there;
    HB_TRY(hb_h5_has(group, "wide_least", path, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(get_wide(group, "wide_least", path, file_bytes, schema, offsetof(hb_column, wide_least)));
    return get_wide(group, "wide_most", path, file_bytes, schema, offsetof(hb_column, wide_most));
}

static hb_status get_ranges(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    for (int i = 0; i < RANGE_FACTS; i++) {
        HB_TRY(get_fact(group, &range_facts[i], path, file_bytes, schema));
    }
    return HB_OK;
}

/* The names of which every column has `each`, where the dataset `called` has them. */
static hb_status get_names(hid_t group, const char *called, const char *path, uint64_t file_bytes,
                           H5T_cset_t characters, hb_schema *schema, uint64_t each)
{
    hb_h5_names names = {.characters = characters};
    HB_TRY(hb_h5_extent(group, called, path, file_bytes, &names.count, &names.bytes));
    if (names.count / each != schema->columns || names.count % each != 0 || names.bytes > HB_COLUMN_NAME_MAX) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " %s of %zu bytes do not suit %" PRIu64 " columns", path, names.count,
                       called, names.bytes, schema->columns);
    }
    hb_status st = hb_h5_get_names(group, called, path, file_bytes, &names);
    for (uint64_t i = 0; st == HB_OK && i < names.count; i++) {
        if (each > 1 && schema->column[i / each].halves != HB_HALVES_PAIR) {
            continue;
        }
        char **name = name_of(schema, each, i);
        *name = strndup(names.text + i * names.bytes, names.bytes);
        st = *name != NULL
                 ? HB_OK
                 : HB_FAIL(HB_ENOMEM, "%s: no memory for the names of %" PRIu64 " columns", path, names.count);
    }
    free(names.text);
    return st;
}

/* Files without are of columns that are all real. */
static hb_status get_halves(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    bool there;
    HB_TRY(hb_h5_has(group, "halves", path, &there));
    if (!there) {
        return HB_OK;
    }
    uint8_t *kinds = calloc((size_t)schema->columns + 1, 1);
    if (kinds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", schema->columns);
    }
    hb_status st =
        hb_h5_get_dataset(group, "halves", path, hb_h5_vector(H5T_STD_U8LE, schema->columns), file_bytes, kinds);
    for (uint64_t c = 0; st == HB_OK && c < schema->columns; c++) {
        schema->column[c].halves = (hb_halves)kinds[c];
        if (kinds[c] > HB_HALVES_PAIR) {
            st = HB_FAIL(HB_EDATA, "%s: column %" PRIu64 " is neither real nor complex nor a pair", path, c + 1);
        }
    }
    free(kinds);
    HB_TRY(st);
    return has_pairs(schema) ? get_names(group, "parts", path, file_bytes, H5T_CSET_UTF8, schema, 2) : HB_OK;
}

/* The labels of a file's columns. A view. */
typedef struct stored_labels {
    const uint64_t *counts; /* [columns] */
    const uint8_t *codes;   /* [columns] of meanings */
} stored_labels;

/* Gives each category its share of these labels. */
static hb_status share_labels(const hb_h5_names *labels, stored_labels stored, const char *path, hb_schema *schema)
{
    const size_t length = labels->bytes;
    const char *joined = labels->text;
    const uint64_t *counts = stored.counts;
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (counts[c] == 0) {
            continue;
        }
        /* One more byte each, as the longest have no zero behind them. */
        char *bytes = calloc((size_t)counts[c], length + 1);
        const char **text = calloc((size_t)counts[c], sizeof *text);
        hb_status st = bytes != NULL && text != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for labels", path);
        for (uint64_t i = 0; st == HB_OK && i < counts[c]; i++, joined += length) {
            text[i] = memcpy(bytes + i * (length + 1), joined, length);
        }
        const hb_labels **to = &schema->column[c].meaning.labels;
        if (st == HB_OK) {
            st = (stored.codes[c] == HB_CODE_FOLDED ? hb_labels_make_folded : hb_labels_make)(text, counts[c], to);
        }
        free(bytes);
        free(text);
        HB_TRY(st);
    }
    return HB_OK;
}

static hb_status get_labels(hid_t group, const char *path, uint64_t file_bytes, stored_labels stored, hb_schema *schema)
{
    const uint64_t *counts = stored.counts;
    uint64_t said = 0;
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (counts[c] > HB_MOST_LABELS || (said += counts[c]) > HB_MOST_TABLE_LABELS) {
            return HB_FAIL(HB_EDATA, "%s: its columns have too many labels", path);
        }
    }
    if (said == 0) {
        return HB_OK;
    }
    hb_h5_names labels = {.characters = H5T_CSET_UTF8};
    HB_TRY(hb_h5_extent(group, "labels", path, file_bytes, &labels.count, &labels.bytes));
    if (labels.count != said || labels.bytes > HB_LABEL_MAX) {
        return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " labels of %zu bytes, where columns have %" PRIu64, path, labels.count,
                       labels.bytes, said);
    }
    hb_status st = hb_h5_get_names(group, "labels", path, file_bytes, &labels);
    st = st == HB_OK ? share_labels(&labels, stored, path, schema) : st;
    free(labels.text);
    return st;
}

/* Files without are of columns that are all plain numbers. */
static hb_status get_meanings(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    bool there;
    HB_TRY(hb_h5_has(group, "meaning", path, &there));
    if (!there) {
        return HB_OK;
    }
    const uint64_t columns = schema->columns;
    uint8_t *kinds = calloc((size_t)columns + 1, 1);
    uint64_t *counts = calloc((size_t)columns + 1, sizeof *counts);
    hb_status st = HB_OK;
    if (kinds == NULL || counts == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", columns));
    }
    HB_GOTO(hb_h5_get_dataset(group, "meaning", path, hb_h5_vector(H5T_STD_U8LE, columns), file_bytes, kinds));
    HB_GOTO(get_fact(group, &scale, path, file_bytes, schema));
    HB_GOTO(hb_h5_get_dataset(group, "label_counts", path, hb_h5_vector(H5T_STD_U64LE, columns), file_bytes, counts));
    HB_GOTO(get_labels(group, path, file_bytes, (stored_labels){counts, kinds}, schema));
    for (uint64_t c = 0; c < columns; c++) {
        hb_meaning_set_code(&schema->column[c].meaning, kinds[c]);
        if (!hb_meaning_is_possible(&schema->column[c].meaning)) {
            HB_GOTO(
                HB_FAIL(HB_EDATA, "%s: what the numbers of column %" PRIu64 " stand for is not known", path, c + 1));
        }
    }
done:
    free(counts);
    free(kinds);
    return st;
}

/* Files without are of columns that are no digits. */
static hb_status get_digits(hid_t group, const char *path, uint64_t file_bytes, hb_schema *schema)
{
    bool there;
    HB_TRY(hb_h5_has(group, "digit_base", path, &there));
    for (int i = 0; i < DIGIT_FACTS && there; i++) {
        HB_TRY(get_fact(group, &digit_facts[i], path, file_bytes, schema));
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (!hb_digits_are_possible(schema->column[c].digit_base, schema->column[c].digits)) {
            return HB_FAIL(HB_EDATA, "%s: of what column %" PRIu64 " is a digit is not known", path, c + 1);
        }
    }
    return HB_OK;
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
        schema->column[c].may_wrap = version == HB_FORMAT_EVALUATED; /* older versions did not keep it */
    }
    if (version >= HB_FORMAT_BFV) {
        HB_TRY(get_ranges(group, path, file_bytes, schema));
        HB_TRY(get_wide_ranges(group, path, file_bytes, schema));
        HB_TRY(get_halves(group, path, file_bytes, schema));
        HB_TRY(get_meanings(group, path, file_bytes, schema));
        HB_TRY(get_digits(group, path, file_bytes, schema));
    }
    bool masks = version == HB_FORMAT_MASKS || version == HB_FORMAT_FILLS, fills = version == HB_FORMAT_FILLS;
    if (version == HB_FORMAT_CUT || version >= HB_FORMAT_PARTIES) {
        HB_TRY(hb_h5_has(group, mask_facts[0].name, path, &masks));
    }
    if (version >= HB_FORMAT_PARTIES) {
        HB_TRY(hb_h5_has(group, fill.name, path, &fills));
    }
    for (int i = 0; i < MASK_FACTS && masks; i++) {
        HB_TRY(get_fact(group, &mask_facts[i], path, file_bytes, schema));
    }
    if (fills) {
        HB_TRY(get_fact(group, &fill, path, file_bytes, schema));
    }
    /* Older versions called them ASCII, also with other characters. */
    const H5T_cset_t characters = version >= HB_FORMAT_BFV ? H5T_CSET_UTF8 : H5T_CSET_ASCII;
    return schema->named ? get_names(group, "names", path, file_bytes, characters, schema, 1) : HB_OK;
}
