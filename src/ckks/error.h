/* Bounds of the error of CKKS ciphertexts, before anything is computed.
 *
 * A ciphertext of values v at scale S has the phase x = S m + e over the integers, modulo Q; m is the real polynomial
 * whose slots are v. The error is e, and its size is that of its largest slot, so that slots are right to 2^error / S
 * (hb_error_bits). Bounds (rlwe/quality.h) are log2 of that: `worst` and `norm` are proven, `expected` is hb_error_tail
 * standard deviations of a complex slot, the likely size of the largest of N/2: 3 in 5 ciphertexts have no larger one.
 * Also the largest real part and the largest imaginary part of N/2 come to that. The systematic part
 * (hb_quality.systematic) is in it at its largest for values that are as large as is likely. Pure functions;
 * derivations are in error.c and rest on semantics.md 9.8.
 *
 * Proven bounds hold for honest keys, for all other draws and all ciphertexts of others. A key is taken for honest when
 * no root sees more of its secret, or of its errors, than all but one in 2^80 random ones have there. */
#ifndef HB_CKKS_ERROR_H
#define HB_CKKS_ERROR_H

#include "params.h"
#include "rlwe/block_matrix.h"
#include "rlwe/quality.h"

/* Bits that one ciphertext in many has less than expected: users of the expected error keep so many in hand. */
#define HB_ERROR_MARGIN 2

/* Returns the error of a fresh ciphertext, of any level, made with the public key or the secret one: with the rounding
 * of coefficients, without the errors of doubles when values are encoded (hb_error_transformed). */
hb_quality hb_error_fresh(const hb_params *params, bool public_key, hb_distribution errors);

/* Return the error after an operation on ciphertexts with the errors given. */
hb_quality hb_error_add(const hb_params *params, hb_quality a, hb_quality b); /* and sub */
hb_quality hb_error_sum(const hb_params *params, hb_quality a,
                        double terms); /* `terms` ciphertexts with the bound of a */
hb_quality hb_error_add_plain(const hb_params *params, hb_quality a);
hb_quality hb_error_add_number(const hb_params *params, hb_quality a);
hb_quality hb_error_multiply_integer(const hb_params *params, hb_quality a, double magnitude); /* scale: as it was */
/* Returns a's error and that of values, of that size, which went through the transform of slots in doubles, or in
 * double-doubles where scales are wide, to coefficients or back, at the scale of the level of `limbs` limbs. */
hb_quality hb_error_transformed(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values);
/* Returns the same for decoded values; where scales are wide, with the rounding of the decoded values to doubles. */
hb_quality hb_error_decoded(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values);

/* A factor of a product: its error at the scale of its level, its values, and whether both factors' values depend on
 * the same inputs. */
typedef struct hb_error_factor {
    hb_quality error;
    hb_magnitude values;
    bool related;
} hb_error_factor;

/* Return the error of products, whose scale is the square of that of the level. Factors: a number, which is an integer
 * there; a plaintext for the level, `constant` with one value in every slot; two ciphertexts, or one twice, of any
 * size. The error of the rescaling that follows is contained in it, where the primes of levels are not the quotients of
 * scales, as in literals like SEAL's. */
hb_quality hb_error_multiply_number(const hb_params *params, uint32_t limbs, hb_error_factor a, double number);
hb_quality hb_error_multiply_plain(const hb_params *params, uint32_t limbs, hb_error_factor a, hb_magnitude plain,
                                   bool constant);
hb_quality hb_error_multiply(const hb_params *params, uint32_t limbs, hb_error_factor a, hb_error_factor b);
hb_quality hb_error_square(const hb_params *params, uint32_t limbs, hb_error_factor a);
/* After relinearization, an automorphism or a change of keys. Keys made with the secret have the same errors. */
hb_quality hb_error_switch(const hb_params *params, uint32_t limbs, hb_quality a, hb_switch_use use);
/* Returns the error after every slot became the sum of all, by rotations, each added to its operand. */
hb_quality hb_error_sum_slots(const hb_params *params, uint32_t limbs, hb_quality a);
/* Returns the error when every slot has become the sum of itself and terms - 1 others, likewise; terms: a power of two,
 * fewer than there are slots. */
hb_quality hb_error_sum_window(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t terms);

/* Return the error after the division of a, with `size` components, by the primes of the level of `limbs` limbs, which
 * is not the lowest; with relinearization, a has 3 components. The scale is then that of the level below. */
hb_quality hb_error_rescale(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t size);
hb_quality hb_error_relinearize_rescale(const hb_params *params, uint32_t limbs, hb_quality a);
/* Returns the error of a, of `limbs` limbs, brought to `to` of them and to their scale. */
hb_quality hb_error_adjust(const hb_params *params, uint32_t limbs, hb_error_factor a, uint32_t to);

/* The sizes of a map of slots by diagonals (linear.h) that its error depends on: the number of diagonals; the number of
 * giant steps that are not 0; log2 of the sum over the diagonals of each one's largest entry; log2 of the root of the
 * mean, over the slots of the result, of the sum of the squares of their entries; and the slots after which diagonals
 * repeat, 0 where they do not. */
typedef struct hb_linear_size {
    uint32_t diagonals, giants;
    double most, mean;
    size_t period;
    const hb_block_gain *gain; /* of the matrix; NULL: unknown ... */
    bool whole;                /* ... and whether rows are all in it, or in parts that are still to be added up */
} hb_linear_size;
/* Returns the error of hb_linear_apply to a, of `limbs` limbs, not of the lowest level, with diagonals at the scale of
 * that level: at the scale of the level below. */
hb_quality hb_error_linear(const hb_params *params, uint32_t limbs, hb_error_factor a, const hb_linear_size *size);
/* log2 of the scales of the operand and of the diagonals. */
typedef struct hb_linear_scales {
    double operand, diagonals;
} hb_linear_scales;
/* Returns the same at any level but the lowest and at any scales, times the scale of the result: the product of both
 * scales over the primes that the level owns. It holds for ciphertexts that were not chosen by an attacker, as
 * roundings are taken to be random (hb_error_drawn). */
hb_quality hb_error_linear_at(const hb_params *params, uint32_t limbs, hb_error_factor a, const hb_linear_size *size,
                              const hb_linear_scales *scales);

/* Returns log2 of the largest magnitude of values beside which such an error is below Q / 2, at the scale of the level;
 * -infinity where no value is. */
double hb_error_room(const hb_params *params, uint32_t limbs, hb_quality a);

/* Returns the bits of absolute precision that slots have under the bound log2_error; negative: as many too few. */
double hb_error_bits(const hb_params *params, uint32_t limbs, double log2_error);
/* Returns how far the largest of N/2 slots is expected to come, in standard deviations of a slot: `expected` less its
 * log2 is that of the root of the mean square. */
double hb_error_tail(const hb_params *params);

/* Returns HB_ECONFIG unless fresh ciphertexts made with that key have a bit of proven precision; the message names a
 * sufficient scale. */
hb_status hb_error_require_fresh(const hb_params *params, bool public_key);

#endif
