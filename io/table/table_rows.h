/* Rows of a table that are read cell by cell, from any kind of source: which rows are left out, which values replace
 * missing cells, and the types of columns after all cells were seen. */
#ifndef HB_IO_TABLE_TABLE_ROWS_H
#define HB_IO_TABLE_TABLE_ROWS_H

#include "csv_columns.h"
#include "table_private.h"

typedef struct hb_table_rows {
    hb_table *base;            /* the table that this belongs to, whose schema and gaps are filled; borrowed */
    const hb_reading *reading; /* borrowed while the table is opened */
    hb_csv_context context;    /* how to read cells; owns its spelling */
    char *all_na;              /* texts that mean missing cells in all columns (--na); owned, and so are ... */
    char **na;                 /* ... [columns] those of columns that have their own, else NULL */
    uint64_t columns;          /* columns to read; masks stand behind them in the schema */
    uint64_t *masked;          /* [masks] the column of each mask; NULL: there is none */
    hb_csv_column *column;     /* [columns] */
    hb_csv_cell *cell;         /* [columns] of the current row */
    bool drops;                /* rows with missing cells are left out */
    bool whole;                /* no column can be left out */
} hb_table_rows;

/* Makes an empty struct. HB_ENOMEM. hb_table_rows_clear wipes cells, which are plaintext, and takes a zeroed struct,
 * too. */
hb_status hb_table_rows_init(hb_table_rows *rows, hb_table *base, hb_cell_type cells, const hb_reading *reading);
void hb_table_rows_clear(hb_table_rows *rows);
/* Makes room for the columns of the table's schema, which is allocated. HB_ENOMEM. */
hb_status hb_table_rows_alloc(hb_table_rows *rows);
/* Takes the options for one column; a given meaning becomes the schema's. `texts`: cells are texts; others cannot have
 * declared labels or dates. HB_EUSAGE for a scale that the column cannot have. */
hb_status hb_table_rows_set_column(hb_table_rows *rows, uint64_t column, bool texts);
/* Returns whether the row, whose cells were all read, lacks a cell and is therefore left out. */
bool hb_table_rows_is_dropped(const hb_table_rows *rows);
/* Adds the cells of a row to the findings about columns, and counts missing ones. *dropped: the row is left out, and
 * nothing else was added. `place.row` counts all rows from 1. HB_EDATA for two values that no type holds; HB_ENOMEM. */
hb_status hb_table_rows_note(hb_table_rows *rows, hb_csv_place place, bool *dropped);
/* Returns how many columns from the first on are read for a rectangle: all where it has a mask. */
static inline uint64_t hb_table_rows_needed(const hb_table_rows *rows, const hb_rectangle *cells)
{
    const uint64_t end = cells->column + cells->columns;
    return end < rows->columns ? end : rows->columns;
}
/* Decides the types of columns, after all rows, and adds masks behind them. HB_EDATA, about all unreadable columns;
 * HB_EUSAGE for a replacement of missing cells that its column cannot hold; HB_ENOMEM. */
hb_status hb_table_rows_decide(hb_table_rows *rows);
/* Gives the notes about columns to the table, after types are decided. HB_ENOMEM. */
hb_status hb_table_rows_keep_notes(hb_table_rows *rows);
/* Stores columns of the current row, as row `row` of the table. HB_EDATA where a cell has changed since types were
 * decided. */
hb_status hb_table_rows_put(const hb_table_rows *rows, uint64_t row, uint64_t column, uint64_t columns,
                            uint64_t **values);
/* Returns the error for a row that was right when the table was opened and is wrong now. HB_EDATA. */
hb_status hb_table_rows_changed(const hb_table_rows *rows, uint64_t row);

#endif
