/* Plain tables of integers: HDF5 datasets ("file.h5:/path", any integer type, 1-D or 2-D) and CSV with a header line
 * ("file.csv"). Rank-local; no function here is collective. */
#ifndef HB_TABLE_H
#define HB_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packing.h"
#include "status.h"

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
/* HB_EDATA, naming the place but not the name, unless every name is UTF-8, not empty, and another one: what a dataset or
 * an expression makes of others is not what their owner meant. `table` is for messages. Without names: HB_OK. */
hb_status hb_schema_check_names(const hb_schema *schema, const char *table);
hb_status hb_schema_copy(hb_schema *to, const hb_schema *from);
void hb_schema_clear(hb_schema *schema);

typedef struct hb_table hb_table;

/* Opens a table for reading and finds its schema; CSV is scanned once, whole, for its rows, its row offsets and the
 * sign of its columns. HB_EUSAGE when `name` is neither form; HB_ENOINPUT when the file or dataset is missing; HB_EDATA
 * (naming row and column, rows counted from 1) for floats, empty fields, ragged rows, values outside 64 bits. */
hb_status hb_table_open(const char *name, hb_table **out);
const hb_schema *hb_table_schema(const hb_table *table);
/* Any number of threads, which some kinds of table serve one after another (CSV; HDF5 with chunks, filters or other
 * types than C has). cells: [rows][columns] of the rectangle, row-major, as 64-bit two's complement or unsigned by
 * column. HB_EDATA when the file was changed since it was opened; lines appended to a CSV are no change, and not
 * read. */
hb_status hb_table_read(hb_table *table, const hb_rectangle *cells, uint64_t *values);
void hb_table_close(hb_table *table);

/* Writing: one rank calls _create, which makes NAME.partial (mode 0600: decrypted data) at its full length; then any
 * number of ranks _join it and write disjoint rectangles, from any number of threads; all sync; when all have, the
 * creator commits. Refused with HB_ECREATE when the final file exists, unless `force`. CSV goes through a binary
 * scratch file beside the output and is formatted at commit. */
typedef struct hb_table_writer hb_table_writer;
hb_status hb_table_create(const char *name, const hb_schema *schema, bool force, hb_table_writer **out);
hb_status hb_table_join(const char *name, const hb_schema *schema, hb_table_writer **out);
/* Takes the space of all cells, as hb_reserve (durable.h). In any thread, beside writing. */
hb_status hb_table_reserve(const hb_table_writer *writer);
hb_status hb_table_write(hb_table_writer *writer, const hb_rectangle *cells, const uint64_t *values);
/* Everything this rank wrote is on the disk. */
hb_status hb_table_sync(hb_table_writer *writer);
/* Creator only, after every rank has synced: renames to the final name. */
hb_status hb_table_commit(hb_table_writer *writer);
/* Closes; the creator that has not committed removes what it made. NULL allowed. */
void hb_table_writer_close(hb_table_writer *writer);

/* Checks that `name` could be created now: form, directory writable, not there unless `force`. For the plan. */
hb_status hb_table_probe(const char *name, bool force);

/* Splits "file.h5:/path"; HB_EUSAGE otherwise. Both parts are allocated. For CSV *dataset is NULL. */
hb_status hb_table_name_split(const char *name, char **file, char **dataset);

#endif
