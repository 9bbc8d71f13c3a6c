/* Finds an approximation for an interval and bits, and makes the nodes of all columns of a value with it. Functions of
 * expressions use it (real_functions.c, quotient.c). */
#ifndef HB_LANG_FUNCTIONS_APPROXIMATE_COLUMNS_H
#define HB_LANG_FUNCTIONS_APPROXIMATE_COLUMNS_H

#include "functions.h"
#include "lang/ir/function.h"

/* A request for an approximation: the result is a function's times `scale`, plus `shift`. */
typedef struct hb_approximation_wish {
    hb_function function;
    double low, high; /* that it is good for */
    double bits, gap;
    double scale, shift;
    bool clear;          /* of sign: no value lies within the gap */
    bool beside;         /* the argument is also a factor of the result: expensive nodes are not made twice ... */
    double corner;       /* ... and that is found: how far the product may be off near 0 (hb_approximation.corner) */
    const char *made_of; /* "softmax is made of exp and inv: ", a prefix of messages about the function; NULL: none */
    uint32_t limbs;      /* of sign: that its argument has, mapped; else 0 */
} hb_approximation_wish;

/* Finds an approximation, once for all that ask for the same. *out: valid until the next one is found. HB_EDATA
 * with the place where hb_approximate finds none. */
hb_status hb_approximate_columns_find(hb_lowering *l, const hb_approximation_wish *w, const hb_approximation **out);

/* Finds the range of x over all its columns. HB_EUSAGE where it is unknown, or values are complex. name: of the
 * function, for messages. */
hb_status hb_approximate_columns_values(const hb_lowering *l, const hb_value *x, const char *name, hb_interval *out);
/* The same, or the interval of the call: ends [2], NULL: none. HB_EDATA where it does not hold the values. */
hb_status hb_approximate_columns_interval(hb_lowering *l, const hb_value *x, const hb_value *ends, const char *name,
                                          hb_interval *out);
/* Returns whether a factor of no column takes a level. */
bool hb_approximate_columns_absorb(const hb_lowering *l, const hb_value *x);

/* Makes the approximation of every column, whose values are mapped so. range: values of the function, or NULL: as those
 * of each column have it. Errors of values (lang/value/lowering.h), and of hb_graph_chebyshev. */
hb_status hb_approximate_columns_apply(hb_lowering *l, const hb_value *x, const hb_mapping *mapping,
                                       const hb_approximation_wish *w, const hb_approximation *f,
                                       const hb_interval *range, hb_value *out);
/* Make a smooth function, or sign, of x on an interval that holds `values`; *w gets the interval. Bits of *w are those
 * of the result. *error: the result's error, for sign outside the gap. Errors of hb_approximate_columns_find and of
 * hb_approximate_columns_apply; second: HB_EDATA also where the corner is farther off than the bits that were asked
 * for. */
hb_status hb_approximate_columns_smooth(hb_lowering *l, const hb_value *x, hb_interval values, hb_approximation_wish *w,
                                        double *error, hb_value *out);
hb_status hb_approximate_columns_jump(hb_lowering *l, const hb_value *x, hb_interval values, hb_approximation_wish *w,
                                      double *error, hb_value *out);
/* Makes any polynomial, where only keys are asked for: all polynomials relinearize their products. Errors of
 * values. */
hb_status hb_lower_any_polynomial(hb_lowering *l, const hb_value *x, hb_value *out);

#endif
