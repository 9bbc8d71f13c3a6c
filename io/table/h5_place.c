/* Reads cells of an HDF5 table that lie in its file one after another, without HDF5, which serves one thread at a time
 * and copies them once more. */
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "base/clones.h"
#include "base/seed.h"
#include "io/base/durable.h"
#include "io/h5/h5.h"
#include "table_private.h"

enum { PIECE = 1 << 17 }; /* bytes, so that what was read is still in a cache when it is widened */

/* Tells whether the type is one that C has: all bits count, in one of the two orders of bytes. */
static bool is_plain_type(hid_t type, uint32_t width)
{
    const H5T_order_t order = H5Tget_order(type);
    return H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == width && H5Tget_precision(type) == 8 * width &&
           H5Tget_offset(type) == 0 && (order == H5T_ORDER_LE || order == H5T_ORDER_BE);
}

/* Not in chunks, through filters, or in another file. */
static bool is_in_one_piece(hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const bool plain = creation >= 0 && H5Pget_layout(creation) == H5D_CONTIGUOUS &&
                       H5Pget_external_count(creation) == 0 && H5Pget_nfilters(creation) == 0;
    hb_h5_close(creation);
    return plain;
}

bool hb_h5_place_find(hid_t dataset, const hb_schema *schema, bool is_signed, uint64_t file_bytes, hb_h5_place *place)
{
    uint64_t cells, bytes;
    const hid_t type = H5Dget_type(dataset);
    const bool plain = type >= 0 && is_plain_type(type, schema->width) && is_in_one_piece(dataset);
    hb_h5_close(type);
    if (!plain || __builtin_mul_overflow(schema->rows, schema->columns, &cells) ||
        __builtin_mul_overflow(cells, schema->width, &bytes)) {
        return false;
    }
    /* It may be undefined, for a dataset that was never written, or anything at all in a damaged file. */
    const haddr_t offset = H5Dget_offset(dataset);
    *place = (hb_h5_place){offset, schema->width, schema->big_endian, is_signed};
    return offset != HADDR_UNDEF && offset <= file_bytes && bytes <= file_bytes - offset;
}

/* Widens cells of one type; each type is a loop of its own, which vectorises. */
#define WIDEN_LOOP(type, wide)                               \
    for (size_t i = 0; i < count; i++) {                     \
        type cell;                                           \
        memcpy(&cell, cells + i * sizeof cell, sizeof cell); \
        values[i] = (uint64_t)(wide)cell;                    \
    }                                                        \
    break

HB_CLONES static void widen(uint64_t *restrict values, const uint8_t *restrict cells, size_t count, uint32_t width,
                            bool is_signed)
{
    switch (is_signed ? -(int)width : (int)width) {
    case 1:
        WIDEN_LOOP(uint8_t, uint64_t);
    case 2:
        WIDEN_LOOP(uint16_t, uint64_t);
    case 4:
        WIDEN_LOOP(uint32_t, uint64_t);
    case -1:
        WIDEN_LOOP(int8_t, int64_t);
    case -2:
        WIDEN_LOOP(int16_t, int64_t);
    case -4:
        WIDEN_LOOP(int32_t, int64_t);
    default:
        memcpy(values, cells, count * sizeof *values);
    }
}

hb_status hb_h5_place_read(const hb_h5_place *place, int fd, const char *name, uint64_t first, size_t count,
                           uint64_t *values)
{
    const size_t most = PIECE / place->width, capacity = count < most ? count * place->width : PIECE;
    uint8_t *cells = malloc(capacity + 1); /* a thread may have a short stack */
    hb_status st = HB_OK;
    if (!cells) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", name);
    }
    for (hb_chunk c = hb_chunks(count, most); st == HB_OK && hb_chunk_next(&c);) {
        st = hb_read_at(fd, cells, c.count * place->width, place->offset + (first + c.first) * place->width, name);
        if (st == HB_OK) {
            /* In place: the piece is still in a cache. */
            if (place->big_endian) {
                hb_reverse_bytes(cells, c.count, place->width);
            }
            widen(values + c.first, cells, c.count, place->width, place->is_signed);
        }
    }
    /* It held plaintext. */
    hb_wipe(cells, capacity);
    free(cells);
    return st;
}
