#include "grown.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cell.h"
#include "batch/cells.h"
#include "batch/predicted.h"
#include "cli/console.h"
#include "concat_job.h"
#include "scheme/params.h"
#include "scheme/quality.h"

hb_status hb_grown_open(hb_grown *grown, const char *path)
{
    *grown = (hb_grown){.path = path};
    HB_TRY(hb_dataset_open(path, &grown->dataset));
    const hb_header *header = hb_dataset_header(grown->dataset);
    if (!hb_dataset_is_folder(grown->dataset)) {
        return HB_FAIL(HB_EDATA, "%s is one shard: give the folder", path);
    }
    if (hb_spec_residues(&header->spec) > 1) {
        return HB_FAIL(HB_ECONFIG,
                       "%s is of several plain moduli: such datasets do not grow; encrypt takes several tables as one",
                       path);
    }
    if (header->schema.grouping != NULL) {
        return HB_FAIL(HB_EDATA, "%s: holds totals of groups, which are no rows", path);
    }
    grown->growth = hb_dataset_growth(grown->dataset);
    return HB_OK;
}

void hb_grown_clear(hb_grown *grown)
{
    hb_dataset_close(grown->dataset);
    hb_schema_clear(&grown->cells);
    *grown = (hb_grown){.path = NULL};
}

hb_status hb_grown_read_like(const hb_grown *grown, hb_reading *reading)
{
    hb_schema plain;
    HB_TRY(hb_schema_unpair(&plain, &hb_dataset_header(grown->dataset)->schema));
    /* Of a table that says itself what its columns are, nothing has to be read otherwise; that it has all of them, and
     * that they mean the same, is seen when they are joined. */
    reading->columns_optional = reading->columns_optional || !hb_reading_says(reading);
    const hb_status st = hb_reading_like(reading, &plain);
    hb_schema_clear(&plain);
    return st;
}

/* What is encrypted with this key must be able to stand beside what is there. */
static hb_status check_key(const hb_grown *grown, const hb_session *session)
{
    const hb_header *old = hb_dataset_header(grown->dataset);
    const hb_params *params = session->params;
    const bool secret = session->kind == HB_KEY_SECRET;
    if (memcmp(old->key_id, session->key_id, HB_KEY_ID_BYTES) != 0 || !hb_params_same(&old->spec, &params->spec)) {
        return HB_FAIL(HB_EDATA, "%s: is of another key pair", grown->path);
    }
    if (old->filled) {
        return HB_FAIL(HB_EDATA, "%s: its row stands in the place of every row, so no rows can be added behind it",
                       grown->path);
    }
    if (old->limbs != params->fresh_limbs) {
        return HB_FAIL(HB_EDATA, "%s: was computed, and has fewer limbs than what is encrypted now", grown->path);
    }
    if (old->seeded != secret) {
        return HB_FAIL(HB_EDATA, "%s: was made with the %s key: rows are appended with the same", grown->path,
                       secret ? "public" : "secret");
    }
    if (grown->growth.shared && old->seeded) {
        return HB_FAIL(HB_EDATA,
                       "%s: was made with the secret key, and its last row block is not full: seeds stand in the place "
                       "of half of its ciphertexts, which nothing can be added to. Datasets that are to grow are made "
                       "with the public key",
                       grown->path);
    }
    if (grown->growth.shared && old->dirty_padding) {
        return HB_FAIL(HB_EDATA, "%s: slots behind its last row may not be 0, so no rows can be added there",
                       grown->path);
    }
    return HB_OK;
}

/* The table's columns are those of the dataset, in its order, and mean the same; labels may go on. */
static hb_status join_column(const hb_grown *grown, hb_column *column, const hb_column *other, const hb_schema *table,
                             uint64_t c)
{
    bool alike = true;
    if (other->halves != HB_HALVES_REAL && column->halves == HB_HALVES_REAL) {
        return HB_FAIL(HB_EDATA, "column %s has complex numbers, and in %s real ones", hb_cells_column(table, c).text,
                       grown->path);
    }
    HB_TRY(hb_concat_meaning(&column->meaning, &other->meaning, &alike));
    return alike ? HB_OK
                 : HB_FAIL(HB_EDATA, "column %s means something else than in %s", hb_cells_column(table, c).text,
                           grown->path);
}

