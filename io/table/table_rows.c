#include "table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "table/real_text.h"

hb_status hb_table_rows_init(hb_table_rows *rows, hb_table *base, hb_cell_type cells, const hb_reading *reading)
{
    *rows = (hb_table_rows){.base = base, .reading = reading, .context = {.cells = cells}};
    HB_TRY(hb_dialect_copy(&rows->context.dialect, &reading->dialect));
    rows->all_na = rows->context.dialect.missing;
    return HB_OK;
}

void hb_table_rows_clear(hb_table_rows *rows)
{
    for (uint64_t c = 0; rows->column != NULL && c < rows->columns; c++) {
        hb_csv_column_clear(&rows->column[c]);
    }
    if (rows->cell != NULL) {
        hb_wipe(rows->cell, (size_t)rows->columns * sizeof *rows->cell); /* plaintext */
    }
    for (uint64_t c = 0; rows->na != NULL && c < rows->columns; c++) {
        free(rows->na[c]);
    }
    free(rows->na);
    rows->context.dialect.missing = rows->all_na; /* in the place of a column's */
    hb_dialect_clear(&rows->context.dialect);
    free(rows->masked);
    free(rows->column);
    free(rows->cell);
    *rows = (hb_table_rows){.base = NULL};
}

hb_status hb_table_rows_alloc(hb_table_rows *rows)
{
    rows->columns = rows->base->schema.columns;
    rows->column = calloc((size_t)rows->columns + 1, sizeof *rows->column);
    rows->cell = calloc((size_t)rows->columns + 1, sizeof *rows->cell);
    rows->na = calloc((size_t)rows->columns + 1, sizeof *rows->na);
    return rows->column != NULL && rows->cell != NULL && rows->na != NULL
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", rows->base->name, rows->columns);
}

/* Makes the labels of a column fold, and room for the cells of each. HB_EUSAGE where two labels fold into one;
 * HB_ENOMEM. */
static hb_status fold_labels(hb_csv_column *column, hb_meaning *meaning, const char *name)
{
    const hb_labels *labels = meaning->labels, *folded;
    if (!labels->folds) {
        const hb_status st = hb_labels_make_folded(labels->text, labels->count, &folded);
        if (st == HB_EDATA) {
            const hb_error cause = *hb_last_error();
            return HB_FAIL(HB_EUSAGE, "--fold, column '%.64s': %.200s", name, cause.text);
        }
        HB_TRY(st);
        hb_meaning_clear(meaning);
        *meaning = (hb_meaning){.kind = HB_MEANING_CATEGORY, .labels = folded};
    }
    if (column->shown.notes.label == NULL) {
        column->shown.notes.label = calloc((size_t)meaning->labels->count + 1, sizeof *column->shown.notes.label);
    }
    return column->shown.notes.label != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory to fold the labels of a column");
}

/* Finds whether a column has plain integers, now that its meaning is known, or not yet another one. */
static void set_plain(hb_table_rows *rows, uint64_t c)
{
    hb_csv_column *column = &rows->column[c];
    column->plain = rows->context.cells != HB_CELL_REAL && column->decimal == 0 && column->na == NULL &&
                    !column->collects && !column->percent && !column->exact &&
                    hb_meaning_is_plain(&rows->base->schema.column[c].meaning);
}

/* Sets the texts that mean missing cells in a column: those of all columns, and its own. */
static hb_status set_na(hb_table_rows *rows, uint64_t c, const hb_column_reading *how)
{
    const hb_dialect *all = &rows->reading->dialect;
    hb_csv_column *column = &rows->column[c];
    size_t bytes = 0;
    column->na = rows->all_na;
    column->na_bytes = all->missing_bytes;
    if (how == NULL || how->na == NULL) {
        return HB_OK;
    }
    for (size_t at = 0; at < all->missing_bytes; at += strlen(all->missing + at) + 1) {
        HB_TRY(hb_na_add(&rows->na[c], &bytes, all->missing + at));
    }
    for (size_t at = 0; at < how->na_bytes; at += strlen(how->na + at) + 1) {
        HB_TRY(hb_na_add(&rows->na[c], &bytes, how->na + at));
    }
    column->na = rows->na[c];
    column->na_bytes = bytes;
    return HB_OK;
}

