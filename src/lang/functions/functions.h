/* Functions and operators that make nodes of several values, and the conditions and groups that they take. Unless a
 * line says otherwise, all return errors of values (lang/value/lowering.h); HB_EUSAGE or HB_EDATA at the current item
 * for operands that they do not take; and HB_ECONFIG where the parameters lack the operation: comparisons of integers
 * mod a t that is no prime, or columns of rows within slots under parameters like SEAL's. */
#ifndef HB_LANG_FUNCTIONS_FUNCTIONS_H
#define HB_LANG_FUNCTIONS_FUNCTIONS_H

#include "lang/value/lowering.h"

/* matrix.c: a table of weights, row by row, times columns: column i of the result is that of row i; or a matrix within
 * a sample times another one, or times columns that are a vector. */
hb_status hb_lower_matrix(hb_lowering *l, hb_value *weights, hb_value *x, hb_value *out);
/* Makes such a product where the left side are weights (weights.c). Errors as above. */
hb_status hb_lower_weights(hb_lowering *l, hb_value *weights, hb_value *x, hb_value *out);
/* Sets *table to the plain table that a value is, and *values to its numbers, the caller's to wipe and free; `place`
 * says where it stands. HB_EUSAGE where it has too many numbers, rows were left out or numbers are complex;
 * HB_ENOMEM. */
hb_status hb_lower_real_weights(hb_lowering *l, const hb_value *weights, const char *place, const hb_operand **table,
                                double **values);

/* Why schemes of integers do not have a function (hb_signature.reals). */
#define HB_NO_POLYNOMIAL                                                                                          \
    "functions that are no polynomials are for reals: keygen and params suggest --scheme ckks; or take it after " \
    "decrypting"

/* real_functions.c: a comparison of reals: below < above, or below <= above. Whole numbers are
 * told apart exactly; others that are equal, or nearer than the gap, may come to anything between 0 and 1. */
hb_status hb_lower_compare(hb_lowering *l, hb_value *below, hb_value *above, bool or_equal, hb_value *out);
/* The larger or the smaller of two, one of which is encrypted, of reals; as max and min have it. whole: they are whole
 * numbers, and so is the result. */
hb_status hb_lower_extreme(hb_lowering *l, hb_value *x, hb_value *y, bool largest, bool whole, hb_value *out);
/* The step of an encrypted value of magnitude `most` or less that is at least `gap` away from 0 in every row. */
hb_status hb_lower_step(hb_lowering *l, const hb_value *x, double most, double gap, hb_value *out);
/* quotient.c */
hb_status hb_lower_divide(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out);
/* approximate_columns.c: frees the approximations. */
void hb_lowering_clear_approximations(hb_lowering *l);

/* condition.c: comparisons: items HB_ITEM_LESS to HB_ITEM_IN, of their values. */
hb_status hb_lower_condition(hb_lowering *l, const hb_item *item, hb_value *values, hb_value *out);

/* HB_EUSAGE unless the values are known to be 0 and 1, which they are loaded for; `what` takes them. */
hb_status hb_lower_require_condition(hb_lowering *l, const char *what, hb_value *x);

/* integer_functions.c: of integers. A comparison, one side of which is encrypted: */
hb_status hb_lower_compare_integers(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out);
/* Members of a table, of which the first one that contains a value counts. A view. */
typedef struct hb_members {
    const hb_member *list; /* [count] */
    uint32_t count;
    bool complete; /* every value that a column may have needs one */
} hb_members;
/* Makes a table: 1, or the number, of the first member that contains a value of x; 0 where none does. x: encrypted.
 * HB_EDATA, naming some values, where members are to be complete and are not. */
hb_status hb_lower_table(hb_lowering *l, hb_value *x, hb_members members, hb_value *out);
/* The larger or the smaller of two, one of which is encrypted; and the magnitude of x, which is loaded. */
hb_status hb_lower_extreme_integer(hb_lowering *l, hb_value *x, hb_value *y, bool largest, hb_value *out);
hb_status hb_lower_absolute(hb_lowering *l, hb_value *x, hb_value *out);
/* digits.c: comparisons, one side of which is digits(base, high, ..., low). */
hb_status hb_lower_compare_digits(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_value *y,
                                  hb_value *out);

/* aggregate.c: returns the condition that selects rows of a value; NULL: there is none. */
const hb_value *hb_lower_condition_of(const hb_lowering *l, const hb_value *x);
/* Makes rows of x with 0 where their condition is. */
hb_status hb_lower_selected(hb_lowering *l, const hb_value *x, hb_value *out);
/* Makes an aggregate over all rows by the epilogue of its function. */
hb_status hb_lower_aggregate(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out);

/* shown_count.c */
/* Makes a total of 0 of something encrypted that is read before an item; HB_NO_NODE where nothing is, or of rows within
 * slots. Nobody can tell it from other totals without the secret key. */
hb_status hb_lower_zero_total(hb_lowering *l, const hb_item *before, uint32_t *zero);
/* Makes a count that is no secret a result by itself, which is assigned here: a total of 0 that is not shown, with the
 * count beside it in the clear. HB_EUSAGE for the number of all rows, which info shows, and where nothing is
 * encrypted. */
hb_status hb_lower_shown_count(hb_lowering *l, const hb_item *assigned, hb_value *count);

/* row_sum.c */
/* Makes the sum of each group of so many columns of x, all groups alike, columns without a name; `everywhere`: of rows
 * within slots, which have it once for each column of x. Without it there is one group. */
hb_status hb_lower_row_sum(hb_lowering *l, const hb_value *x, uint32_t group, bool everywhere, hb_value *out);

#endif
