/* Plain tables of integers: HDF5 datasets ("file.h5:/path", any integer type, 1-D or 2-D) and CSV with a header line
 * ("file.csv"). Rank-local; no function here is collective. */
#ifndef HB_IO_TABLE_TABLE_H
#define HB_IO_TABLE_TABLE_H

#include "io/base/packing.h"
#include "io/base/schema.h"

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
/* Takes the space of all cells, as hb_reserve (io/base/durable.h). In any thread, beside writing. */
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
