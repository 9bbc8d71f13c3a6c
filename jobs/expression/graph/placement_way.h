/* One way to go on at a step of placement: which values are bootstrapped for it, what that costs, and where it leads.
 * Here alone stands which values are bootstrapped together. */
#ifndef HB_EXPRESSION_GRAPH_PLACEMENT_WAY_H
#define HB_EXPRESSION_GRAPH_PLACEMENT_WAY_H

#include "placement.h"

typedef struct hb_placement_way {
    const uint8_t *levels; /* [operands] of the step, borrowed */
    uint32_t below;        /* operands below this level are bootstrapped, ... */
    uint32_t mate;         /* ... and this value, an operand or not; HB_PLACEMENT_NEVER: no other */
} hb_placement_way;

/* What is bootstrapped at a time of one kind. */
typedef struct hb_placement_together {
    uint64_t reals;
    double times;
} hb_placement_together;

/* Returns whether a value can be bootstrapped at all. */
static inline bool hb_placement_can_bootstrap(const hb_placement_step *step)
{
    return step->values.complex + step->values.reals > 0;
}

/* Returns a number that is above that of every kind of values. */
uint32_t hb_placement_kinds(const hb_placement_problem *problem);

/* Returns whether the operand with that number is bootstrapped. */
bool hb_placement_way_bootstraps(const hb_placement_step *step, uint32_t operand, hb_placement_way way);
/* Returns the level of the result of step `i`; -1: an operand cannot be bootstrapped, or there is no such level. */
int hb_placement_way_level(const hb_placement_problem *problem, uint32_t i, hb_placement_way way);
/* Returns what is paid for bootstrapping: real ones of a kind go in pairs, whichever value they are of. together:
 * [kinds] zero before and behind. */
double hb_placement_way_cost(const hb_placement_problem *problem, uint32_t i, hb_placement_way way,
                             hb_placement_together *together);
/* Returns whether real ones of value `x`, which the way leaves as it is, would make a pair with one that it leaves
 * alone, and that costs less than both alone. */
bool hb_placement_way_pairs(const hb_placement_problem *problem, uint32_t i, hb_placement_way way, uint32_t x);

#endif
