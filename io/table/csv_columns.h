/* Reading the columns of a CSV: the type of a column's cells is declared, or found from all of them. */
#ifndef HB_IO_TABLE_CSV_COLUMNS_H
#define HB_IO_TABLE_CSV_COLUMNS_H

#include <stdlib.h>

#include "column_notes.h"
#include "csv_private.h"
#include "reading.h"
#include "table/alike.h"
#include "table/schema.h"

/* The refusal of numbers whose points may all stand between thousands, as in 1.234: nothing tells their meaning. */
#define HB_CSV_DOUBTFUL_POINTS                                                                                      \
    "the point may stand between thousands or before decimals: say --decimal comma, which reads 1.234 as 1234, or " \
    "--decimal point, which reads it as it stands"

/* The kind of a field. */
typedef enum hb_csv_kind {
    HB_CSV_IS_NUMBER,
    HB_CSV_IS_TRUTH,
    HB_CSV_IS_DATE,
    HB_CSV_IS_TIME,
    HB_CSV_IS_LABEL, /* a text of a category whose labels are collected */
    HB_CSV_IS_MISSING,
    HB_CSV_IS_WRONG,
    HB_CSV_KINDS
} hb_csv_kind;

/* A field that was read. */
typedef struct hb_csv_cell {
    hb_csv_kind kind;
    hb_csv_number number; /* to store, for a cell that is neither missing, nor wrong, nor a label */
    hb_csv_text text;     /* without quotes, of a cell that is no number; valid as long as the line */
    const char *why; /* why it is missing or wrong, in words that show nothing of the cell; NULL: it is wrong by ... */
    hb_csv_fault fault;        /* ... this fault of a number */
    bool zoned;                /* a time: it has a zone ... */
    hb_time_unit unit;         /* ... and is a whole number of these; the largest such unit */
    bool time;                 /* it is wrong, as a time */
    bool day;                  /* it is wrong, and written as a date ... */
    char order[HB_CSV_ORDER];  /* ... in this order, if only one order is possible */
    bool stranger;             /* it is wrong: no label of its category */
    bool fraction;             /* it is wrong as an integer, and right as a decimal ... */
    bool grouped;              /* ... whose points may stand between thousands, as that of 1.234, and with ... */
    int needed;                /* ... this many digits after its point ... */
    int whole;                 /* ... and this many before it */
    bool percent;              /* it is wrong, and a number with a percent sign */
    bool may_group, has_point; /* of a number that is looked at: its point may stand between thousands; its point
                                * stands before a fraction */
    bool folded;               /* it is read as another spelling of its label, or loses blanks around it */
    bool trimmed;              /* it is a label without quotes, and blanks around it are left out */
    hb_spellings spelling;     /* of a truth value, a date or a time, and of what options read */
    uint64_t na;               /* it is missing, as --na says of these texts (hb_na_bit); 0: by another reason */
} hb_csv_cell;

/* Different texts, in the order of their bytes. */
typedef struct hb_csv_set {
    void *root; /* of tsearch, with keys that begin with a hb_csv_text */
    uint64_t count;
    bool full;       /* there are more texts than it holds, or ... */
    const char *odd; /* ... one text cannot be a label, for this reason; NULL: all can */
} hb_csv_set;

/* The texts of a set in the order of their bytes, not of rows: the order of rows would tell whose row comes first. */
typedef struct hb_csv_listing {
    const char **text;     /* [count] of the set */
    uint64_t *weight;      /* [count] how often each stands in the column */
    hb_label_cells *cells; /* [count] these, and those of them that lost blanks where labels are folded */
    uint64_t count;
} hb_csv_listing;

/* Adds the text of so many cells to a set of `most` texts at most, or counts them there. HB_ENOMEM. */
hb_status hb_csv_set_add(hb_csv_set *set, const hb_csv_text *text, hb_label_cells cells, uint64_t most);
/* HB_ENOMEM. The caller clears *list. */
hb_status hb_csv_set_list(const hb_csv_set *set, hb_csv_listing *list);
static inline void hb_csv_listing_clear(hb_csv_listing *list)
{
    free(list->text);
    free(list->weight);
    free(list->cells);
    *list = (hb_csv_listing){0};
}

/* Writes "row 2 (line 3)" for messages; returns `out`. */
#define HB_CSV_PLACE 64
const char *hb_csv_place_text(char out[HB_CSV_PLACE], hb_csv_place place);

/* The dates and times of a column. */
typedef struct hb_csv_times {
    bool zoned;         /* the first one has a zone */
    hb_time_unit unit;  /* each is a whole number of these; the largest such unit */
    hb_csv_place early; /* of a date or time before 1970 */
} hb_csv_times;

