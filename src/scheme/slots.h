/* How the slots of a plaintext lie, and which automorphisms move them, in any scheme. Pure functions of a literal, whose
 * scheme and ring degree they ask for; meaningful where there are slots (params.h). */
#ifndef HB_SCHEME_SLOTS_H
#define HB_SCHEME_SLOTS_H

#include "ring/galois.h"
#include "rlwe/codec.h"

/* Returns how the slots lie. */
hb_slot_shape hb_slots_shape(const hb_params_spec *spec);

/* Returns the element that rotates every row: by step > 0 to the left, by step < 0 to the right; 0 < |step| < columns. */
uint32_t hb_slots_rotation(const hb_params_spec *spec, int64_t step);
/* Returns the element that swaps the two rows, where there are two. */
uint32_t hb_slots_swap(const hb_params_spec *spec);
/* Returns the shortest step whose rotation is `element`; 0: it is none. It does so for elements times the swap as well:
 * *swap says which these are. */
int64_t hb_slots_step(const hb_params_spec *spec, uint32_t element, int *swap);

/* Lists the rotations that hb_evaluator_rotate makes of a step for which there is no key: steps[0 .. return value). */
uint32_t hb_slots_terms(const hb_params_spec *spec, int64_t step, int64_t steps[HB_GALOIS_MOST_STEPS]);
/* Lists what hb_evaluator_sum_slots rotates by, steps[0 .. return value); where there are two rows, it swaps them after
 * that. */
uint32_t hb_slots_sum_steps(const hb_params_spec *spec, int64_t steps[HB_GALOIS_MOST_STEPS]);

#endif