hb_status hb_table_rows_set_column(hb_table_rows *rows, uint64_t c, bool texts)
{
    char room[HB_READING_NAME];
    const hb_reading *reading = rows->reading;
    const char *name = hb_reading_name(&rows->base->schema, c, room);
    const hb_column_reading *how = reading->count > 0 ? hb_reading_of(reading, name) : NULL;
    const hb_missing_reading missing = hb_reading_missing(reading, how);
    hb_csv_column *column = &rows->column[c];
    hb_column *to = &rows->base->schema.column[c];
    const bool real = to->cells == HB_CELL_REAL, said = how != NULL && how->has_meaning;
    const bool number = said && how->meaning.kind == HB_MEANING_NUMBER;
    if (said && hb_meaning_scale(&how->meaning) > 1 && (real || to->meaning.kind != HB_MEANING_NUMBER)) {
        return HB_FAIL(HB_EUSAGE, "--scale: %s no scale: leave it out for column '%.64s'",
                       real ? "reals have" : "labels and truth values have", name);
    }
    if (how != NULL && how->percent && said && !number) {
        return HB_FAIL(HB_EUSAGE, "--percent: column '%.64s' is said to have no numbers", name);
    }
    column->percent = how != NULL && how->percent && texts;
    column->decimal = how != NULL && how->has_decimal ? how->decimal : reading->dialect.decimal;
    HB_TRY(set_na(rows, c, how));
    column->missing = missing.missing;
    column->masked = missing.masked;
    column->replacement = missing.replacement;
    column->guessed = texts && !said;
    column->timed = how != NULL && how->has_times && hb_times_unit(how->times) != HB_TIME_NONE;
    column->times = how != NULL && how->has_times ? how->times : rows->context.dialect.times;
    column->times = said && column->times != HB_TIMES_DROPPED ? HB_TIMES_REFUSED : column->times;
    if (said && (texts || (number && to->meaning.kind == HB_MEANING_NUMBER))) {
        column->collects = how->collects_labels;
        column->labels = how->collects_labels              ? HB_CSV_LABELS_FOUND
                         : how->is_alike && reading->grows ? HB_CSV_LABELS_STORED
                                                           : HB_CSV_LABELS_SAID;
        column->exact = number && !real;
        to->meaning = hb_meaning_share(&how->meaning);
        column->folds = how->meaning.kind == HB_MEANING_CATEGORY &&
                        (hb_reading_folds(reading, how) || (how->meaning.labels != NULL && how->meaning.labels->folds));
        if (column->folds && !column->collects) {
            HB_TRY(fold_labels(column, &to->meaning, name));
        }
    }
    rows->drops = rows->drops || column->missing == HB_MISSING_DROP;
    set_plain(rows, c);
    return HB_OK;
}

bool hb_table_rows_is_dropped(const hb_table_rows *rows)
{
    uint64_t c = 0;
    while (c < rows->columns &&
           !(rows->cell[c].kind == HB_CSV_IS_MISSING && rows->column[c].missing == HB_MISSING_DROP)) {
        c++;
    }
    return c < rows->columns;
}

/* Counts what is missing in the row that was read, `row` from 0 in the file, and what becomes of it. */
static hb_status count_gaps(hb_table_rows *rows, uint64_t row, bool dropped)
{
    hb_table *base = rows->base;
    for (uint64_t c = 0; c < rows->columns; c++) {
        const hb_missing missing = rows->column[c].missing;
        if (rows->cell[c].kind != HB_CSV_IS_MISSING || missing == HB_MISSING_REFUSE) {
            continue;
        }
        if (base->gaps == NULL) {
            base->gaps = calloc((size_t)rows->columns, sizeof *base->gaps);
        }
        if (base->gaps == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory to count what is missing", base->name);
        }
        rows->column[c].shown.notes.na |= rows->cell[c].na; /* of a row that is left out no more is noted */
        base->gaps[c].left_out += missing == HB_MISSING_DROP;
        base->gaps[c].replaced += missing == HB_MISSING_VALUE && !dropped;
        base->gaps[c].masked += missing == HB_MISSING_MASK && !dropped;
    }
    if (dropped) {
        hb_left_out_add(&base->schema.left_out, row);
    }
    return HB_OK;
}

/* Fails as soon as a column holds values of which no 64-bit type holds both. */
static hb_status check_signs(const hb_table_rows *rows, uint64_t column)
{
    const hb_csv_shown *shown = &rows->column[column].shown;
    if (shown->negative.row == 0 || shown->large.row == 0 || rows->context.cells == HB_CELL_REAL) {
        return HB_OK; /* each alone is fine: the column is signed, or it is not */
    }
    char label[HB_COLUMN_LABEL], negative[HB_CSV_PLACE], large[HB_CSV_PLACE];
    hb_column_label(label, &rows->base->schema, column);
    const int bits = rows->context.cells == HB_CELL_WIDE ? 128 : 64;
    return HB_FAIL(HB_EDATA, "%s: column %s is negative in %s and above 2^%d - 1 in %s: no %d-bit type holds both",
                   rows->base->name, label, hb_csv_place_text(negative, shown->negative), bits - 1,
                   hb_csv_place_text(large, shown->large), bits);
}

