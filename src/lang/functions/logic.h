/* Conditions together: and, or, not, and what they come to for all values that there may be. */
#ifndef HB_LANG_FUNCTIONS_LOGIC_H
#define HB_LANG_FUNCTIONS_LOGIC_H

#include "lang/ir/semantics.h"
#include "lang/value/lowering.h"

/* Returns what a condition may be: of reals it is off by errors. */
static inline hb_interval hb_truth_range(const hb_lowering *l)
{
    return l->graph.semantics->reals ? hb_interval_of_reals(-0.5, 1.5) : hb_interval_of(0, 1);
}
/* x and y (kind HB_ITEM_AND), or x or y (HB_ITEM_OR): a number that everybody knows in columns where both together are
 * the same for all values, as x < 2 or x > 1. */
hb_status hb_lower_logic(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, hb_value *out);
/* 1 - x. */
hb_status hb_lower_opposite(hb_lowering *l, hb_value *x, hb_value *out);

/* Keeps for which values the columns of a condition `out` are true: a comparison of x and y, or, of HB_ITEM_IN, that
 * integers are as one of the members says; what is not there is NULL. */
hb_status hb_lower_keep_truths(hb_lowering *l, hb_item_kind kind, hb_value *x, hb_value *y, const hb_member *members,
                               uint32_t count, const hb_value *out);

#endif
