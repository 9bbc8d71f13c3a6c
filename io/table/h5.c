/* Tables that are HDF5 datasets. HDF5 opens them in a process of its own (io/reader/process.h). Cells that lie in the
 * file one after another are read here, without HDF5; all others come from that process. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/clones.h"
#include "base/seed.h"
#include "io/files/durable.h"
#include "io/reader/process.h"
#include "table/real_text.h"
#include "table_private.h"

enum { PIECE = 1 << 17 }; /* bytes, so that read cells are still in a cache when they are widened */

/* Makes words of cells of one type; each type is a loop of its own, which vectorises. */
#define WORD_LOOP(type, wide)                                \
    for (size_t i = 0; i < count; i++) {                     \
        type cell;                                           \
        memcpy(&cell, cells + i * sizeof cell, sizeof cell); \
        const wide word = (wide)cell;                        \
        memcpy(values + i, &word, sizeof word);              \
    }                                                        \
    break

HB_CLONES static void widen(uint64_t *restrict values, const uint8_t *restrict cells, size_t count, uint32_t width,
                            bool is_signed)
{
    /* A negative width stands for a signed type. */
    switch (is_signed ? -(int)width : (int)width) {
    case 1:
        WORD_LOOP(uint8_t, uint64_t);
    case 2:
        WORD_LOOP(uint16_t, uint64_t);
    case 4:
        WORD_LOOP(uint32_t, uint64_t);
    case -1:
        WORD_LOOP(int8_t, int64_t);
    case -2:
        WORD_LOOP(int16_t, int64_t);
    case -4:
        WORD_LOOP(int32_t, int64_t);
    default:
        memcpy(values, cells, count * sizeof *values);
    }
}

static void widen_floats(uint64_t *restrict values, const uint8_t *restrict cells, size_t count, uint32_t width)
{
    switch (width) {
    case sizeof(float):
        WORD_LOOP(float, double);
    default:
        memcpy(values, cells, count * sizeof *values);
    }
}

static void make_real(uint64_t *values, size_t count, bool is_signed, const hb_h5_gaps *gaps)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = hb_h5_real_of(values[i], is_signed, gaps);
    }
}

/* gaps: of integers that become doubles; NULL: they stay integers. */
static void convert(uint64_t *values, const uint8_t *cells, size_t count, const hb_h5_type *type,
                    const hb_h5_gaps *gaps)
{
    if (type->floats) {
        widen_floats(values, cells, count, type->width);
    } else {
        widen(values, cells, count, type->width, type->is_signed);
        if (gaps != NULL) {
            make_real(values, count, type->is_signed, gaps);
        }
    }
}

/* An HDF5 table that was opened. */
typedef struct h5_table {
    hb_table base;
    char *name;                /* FILE:/DATASET, for messages */
    hb_cell_type cells;        /* as which they are read */
    hb_h5_process_found found; /* where cells lie one after another there is no reader any more */
    hb_h5_process process;
    pthread_mutex_t lock; /* over the reader: it serves one thread at a time */
} h5_table;

/* Reads `count` numbers, of which a complex cell has two, from number `first` on, as 64-bit words. HB_EIO, HB_EDATA
 * when the file has become shorter, HB_ENOMEM. Any number of threads may call it. */
static hb_status read_place(const h5_table *table, uint64_t first, size_t count, uint64_t *values)
{
    const hb_h5_place *place = &table->found.place;
    const hb_h5_type *type = &place->type;
    const hb_h5_gaps *gaps = table->cells == HB_CELL_REAL ? &table->found.cells[0].gaps : NULL;
    const size_t width = type->width, most = PIECE / width, capacity = count < most ? count * width : PIECE;
    uint8_t *cells = malloc(capacity + 1); /* a thread may have a short stack */
    hb_status st = HB_OK;
    if (!cells) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", table->name);
    }
    for (hb_chunk c = hb_chunks(count, most); st == HB_OK && hb_chunk_next(&c);) {
        st = hb_read_at(table->base.fd, cells, c.count * width, place->offset + (first + c.first) * width, table->name);
        if (st == HB_OK) {
            /* In place: the piece is still in a cache. */
            if (type->big_endian) {
                hb_reverse_bytes(cells, c.count, type->width);
            }
            convert(values + c.first, cells, c.count, type, gaps);
        }
    }
    /* It held plaintext. */
    hb_wipe(cells, capacity);
    free(cells);
    return st;
}

/* Frees the parts that hb_table_open_h5 has made, also after a failure. */
static void h5_close(hb_table *base)
{
    h5_table *table = (h5_table *)base;
    hb_h5_process_close(&table->process);
    if (base->fd >= 0) {
        close(base->fd);
    }
    pthread_mutex_destroy(&table->lock);
    free(table->found.cells);
    free(table->name);
    free(table);
}

