/* A transition of placement at one step: the values that are bootstrapped for it, its cost, and the next state. This
 * file alone decides which values are bootstrapped together. */
#ifndef HB_LANG_BOOTSTRAPPING_TRANSITION_H
#define HB_LANG_BOOTSTRAPPING_TRANSITION_H

#include "placement.h"

/* Returns the level of a step's result that its operands would have at that level. */
static inline uint32_t hb_placement_capped(const hb_placement_step *step, uint32_t level)
{
    return step->most > 0 && level > step->most ? step->most : level;
}

typedef struct hb_transition {
    const uint8_t *levels; /* [operands] of the step, borrowed */
    uint32_t below;        /* operands below this level are bootstrapped, ... */
    uint32_t mate;         /* ... and this value, an operand or not; HB_PLACEMENT_NEVER: no other */
} hb_transition;

/* The values of one kind that are bootstrapped at a time. */
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
bool hb_transition_bootstraps(const hb_placement_step *step, uint32_t operand, hb_transition way);
/* Return how many bootstraps bring a value at `level`, below `below`, to that level at least; and the level of it
 * then. */
uint32_t hb_transition_times(const hb_placement_problem *problem, uint32_t level, uint32_t below);
uint32_t hb_transition_raised(const hb_placement_problem *problem, uint32_t level, uint32_t below);
/* Returns the level of the result of step `i`; -1: an operand cannot be bootstrapped, or there is no such level. */
int hb_transition_level(const hb_placement_problem *problem, uint32_t i, hb_transition way);
/* Returns the cost of bootstrapping: real ciphertexts of a kind go in pairs, also those of different values. together:
 * [kinds] zero before and behind. */
double hb_transition_cost(const hb_placement_problem *problem, uint32_t i, hb_transition way,
                          hb_placement_together *together);
/* Returns whether bootstrapping value `x` as well, which the way leaves as it is, pairs its single real ciphertext with
 * another single one, and costs less than both alone. */
bool hb_transition_pairs(const hb_placement_problem *problem, uint32_t i, hb_transition way, uint32_t x);

#endif
