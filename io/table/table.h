/* Plain tables of integers or of reals: HDF5 datasets ("file.h5:/path", any integer type, or any floating-point type
 * where reals are read, 1-D or 2-D) and CSV with a header line ("file.csv"). Reals may be complex: all cells of an HDF5
 * dataset whose type is a compound of floating-point numbers r and i (or real and imag), as h5py writes it; or columns
 * of a CSV in which a number has a part with i or j, 1.5-2j. Rank-local; no function here is collective. */
#ifndef HB_IO_TABLE_TABLE_H
#define HB_IO_TABLE_TABLE_H

#include "reading.h"
#include "table/packing.h"
#include "table/schema.h"

/* Names of tables that are read as one, in this order. Each is a table, or a pattern with *, ? and [] in its file name,
 * which stands for all matching files, in the order of their bytes; an existing file of exactly that name is no
 * pattern. A view. */
typedef struct hb_table_list {
    const char *const *name; /* [count], borrowed; at least one */
    size_t count;
} hb_table_list;
static inline hb_table_list hb_table_list_of(const char *const *name)
{
    return (hb_table_list){name, 1};
}

/* A table open for reading. */
typedef struct hb_table hb_table;

/* Opens a table for reading, or the tables of a pattern as one (hb_table_list), with cells of that type (wide cells:
 * integers of up to 128 bits), and finds its schema. A CSV is scanned once, completely, for the places of its rows and
 * the signs of its columns. As reals, integers are converted, and decimals become the nearest double. The caller closes
 * *out. HB_EUSAGE when `name` has neither form; HB_ENOINPUT when the file or dataset is missing; HB_EDATA (naming row,
 * column and the line of a CSV, all counted from 1) for empty fields, ragged rows, cells that are no numbers, numbers
 * beyond 64 bits, or 128, and fractions read as integers; HB_EUNAVAILABLE when the process that reads HDF5 tables
 * cannot be started. */
hb_status hb_table_open(const char *name, hb_cell_type cells, hb_table **out);
/* Opens a table with options: other columns are not read, meanings are those given, and missing cells are refused,
 * dropped with their rows, or replaced. A CSV is refused after all columns were checked, with one message. *reading is
 * not needed afterwards. HB_EUSAGE also for columns that the table does not have, and for options that only CSV
 * supports. */
hb_status hb_table_open_as(const char *name, hb_cell_type cells, const hb_reading *reading, hb_table **out);
/* Opens all tables of a list, as one, with options. Errors as of hb_table_open_as. */
hb_status hb_table_open_list(hb_table_list list, hb_cell_type cells, const hb_reading *reading, hb_table **out);
/* Returns the schema, which lives as long as the table is open. */
const hb_schema *hb_table_schema(const hb_table *table);
/* The kinds of notes about the reading of a column. */
typedef enum hb_note_kind {
    HB_NOTE_ZEROS,    /* how many of its numbers have leading zeros */
    HB_NOTE_ALIKE,    /* how many of its labels look alike (src/table/alike.h) */
    HB_NOTE_TRIMMED,  /* how many of its labels lose blanks, and in which row the first one is */
    HB_NOTE_NAME,     /* which column before it has a name that looks alike */
    HB_NOTE_FOLDED,   /* how many spellings, or cells, are read as another spelling of their label */
    HB_NOTE_SPELLING, /* which spelling of truth values and dates is read and is not the one that decrypt writes */
    HB_NOTE_GAPS,     /* which of its labels mean a missing cell among numbers (hb_labels_list_gaps) */
    HB_NOTE_BLANKS,   /* of the first column whose name loses blanks: how many columns there are of this kind */
    HB_NOTE_KINDS
} hb_note_kind;
/* Passes the notes of one kind to `say`, in the order of the columns, which are counted from 0: one line each, shorter
 * than HB_TABLE_NOTE, of each column with something to note. folded: what --fold was given for, of all tables of a
 * command, which advice repeats; NULL: nothing. HB_ENOMEM. */
enum { HB_TABLE_NOTE = 400 };
typedef void hb_note_taker(void *context, uint64_t column, const char *note);
hb_status hb_table_notes(const hb_table *table, const char *folded, hb_note_kind kind, hb_note_taker *say,
                         void *context);
