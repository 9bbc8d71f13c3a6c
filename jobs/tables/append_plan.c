#include "append_plan.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cell.h"
#include "batch/cells/cells.h"
#include "batch/job/shared_dataset.h"
#include "batch/unit/predicted.h"
#include "cli/console.h"
#include "concat_job.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/quality.h"

/* Has the table read as the columns of the dataset are. */
static hb_status read_like(const hb_append_plan *plan, hb_reading *reading)
{
    hb_schema plain;
    HB_TRY(hb_schema_unpair(&plain, &hb_dataset_header(plan->dataset)->schema));
    /* A table that describes its columns itself is read as it is; joining the columns checks that it has all of them,
     * with the same meanings. */
    reading->columns_optional = reading->columns_optional || !hb_reading_says(reading);
    reading->grows = true;
    const hb_status st = hb_reading_like(reading, &plain);
    hb_schema_clear(&plain);
    return st;
}

hb_status hb_append_plan_open(hb_append_plan *plan, const char *path, hb_reading *reading, hb_group *group)
{
    *plan = (hb_append_plan){.path = path};
    HB_TRY(hb_dataset_open_among(path, 0, (hb_dataset_ranks){.count = 0}, &plan->dataset));
    const hb_header *header = hb_dataset_header(plan->dataset);
    if (!hb_dataset_is_folder(plan->dataset)) {
        return HB_FAIL(HB_EDATA, "%s is one shard: give the folder", path);
    }
    if (hb_spec_residues(&header->spec) > 1) {
        return HB_FAIL(HB_ECONFIG,
                       "%s is of several plain moduli: such datasets do not grow; encrypt takes several tables as one",
                       path);
    }
    if (header->kept > 0) {
        return HB_FAIL(HB_EDATA, "%s: holds totals, which are no rows", path);
    }
    if (header->schema.grouping != NULL) {
        return HB_FAIL(HB_EDATA, "%s: holds totals of groups, which are no rows", path);
    }
    if (!hb_schema_masks_are_fresh(&header->schema)) {
        HB_TRY(hb_schema_refuse_masks(
            &header->schema, path,
            "its missing cells have no value in common, as it was computed, or joined of datasets "
            "with other ranges: rows are appended to tables alone"));
    }
    plan->growth = hb_dataset_growth(plan->dataset);
    /* Rows of no unit before are read. */
    const uint64_t first = plan->growth.first_unit;
    HB_TRY(
        hb_dataset_open_shards(plan->dataset, first, hb_header_units(header) - first, hb_shared_dataset_ranks(group)));
    return read_like(plan, reading);
}

void hb_append_plan_clear(hb_append_plan *plan)
{
    hb_dataset_close(plan->dataset);
    *plan = (hb_append_plan){.path = NULL};
}

/* Ciphertexts of this key must be able to stand beside those of the dataset. */
static hb_status check_key(const hb_append_plan *plan, const hb_session *session)
{
    const hb_header *old = hb_dataset_header(plan->dataset);
    const hb_params *params = session->params;
    const bool secret = session->kind == HB_KEY_SECRET;
    if (!hb_keys_same(old->key_id, &old->spec, session->key_id, &params->spec)) {
        return HB_FAIL(HB_EDATA, "%s: is of another key pair", plan->path);
    }
    if (hb_header_stands_in_all(old)) {
        return HB_FAIL(HB_EDATA, "%s: its row stands in the place of every row, so no rows can be added behind it",
                       plan->path);
    }
    if (old->limbs != params->fresh_limbs && old->made_by != HB_MADE_FRESH) {
        return HB_FAIL(HB_EDATA, "%s: was computed, and has fewer limbs than what is encrypted now", plan->path);
    }
    if (old->scale != hb_codec_scale(&params->spec, old->limbs)) {
        return HB_FAIL(HB_EDATA, "%s: its ciphertexts have another scale than those that are encrypted now, %.17g",
                       plan->path, old->scale);
    }
    if (old->seeded != secret) {
        return HB_FAIL(HB_EDATA, "%s: was made with the %s key: rows are appended with the same", plan->path,
                       secret ? "public" : "secret");
    }
    if (plan->growth.shared && old->seeded) {
        return HB_FAIL(HB_EDATA,
                       "%s: was made with the secret key, and its last row block is not full: seeds stand in the place "
                       "of half of its ciphertexts, which nothing can be added to. Datasets that are to grow are made "
                       "with the public key",
                       plan->path);
    }
    if (plan->growth.shared && old->dirty_padding) {
        return HB_FAIL(HB_EDATA, "%s: slots behind its last row may not be 0, so no rows can be added there",
                       plan->path);
    }
    return HB_OK;
}

