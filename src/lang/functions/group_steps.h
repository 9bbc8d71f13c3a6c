/* Sums over the rows of groups of reals. A key of whole numbers from `least` on has D - 1 steps between them, each sign
 * of a difference that is at least a half; "it is v" is the difference of the steps beside v. So sums move inwards: the
 * sum of x of the rows with v is the difference of two sums of x times a step. */
#ifndef HB_LANG_FUNCTIONS_GROUP_STEPS_H
#define HB_LANG_FUNCTIONS_GROUP_STEPS_H

#include "functions.h"
#include "lang/ir/indicator.h"

/* Makes the steps of a key, a node, values [count] of which ascend by 1: steps [count], steps[i] is 1 where it is
 * values[i] or more, else 0; of i = 0 HB_NO_NODE, as it is 1 everywhere. HB_EDATA as hb_lower_compare. */
hb_status hb_group_steps_make(hb_lowering *l, const hb_group_key *key, uint32_t *steps);
/* Makes the sums over the rows of each group by that one key, which are counts where there are no values: totals
 * [groups]. HB_EUSAGE for a count of all rows. */
hb_status hb_group_steps_sums(hb_lowering *l, const hb_groups *groups, const uint32_t *steps, const hb_indicated *of,
                              uint32_t *totals);

#endif
