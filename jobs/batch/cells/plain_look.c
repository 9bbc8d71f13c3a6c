#include "plain_look.h"

#include <math.h>
#include <stdlib.h>

#include "base/cell.h"
#include "base/seed.h"

static const uint64_t most_cells = (uint64_t)1 << 20;

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

/* Returns the extremes of one column of cells; not known where some are above 2^63 - 1. */
static hb_interval extremes(const hb_schema *schema, uint64_t column, const uint64_t *cells)
{
    const uint64_t words = hb_schema_words(schema, 0, schema->columns), at = hb_schema_words(schema, 0, column);
    hb_interval found = {.known = false};
    for (uint64_t row = 0; row < schema->rows; row++) {
        const hb_interval cell = plain_cell(&schema->column[column], cells + row * words + at);
        if (!cell.known) {
            return cell;
        }
        found = hb_interval_join(found, cell);
    }
    return found;
}

/* Keeps the cells as numbers, of which expressions make constants. */
static hb_status keep_numbers(const hb_schema *schema, const char *path, const uint64_t *cells, hb_number **numbers)
{
    *numbers = calloc((size_t)(schema->rows * schema->columns) + 1, sizeof **numbers);
    if (*numbers == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for its numbers", path);
    }
    for (uint64_t i = 0; i < schema->rows * schema->columns; i++) {
        const hb_column *column = &schema->column[i % schema->columns];
        const hb_interval cell = column->cells == HB_CELL_WIDE ? plain_cell(column, cells) : cell_of(column, cells[0]);
        /* An integer beyond 64 bits becomes one of magnitude 2^63 - 1, which is refused as a constant. */
        const int64_t integer = cell.known ? cell.least : INT64_MAX;
        (*numbers)[i] =
            cell.real ? (hb_number){.real = cell.low} : (hb_number){.integer = integer, .real = (double)integer};
        if (column->halves == HB_HALVES_COMPLEX) {
            (*numbers)[i].imaginary = hb_real_of(cells[1]);
        }
        cells += hb_column_words(column);
    }
    return HB_OK;
}

bool hb_plain_is_small(const hb_schema *schema)
{
    return schema->rows > 0 && schema->columns <= most_cells / schema->rows;
}

hb_status hb_plain_look(hb_table *table, const char *path, hb_interval *columns, hb_number **numbers)
{
    const hb_schema *schema = hb_table_schema(table);
    HB_ASSERT(hb_plain_is_small(schema));
    const hb_rectangle all = {.rows = schema->rows, .columns = schema->columns};
    const size_t bytes = (size_t)(all.rows * hb_schema_words(schema, 0, all.columns)) * sizeof(uint64_t);
    uint64_t *cells = malloc(bytes);
    if (cells == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to look at its values", path);
    }
    hb_status st = hb_table_read(table, &all, cells);
    for (uint64_t c = 0; st == HB_OK && c < schema->columns; c++) {
        columns[c] = extremes(schema, c, cells);
    }
    if (st == HB_OK && numbers != NULL) {
        st = keep_numbers(schema, path, cells, numbers);
    }
    hb_wipe(cells, bytes);
    free(cells);
    return st;
}
