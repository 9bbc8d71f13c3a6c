/* Which cells of a value may be missing. A value is missing in a row where a column that it is made of is: its gaps are
 * the masks of these columns. Types carry them, so that lowering multiplies by masks only where results change. */
#ifndef HB_LANG_TYPES_GAPS_H
#define HB_LANG_TYPES_GAPS_H

#include <string.h>

#include "lang/types/type.h"

struct hb_types;

/* A mask: a column of an operand that is an input. */
typedef struct hb_gap {
    uint32_t operand, column;
} hb_gap;

/* The gaps of one column of a value. */
struct hb_column_gaps {
    uint32_t count; /* masks; 0: no cell is missing */
    bool zero;      /* the value is 0 in rows where it is missing */
    /* The column comes from a table and has one mask: where it is missing it has the value `fill`, at scale
     * `fill_scale`. fill_scale 0: no such value is known. */
    hb_number fill;
    uint64_t fill_scale;
    const hb_gap *gap; /* [count], ascending, each once; owned by the list of types */
};

/* Gaps of the columns of one type, and their masks behind them, in a list of all that were made. */
typedef struct hb_made_gaps {
    struct hb_made_gaps *next;
    hb_column_gaps column[];
} hb_made_gaps;

/* Returns whether some cell of a value may be missing. */
bool hb_type_has_gaps(const hb_type *type);
/* Returns the gaps of a column; a value of one column has the same gaps beside every column of another value. */
hb_column_gaps hb_type_gaps(const hb_type *type, uint32_t column);
/* Returns whether every weight of a column is known to be 0: a product with these weights does not read it. */
bool hb_type_weightless(const hb_type *weights, uint32_t column);
static inline bool hb_type_has_weightless(const hb_type *weights)
{
    uint32_t c = 0;
    while (c < weights->columns && !hb_type_weightless(weights, c)) {
        c++;
    }
    return c < weights->columns;
}
/* Returns whether two columns are missing in the same rows, as far as types know. */
static inline bool hb_gaps_same(const hb_column_gaps *x, const hb_column_gaps *y)
{
    return x->count == y->count && (x->count == 0 || memcmp(x->gap, y->gap, x->count * sizeof *x->gap) == 0);
}
/* Returns whether a column has a fill that is not 0: x - fill + fill*mask is x where it is there, else 0, and takes no
 * product of ciphertexts. */
static inline bool hb_gaps_filled(const hb_column_gaps *x)
{
    return x->fill_scale > 0 && !x->zero;
}
/* Returns which mask a column of a result has, counted from 0 in the order of the first column that has each;
 * UINT32_MAX: none. */
uint32_t hb_type_mask(const hb_type *type, uint32_t column);
/* Returns whether all columns are truth values by their meaning: a count of them is that of the rows where they are
 * true. */
static inline bool hb_types_truths(const hb_type *x)
{
    bool truths = true;
    for (uint32_t c = 0; c < x->columns; c++) {
        truths = truths && hb_meaning_wholeness(hb_type_meaning(x, c)) == HB_TRUTH_NUMBER;
    }
    return truths;
}
/* Returns whether a count of these columns is that of the cells that are there, and not of rows where they are true. */
static inline bool hb_types_counts_cells(const hb_type *x)
{
    return hb_type_has_gaps(x) && !x->unsure && !hb_types_truths(x);
}
/* Returns whether a count of this column, in which no cell is missing, may be that of all rows. Numbers have a range as
 * well, which lowering knows: numbers of 0 and 1 are a condition. */
static inline bool hb_types_counts_rows(const hb_type *x)
{
    return x->kind == HB_TYPE_ROWS && x->columns == 1 && !hb_type_has_gaps(x) && !hb_types_truths(x);
}
/* Finds the gaps of the result, `out`, that an item makes of its operands. HB_EUSAGE at the item where it does not take
 * operands with missing cells; HB_ENOMEM. */
hb_status hb_types_find_gaps(struct hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out);

#endif
