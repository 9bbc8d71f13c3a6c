/* Which rotations a linear map is made of (linear.h). */
#ifndef HB_CKKS_LINEAR_PLAN_H
#define HB_CKKS_LINEAR_PLAN_H

#include "linear.h"

/* A diagonal: its baby step and its giant step, indices of the plan's. */
typedef struct hb_linear_term {
    uint32_t baby, giant;
} hb_linear_term;

/* Steps in [0, n). Giant step 0, if there is one, is the first. */
typedef struct hb_linear_plan {
    uint32_t terms, babies, giants;
    hb_linear_term *term; /* [terms], in the order of the diagonals; owned */
    int64_t *baby;        /* [babies]; owned */
    int64_t *giant;       /* [giants]; in the same allocation */
    size_t period;        /* of the diagonals */
} hb_linear_plan;

/* Makes the plans of a sum of maps [count], which have the same giant steps: those that any of the maps has. One map
 * has its own. HB_ENOMEM. The caller clears all of them whatever happens; zeroed ones are allowed. Host. */
hb_status hb_linear_plans_init(hb_linear_plan *plans, size_t slots, const hb_linear_part *parts, uint32_t count);
void hb_linear_plan_clear(hb_linear_plan *plan);

#endif