enum { HB_CSV_WRONG_TEXT = 48 };
enum { HB_CSV_NA_TEXT = 12 };
/* Wrong cells that begin with letters, as labels do, and the first one that does not; and words for missing cells. */
typedef struct hb_csv_words {
    uint64_t labels;           /* of missing cells that are labels among texts: NA in quotes, and none */
    uint64_t named;            /* cells that a word says to be missing, among texts too, but for those of --na; ... */
    char name[HB_CSV_NA_TEXT]; /* ... the first such word */
    uint64_t count;            /* of the cells that do */
    hb_csv_place other;        /* of the one that does not; row 0: all do ... */
    const char *why;           /* ... why it is wrong (hb_csv_cell) ... */
    char text[HB_CSV_WRONG_TEXT]; /* ... and its text, as much as there is room for; only its owner may see it */
} hb_csv_words;

/* Joins the words of rows that have no wrong cell. */
static inline void hb_csv_words_join(hb_csv_words *to, const hb_csv_words *from)
{
    to->labels += from->labels;
    snprintf(to->name, sizeof to->name, "%s", to->named > 0 ? to->name : from->name);
    to->named += from->named;
}

/* The findings about a column so far. */
typedef struct hb_csv_shown {
    uint64_t count[HB_CSV_KINDS];       /* cells of each kind ... */
    hb_csv_place first[HB_CSV_KINDS];   /* ... and the place of the first one */
    hb_csv_cell wrong;                  /* the first wrong cell, preferably no decimal; its text is kept ... */
    char wrong_text[HB_CSV_WRONG_TEXT]; /* ... here, as much as there is room for; only its owner may see it */
    hb_csv_place negative, large;       /* of a number below 0, a large number */
    hb_column_notes notes;              /* what of its texts is not kept */
    hb_csv_times times;                 /* its dates and times */
    bool is_complex;                    /* one of its numbers is */
    const char *missing;                /* why the first missing cell is missing */
    bool fractions_only;                /* all wrong cells would be right as decimals ... */
    hb_csv_words words;                 /* wrong cells that may be labels */
    int needed, whole;                  /* ... with this many digits after and before the point */
    hb_csv_place may_group;             /* of a number whose point may stand between thousands */
    uint64_t points;                    /* numbers whose point stands before a fraction */
    uint64_t percents;                  /* cells that are wrong, and numbers with a percent sign */
    uint64_t fractions;                 /* cells that are wrong and would be decimals ... */
    uint64_t grouped;                   /* ... or whole numbers with points between thousands */
    uint64_t most;                      /* the largest magnitude of its numbers, up to 64 bits */
    hb_csv_set strange;                 /* a few texts that are wrong and no decimals */
    hb_csv_set texts;                   /* of labels that are to be found; the first one that can be none ... */
    hb_csv_place odd;                   /* ... stands here ... */
    const char *odd_advice;             /* ... and an option is likely to read it; NULL: none is */
} hb_csv_shown;
/* Returns whether most cells that are not missing begin with letters: they are labels. */
static inline bool hb_csv_mostly_words(const hb_csv_shown *shown)
{
    uint64_t cells = 0;
    for (int kind = 0; kind < HB_CSV_KINDS; kind++) {
        cells += kind != HB_CSV_IS_MISSING ? shown->count[kind] : 0;
    }
    return shown->words.count > cells / 2;
}
/* Returns whether cells are of more than one kind: numbers, truth values, dates, times. */
static inline bool hb_csv_is_mixed(const hb_csv_shown *shown)
{
    return (shown->count[HB_CSV_IS_NUMBER] > 0) + (shown->count[HB_CSV_IS_TRUTH] > 0) +
               (shown->count[HB_CSV_IS_DATE] > 0) + (shown->count[HB_CSV_IS_TIME] > 0) >
           1;
}

/* Where the labels of a column come from. */
typedef enum hb_csv_labels {
    HB_CSV_LABELS_SAID,  /* from the user, for this table, or from the dataset that it is compared with */
    HB_CSV_LABELS_FOUND, /* from the table */
    HB_CSV_LABELS_STORED /* from the dataset that its rows are added to */
} hb_csv_labels;

/* A column to read. */
typedef struct hb_csv_column {
    uint64_t field; /* its place in a line */
    bool guessed;   /* its meaning is to be found */
    bool collects;  /* its labels are to be found */
    bool percent;   /* its numbers have percent signs, and are hundredths */
    char decimal;   /* the sign in front of its fractions, as that of hb_dialect */
    char *na; /* texts that mean missing cells, as those of hb_dialect: of all columns, then its own; borrowed, ... */
    size_t na_bytes; /* ... with so many bytes */
    bool folds;      /* labels that differ by capitals and blanks alone are one */
    hb_csv_labels labels;
    bool plain;     /* its cells are integers, of digits if they are not missing or wrong (csv_reader.c) */
    bool exact;     /* its numbers are read as decimals, with a scale that may be 1 */
    hb_times times; /* times of day that it has, where its meaning is to be found, or is dates */
    bool timed;     /* that was said for this column, and all its cells are times */
    hb_missing missing;
    bool masked;             /* it has a mask, whether or not a cell is missing */
    const char *replacement; /* borrowed */
    hb_csv_cell stand_in;    /* the value read in the place of a missing cell without a mask, once it is known */
    hb_csv_shown shown;
} hb_csv_column;

