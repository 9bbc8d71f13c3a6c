#include "cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "stage_times.h"

/* Of one thread. */
static size_t rectangle_words(const hb_cells *cells)
{
    return cells->most * (size_t)cells->packing.capacity;
}

static uint64_t *rectangle_of(const hb_cells *cells, uint32_t thread)
{
    HB_ASSERT(thread < cells->threads);
    return cells->rectangle + thread * rectangle_words(cells);
}

hb_status hb_cells_init(hb_cells *cells, const hb_header *header, size_t most, uint32_t threads)
{
    *cells = (hb_cells){.schema = &header->schema,
                        .packing = hb_header_packing(header),
                        .spec = &header->spec,
                        .stride = hb_values_words(&header->spec),
                        .most = most,
                        .threads = threads};
    HB_TRY(hb_packing_check(&cells->packing));
    if (most > SIZE_MAX / sizeof(uint64_t) / header->capacity / threads) {
        return HB_FAIL(HB_ENOMEM, "no memory for the cells of %zu ciphertexts", most);
    }
    cells->rectangle = malloc(rectangle_words(cells) * threads * sizeof(uint64_t));
    if (cells->rectangle == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the cells of %zu ciphertexts", most);
    }
    return HB_OK;
}

void hb_cells_clear(hb_cells *cells)
{
    if (cells->rectangle != NULL) {
        hb_wipe(cells->rectangle, rectangle_words(cells) * cells->threads * sizeof(uint64_t));
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

static void copy_rows(uint64_t *to, size_t to_stride, const uint64_t *from, size_t from_stride, size_t columns,
                      size_t rows)
{
    for (size_t r = 0; r < rows; r++, to += to_stride, from += from_stride) {
        if (columns == 1) {
            *to = *from; /* a call would cost more than the word */
        } else {
            memcpy(to, from, columns * sizeof *to);
        }
    }
}

/* Between the rectangle of a run and the values of its ciphertexts: into `taken`, or out of `given` where that is NULL.
 * Ciphertexts side by side share rows of the rectangle; they are served together, some rows at a time, so that those
 * come from a cache to all but the first. */
static void move(const hb_cells *cells, const hb_rectangle *run, uint64_t first, size_t length, uint64_t *rectangle,
                 uint64_t *taken, const uint64_t *given)
{
    enum { CACHED = 1 << 13 }; /* words: 64 KiB */
    const size_t n = cells->stride, stride = (size_t)run->columns;
    const uint64_t across = hb_packing_across(&cells->packing);
    const uint64_t wide = length < across ? length : across, most = stride < CACHED ? CACHED / stride : 1;
    for (uint64_t begin = 0; begin < length; begin += wide) {
        const uint64_t rows = hb_packing_cells(&cells->packing, first + begin).rows;
        for (uint64_t r = 0; r < rows; r += most) {
            for (uint64_t i = begin; i < begin + wide; i++) {
                const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
                const size_t columns = (size_t)own.columns, some = (size_t)(rows - r < most ? rows - r : most);
                uint64_t *there = rectangle + place(run, own.row + r, own.column);
                const size_t slot = (size_t)(i * n + r * columns);
                if (taken != NULL) {
                    copy_rows(taken + slot, columns, there, stride, columns, some);
                } else {
                    copy_rows(there, stride, given + slot, columns, columns, some);
                }
            }
        }
    }
}

/* Slots without a cell. */
static void clear_rest(const hb_cells *cells, uint64_t first, size_t length, uint64_t *values)
{
    const size_t n = cells->stride;
    for (size_t i = 0; i < length; i++) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        const size_t filled = (size_t)(own.rows * own.columns);
        memset(values + i * n + filled, 0, (n - filled) * sizeof *values);
    }
}

static hb_status read_run(const hb_cells *cells, uint64_t *rectangle, hb_table *table, const hb_rectangle *run,
                          uint64_t first, size_t length, uint64_t *values)
{
    const hb_rectangle own = hb_packing_cells(&cells->packing, first);
    if (is_dense(run, &own, length, cells->stride)) {
        HB_TRY(hb_table_read(table, run, values));
        hb_stage_times_note(HB_TIME_READ);
    } else {
        HB_TRY(hb_table_read(table, run, rectangle));
        hb_stage_times_note(HB_TIME_READ);
        move(cells, run, first, length, rectangle, values, NULL);
    }
    clear_rest(cells, first, length, values);
    hb_stage_times_note(HB_TIME_ARRANGE);
    return HB_OK;
}

static hb_status write_run(const hb_cells *cells, uint64_t *rectangle, hb_table_writer *writer, const hb_rectangle *run,
                           uint64_t first, size_t length, const uint64_t *values)
{
    const hb_rectangle own = hb_packing_cells(&cells->packing, first);
    const bool dense = is_dense(run, &own, length, cells->stride);
    if (!dense) {
        move(cells, run, first, length, rectangle, NULL, values);
    }
    hb_stage_times_note(HB_TIME_ARRANGE);
    HB_TRY(hb_table_write(writer, run, dense ? values : rectangle));
    hb_stage_times_note(HB_TIME_WRITE);
    return HB_OK;
}

hb_status hb_cells_read(const hb_cells *cells, uint32_t thread, hb_table *table, uint64_t first, size_t count,
                        uint64_t *values)
{
    uint64_t *rectangle = rectangle_of(cells, thread);
    HB_ASSERT(count <= cells->most);
    for (size_t done = 0; done < count;) {
        hb_rectangle run;
        const size_t length = (size_t)hb_packing_run(&cells->packing, first + done, count - done, &run);
        HB_TRY(read_run(cells, rectangle, table, &run, first + done, length, values + done * cells->stride));
        done += length;
    }
    return HB_OK;
}

hb_status hb_cells_write(const hb_cells *cells, uint32_t thread, hb_table_writer *writer, uint64_t first, size_t count,
                         const uint64_t *values)
{
    uint64_t *rectangle = rectangle_of(cells, thread);
    HB_ASSERT(count <= cells->most);
    for (size_t done = 0; done < count;) {
        hb_rectangle run;
        const size_t length = (size_t)hb_packing_run(&cells->packing, first + done, count - done, &run);
        HB_TRY(write_run(cells, rectangle, writer, &run, first + done, length, values + done * cells->stride));
        done += length;
    }
    return HB_OK;
}

hb_column_text hb_cells_column(const hb_schema *schema, uint64_t column)
{
    hb_column_text label;
    const char *name = schema->column[column].name;
    if (name != NULL && schema->named && name[0] != '\0' && hb_columns_show_names(schema->column, schema->columns)) {
        snprintf(label.text, sizeof label.text, "'%.80s'", name);
    } else {
        snprintf(label.text, sizeof label.text, "%" PRIu64, column + 1);
    }
    return label;
}

static double distance(uint64_t x, uint64_t y)
{
    return fabs(hb_real_of(x) - hb_real_of(y));
}

/* Compares a value of a column with number `at` of the others. */
static bool same(const hb_column *column, uint64_t value, hb_cells_other other, uint64_t number, size_t at)
{
    if (column->cells == HB_CELL_REAL) {
        return distance(value, other.values[at]) <= other.tolerance; /* not so of a NaN */
    }
    /* Words with the top bit set are negative in one type and large in the other. */
    return value == other.values[at] &&
           (column->is_signed == other.schema->column[number].is_signed || value >> 63 == 0);
}

double hb_cells_distance(const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values,
                         const uint64_t *other)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++, values += cells->stride, other += cells->stride) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        for (size_t j = 0; j < own.rows * own.columns; j++) {
            largest = fmax(largest, distance(values[j], other[j]));
        }
    }
    return largest;
}

bool hb_cells_differ(const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values, hb_cells_other other,
                     hb_cell *where)
{
    for (size_t i = 0; i < count; i++) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        const size_t base = i * cells->stride;
        for (size_t j = 0; j < own.rows * own.columns; j++) {
            const uint64_t column = own.column + j % own.columns;
            if (!same(&cells->schema->column[column], values[base + j], other, column, base + j)) {
                *where = (hb_cell){own.row + j / own.columns + 1, column};
                return true;
            }
        }
    }
    return false;
}
