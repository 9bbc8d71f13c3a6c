/* Combinations of conditions: and, or, not, and their truth over all possible values. Errors of values
 * (lang/value/lowering.h). */
#ifndef HB_LANG_FUNCTIONS_LOGIC_H
#define HB_LANG_FUNCTIONS_LOGIC_H

#include "lang/ir/semantics.h"
#include "lang/value/lowering.h"

/* Returns the range of a condition; of reals it includes errors. */
static inline hb_interval hb_truth_range(const hb_lowering *l)
{
    return l->graph.semantics->reals ? hb_interval_of_reals(-0.5, 1.5) : hb_interval_of(0, 1);
}
/* x and y (kind HB_ITEM_AND), or x or y (HB_ITEM_OR): a public number in columns where the result is the same for all
 * values, as x < 2 or x > 1. */
hb_status hb_lower_logic(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out);
/* 1 - x. */
hb_status hb_lower_opposite(hb_lowering *l, hb_value *x, hb_value *out);

/* Keeps the values for which the columns of a condition `out` are true: a comparison of x and y, or, for HB_ITEM_IN,
 * integers x that are in one of the members. Unused operands are NULL. */
hb_status hb_lower_keep_truths(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, const hb_member *members,
                               uint32_t count, const hb_value *out);

#endif
