#include "plain_look.h"

#include <math.h>
#include <stdlib.h>

#include "base/cell.h"
#include "base/chunk.h"
#include "base/seed.h"

static const uint64_t most_cells = (uint64_t)1 << 20, most_weights = (uint64_t)1 << 24;
/* Words of cells that are read at a time, if not a row has more. */
static const uint64_t buffer_words = ((uint64_t)8 << 20) / sizeof(uint64_t);

/* Returns a cell as an interval; not known where it is above 2^63 - 1. */
static hb_interval cell_of(const hb_column *column, uint64_t cell)
{
    if (column->cells == HB_CELL_REAL) {
        return hb_interval_of_reals(hb_real_of(cell), hb_real_of(cell));
    }
    if (!column->is_signed && cell > INT64_MAX) {
        return (hb_interval){.known = false};
    }
    return hb_interval_of((int64_t)cell, (int64_t)cell);
}

/* Returns the interval of a plain cell by its words; for a complex number, its modulus on both sides of 0. */
static hb_interval plain_cell(const hb_column *column, const uint64_t *words)
{
    if (column->cells == HB_CELL_WIDE) {
        const hb_wide value = hb_wide_of_cell(words, column->is_signed);
        return hb_interval_of_wide(value, value);
    }
    if (column->halves == HB_HALVES_REAL) {
        return cell_of(column, words[0]);
    }
    const double modulus = nextafter(hypot(hb_real_of(words[0]), hb_real_of(words[1])), HUGE_VAL);
    return hb_interval_of_reals(-modulus, modulus);
}

/* Joins a column's range with its cells in some rows; not known where some are above 2^63 - 1. */
static void widen(const hb_schema *schema, uint64_t column, const uint64_t *cells, uint64_t rows, hb_interval *range)
{
    const uint64_t words = hb_schema_words(schema, 0, schema->columns), at = hb_schema_words(schema, 0, column);
    for (uint64_t row = 0; row < rows; row++) {
        const hb_interval cell = plain_cell(&schema->column[column], cells + row * words + at);
        if (!cell.known) {
            *range = cell;
            return;
        }
        *range = hb_interval_join(*range, cell);
    }
}

/* Keeps the cells of some rows as numbers, of which expressions make constants. */
static void keep_numbers(const hb_schema *schema, const uint64_t *cells, uint64_t rows, hb_number *numbers)
{
    for (uint64_t i = 0; i < rows * schema->columns; i++) {
        const hb_column *column = &schema->column[i % schema->columns];
        const hb_interval cell = column->cells == HB_CELL_WIDE ? plain_cell(column, cells) : cell_of(column, cells[0]);
        /* An integer beyond 64 bits becomes one of magnitude 2^63 - 1, which is refused as a constant. */
        const int64_t integer = cell.known ? cell.least : INT64_MAX;
        numbers[i] =
            cell.real ? (hb_number){.real = cell.low} : (hb_number){.integer = integer, .real = (double)integer};
        if (column->halves == HB_HALVES_COMPLEX) {
            numbers[i].imaginary = hb_real_of(cells[1]);
        }
        cells += hb_column_words(column);
    }
}

bool hb_plain_is_small(const hb_schema *schema, bool weights)
{
    return schema->rows > 0 && schema->columns <= (weights ? most_weights : most_cells) / schema->rows;
}

/* cells: room for `step` rows. The range of a column that has an unknown value stays unknown: `open` [columns]. */
static hb_status look(hb_table *table, uint64_t *cells, uint64_t step, bool *open, hb_interval *columns,
                      hb_number *numbers)
{
    const hb_schema *schema = hb_table_schema(table);
    for (hb_chunk c = hb_chunks(schema->rows, step); hb_chunk_next(&c);) {
        const hb_rectangle some = {.row = c.first, .rows = c.count, .columns = schema->columns};
        HB_TRY(hb_table_read(table, &some, cells));
        for (uint64_t i = 0; i < schema->columns; i++) {
            hb_interval range = c.first > 0 ? columns[i] : (hb_interval){.known = false};
            if (!open[i]) {
                widen(schema, i, cells, c.count, &range);
                open[i] = !range.known;
                columns[i] = range;
            }
        }
        if (numbers != NULL) {
            keep_numbers(schema, cells, c.count, numbers + c.first * schema->columns);
        }
    }
    return HB_OK;
}

hb_status hb_plain_look(hb_table *table, const char *path, hb_interval *columns, hb_number **numbers)
{
    const hb_schema *schema = hb_table_schema(table);
    HB_ASSERT(hb_plain_is_small(schema, true));
    const uint64_t words = hb_schema_words(schema, 0, schema->columns), fit = buffer_words / words;
    const uint64_t step = fit < 1 ? 1 : fit < schema->rows ? fit : schema->rows;
    const size_t bytes = (size_t)(step * words) * sizeof(uint64_t);
    uint64_t *cells = malloc(bytes);
    bool *open = calloc((size_t)schema->columns, sizeof *open);
    hb_number *kept = numbers != NULL ? calloc((size_t)(schema->rows * schema->columns), sizeof *kept) : NULL;
    hb_status st = HB_OK;
    if (numbers != NULL) {
        *numbers = kept;
    }
    if (cells == NULL || open == NULL || (numbers != NULL && kept == NULL)) {
        st = HB_FAIL(HB_ENOMEM, "%s: no memory to look at its values", path);
        goto done;
    }
    st = look(table, cells, step, open, columns, kept);
    hb_wipe(cells, bytes);
done:
    free(cells);
    free(open);
    return st;
}
