/* The layout of a plaintext's slots, and the automorphisms that move them, in any scheme. Pure functions of a literal's
 * scheme and ring degree; meaningful where there are slots (params.h). */
#ifndef HB_SCHEME_SLOTS_H
#define HB_SCHEME_SLOTS_H

#include "ring/galois.h"
#include "rlwe/codec.h"

/* Returns how many rows of slots there are, and how many slots each has. */
hb_slot_shape hb_slots_shape(const hb_params_spec *spec);

/* Returns the element of X -> X^element that rotates every row, to the left for step > 0, to the right for step < 0;
 * |step| is 1 .. columns - 1. */
uint32_t hb_slots_rotation(const hb_params_spec *spec, int64_t step);
/* Returns whether values have an imaginary unit, X^(N/2), by which ciphertexts are multiplied at no cost
 * (hb_evaluator_multiply_i): it is i in every slot where slots are those of powers of a number that is 1 modulo 4. */
bool hb_slots_have_i(const hb_params_spec *spec);
/* Returns the element that swaps the two rows, or conjugates the values of the only row. */
uint32_t hb_slots_swap(const hb_params_spec *spec);
/* Returns the name of that operation in expressions: "swap" or "conj". */
const char *hb_slots_swap_word(const hb_params_spec *spec);
/* Returns the shortest step whose rotation is `element`, alone or together with the swap; 0 where there is none or
 * where it is the swap alone. *swap is set to whether the swap is in it. */
int64_t hb_slots_step(const hb_params_spec *spec, uint32_t element, int *swap);

/* Lists the rotations with which hb_evaluator_rotate replaces a step without a key: steps[0 .. return value). */
uint32_t hb_slots_terms(const hb_params_spec *spec, int64_t step, int64_t steps[HB_GALOIS_MOST_STEPS]);
/* Lists the rotations of hb_evaluator_sum_slots, steps[0 .. return value); where there are two rows, it swaps them
 * after that. */
uint32_t hb_slots_sum_steps(const hb_params_spec *spec, int64_t steps[HB_GALOIS_MOST_STEPS]);

#endif
