/* The two kinds of table behind one hb_table, and the two kinds of writer. */
#ifndef HB_IO_TABLE_TABLE_PRIVATE_H
#define HB_IO_TABLE_TABLE_PRIVATE_H

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/seed.h"
#include "column_notes.h"
#include "io/reader/type.h"
#include "table.h"

/* The functions of a kind of table; hb_table_read has checked that the rectangle lies inside the table and is not
 * empty. */
typedef struct hb_table_ops {
    hb_status (*read)(hb_table *table, const hb_rectangle *cells, uint64_t *values);
    /* Finds where a row of the table stands: the table with that file, which the caller made *of, and the row in it.
     * NULL: all rows of the file are rows of the table. */
    hb_status (*find)(hb_table *table, uint64_t row, const hb_table **of, hb_csv_place *place);
    /* Has the tables that a column is read from read its missing cells as the fill in the schema. NULL: it is read
     * from no other table, or these have no masks. */
    void (*fill)(hb_table *table, uint64_t column);
    void (*close)(hb_table *table);
} hb_table_ops;

/* Implementations embed this as their first member. */
struct hb_table {
    const hb_table_ops *ops;
    hb_schema schema;
    const char *name; /* for messages; the implementation's */
    int fd;           /* of the file while the table is open; -1: not open yet, or it has no file of its own */
    uint64_t bytes;   /* size of the file when it was opened; the next member: its last change */
    struct timespec changed;
    bool grows;              /* data that others append is no change, as it is not read */
    bool widens;             /* cells are read as integers of one word, and get the second word here */
    bool elsewhere;          /* its data is in other files than the named one */
    bool raw;                /* part of another table: cells are as in the file, finite or not */
    hb_column_notes *notes;  /* [columns]; NULL: unknown. Owned */
    hb_column_missing *gaps; /* [columns] where cells are missing; NULL: none is missing. Owned */
    uint64_t blank_lines;    /* behind the last row */
    const hb_table
        *original; /* the table that it shows with other columns, of which notes and gaps are; NULL: it is its own */
};

/* The same for one column of any table. */
void hb_table_set_fill(hb_table *table, uint64_t column, uint64_t fill);
/* Is hb_table_ops.find of any table. Errors of reading the file again, where that finds the row. */
hb_status hb_table_find(hb_table *table, uint64_t row, const hb_table **of, hb_csv_place *place);

/* Opens the file and notes fd, bytes and the last change, by which hb_table_read finds that it was changed.
 * HB_ENOINPUT. */
hb_status hb_table_open_file(hb_table *table, const char *file);

/* The reason why an integer that no double is (hb_h5_is_unheld) is refused. */
extern const char hb_table_unheld[];

/* hb_table_open_as for each kind of table, with its errors. */
hb_status hb_table_open_csv(const char *file, hb_cell_type cells, const hb_reading *reading, hb_table **out);
hb_status hb_table_open_h5(const char *file, const char *dataset, hb_cell_type cells, const hb_reading *reading,
                           hb_table **out);

/* Turns *io, an HDF5 table whose cells are as in the file, into one whose cells have that type: floating-point numbers
 * become decimals of the given scale; missing cells are refused, left out with their rows or replaced. `of` [its
 * columns], or one for all columns where `shared`, is copied. *io is NULL after a failure. HB_EUSAGE for a scale of
 * reals, and of a column that already has one; HB_EDATA, about all columns, for unreadable cells; HB_ENOMEM. */
typedef struct hb_h5_cells_of {
    const hb_h5_cells *column;
    bool shared;
} hb_h5_cells_of;
hb_status hb_table_read_h5_cells(hb_cell_type cells, const hb_reading *reading, hb_h5_cells_of of, hb_table **io);

/* Turns *io, an open table, into one whose columns are split into digits where the options say so; it is NULL after a
 * failure. HB_EUSAGE for columns without digits; HB_EDATA for numbers below 0. */
hb_status hb_table_split_digits(const char *name, const hb_reading *reading, hb_table **io);

