/* The sparse secret t of a pair whose parameters have bootstrapping: ternary, with sparse_weight coefficients that are
 * not 0 (rlwe/params.h). Raising a modulus under t adds a small multiple of q_0, which EvalMod has to take away; under
 * s, of 2 N / 3 such coefficients, it would be a large one ("sparse-secret encapsulation": J.-P. Bossuat, J.
 * Troncoso-Pastoriza, J.-P. Hubaux, "Bootstrapping for Approximate Homomorphic Encryption with Negligible
 * Failure-Probability by Using Sparse-Secret Encapsulation", ACNS 2022).
 *
 * Security. The short modulus makes up for the few coefficients of the secret: t encrypts one key, HB_TO_SPARSE, modulo
 * q_0 p_0, 100 bits at most, and nothing else ever; HB_FROM_SPARSE encrypts t under s, as other keys do s^2. With
 * weight 32 the best attack known to the lattice estimator costs 2^169.9 at N = 2^16 and 100 bits and 2^146 at N = 2^15
 * (2^163.5 at N = 2^16 and 121 bits, which the paper above takes for its limit); s, uniform ternary, costs 2^128.8 at
 * 1738 bits. So t is not the weakest point for an attacker. hb_switch_key_generate_for asserts the modulus, and
 * parameters that exceed hb_security_sparse_limit are insecure.
 *
 * t is in no file and no log: it follows from the root of its pair, which only the file of the secret key holds. So
 * keys of one pair that several runs make fit each other. */
#ifndef HB_RLWE_SPARSE_SECRET_H
#define HB_RLWE_SPARSE_SECRET_H

#include "keys.h"

/* Draws t of a pair's root: uniform among the ternary vectors of that weight. Positions by Floyd's algorithm as
 * N. Sendrier has it in constant time ("Secure Sampling of Constant-Weight Words", ePrint 2021/1631), signs apart. No
 * branch, no address and no number of rejected words of the keystream depends on the drawn vector. ternary: host, [n],
 * values -1, 0, 1, for the caller to wipe. The parameters have bootstrapping. */
void hb_sparse_secret_draw(const hb_params *params, const hb_seed *root, int8_t *ternary);
/* Draws t, puts it on an engine, and wipes all other copies. HB_ENOMEM. The caller clears *key, which wipes it. */
hb_status hb_sparse_secret_open(hb_secret_key *key, hb_engine *engine, const hb_params *params, const hb_seed *root);

#endif
