/* Columns of plain tables that the compiler reads whole, for conditions that are computed in the clear. Rank-local. */
#ifndef HB_BATCH_PLAIN_COLUMNS_H
#define HB_BATCH_PLAIN_COLUMNS_H

#include "expression/program/program.h"
#include "io/table/table.h"

/* A source of a table: each column is read once, when it is first asked for. */
typedef struct hb_plain_columns {
    hb_plain_source source; /* the first member */
    hb_table *table;        /* borrowed, as are ... */
    const char *path;       /* ... this and its schema */
    hb_plain_cell **column; /* [columns of the table], owned, NULL of those that nobody asked for */
} hb_plain_columns;

/* Makes a source of a table, which must stay open. HB_ENOMEM. Clear wipes, and allows a zeroed struct. */
hb_status hb_plain_columns_init(hb_plain_columns *columns, hb_table *table, const char *path);
void hb_plain_columns_clear(hb_plain_columns *columns);

#endif
