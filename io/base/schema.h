/* What the rows and columns of a table are, as it stands in a plain file or in a dataset. */
#ifndef HB_IO_BASE_SCHEMA_H
#define HB_IO_BASE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cell.h"
#include "base/status.h"
#include "base/wide.h"
#include "meaning.h"

/* Longest name of a column, in bytes: names are stored as fixed-length strings. */
#define HB_COLUMN_NAME_MAX 255

/* What a column's values are, and so which halves of a ciphertext of reals hold some: real parts, imaginary parts. */
typedef enum hb_halves {
    HB_HALVES_REAL,    /* one number a row; imaginary parts are 0, but for errors. Integers are this, too */
    HB_HALVES_COMPLEX, /* a complex number a row */
    HB_HALVES_PAIR     /* two real numbers a row: one column of a table is the real part, one the imaginary */
} hb_halves;

/* One column. Its values are 64-bit words: integers, two's complement if it is signed, or doubles; where it has both
 * halves two of them, the real part first; of integers of 128 bits two, the low one first. */
typedef struct hb_column {
    char *name;         /* "" where the source names none; owned by the schema */
    hb_cell_type cells; /* the same of all columns of a table */
    hb_halves halves;   /* a plain table has no pairs */
    char *part[2];      /* of a pair: names of the two columns that it is made of; else NULL. Owned by the schema */
    bool is_signed;     /* CSV: true iff the column holds a negative value; HDF5: as the type; false of reals */
    hb_meaning meaning; /* what its numbers stand for; of pairs and complex numbers, themselves */
    /* Of a digit of a larger number, called NAME.PLACE: the base, and how many digits there are; else 0. */
    uint64_t digit_base, digits;
    /* The rest is known of columns of a ciphertext dataset alone, and is 0 for a plain table: */
    bool ranged; /* all values lie in [least, most]; of both halves: their moduli are at most `most` = -least */
    uint64_t least, most; /* 0 unless `ranged` */
    /* Of values modulo several plain moduli: the range stands here, and least and most are 0. */
    bool wide;
    hb_wide wide_least, wide_most;
    bool may_wrap; /* computed, and not known to have stayed below t: the values may be wrong */
} hb_column;
/* Returns whether the column may hold this word, which is of the column's type and sign; true of every integer and of
 * every finite number where no range is known. */
bool hb_column_holds(const hb_column *column, uint64_t value);

/* Words of a value: 2 of what has both halves, and of integers of 128 bits. */
static inline uint32_t hb_column_words(const hb_column *column)
{
    return column->halves == HB_HALVES_REAL && column->cells != HB_CELL_WIDE ? 1 : 2;
}

/* What totals of groups stand for (grouping.h). */
typedef struct hb_grouping hb_grouping;

/* What a table is: decrypting gives it back. hb_schema_alloc or hb_schema_copy make one, hb_schema_clear frees it. */
typedef struct hb_schema {
    uint64_t rows, columns;
    uint32_t rank;  /* 1 or 2 dimensions of the dataset (CSV: 2) */
    uint32_t width; /* bytes of the type: 1, 2, 4, 8 of integers (CSV: 8), 16 of wide ones, 8 of reals */
    bool big_endian;
    bool named;            /* columns have names */
    hb_column *column;     /* [columns]; owned */
    hb_grouping *grouping; /* of a dataset of one row that is shown as a table of groups; owned; NULL: it is not */
} hb_schema;

/* Returns whether a name reads as a number, a date or a time, such as 34, -1.5, 2020-01-31 or 12:30. */
bool hb_name_is_number(const char *name);
/* Returns whether messages may show names of columns. They may not where one of them is a number: a CSV without a line
 * of names gives its first row in their place, which is plaintext, and messages end in logs. */
bool hb_columns_show_names(const hb_column *column, uint64_t count);
/* Returns HB_EDATA, naming the place but not the name, unless every name is UTF-8, not empty, and there only once:
 * otherwise a dataset or an expression would not mean what the table's owner meant. HB_OK where columns have no names.
 * `table` is the path for messages. */
hb_status hb_schema_check_names(const hb_schema *schema, const char *table);
/* Allocates `columns` zeroed columns, whose names are NULL, and sets rows and columns of the schema, nothing else.
 * HB_ENOMEM. */
hb_status hb_schema_alloc(hb_schema *schema, uint64_t rows, uint64_t columns);
/* Makes a deep copy of a column, whose texts the caller frees; also after it returns false, which is where memory
 * ends. */
bool hb_column_copy(hb_column *to, const hb_column *from);
/* Makes a deep copy, in which NULL names are "". After a failure (HB_ENOMEM) *to is as it was. */
hb_status hb_schema_copy(hb_schema *to, const hb_schema *from);
/* Words of some of the columns in one row, hb_column_words each. */
uint64_t hb_schema_words(const hb_schema *schema, uint64_t first, uint64_t columns);
/* Returns whether a column has both halves. */
bool hb_schema_has_halves(const hb_schema *schema);
/* Returns whether the numbers of a column stand for something else. */
bool hb_schema_has_meanings(const hb_schema *schema);
/* The largest base of digits: as many values as conditions tell apart (expression/graph/predicate.h), halved. */
#define HB_MOST_DIGIT_BASE ((uint64_t)1 << 16)
/* Returns whether numbers of so many digits to that base have 128 bits at most; true of 0, 0: of no digits. */
bool hb_digits_are_possible(uint64_t base, uint64_t digits);
/* Returns how many columns, from the first of these `count` on, are the digits of one number, all of them, the highest
 * one first; 0: it is none. *stem: how much of its name is that of the number. */
uint64_t hb_columns_digits(const hb_column *column, uint64_t count, size_t *stem);
/* Returns whether a column is a digit. */
bool hb_schema_has_digits(const hb_schema *schema);
/* Makes the schema of a plain table with the same values: a pair is two columns, side by side, of which nothing is
 * known but their names. They are those of its parts; where the table has such a name already, with that of the pair
 * and a point before it. HB_ENOMEM. */
hb_status hb_schema_unpair(hb_schema *to, const hb_schema *from);
/* Frees the columns and zeroes the schema; a zeroed one is fine. */
void hb_schema_clear(hb_schema *schema);
/* How a message calls column `column`, counted from 0: by its name if it may be shown, else by its number counted from
 * 1. Longer names are cut. */
#define HB_COLUMN_LABEL 64
void hb_column_label(char label[HB_COLUMN_LABEL], const hb_schema *schema, uint64_t column);

#endif