/* Turns *io, an open table, into one with the derived columns; it stays the table that it is where there is none, and
 * after a failure. inner: the options that it was opened with; wanted [reading->derived.count]: which it gets.
 * HB_EUSAGE for a table without names of columns, a source that it lacks, and constants that its columns do not have;
 * HB_EDATA for too many bins or labels, and too long names; HB_ENOMEM; errors of reading. */
hb_status hb_table_derive(const hb_reading *reading, const hb_reading *inner, const bool *wanted, hb_table **io);

/* Return the delimiter of a text with that file name, where its line of names does not tell it; and whether the text is
 * compressed. */
char hb_table_delimiter(const char *name);
bool hb_table_is_compressed(const char *name);

/* Opens one table by its name. */
typedef hb_status (*hb_table_one_opener)(const char *name, hb_cell_type cells, const hb_reading *reading,
                                         hb_table **out);
/* Opens those of the tables `part` [names->count] again by `open` that have a column without cells
 * (hb_column_notes.blank) whose meaning another one tells; it reads as that. part[i] is NULL after a failure, whose
 * errors are those of `open`, and HB_ENOMEM. */
hb_status hb_table_tell_blanks(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading,
                               hb_table_one_opener open, hb_table **part);
/* Opens tables with the same columns, at least one, as one table with all their rows. Its columns have a sign, labels
 * of categories or imaginary parts where some table's have. `open` opens each. HB_EDATA naming the table whose columns
 * differ; HB_ENOMEM; failures of `open`. */
hb_status hb_table_open_concatenated(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading,
                                     hb_table_one_opener open, hb_table **out);

/* Agrees with the other ranks that write a table; alone there is nothing to agree on. */
static inline hb_status hb_table_agree(const hb_table_ranks *ranks, hb_status mine)
{
    return ranks->agree != NULL ? ranks->agree(ranks->context, mine) : mine;
}

/* The functions that differ between kinds of writers: making the file and finishing it. For both, words of cells in the
 * file being written have `width` bytes each, row-major from `offset` on. */
typedef struct hb_table_writer_ops {
    /* Makes `partial` (mode 0600), locked by *fd (io/files/file_lock.h); leaves nothing behind when it fails. */
    hb_status (*make)(const hb_table_writer *writer, bool fresh, int *fd);
    /* Sets writer->offset from the file that `make` made, for the creator and for joiners. */
    hb_status (*locate)(hb_table_writer *writer);
    /* One of the two is NULL. They return in *finished the file that gets the name, synced: `partial` itself, or one
     * made from it. A CSV sets *text, which is zeroed. `finish` is called on the creator alone; `finish_together` is
     * collective. */
    hb_status (*finish)(hb_table_writer *writer, const hb_table_ranks *ranks, hb_table_text_size *text,
                        const char **finished);
    hb_status (*finish_together)(hb_table_writer *writer, const hb_table_ranks *ranks, hb_table_text_size *text,
                                 const char **finished);
} hb_table_writer_ops;

/* After hb_table_create or _join all members but committed and finishing are constant, so threads share it
 * without a lock. */
struct hb_table_writer {
    const hb_table_writer_ops *ops;
    hb_schema schema;        /* of the cells in the file */
    hb_schema whole;         /* of the table that hb_table_write gets, where it is another one; else without columns */
    uint64_t view_row;       /* its first row in the file */
    uint64_t *sources;       /* [columns of the schema] its columns in the file; NULL: the same */
    hb_table_view shown;     /* for totals of groups: the shown part of their table, with ... */
    uint64_t *shown_columns; /* ... these columns; owned */
    bool stream;             /* to standard output: no file of its own has the table's name */
    char *file, *dataset;    /* dataset: NULL for CSV */
    char *partial;           /* the file that cells are written to */
    char *finished; /* the file that commit makes of it and renames; NULL: `partial` itself is renamed, in HDF5 */
    bool direct;    /* they are it */
    int fd;         /* of `partial`, on the creator with its lock; -1: none */
    uint64_t words; /* of a row */
    uint32_t width;
    bool big_endian, is_signed; /* of the cells in the file */
    bool real, wide;            /* cells are doubles; are integers of two words, the low one first */
    bool by_column;             /* cells are words of 64 bits that need no check */
    bool mixed;                 /* some columns have a sign, others have not */
    uint64_t offset;
    bool force, creator, committed;
    bool finishing; /* this writer has made `finished` */
};

