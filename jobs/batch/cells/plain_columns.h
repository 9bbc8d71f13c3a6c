/* Whole columns of plain tables, for the values that the compiler computes from them in the clear. Rank-local. */
#ifndef HB_BATCH_CELLS_PLAIN_COLUMNS_H
#define HB_BATCH_CELLS_PLAIN_COLUMNS_H

#include "io/table/table.h"
#include "lang/program/program.h"

/* The columns of a table. Each is read once, when it is first asked for. */
typedef struct hb_plain_columns {
    hb_plain_source source; /* the first member */
    hb_table *table;        /* borrowed, as are ... */
    const char *path;       /* ... this and its schema */
    hb_plain_cells *column; /* [columns of the table], and their cells, owned; without cells: not read */
} hb_plain_columns;

/* Makes a source of a table, which must stay open. HB_ENOMEM. Clear wipes, and allows a zeroed struct. */
hb_status hb_plain_columns_init(hb_plain_columns *columns, hb_table *table, const char *path);
void hb_plain_columns_clear(hb_plain_columns *columns);
/* Returns the bytes that all that were read take. */
uint64_t hb_plain_columns_bytes(const hb_plain_columns *columns);

#endif