static hb_status join_columns(const hb_grown *grown, const hb_schema *table, hb_schema *all)
{
    hb_schema plain;
    HB_TRY(hb_schema_unpair(&plain, all));
    const bool pairs = plain.columns != all->columns;
    hb_status st = HB_OK;
    if (plain.columns != table->columns) {
        HB_GOTO(HB_FAIL(HB_EDATA, "a table of %" PRIu64 " columns, where %s has %" PRIu64, table->columns, grown->path,
                        plain.columns));
    }
    for (uint64_t c = 0; c < all->columns && !pairs; c++) {
        if (plain.named && table->named && strcmp(plain.column[c].name, table->column[c].name) != 0) {
            HB_GOTO(HB_FAIL(HB_EDATA, "column %" PRIu64 " is not that of %s: columns stand in the same order", c + 1,
                            grown->path));
        }
        HB_GOTO(join_column(grown, &all->column[c], &table->column[c], table, c));
    }
    all->rank = table->rank > all->rank ? table->rank : all->rank;
    all->width = table->width > all->width ? table->width : all->width;
    all->big_endian = all->big_endian && table->big_endian;
    if (__builtin_add_overflow(all->rows, table->rows, &all->rows)) {
        st = HB_FAIL(HB_EDATA, "%s: there are too many rows", grown->path);
    }
done:
    hb_schema_clear(&plain);
    return st;
}

/* What a type of few bytes says of values that were encrypted; once they are sums of ciphertexts nobody looks there. */
static void keep_range_of_type(const hb_header *old, hb_schema *all, const hb_params_spec *spec)
{
    const uint32_t width = old->schema.width;
    for (uint64_t c = 0; c < all->columns; c++) {
        hb_column *column = &all->column[c];
        const int64_t half = width < 8 ? (int64_t)1 << (8 * width - 1) : 0;
        const hb_interval values =
            column->is_signed ? hb_interval_of(-half, half - 1) : hb_interval_of(0, 2 * half - 1);
        if (old->made_by == HB_MADE_FRESH && column->cells == HB_CELL_INTEGER && half > 0 && !column->ranged &&
            !column->may_wrap && hb_interval_within(values, hb_interval_held(spec, column->is_signed))) {
            hb_column_set_interval(column, values);
        }
    }
}

/* Makes the range of a column hold that of another, if both are known. Numbers mod t are read by the sign of their
 * column: one without gets it where none of its values are above t / 2. */
static hb_status widen(hb_column *column, const hb_column *other, uint64_t plain, const char *label, const char *path)
{
    if (!column->ranged || !other->ranged) {
        return HB_OK;
    }
    if (column->cells == HB_CELL_REAL) {
        column->least = hb_real_word(fmin(hb_real_of(column->least), hb_real_of(other->least)));
        column->most = hb_real_word(fmax(hb_real_of(column->most), hb_real_of(other->most)));
        return HB_OK;
    }
    const hb_interval both = hb_interval_join(hb_column_interval(column), hb_column_interval(other));
    if (!column->is_signed && both.least < 0) {
        if (column->most > (plain - 1) / 2) {
            return HB_FAIL(HB_EDATA, "--range: column %s has no sign in %s, where values may be above t / 2", label,
                           path);
        }
        column->is_signed = true;
    }
    hb_column_set_interval(column, both);
    return HB_OK;
}

/* Columns of the new rows alone, with what is declared of them. */
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

static hb_status widen_all(const hb_grown *grown, const hb_schema *fresh, hb_header *header)
{
    for (uint64_t c = 0; c < fresh->columns; c++) {
        HB_TRY(widen(&header->schema.column[c], &fresh->column[c], header->spec.bfv.plain,
                     hb_cells_column(fresh, c).text, grown->path));
    }
    return HB_OK;
}

