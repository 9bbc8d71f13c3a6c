#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dataset_private.h"
#include "io/keys/params_h5_private.h"
#include "scheme/codec.h"
#include "scheme/merge.h"
#include "scheme/params.h"
#include "scheme/slots.h"
#include "scheme/spread.h"
#include "table/grouping.h"
#include "table/real_text.h"
#include "table/schema.h"

#define UNIT_BYTES ((uint64_t)16 << 20)
#define UNITS_WANTED 64
#define UNITS_LEAST 16 /* fewer would leave ranks idle; more matter less than cells read and written one by one */

void hb_header_clear(hb_header *header)
{
    hb_schema_clear(&header->schema);
    if (header->part != NULL) {
        free(header->part->column);
        free(header->part);
    }
    memset(header, 0, sizeof *header);
}

void hb_header_set_scheme(hb_header *header, const hb_params_spec *spec, hb_encoding encoding)
{
    header->spec = *spec;
    header->encoding = encoding;
    header->cells = hb_codec_cell_type(spec->scheme);
    header->form = hb_codec_form(spec->scheme);
    header->scale = header->limbs > 0 ? hb_codec_scale(spec, header->limbs) : 0;
    header->capacity = hb_codec_capacity(spec, encoding);
}

void hb_header_quality(hb_header *header, hb_quality quality)
{
    header->made_by = header->made_by == HB_MADE_FRESH ? HB_MADE_EVALUATED : header->made_by;
    header->quality.worst = hb_quality_from_file(hb_quality_to_file(quality.worst));
    header->quality.expected = hb_quality_from_file(hb_quality_to_file(quality.expected));
    header->quality.norm = hb_quality_from_file(hb_quality_to_file(quality.norm));
    header->quality.peak = hb_quality_from_file(hb_quality_to_file(quality.peak));
    header->quality.certainty = quality.certainty;
    header->quality.powers = quality.powers < HB_MOST_NOISE_POWERS ? quality.powers : HB_MOST_NOISE_POWERS;
}

bool hb_header_packs_totals(const hb_header *header)
{
    return header->encoding == HB_ENCODE_REVERSED ||
           ((header->past.computed_limbs > 0 || header->kept > 0) && header->encoding == HB_ENCODE_COEFFICIENTS &&
            header->order == HB_PACK_ROWS);
}

/* Whether ciphertexts can be of totals in such an order of coefficients. */
static hb_status check_reversed(const hb_header *header, const char *path)
{
    const uint64_t most = header->cells == HB_CELL_REAL ? header->spec.n / 2 : header->spec.n;
    const bool right =
        header->encoding != HB_ENCODE_REVERSED ||
        (header->order == HB_PACK_ROWS && header->block == 0 && header->schema.rows == 1 &&
         header->schema.columns <= most && header->made_by == HB_MADE_EVALUATED && hb_spec_merges(&header->spec));
    return right ? HB_OK
                 : HB_FAIL(HB_EDATA, "%s: says that its coefficients are those of totals, in reverse, and it has none",
                           path);
}

uint32_t hb_header_spread_steps(const hb_header *header)
{
    return header->encoding == HB_ENCODE_SPREAD ? hb_spread_steps(&header->spec, 0, header->schema.columns) : 0;
}

/* Whether ciphertexts can be of one row whose numbers are coefficients, of parameters with slots. */
static hb_status check_spread(const hb_header *header, const char *path)
{
    const bool slots = header->cells == HB_CELL_REAL || header->spec.bfv.plain % (2 * header->spec.n) == 1;
    const bool right =
        header->encoding != HB_ENCODE_SPREAD ||
        (slots && header->order == HB_PACK_ROWS && header->block == 0 && header->schema.rows == 1 && !header->filled &&
         header->schema.left_out.rows == 0 && hb_schema_masks(&header->schema) == 0 && header->kept == 0);
    return right ? HB_OK
                 : HB_FAIL(HB_EDATA,
                           "%s: says that its coefficients are the numbers of one row, to be spread, and it "
                           "has no such row",
                           path);
}

