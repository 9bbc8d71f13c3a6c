/* Which rows and columns of a table the command line asks for, and which units of a dataset have some of them. */
#ifndef HB_TABLES_SELECTION_H
#define HB_TABLES_SELECTION_H

#include "batch/unit_map.h"
#include "io/table/table.h"

/* What is asked for; a zeroed one asks for all. */
typedef struct hb_selection {
    hb_table_view view;
    uint64_t *columns; /* of the view; owned */
    bool some;         /* not all rows and columns are asked for */
} hb_selection;

/* Reads words such as 5 and 1..100, rows from 1, and lists of columns, by their names, "in quotes" where they need
 * them, or by their numbers from 1; NULL: all. `schema`: of the plain table that is shown. HB_EUSAGE for what is none
 * and for what the table has not; HB_ENOMEM. The caller clears *selection. */
hb_status hb_selection_read(const char *rows, const char *columns, const hb_schema *schema, hb_selection *selection);
void hb_selection_clear(hb_selection *selection);
/* Returns what a writer is told; NULL: all. */
const hb_table_view *hb_selection_view(const hb_selection *selection);
/* Returns in *mine this rank's share of the units that hold a cell that is asked for, divided over `peers`. The
 * selection is of the header's table, with two columns for a pair. The caller clears *mine. HB_ENOMEM. */
hb_status hb_selection_units(const hb_selection *selection, const hb_header *header, const hb_group *peers,
                             hb_units *mine);

#endif
