/* The linear maps of bootstrapping (bootstrap.h): their diagonals, levels and keys. Host. */
#ifndef HB_CKKS_BOOTSTRAP_MAPS_H
#define HB_CKKS_BOOTSTRAP_MAPS_H

#include "bootstrapping/chain.h"
#include "ring/galois.h"
#include "slot_factors.h"

/* Returns the baby steps of a map of so many diagonals (linear.h): 16, so of 63 diagonals 15 and 3 giant steps; of more
 * than 64 diagonals 32, so of 255 diagonals 31 and 7. A giant step switches keys for itself, a baby step has a share in
 * one switch. */
uint32_t hb_bootstrap_baby(uint32_t diagonals);

/* Returns with which values repeat, where 0 stands for all slots. HB_ECONFIG where that is no power of two, more than
 * there are, or less than maps of a stage each. */
hb_status hb_bootstrap_period(const hb_params *params, size_t period, size_t *out);
/* Sets steps[0 .. return value) to the rotations of the trace, which adds up values that stand a period apart; that is
 * one of hb_bootstrap_period's. */
uint32_t hb_bootstrap_trace_steps(const hb_params *params, size_t period, int64_t steps[HB_GALOIS_MOST_STEPS]);
/* Returns the transform of a direction, which as many maps make as a chain has levels for it, of values that repeat
 * with a period. */
hb_slot_transform hb_bootstrap_transform(const hb_params *params, hb_slot_direction direction, size_t period);
/* Returns the levels of an order of bootstrapping: of `lowest`, or of the others. */
static inline hb_bootstrapping_levels hb_bootstrap_levels(const hb_params *params, bool lowest)
{
    return lowest ? hb_bootstrapping_lowest_levels_of(&params->spec) : hb_bootstrapping_levels_of(&params->spec);
}
/* Returns the limbs of the operand of map i of a direction. */
uint32_t hb_bootstrap_map_limbs(const hb_bootstrapping_levels *levels, hb_slot_direction direction, uint32_t i);

/* Returns the scale at which its diagonals are encoded; range_bits: values are read at a scale 2^range_bits smaller
 * where they become coefficients. `lowest`: the last map to coefficients brings values back to their size. */
hb_exact_scale hb_bootstrap_map_scale(const hb_params *params, bool lowest, hb_slot_direction direction, uint32_t i,
                                      uint32_t range_bits);

/* Values v of a modulus within 2^range_bits at the lowest level, of the scale S_0, are multiplied by 2^*gain, the most
 * with which coefficients are within q_0 / ratio. EvalMod gives z = v *size then, |z| <= 1: *size = 2^*gain S_0 ratio /
 * q_0, which semantics.md 9.13 calls Z. Returns false, and sets nothing, where values do not fit: the form's ratio is
 * too large for q_0. */
bool hb_bootstrap_lowest_size(const hb_params *params, uint32_t range_bits, uint32_t *gain, hb_exact_scale *size);
/* Refuses values of such a range that are not bootstrapped from the lowest level (hb_ckks_bootstraps_lowest):
 * HB_EDATA. */
hb_status hb_bootstrap_require_lowest(const hb_params *params, uint32_t range_bits);

#endif
