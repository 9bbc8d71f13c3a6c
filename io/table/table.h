/* Plain tables of integers or of reals: HDF5 datasets ("file.h5:/path", any integer type, or any floating-point type
 * where reals are read, 1-D or 2-D) and CSV with a header line ("file.csv"). Reals may be complex: all cells of an HDF5
 * dataset whose type is a compound of floating-point numbers r and i (or real and imag), as h5py has it, or columns of
 * a CSV in which a number has a part with i or j, 1.5-2j. Rank-local; no function here is collective. */
#ifndef HB_IO_TABLE_TABLE_H
#define HB_IO_TABLE_TABLE_H

#include "io/base/packing.h"
#include "io/base/schema.h"
#include "reading.h"

/* The names of tables that are read as one, in this order. Each is a table, or a pattern with *, ? and [] in the
 * name of its file, which stands for all files that it matches, in the order of their bytes; a file of just that
 * name is no pattern. A view. */
typedef struct hb_table_list {
    const char *const *name; /* [count], borrowed; at least one */
    size_t count;
} hb_table_list;
static inline hb_table_list hb_table_list_of(const char *const *name)
{
    return (hb_table_list){name, 1};
}

/* A table that was opened for reading. */
typedef struct hb_table hb_table;

/* Opens a table for reading, or those of a pattern as one (hb_table_list), as cells of that type (as wide ones,
 * integers of up to 128 bits), and finds its schema; a CSV is scanned once, whole, for its rows, where they begin
 * and the sign of its columns. As reals, integers are converted, and decimals are the nearest double. The caller
 * closes *out. HB_EUSAGE when `name` is neither form; HB_ENOINPUT when the file or dataset is missing; HB_EDATA
 * (naming row and column, rows counted from 1) for empty fields, ragged rows, what is no number, numbers that 64
 * bits, or 128, do not hold, and fractions read as integers; HB_EUNAVAILABLE when the process that reads HDF5
 * tables cannot be started. */
hb_status hb_table_open(const char *name, hb_cell_type cells, hb_table **out);
/* The same of what is said of the table: other columns are not read, meanings are those that are said, and cells that
 * are missing are refused, or dropped with their rows, or read as another value. Of a CSV all columns are looked at
 * before it is refused, with one message. *reading is not needed afterwards. HB_EUSAGE also for columns that the table
 * does not have, and for what kinds of tables other than CSV do not know. */
hb_status hb_table_open_as(const char *name, hb_cell_type cells, const hb_reading *reading, hb_table **out);
/* The same of all tables of a list, as one. */
hb_status hb_table_open_list(hb_table_list list, hb_cell_type cells, const hb_reading *reading, hb_table **out);
/* Returns the schema, which lives as long as the table is open. */
const hb_schema *hb_table_schema(const hb_table *table);
/* Reads the rectangle, which lies inside the table, into values [rows][hb_schema_words of its columns], row-major, as
 * 64-bit words: two's complement in signed columns, doubles of reals, all of them finite, two of complex ones. Any
 * number of threads may call it; some kinds of table serve them one after another (CSV; HDF5 with chunks, filters or
 * other types than C has). Returns HB_EDATA, naming row and column, for what is not finite, and when the file was
 * changed since it was opened; lines appended to a CSV are no change, and not read. */
hb_status hb_table_read(hb_table *table, const hb_rectangle *cells, uint64_t *values);
void hb_table_close(hb_table *table);

/* Returns what an HDF5 file says beside numbers of tables, as JSON, which the caller frees: of the root, and of each
 * group in it, an object of attributes (texts, numbers, lists of them) and members; a dataset of strings is a list, one
 * of anything else {"file": "FILE:/PATH"}. None of it is checked but for its size: 8 MiB. HB_ENOINPUT when there is no
 * such file; HB_EDATA when HDF5 refuses it or crashes, and for attributes and groups of other kinds; HB_EUNAVAILABLE,
 * HB_ENOMEM. */
hb_status hb_table_outline(const char *file, char **json);

/* A table being written. One rank calls hb_table_create, which makes NAME.partial (mode 0600: decrypted data) at its
 * full length; then any number of ranks join it and write disjoint rectangles, from any number of threads; all of them
 * sync; when all have, the creator commits. A CSV goes through a binary scratch file beside the output,
 * NAME.partial.raw, and is formatted at commit. A crash before the renaming leaves nothing under NAME. */
typedef struct hb_table_writer hb_table_writer;
/* Open a writer for a table of this schema, which they copy; the caller closes *out. Reals are written as doubles, in a
 * CSV with as many digits as read as the same double (io/base/real_text.h). A pair is not written: see
 * hb_schema_unpair. hb_table_create is refused with
 * HB_ECREATE when NAME exists, unless `force`, or another job is writing it; hb_table_join when the creator's file is
 * not there, and with HB_EDATA when it is of another shape. HB_EUSAGE, HB_EIO, HB_ENOMEM. */
