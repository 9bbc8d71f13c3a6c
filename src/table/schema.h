/* The rows and columns of a table, in a plain file or in a dataset. */
#ifndef HB_TABLE_SCHEMA_H
#define HB_TABLE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cell.h"
#include "base/status.h"
#include "base/wide.h"
#include "left_out.h"
#include "meaning.h"

/* Longest name of a column, in bytes: names are stored as fixed-length strings. */
#define HB_COLUMN_NAME_MAX 255

/* The parts of a column's values, and so the parts of a ciphertext of reals that hold them: real, imaginary. */
typedef enum hb_halves {
    HB_HALVES_REAL,    /* one number a row; imaginary parts are 0, but for errors. Integers have this, too */
    HB_HALVES_COMPLEX, /* a complex number a row */
    HB_HALVES_PAIR     /* two real numbers a row: one column of a table is the real part, another the imaginary part */
} hb_halves;

/* One column. Its values are 64-bit words: integers, two's complement if it is signed, or doubles. A value with both
 * parts has two words, the real part first; an integer of 128 bits two, the low one first. */
typedef struct hb_column {
    char *name;         /* "" where the source has no names; owned by the schema */
    hb_cell_type cells; /* the same of all columns of a table */
    hb_halves halves;   /* a plain table has no pairs */
    char *part[2];      /* of a pair: names of its two columns; else NULL. Owned by the schema */
    bool is_signed;     /* plain CSV: true iff the column holds a negative value; plain HDF5: as the type; of a dataset
                           whose range is declared: iff that goes below 0; false of reals */
    hb_meaning meaning; /* the meaning of its numbers; pairs and complex numbers mean themselves */
    /* For a digit of a larger number, called NAME.PLACE: the base, and the number of digits; else 0. */
    uint64_t digit_base, digits;
    /* The rest is known only for columns of a ciphertext dataset, and is 0 for a plain table: */
    bool ranged; /* all values lie in [least, most]; of both halves: their moduli are at most `most` = -least */
    uint64_t least, most; /* 0 unless `ranged` */
    /* For values modulo several plain moduli: the range is here, and least and most are 0. */
    bool wide;
    hb_wide wide_least, wide_most;
    bool may_wrap; /* computed, and not known to have stayed below t: the values may be wrong */
    /* For a column with a mask (hb_schema_masks): 1 + the number of the column that tells which of its cells are there;
     * else 0. */
    uint64_t mask;
    bool has_fill; /* for such a column: cells that are missing all have the value `fill`; else they mean nothing */
    uint64_t fill; /* ... 0 without, a word of the column's type; of integers 64 bits with a sign, also of wide ones */
    uint64_t full; /* for a mask: its value where the cell is there, and nowhere else, at most HB_MOST_FULL; else 0 */
} hb_column;
/* Returns whether the column may hold this word of the column's type and sign; where no range is known, true for every
 * integer and every finite number. */
bool hb_column_holds(const hb_column *column, uint64_t value);

/* Returns the words of a value: 2 with both parts, and for integers of 128 bits. */
static inline uint32_t hb_column_words(const hb_column *column)
{
    return column->halves == HB_HALVES_REAL && column->cells != HB_CELL_WIDE ? 1 : 2;
}

/* The meaning of totals of groups (grouping.h). */
typedef struct hb_grouping hb_grouping;

/* The description of a table, which decrypting restores. hb_schema_alloc or hb_schema_copy make one, hb_schema_clear
 * frees it. */
typedef struct hb_schema {
    uint64_t rows, columns;
    hb_left_out left_out; /* rows of the table that are not among `rows`, as a cell was missing */
    /* Rows that the totals it is made of lack for this reason: as many as the total that lacks most. */
    uint64_t total_left_out;
    /* In the comparisons that it is made of, values within this distance of a threshold may count as a part; 0: none
     * may. The widest distance of all. */
    double threshold_gap;
    uint32_t rank;  /* 1 or 2 dimensions of the dataset (CSV: 2) */
    uint32_t width; /* bytes of the type: 1, 2, 4, 8 for integers (CSV: 8), 16 for wide ones, 8 for reals */
    bool big_endian;
    bool named;            /* columns have names */
    hb_column *column;     /* [columns]; owned */
    hb_grouping *grouping; /* of a dataset of one row that is shown as a table of groups; owned; else NULL */
} hb_schema;

/* Returns whether a name reads as a number, a date or a time, such as 34, -1.5, 2020-01-31 or 12:30. */
bool hb_name_is_number(const char *name);
/* Returns whether messages may show names of columns. They may not where a name is a number: in a CSV without a line of
 * names the first row takes its place, which is plaintext, and messages end in logs. */
