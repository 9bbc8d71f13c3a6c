/* Sums over the rows of groups of reals. A key of whole numbers from `least` on has D - 1 steps between them, each sign
 * of a difference that is at least a half; "it is v" is the difference of the steps beside v. So sums move inwards: the
 * sum of x of the rows with v is the difference of two sums of x times a step. Several keys are joined to one: keys of
 * D and E values are the key E (k - least of k) + (l - least of l), which has D E values. */
#ifndef HB_LANG_FUNCTIONS_GROUP_STEPS_H
#define HB_LANG_FUNCTIONS_GROUP_STEPS_H

#include <stdlib.h>

#include "functions.h"
#include "lang/ir/indicator.h"

/* The joined key of groups. */
typedef struct hb_group_steps {
    uint32_t count;  /* of its values */
    uint32_t *steps; /* [count], owned: steps[i] is 1 from value i on, else 0; of i = 0 HB_NO_NODE, 1 everywhere */
    bool *chosen;    /* [groups][count], owned: which of its values a group has */
} hb_group_steps;

/* Joins the keys of groups, each of whose values ascend by 1, and makes its steps. *steps is zeroed at first, and the
 * caller clears it, also after a failure. HB_EDATA as hb_lower_compare; HB_ENOMEM. */
hb_status hb_group_steps_make(hb_lowering *l, const hb_groups *groups, hb_group_steps *steps);
static inline void hb_group_steps_clear(hb_group_steps *steps)
{
    free(steps->steps);
    free(steps->chosen);
    *steps = (hb_group_steps){0};
}
/* Makes the sums over the rows of each group, which are counts where there are no values: totals [groups]. HB_EUSAGE
 * for a count of all rows. */
hb_status hb_group_steps_sums(hb_lowering *l, const hb_groups *groups, const hb_group_steps *steps,
                              const hb_indicated *of, uint32_t *totals);

#endif
