/* Surveys a plain table that an expression reads: the least and the greatest value of each column, and its numbers.
 * Rank-local. */
#ifndef HB_BATCH_CELLS_PLAIN_LOOK_H
#define HB_BATCH_CELLS_PLAIN_LOOK_H

#include "io/table/table.h"
#include "lang/program/interval.h"
#include "lang/program/number.h"

/* Returns whether a table is small enough to be looked at, as it is read once more: it has at most 2^20 cells, and 2^24
 * where its numbers may be weights. */
bool hb_plain_is_small(const hb_schema *schema, bool weights);

/* Looks at a small table, some MiB of it at a time. columns [columns of the schema] gets the range of each column;
 * unknown where a value is above 2^63 - 1 and the cells have one word. numbers, unless it is NULL, gets the cells
 * [rows * columns] as constants for expressions. The caller wipes and frees them, also after a failure, as they are
 * plaintext. HB_ENOMEM, naming `path`; failures of hb_table_read. */
hb_status hb_plain_look(hb_table *table, const char *path, hb_interval *columns, hb_number **numbers);

#endif
