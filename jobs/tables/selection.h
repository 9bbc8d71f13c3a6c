/* The rows and columns of a table that the command line selects, and the units of a dataset that contain some of
 * them. */
#ifndef HB_TABLES_SELECTION_H
#define HB_TABLES_SELECTION_H

#include "batch/job/unit_map.h"
#include "io/table/table.h"

/* The selection; a zeroed one selects everything. */
typedef struct hb_selection {
    hb_table_view view;
    uint64_t *columns; /* of the view; owned */
    bool some;         /* not all rows and columns are selected */
} hb_selection;

/* Parses rows such as 5 and 1..100, from 1, and lists of columns, by their names, "in quotes" where they need them, or
 * by their numbers from 1; NULL: all. `schema`: of the plain table that is shown. HB_EUSAGE for malformed words and for
 * rows and columns that the table does not have; HB_ENOMEM. The caller clears *selection. */
hb_status hb_selection_read(const char *rows, const char *columns, const hb_schema *schema, hb_selection *selection);
void hb_selection_clear(hb_selection *selection);
/* Returns the view for a writer; NULL: all. */
static inline const hb_table_view *hb_selection_view(const hb_selection *selection)
{
    return selection->some ? &selection->view : NULL;
}
/* Returns in *mine this rank's share of the units with a selected cell, divided over `peers`. The selection is of the
 * header's table, with two columns for a pair. The caller clears *mine. HB_ENOMEM. */
hb_status hb_selection_units(const hb_selection *selection, const hb_header *header, const hb_group *peers,
                             hb_units *mine);

#endif
