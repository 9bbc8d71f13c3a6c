/* How the columns of a CSV are read: what its cells are by what was said of the column, or by what all of them show. */
#ifndef HB_IO_TABLE_CSV_COLUMNS_H
#define HB_IO_TABLE_CSV_COLUMNS_H

#include "csv_private.h"
#include "io/base/schema.h"
#include "reading.h"

/* What a field holds. */
typedef enum hb_csv_kind {
    HB_CSV_IS_NUMBER,
    HB_CSV_IS_TRUTH,
    HB_CSV_IS_DATE,
    HB_CSV_IS_LABEL, /* a text of a category whose labels are collected */
    HB_CSV_IS_MISSING,
    HB_CSV_IS_WRONG,
    HB_CSV_KINDS
} hb_csv_kind;

/* A field that was read. */
typedef struct hb_csv_cell {
    hb_csv_kind kind;
    hb_csv_number number; /* that is stored, of what is neither missing nor wrong nor a label */
    hb_csv_text text;     /* without quotes, of what is no number; valid as long as the line */
    const char *why;      /* it is wrong: in words, none of which are its own; or NULL and ... */
    hb_csv_fault fault;   /* ... one of the faults of numbers */
    bool fraction;        /* it is wrong as an integer, as a decimal it would not be: */
    int needed;           /* digits behind its point */
} hb_csv_cell;

/* Texts, each once; in the order of their bytes. */
typedef struct hb_csv_set {
    void *root; /* of tsearch */
    uint64_t count;
    bool full, odd; /* there are more than it holds; one of them cannot be a label */
} hb_csv_set;

/* What a column has shown so far; rows are counted from 1, 0 means none. */
typedef struct hb_csv_shown {
    uint64_t count[HB_CSV_KINDS], first[HB_CSV_KINDS]; /* cells of each kind, and the row of the first one */
    hb_csv_cell wrong;                                 /* the first one that is; its text is gone */
    uint64_t other;                                    /* row of the first cell of another kind than the first cell */
    uint64_t negative, large, early;                   /* row of a number below 0, that is large, of a day below 0 */
    bool is_complex;                                   /* one of its numbers is */
    bool word;                                         /* the first missing cell says so: NA, NaN, null */
    bool fractions_only;                               /* what is wrong would be right as decimals ... */
    int needed;                                        /* ... of so many digits */
    hb_csv_set texts;                                  /* of labels; else some of what is no number */
} hb_csv_shown;

/* A column that is read. */
typedef struct hb_csv_column {
    uint64_t field; /* its place in a line */
    bool guessed;   /* what it means is to be found */
    bool collects;  /* its labels are */
    bool exact;     /* its numbers are read as decimals, of a scale that may be 1 */
    hb_missing missing;
    const char *replacement; /* borrowed */
    hb_csv_cell stand_in;    /* HB_MISSING_VALUE: what is read in the place of a missing cell, once it is known */
    hb_csv_shown shown;
} hb_csv_column;

/* What reading a field takes. */
typedef struct hb_csv_context {
    hb_cell_type cells;
    char delimiter;
    char *room; /* for texts without their doubled quotes: as many bytes as the line has left; NULL: it has no quotes */
} hb_csv_context;

/* Reads the field at *at of a line that ends at `end`, and leaves *at at the field's end; what is wrong is in *cell. */
void hb_csv_read_cell(hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning, const char **at,
                      const char *end, hb_csv_cell *cell);
/* Notes what a cell of that row, counted from 0, shows. HB_ENOMEM. */
hb_status hb_csv_note_cell(hb_csv_column *column, uint64_t row, const hb_csv_cell *cell);
/* Decides what a column is after all of its cells, and what its missing ones are read as; false where it cannot be
 * read, of which hb_csv_refuse then tells. HB_EUSAGE for a text in the place of missing cells that is none of its kind;
 * HB_EDATA for too many labels; HB_ENOMEM. */
hb_status hb_csv_decide(const hb_csv_context *context, hb_csv_column *column, hb_column *to, bool *readable);
void hb_csv_column_clear(hb_csv_column *column);

/* The names of all columns of a file, and which of them are read. */
typedef struct hb_csv_heading {
    char **name;             /* [count]; owned */
    bool *taken;             /* [count] */
    uint64_t count, columns; /* in the file; that are read */
} hb_csv_heading;
/* Reads the line of names, and finds the delimiter for the lines behind it, where it is not said. HB_EDATA for no names
 * and for such as cannot be; HB_EUSAGE for columns of which something is said that are not there; HB_ENOMEM. The caller
 * clears *heading, also after a failure. */
hb_status hb_csv_heading_read(hb_csv_heading *heading, hb_lines *lines, const hb_reading *reading);
void hb_csv_heading_clear(hb_csv_heading *heading);

/* Refuses a table: names the first cell of each column that cannot be read and what is wrong with it, as far as there
 * is room, and what to say so that the rest is read. Returns HB_EDATA. */
hb_status hb_csv_refuse(const char *path, const hb_schema *schema, const hb_csv_column *columns, hb_cell_type cells);

#endif
