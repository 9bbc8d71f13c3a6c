/* The types of a decrypted table's columns, for readers of its CSV, which has no types. */
#ifndef HB_TABLES_TABLE_COLUMNS_H
#define HB_TABLES_TABLE_COLUMNS_H

#include <jansson.h>

#include "selection.h"

/* Returns a list with an object for each column of the CSV, in order: `name` as in the file, `kind` ("integer",
 * "decimal", "real", "complex", "boolean", "category" or "date"), and `scale` for decimals. `schema` describes the
 * whole table as it is shown, and the selection refers to it. NULL: no memory. The caller releases the list. */
json_t *hb_table_columns_json(const hb_schema *schema, const hb_selection *selection);

#endif
