#include "part_cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void make_digest(hb_part_cells *cells, const hb_header *dataset, const hb_part_facts *facts)
{
    const uint64_t columns = dataset->schema.columns;
    uint8_t header[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_header_digest(header, dataset);
    hb_digest_begin(&state, "hebatch cells");
    hb_digest_add(&state, header, sizeof header);
    hb_digest_add_u64(&state, cells->row);
    hb_digest_add_u64(&state, cells->rows);
    hb_digest_add_u64(&state, facts->some ? facts->columns : columns);
    for (uint64_t i = 0; i < (facts->some ? facts->columns : columns); i++) {
        hb_digest_add_u64(&state, facts->some ? facts->column[i] : i);
    }
    hb_digest_end(&state, cells->digest);
}

hb_status hb_part_cells_init(hb_part_cells *cells, const hb_header *dataset, const hb_part_facts *facts)
{
    const uint64_t columns = dataset->schema.columns;
    *cells = (hb_part_cells){.packing = hb_header_packing(dataset),
                             .row = facts->some ? facts->row : 0,
                             .rows = facts->some ? facts->rows : dataset->schema.rows};
    cells->column = calloc((size_t)columns + 1, sizeof *cells->column);
    if (cells->column == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", columns);
    }
    for (uint64_t c = 0; c < columns; c++) {
        cells->column[c] = !facts->some;
    }
    for (uint64_t i = 0; facts->some && i < facts->columns; i++) {
        cells->column[facts->column[i]] = true;
    }
    make_digest(cells, dataset, facts);
    return HB_OK;
}

void hb_part_cells_clear(hb_part_cells *cells)
{
    free(cells->column);
    memset(cells, 0, sizeof *cells);
}

bool hb_part_cells_strays(const hb_part_cells *cells, uint64_t i, uint64_t *strays, size_t words)
{
    const hb_rectangle of = hb_packing_cells(&cells->packing, i);
    const size_t stride = hb_packing_stride(&cells->packing, &of);
    size_t left = words;
    for (size_t k = 0; k < words; k++) {
        strays[k] = 1;
    }
    for (uint64_t r = 0; r < of.rows; r++) {
        for (uint64_t c = 0; c < of.columns; c++) {
            if (hb_part_cells_have(cells, of.row + r, of.column + c)) {
                strays[r * stride + c] = 0;
                left--;
            }
        }
    }
    return left > 0;
}