/* Words of a cell. */
static uint64_t words_of(const h5_table *table)
{
    return table->found.place.type.is_complex ? 2 : 1;
}

static hb_status read_rows(const h5_table *table, uint64_t row, uint64_t column, uint64_t rows, uint64_t columns,
                           uint64_t *values)
{
    const uint64_t words = words_of(table), first = row * table->base.schema.columns + column;
    return read_place(table, first * words, (size_t)(rows * columns * words), values);
}

/* Reads some of the columns: of narrow rows whole rows are read, many at a time; of wide ones each row's part by
 * itself. */
static hb_status read_columns(const h5_table *table, const hb_rectangle *cells, uint64_t *values)
{
    enum { NARROW = 1 << 11, BLOCK = 1 << 16 }; /* words of a row, and of a block */
    const uint64_t columns = table->base.schema.columns, words = words_of(table), wide = columns * words;
    const uint64_t most = wide <= NARROW ? BLOCK / wide : 1;
    uint64_t *block = wide <= NARROW ? malloc(BLOCK * sizeof *block) : NULL;
    hb_status st = HB_OK;
    if (wide <= NARROW && block == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", table->name);
    }
    for (uint64_t row = 0; row < cells->rows && st == HB_OK; row += most) {
        const uint64_t rows = cells->rows - row < most ? cells->rows - row : most;
        uint64_t *to = values + row * cells->columns * words;
        /* For wide rows, reading a part of each is less than reading them whole. */
        st = block != NULL ? read_rows(table, cells->row + row, 0, rows, columns, block)
                           : read_rows(table, cells->row + row, cells->column, 1, cells->columns, to);
        for (uint64_t r = 0; block != NULL && st == HB_OK && r < rows; r++, to += cells->columns * words) {
            memcpy(to, block + r * wide + cells->column * words, (size_t)(cells->columns * words) * sizeof *to);
        }
    }
    if (block != NULL) {
        /* It held plaintext, also of columns that were not asked for. */
        hb_wipe(block, BLOCK * sizeof *block);
    }
    free(block);
    return st;
}

/* Reads cells whose place is known; nothing is shared, so any number of threads may. */
static hb_status read_placed(const h5_table *table, const hb_rectangle *cells, uint64_t *values)
{
    const hb_status st = cells->columns == table->base.schema.columns
                             ? read_rows(table, cells->row, 0, cells->rows, cells->columns, values)
                             : read_columns(table, cells, values);
    /* The place was inside the file when it was opened, so a file that ends early has been changed. */
    return st == HB_EDATA ? HB_FAIL(HB_EDATA, "%s: was changed while it was read", table->name) : st;
}

/* Is hb_table_ops.read of an HDF5 table. */
static hb_status h5_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    h5_table *table = (h5_table *)base;
    if (table->found.placed) {
        return read_placed(table, cells, values);
    }
    /* One socket and one area of memory: requests take turns. */
    pthread_mutex_lock(&table->lock);
    const hb_status st = hb_h5_process_read(&table->process, cells, values);
    pthread_mutex_unlock(&table->lock);
    const hb_h5_type *type = &table->found.place.type;
    if (st == HB_OK && table->cells == HB_CELL_REAL && !type->floats) {
        make_real(values, (size_t)(cells->rows * cells->columns), type->is_signed, &table->found.cells[0].gaps);
    }
    return st;
}

static const hb_table_ops h5_ops = {.read = h5_read, .close = h5_close};

/* Puts FILE:/DATASET together for messages. */
static hb_status set_name(h5_table *table, const char *file, const char *dataset)
{
    char *prefix;
    HB_TRY(hb_path_with(file, ":", &prefix));
    const hb_status st = hb_path_with(prefix, dataset, &table->name);
    free(prefix);
    table->base.name = table->name;
    return st;
}

/* Refuses --columns for a dataset of numbers, whose columns are all read. */
static hb_status check_selected(const h5_table *table, const hb_reading *reading)
{
    uint64_t selected = 0;
    for (size_t i = 0; i < reading->count; i++) {
        selected += reading->column[i].selected;
    }
    return !reading->selects || table->found.parts || selected == table->base.schema.columns
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "%s: --columns is for CSV, and for groups, compounds and frames of HDF5",
                         table->name);
}

