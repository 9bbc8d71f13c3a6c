/* Reports every way in which a plain table is not read as it stands: rows left out, cells read as another value, empty
 * lines; and how many cells masks tell. */
#ifndef HB_BATCH_CELLS_TABLE_MISSING_H
#define HB_BATCH_CELLS_TABLE_MISSING_H

#include "cli/console.h"
#include "cli/report.h"
#include "io/table/table.h"

/* Prints a line for each kind, as log or as results; nothing for a table that is read as it stands. */
void hb_table_missing_print(const hb_group *group, const hb_common *common, const hb_table *table, bool results);
/* Returns {"rows_there", "rows_left_out", "cells_replaced", "cells_masked", "empty_lines", "column": [{"name",
 * "rows_left_out", "cells_replaced", "cells_masked"}, ...]}; "column" has only columns with missing cells. Null for
 * NULL, and when out of memory. */
json_t *hb_table_missing_json(const hb_table *table);
/* Prints the gap of the comparisons of reals that a dataset was made by; nothing for 0. */
void hb_threshold_gap_print(const hb_group *group, const hb_common *common, double gap, bool results);
/* Prints, as a result or as log, how many rows of a dataset's table were left out, and the gap of the comparisons of
 * reals that made it; nothing where there are none. */
void hb_left_out_print(const hb_group *group, const hb_common *common, const hb_schema *schema, bool results);
/* Returns {"rows": R, "of": ALL} for a dataset; null where no row was left out. */
json_t *hb_left_out_json(const hb_schema *schema);
/* Returns the gap of the comparisons of reals that a dataset was made by; NULL where there are none. */
json_t *hb_threshold_gap_json(const hb_schema *schema);

#endif
