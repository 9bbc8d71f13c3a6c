/* The plain tables of a request: their columns, how many rows they have, and between what their values lie. */
#ifndef HB_SUGGEST_TABLES_H
#define HB_SUGGEST_TABLES_H

#include "expression/program/interval.h"
#include "expression/program/number.h"
#include "io/table/table.h"
#include "suggest.h"

/* Of one name that an expression reads. */
typedef struct hb_ranged_table {
    char *path;           /* as given, owned; NULL: the name has no table */
    hb_schema schema;     /* owned */
    hb_interval *columns; /* [schema.columns] least and most of each; owned */
    hb_number *cells;     /* [rows * columns] of weights; NULL until hb_weights_read; owned, wiped */
} hb_ranged_table;

/* Reads tables[0 .. count), zeroed, of the names reads[0 .. count): the request names them, "a=FILE,b=FILE", or FILE
 * alone where there is one name; a comma begins another table where a name and = follow. Whole tables are read.
 * HB_EUSAGE for what is no such list, a name that is not read, a table given twice; what hb_table_open and _read say;
 * HB_EDATA for values of 63 bits and more, never showing one. hb_ranged_tables_clear also after a failure. */
hb_status hb_ranged_tables_read(hb_ranged_table *tables, char *const *reads, uint32_t count,
                                const hb_suggest_request *request);
/* Reads the numbers of a table that was read before: weights, 2^20 numbers at most, or HB_EDATA. HB_ENOMEM. */
hb_status hb_weights_read(hb_ranged_table *table, const hb_suggest_request *request);
void hb_ranged_tables_clear(hb_ranged_table *tables, uint32_t count);

#endif
