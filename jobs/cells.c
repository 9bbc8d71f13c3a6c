#include "cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hb_status hb_cells_init(hb_cells *cells, const hb_header *header, size_t most)
{
    *cells = (hb_cells){
        .schema = &header->schema, .packing = hb_header_packing(header), .plain = header->spec.plain, .most = most};
    HB_TRY(hb_packing_check(&cells->packing));
    if (most > SIZE_MAX / sizeof(uint64_t) / header->spec.n) {
        return HB_FAIL(HB_ENOMEM, "no memory for the cells of %zu ciphertexts", most);
    }
    cells->rectangle = malloc(most * header->spec.n * sizeof(uint64_t));
    if (cells->rectangle == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the cells of %zu ciphertexts", most);
    }
    return HB_OK;
}

void hb_cells_clear(hb_cells *cells)
{
    if (cells->rectangle != NULL) {
        hb_wipe(cells->rectangle, cells->most * (size_t)cells->packing.capacity * sizeof(uint64_t));
        free(cells->rectangle);
    }
    memset(cells, 0, sizeof *cells);
}

/* Place of ciphertext cell (row, column) in a run of cells, which is one rectangle in row-major order. */
static size_t place(const hb_rectangle *run, uint64_t row, uint64_t column)
{
    return (size_t)((row - run->row) * run->columns + (column - run->column));
}

/* True if the values of the run's ciphertexts, whose first has `own` cells, are adjacent in the rectangle as in memory:
 * then it is read and written where they are. */
static bool is_dense(const hb_rectangle *run, const hb_rectangle *own, size_t length, size_t n)
{
    return own->columns == run->columns && (length == 1 || own->rows * own->columns == n);
}

/* The cells of one ciphertext out of the rectangle of its run. */
static void take(const hb_rectangle *run, const hb_rectangle *own, const uint64_t *rectangle, uint64_t *values,
                 size_t n)
{
    const size_t columns = (size_t)own->columns;
    uint64_t *to = values;
    for (uint64_t row = own->row; row < own->row + own->rows; row++, to += columns) {
        memcpy(to, rectangle + place(run, row, own->column), columns * sizeof *to);
    }
    memset(to, 0, (size_t)(values + n - to) * sizeof *to);
}

static void give(const hb_rectangle *run, const hb_rectangle *own, uint64_t *rectangle, const uint64_t *values)
{
    const size_t columns = (size_t)own->columns;
    for (uint64_t row = own->row; row < own->row + own->rows; row++, values += columns) {
        memcpy(rectangle + place(run, row, own->column), values, columns * sizeof *values);
    }
}

static hb_status read_run(hb_cells *cells, hb_table *table, const hb_rectangle *run, uint64_t first, size_t length,
                          uint64_t *values)
{
    const size_t n = (size_t)cells->packing.capacity, filled = (size_t)(run->rows * run->columns);
    hb_rectangle own = hb_packing_cells(&cells->packing, first);
    if (is_dense(run, &own, length, n)) {
        HB_TRY(hb_table_read(table, run, values));
        memset(values + filled, 0, (length * n - filled) * sizeof *values);
        return HB_OK;
    }
    HB_TRY(hb_table_read(table, run, cells->rectangle));
    for (size_t i = 0; i < length; i++) {
        own = hb_packing_cells(&cells->packing, first + i);
        take(run, &own, cells->rectangle, values + i * n, n);
    }
    return HB_OK;
}

static hb_status write_run(hb_cells *cells, hb_table_writer *writer, const hb_rectangle *run, uint64_t first,
                           size_t length, const uint64_t *values)
{
    const size_t n = (size_t)cells->packing.capacity;
    hb_rectangle own = hb_packing_cells(&cells->packing, first);
    if (is_dense(run, &own, length, n)) {
        return hb_table_write(writer, run, values);
    }
    for (size_t i = 0; i < length; i++) {
        own = hb_packing_cells(&cells->packing, first + i);
        give(run, &own, cells->rectangle, values + i * n);
    }
    return hb_table_write(writer, run, cells->rectangle);
}

hb_status hb_cells_read(hb_cells *cells, hb_table *table, uint64_t first, size_t count, uint64_t *values)
{
    HB_ASSERT(count <= cells->most);
    for (size_t done = 0; done < count;) {
        hb_rectangle run;
        const size_t length = (size_t)hb_packing_run(&cells->packing, first + done, count - done, &run);
        HB_TRY(read_run(cells, table, &run, first + done, length, values + done * (size_t)cells->packing.capacity));
        done += length;
    }
    return HB_OK;
}

hb_status hb_cells_write(hb_cells *cells, hb_table_writer *writer, uint64_t first, size_t count, const uint64_t *values)
{
    HB_ASSERT(count <= cells->most);
    for (size_t done = 0; done < count;) {
        hb_rectangle run;
        const size_t length = (size_t)hb_packing_run(&cells->packing, first + done, count - done, &run);
        HB_TRY(write_run(cells, writer, &run, first + done, length, values + done * (size_t)cells->packing.capacity));
        done += length;
    }
    return HB_OK;
}

hb_column_text hb_cells_column(const hb_schema *schema, uint64_t column)
{
    hb_column_text label;
    const char *name = schema->column[column].name;
    if (schema->named && name != NULL && name[0] != '\0') {
        snprintf(label.text, sizeof label.text, "'%.80s'", name);
    } else {
        snprintf(label.text, sizeof label.text, "%" PRIu64, column + 1);
    }
    return label;
}

bool hb_cells_differ(const hb_cells *cells, const hb_schema *other_schema, uint64_t first, size_t count,
                     const uint64_t *values, const uint64_t *other, uint64_t *row, uint64_t *column)
{
    for (size_t i = 0; i < count; i++) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        const size_t base = i * (size_t)cells->packing.capacity;
        for (size_t j = 0; j < own.rows * own.columns; j++) {
            *row = own.row + j / own.columns + 1;
            *column = own.column + j % own.columns;
            /* Words with the top bit set are negative in one type and large in the other. */
            const bool same_type = cells->schema->column[*column].is_signed == other_schema->column[*column].is_signed;
            if (values[base + j] != other[base + j] || (!same_type && values[base + j] >> 63 != 0)) {
                return true;
            }
        }
    }
    return false;
}