/* Whether the coefficients that are kept hold all totals. */
static hb_status check_kept(const hb_header *header, const char *path)
{
    const bool right = header->kept == 0 || (header->kept % HB_SLICE_WORDS == 0 && header->kept < header->spec.n &&
                                             header->kept >= header->schema.columns && header->schema.rows == 1 &&
                                             !hb_schema_has_fills(&header->schema) &&
                                             header->made_by == HB_MADE_EVALUATED && hb_header_packs_totals(header));
    return right ? HB_OK
                 : HB_FAIL(HB_EDATA, "%s: says that it keeps %" PRIu32 " coefficients, which its totals cannot be in",
                           path, header->kept);
}

/* Only ciphertexts that were computed came under another key, or were refreshed. */
static hb_status check_past(const hb_header *header, const char *path)
{
    return header->past.steps == 0 || header->made_by == HB_MADE_EVALUATED
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: says that it came under another key or was refreshed, and it was not computed",
                         path);
}

/* Whether ciphertexts can have been sanitized or opened: by a computation, and not both. */
static hb_status check_sanitized(const hb_header *header, const char *path)
{
    const bool sanitized = header->past.sanitized != 0, version = hb_header_version(header) == HB_FORMAT_SANITIZED;
    const bool right = header->spec.scheme == HB_BFV && header->made_by == HB_MADE_EVALUATED && !header->seeded &&
                       sanitized != header->past.opened &&
                       (!sanitized || (header->past.sanitized >= 1 && header->past.sanitized <= HB_MOST_SANITIZED &&
                                       header->dirty_padding && !header->filled && !header->noise_assumed &&
                                       header->quality.certainty != HB_CERTAINTY_EXPECTED));
    if ((sanitized || header->past.opened || version) && !right) {
        return HB_FAIL(HB_EDATA, "%s: says that it was sanitized, or opened, in a way that cannot be", path);
    }
    return HB_OK;
}

/* A file of one owner that says that it has several, and the other way round, was changed: bounds go by the owners.
 * Sanitized ones may be of either. */
static hb_status check_parties(const hb_header *header, const char *path)
{
    const bool tells = hb_header_tells_parties(header);
    if (header->version == 0 || header->version == HB_FORMAT_SANITIZED ||
        (header->version == HB_FORMAT_PARTIES) == tells) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA, "%s: is of version %" PRIu32 ", and %s several parties or a history: it is damaged", path,
                   header->version, tells ? "tells of" : "does not tell of");
}

/* The scale is written as a double: that of the level, of which the exact one follows from the parameters, or, where
 * these are like SEAL's, the stated one. */
static hb_status check_scale(const hb_header *header, const char *path)
{
    if (header->cells == HB_CELL_INTEGER && (header->scale != 0 || signbit(header->scale))) { /* NaN and -0 too */
        return HB_FAIL(HB_EDATA, "%s: its integers have a scale, which those of %s have not", path,
                       hb_scheme_word(header->spec.scheme));
    }
    const double scale = hb_codec_scale(&header->spec, header->limbs);
    return scale == header->scale && (scale > 0 || header->cells == HB_CELL_INTEGER) /* not so of NaN */
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its scale is %.17g, that of %s ciphertexts of %" PRIu32 " limbs %.17g", path,
                         header->scale, hb_scheme_word(header->spec.scheme), header->limbs, scale);
}

/* Checks that the encoding fits the scheme of the parameters. */
static hb_status check_scheme(const hb_header *header, const char *path)
{
    const char *word = hb_scheme_word(header->spec.scheme);
    const uint64_t capacity = hb_codec_capacity(&header->spec, header->encoding);
    if (header->cells != hb_codec_cell_type(header->spec.scheme)) {
        return HB_FAIL(HB_EDATA, "%s: its cells are of a type that %s does not encrypt", path, word);
    }
    if (header->form != hb_codec_form(header->spec.scheme)) {
        return HB_FAIL(HB_EDATA, "%s: its ciphertexts are of a form that those of %s have not", path, word);
    }
    HB_TRY(check_scale(header, path));
    return header->capacity == capacity
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: ciphertexts of %" PRIu64 " values, where %s holds %" PRIu64, path,
                         header->capacity, word, capacity);
}