/* Checks options of columns against the columns of the table. */
static hb_status check_reading(const h5_table *table, const hb_reading *reading)
{
    const hb_schema *schema = &table->base.schema;
    if (reading->count == 0 || reading->columns_optional) {
        return HB_OK;
    }
    const char **names = calloc((size_t)schema->columns, sizeof *names);
    char(*room)[HB_READING_NAME] = calloc((size_t)schema->columns, sizeof *room);
    for (uint64_t c = 0; names != NULL && room != NULL && c < schema->columns; c++) {
        names[c] = hb_reading_name(schema, c, room[c]);
    }
    const hb_status st = names != NULL && room != NULL ? hb_reading_check(reading, table->name, names, schema->columns)
                                                       : HB_FAIL(HB_ENOMEM, "%s: no memory for names", table->name);
    free(names);
    free(room);
    return st == HB_OK ? check_selected(table, reading) : st;
}

/* Whether some cells are not read as they stand. */
static bool has_odd_cells(const h5_table *table, const hb_reading *reading)
{
    const hb_schema *schema = &table->base.schema;
    const bool real = table->cells == HB_CELL_REAL;
    char room[HB_READING_NAME];
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_h5_cells *of = &table->found.cells[table->found.parts ? c : 0];
        const hb_column_reading *how =
            reading->count > 0 ? hb_reading_of(reading, hb_reading_name(schema, c, room)) : NULL;
        if (of->gaps.count > 0 || of->gaps.bounds != 0 || (of->bits > 0 && !real) ||
            (of->bits > 0 && hb_reading_missing(reading, how).missing != HB_MISSING_REFUSE) ||
            hb_reading_missing(reading, how).masked || (how != NULL && hb_meaning_scale(&how->meaning) > 1)) {
            return true;
        }
        if (!table->found.parts && reading->count == 0) {
            return false; /* nor are those of other columns */
        }
    }
    return false;
}

/* Starts the process that reads the table. It checks where the cells lie against the size of the file that is open
 * here. */
static hb_status open_reader(h5_table *table, const char *file, const char *dataset, const hb_reading *reading,
                             bool follows)
{
    const char **columns = malloc((reading->count + 1) * sizeof *columns);
    if (columns == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", table->name);
    }
    hb_h5_process_target target = {.fd = table->base.fd,
                                   .file = file,
                                   .dataset = dataset,
                                   .columns = columns,
                                   .lenient = reading->columns_optional,
                                   .follows = follows,
                                   .cells = table->cells,
                                   .file_bytes = table->base.bytes,
                                   .name = table->name,
                                   .stopped = reading->stopped};
    for (size_t i = 0; reading->selects && i < reading->count; i++) {
        if (reading->column[i].selected) {
            columns[target.column_count++] = reading->column[i].name;
        }
    }
    const hb_status st = hb_h5_process_open(&table->process, &target, &table->base.schema, &table->found);
    free(columns);
    return st;
}

/* Other files are opened only where the table does not open without them. */
static hb_status open_where_data_is(h5_table *table, const char *file, const char *dataset, const hb_reading *reading)
{
    const hb_status st = open_reader(table, file, dataset, reading, false);
    if (!reading->follows_files || (st != HB_EDATA && st != HB_ENOINPUT)) {
        return st;
    }
    hb_h5_process_close(&table->process);
    hb_schema_clear(&table->base.schema);
    free(table->found.cells);
    table->found = (hb_h5_process_found){.cells = NULL};
    table->base.elsewhere = true;
    return open_reader(table, file, dataset, reading, true);
}

hb_status hb_table_open_h5(const char *file, const char *dataset, hb_cell_type cells, const hb_reading *reading,
                           hb_table **out)
{
    h5_table *table = calloc(1, sizeof *table);
    if (!table) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file);
    }
    table->base.ops = &h5_ops;
    table->base.fd = -1;
    table->cells = cells == HB_CELL_WIDE ? HB_CELL_INTEGER : cells;
    pthread_mutex_init(&table->lock, NULL); /* on Linux it cannot fail */
    hb_status st = HB_OK;
    HB_GOTO(hb_table_open_file(&table->base, file)); /* tells a missing file from one that is no HDF5 */
    HB_GOTO(set_name(table, file, dataset));
    HB_GOTO(open_where_data_is(table, file, dataset, reading));
    if (table->found.placed) {
        hb_h5_process_close(&table->process);
    }
    HB_GOTO(check_reading(table, reading));
    table->base.raw = has_odd_cells(table, reading);
    table->base.widens = cells == HB_CELL_WIDE && !table->base.raw; /* files have integers of 64 bits at most */
    for (uint64_t c = 0; c < table->base.schema.columns && table->base.widens; c++) {
        table->base.schema.column[c].cells = HB_CELL_WIDE;
    }
done:
    if (st != HB_OK) {
        hb_table_close(&table->base);
        return st;
    }
    *out = &table->base;
    return table->base.raw
               ? hb_table_read_h5_cells(cells, reading, (hb_h5_cells_of){table->found.cells, !table->found.parts}, out)
               : HB_OK;
}