bool hb_columns_show_names(const hb_column *column, uint64_t count);
/* Returns HB_EDATA, giving the position but not the name, unless every name is UTF-8, not empty, and unique: otherwise
 * a dataset or an expression would not mean the columns that the table's owner meant. HB_OK where columns have no
 * names. `table` is the path for messages. */
hb_status hb_schema_check_names(const hb_schema *schema, const char *table);
/* Allocates `columns` zeroed columns, whose names are NULL, and sets rows and columns of the schema, nothing else.
 * HB_ENOMEM. */
hb_status hb_schema_alloc(hb_schema *schema, uint64_t rows, uint64_t columns);
/* Makes a deep copy of a column, whose texts the caller frees, also after it returns false for want of memory. */
bool hb_column_copy(hb_column *to, const hb_column *from);
/* Makes a deep copy, in which NULL names are "". After a failure (HB_ENOMEM) *to is unchanged. */
hb_status hb_schema_copy(hb_schema *to, const hb_schema *from);
/* Returns the words of some of the columns in one row, hb_column_words each. */
uint64_t hb_schema_words(const hb_schema *schema, uint64_t first, uint64_t columns);
/* Returns how many columns are masks, which stand behind all others and hold which cells of these are there. A table
 * that is shown has none of them. */
uint64_t hb_schema_masks(const hb_schema *schema);
/* Returns how many columns are no masks. */
static inline uint64_t hb_schema_shown(const hb_schema *schema)
{
    return schema->columns - hb_schema_masks(schema);
}
/* Returns whether every column with a mask is as tables that are encrypted have it: its fill where a cell is missing,
 * and its mask 0 or 1. */
bool hb_schema_masks_are_fresh(const hb_schema *schema);
/* Returns whether a cell of a column that is read from a table is there, by the first word of its mask, 0 or 1. */
static inline bool hb_column_is_there(const hb_column *column, uint64_t mask)
{
    return column->cells == HB_CELL_REAL ? hb_real_of(mask) != 0 : mask != 0;
}
/* Returns whether some column has a fill that is not 0. Programs before version 10 of datasets take it for 0. */
bool hb_schema_has_fills(const hb_schema *schema);
/* Returns whether two columns have the same mask, or both none, and are masks of one full value, or both no masks. */
bool hb_column_same_mask(const hb_column *x, const hb_column *y);
/* Returns HB_EUSAGE where a column has a mask: `what` does not take it. `table` is the path for messages. */
hb_status hb_schema_refuse_masks(const hb_schema *schema, const char *table, const char *what);
/* The `what` for plain tables. */
extern const char hb_plain_without_masks[];
/* Returns whether a column has both parts. */
bool hb_schema_has_halves(const hb_schema *schema);
/* Returns whether the numbers of a column have another meaning than themselves. */
bool hb_schema_has_meanings(const hb_schema *schema);
/* The largest value of a mask: that of a result is the sum of as many masks of columns. */
#define HB_MOST_FULL ((uint64_t)1 << 16)
/* The largest base of digits: as many values as conditions tell apart (lang/ir/predicate.h), halved. */
#define HB_MOST_DIGIT_BASE ((uint64_t)1 << 16)
/* Returns whether numbers with that many digits to that base have at most 128 bits; true for 0, 0: no digits. */
bool hb_digits_are_possible(uint64_t base, uint64_t digits);
/* Returns how many columns, from the first of these `count` on, are all digits of one number, the highest first; 0: the
 * first is no such digit. *stem: the length of the number's name within the column's. */
uint64_t hb_columns_digits(const hb_column *column, uint64_t count, size_t *stem);
/* Returns whether a column is a digit. */
bool hb_schema_has_digits(const hb_schema *schema);
/* Makes the schema of a plain table with the same values: a pair becomes two columns, side by side, of which only the
 * names are known. They have the names of its parts; where the table has such a name already, prefixed with the pair's
 * name and a point. HB_ENOMEM. */
hb_status hb_schema_unpair(hb_schema *to, const hb_schema *from);
/* Frees the columns and zeroes the schema; a zeroed one is fine. */
void hb_schema_clear(hb_schema *schema);
/* Writes the name of column `column`, counted from 0, for messages: its name if it may be shown, else its number
 * counted from 1. Longer names are cut. */
#define HB_COLUMN_LABEL 64
void hb_column_label(char label[HB_COLUMN_LABEL], const hb_schema *schema, uint64_t column);
/* The same where it is known whether names may be shown, which takes a look at all of them: for many columns. */
void hb_column_label_of(char label[HB_COLUMN_LABEL], const hb_schema *schema, uint64_t column, bool shows_names);

#endif
