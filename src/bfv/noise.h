/* Bounds of the noise of ciphertexts, before anything is computed.
 *
 * The noise of a ciphertext is the largest coefficient of v = [t x]_Q, centred, x its phase; its invariant noise budget
 * is bits(Q) - bits(|v|) - 1 (semantics.md 8.3). Both bounds (rlwe/quality.h)
 * are log2 of |v|. Pure functions; each names its derivation in noise.c. shape: that of the keys (rlwe/key_shape.h); of
 * a key switch, that of the keys that are switched to.
 *
 * One ciphertext in many has more noise than expected, by up to HB_NOISE_MARGIN bits (noise.c has the measurements).
 * Choices of parameters by the expected noise therefore keep so many bits of budget in reserve. */
#ifndef HB_BFV_NOISE_H
#define HB_BFV_NOISE_H

#include "params.h"
#include "rlwe/quality.h"

#define HB_NOISE_MARGIN 3

/* Returns the noise of a fresh ciphertext, of any level, made with the public key or the secret one. */
hb_quality hb_noise_fresh(const hb_params *params, const hb_key_shape *shape, bool public_key, hb_distribution errors);

/* Return the noise after an operation on ciphertexts with the noise given, at the level of `limbs` limbs where one is
 * asked for. */
hb_quality hb_noise_add(const hb_params *params, hb_quality a, hb_quality b); /* and sub */
hb_quality hb_noise_sum(const hb_params *params, hb_quality a, double terms); /* `terms` ciphertexts, bounded as a */
hb_quality hb_noise_add_plain(const hb_params *params, hb_quality a);
hb_quality hb_noise_multiply_integer(hb_quality a, double magnitude); /* by an integer of that magnitude */
/* The product with a plaintext whose lifted coefficients (semantics.md 6.6: a kept monomial's is up to t - 1) are at
 * most `coefficient` in magnitude, `terms` of them not 0. */
hb_quality hb_noise_multiply_plain(const hb_params *params, hb_quality a, double coefficient, double terms);
/* The product of two ciphertexts; sizes are the components of the factors, 2 or more. */
hb_quality hb_noise_multiply(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                             uint32_t a_size, hb_quality b, uint32_t b_size);
/* The product of a ciphertext with itself: no more than hb_noise_multiply says. */
hb_quality hb_noise_square(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                           uint32_t size);
/* Switched with a key of that error: relinearized, under an automorphism, or under another key. */
hb_quality hb_noise_switch(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                           hb_key_error error);
/* Every slot: the sum of all. */
hb_quality hb_noise_sum_slots(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a);
/* The noise of a factor for the product to come, where it contains the other factor, a ciphertext or a plaintext,
 * `times` times already. (In x^3, x^2 contains x twice.) Errors of such products add up less at random than those of
 * independent factors. */
hb_quality hb_noise_again(const hb_params *params, hb_quality a, uint32_t times);
/* The modulus switch from `limbs`, 2 or more, to one fewer; a has `size` components. */
hb_quality hb_noise_mod_switch(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                               uint32_t size);

/* Returns the bits of budget that are left under the bound `log2_noise`, a whole number; negative: as many too few.
 * With 1 or more under `worst` it decrypts rightly; with 0 it may decrypt wrongly. */
double hb_noise_budget_of(const hb_params *params, uint32_t limbs, double log2_noise);

/* Returns HB_ECONFIG unless fresh ciphertexts made with that key have proven budget, and says how long t may be. So
 * ciphertexts whose noise may decrypt wrongly are refused before there are any. */
hb_status hb_noise_require_fresh(const hb_params *params, const hb_key_shape *shape, bool public_key);

#endif