hb_status hb_table_rows_note(hb_table_rows *rows, hb_csv_place place, bool *dropped)
{
    *dropped = rows->drops && hb_table_rows_is_dropped(rows);
    HB_TRY(count_gaps(rows, place.row - 1, *dropped));
    for (uint64_t c = 0; c < rows->columns && !*dropped; c++) {
        hb_csv_column *column = &rows->column[c];
        if (hb_csv_is_digits(&rows->cell[c])) {
            hb_csv_note_digits(column, place, &rows->cell[c].number);
        } else {
            HB_TRY(hb_csv_note_cell(column, place, &rows->cell[c]));
        }
        if (column->shown.negative.row != 0 && column->shown.large.row != 0) {
            HB_TRY(check_signs(rows, c));
        }
    }
    return HB_OK;
}

/* Refuses numbers whose points may all stand between thousands, in a table that has no comma between fields, as tables
 * have none that are written with a decimal comma: 1.234 is 1.234 or 1234. A scale does not say which. */
static hb_status check_points(hb_table_rows *rows)
{
    const hb_csv_place *odd = NULL;
    uint64_t points = 0, column = 0;
    char label[HB_COLUMN_LABEL], at[HB_CSV_PLACE];
    for (uint64_t c = 0; c < rows->columns; c++) {
        points += rows->column[c].shown.points;
        column = odd == NULL ? c : column;
        odd = odd == NULL && rows->column[c].shown.may_group.row > 0 ? &rows->column[c].shown.may_group : odd;
    }
    rows->context.looks = false;
    if (odd == NULL || points > 0) {
        return HB_OK;
    }
    hb_column_label(label, &rows->base->schema, column);
    return HB_FAIL(HB_EDATA, "%s: %s, column %s: " HB_CSV_DOUBTFUL_POINTS, rows->base->name,
                   hb_csv_place_text(at, *odd), label);
}

/* Makes room behind the columns for masks, also among gaps, which have as many. */
static hb_status add_columns(hb_table_rows *rows, uint64_t masks)
{
    hb_table *base = rows->base;
    const size_t all = (size_t)(rows->columns + masks);
    hb_column *column = realloc(base->schema.column, (all + 1) * sizeof *column);
    base->schema.column = column != NULL ? column : base->schema.column;
    hb_column_missing *gaps = base->gaps != NULL ? realloc(base->gaps, all * sizeof *gaps) : NULL;
    base->gaps = gaps != NULL ? gaps : base->gaps;
    rows->masked = calloc((size_t)masks, sizeof *rows->masked);
    if (column == NULL || (gaps == NULL) != (base->gaps == NULL) || rows->masked == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %zu columns", base->name, all);
    }
    for (uint64_t c = rows->columns; c < all; c++) {
        column[c] = (hb_column){.cells = rows->context.cells, .meaning = {.kind = HB_MEANING_NUMBER}, .full = 1};
        if (gaps != NULL) {
            gaps[c] = (hb_column_missing){0};
        }
    }
    base->schema.columns = all;
    base->schema.rank = 2;
    return HB_OK;
}

/* Names the mask of a column of that name; the caller frees it. NULL: there is no memory. */
static char *mask_name(const char *name)
{
    static const char behind[] = " is not missing";
    const size_t length = strlen(name);
    char *text = malloc(length + sizeof behind);
    if (text != NULL) {
        memcpy(text, name, length);
        memcpy(text + length, behind, sizeof behind);
    }
    return text;
}

/* Adds a column for each one with a mask: those that are said to have one, and where that is said of all columns, those
 * in which a cell is missing. */
static hb_status add_masks(hb_table_rows *rows)
{
    hb_schema *schema = &rows->base->schema;
    uint64_t masks = 0;
    for (uint64_t c = 0; c < rows->columns; c++) {
        const hb_csv_column *column = &rows->column[c];
        rows->column[c].masked |=
            column->missing == HB_MISSING_MASK && rows->base->gaps != NULL && rows->base->gaps[c].masked > 0;
        masks += column->masked;
    }
    if (masks == 0) {
        return HB_OK;
    }
    HB_TRY(add_columns(rows, masks));
    for (uint64_t c = 0, m = 0; m < masks; c++) {
        if (!rows->column[c].masked) {
            continue;
        }
        hb_column *mask = &schema->column[rows->columns + m];
        mask->name = schema->named ? mask_name(schema->column[c].name) : strdup("");
        if (mask->name == NULL) {
            return HB_FAIL(HB_ENOMEM, "%s: no memory for names", rows->base->name);
        }
        if (strlen(mask->name) > HB_COLUMN_NAME_MAX) {
            return HB_FAIL(HB_EDATA, "%s: the name of column '%.64s' is too long for one with a mask", rows->base->name,
                           schema->column[c].name);
        }
        rows->masked[m] = c;
        schema->column[c].mask = rows->columns + ++m;
        schema->column[c].has_fill = true;
    }
    return HB_OK;
}

