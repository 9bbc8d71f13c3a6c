/* The BFV evaluator. It adds products, plaintexts and rotations of slots to rlwe/evaluator.h; these, too, are
 * bit-identical to Microsoft SEAL's (semantics.md 6). */
#ifndef HB_BFV_EVALUATOR_H
#define HB_BFV_EVALUATOR_H

#include "rlwe/evaluator.h"

/* Opens an evaluator that meets the requirements; engine and params are borrowed and outlive it. HB_ENOMEM; HB_ECONFIG
 * when the parameters have no special prime and switching needs it, or no auxiliary base and products need it. Closing
 * takes NULL. */
hb_status hb_bfv_evaluator_open(hb_engine *engine, const hb_params *params,
                                const hb_evaluator_requirements *requirements, hb_evaluator **out);
void hb_bfv_evaluator_close(hb_evaluator *evaluator);
/* Returns the most bytes of the engine's memory that an evaluator takes, without the bytes that hoisting adds. */
uint64_t hb_bfv_evaluator_bytes(const hb_params *params, const hb_evaluator_requirements *requirements);

/* Computes r = r + plain or r - plain (6.5). plain: one limb mod t, coefficient form, as many as ciphertexts or one for
 * all. */
hb_status hb_bfv_add_plain(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign);
/* Computes r = a * plain (6.6) for coefficient-form plaintexts, SEAL's exception for monomials included; plain as
 * above. r may be a. */
hb_status hb_bfv_multiply_plain(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain);

/* Compute r = a + number, as the plaintext whose coefficient 0 it is is added, and r = a * number
 * (hb_evaluator_multiply_integer). r may be a. The sum waits. HB_EDATA unless the number is an integer of at most 53
 * bits. */
hb_status hb_bfv_add_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number);
hb_status hb_bfv_multiply_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number);
/* Brings a to the level of r's limbs, as many or fewer, by modulus switches (6.7). r may begin where a does. */
hb_status hb_bfv_adjust(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);

/* Computes r = a * b (6.2, and 6.3 where a = b: the square). r has a.size + b.size - 1 components and does not overlap
 * a or b. b may hold one ciphertext, which serves all of a. */
hb_status hb_bfv_multiply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b);

/* Swaps the two rows of slots as SEAL does (6.10). HB_EDATA where there is no key for it. r may be a. */
hb_status hb_bfv_swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys);
/* Makes every slot the sum of all, in place: rotations by 1, 2 .. n / 4, each added, then the swap. HB_EDATA naming the
 * missing key. */
hb_status hb_bfv_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys);

#endif
