/* Constants of derivations, as cells of the column that they are compared with. Rank-local. */
#ifndef HB_TABLE_DERIVED_CONSTANT_H
#define HB_TABLE_DERIVED_CONSTANT_H

#include "derivation.h"

/* Returns whether cells of a column are reals that stand for themselves. */
static inline bool hb_derived_is_number(const hb_column *column)
{
    return column->cells == HB_CELL_REAL && column->meaning.kind == HB_MEANING_NUMBER;
}

/* Reads a constant that is compared with cells of a column. One that is finer than these, as 3.5 beside whole numbers
 * or noon beside dates, is the cell below it, and `between`. HB_EUSAGE for texts that stand for nothing in the column.
 */
hb_status hb_derived_constant_read(const hb_derivation *d, const hb_column *column, const char *text,
                                   hb_derived_cell *out);

/* Returns less than 0, 0 or more than 0, as cell a is less than b, equal or greater. real: by `number`. */
static inline int hb_derived_cell_compare(const hb_derived_cell *a, const hb_derived_cell *b, bool real)
{
    const int order = real ? (a->number > b->number) - (a->number < b->number)
                           : (a->integer > b->integer) - (a->integer < b->integer);
    return order == 0 && b->between ? -1 : order;
}

#endif
