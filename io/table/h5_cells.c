/* HDF5 tables whose cells are converted: floating-point numbers are read as decimals, and cells are missing, as NaN or
 * by attributes. Rows are read like those of a CSV, from another source of cells. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "marks.h"
#include "table/float_decimal.h"
#include "table/real_text.h"
#include "table_rows.h"

enum { PIECE = 1 << 14 }; /* words that are read at a time, unless one row has more */

typedef struct h5_cells {
    hb_table base;
    hb_table *inner;     /* cells as they stand in the file */
    hb_h5_cells *column; /* [columns], or one where `shared` */
    bool shared;
    hb_table_rows rows;
    hb_marks marks;       /* rows of the file, where rows are left out */
    uint64_t *words;      /* [piece * width] of rows of the file */
    uint64_t piece;       /* rows that are read at a time */
    uint64_t width;       /* words of a row */
    uint64_t each;        /* words of a cell */
    pthread_mutex_t lock; /* over all that reading changes: one thread reads at a time */
} h5_cells;

/* --- cells */

static bool equals(bool floats, uint64_t a, uint64_t b)
{
    return floats ? hb_real_of(a) == hb_real_of(b) : a == b;
}

/* Whether a comes before b, both of one type. */
static bool is_below(bool floats, bool is_signed, uint64_t a, uint64_t b)
{
    const uint64_t flip = (uint64_t)is_signed << 63;
    return floats ? hb_real_of(a) < hb_real_of(b) : (a ^ flip) < (b ^ flip);
}

static const char filled[] =
    "the value is one that stands for missing cells (_FillValue, missing_value or a fill value)";
static const char outside[] = "the value is outside valid_range, and so a missing cell";

/* Why an integer that became a double is a missing cell; NULL: it is none. */
static const char *find_integer_gap(uint64_t word)
{
    return word == HB_H5_FILLED ? filled : word == HB_H5_OUTSIDE ? outside : NULL;
}

/* Why a cell is missing, in words; NULL: it is not. */
static const char *find_gap(const hb_h5_gaps *gaps, bool floats, bool is_signed, const uint64_t *word, uint64_t words)
{
    for (uint64_t i = 0; floats && i < words; i++) {
        if (isnan(hb_real_of(word[i])) && !hb_h5_is_unheld(word[i])) {
            return "the value is missing (NaN)";
        }
    }
    for (uint32_t i = 0; i < gaps->count; i++) {
        if (equals(floats, word[0], gaps->word[i])) {
            return filled;
        }
    }
    const bool below = (gaps->bounds & HB_GAPS_BELOW) != 0 && is_below(floats, is_signed, word[0], gaps->least);
    const bool above = (gaps->bounds & HB_GAPS_ABOVE) != 0 && is_below(floats, is_signed, gaps->most, word[0]);
    return below || above ? outside : NULL;
}

static void set_wrong(hb_csv_cell *cell, const char *why)
{
    cell->kind = HB_CSV_IS_WRONG;
    cell->why = why;
}

static void set_fault(const h5_cells *table, uint64_t c, hb_decimal_fault fault, hb_csv_cell *cell)
{
    static const char *const faults[] = {
        [HB_DECIMAL_TOO_FINE] = "has more digits behind the point than its scale keeps (--round)",
        [HB_DECIMAL_TOO_LARGE] = "does not fit in 64 bits, times its scale",
        [HB_DECIMAL_UNSURE] = "is a floating-point number too large for so many digits: several decimals, or "
                              "ids, are stored as it"};
    if (fault != HB_DECIMAL_GOOD) {
        set_wrong(cell, faults[fault]);
        cell->fraction = fault == HB_DECIMAL_TOO_FINE && table->rows.column[c].exact;
        cell->fault = HB_CSV_TOO_LARGE;
    }
}