/* A range has a value, and finite ends; a column that may have wrapped has no range. */
static bool is_range(const hb_column *column)
{
    if (!column->ranged || column->wide) {
        return (column->least | column->most) == 0 && !(column->ranged && column->may_wrap) &&
               hb_wide_compare(column->wide_least, column->wide_most) <= 0;
    }
    const bool finite =
        column->cells == HB_CELL_INTEGER || (isfinite(hb_real_of(column->least)) && isfinite(hb_real_of(column->most)));
    return finite && hb_column_holds(column, column->least) && !column->may_wrap;
}

/* Both halves are those of slots of reals; their range is that of a modulus, and the columns of a pair have two
 * names. */
static bool has_halves_rightly(const hb_header *header, const hb_column *column)
{
    const bool pair = column->halves == HB_HALVES_PAIR;
    const bool named = column->part[0] != NULL && column->part[1] != NULL && column->part[0][0] != '\0' &&
                       column->part[1][0] != '\0' && strcmp(column->part[0], column->part[1]) != 0;
    if (column->halves == HB_HALVES_REAL) {
        return true;
    }
    const bool held =
        header->encoding == HB_ENCODE_SLOTS || (header->encoding == HB_ENCODE_SPREAD && hb_slots_have_i(&header->spec));
    return header->cells == HB_CELL_REAL && held && (named || !pair) &&
           (!column->ranged || hb_real_of(column->least) == -hb_real_of(column->most));
}

/* Complex numbers and pairs are plain; only integers have a scale. */
static hb_status check_meanings(const hb_header *header, const char *path)
{
    for (uint64_t c = 0; c < header->schema.columns; c++) {
        const hb_column *column = &header->schema.column[c];
        const bool scaled = hb_meaning_scale(&column->meaning) > 1;
        if (!hb_meaning_is_possible(&column->meaning) || (scaled && header->cells == HB_CELL_REAL) ||
            (column->halves != HB_HALVES_REAL && !hb_meaning_is_plain(&column->meaning))) {
            return HB_FAIL(HB_EDATA, "%s: the numbers of column %" PRIu64 " cannot stand for what they are said to",
                           path, c + 1);
        }
    }
    return HB_OK;
}

static hb_status check_halves(const hb_header *header, const char *path)
{
    for (uint64_t c = 0; c < header->schema.columns; c++) {
        if (!has_halves_rightly(header, &header->schema.column[c])) {
            return HB_FAIL(HB_EDATA, "%s: column %" PRIu64 " has complex numbers, or a pair of columns, that cannot be",
                           path, c + 1);
        }
    }
    return HB_OK;
}

/* Reals are doubles, and have no sign of their own. */
static hb_status check_type(const hb_header *header, const char *path)
{
    const hb_schema *schema = &header->schema;
    bool right = header->cells == HB_CELL_INTEGER || schema->width == sizeof(double);
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column *column = &schema->column[c];
        right = right && column->cells == header->cells && !(column->cells == HB_CELL_REAL && column->is_signed);
    }
    return right ? HB_OK
                 : HB_FAIL(HB_EDATA, "%s: its columns are not those of a table of %ss", path,
                           hb_header_cells_word(header));
}

/* Columns are wide, all of them, where values are known modulo several plain moduli. */
static hb_status check_wide(const hb_header *header, const char *path)
{
    const bool wide = hb_spec_residues(&header->spec) > 1;
    for (uint64_t c = 0; c < header->schema.columns; c++) {
        if (header->schema.column[c].wide != wide) {
            return HB_FAIL(HB_EDATA, "%s: column %" PRIu64 " is not one of values modulo %" PRIu32 " plain moduli",
                           path, c + 1, hb_spec_residues(&header->spec));
        }
    }
    return HB_OK;
}

/* Missing cells have a value that cells that are there may have. */
static bool has_fill_rightly(const hb_column *column)
{
    if (column->fill == 0) {
        return true;
    }
    if (!column->has_fill || column->halves != HB_HALVES_REAL || !column->ranged) {
        return false;
    }
    const hb_wide fill = hb_wide_of((int64_t)column->fill);
    return column->wide
               ? hb_wide_compare(column->wide_least, fill) <= 0 && hb_wide_compare(fill, column->wide_most) <= 0
               : hb_column_holds(column, column->fill);
}

