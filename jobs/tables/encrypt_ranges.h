/* Ranges of the values of a table to encrypt: declared by the user, or measured. They become public, as the dataset's
 * header has them. */
#ifndef HB_TABLES_ENCRYPT_RANGES_H
#define HB_TABLES_ENCRYPT_RANGES_H

#include "batch/job/job.h"
#include "io/table/table.h"
#include "lang/program/range.h"

/* The argument of --range. Zeroed: no ranges. */
typedef struct hb_encrypt_ranges {
    bool measured;      /* the ranges are to be measured; nothing is declared then */
    hb_range *declared; /* [count], owned */
    uint32_t count;
} hb_encrypt_ranges;

/* Puts ranges into the columns of the schema: ranges that follow from the meaning alone, of digits and, in schemes of
 * reals, of labels and truth values; and the declared ranges. A column of integers is then signed exactly where its
 * range goes below 0, for any type of its cells; for labels, truth values and digits a declared range is cut to the
 * possible numbers (hb_column_domain). Returns HB_EUSAGE for a column that the table does not have, and for fractional
 * ends where values are integers; HB_EDATA for a range that these parameters do not hold, or in which no value of the
 * column can lie. Rank-local. */
hb_status hb_encrypt_ranges_declare(const hb_encrypt_ranges *ranges, hb_schema *schema, const hb_params_spec *spec);
/* Returns HB_EDATA, naming the column, where these parameters do not hold a range of integers. */
hb_status hb_encrypt_ranges_check(hb_interval range, bool is_signed, const hb_schema *schema, uint64_t column,
                                  const hb_params_spec *spec);
/* Gives a column of integers without a range the range of its type, if that has fewer than 8 bytes and these parameters
 * hold it: encrypting has checked every value against it. */
void hb_encrypt_ranges_of_type(hb_schema *schema, const hb_params_spec *spec);
/* Widens the type of a table of integers so that it holds all columns, as a dataset in HDF5 has one type; a column
 * without a range then gets the range of its former type. */
void hb_encrypt_ranges_fit_type(hb_schema *schema, const hb_params_spec *spec);
/* Measures the ranges of columns that have none: reads the whole table, each rank its rows, and puts the least and the
 * greatest value of a column into the schema of every rank. Labels, truth values and digits need no measuring: their
 * meaning says their range. Each end of a range of reals is moved outwards to a power of two, or to 0, so that no value
 * becomes public: values from 20 to 90 give 16 .. 128. A complex column, or a pair, gets -R .. R, where R is a power of
 * two that no modulus exceeds. A column with values that these parameters do not hold gets no range: encrypting refuses
 * the values. `table` has that schema. Collective. */
hb_status hb_encrypt_ranges_measure(hb_group *group, hb_table *table, hb_schema *schema, const hb_params_spec *spec);
/* Does so for the table of an encryption without --append; for a later residue it takes what an earlier one found.
 * Collective. */
hb_status hb_encrypt_ranges_measure_once(const hb_job *job, hb_table *table, hb_schema *schema);

#endif
