/* The columns of a table by their names: options and expressions may name very many of very many. */
#ifndef HB_TABLE_COLUMN_NAMES_H
#define HB_TABLE_COLUMN_NAMES_H

#include "base/hash.h"
#include "schema.h"

typedef struct hb_column_names {
    const hb_schema *schema; /* borrowed */
    hb_index_table table;
    bool *twin; /* [columns] a later column has this name, too; owned */
} hb_column_names;

/* HB_ENOMEM. The caller clears, also after a failure; a zeroed one may be cleared. */
hb_status hb_column_names_init(hb_column_names *names, const hb_schema *schema);
void hb_column_names_clear(hb_column_names *names);
/* Returns the first column of that name, and in *several whether there are more; the number of columns: there is none,
 * or columns have no names. */
uint64_t hb_column_names_find(const hb_column_names *names, const char *name, bool *several);

#endif
