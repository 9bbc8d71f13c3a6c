/* The header of several datasets behind one another. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "concat_job.h"
#include "encrypt_ranges.h"
#include "rlwe/bounds.h"
#include "scheme/params.h"
#include "table/real_text.h"

static hb_status refuse(const char *path, const char *first, const char *what)
{
    return HB_FAIL(HB_EDATA, "%s: %s than %s, so the two cannot be one dataset", path, what, first);
}

/* Rows that stand in the ciphertexts of one row block. */
static uint64_t rows_of_block(const hb_header *header)
{
    if (header->order == HB_PACK_COLUMNS) {
        return header->capacity;
    }
    const uint64_t wide = header->block > 0 ? header->block : header->schema.columns;
    return wide < header->capacity ? header->capacity / wide : 1;
}

static hb_status check_alike(const hb_header *all, const hb_header *next, const char *path, const char *first)
{
    if (!hb_keys_same(all->key_id, &all->spec, next->key_id, &next->spec)) {
        return refuse(path, first, "is of another key pair");
    }
    if (all->limbs != next->limbs) {
        return refuse(path, first, "has another number of limbs");
    }
    if (all->seeded != next->seeded || all->made_by != next->made_by) {
        return refuse(path, first, "was made in another way (secret key, public key, computing, another program)");
    }
    if (all->encoding != next->encoding || all->order != next->order || all->block != next->block ||
        all->form != next->form || all->kept != next->kept) {
        return refuse(path, first, "has another packing");
    }
    if (all->encoding == HB_ENCODE_SPREAD) {
        return HB_FAIL(HB_EDATA, "%s: its row stands in the place of every row, so no rows can be added behind it",
                       first);
    }
    if (all->scale != next->scale) {
        return refuse(path, first, "has another scale");
    }
    if (all->schema.grouping != NULL || next->schema.grouping != NULL) {
        return HB_FAIL(HB_EDATA, "%s: holds totals of groups, which are no rows", path);
    }
    if (all->schema.columns != next->schema.columns || all->schema.named != next->schema.named) {
        return refuse(path, first, "has other columns");
    }
    return HB_OK;
}

/* Adds labels that only `next` has; the spelling of the others stays. */
static hb_status extend_labels(hb_meaning *all, const hb_labels *next)
{
    const char **text = calloc((size_t)next->count + 1, sizeof *text);
    const hb_labels *made = NULL;
    if (text == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " labels", next->count);
    }
    for (uint64_t i = 0; i < next->count; i++) {
        text[i] = i < all->labels->count ? all->labels->text[i] : next->text[i];
    }
    const hb_status st = (all->labels->folds ? hb_labels_make_folded : hb_labels_make)(text, next->count, &made);
    free(text);
    if (st == HB_OK) {
        hb_meaning_clear(all);
        *all = (hb_meaning){.kind = HB_MEANING_CATEGORY, .labels = made};
    }
    return st;
}

hb_status hb_concat_meaning(hb_meaning *all, const hb_meaning *next, bool *alike)
{
    *alike = hb_meaning_same(all, next);
    if (*alike || all->kind != HB_MEANING_CATEGORY || next->kind != HB_MEANING_CATEGORY) {
        return HB_OK;
    }
    const bool longer = next->labels->count > all->labels->count;
    const uint64_t common = longer ? all->labels->count : next->labels->count;
    uint64_t i = 0;
    while (i < common && hb_labels_same_text(all->labels, i, next->labels, i)) {
        i++;
    }
    *alike = i == common;
    return *alike && longer ? extend_labels(all, next->labels) : HB_OK;
}

