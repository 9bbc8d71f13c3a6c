/* The tables of a request, which will be encrypted or which eval reads as plain tables: their columns, their rows, and
 * the ranges of their values. */
#ifndef HB_SUGGEST_TABLES_H
#define HB_SUGGEST_TABLES_H

#include "batch/cells/plain_columns.h"
#include "io/table/table.h"
#include "lang/program/interval.h"
#include "lang/program/number.h"
#include "suggest.h"

/* The table of one name that an expression reads. */
typedef struct hb_ranged_table {
    char *path;           /* as given, owned; NULL: the name has no table */
    char *selected;       /* the columns to read, as in --columns, owned; NULL: those of the options, or all */
    hb_schema schema;     /* owned */
    hb_interval *columns; /* [schema.columns] least and greatest value of each; owned */
    bool plain;           /* it was said to be a plain table (--plain-table) */
    hb_table *table;      /* open after hb_plain_table_open, or where ranges are declared */
    /* After hb_plain_table_open: */
    hb_plain_columns source; /* for computations from it in the clear, and ... */
    hb_number *cells;        /* [rows * columns] its numbers; NULL where it is too large; owned, wiped */
} hb_ranged_table;

/* Finds the files of tables[0 .. count), zeroed, of the names reads[0 .. count). The request names them:
 * "a=FILE,b=FILE", or FILE alone for a single name; a comma begins another table where a name and = follow. HB_EUSAGE
 * for a malformed list, a name that is not read, and a table given twice. */
hb_status hb_ranged_tables_find(hb_ranged_table *tables, char *const *reads, uint32_t count,
                                const hb_suggest_request *request);
/* Reads tables whose files are found. Whole tables are read; plain ones as hb_plain_table_open has it. Where no option
 * names the columns to read, `selected` does, which the caller sets. HB_EUSAGE for columns that no table has; failures
 * of hb_table_open and hb_table_read; HB_EDATA for values of 63 bits and more, never showing one. Call
 * hb_ranged_tables_clear also after a failure. */
hb_status hb_ranged_tables_read(hb_ranged_table *tables, char *const *reads, uint32_t count,
                                const hb_suggest_request *request);
/* Opens a table that has a path as eval opens a plain table, with the columns that the expression reads, finds schema
 * and columns anew, and keeps its numbers. A table that is too large for eval to look at (hb_plain_is_small) has no
 * known values. HB_EDATA for a table without rows; HB_ENOMEM; failures of hb_table_open and hb_table_read. */
hb_status hb_plain_table_open(hb_ranged_table *table, const hb_suggest_request *request);
/* Refuses a table with a value outside the range that was declared of a column: names the first such row, and no value.
 * HB_EDATA; HB_ENOMEM; failures of hb_table_read. */
hb_status hb_ranged_table_refuse(const hb_ranged_table *table, uint64_t column, hb_interval range);
void hb_ranged_tables_clear(hb_ranged_table *tables, uint32_t count);

#endif