/* Masks stand behind all other columns. */
static bool has_masks_rightly(const hb_schema *schema)
{
    const uint64_t shown = hb_schema_shown(schema);
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column *column = &schema->column[c];
        const bool masked = column->mask > shown && column->mask <= schema->columns;
        const bool own = c >= shown ? column->mask == 0 && column->full <= HB_MOST_FULL && !column->has_fill
                                    : column->full == 0 && (masked || (column->mask == 0 && !column->has_fill));
        if (!own || !has_fill_rightly(column)) {
            return false;
        }
    }
    return shown > 0 || schema->columns == 0;
}

static hb_status check_schema(const hb_schema *schema, const char *path)
{
    uint32_t w = schema->width;
    const bool wide = schema->columns > 0 && schema->column[0].wide;
    if ((w != 1 && w != 2 && w != 4 && w != 8 && (w != 16 || !wide)) || (schema->rank != 1 && schema->rank != 2) ||
        (schema->rank == 1 && schema->columns != 1)) {
        return HB_FAIL(HB_EDATA, "%s: no table has rank %" PRIu32 ", %" PRIu64 " columns and %" PRIu32 "-byte integers",
                       path, schema->rank, schema->columns, w);
    }
    if (!hb_left_out_is_possible(&schema->left_out, schema->rows) || schema->total_left_out > INT64_MAX) {
        return HB_FAIL(HB_EDATA, "%s: its facts about rows that were left out are impossible", path);
    }
    if (!(schema->threshold_gap >= 0 && isfinite(schema->threshold_gap))) {
        return HB_FAIL(HB_EDATA, "%s: says that comparisons have a gap of %g, which is none", path,
                       schema->threshold_gap);
    }
    if (!has_masks_rightly(schema)) {
        return HB_FAIL(HB_EDATA, "%s: its columns have masks that cannot be", path);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        if (!is_range(&schema->column[c])) {
            return HB_FAIL(HB_EDATA, "%s: the range of the values of column %" PRIu64 " is none", path, c + 1);
        }
    }
    return HB_OK;
}

hb_packing hb_header_packing(const hb_header *header)
{
    return (hb_packing){.order = header->order,
                        .rows = header->schema.rows,
                        .columns = header->schema.columns,
                        .capacity = header->capacity,
                        .block = header->block};
}

hb_status hb_header_check(const hb_header *header, const char *path)
{
    if (header->limbs < 1 || header->limbs > header->spec.key_limbs) {
        return HB_FAIL(HB_EDATA, "%s: ciphertexts of %" PRIu32 " limbs are not possible here", path, header->limbs);
    }
    if (header->made_by != HB_MADE_FRESH && header->seeded) {
        return HB_FAIL(HB_EDATA, "%s: evaluated ciphertexts have no seeds", path);
    }
    HB_TRY(check_scheme(header, path));
    HB_TRY(check_type(header, path));
    HB_TRY(check_schema(&header->schema, path));
    HB_TRY(check_wide(header, path));
    HB_TRY(check_halves(header, path));
    HB_TRY(check_meanings(header, path));
    HB_TRY(hb_grouping_check(&header->schema, path));
    HB_TRY(check_reversed(header, path));
    HB_TRY(check_spread(header, path));
    HB_TRY(check_kept(header, path));
    HB_TRY(hb_part_check(header, path));
    HB_TRY(check_parties(header, path));
    HB_TRY(check_past(header, path));
    HB_TRY(check_sanitized(header, path));
    if (header->block > 0 && (header->cells != HB_CELL_REAL || header->encoding != HB_ENCODE_SLOTS)) {
        return HB_FAIL(HB_EDATA, "%s: only rows of reals in slots stand in blocks", path);
    }
    if (header->filled && header->schema.rows != 1) {
        return HB_FAIL(HB_EDATA, "%s: says that its row stands in the place of all, and has %" PRIu64 " rows", path,
                       header->schema.rows);
    }
    if (header->filled &&
        (header->encoding != HB_ENCODE_SLOTS || (header->order == HB_PACK_ROWS && header->block == 0))) {
        return HB_FAIL(HB_EDATA,
                       "%s: says that its row stands in the place of all, which one in slots can, by columns "
                       "or in blocks",
                       path);
    }
    const hb_packing packing = hb_header_packing(header);
    if (hb_packing_check(&packing) != HB_OK) {
        return HB_FAIL(HB_EDATA, "%s: %.400s", path, hb_last_error()->text);
    }
    uint64_t ciphertexts = hb_packing_ciphertexts(&packing);
    if (header->ciphertexts != ciphertexts) {
        return HB_FAIL(HB_EDATA, "%s: its table fills %" PRIu64 " ciphertexts, but it says %" PRIu64, path, ciphertexts,
                       header->ciphertexts);
    }
    if (header->unit < 1 || header->unit > (ciphertexts ? ciphertexts : 1)) {
        return HB_FAIL(HB_EDATA, "%s: units of %" PRIu64 " ciphertexts are outside 1 to %" PRIu64, path, header->unit,
                       ciphertexts ? ciphertexts : 1);
    }
    return HB_OK;
}