/* A floating-point number among integers is a decimal where that is said; else how many digits it has is noted. */
static void read_float(const h5_cells *table, uint64_t c, double value, hb_csv_cell *cell)
{
    const uint64_t bits = table->column[table->shared ? 0 : c].bits;
    const bool exact = table->rows.column[c].exact;
    const hb_meaning *meaning = &table->base.schema.column[c].meaning;
    hb_float_form form = {.bits = (int)bits,
                          .digits = exact ? hb_scale_digits(hb_meaning_scale(meaning)) : HB_MOST_SCALE_DIGITS,
                          .rounds = table->rows.context.dialect.rounds};
    hb_csv_number *to = &cell->number;
    if (bits > DBL_MANT_DIG) {
        set_wrong(cell, "is a floating-point number of more than 8 bytes: store doubles");
        return;
    }
    hb_decimal_fault fault =
        exact ? hb_decimal_of_float(value, &form, &to->magnitude, &to->negative, NULL) : HB_DECIMAL_TOO_FINE;
    if (fault == HB_DECIMAL_TOO_FINE) {
        cell->whole = fabs(value) < 1 ? 1 : 1 + (int)log10(fabs(value));
        (void)hb_decimal_of_float(value, &form, &to->magnitude, &to->negative, &cell->needed);
    }
    if (!exact && cell->needed <= HB_MOST_SCALE_DIGITS) {
        form.digits = cell->needed;
        fault = hb_decimal_of_float(value, &form, &to->magnitude, &to->negative, NULL);
    }
    if (form.rounds && exact && fault == HB_DECIMAL_GOOD) {
        const hb_float_form exactly = {.bits = form.bits, .digits = form.digits};
        hb_csv_number other = {0};
        const bool same =
            hb_decimal_of_float(value, &exactly, &other.magnitude, &other.negative, NULL) == HB_DECIMAL_GOOD;
        cell->spelling = same ? 0 : hb_spelt(HB_SPELT_ROUNDED);
    }
    if (exact || fault == HB_DECIMAL_UNSURE) {
        set_fault(table, c, fault, cell);
    } else {
        set_wrong(cell, "is a floating-point number, and these parameters are for integers");
        cell->fraction = true;
    }
}

static void read_integer(const h5_cells *table, uint64_t c, uint64_t word, hb_csv_cell *cell)
{
    const uint64_t scale = hb_meaning_scale(&table->base.schema.column[c].meaning);
    hb_csv_number *to = &cell->number;
    to->negative = hb_table_schema(table->inner)->column[c].is_signed && (int64_t)word < 0;
    to->magnitude = to->negative ? 0 - word : word;
    if (__builtin_mul_overflow(to->magnitude, scale, &to->magnitude) ||
        (to->negative && to->magnitude > (uint64_t)1 << 63)) {
        set_fault(table, c, HB_DECIMAL_TOO_LARGE, cell);
    }
}

static void read_cell(const h5_cells *table, uint64_t c, const uint64_t *word, hb_csv_cell *cell)
{
    const hb_h5_cells *of = &table->column[table->shared ? 0 : c];
    const bool real = table->rows.context.cells == HB_CELL_REAL, floats = real || of->bits > 0;
    *cell = (hb_csv_cell){.kind = HB_CSV_IS_NUMBER};
    /* Integers that are read as doubles were compared as integers. */
    cell->why = real && of->bits == 0 ? find_integer_gap(word[0])
                                      : find_gap(&of->gaps, floats, hb_table_schema(table->inner)->column[c].is_signed,
                                                 word, table->each);
    if (cell->why != NULL) {
        cell->kind = HB_CSV_IS_MISSING;
    } else if (real && hb_h5_is_unheld(word[0])) {
        set_wrong(cell, hb_table_unheld);
    } else if (floats && (isinf(hb_real_of(word[0])) || (table->each > 1 && isinf(hb_real_of(word[1]))))) {
        set_wrong(cell, "is infinite");
    } else if (real) {
        cell->number = (hb_csv_number){.real = hb_real_of(word[0]),
                                       .is_complex = table->each > 1,
                                       .imaginary = table->each > 1 ? hb_real_of(word[1]) : 0};
    } else {
        cell->number.wide = table->rows.context.cells == HB_CELL_WIDE;
        if (floats) {
            read_float(table, c, hb_real_of(word[0]), cell);
        } else {
            read_integer(table, c, word[0], cell);
        }
    }
}

/* --- rows */

/* Reads rows of the file, some columns of them. */
static hb_status read_piece(h5_cells *table, uint64_t row, uint64_t rows, uint64_t column, uint64_t columns)
{
    return hb_table_read(table->inner, &(hb_rectangle){row, rows, column, columns}, table->words);
}

