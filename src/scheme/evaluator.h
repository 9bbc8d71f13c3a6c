/* The evaluator of any scheme: the operations of rlwe/evaluator.h, and operations that each scheme implements itself.
 * Ranges and shapes are as there. plain is a batch of plaintexts (hb_plaintexts_alloc) for ciphertexts of the operands'
 * limbs, as many as these or one for all. */
#ifndef HB_SCHEME_EVALUATOR_H
#define HB_SCHEME_EVALUATOR_H

#include "rlwe/evaluator.h"

/* Opens an evaluator for the requirements; engine and params are borrowed and outlive it. HB_ENOMEM; HB_ECONFIG when
 * the parameters lack the special prime that switching needs, or the needs of the scheme's products (in BFV an
 * auxiliary base). */
hb_status hb_evaluator_open(hb_engine *engine, const hb_params *params, const hb_evaluator_requirements *requirements,
                            hb_evaluator **out);
/* Closes it; NULL is allowed. */
void hb_evaluator_close(hb_evaluator *evaluator);
/* Returns the most bytes of the engine's memory that it takes, without the bytes that hoisting adds. */
uint64_t hb_evaluator_bytes(const hb_params *params, const hb_evaluator_requirements *requirements);

/* Where a scheme has scales, a result of scale S^2 is a product: a modulus switch, or hb_evaluator_relinearize_rescale,
 * brings it to the level below and to that level's scale S, which sums and other products require. BFV has no scales,
 * and modulus switches after products are optional. */

/* Computes r = r + plain or r - plain. */
hb_status hb_evaluator_add_plain(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign);
/* Computes r = a * plain, of scale S^2. r may be a. */
hb_status hb_evaluator_multiply_plain(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain);
/* Computes r = a * b (the square where a = b), of scale S^2 and not relinearized: r has a.size + b.size - 1 components
 * and does not overlap a or b. b may hold one ciphertext, which serves all of a. */
hb_status hb_evaluator_multiply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b);

/* Compute r = a + number, and r = a * number, of scale S^2, with the same number in every slot. r may be a. HB_EDATA
 * where the number is not finite or does not fit; in BFV, whose values are integers, where it is no integer of at most
 * 53 bits. In BFV a sum waits; with coefficients for values it adds to the first one. */
hb_status hb_evaluator_add_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number);
hb_status hb_evaluator_multiply_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number);
/* Computes r = a times i, or -i: every slot is turned by a quarter, the scale stays. r may be a. HB_ECONFIG where the
 * scheme has no such number: in BFV, and in CKKS with parameters like SEAL's. */
hb_status hb_evaluator_multiply_i(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_sign sign);
/* Brings a to the level of r's limbs, which are as many or fewer, and to the scale of that level; in BFV by modulus
 * switches. r may begin where a does. */
hb_status hb_evaluator_adjust(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);

/* Rotates the rows of slots (slots.h) by step: by a key of its own if the list has it, else along the step's
 * non-adjacent form; step 0 copies. HB_EDATA naming the step whose key is missing: then r is undefined. */
hb_status hb_evaluator_rotate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, int64_t step,
                              const hb_switch_keys *keys);
/* Swaps the two rows of slots. HB_EDATA when there is no key for it; HB_ECONFIG where there is only one row. */
hb_status hb_evaluator_swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys);
/* Conjugates the slots, by the key for the element 2 N - 1. HB_EDATA when there is none. Integers, as BFV has them, are
 * copied: no key is needed. */
hb_status hb_evaluator_conjugate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys);
/* Makes every slot the sum of all, in place. HB_EDATA naming a missing key. */
hb_status hb_evaluator_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys);
/* Adds to every slot the slots that stand step, 2 step .. (terms - 1) step to its right in its row, in place: rotations
 * by step, 2 step, 4 step ..., each by the key of its own. terms: a power of two; step times terms is at most the slots
 * of a row. HB_EDATA naming the step whose key is missing: then r is undefined. */
hb_status hb_evaluator_sum_window(hb_evaluator *ev, hb_ciphertexts r, int64_t step, uint32_t terms,
                                  const hb_switch_keys *keys);

#endif
