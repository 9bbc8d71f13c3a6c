/* Turns 64-bit values into the cells of the table being written. */
#include <inttypes.h>
#include <string.h>

#include "base/clones.h"
#include "table_private.h"

/* The values that a cell can hold: those with value + offset <= most, as unsigned words, which is one comparison for
 * signed and unsigned types. */
typedef struct range {
    uint64_t offset, most;
} range;

/* A type may be signed for the sake of another column: then a column without negative values has half of it. */
static range range_of(const hb_table_writer *writer, bool column_signed)
{
    const uint64_t half = (uint64_t)1 << (8 * writer->width - 1); /* 2^(bits - 1) */
    if (column_signed) {
        return writer->width == sizeof(uint64_t) ? (range){0, UINT64_MAX} : (range){half, 2 * half - 1};
    }
    return (range){0, writer->is_signed ? half - 1 : 2 * half - 1};
}

HB_CLONES static uint64_t count_outside(const uint64_t *values, size_t count, range r)
{
    uint64_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        outside += values[i] + r.offset > r.most;
    }
    return outside;
}

/* Names the first value that does not fit, by its place alone: it is decrypted. */
static hb_status check_each(const hb_table_writer *writer, uint64_t row, uint64_t column, size_t count,
                            const uint64_t *values)
{
    const hb_schema *schema = &writer->schema;
    const range ranges[2] = {range_of(writer, false), range_of(writer, true)};
    for (size_t i = 0; i < count; i++) {
        if (count_outside(values + i, 1, ranges[schema->column[column].is_signed]) != 0) {
            char label[HB_COLUMN_LABEL];
            hb_column_label(label, schema, column);
            return HB_FAIL(HB_EDATA,
                           "%s: row %" PRIu64 ", column %s: the value does not fit in %" PRIu32
                           "-byte integers; was it decrypted with the right key?",
                           writer->file, row + 1, label, writer->width);
        }
        /* A run of cells may go on in the next row. */
        if (++column == schema->columns) {
            column = 0;
            row++;
        }
    }
    return HB_OK;
}

/* Stores the low bytes of every value; each width is a loop of its own, which vectorises. */
#define STORE_LOOP(type)                                     \
    for (size_t i = 0; i < count; i++) {                     \
        const type cell = (type)values[i];                   \
        memcpy(cells + i * sizeof cell, &cell, sizeof cell); \
    }

HB_CLONES static void store(uint8_t *restrict cells, const uint64_t *restrict values, size_t count, uint32_t width)
{
    switch (width) {
    case sizeof(uint8_t):
        STORE_LOOP(uint8_t)
        break;
    case sizeof(uint16_t):
        STORE_LOOP(uint16_t)
        break;
    case sizeof(uint32_t):
        STORE_LOOP(uint32_t)
        break;
    /* 64 bits need no narrowing. */
    default:
        memcpy(cells, values, count * sizeof *values);
    }
}

void hb_reverse_bytes(uint8_t *cells, size_t count, uint32_t width)
{
    for (size_t i = 0; i < count; i++, cells += width) {
        for (uint32_t b = 0; b < width / 2; b++) {
            const uint8_t low = cells[b];
            cells[b] = cells[width - 1 - b];
            cells[width - 1 - b] = low;
        }
    }
}

hb_status hb_table_cells(const hb_table_writer *writer, uint64_t row, uint64_t column, size_t count,
                         const uint64_t *values, uint8_t *cells)
{
    /* All values at once where all columns have one sign; one by one only to find the column, or where columns
     * differ. */
    if (!writer->by_column &&
        (writer->mixed || count_outside(values, count, range_of(writer, writer->is_signed)) != 0)) {
        HB_TRY(check_each(writer, row, column, count, values));
    }
    store(cells, values, count, writer->width);
    if (writer->big_endian) {
        hb_reverse_bytes(cells, count, writer->width);
    }
    return HB_OK;
}