hb_status hb_table_rows_decide(hb_table_rows *rows)
{
    hb_schema *schema = &rows->base->schema;
    bool all = true;
    for (uint64_t c = 0; c < rows->columns; c++) {
        bool readable;
        hb_status st = hb_csv_decide(&rows->context, &rows->column[c], &schema->column[c], &readable);
        if (st != HB_OK) {
            const hb_error cause = *hb_last_error();
            return HB_FAIL(st, "%s: %.600s", rows->base->name, cause.text);
        }
        HB_TRY(check_signs(rows, c));
        set_plain(rows, c);
        all = all && readable;
    }
    if (!all) {
        return hb_csv_refuse(rows->base->name, schema, rows->column, rows->context.cells, rows->reading, rows->whole);
    }
    HB_TRY(check_points(rows));
    return add_masks(rows);
}

/* Stores the words of a number; returns where the next one goes. */
static uint64_t *put_number(uint64_t *values, const hb_column *column, const hb_csv_number *number)
{
    const uint64_t integer = number->negative ? 0 - number->magnitude : number->magnitude;
    *values++ = column->cells == HB_CELL_REAL ? hb_real_word(number->real) : integer;
    if (column->cells == HB_CELL_WIDE) {
        *values++ = number->negative ? ~number->high + (number->magnitude == 0) : number->high;
    }
    if (column->halves == HB_HALVES_COMPLEX) {
        *values++ = hb_real_word(number->imaginary);
    }
    return values;
}

/* Stores 1 where the cell of the column that the mask belongs to is there, or replaced by a value, else 0. */
static uint64_t *put_mask(const hb_table_rows *rows, uint64_t c, uint64_t *values)
{
    const uint64_t of = rows->masked[c - rows->columns];
    const bool there = rows->cell[of].kind != HB_CSV_IS_MISSING || rows->column[of].missing != HB_MISSING_MASK;
    return put_number(values, &rows->base->schema.column[c],
                      &(hb_csv_number){.magnitude = there, .real = there ? 1 : 0});
}

/* Stores the value of a missing cell of a column with a mask. */
static uint64_t *put_fill(const hb_column *column, uint64_t *values)
{
    const bool below = column->cells != HB_CELL_REAL && (int64_t)column->fill < 0;
    const hb_csv_number fill = {.magnitude = below ? 0 - column->fill : column->fill,
                                .negative = below,
                                .real = column->cells == HB_CELL_REAL ? hb_real_of(column->fill) : 0};
    return put_number(values, column, &fill);
}

/* The reading of a cell that differs from the reading of its whole column. */
static bool is_changed(const hb_column *column, const hb_csv_cell *cell)
{
    const hb_csv_number *number = &cell->number;
    /* A sign that had not been seen would be taken for another number. */
    return cell->kind != HB_CSV_IS_NUMBER || (number->is_complex && column->halves == HB_HALVES_REAL) ||
           (column->cells != HB_CELL_REAL && (column->is_signed ? hb_csv_is_large(number) : number->negative));
}

hb_status hb_table_rows_changed(const hb_table_rows *rows, uint64_t row)
{
    char which[32] = "a row"; /* where rows are left out nobody knows any more which one it is */
    if (!rows->drops) {
        snprintf(which, sizeof which, "row %" PRIu64, row + 1);
    }
    return HB_FAIL(HB_EDATA, "%s: %s was changed while the file was read", rows->base->name, which);
}

hb_status hb_table_rows_put(const hb_table_rows *rows, uint64_t row, uint64_t first, uint64_t columns,
                            uint64_t **values)
{
    for (uint64_t c = first; c < first + columns; c++) {
        const hb_column *column = &rows->base->schema.column[c];
        if (c >= rows->columns) {
            *values = put_mask(rows, c, *values);
            continue;
        }
        const hb_csv_cell *cell = &rows->cell[c];
        if (cell->kind == HB_CSV_IS_MISSING && rows->column[c].missing == HB_MISSING_MASK) {
            *values = put_fill(column, *values);
            continue;
        }
        cell = cell->kind == HB_CSV_IS_MISSING ? &rows->column[c].stand_in : cell;
        if (is_changed(column, cell)) {
            HB_TRY(hb_table_rows_changed(rows, row));
        }
        *values = put_number(*values, column, &cell->number);
    }
    return HB_OK;
}

hb_status hb_table_rows_keep_notes(hb_table_rows *rows)
{
    hb_table *base = rows->base;
    base->notes = calloc((size_t)base->schema.columns + 1, sizeof *base->notes);
    if (base->notes == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", base->name, base->schema.columns);
    }
    for (uint64_t c = 0; c < rows->columns; c++) {
        base->notes[c] = rows->column[c].shown.notes;
        rows->column[c].shown.notes.label = NULL; /* the table's now */
    }
    return HB_OK;
}