/* The missing cells of one column. */
typedef struct hb_column_missing {
    uint64_t left_out; /* rows left out because of this column, or of others as well */
    uint64_t replaced; /* cells read as another value */
    uint64_t masked;   /* cells that a mask tells from others */
} hb_column_missing;
/* Everything that is not read as it stands in the file. A view, which lives as long as the table is open. */
typedef struct hb_table_findings {
    const hb_schema *schema;             /* columns of the file; how many rows were left out */
    const hb_column_missing *column;     /* [columns of the schema]; NULL: no cell is missing */
    uint64_t blank_lines;                /* empty lines after the last row, which are no rows */
    const struct hb_column_notes *notes; /* [columns of the schema] what options have read (column_notes.h), too; NULL:
                                          * nothing is known, as cells are no texts */
    bool elsewhere;                      /* data of an HDF5 table is in other files than the named one */
} hb_table_findings;
hb_table_findings hb_table_findings_of(const hb_table *table);
/* Returns the number of the file's columns that are read; where columns are derived or split the table has others. */
static inline uint64_t hb_table_noted(const hb_table *table)
{
    return hb_schema_shown(hb_table_findings_of(table).schema);
}
/* Reads the rectangle, which lies inside the table, into values [rows][hb_schema_words of its columns], row-major, as
 * 64-bit words: two's complement in signed columns; finite doubles for reals, two for complex ones. Any number of
 * threads may call it; some kinds of table serve them one after another (CSV; HDF5 with chunks, filters or types that C
 * does not have). Returns HB_EDATA, naming row and column, for a number that is not finite, and when the file was
 * changed since it was opened; lines appended to a CSV are no change, and not read. */
hb_status hb_table_read(hb_table *table, const hb_rectangle *cells, uint64_t *values);
/* Has rows of a table kept in memory from the first time that they are read, in up to `bytes` bytes, so that reading
 * them again costs nothing. Other rows are read from the file each time. Replaces *io, before any thread reads.
 * HB_ENOMEM. */
hb_status hb_table_keep(hb_table **io, uint64_t bytes);
/* Has missing cells of columns with masks read as the fills (hb_column.fill) that the columns of `like`, which are the
 * same ones, have. Until then they are read as 0. Before any thread reads. */
void hb_table_set_fills(hb_table *table, const hb_schema *like);
/* Writes where row `row`, from 0, of the table stands in its file, for messages: "t.csv: row 3 (line 4)". Rows that are
 * left out count there. May read the file from its beginning on; where it cannot, the row is the table's. NULL: no
 * table, "row 3". Any number of threads may call it. Returns `out`. */
#define HB_TABLE_PLACE 400
const char *hb_table_place_text(hb_table *table, uint64_t row, char out[HB_TABLE_PLACE]);
void hb_table_close(hb_table *table);

/* Returns the metadata of an HDF5 file as JSON, which the caller frees. The root and each group is an object of
 * attributes (texts, numbers, lists of them) and members; a dataset of strings is a list, any other dataset is {"file":
 * "FILE:/PATH"}. Nothing of it is checked but its size: 8 MiB. HB_ENOINPUT when there is no such file; HB_EDATA when
 * HDF5 refuses it or crashes, and for attributes and groups of other kinds; HB_EUNAVAILABLE, HB_ENOMEM. */
hb_status hb_table_h5_attributes(const char *file, char **json);

/* A table that is being written. One rank calls hb_table_create, which makes NAME.partial (mode 0600: decrypted data)
 * at its full length. Then any number of ranks join it and write disjoint rectangles, from any number of threads; all
 * of them sync; when all have, the creator commits. A CSV goes through a binary scratch file beside the output,
 * NAME.partial.raw, and its text is made at commit. A crash before the renaming leaves nothing under NAME. */
typedef struct hb_table_writer hb_table_writer;
/* Open a writer for a table of this schema, which they copy; the caller closes *out. Reals are written as doubles; in a
 * CSV with as many digits as reading the same double needs (src/table/real_text.h). Pairs cannot be written: see
 * hb_schema_unpair. hb_table_create returns HB_ECREATE when NAME exists, unless `force`, or another job is writing it;
 * hb_table_join when the creator's file does not exist, and HB_EDATA when it has another shape. HB_EUSAGE, HB_EIO,
 * HB_ENOMEM. */
hb_status hb_table_create(const char *name, const hb_schema *schema, bool force, hb_table_writer **out);
/* A part of a table to write: rows row .. row + rows, from 0, and these columns, each once, in this order. */
typedef struct hb_table_view {
    uint64_t row, rows;
    const uint64_t *columns; /* [count], borrowed while a writer is opened */
    uint64_t count;
} hb_table_view;
/* Open a writer for part of a table; hb_table_write still gets the whole table; `view` NULL: all of it. All joiners
 * pass the creator's view. HB_EUSAGE for rows and columns that the table does not have.
 *
 * For a schema with groups (table/grouping.h) hb_table_write gets the dataset's only row, and commit writes the table
 * that it stands for; `view` is of that table. In HDF5, whose datasets have one type, keys and sums are doubles where
 * means are among them. */
hb_status hb_table_create_view(const char *name, const hb_schema *schema, const hb_table_view *view, bool force,
                               hb_table_writer **out);
hb_status hb_table_join(const char *name, const hb_schema *schema, const hb_table_view *view, hb_table_writer **out);
/* Returns whether a table of this name, `-` or `/dev/stdout`, goes to standard output: as CSV, from memory, all at once
 * at commit, so that a failed table writes nothing. Only one rank can write such a table, of at most 2 GiB as words;
 * HB_EUSAGE for larger ones. */
