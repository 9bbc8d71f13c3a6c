/* Columns that are computed in the clear from columns of plain tables: expressions over them, row by row, as 2*w, as
 * w - v, or as the condition w.ward == 3, which is 1 or 0. Cells stay with their tables, and values are found where
 * rows are wanted. Integers are exact, of up to 127 bits and a sign; reals are doubles, and each operation rounds once.
 */
#ifndef HB_LANG_PROGRAM_DERIVED_H
#define HB_LANG_PROGRAM_DERIVED_H

#include "base/hash.h"
#include "base/modarith.h"
#include "interval.h"
#include "lang/text/syntax.h"

/* How the cells of a column stand in memory. */
typedef enum hb_plain_layout {
    HB_PLAIN_CODES,  /* uint16_t: numbers from 0 on */
    HB_PLAIN_WORDS,  /* int64_t */
    HB_PLAIN_WIDE,   /* hb_i128 */
    HB_PLAIN_REALS,  /* double */
    HB_PLAIN_COMPLEX /* double[2] */
} hb_plain_layout;

/* The cells of a column. */
typedef struct hb_plain_cells {
    hb_plain_layout type;
    uint64_t rows; /* 1: the cell serves all rows of others */
    const void *cell;
} hb_plain_cells;
/* Returns the bytes of a cell. */
size_t hb_plain_cell_bytes(hb_plain_layout type);

/* The value of a row; the columns say which of the two it is. */
typedef union hb_plain_value {
    hb_i128 integer;
    struct {
        double real, imaginary;
    };
} hb_plain_value;

/* The values that are looked for: from `low` to `high`, both included. */
typedef struct hb_plain_member {
    hb_plain_value low, high;
} hb_plain_member;

/* The operation that makes a column. */
typedef struct hb_derived_column {
    /* HB_ITEM_NAME: cells, of a column of an operand or, without one, codes; HB_ITEM_NUMBER; HB_ITEM_ADD to
     * HB_ITEM_DIVIDE; HB_ITEM_LESS to HB_ITEM_NOT_EQUAL; HB_ITEM_IN: whether `a` is one of the members. */
    hb_item_kind kind;
    uint32_t a, b; /* columns before it; of cells the operand and its column; HB_NO_INDEX: none */
    hb_plain_value number;
    hb_plain_cells cells;
    hb_plain_member *members; /* [member_count], owned by the list of columns, as are ... */
    uint32_t member_count;
    bool owned; /* ... the cells, where this says so; else borrowed of their table */
    /* Properties of its values: */
    uint64_t rows;      /* 1: it is the same in all rows of others */
    bool complex;       /* its numbers may have imaginary parts */
    hb_interval values; /* of complex ones the interval of their moduli and the opposite of these */
    uint64_t chosen;    /* rows in which it is not 0 */
    bool tallied;       /* its numbers were counted: */
    uint64_t *tally;    /* [2^16] how many rows have each number; owned; NULL: not counted, or some are not whole */
    uint64_t totalled;  /* over how many rows `total` is found; 0: it is not */
    hb_plain_value total;
    uint32_t known; /* of a list that shares facts: the same column there */
    uint32_t load;  /* 1 + the load of it alone; 0: there is none */
} hb_derived_column;

/* The content of one plaintext: a column, or, of rows within slots, all columns of a value. */
typedef struct hb_derived_load {
    uint32_t first, count; /* among `loaded` */
} hb_derived_load;

/* A growing list, each column once; zeroed at first. */
typedef struct hb_derived {
    bool reals; /* of all values; set before a column is added */
    /* A list of the same tables that outlives this one, borrowed: it finds properties of values, and totals, once for
     * all lists that share it. NULL: this list finds them itself. */
    struct hb_derived *known;
    hb_derived_column *column;
    uint32_t count, capacity;
    hb_index_table table; /* of columns, by their kind and operands */
    hb_derived_load *load;
    uint32_t load_count, load_capacity;
    uint32_t *loaded; /* [loaded_count] columns */
    uint32_t loaded_count, loaded_capacity;
} hb_derived;

/* Sets *out to the column that `made` describes; a new one is added with the properties of its values. The list takes
 * members and owned cells, both from malloc, also after a failure. HB_EDATA, naming the row, for an integer that 128
 * bits do not hold, a real beyond all doubles, and a divisor of 0; HB_ENOMEM. */
hb_status hb_derived_add(hb_derived *derived, const hb_derived_column *made, uint32_t *out);
/* The same of two columns, of a number, and of codes [rows] from malloc, which the list takes. HB_EDATA, HB_ENOMEM. */
hb_status hb_derived_add_pair(hb_derived *derived, hb_item_kind kind, uint32_t a, uint32_t b, uint32_t *out);
hb_status hb_derived_add_number(hb_derived *derived, hb_plain_value number, uint32_t *out);
hb_status hb_derived_add_codes(hb_derived *derived, uint16_t *codes, uint64_t rows, uint32_t *out);
/* Sets *load to the number of a load of these columns [count]. HB_ENOMEM. */
hb_status hb_derived_add_load(hb_derived *derived, const uint32_t *columns, uint32_t count, uint32_t *load);
/* Returns column i of a load. */
static inline uint32_t hb_derived_loaded(const hb_derived *derived, uint32_t load, uint32_t i)
{
    return derived->loaded[derived->load[load].first + i];
}

/* Writes the values of a column for rows first .. first + count: values [count]. As hb_derived_add. Any number of
 * threads may call it. */
hb_status hb_derived_values(const hb_derived *derived, uint32_t column, uint64_t first, uint64_t count,
                            hb_plain_value *values);
/* Sets *total to the sum of a column over `rows` rows, which are all of the column's where it has more than one. It is
 * exact, and of reals rounded once. HB_EDATA where 128 bits, or doubles, do not hold it; HB_ENOMEM. */
hb_status hb_derived_total(const hb_derived *derived, uint32_t column, uint64_t rows, hb_plain_value *total);
/* Where the values of a plaintext stand. */
typedef struct hb_derived_place {
    uint64_t first, rows; /* which rows */
    size_t apart;         /* words from one row to the next */
    size_t imaginary;     /* words from real to imaginary parts; 0: there is no room for these */
    uint64_t modulus;     /* t, of integers */
} hb_derived_place;
/* Writes the values of a load as the scheme takes them: residues in [0, t), or the words of doubles. As
 * hb_derived_values. */
hb_status hb_derived_fill(const hb_derived *derived, uint32_t load, hb_derived_place place, uint64_t *words);

/* Makes a deep copy, but for borrowed cells and the list that is shared. HB_ENOMEM. */
hb_status hb_derived_copy(const hb_derived *from, hb_derived *out);
/* Wipes, and allows a zeroed list. */
void hb_derived_clear(hb_derived *derived);

#endif
