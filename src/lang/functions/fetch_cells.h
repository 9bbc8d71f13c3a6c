/* Rows of reals that are fetched: sums over the cells of an invertible Bloom lookup table (src/table/iblt.h). */
#ifndef HB_LANG_FUNCTIONS_FETCH_CELLS_H
#define HB_LANG_FUNCTIONS_FETCH_CELLS_H

#include "functions.h"
#include "table/iblt.h"

/* Which rows are fetched: those of a condition, `rows` of all where it is known how many these are. */
typedef struct hb_fetched_selection {
    uint32_t condition; /* encrypted, 0 in slots without rows; HB_NO_NODE: rows are told by ... */
    uint32_t mask;      /* ... this one of plain tables; HB_NO_NODE: all are taken */
    bool none;          /* publicly none is: all sums are a total of 0 */
    bool one_row;       /* values of one row, and their condition: of no others */
    uint64_t rows;      /* selected; of an encrypted condition, all */
} hb_fetched_selection;

/* Makes the sums of all cells: totals [hb_iblt_sums] from nodes [columns] that are 0 in rows that are not selected, for
 * up to `most` rows. HB_EUSAGE for columns of complex numbers or of unknown range; HB_ENOMEM. */
hb_status hb_fetch_cells(hb_lowering *l, const hb_fetched_selection *from, const hb_iblt *table, uint32_t most,
                         const hb_node_list *selected, uint32_t *totals);

#endif
