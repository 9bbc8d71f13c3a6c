/* What the rows and columns of a table are, as it stands in a plain file or in a dataset. */
#ifndef HB_IO_BASE_SCHEMA_H
#define HB_IO_BASE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Longest name of a column, in bytes: names are stored as fixed-length strings. */
#define HB_COLUMN_NAME_MAX 255

typedef struct hb_column {
    char *name;     /* "" where the source names none; owned by the schema */
    bool is_signed; /* CSV: true iff the column holds a negative value; HDF5: as the type */
    /* Of the columns of a ciphertext dataset; nothing is known of a plain table's: */
    bool ranged;          /* all values lie in [least, most], */
    uint64_t least, most; /* two's complement if the column is signed; else 0 */
    bool may_wrap;        /* computed, and nobody has shown that the results are less than t: they may be wrong */
} hb_column;
/* Does the column hold such a value, which has its sign? What is not known to be outside lies inside. */
bool hb_column_holds(const hb_column *column, uint64_t value);

/* What decrypting gives back. */
typedef struct hb_schema {
    uint64_t rows, columns;
    uint32_t rank;  /* 1 or 2 dimensions of the dataset (CSV: 2) */
    uint32_t width; /* bytes of the integer type: 1, 2, 4, 8 (CSV: 8) */
    bool big_endian;
    bool named;        /* columns have names */
    hb_column *column; /* [columns]; owned */
} hb_schema;

/* Whether a name is a number, as 34, -1.5, 2020-01-31 or 12:30 are. */
bool hb_name_is_number(const char *name);
/* Whether messages may show names of columns. Not where one of them is a number: a CSV without a line of names gives
 * its first row in their place, which is plaintext, and messages end in logs. */
bool hb_columns_show_names(const hb_column *column, uint64_t count);
/* HB_EDATA, naming the place but not the name, unless every name is UTF-8, not empty, and another one: what a dataset
 * or an expression makes of others is not what their owner meant. `table` is for messages. Without names: HB_OK. */
hb_status hb_schema_check_names(const hb_schema *schema, const char *table);
/* Allocates `columns` empty names; HB_ENOMEM. Rows and columns of the schema are set. */
hb_status hb_schema_alloc(hb_schema *schema, uint64_t rows, uint64_t columns);
hb_status hb_schema_copy(hb_schema *to, const hb_schema *from);
void hb_schema_clear(hb_schema *schema);
/* "b", or "2" where column 1 (counted from 0) has no name: for messages. */
#define HB_COLUMN_LABEL 64
void hb_column_label(char label[HB_COLUMN_LABEL], const hb_schema *schema, uint64_t column);

#endif