/* A column with a sign takes the values of a table's column without one that are not above its largest. */
static hb_status set_cells(hb_grown *grown, const hb_schema *table, const hb_header *header)
{
    hb_schema_clear(&grown->cells);
    HB_TRY(hb_schema_copy(&grown->cells, &header->schema));
    for (uint64_t c = 0; c < grown->cells.columns && table->columns == grown->cells.columns; c++) {
        hb_column *column = &grown->cells.column[c];
        if (column->cells == HB_CELL_REAL || !column->is_signed || table->column[c].is_signed) {
            continue;
        }
        const hb_interval held = column->ranged ? hb_column_interval(column) : hb_interval_held(&header->spec, true);
        const int64_t most = held.most;
        if (most < 0) {
            return HB_FAIL(HB_EDATA, "column %s: holds no negative value, and all are in %s",
                           hb_cells_column(table, c).text, grown->path);
        }
        column->is_signed = false;
        hb_column_set_interval(column, hb_interval_of(held.least > 0 ? held.least : 0, most));
    }
    return HB_OK;
}

/* Sums with what is encrypted now have both errors; of others the bounds are those of both. */
static void set_quality(const hb_grown *grown, const hb_params *params, hb_header *header)
{
    const hb_header *old = hb_dataset_header(grown->dataset);
    hb_header fresh = *header;
    fresh.made_by = HB_MADE_FRESH;
    const hb_quality there = hb_predicted_quality(params, old), made = hb_predicted_quality(params, &fresh);
    if (grown->growth.shared) {
        hb_header_quality(header, hb_quality_add(params, there, made));
    } else if (old->made_by != HB_MADE_FRESH) {
        hb_header_quality(header, hb_concat_quality(there, made));
    }
}

hb_status hb_grown_header(hb_grown *grown, const hb_session *session, const hb_table *table,
                          const hb_encrypt_ranges *ranges, hb_header *header)
{
    hb_schema fresh = {.rows = 0};
    const hb_header *old = hb_dataset_header(grown->dataset);
    *header = *old;
    header->schema = (hb_schema){.rows = 0};
    HB_TRY(check_key(grown, session));
    HB_TRY(hb_schema_copy(&header->schema, &old->schema));
    hb_header_set_grown(header);
    if (hb_table_schema(table)->rows == 0) {
        return HB_FAIL(HB_EDATA, "there are no rows to append to %s", grown->path);
    }
    keep_range_of_type(old, &header->schema, &header->spec);
    HB_TRY(join_columns(grown, hb_table_schema(table), &header->schema));
    hb_status st = declare(table, ranges, header, &fresh);
    st = st == HB_OK ? widen_all(grown, &fresh, header) : st;
    hb_schema_clear(&fresh);
    HB_TRY(st);
    HB_TRY(set_cells(grown, hb_table_schema(table), header));
    set_quality(grown, session->params, header);
    const hb_packing packing = hb_header_packing(header);
    HB_TRY(hb_packing_check(&packing));
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    if (old->ciphertexts == 0) {
        header->unit =
            hb_header_choose_unit(header->ciphertexts, hb_header_ciphertext_bytes(header), hb_packing_across(&packing));
    }
    return HB_OK;
}

hb_status hb_grown_measure(hb_grown *grown, hb_group *group, const hb_session *session, hb_table *table,
                           const hb_encrypt_ranges *ranges, hb_header *header)
{
    hb_schema fresh = {.rows = 0};
    hb_status st;
    HB_GOTO(hb_agree(group, declare(table, ranges, header, &fresh)));
    HB_GOTO(hb_encrypt_ranges_measure(group, table, &fresh, &header->spec));
    HB_GOTO(widen_all(grown, &fresh, header));
    HB_GOTO(set_cells(grown, hb_table_schema(table), header));
    set_quality(grown, session->params, header);
done:
    hb_schema_clear(&fresh);
    return hb_agree(group, st);
}