uint64_t hb_header_units(const hb_header *header)
{
    return header->ciphertexts / header->unit + (header->ciphertexts % header->unit != 0);
}

void hb_header_unit_range(const hb_header *header, uint64_t u, uint64_t *first, uint64_t *count)
{
    HB_ASSERT(u < hb_header_units(header));
    uint64_t left = header->ciphertexts - u * header->unit;
    *first = u * header->unit;
    *count = left < header->unit ? left : header->unit;
}

void hb_header_units_range(const hb_header *header, uint64_t first_unit, uint64_t units, uint64_t *first,
                           uint64_t *count)
{
    *first = *count = 0;
    if (units > 0) {
        uint64_t last, last_count;
        hb_header_unit_range(header, first_unit, first, count);
        hb_header_unit_range(header, first_unit + units - 1, &last, &last_count);
        *count = last + last_count - *first;
    }
}

uint32_t hb_header_stored(const hb_header *header)
{
    return hb_header_components(header) - header->seeded;
}

size_t hb_header_row_bytes(const hb_header *header, uint32_t limb)
{
    return hb_spec_row_bytes(&header->spec, limb);
}

size_t hb_header_stored_row_bytes(const hb_header *header, uint32_t component, uint32_t limb)
{
    const size_t row = hb_header_row_bytes(header, limb);
    const size_t slice = row / (header->spec.n / HB_SLICE_WORDS);
    return component == 0 && header->kept > 0 ? header->kept / HB_SLICE_WORDS * slice : row;
}

size_t hb_header_ciphertext_bytes(const hb_header *header)
{
    /* At most 2 components of 64 limbs of 2^17 * 60 / 8 bytes: below 2^27. */
    size_t bytes = header->seeded ? HB_SEED_BYTES : 0;
    for (uint32_t c = 0; c < hb_header_stored(header); c++) {
        for (uint32_t l = 0; l < header->limbs; l++) {
            bytes += hb_header_stored_row_bytes(header, c, l);
        }
    }
    return bytes;
}

uint64_t hb_header_stored_bytes(const hb_header *header)
{
    return header->ciphertexts * hb_header_ciphertext_bytes(header) * hb_spec_residues(&header->spec);
}

uint64_t hb_header_choose_unit(uint64_t ciphertexts, size_t ciphertext_bytes, uint64_t across)
{
    uint64_t cap = UNIT_BYTES / ciphertext_bytes;
    uint64_t unit = ciphertexts / UNITS_WANTED + (ciphertexts % UNITS_WANTED != 0);
    unit = unit < cap ? unit : cap;
    unit = unit > 1 ? unit : 1;
    if (unit < across && across <= cap && ciphertexts / across >= UNITS_LEAST) {
        unit = across;
    }
    return unit >= across ? unit - unit % across : unit;
}

bool hb_rows_have(const hb_rows *rows, uint32_t limb)
{
    return (rows->limbs >> limb & 1) != 0;
}