/* Converts `count` words of values, in row-major order from (row, column) on, to cells [count * width]. HB_EDATA when
 * one does not fit; then cells are undefined. */
hb_status hb_table_cells(const hb_table_writer *writer, uint64_t row, uint64_t column, size_t count,
                         const uint64_t *values, uint8_t *cells);
/* Reverses the bytes of each of `count` cells. */
void hb_reverse_bytes(uint8_t *cells, size_t count, uint32_t width);

extern const hb_table_writer_ops hb_table_writer_csv, hb_table_writer_h5, hb_table_writer_stdout,
    hb_table_writer_grouped_h5;

/* write_view.c: sets schema, whole, view_row and sources for a schema without groups, or `shown` for one with groups.
 * HB_EUSAGE for rows and columns that do not exist; HB_ENOMEM. */
hb_status hb_table_set_view(hb_table_writer *writer, const hb_schema *schema, const hb_table_view *view);
/* Returns whether a cell of this row, all of whose words are there, is missing by its mask. */
static inline bool hb_table_is_masked(const hb_schema *schema, uint64_t column, const uint64_t *row)
{
    const uint64_t mask = schema->column[column].mask;
    if (mask == 0) {
        return false;
    }
    const hb_column *of = &schema->column[mask - 1];
    const uint64_t *value = row + hb_schema_words(schema, 0, mask - 1);
    if (of->cells == HB_CELL_REAL) {
        return rint(hb_real_of(value[0])) != (double)of->full; /* reals are errors away from integers */
    }
    return value[0] != of->full || (of->cells == HB_CELL_WIDE && value[1] != 0);
}
/* write_grouped.c: makes the shown part of the table of groups. The caller clears the schema, and wipes and frees
 * values [rows][words of the columns]. HB_EIO, HB_ENOMEM. */
hb_status hb_table_show_groups(const hb_table_writer *writer, hb_schema *schema, uint64_t **values);
/* Returns the bytes of all rows of such a table. */
static inline size_t hb_table_shown_bytes(const hb_schema *schema)
{
    return (size_t)(schema->rows * hb_schema_words(schema, 0, schema->columns)) * sizeof(uint64_t);
}

/* csv_page.c: the text of some rows of a CSV that is written, which grows in memory. Zeroed: an empty one. */
typedef struct hb_csv_page {
    char *bytes; /* [room], of which `used` are the text */
    size_t used, room;
    bool failed; /* memory was short: the text is not whole */
} hb_csv_page;
/* Wipes the text, which is decrypted, and frees it. */
static inline void hb_csv_page_clear(hb_csv_page *page)
{
    if (page->bytes != NULL) {
        hb_wipe(page->bytes, page->room);
    }
    free(page->bytes);
    *page = (hb_csv_page){.used = 0};
}
/* The rows of a page: values [rows][words of the columns], of which the first is row `row` of the table. */
typedef struct hb_csv_rows {
    uint64_t row, rows;
    const uint64_t *values;
    bool names;              /* the line of names stands in front of them ... */
    const uint64_t *sources; /* ... in which these columns of a larger table have their numbers; NULL: their own */
} hb_csv_rows;
/* Adds whole rows as text. `file` is for messages and says the sign between fields. HB_EDATA for an integer that means
 * nothing in its column; HB_ENOMEM. */
hb_status hb_csv_page_add(hb_csv_page *page, const hb_schema *schema, const hb_csv_rows *rows, const char *file);

#endif
