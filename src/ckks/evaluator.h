/* The CKKS evaluator. It adds products, plaintexts, numbers, changes of level and rotations of slots to
 * rlwe/evaluator.h (numbers are sections of semantics.md). All ciphertexts and plaintexts are in NTT form. A ciphertext
 * at rest has the scale of its level, S (params.h). Results that are said to have scale S^2 keep it until a modulus
 * switch brings it to the scale of the level below. Sums take operands of the same level and scale. */
#ifndef HB_CKKS_EVALUATOR_H
#define HB_CKKS_EVALUATOR_H

#include "rlwe/evaluator.h"

/* Opens an evaluator that meets the requirements; engine and params are borrowed and outlive it. Waits. HB_ENOMEM;
 * HB_ECONFIG when the parameters have no special prime and switching needs it. Closing takes NULL. */
hb_status hb_ckks_evaluator_open(hb_engine *engine, const hb_params *params,
                                 const hb_evaluator_requirements *requirements, hb_evaluator **out);
void hb_ckks_evaluator_close(hb_evaluator *evaluator);
/* Returns the most bytes of the engine's memory that an evaluator takes, without the bytes that hoisting adds. */
uint64_t hb_ckks_evaluator_bytes(const hb_params *params, const hb_evaluator_requirements *requirements);

/* Computes r = r + plain or r - plain (9.4). plain: [count][limbs] of r's limbs and scale, as many as ciphertexts or
 * one for all. */
hb_status hb_ckks_add_plain(hb_evaluator *ev, hb_ciphertexts r, hb_batch plain, hb_sign sign);
/* Computes r = a * plain (9.4), which has scale S^2; plain as above. r may be a. */
hb_status hb_ckks_multiply_plain(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain);
/* Computes r = a * b (9.4), which has scale S^2 and a.size + b.size - 1 components. r does not overlap a or b. b may
 * hold one ciphertext, which serves all of a. */
hb_status hb_ckks_multiply(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b);

/* Computes r = a + number in every slot: the integer nearest to number S is added to coefficient 0 (9.5). r may be a.
 * HB_EDATA, naming the number, where it is not finite or does not fit the level. */
hb_status hb_ckks_add_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number);
/* Sets residues [limbs] to those of the integer nearest to number S, S the scale of the level of `limbs` limbs.
 * HB_EDATA likewise. */
hb_status hb_ckks_scaled_number(const hb_params *params, uint64_t *residues, uint32_t limbs, double number);
/* Computes r = a times the integer nearest to number S, which has scale S^2 (9.5). r may be a. HB_EDATA likewise. */
hb_status hb_ckks_multiply_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number);
/* Computes r = a times i, or -i: every slot is turned by a quarter; the scale stays (9.4). r may be a.
 * HB_ECONFIG where parameters are like SEAL's. */
hb_status hb_ckks_multiply_i(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_sign sign);

/* Brings a to the level of r's limbs, which are as many or fewer, and to the scale of that level (9.5). r may begin
 * where a does. */
hb_status hb_ckks_adjust(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a);

/* Conjugates the slots (9.6). For keys for several levels the lowest that serves is taken. HB_EDATA where there is
 * none. r may be a. */
hb_status hb_ckks_conjugate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys);
/* Makes every slot the sum of all, in place: rotations by 1, 2 .. n / 4, each added. HB_EDATA naming the step
 * whose key is missing. */
hb_status hb_ckks_sum_slots(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_keys *keys);

#endif