/* The context of reading a field. */
typedef struct hb_csv_context {
    hb_cell_type cells;
    char delimiter;
    /* Room for texts without their doubled quotes: as many bytes as the rest of the line; NULL: the line has no
     * quotes. */
    char *room;
    hb_dialect dialect; /* its decimal and its texts for missing cells: those of the column that is read */
    bool looks; /* it is looked for points that may stand between thousands: nothing says how points are meant */
} hb_csv_context;

/* Reads the field at *at of a line that ends at `end`, and leaves *at at the field's end; *cell tells a fault. */
void hb_csv_read_cell(hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning, const char **at,
                      const char *end, hb_csv_cell *cell);
/* Finds the kind of a cell's text, where it is no number: a date, a truth value, a label; else its fault. */
void hb_csv_understand(const hb_csv_context *context, const hb_csv_column *column, const hb_meaning *meaning,
                       hb_csv_cell *cell);
/* Adds a cell of that row to the findings about its column. HB_ENOMEM. */
hb_status hb_csv_note_cell(hb_csv_column *column, hb_csv_place place, const hb_csv_cell *cell);
/* Adds a number alone, of that row. */
static inline void hb_csv_note_number(hb_csv_shown *shown, hb_csv_place place, const hb_csv_number *number)
{
    shown->most = number->magnitude > shown->most ? number->magnitude : shown->most;
    shown->is_complex = shown->is_complex || number->is_complex;
    if (number->negative && shown->negative.row == 0) {
        shown->negative = place;
    }
    if (hb_csv_is_large(number) && shown->large.row == 0) {
        shown->large = place;
    }
}
/* Returns whether a cell is a number of digits alone, as most are, of whose spelling there is nothing to note. */
static inline bool hb_csv_is_digits(const hb_csv_cell *cell)
{
    return cell->kind == HB_CSV_IS_NUMBER && cell->number.digits > 0 && cell->spelling == 0;
}
/* Does for such a cell what hb_csv_note_cell does. */
static inline void hb_csv_note_digits(hb_csv_column *column, hb_csv_place place, const hb_csv_number *number)
{
    hb_csv_shown *shown = &column->shown;
    if (shown->count[HB_CSV_IS_NUMBER]++ == 0) {
        shown->first[HB_CSV_IS_NUMBER] = place;
    }
    hb_csv_note_number(shown, place, number);
    if (column->guessed) {
        hb_leading_zeros_add(&shown->notes.leading_zeros, number->digits, number->padded);
    }
}
/* Decides the type of a column after all its cells, and the value of its missing cells; returns HB_OK with false where
 * the column cannot be read, which hb_csv_refuse then explains. HB_EUSAGE for a replacement of missing cells that the
 * column cannot hold; HB_EDATA for too many labels; HB_ENOMEM. */
hb_status hb_csv_decide(const hb_csv_context *context, hb_csv_column *column, hb_column *to, bool *readable);
void hb_csv_column_clear(hb_csv_column *column);

/* The names of all columns of a file, and which of them are read. */
typedef struct hb_csv_heading {
    char **name;             /* [count]; owned */
    bool *taken, *trimmed;   /* [count]; of a name that stood between blanks, without quotes */
    uint64_t count, columns; /* in the file; to read */
} hb_csv_heading;
/* Reads the line of names, and finds the delimiter of the following lines, where it is not given. HB_EDATA where names
 * are missing or impossible; HB_EUSAGE for options about columns that do not exist; HB_ENOMEM. The caller clears
 * *heading, also after a failure. */
hb_status hb_csv_heading_read(hb_csv_heading *heading, hb_lines *lines, const hb_reading *reading);
/* Replaces the error `st` about a text by its cause in the first lines, with a remedy: the text is not UTF-8, or a
 * title stands above the names. Moves `lines`. Returns `st`. */
hb_status hb_csv_heading_explain(hb_lines *lines, const hb_reading *reading, hb_status st);
void hb_csv_heading_clear(hb_csv_heading *heading);

/* Refuses a table. The message names the first unreadable cell of each column and its fault, as far as there is room,
 * and the options with which the rest is read (not for a dataset's columns). `whole`: columns cannot be left out.
 * Returns HB_EDATA. */
hb_status hb_csv_refuse(const char *path, const hb_schema *schema, const hb_csv_column *columns, hb_cell_type cells,
                        const hb_reading *reading, bool whole);

#endif
