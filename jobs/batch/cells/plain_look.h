/* Surveys a plain table that an expression reads: the least and the greatest value of each column, and its numbers.
 * Rank-local. */
#ifndef HB_BATCH_CELLS_PLAIN_LOOK_H
#define HB_BATCH_CELLS_PLAIN_LOOK_H

#include "io/table/table.h"
#include "lang/program/interval.h"
#include "lang/program/number.h"

/* Returns whether a table is small enough to be looked at, at most 2^20 cells, as it is read once more. */
bool hb_plain_is_small(const hb_schema *schema);

/* Looks at a small table. columns [columns of the schema] gets the values of each column; one is not known where some
 * value is above 2^63 - 1 and the cells have one word. numbers, unless it is NULL, gets the cells [rows * columns] as
 * numbers of which expressions make constants; the caller frees them, also after a failure, and wipes them first, as
 * they are plaintext. HB_ENOMEM, naming `path`; failures of hb_table_read. */
hb_status hb_plain_look(hb_table *table, const char *path, hb_interval *columns, hb_number **numbers);

#endif