hb_status hb_table_create(const char *name, const hb_schema *schema, bool force, hb_table_writer **out);
/* What of a table is written: rows row .. row + rows, from 0, and these columns, each once, in this order. */
typedef struct hb_table_view {
    uint64_t row, rows;
    const uint64_t *columns; /* [count], borrowed while a writer is opened */
    uint64_t count;
} hb_table_view;
/* The same for part of a table, of which hb_table_write is still told all; `view` NULL: all of it. Those that join say
 * the same as the creator. HB_EUSAGE for rows and columns that the table has not.
 *
 * A schema with groups (io/base/grouping.h) is told the one row that the dataset has, and what is written is the table
 * that it stands for, all of it at the commit; `view` is of that table. In HDF5, whose datasets have one type, keys and
 * sums are doubles where means are among them. */
hb_status hb_table_create_view(const char *name, const hb_schema *schema, const hb_table_view *view, bool force,
                               hb_table_writer **out);
hb_status hb_table_join(const char *name, const hb_schema *schema, const hb_table_view *view, hb_table_writer **out);
/* Returns whether a table of this name, `-` or `/dev/stdout`, goes to standard output: as CSV, from memory, all at once
 * when it is committed, so that nothing is written of one that fails. One rank alone can write such a table, of at most
 * 2 GiB as words; HB_EUSAGE of larger ones. */
bool hb_table_is_stdout(const char *name);
/* Makes the schema of the part of a table, which has no groups. HB_ENOMEM. The caller clears *to. */
hb_status hb_table_choose_columns(const hb_schema *from, const hb_table_view *view, hb_schema *to);
/* Returns the schema of what hb_table_write is told: that which the writer was opened with, but that for an HDF5
 * dataset all columns are complex where one is. */
const hb_schema *hb_table_writer_schema(const hb_table_writer *writer);
/* Takes the space of all cells, as hb_reserve (io/base/durable.h). In any thread, beside writing. HB_EIO when there is
 * too little. */
hb_status hb_table_reserve(const hb_table_writer *writer);
/* Writes a rectangle that lies inside the table; values as in hb_table_read. HB_EDATA when one does not fit its cell;
 * HB_EIO. */
hb_status hb_table_write(hb_table_writer *writer, const hb_rectangle *cells, const uint64_t *values);
/* Brings everything that this rank wrote to the disk. HB_EIO. */
hb_status hb_table_sync(hb_table_writer *writer);
/* Reads whole rows of what was written back, from row `row` of the view on, where that has cells of 64 bits: of
 * unsigned integers of 8 bytes, or of a text. For the creator alone, after every rank has synced. HB_EIO. */
hb_status hb_table_read_back(const hb_table_writer *writer, uint64_t row, uint64_t rows, uint64_t *values);
/* Gives the table its name. For the creator alone, after every rank has synced. HB_ECREATE when another job has
 * replaced what was written, or NAME exists by now without `force`; HB_EIO. */
hb_status hb_table_commit(hb_table_writer *writer);
/* Closes; a creator that has not committed removes what it made. NULL is allowed. */
void hb_table_writer_close(hb_table_writer *writer);

/* Returns HB_ECREATE, or HB_EUSAGE, unless `name` could be created now: its form, the folder, what is there. For the
 * plan: it makes nothing and promises nothing. */
hb_status hb_table_probe(const char *name, bool force);

/* Splits "file.h5:/path" into *file and *dataset, "file.csv" into *file and NULL; the caller frees both. HB_EUSAGE for
 * anything else. */
hb_status hb_table_name_split(const char *name, char **file, char **dataset);

/* Tables that are read as one: names of them, owned. */
typedef struct hb_table_names {
    size_t count;
    char **name;
} hb_table_names;
enum { HB_MOST_TABLES = 1 << 14 };
/* Finds the tables that a list stands for, without patterns. The caller clears *names, which is empty after a failure.
 * HB_EUSAGE as hb_table_name_split, and for more than HB_MOST_TABLES; HB_ENOINPUT for a pattern that no file has;
 * HB_ENOMEM. */
hb_status hb_table_names_find(hb_table_list list, hb_table_names *names);
/* Adds to a list the files, or folders, that a pattern matches, in the order of their bytes, each with `behind` behind
 * it; a file of just that name is no pattern. HB_ENOINPUT, HB_ENOMEM. */
hb_status hb_table_names_add(hb_table_names *names, const char *file, const char *behind);
void hb_table_names_clear(hb_table_names *names);

#endif