bool hb_table_is_stdout(const char *name);
/* Makes the schema of a part of a table without groups; a column keeps its mask where the part has that, too.
 * HB_ENOMEM. The caller clears *to. */
hb_status hb_table_choose_columns(const hb_schema *from, const hb_table_view *view, hb_schema *to);
/* Returns the schema of the values for hb_table_write: the writer's; but in an HDF5 dataset all columns are complex if
 * one is. */
const hb_schema *hb_table_writer_schema(const hb_table_writer *writer);
/* Reserves the space of all cells, as hb_reserve (io/files/durable.h). In any thread, beside writing. HB_EIO when the
 * disk has too little. */
hb_status hb_table_reserve(const hb_table_writer *writer);
/* Writes a rectangle that lies inside the table; values as in hb_table_read. HB_EDATA when one does not fit its cell;
 * HB_EIO. */
hb_status hb_table_write(hb_table_writer *writer, const hb_rectangle *cells, const uint64_t *values);
/* Brings everything that this rank wrote to the disk. HB_EIO. */
hb_status hb_table_sync(const hb_table_writer *writer);
/* Reads back whole written rows, from row `row` of the view on, where cells have 64 bits: unsigned integers of 8 bytes,
 * or a text. After every rank has synced. HB_EIO. */
hb_status hb_table_read_back(const hb_table_writer *writer, uint64_t row, uint64_t rows, uint64_t *values);
/* The ranks that have a writer of the same table. The functions are collective; both are NULL where there is one rank.
 * All of it is borrowed. */
typedef struct hb_table_ranks {
    uint64_t rank, count; /* rank 0 is the creator */
    uint32_t threads;     /* that each rank may use, the same on all; at least 1 */
    /* Returns HB_OK where every rank passes that, and otherwise the same failure on all. */
    hb_status (*agree)(void *context, hb_status mine);
    /* Makes each of `size` numbers the sum of those of all ranks. */
    hb_status (*sum)(void *context, uint64_t *values, size_t size);
    void *context;
} hb_table_ranks;
/* Words of rows that a thread makes the text of a CSV of at a time, at most, unless a row has more. */
enum { HB_TABLE_TEXT_WORDS = 1 << 18 };
/* Bytes of the text of a CSV, and of the part that the rank with most of it has made. */
typedef struct hb_table_text_size {
    uint64_t bytes, most;
} hb_table_text_size;
/* Gives the table its name, after every rank has synced. Every rank with a writer calls hb_table_commit_together, and
 * makes its share of the text of a CSV, whose bytes do not depend on ranks and threads; only the creator knows whether
 * the table has its name, and sets *text. A creator that has no joiners may call hb_table_commit. HB_ECREATE when
 * another job has replaced the written file, or NAME exists by now without `force`; HB_EDATA where a value has no text
 * in its column; HB_EIO, HB_ENOMEM. */
hb_status hb_table_commit_together(hb_table_writer *writer, const hb_table_ranks *ranks, hb_table_text_size *text);
static inline hb_status hb_table_commit(hb_table_writer *writer)
{
    hb_table_text_size text;
    return hb_table_commit_together(writer, &(hb_table_ranks){.count = 1, .threads = 1}, &text);
}
/* Closes; a creator that has not committed removes its files. NULL is allowed. */
void hb_table_writer_close(hb_table_writer *writer);

/* Returns HB_ECREATE, or HB_EUSAGE, unless `name` could be created now: by its form, its folder, and existing files.
 * For the plan: it makes nothing and promises nothing. */
hb_status hb_table_probe(const char *name, bool force);

/* Splits "file.h5:/path" into *file and *dataset, "file.csv" into *file and NULL; the caller frees both. HB_EUSAGE for
 * anything else. */
hb_status hb_table_name_split(const char *name, char **file, char **dataset);

/* Names of tables that are read as one, owned. */
typedef struct hb_table_names {
    size_t count;
    char **name;
} hb_table_names;
enum { HB_MOST_TABLES = 1 << 14 };
/* Finds the tables of a list, with patterns expanded. The caller clears *names, which is empty after a failure.
 * HB_EUSAGE as hb_table_name_split, and for more than HB_MOST_TABLES; HB_ENOINPUT for a pattern without matches;
 * HB_ENOMEM. */
hb_status hb_table_names_find(hb_table_list list, hb_table_names *names);
/* Adds to a list the files, or folders, that match a pattern, in the order of their bytes, each with `behind` appended;
 * an existing file of exactly that name is no pattern. HB_ENOINPUT, HB_ENOMEM. */
hb_status hb_table_names_add(hb_table_names *names, const char *file, const char *behind);
void hb_table_names_clear(hb_table_names *names);

#endif
