/* The two kinds of table behind one hb_table, and the two kinds of writer. */
#ifndef HB_IO_TABLE_TABLE_PRIVATE_H
#define HB_IO_TABLE_TABLE_PRIVATE_H

#include <hdf5.h>
#include <stdio.h>
#include <time.h>

#include "table.h"

/* What a kind of table does; hb_table_read has checked the rectangle, which is not empty. */
typedef struct hb_table_ops {
    hb_status (*read)(hb_table *table, const hb_rectangle *cells, uint64_t *values);
    void (*close)(hb_table *table);
} hb_table_ops;

/* Implementations embed this as their first member. */
struct hb_table {
    const hb_table_ops *ops;
    hb_schema schema;
    const char *name; /* for messages; the implementation's */
    int fd;           /* of the file while the table is open; -1: not yet, or it has none of its own */
    uint64_t bytes;   /* size of the file when it was opened; below, when it was last changed */
    struct timespec changed;
    bool grows;  /* what others append is no change, as it is not read */
    bool widens; /* cells are read as integers of one word, and get the second one here */
};

/* Opens the file and notes fd, bytes and changed, by which hb_table_read sees that nobody changes it. HB_ENOINPUT. */
hb_status hb_table_open_file(hb_table *table, const char *file);

/* The type of stored cells. */
typedef struct hb_h5_type {
    uint32_t width; /* bytes; of a complex one those of each part */
    bool big_endian, is_signed;
    bool floats;     /* floating point: as IEEE 754 has them of 4 and 8 bytes, where their place is known */
    bool is_complex; /* a cell is two of them, the real part first */
} hb_h5_type;

/* Tells whether the type is a compound of two members of one floating-point type, called as the parts of complex
 * numbers are; *part: that type, which the caller closes in any case; *names: what they are called. */
bool hb_h5_is_complex(hid_t type, hid_t *part, const char *const **names);
/* Tells whether the type is one that C has: integers all of whose bits count, in one of the two orders of bytes, or
 * float and double of IEEE 754, or two of these one after another. */
bool hb_h5_is_plain(hid_t type, const hb_h5_type *of);
/* Makes the type of complex numbers of two such, one after another; the caller closes it. HB_ENOMEM. */
hb_status hb_h5_complex_type(hid_t number, const char *const names[2], hid_t *type);

/* Where cells lie: row-major, one after another from `offset` of the file on. */
typedef struct hb_h5_place {
    uint64_t offset;
    hb_h5_type type;
} hb_h5_place;

/* The two kinds of hb_table_open_as. */
hb_status hb_table_open_csv(const char *file, hb_cell_type cells, const hb_reading *reading, hb_table **out);
hb_status hb_table_open_h5(const char *file, const char *dataset, hb_cell_type cells, const hb_reading *reading,
                           hb_table **out);

/* Makes *io, which was opened, a table whose columns are digits where that is said; it is NULL after a failure.
 * HB_EUSAGE for columns that have none; HB_EDATA for numbers below 0. */
hb_status hb_table_split_digits(const char *name, const hb_reading *reading, hb_table **io);

/* Returns what stands between fields of a text of that name, where its line of names does not say it; and whether the
 * text is compressed. */
char hb_table_delimiter(const char *name);
bool hb_table_is_compressed(const char *name);

/* Opens tables of the same columns, at least one, as one: their rows stand behind one another, a sign, labels of
 * categories and imaginary parts are what some of them have. `open` opens each. HB_EDATA naming the one whose columns
 * are others; HB_ENOMEM; what `open` says. */
hb_status hb_table_open_several(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading,
                                hb_status (*open)(const char *, hb_cell_type, const hb_reading *, hb_table **),
                                hb_table **out);

/* What the kinds of writers do differently: making the file and finishing it. Words of cells in the file being written
 * are `width` bytes each, row-major from `offset` on, for both. */
typedef struct hb_table_writer_ops {
    /* Makes `partial` (mode 0600), held by *fd (io/base/claim.h); leaves nothing behind when it fails. */
    hb_status (*make)(const hb_table_writer *writer, bool fresh, int *fd);
    /* Sets writer->offset from the file that `make` made, on the creator and on those that join. */
    hb_status (*locate)(hb_table_writer *writer);
    /* Returns in *finished the file that is to get the name, synced: `partial` itself, or one made from it. */
    hb_status (*finish)(hb_table_writer *writer, const char **finished);
} hb_table_writer_ops;

/* After hb_table_create or _join everything but committed and formatting is constant, so threads share it without a
 * lock. */
struct hb_table_writer {
    const hb_table_writer_ops *ops;
    hb_schema schema;        /* of the cells in the file */
    hb_schema whole;         /* of what is written of, where that is not the same; else without columns */
    uint64_t view_row;       /* the first row of it in the file */
    uint64_t *sources;       /* [columns of the schema] the columns of it; NULL: it has those of the file */
    hb_table_view shown;     /* of totals of groups: what is shown of the table that they stand for, with ... */
    uint64_t *shown_columns; /* ... these columns; owned */
    bool stream;             /* to standard output: no file of its own has the table's name */
    char *file, *dataset;    /* dataset: NULL for CSV */
    char *partial;           /* where cells are written */
    char *formatted;         /* where commit makes of them what gets the name; NULL: they are it, of HDF5 */
    bool direct;             /* they are it */
    int fd;                  /* of `partial`, on the creator with its lock; -1: none */
    uint64_t words;          /* of a row */
    uint32_t width;
    bool big_endian, is_signed; /* of the cells in the file */
    bool real, wide;            /* cells are doubles; are integers of two words, the low one first */
    bool by_column;             /* cells are words of 64 bits that are right as they are: nothing to check */
    bool mixed;                 /* some columns have a sign, others have not */
    uint64_t offset;
    bool force, creator, committed;
    bool formatting; /* this writer has made `formatted` */
};

/* Turns `count` words of values, in row-major order from (row, column) on, into cells [count * width]. HB_EDATA when
 * one does not fit; then cells mean nothing. */
hb_status hb_table_cells(const hb_table_writer *writer, uint64_t row, uint64_t column, size_t count,
                         const uint64_t *values, uint8_t *cells);
/* Turns the bytes of each of `count` cells round. */
void hb_reverse_bytes(uint8_t *cells, size_t count, uint32_t width);

extern const hb_table_writer_ops hb_table_writer_csv, hb_table_writer_h5, hb_table_writer_stdout,
    hb_table_writer_grouped_h5;

/* write_csv.c: writes the table as text, the line of names first, once all cells are there. Failures of the stream show
 * in ferror. HB_EIO, HB_ENOMEM. */
hb_status hb_table_put_csv(FILE *out, const hb_table_writer *writer);

/* write_view.c: sets schema, whole, view_row and sources, of a schema without groups, or `shown` of one with groups.
 * HB_EUSAGE for rows and columns that are not there; HB_ENOMEM. */
hb_status hb_table_set_view(hb_table_writer *writer, const hb_schema *schema, const hb_table_view *view);
/* write_view.c: writes what the view has of a rectangle, by `write`, which takes rectangles of the file. */
hb_status hb_table_write_view(hb_table_writer *writer, const hb_rectangle *cells, const uint64_t *values,
                              hb_status (*write)(hb_table_writer *, const hb_rectangle *, const uint64_t *));

/* write_grouped.c: what totals of groups stand for, as much as is shown of it. The caller clears the schema, and wipes
 * and frees values [rows][columns]. HB_EIO, HB_ENOMEM. */
hb_status hb_table_show_groups(const hb_table_writer *writer, hb_schema *schema, uint64_t **values);

#endif
