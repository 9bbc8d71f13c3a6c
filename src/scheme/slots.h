/* How the slots of a plaintext lie, and which automorphisms move them, in any scheme. Pure functions of a literal, whose
 * scheme and ring degree they ask for; meaningful where there are slots (params.h). */
#ifndef HB_SCHEME_SLOTS_H
#define HB_SCHEME_SLOTS_H

#include "ring/galois.h"
#include "rlwe/codec.h"

hb_slot_shape hb_slots_shape(const hb_params_spec *spec);

/* Element of a rotation of every row: by step > 0 to the left, by step < 0 to the right; 0 < |step| < columns. */
uint32_t hb_slots_rotation(const hb_params_spec *spec, int64_t step);
/* Element that swaps the two rows. */
uint32_t hb_slots_swap(const hb_params_spec *spec);
/* The shortest step whose rotation is `element`; 0: it is none. Of the elements times the swap as well: *swap says
 * which. */
int64_t hb_slots_step(const hb_params_spec *spec, uint32_t element, int *swap);

/* The rotations that hb_evaluator_rotate makes of a step for which there is no key. steps[0 .. return value). */
uint32_t hb_slots_terms(const hb_params_spec *spec, int64_t step, int64_t steps[HB_GALOIS_MOST_STEPS]);
/* What hb_evaluator_sum_slots rotates by; where there are two rows, it swaps them after that. steps[0 .. return
 * value). */
uint32_t hb_slots_sum_steps(const hb_params_spec *spec, int64_t steps[HB_GALOIS_MOST_STEPS]);

#endif
