/* Rows that a condition selects, by sums of approximate numbers: an invertible Bloom lookup table (Goodrich,
 * Mitzenmacher: Invertible Bloom Lookup Tables, Allerton 2011). Each row of a table belongs to one cell of each way, by
 * a hash of its number. A cell holds sums over its selected rows: how many they are, the digits of their numbers, and
 * their values. A cell with one selected row shows it. That row is then taken out of its other cells, and so on until
 * all cells are empty. The sums may have errors, up to a bound E that is known: counts and digits are rounded, and rows
 * are found from these integers exactly. Every count, every digit and every value of every cell, also of an empty one,
 * has to be explained by the rows that were found, within E for each sum, and each row by its hashes.
 *
 * A row may count as a part p, near the threshold of a comparison: one that is not found adds p to a count and p times
 * a value to its sum; one that is found lacks that much. Counts and digits are therefore stored times `unit`, which is
 * no smaller than any value. A count may be off by E, of which E more may hide as much, so the parts of a cell that add
 * up, those of one side of the threshold, are 2 E / unit together, or they are noticed. They change a sum of values by
 * 2 E at most, and a sum is right to 3 E. Parts of both sides could hide one another in a count, and would have to do
 * so in all cells of their rows, and in their values there: two rows have all cells in common with a chance below
 * 2^-12. */
#ifndef HB_TABLE_IBLT_H
#define HB_TABLE_IBLT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    HB_IBLT_WAYS = 5,         /* cells that a row belongs to */
    HB_IBLT_MOST_DIGITS = 22, /* of any number of rows */
    HB_IBLT_DIGIT = 8,        /* the base of the digits; a sum has them as shares of it: 0/8 .. 7/8 */
    HB_IBLT_ERRORS = 8,       /* a value has the errors of at most so many sums */
    HB_IBLT_WANTED = 5,       /* errors of counts and digits: at most 2^-this units, a quarter of a digit's step */
    HB_IBLT_MOST_UNIT = 52,   /* log2 of the largest unit */
};

/* How many sums there are, and of what. The sums of a cell (hb_iblt_each) stand together, those of cell `way * cells +
 * cell` after those of the cells before it: the count, the digits from the lowest on, and the columns' values. */
typedef struct hb_iblt {
    uint64_t rows;   /* of the table; at least 1 */
    uint32_t cells;  /* of a way */
    uint32_t digits; /* of the number of a row, from 0 */
    double unit;     /* a selected row counts so much: a whole number, 1 to 2^HB_IBLT_MOST_UNIT */
} hb_iblt;

/* Returns the table for up to `most` rows of so many, from which all of them come apart but for a chance below 2^-12
 * (two rows of one cell in every way), with a unit of 1. most: at least 1. */
hb_iblt hb_iblt_for(uint64_t rows, uint32_t most);
/* Returns the digits of the numbers of so many rows. */
uint32_t hb_iblt_digits(uint64_t rows);
/* Returns how many sums a cell has for so many columns; the first 1 + digits are its count and digits. */
static inline uint64_t hb_iblt_each(uint32_t digits, uint64_t columns)
{
    return 1 + digits + columns;
}
/* Returns how many sums there are for so many columns; at most 2^24 columns. */
static inline uint64_t hb_iblt_sums(const hb_iblt *table, uint64_t columns)
{
    return (uint64_t)HB_IBLT_WAYS * table->cells * hb_iblt_each(table->digits, columns);
}
/* Returns the cell of a row in a way, from 0. Files hold sums of these cells: another hash would be another format. */
uint32_t hb_iblt_cell(const hb_iblt *table, uint32_t way, uint64_t row);
/* Returns digit i of the number of a row, 0 to 7; the lowest first. */
static inline uint32_t hb_iblt_digit(uint64_t row, uint32_t i)
{
    return row >> 3 * i & (HB_IBLT_DIGIT - 1);
}

/* The sums of all cells, which are right to `error`, at least 0. INFINITY: nothing is known of it, and counts and
 * digits alone are checked, as HB_IBLT_WANTED says. */
typedef struct hb_iblt_totals {
    const double *sums; /* [hb_iblt_sums] */
    uint64_t columns;
    double error;
} hb_iblt_totals;

/* Finds the selected rows, in ascending order, from their sums: rows [most], values [most][columns]. A value stands by
 * itself in its sum where the row is alone in one of its cells; else others are subtracted. HB_EDATA: more rows are
 * selected, rows do not come apart, or the sums are those of no rows, as where errors are larger than was said or a row
 * counts as a part; HB_ENOMEM. In variable time, as the caller may see all of it. */
hb_status hb_iblt_rows(const hb_iblt *table, const hb_iblt_totals *totals, uint32_t most, uint64_t *rows,
                       double *values, size_t *count);

#endif
