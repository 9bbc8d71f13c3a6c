/* Ranges of the values of a table that is encrypted: declared by the user, or measured. They are public afterwards: the
 * header of the dataset has them. */
#ifndef HB_TABLES_ENCRYPT_RANGES_H
#define HB_TABLES_ENCRYPT_RANGES_H

#include "expression/program/range.h"
#include "io/table/table.h"
#include "mpi/group/group.h"

typedef struct hb_encrypt_ranges {
    bool measured;
    hb_range *declared; /* [count], owned */
    uint32_t count;
} hb_encrypt_ranges;

/* "measured", or ranges of columns (hb_ranges_parse_columns); NULL: none. HB_EUSAGE. */
hb_status hb_encrypt_ranges_parse(const char *text, hb_encrypt_ranges *ranges);
void hb_encrypt_ranges_clear(hb_encrypt_ranges *ranges);

/* Declared ranges into the columns of the schema: what of them the type of a column can have. HB_EUSAGE for a column
 * that the table does not have; HB_EDATA for a range that t does not hold. */
hb_status hb_encrypt_ranges_declare(const hb_encrypt_ranges *ranges, hb_schema *schema, uint64_t t);
/* Collective: reads all of the table, each rank its rows, and puts the least and the most of each column into the
 * schema of every rank; of a column with values that t does not hold, nothing: encrypting refuses those. `table` is of
 * that schema. */
hb_status hb_encrypt_ranges_measure(hb_group *group, hb_table *table, hb_schema *schema, uint64_t t);

#endif