/* The table's columns are those of the dataset, in its order, and mean the same; labels may go on. */
static hb_status join_column(const hb_append_plan *plan, hb_column *column, const hb_column *other,
                             const hb_schema *table, uint64_t c)
{
    bool alike = true;
    if (!hb_column_same_mask(column, other)) {
        return HB_FAIL(HB_EDATA, "column %s has other masks than in %s", hb_cells_column(table, c).text, plan->path);
    }
    if (other->halves != HB_HALVES_REAL && column->halves == HB_HALVES_REAL) {
        return HB_FAIL(HB_EDATA, "column %s has complex numbers, and in %s real ones", hb_cells_column(table, c).text,
                       plan->path);
    }
    HB_TRY(hb_concat_meaning(&column->meaning, &other->meaning, &alike));
    return alike ? HB_OK
                 : HB_FAIL(HB_EDATA, "column %s means something else than in %s", hb_cells_column(table, c).text,
                           plan->path);
}

static hb_status join_columns(const hb_append_plan *plan, const hb_schema *table, hb_schema *all)
{
    hb_schema plain;
    HB_TRY(hb_schema_unpair(&plain, all));
    const bool pairs = plain.columns != all->columns;
    hb_status st = HB_OK;
    if (plain.columns != table->columns) {
        HB_GOTO(HB_FAIL(HB_EDATA,
                        "a table of %" PRIu64 " columns, where %s has %" PRIu64 "; if --derive made some, give that "
                        "here, too",
                        table->columns, plan->path, plain.columns));
    }
    for (uint64_t c = 0; c < all->columns && !pairs; c++) {
        if (plain.named && table->named && strcmp(plain.column[c].name, table->column[c].name) != 0) {
            HB_GOTO(HB_FAIL(HB_EDATA, "column %" PRIu64 " is not that of %s: columns stand in the same order", c + 1,
                            plan->path));
        }
        HB_GOTO(join_column(plan, &all->column[c], &table->column[c], table, c));
    }
    all->rank = table->rank > all->rank ? table->rank : all->rank;
    all->width = table->width > all->width ? table->width : all->width;
    all->big_endian = all->big_endian && table->big_endian;
    hb_left_out_join(&all->left_out, all->rows + all->left_out.rows, &table->left_out);
    if (__builtin_add_overflow(all->rows, table->rows, &all->rows)) {
        st = HB_FAIL(HB_EDATA, "%s: there are too many rows", plan->path);
    }
done:
    hb_schema_clear(&plain);
    return st;
}

/* Makes the range of a column hold that of another, if both are known. Numbers mod t are read by the sign of their
 * column: one without gets it where none of its values are above t / 2. */
static hb_status widen(hb_header *header, const hb_column *other, uint64_t c, const char *path)
{
    hb_column *column = &header->schema.column[c];
    const hb_params_spec *spec = &header->spec;
    if (column->cells == HB_CELL_REAL && column->ranged && other->ranged) {
        column->least = hb_real_word(fmin(hb_real_of(column->least), hb_real_of(other->least)));
        column->most = hb_real_word(fmax(hb_real_of(column->most), hb_real_of(other->most)));
    }
    if (column->cells == HB_CELL_REAL || !other->ranged) {
        return HB_OK;
    }
    const hb_interval fresh = hb_column_interval(other);
    if (!column->is_signed && fresh.least < 0 && (!column->ranged || column->most > (spec->bfv.plain - 1) / 2)) {
        return HB_FAIL(HB_EDATA, "--range: column %s has no sign in %s, where values may be above t / 2",
                       hb_cells_column(&header->schema, c).text, path);
    }
    if (column->ranged) {
        const hb_interval both = hb_interval_join(hb_column_interval(column), fresh);
        const bool is_signed = column->is_signed || fresh.least < 0;
        HB_TRY(hb_encrypt_ranges_check(both, is_signed, &header->schema, c, spec));
        column->is_signed = is_signed;
        hb_column_set_interval(column, both);
    }
    return HB_OK;
}

