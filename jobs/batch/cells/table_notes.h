/* Warnings about the way in which a plain table is read. */
#ifndef HB_BATCH_CELLS_TABLE_NOTES_H
#define HB_BATCH_CELLS_TABLE_NOTES_H

#include "io/table/table.h"
#include "mpi/group/group.h"

/* Warns, on rank 0, about numbers that lose leading zeros, and about labels that look alike (hb_table_note): one line a
 * column, for the first few columns. `name` is the table's. HB_ENOMEM. */
hb_status hb_table_notes_say(const hb_group *group, const char *name, const hb_table *table);

#endif
