#include "cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cell.h"
#include "batch/pipeline/stage_times.h"
#include "wide_cells.h"

static uint64_t *rectangle_of(const hb_cells *cells, uint32_t thread)
{
    HB_ASSERT(thread < cells->threads);
    return cells->rectangle + thread * cells->words;
}

static hb_status alloc_rectangles(hb_cells *cells, size_t words)
{
    cells->words = words;
    cells->rectangle = words <= SIZE_MAX / sizeof(uint64_t) / cells->threads
                           ? malloc(words * cells->threads * sizeof(uint64_t))
                           : NULL;
    return cells->rectangle != NULL ? HB_OK
                                    : HB_FAIL(HB_ENOMEM, "no memory for the cells of %zu ciphertexts", cells->most);
}

static void free_rectangles(hb_cells *cells)
{
    if (cells->rectangle != NULL) {
        hb_wipe(cells->rectangle, cells->words * cells->threads * sizeof(uint64_t));
        free(cells->rectangle);
    }
    cells->rectangle = NULL;
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
    if (most > SIZE_MAX / 2 / header->capacity) { /* twice as many with both halves */
        return HB_FAIL(HB_ENOMEM, "no memory for the cells of %zu ciphertexts", most);
    }
    return alloc_rectangles(cells, most * (size_t)header->capacity);
}

void hb_cells_clear(hb_cells *cells)
{
    free_rectangles(cells);
    hb_places_clear(&cells->places);
    memset(cells, 0, sizeof *cells);
}

hb_status hb_cells_match(hb_cells *cells, const hb_schema *table)
{
    hb_places_clear(&cells->places);
    HB_TRY(hb_places_find(&cells->places, cells->schema, table));
    cells->table = table;
    if (cells->places.half == NULL) {
        return HB_OK;
    }
    /* Both halves of all, and one row of the table in any case. */
    const size_t both = 2 * cells->most * (size_t)cells->packing.capacity, row = (size_t)cells->places.words;
    free_rectangles(cells);
    return alloc_rectangles(cells, both > row ? both : row);
}

/* Place of ciphertext cell (row, column) in a run of cells, which is one rectangle in row-major order. */
static size_t place(const hb_rectangle *run, uint64_t row, uint64_t column)
{
    return (size_t)((row - run->row) * run->columns + (column - run->column));
}

/* True if the values of the run's ciphertexts, whose first has `own` cells, are adjacent in the rectangle as in memory:
 * then it is read and written where they are. */
static bool is_dense(const hb_cells *cells, const hb_rectangle *run, const hb_rectangle *own, size_t length)
{
    return own->columns == run->columns && hb_packing_stride(&cells->packing, own) == own->columns &&
           (length == 1 || own->rows * own->columns == cells->stride);
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
                const size_t apart = hb_packing_stride(&cells->packing, &own), slot = (size_t)(i * n + r * apart);
                if (taken != NULL) {
                    copy_rows(taken + slot, apart, there, stride, columns, some);
                } else {
                    copy_rows(there, stride, given + slot, apart, columns, some);
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
        const size_t apart = hb_packing_stride(&cells->packing, &own), columns = (size_t)own.columns;
        const size_t filled = (size_t)own.rows * apart;
        for (size_t r = 0; r < own.rows && apart > columns; r++) {
            memset(values + i * n + r * apart + columns, 0, (apart - columns) * sizeof *values);
        }
        memset(values + i * n + filled, 0, (n - filled) * sizeof *values);
    }
}

/* Ciphertexts of a run; columns of the table in which the run's stand, others between them, and the words of them in a
 * row. */
typedef struct span {
    uint64_t ciphertext;
    size_t length;
    uint64_t first, columns, word, words;
} span;

static span span_of(const hb_cells *cells, const hb_rectangle *run, uint64_t ciphertext, size_t length)
{
    const hb_places *places = &cells->places;
    uint64_t first = UINT64_MAX, last = 0;
    for (uint64_t h = 2 * run->column; h < 2 * (run->column + run->columns); h++) {
        const uint64_t column = places->half[h].column;
        first = column != HB_NO_PLACE && column < first ? column : first;
        last = column != HB_NO_PLACE && column > last ? column : last;
    }
    return (span){.ciphertext = ciphertext,
                  .length = length,
                  .first = first,
                  .columns = last - first + 1,
                  .word = places->begin[first],
                  .words = places->begin[last + 1] - places->begin[first]};
}

/* Between words of a row of the table, of a span, and row r of the cells `own` of a ciphertext: its values are `taken`,
 * or `given` where that is NULL. */
