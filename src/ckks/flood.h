/* Results that may be shown to people who chose inputs or computed. A decrypted value of CKKS holds the error, which
 * depends on the secret: a person who knows the exact values learns the errors, and from some of them the key (B. Li,
 * D. Micciancio, "On the Security of Homomorphic Encryption on Approximate Numbers", ePrint 2020/1533). So noise is
 * added that hides the error (B. Li, D. Micciancio, M. Schultz, J. Sorrell, "Securing Approximate Homomorphic
 * Encryption using Differential Privacy", ePrint 2022/816): a discrete Gaussian in every coefficient, of
 *
 *     sigma = sqrt(12 results) 2^15 norm,
 *
 * `norm` the proven bound of the Euclidean norm of the error's coefficients (rlwe/quality.h). The relative entropy of a
 * result with that noise, and of one that has the noise but no error, is norm^2 / (2 sigma^2) at most, and 2^-34 for
 * all results together. So they are within a statistical distance of 2^-17 of results that reveal nothing about the
 * key. The bound is the proven one, as guesses of an expected error fail where circuits are made for it (Q. Guo, D.
 * Nabokov, E. Suvanto, T. Johansson, "Key Recovery Attacks on Approximate Homomorphic Encryption with Non-Worst-Case
 * Noise Flooding Countermeasures", USENIX Security 2024). A result is one ciphertext. Digits that the noise took are
 * rounded away. */
#ifndef HB_CKKS_FLOOD_H
#define HB_CKKS_FLOOD_H

#include "params.h"
#include "rlwe/flood.h"
#include "rlwe/quality.h"

/* Plans the noise for ciphertexts of that quality, at the level of `limbs` limbs, where `results` of them, 1 or more,
 * will ever be shown under the key. HB_EDATA where fewer than HB_FLOOD_LEAST_BITS bits would be left; says how many. */
hb_status hb_ckks_flood_plan(const hb_params *params, uint32_t limbs, hb_quality quality, uint64_t results,
                             hb_flood *out);

/* Rounds decoded values (host, `count` doubles) to the nearest multiples of 2^-bits. */
void hb_ckks_flood_round(const hb_flood *flood, uint64_t *values, size_t count);

#endif