/* Reads the cells of row `r` of the last rectangle. */
static void read_row(h5_cells *table, uint64_t r, uint64_t column, uint64_t columns)
{
    const uint64_t *word = table->words + r * columns * table->each;
    for (uint64_t c = column; c < column + columns; c++, word += table->each) {
        read_cell(table, c, word, &table->rows.cell[c]);
    }
}

/* Reads a rectangle under the lock, from the last row that is known to be before it on. */
static hb_status read_rows(h5_cells *table, const hb_rectangle *cells, uint64_t *values)
{
    const bool drops = table->rows.drops;
    const uint64_t rows = hb_table_schema(table->inner)->rows, end = cells->row + cells->rows;
    const bool all = drops || cells->column + cells->columns > table->rows.columns; /* a mask is of any column */
    const uint64_t column = all ? 0 : cells->column, columns = all ? table->rows.columns : cells->columns;
    hb_mark at = drops ? hb_marks_before(&table->marks, cells->row) : (hb_mark){cells->row, cells->row};
    while (at.row < end) {
        const uint64_t left = rows - at.place, count = left < table->piece ? left : table->piece;
        if (count == 0) {
            return hb_table_rows_changed(&table->rows, at.row);
        }
        HB_TRY(read_piece(table, at.place, count, column, columns));
        for (uint64_t r = 0; r < count && at.row < end; r++, at.place++) {
            read_row(table, r, column, columns);
            if (drops && hb_table_rows_is_dropped(&table->rows)) {
                continue;
            }
            if (at.row == cells->row) {
                hb_marks_remember(&table->marks, at);
            }
            if (at.row >= cells->row) {
                HB_TRY(hb_table_rows_put(&table->rows, at.row, cells->column, cells->columns, &values));
            }
            at.row++;
        }
    }
    hb_marks_remember(&table->marks, at);
    return HB_OK;
}

/* Is hb_table_ops.read; any number of threads, one after another. */
static hb_status h5_cells_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    h5_cells *table = (h5_cells *)base;
    pthread_mutex_lock(&table->lock);
    const hb_status st = read_rows(table, cells, values);
    pthread_mutex_unlock(&table->lock);
    return st;
}

/* Finds a row from the last one before it that is known. */
static hb_status find_row(h5_cells *table, uint64_t row, hb_csv_place *place)
{
    const uint64_t rows = hb_table_schema(table->inner)->rows, columns = table->rows.columns;
    hb_mark at = hb_marks_before(&table->marks, row);
    for (uint64_t count; at.row <= row;) {
        count = rows - at.place < table->piece ? rows - at.place : table->piece;
        if (count == 0) {
            return hb_table_rows_changed(&table->rows, row);
        }
        HB_TRY(read_piece(table, at.place, count, 0, columns));
        for (uint64_t r = 0; r < count && at.row <= row; r++) {
            read_row(table, r, 0, columns);
            at.row += !hb_table_rows_is_dropped(&table->rows);
            at.place++;
        }
    }
    place->row = at.place;
    return HB_OK;
}

static hb_status h5_cells_find(hb_table *base, uint64_t row, const hb_table **of, hb_csv_place *place)
{
    h5_cells *table = (h5_cells *)base;
    *of = base;
    pthread_mutex_lock(&table->lock);
    const hb_status st = table->rows.drops ? find_row(table, row, place) : HB_OK;
    pthread_mutex_unlock(&table->lock);
    return st;
}

static void h5_cells_close(hb_table *base)
{
    h5_cells *table = (h5_cells *)base;
    hb_table_rows_clear(&table->rows);
    hb_marks_clear(&table->marks);
    hb_table_close(table->inner);
    if (table->words != NULL) {
        hb_wipe(table->words, (size_t)(table->piece * table->width) * sizeof *table->words); /* plaintext */
    }
    pthread_mutex_destroy(&table->lock);
    free(table->words);
    free(table->column);
    free(table);
}

static const hb_table_ops h5_cells_ops = {.read = h5_cells_read, .find = h5_cells_find, .close = h5_cells_close};

/* --- opening */

