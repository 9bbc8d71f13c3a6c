/* The evaluator of any scheme: what rlwe/evaluator.h says, and what schemes do in their own ways. Ranges and shapes
 * are as there. plain is a batch of plaintexts (hb_plaintexts_alloc) for ciphertexts of the operands' limbs, as many as
 * these or one for all. */
#ifndef HB_SCHEME_EVALUATOR_H
#define HB_SCHEME_EVALUATOR_H

#include "rlwe/evaluator.h"

/* Opens an evaluator for what is required; engine and params are borrowed and outlive it. HB_ENOMEM; HB_ECONFIG when
 * the parameters have no special prime and switching needs it, or lack what the scheme's products need (of BFV an
 * auxiliary base). */
hb_status hb_evaluator_open(hb_engine *engine, const hb_params *params, const hb_evaluator_requirements *requirements,
                            hb_evaluator **out);
/* Closes it; NULL is allowed. */
void hb_evaluator_close(hb_evaluator *evaluator);
/* Returns the most bytes of the engine's memory that this takes, except for what hoisting adds. */
uint64_t hb_evaluator_bytes(const hb_params *params, const hb_evaluator_requirements *requirements);

/* Computes r = r + plain or r - plain. */
hb_status hb_evaluator_add_plain(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign);
/* Computes r = a * plain. r may be a. */
hb_status hb_evaluator_multiply_plain(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain);
/* Computes r = a * b (the square where a = b), not relinearized: r has a.size + b.size - 1 components and does not
 * overlap a or b. b may hold one ciphertext, which serves all of a. */
hb_status hb_evaluator_multiply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b);

/* Rotates the rows of slots (slots.h) by step: by a key of its own if the list has it, else along the step's
 * non-adjacent form; step 0 copies. HB_EDATA naming the step whose key is missing: then r is undefined. */
hb_status hb_evaluator_rotate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t step,
                              const hb_switch_keys *keys);
/* Swaps the two rows of slots. HB_EDATA when there is no key for it. */
hb_status hb_evaluator_swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys);
/* Makes every slot the sum of all, in place. HB_EDATA naming what key is missing. */
hb_status hb_evaluator_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys);

#endif
