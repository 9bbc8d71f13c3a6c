/* Warnings about the way in which a plain table is read. */
#ifndef HB_BATCH_CELLS_TABLE_NOTES_H
#define HB_BATCH_CELLS_TABLE_NOTES_H

#include "cli/console.h"
#include "io/table/table.h"
#include "mpi/group/group.h"

/* A table to note things of. */
typedef struct hb_table_to_note {
    const char *name; /* the table's */
    const hb_table *table;
    const char *folded; /* what --fold was given for; NULL: nothing */
} hb_table_to_note;
/* Says, on rank 0, the notes about a table's columns (hb_table_note): one line a column and kind, for the first few
 * columns. All are warnings, but for spellings that decrypt replaces, which are lines of the log. HB_ENOMEM. */
hb_status hb_table_notes_say(const hb_group *group, const hb_common *common, const hb_table_to_note *of);

#endif
