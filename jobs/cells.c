#include "cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"

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

/* The cells of one ciphertext out of the rectangle of its run. */
static void take(const hb_rectangle *run, const hb_rectangle *own, const uint64_t *rectangle, uint64_t *values,
                 size_t n)
{
    uint64_t *to = values;
    for (uint64_t row = own->row; row < own->row + own->rows; row++) {
        const uint64_t *from = rectangle + place(run, row, own->column);
        for (uint64_t c = 0; c < own->columns; c++) {
            *to++ = from[c];
        }
    }
    memset(to, 0, (size_t)(values + n - to) * sizeof *to);
}

static void give(const hb_rectangle *run, const hb_rectangle *own, uint64_t *rectangle, const uint64_t *values)
{
    for (uint64_t row = own->row; row < own->row + own->rows; row++) {
        uint64_t *to = rectangle + place(run, row, own->column);
        for (uint64_t c = 0; c < own->columns; c++) {
            to[c] = *values++;
        }
    }
}

hb_status hb_cells_read(hb_cells *cells, hb_table *table, uint64_t first, size_t count, uint64_t *values)
{
    HB_ASSERT(count <= cells->most);
    const size_t n = (size_t)cells->packing.capacity;
    for (size_t done = 0; done < count;) {
        hb_rectangle run;
        const size_t length = (size_t)hb_packing_run(&cells->packing, first + done, count - done, &run);
        HB_TRY(hb_table_read(table, &run, cells->rectangle));
        for (size_t i = done; i < done + length; i++) {
            const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
            take(&run, &own, cells->rectangle, values + i * n, n);
        }
        done += length;
    }
    return HB_OK;
}

hb_status hb_cells_write(hb_cells *cells, hb_table_writer *writer, uint64_t first, size_t count, const uint64_t *values)
{
    HB_ASSERT(count <= cells->most);
    const size_t n = (size_t)cells->packing.capacity;
    for (size_t done = 0; done < count;) {
        hb_rectangle run;
        const size_t length = (size_t)hb_packing_run(&cells->packing, first + done, count - done, &run);
        for (size_t i = done; i < done + length; i++) {
            const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
            give(&run, &own, cells->rectangle, values + i * n);
        }
        HB_TRY(hb_table_write(writer, &run, cells->rectangle));
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

static hb_status out_of_range(const hb_cells *cells, uint64_t row, uint64_t column)
{
    const uint64_t t = cells->plain;
    const hb_column_text name = hb_cells_column(cells->schema, column);
    if (cells->schema->column[column].is_signed) {
        return HB_FAIL(HB_EDATA,
                       "row %" PRIu64 ", column %s: the value is outside [-%" PRIu64 ", %" PRIu64 "], what t = %" PRIu64
                       " can hold of a signed column",
                       row + 1, name.text, (t - 1) / 2, t / 2, t);
    }
    return HB_FAIL(HB_EDATA,
                   "row %" PRIu64 ", column %s: the value is outside [0, %" PRIu64 "], what t = %" PRIu64 " can hold",
                   row + 1, name.text, t - 1, t);
}

/* False when the value has no residue that stands for it alone. */
static bool to_residue(uint64_t *value, bool is_signed, uint64_t t)
{
    if (!is_signed) {
        return *value < t;
    }
    const int64_t x = (int64_t)*value; /* t < 2^60: both bounds fit */
    if (x < -(int64_t)((t - 1) / 2) || x > (int64_t)(t / 2)) {
        return false;
    }
    *value = hb_plain_from_signed(x, t);
    return true;
}

hb_status hb_cells_to_residues(const hb_cells *cells, uint64_t first, size_t count, uint64_t *values)
{
    for (size_t i = 0; i < count; i++) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        uint64_t *value = values + i * (size_t)cells->packing.capacity;
        for (uint64_t row = own.row; row < own.row + own.rows; row++) {
            for (uint64_t column = own.column; column < own.column + own.columns; column++, value++) {
                if (!to_residue(value, cells->schema->column[column].is_signed, cells->plain)) {
                    return out_of_range(cells, row, column);
                }
            }
        }
    }
    return HB_OK;
}

void hb_cells_from_residues(const hb_cells *cells, uint64_t first, size_t count, uint64_t *values)
{
    for (size_t i = 0; i < count; i++) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        uint64_t *value = values + i * (size_t)cells->packing.capacity;
        for (uint64_t row = 0; row < own.rows; row++) {
            for (uint64_t column = own.column; column < own.column + own.columns; column++, value++) {
                if (cells->schema->column[column].is_signed) {
                    *value = (uint64_t)hb_plain_to_signed(*value, cells->plain);
                }
            }
        }
    }
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
