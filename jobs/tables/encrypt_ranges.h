/* Ranges of the values of a table that is encrypted: declared by the user, or measured. They are public afterwards, as
 * the header of the dataset has them. */
#ifndef HB_TABLES_ENCRYPT_RANGES_H
#define HB_TABLES_ENCRYPT_RANGES_H

#include "expression/program/range.h"
#include "io/table/table.h"
#include "mpi/group/group.h"

/* What --range says. Zeroed: no ranges. */
typedef struct hb_encrypt_ranges {
    bool measured;      /* the ranges are to be measured; nothing is declared then */
    hb_range *declared; /* [count], owned */
    uint32_t count;
} hb_encrypt_ranges;

/* Reads "measured", or ranges of columns (hb_ranges_parse_columns); NULL means none. The caller clears *ranges.
 * HB_EUSAGE, HB_ENOMEM. */
hb_status hb_encrypt_ranges_parse(const char *text, hb_encrypt_ranges *ranges);
void hb_encrypt_ranges_clear(hb_encrypt_ranges *ranges);

/* Puts declared ranges into the columns of the schema, as far as the type of a column has their values. Returns
 * HB_EUSAGE for a column that the table does not have, and for ends that are no integers where values are; HB_EDATA for
 * a range that these parameters do not hold. Rank-local. */
hb_status hb_encrypt_ranges_declare(const hb_encrypt_ranges *ranges, hb_schema *schema, const hb_params_spec *spec);
/* Reads all of the table, each rank its rows, and puts the least and the most of each column that has no range into the
 * schema of every rank; of reals each end moved outwards to a power of two, or to 0, so that no value becomes public:
 * 16 .. 128 of values from 20 to 90. What is complex, or a pair, has -R .. R, R a power of two that no modulus exceeds.
 * A column with values that these parameters do not hold gets no range: encrypting refuses those. `table` has that
 * schema. Collective. */
hb_status hb_encrypt_ranges_measure(hb_group *group, hb_table *table, hb_schema *schema, const hb_params_spec *spec);

#endif