static bool is_below(const hb_column *column, uint64_t a, uint64_t b)
{
    if (column->cells == HB_CELL_REAL) {
        return hb_real_of(a) < hb_real_of(b);
    }
    return column->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* Numbers mod t, or modulo the product of several plain moduli, are read by the sign of their column: without one they
 * may be above half of it. */
static bool may_be_signed(const hb_column *column, const hb_params_spec *spec)
{
    hb_residues residues;
    if (column->is_signed || !column->ranged) {
        return column->is_signed;
    }
    if (!column->wide) {
        return column->most <= (spec->bfv.plain - 1) / 2;
    }
    return hb_residues_init(&residues, spec->bfv.plains, spec->bfv.plain_count) == HB_OK &&
           hb_wide_compare(column->wide_most, hb_residues_most(&residues, true)) <= 0;
}

/* Widens the range of a column to hold both. */
static void join_ranges(hb_column *column, const hb_column *other)
{
    column->ranged = column->ranged && other->ranged && !column->may_wrap;
    if (!column->ranged) {
        column->least = column->most = 0;
        column->wide_least = column->wide_most = hb_wide_of(0);
    } else if (column->wide) {
        const bool less = hb_wide_compare(other->wide_least, column->wide_least) < 0;
        const bool more = hb_wide_compare(other->wide_most, column->wide_most) > 0;
        column->wide_least = less ? other->wide_least : column->wide_least;
        column->wide_most = more ? other->wide_most : column->wide_most;
    } else {
        column->least = is_below(column, other->least, column->least) ? other->least : column->least;
        column->most = is_below(column, column->most, other->most) ? other->most : column->most;
    }
}

static hb_status refuse_meaning(const hb_schema *schema, uint64_t c, const char *path, const char *first)
{
    char label[HB_COLUMN_LABEL];
    hb_column_label(label, schema, c);
    return HB_FAIL(HB_EDATA,
                   "%s: column %s means something else than in %s; encrypt --category NAME=LABEL,LABEL gives all of "
                   "them the same labels",
                   path, label, first);
}

static hb_status refuse_sign(const hb_schema *schema, uint64_t c, const char *path, const char *first)
{
    char label[HB_COLUMN_LABEL];
    hb_column_label(label, schema, c);
    return HB_FAIL(HB_EDATA,
                   "%s: column %s has a sign in one of it and %s alone, and values of the other may be above %s; "
                   "encrypt --range says that they are not",
                   path, label, first, schema->column[c].wide ? "half of the product of the plain moduli" : "t / 2");
}

static hb_status join_column(hb_header *all, const hb_header *next, uint64_t c, const char *path, const char *first)
{
    hb_column *column = &all->schema.column[c];
    const hb_column *other = &next->schema.column[c];
    bool alike = strcmp(column->name, other->name) == 0 && column->halves == other->halves &&
                 column->digit_base == other->digit_base && column->digits == other->digits;
    if (!hb_column_same_mask(column, other)) {
        return refuse(path, first, "has other masks of its columns (--missing mask)");
    }
    if (!other->has_fill || column->fill != other->fill) { /* missing cells have no value in common */
        column->has_fill = false;
        column->fill = 0;
    }
    for (int part = 0; alike && column->halves == HB_HALVES_PAIR && part < 2; part++) {
        alike = strcmp(column->part[part], other->part[part]) == 0;
    }
    if (!alike) {
        return refuse(path, first, "has columns of other names");
    }
    HB_TRY(hb_concat_meaning(&column->meaning, &other->meaning, &alike));
    if (!alike) {
        return refuse_meaning(&next->schema, c, path, first);
    }
    const bool mixed = column->is_signed != other->is_signed;
    if (mixed && (!may_be_signed(column, &all->spec) || !may_be_signed(other, &all->spec))) {
        return refuse_sign(&next->schema, c, path, first);
    }
    column->is_signed = column->is_signed || other->is_signed;
    column->may_wrap = column->may_wrap || other->may_wrap;
    join_ranges(column, other);
    if (mixed && !column->ranged && all->schema.width < sizeof(uint64_t)) {
        all->schema.width = sizeof(uint64_t); /* a type of fewer bytes would say a range that holds of one part alone */
    }
    return HB_OK;
}

hb_quality hb_concat_quality(hb_quality a, hb_quality b)
{
    return (hb_quality){.worst = fmax(a.worst, b.worst),
                        .expected = fmax(a.expected, b.expected),
                        .certainty = hb_certainty_of_both(a.certainty, b.certainty),
                        .norm = a.norm == 0 || b.norm == 0 ? 0 : fmax(a.norm, b.norm), /* 0: unknown */
                        .peak = a.peak == 0 || b.peak == 0 ? 0 : fmax(a.peak, b.peak),
                        .powers = a.powers == 0 || b.powers == 0 ? 0
                                  : a.powers > b.powers          ? a.powers
                                                                 : b.powers};
}

/* Distances add up; ciphertexts that are opened by two seeds are by none. */
static void join_sanitized(hb_header *all, const hb_header *next)
{
    const bool both = all->past.sanitized > 0 && next->past.sanitized > 0;
    const double sanitized = both ? -hb_log_sum(-all->past.sanitized, -next->past.sanitized) : 0;
    hb_header_forget_sanitized(all);
    all->past.sanitized = sanitized;
}

hb_status hb_concat_header(hb_header *all, const hb_header *next, const char *path, const char *first)
{
    hb_schema *schema = &all->schema;
    HB_TRY(check_alike(all, next, path, first));
    const uint64_t block = rows_of_block(all);
    if (schema->rows % block != 0 && next->schema.rows > 0) {
        return HB_FAIL(
            HB_EDATA,
            "%s: %" PRIu64 " rows stand before it, and a row block has %" PRIu64
            ": slots in the middle would hold no row. encrypt --append puts a table's rows there; or encrypt "
            "the tables as one (hebatch encrypt 'part-*.csv' OUT.heb), or in parts of whole row blocks",
            path, schema->rows, block);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        HB_TRY(join_column(all, next, c, path, first));
    }
    const uint64_t total = next->schema.total_left_out;
    schema->total_left_out = total > schema->total_left_out ? total : schema->total_left_out;
    schema->threshold_gap = fmax(schema->threshold_gap, next->schema.threshold_gap);
    hb_left_out_join(&schema->left_out, schema->rows + schema->left_out.rows, &next->schema.left_out);
    /* Each is at most INT64_MAX. */
    schema->rows += next->schema.rows;
    if (!hb_left_out_is_possible(&schema->left_out, schema->rows)) {
        return HB_FAIL(HB_EDATA, "%s: there are too many rows", path);
    }
    /* Facts that differ become such as hold all datasets. */
    schema->rank = next->schema.rank > schema->rank ? next->schema.rank : schema->rank;
    schema->width = next->schema.width > schema->width ? next->schema.width : schema->width;
    hb_encrypt_ranges_fit_type(schema, &all->spec);
    schema->big_endian = schema->big_endian && next->schema.big_endian;
    if (all->made_by != HB_MADE_FRESH) {
        hb_header_quality(all, hb_concat_quality(all->quality, next->quality));
    }
    all->approximate = fmax(all->approximate, next->approximate);
    all->noise_assumed = all->noise_assumed || next->noise_assumed;
    all->dirty_padding = all->dirty_padding || next->dirty_padding;
    all->filled = false;
    all->past.steps = 0; /* a joined one has no history of its own */
    join_sanitized(all, next);
    const hb_packing packing = hb_header_packing(all);
    HB_TRY(hb_packing_check(&packing));
    all->ciphertexts = hb_packing_ciphertexts(&packing);
    all->unit = hb_header_choose_unit(all->ciphertexts, hb_header_ciphertext_bytes(all), hb_packing_across(&packing));
    return HB_OK;
}