static void move_row(const hb_cells *cells, const hb_rectangle *own, uint64_t r, uint64_t *words, uint64_t *taken,
                     const uint64_t *given)
{
    const hb_half_place *half = cells->places.half + 2 * own->column;
    const size_t slot = (size_t)r * hb_packing_stride(&cells->packing, own),
                 imaginary = (size_t)cells->packing.capacity;
    for (size_t c = 0; c < own->columns; c++) {
        for (size_t h = 0; h < 2; h++, half++) {
            const size_t value = slot + c + h * imaginary;
            if (half->column == HB_NO_PLACE) {
                continue;
            }
            if (taken != NULL) {
                taken[value] = words[half->word];
            } else {
                words[half->word] = given[value];
            }
        }
    }
}

/* The same of some rows of a run's ciphertexts. */
static void move_places(const hb_cells *cells, const span *at, const hb_rectangle *some, uint64_t *rectangle,
                        uint64_t *taken, const uint64_t *given)
{
    for (size_t i = 0; i < at->length; i++) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, at->ciphertext + i);
        const uint64_t begin = own.row > some->row ? own.row : some->row;
        const uint64_t end = own.row + own.rows < some->row + some->rows ? own.row + own.rows : some->row + some->rows;
        const size_t values = i * cells->stride;
        for (uint64_t row = begin; row < end; row++) {
            /* From where the row's word 0 would be. */
            uint64_t *words = rectangle + (row - some->row) * at->words - at->word;
            move_row(cells, &own, row - own.row, words, taken != NULL ? taken + values : NULL,
                     given != NULL ? given + values : NULL);
        }
    }
}

/* Real numbers of a pair that stand in complex columns have no imaginary parts. */
static hb_status check_wide(const hb_cells *cells, hb_table *table, const span *at, const hb_rectangle *run,
                            const hb_rectangle *some, const uint64_t *rectangle)
{
    char where[HB_TABLE_PLACE];
    for (uint64_t h = 2 * run->column; h < 2 * (run->column + run->columns); h++) {
        const hb_half_place *half = &cells->places.half[h];
        for (uint64_t row = 0; half->wide && row < some->rows; row++) {
            if (hb_real_of(rectangle[row * at->words + half->word + 1 - at->word]) != 0) {
                return HB_FAIL(HB_EDATA, "%s, column %s: a complex number in the place of a real one of a pair",
                               hb_table_place_text(table, some->row + row - cells->before, where),
                               hb_cells_column(cells->schema, h / 2).text);
            }
        }
    }
    return HB_OK;
}

/* Reads rows of some columns, which have `words` words each; those before the table's are zeros. */
static hb_status read_rows(const hb_cells *cells, hb_table *table, const hb_rectangle *run, uint64_t words,
                           uint64_t *values)
{
    const uint64_t zeros = hb_cells_before(cells, run->row, run->rows);
    const hb_rectangle there = {.row = run->row + zeros - cells->before,
                                .rows = run->rows - zeros,
                                .column = run->column,
                                .columns = run->columns};
    memset(values, 0, (size_t)(zeros * words) * sizeof *values);
    return there.rows > 0 ? hb_table_read(table, &there, values + zeros * words) : HB_OK;
}

/* A table whose columns are not those of the dataset, word by word: some rows at a time. */
static hb_status read_places(const hb_cells *cells, uint64_t *rectangle, hb_table *table, const hb_rectangle *run,
                             uint64_t first, size_t length, uint64_t *values)
{
    const span at = span_of(cells, run, first, length);
    const uint64_t most = cells->words / at.words;
    memset(values, 0, length * cells->stride * sizeof *values);
    for (uint64_t done = 0; done < run->rows; done += most) {
        const uint64_t rows = run->rows - done < most ? run->rows - done : most;
        const hb_rectangle some = {.row = run->row + done, .rows = rows, .column = at.first, .columns = at.columns};
        HB_TRY(read_rows(cells, table, &some, at.words, rectangle));
        hb_stage_times_note(HB_TIME_READ);
        HB_TRY(check_wide(cells, table, &at, run, &some, rectangle));
        move_places(cells, &at, &some, rectangle, values, NULL);
        hb_stage_times_note(HB_TIME_ARRANGE);
    }
    return HB_OK;
}

/* The table has the run's columns in their order, and no others between them. */
static hb_status write_places(const hb_cells *cells, uint64_t *rectangle, hb_table_writer *writer,
                              const hb_rectangle *run, uint64_t first, size_t length, const uint64_t *values)
{
    const span at = span_of(cells, run, first, length);
    const uint64_t most = cells->words / at.words;
    for (uint64_t done = 0; done < run->rows; done += most) {
        const uint64_t rows = run->rows - done < most ? run->rows - done : most;
        const hb_rectangle some = {.row = run->row + done, .rows = rows, .column = at.first, .columns = at.columns};
        memset(rectangle, 0, (size_t)(rows * at.words) * sizeof *rectangle); /* wide cells need zeros behind the
                                                                              * value */
        move_places(cells, &at, &some, rectangle, NULL, values);
        hb_stage_times_note(HB_TIME_ARRANGE);
        HB_TRY(hb_table_write(writer, &some, rectangle));
        hb_stage_times_note(HB_TIME_WRITE);
    }
    return HB_OK;
}

