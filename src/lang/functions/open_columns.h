/* Columns of a result, some of which ranges decide beforehand: only the other columns are computed, and put between.
 * HB_NO_NODE stands in the pool for a column that is still open. */
#ifndef HB_LANG_FUNCTIONS_OPEN_COLUMNS_H
#define HB_LANG_FUNCTIONS_OPEN_COLUMNS_H

#include "lang/value/lowering.h"

/* Makes `out` a value of so many columns, all of them open. HB_EUSAGE for too many, HB_ENOMEM. */
hb_status hb_open_columns_begin(hb_lowering *l, uint32_t columns, hb_value *out);
/* Returns how many are open. */
uint32_t hb_open_columns_count(const hb_lowering *l, const hb_value *out);
/* Makes *part the columns of x, which is loaded, where `out` is open; x itself where it is a number or one column that
 * serves all. HB_EUSAGE, HB_ENOMEM as above. */
hb_status hb_open_columns_part(hb_lowering *l, const hb_value *x, const hb_value *out, hb_value *part);
/* Opens known real numbers again unless all columns are such: beside others they are approximated as these are, and
 * the result stays one of ciphertexts. Known integers stay. */
void hb_open_columns_again(hb_lowering *l, const hb_value *out);
/* Puts columns, of which there are as many as open ones, or one for all, in their places. */
void hb_open_columns_fill(hb_lowering *l, const hb_value *made, const hb_value *out);

/* Returns the node of a column, of which one may serve all; HB_NO_NODE of a number. */
uint32_t hb_open_columns_node(const hb_lowering *l, const hb_value *x, uint32_t column);
/* Returns the range of a column; for complex numbers the magnitude, on both sides of 0. */
hb_interval hb_open_columns_values(const hb_lowering *l, const hb_value *x, uint32_t column);
/* Returns 1 where a node is nowhere below 0, -1 where it is nowhere above, for all possible rows; 0 where its range
 * does not decide. at_zero: the side of the value 0; 0: neither. */
int hb_open_columns_side(const hb_lowering *l, uint32_t node, int at_zero);

#endif
