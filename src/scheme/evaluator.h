/* The evaluator of any scheme: what rlwe/evaluator.h says, and what schemes do in their own ways. Ranges and shapes
 * are as there; plain: plaintexts (codec.h) for ciphertexts of as many limbs. */
#ifndef HB_SCHEME_EVALUATOR_H
#define HB_SCHEME_EVALUATOR_H

#include "rlwe/evaluator.h"

/* Opens an evaluator; borrows engine and params. HB_ENOMEM; HB_ECONFIG when the parameters have no special prime and
 * switching needs it. */
hb_status hb_evaluator_open(hb_engine *engine, const hb_params *params, const hb_evaluator_requirements *requirements,
                            hb_evaluator **out);
void hb_evaluator_close(hb_evaluator *evaluator);
/* Bytes of the engine's memory that this takes at most, but for what hoisting adds. */
uint64_t hb_evaluator_bytes(const hb_params *params, const hb_evaluator_requirements *requirements);

/* r is r +- plain: as many plaintexts as ciphertexts, or one for all. */
hb_status hb_evaluator_add_plain(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign);
/* r = a times plain, as many plaintexts as ciphertexts, or one for all. r may be a. */
hb_status hb_evaluator_multiply_plain(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain);
/* r = a b (a = b: the square), not relinearized: r has a.size + b.size - 1 components and does not overlap a or b. b may
 * hold one ciphertext, which serves all of a. */
hb_status hb_evaluator_multiply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b);

/* Rotates the rows of slots (slots.h) by step: by a key of its own if the list has it, else along the step's
 * non-adjacent form; step 0 copies. HB_EDATA naming the step whose key is missing: then r is undefined. */
hb_status hb_evaluator_rotate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t step,
                              const hb_switch_keys *keys);
/* Swaps the two rows of slots. HB_EDATA when there is no key for it. */
hb_status hb_evaluator_swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys);
/* Every slot becomes the sum of all. In place. HB_EDATA naming what key is missing. */
hb_status hb_evaluator_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys);

#endif