static hb_status copy_columns(h5_cells *table, hb_h5_cells_of of)
{
    const uint64_t columns = of.shared ? 1 : hb_table_schema(table->inner)->columns;
    table->shared = of.shared;
    table->column = calloc((size_t)columns, sizeof *table->column);
    table->width = hb_schema_words(hb_table_schema(table->inner), 0, hb_table_schema(table->inner)->columns);
    table->each = hb_column_words(&hb_table_schema(table->inner)->column[0]);
    table->piece = table->width < PIECE ? PIECE / table->width : 1;
    table->words = malloc((size_t)(table->piece * table->width) * sizeof *table->words);
    if (table->column == NULL || table->words == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", table->base.name);
    }
    memcpy(table->column, of.column, (size_t)columns * sizeof *table->column);
    return HB_OK;
}

/* Looks at all rows, and counts the rows that are read. */
static hb_status scan(h5_cells *table)
{
    hb_schema *schema = &table->base.schema;
    schema->rows = 0;
    for (hb_chunk c = hb_chunks(hb_table_schema(table->inner)->rows, table->piece); hb_chunk_next(&c);) {
        HB_TRY(read_piece(table, c.first, c.count, 0, table->rows.columns));
        for (uint64_t r = 0; r < c.count; r++) {
            bool dropped;
            read_row(table, r, 0, table->rows.columns);
            HB_TRY(hb_table_rows_note(&table->rows, (hb_csv_place){.row = c.first + r + 1}, &dropped));
            if (!dropped) {
                hb_marks_keep(&table->marks, schema->rows++, c.first + r);
            }
        }
    }
    HB_TRY(hb_table_rows_decide(&table->rows));
    return hb_table_rows_keep_notes(&table->rows);
}

/* Types of columns are the file's, but for decimals and where another value stands for missing cells. */
static void set_types(h5_cells *table)
{
    const hb_schema *inner = hb_table_schema(table->inner);
    hb_schema *schema = &table->base.schema;
    for (uint64_t c = 0; c < table->rows.columns; c++) {
        hb_column *column = &schema->column[c];
        const bool replaced = table->base.gaps != NULL && table->base.gaps[c].replaced > 0;
        if (column->cells != HB_CELL_REAL && (table->rows.column[c].exact || replaced)) {
            schema->width = table->rows.context.cells == HB_CELL_WIDE ? 16 : 8;
        }
        column->is_signed = column->is_signed || inner->column[c].is_signed;
        column->halves = inner->column[c].halves == HB_HALVES_COMPLEX ? HB_HALVES_COMPLEX : column->halves;
    }
}

hb_status hb_table_read_h5_cells(hb_cell_type cells, const hb_reading *reading, hb_h5_cells_of of, hb_table **io)
{
    h5_cells *table = calloc(1, sizeof *table);
    if (table == NULL) {
        const hb_status st = HB_FAIL(HB_ENOMEM, "%s: no memory to open it", (*io)->name);
        hb_table_close(*io);
        *io = NULL;
        return st;
    }
    hb_status st = HB_OK;
    table->base = (hb_table){.ops = &h5_cells_ops, .fd = -1, .name = (*io)->name, .elsewhere = (*io)->elsewhere};
    table->inner = *io;
    *io = NULL;
    pthread_mutex_init(&table->lock, NULL); /* on Linux it cannot fail */
    HB_GOTO(hb_schema_copy(&table->base.schema, hb_table_schema(table->inner)));
    HB_GOTO(copy_columns(table, of));
    HB_GOTO(hb_marks_init(&table->marks, HB_MOST_MARKS, table->base.name));
    HB_GOTO(hb_table_rows_init(&table->rows, &table->base, cells, reading));
    HB_GOTO(hb_table_rows_alloc(&table->rows));
    table->rows.whole = of.shared;
    for (uint64_t c = 0; c < table->base.schema.columns; c++) {
        table->base.schema.column[c].cells = cells;
        HB_GOTO(hb_table_rows_set_column(&table->rows, c, false));
    }
    HB_GOTO(scan(table));
    set_types(table);
done:
    table->rows.reading = NULL;
    if (st == HB_OK) {
        *io = &table->base;
    } else {
        hb_table_close(&table->base);
    }
    return st;
}
