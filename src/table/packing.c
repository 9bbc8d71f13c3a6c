/* Both orders cut the table into equal tiles, the last row and column of tiles cut short, and number the tiles row by
 * row: ciphertext i is tile (i / across, i % across). */
#include "packing.h"

#include <inttypes.h>
#include <stdbool.h>

#include "base/bits.h"

typedef struct tiling {
    uint64_t tile_rows, tile_columns; /* cells of a whole tile */
    uint64_t down, across;            /* tiles */
} tiling;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Neither division has a divisor of 0: hb_packing_check refused that. */
static tiling tiling_of(const hb_packing *p)
{
    tiling t = {.tile_rows = p->capacity, .tile_columns = 1};
    if (p->order == HB_PACK_ROWS && p->block > 0) {
        t.tile_rows = p->capacity / p->block;
        t.tile_columns = p->columns;
    } else if (p->order == HB_PACK_ROWS) {
        t.tile_rows = p->columns <= p->capacity ? p->capacity / p->columns : 1;
        t.tile_columns = least(p->columns, p->capacity);
    }
    t.down = hb_divide_up(p->rows, t.tile_rows);
    t.across = hb_divide_up(p->columns, t.tile_columns);
    return t;
}

/* Returns the cells of `tall` by `wide` tiles, of which i is the first, cut at the table's edge. All of these tiles
 * exist, so each product is below the rows or columns of the table and none overflows. */
static hb_rectangle tiles(const hb_packing *p, const tiling *t, uint64_t i, uint64_t tall, uint64_t wide)
{
    hb_rectangle r = {.row = i / t->across * t->tile_rows, .column = i % t->across * t->tile_columns};
    const uint64_t last_row = (i / t->across + tall - 1) * t->tile_rows;
    const uint64_t last_column = (i % t->across + wide - 1) * t->tile_columns;
    r.rows = last_row - r.row + least(t->tile_rows, p->rows - last_row);
    r.columns = last_column - r.column + least(t->tile_columns, p->columns - last_column);
    return r;
}

hb_status hb_packing_check(const hb_packing *packing)
{
    if (packing->columns == 0) {
        return HB_FAIL(HB_EDATA, "a table without columns cannot be packed");
    }
    if (packing->capacity == 0) {
        return HB_FAIL(HB_EDATA, "a ciphertext that holds no values cannot be packed");
    }
    const uint64_t block = packing->block;
    if (block > 0 && (packing->order != HB_PACK_ROWS || (block & (block - 1)) != 0 || block < packing->columns ||
                      block > packing->capacity)) {
        return HB_FAIL(HB_EDATA,
                       "rows of %" PRIu64 " columns cannot stand in blocks of %" PRIu64
                       " slots: a block is a power of two, holds a row, and is %" PRIu64 " at most",
                       packing->columns, block, packing->capacity);
    }
    /* A ciphertext holds at least one cell, so this bounds the number of ciphertexts as well. */
    if (packing->rows > UINT64_MAX / packing->columns) {
        return HB_FAIL(HB_EDATA, "a table of %" PRIu64 " rows and %" PRIu64 " columns has more than 2^64 - 1 cells",
                       packing->rows, packing->columns);
    }
    return HB_OK;
}

uint64_t hb_packing_ciphertexts(const hb_packing *packing)
{
    const tiling t = tiling_of(packing);
    return t.down * t.across;
}

uint64_t hb_packing_across(const hb_packing *packing)
{
    return tiling_of(packing).across;
}

hb_rectangle hb_packing_cells(const hb_packing *packing, uint64_t i)
{
    const tiling t = tiling_of(packing);
    HB_ASSERT(i < t.down * t.across);
    return tiles(packing, &t, i, 1, 1);
}

size_t hb_packing_stride(const hb_packing *packing, const hb_rectangle *cells)
{
    return (size_t)(packing->block > 0 ? packing->block : cells->columns);
}

uint64_t hb_packing_least_block(uint64_t columns)
{
    uint64_t block = 1;
    while (block < columns && block != 0) {
        block *= 2;
    }
    return block;
}

uint64_t hb_packing_run(const hb_packing *packing, uint64_t i, uint64_t most, hb_rectangle *cells)
{
    const tiling t = tiling_of(packing);
    HB_ASSERT(i < t.down * t.across && most >= 1);
    const uint64_t row = i / t.across, column = i % t.across;
    /* A run is a rectangle only if it is part of one row of tiles, or some whole rows of tiles. */
    const bool whole_rows = column == 0 && most >= t.across;
    const uint64_t tall = whole_rows ? least(most / t.across, t.down - row) : 1;
    const uint64_t wide = whole_rows ? t.across : least(most, t.across - column);
    *cells = tiles(packing, &t, i, tall, wide);
    return tall * wide;
}