/* Columns of the new rows alone, with their declared ranges. */
static hb_status declare(const hb_table *table, const hb_encrypt_ranges *ranges, const hb_header *header,
                         hb_schema *fresh)
{
    const hb_schema *plain = hb_table_schema(table);
    HB_TRY(hb_schema_copy(fresh, &header->schema));
    fresh->rows = plain->rows;
    for (uint64_t c = 0; c < fresh->columns; c++) {
        hb_column *column = &fresh->column[c];
        column->ranged = column->may_wrap = false;
        column->least = column->most = 0;
        column->is_signed = column->is_signed || (plain->columns == fresh->columns && plain->column[c].is_signed);
    }
    return hb_encrypt_ranges_declare(ranges, fresh, &header->spec);
}

static hb_status widen_all(const hb_append_plan *plan, const hb_schema *fresh, hb_header *header)
{
    for (uint64_t c = 0; c < fresh->columns; c++) {
        HB_TRY(widen(header, &fresh->column[c], c, plan->path));
    }
    hb_encrypt_ranges_fit_type(&header->schema, &header->spec);
    return HB_OK;
}

/* A unit that is a sum with new ciphertexts has both errors. Without such a unit each has one of them, and bounds are
 * the worse of both. */
static void set_quality(const hb_append_plan *plan, const hb_params *params, hb_header *header)
{
    const hb_header *old = hb_dataset_header(plan->dataset);
    hb_header fresh = *header;
    fresh.made_by = HB_MADE_FRESH;
    const hb_quality there = hb_predicted_quality(params, old), made = hb_predicted_quality(params, &fresh);
    if (plan->growth.shared) {
        hb_header_quality(header, hb_quality_add(params, there, made));
    } else if (old->made_by != HB_MADE_FRESH) {
        hb_header_quality(header, hb_concat_quality(there, made));
    }
}

hb_status hb_append_plan_header(hb_append_plan *plan, const hb_session *session, const hb_table *table,
                                const hb_encrypt_ranges *ranges, hb_header *header)
{
    hb_schema fresh = {.rows = 0};
    const hb_header *old = hb_dataset_header(plan->dataset);
    *header = *old;
    header->schema = (hb_schema){.rows = 0};
    HB_TRY(check_key(plan, session));
    HB_TRY(hb_schema_copy(&header->schema, &old->schema));
    if (hb_table_schema(table)->rows == 0) {
        return HB_FAIL(HB_EDATA, "there are no rows to append to %s", plan->path);
    }
    /* For sums of ciphertexts the range of their type does not matter. */
    if (old->made_by == HB_MADE_FRESH) {
        hb_encrypt_ranges_of_type(&header->schema, &header->spec);
    }
    HB_TRY(join_columns(plan, hb_table_schema(table), &header->schema));
    hb_header_set_grown(header); /* once it is known whether rows were left out */
    hb_status st = declare(table, ranges, header, &fresh);
    st = st == HB_OK ? widen_all(plan, &fresh, header) : st;
    hb_schema_clear(&fresh);
    HB_TRY(st);
    set_quality(plan, session->params, header);
    const hb_packing packing = hb_header_packing(header);
    HB_TRY(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    if (old->ciphertexts == 0) {
        header->unit =
            hb_header_choose_unit(header->ciphertexts, hb_header_ciphertext_bytes(header), hb_packing_across(&packing));
    }
    return HB_OK;
}

/* Gives labels and truth values, which are not measured, all values of their meaning. */
static void set_domains(hb_schema *fresh)
{
    for (uint64_t c = 0; c < fresh->columns; c++) {
        hb_column *column = &fresh->column[c];
        const hb_interval domain = hb_column_domain(column);
        if (column->cells != HB_CELL_REAL && domain.known && !column->ranged) {
            hb_column_set_interval(column, domain);
        }
    }
}

hb_status hb_append_plan_measure(hb_append_plan *plan, hb_group *group, const hb_session *session, hb_table *table,
                                 const hb_encrypt_ranges *ranges, hb_header *header)
{
    hb_schema fresh = {.rows = 0};
    hb_status st;
    HB_GOTO(hb_agree(group, declare(table, ranges, header, &fresh)));
    HB_GOTO(hb_encrypt_ranges_measure(group, table, &fresh, &header->spec));
    set_domains(&fresh);
    HB_GOTO(widen_all(plan, &fresh, header));
    set_quality(plan, session->params, header);
done:
    hb_schema_clear(&fresh);
    return hb_agree(group, st);
}