/* For several plain moduli residues are read. */
static hb_status read_cells(const hb_cells *cells, hb_table *table, const hb_rectangle *run, uint64_t *values)
{
    return hb_spec_residues(cells->spec) > 1 ? hb_wide_read(table, run, cells->schema, cells->spec, values)
                                             : read_rows(cells, table, run, run->columns, values);
}

static hb_status read_run(const hb_cells *cells, uint64_t *rectangle, hb_table *table, const hb_rectangle *run,
                          uint64_t first, size_t length, uint64_t *values)
{
    const hb_rectangle own = hb_packing_cells(&cells->packing, first);
    if (cells->places.half != NULL) {
        return read_places(cells, rectangle, table, run, first, length, values);
    }
    if (is_dense(cells, run, &own, length)) {
        HB_TRY(read_cells(cells, table, run, values));
        hb_stage_times_note(HB_TIME_READ);
    } else {
        HB_TRY(read_cells(cells, table, run, rectangle));
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
    const bool dense = is_dense(cells, run, &own, length);
    if (cells->places.half != NULL) {
        return write_places(cells, rectangle, writer, run, first, length, values);
    }
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
    return hb_cells_column_of(schema, column, hb_columns_show_names(schema->column, schema->columns));
}

hb_column_text hb_cells_column_of(const hb_schema *schema, uint64_t column, bool shows_names)
{
    hb_column_text label;
    const char *name = schema->column[column].name;
    if (name != NULL && schema->named && name[0] != '\0' && shows_names) {
        snprintf(label.text, sizeof label.text, "'%.80s'", name);
    } else {
        snprintf(label.text, sizeof label.text, "%" PRIu64, column + 1);
    }
    return label;
}

/* For reals: at x and y, and of their imaginary parts where there are some. */
static double distance(const hb_cells *cells, const uint64_t *x, const uint64_t *y)
{
    const size_t imaginary = (size_t)cells->packing.capacity;
    const double real = fabs(hb_real_of(x[0]) - hb_real_of(y[0]));
    return cells->places.half == NULL ? real : hypot(real, hb_real_of(x[imaginary]) - hb_real_of(y[imaginary]));
}

/* Returns the slot of cell j, row by row, of a ciphertext. */
static size_t slot_of(const hb_cells *cells, const hb_rectangle *own, size_t j)
{
    return j / own->columns * hb_packing_stride(&cells->packing, own) + j % own->columns;
}

/* Compares a value of a column with the one of the others at the same place. */
static bool same(const hb_cells *cells, uint64_t column, const uint64_t *value, hb_cells_other other,
                 const uint64_t *others)
{
    const hb_column *of = &cells->schema->column[column];
    if (of->cells == HB_CELL_REAL) {
        return distance(cells, value, others) <= other.tolerance; /* not so of a NaN */
    }
    /* Words with the top bit set are negative in one type and large in the other. */
    return *value == *others && (of->is_signed == other.schema->column[column].is_signed || *value >> 63 == 0);
}

void hb_cells_gap_widen(hb_cells_gap *most, const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values,
                        const uint64_t *other)
{
    const size_t imaginary = (size_t)cells->packing.capacity;
    for (size_t i = 0; i < count; i++, values += cells->stride, other += cells->stride) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        for (size_t j = 0; j < own.rows * own.columns; j++) {
            const size_t slot = slot_of(cells, &own, j);
            const double gap = distance(cells, values + slot, other + slot);
            if (gap > most->distance) {
                const bool both = cells->places.half != NULL;
                const uint64_t *x = values + slot, *y = other + slot;
                *most = (hb_cells_gap){.distance = gap,
                                       .where = {own.row + j / own.columns + 1, own.column + j % own.columns},
                                       .value = {hb_real_of(x[0]), both ? hb_real_of(x[imaginary]) : 0},
                                       .other = {hb_real_of(y[0]), both ? hb_real_of(y[imaginary]) : 0}};
            }
        }
    }
}

bool hb_cells_differ(const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values, hb_cells_other other,
                     hb_cell *where)
{
    for (size_t i = 0; i < count; i++) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        const size_t base = i * cells->stride;
        for (size_t j = 0; j < own.rows * own.columns; j++) {
            const uint64_t column = own.column + j % own.columns;
            const size_t slot = base + slot_of(cells, &own, j);
            if (!same(cells, column, values + slot, other, other.values + slot)) {
                *where = (hb_cell){own.row + j / own.columns + 1, column};
                return true;
            }
        }
    }
    return false;
}
