/* Shamir's shares of owners' secrets, where T of n owners decrypt (src/README.md, "Joint keys"), on any engine.
 *
 * Owner j deals the values of f_j(X) = s_j + sum of r_jk X^k, 0 < k < T, r_jk uniform modulo every prime, at points 1
 * to n, an owner's point being his place in the order of names. Owner i keeps S_i = sum of f_j(i) over all dealers j:
 * any T of these give s, and fewer say nothing of it. Besides f_j he deals polynomials d_jr of the same degree, all of
 * them uniform, and when everything is dealt he shows d_jr + rho_r f_j, rho_r a number modulo each prime that nobody
 * knew before. Each owner compares that with his own shares at his point: shares of no such polynomial are found but
 * for a chance of 2^-70. Nothing of f_j shows, as d_jr serves once.
 *
 * Polynomials are [K] limbs, modulo all primes of keys, NTT form. `secret`: s_j, drawn from `own`, that of
 * hb_owner_root. All that is made here is secret but for the blinded polynomials; the caller wipes it. */
#ifndef HB_JOINT_SHARING_H
#define HB_JOINT_SHARING_H

#include "rlwe/keys.h"
#include "session.h"

/* Returns the number of polynomials d_jr: as many as have 72 bits together, modulo the smallest prime; 2 or more. */
uint32_t hb_sharing_checks(const hb_params *params);
/* Makes what owner j deals to the owner of a point, 1 to HB_MOST_OWNERS: the value of f_j, then of each d_jr. shares:
 * [1 + checks]. HB_ENOMEM; errors of the engine, after which shares are wiped. Waits; exchanges nothing. */
hb_status hb_owner_deal(hb_batch shares, const hb_secret_key *secret, const hb_seed *own, uint32_t threshold,
                        uint32_t point);

/* One of the comparisons of an owner's shares. */
typedef struct hb_share_test {
    uint32_t check;        /* r */
    const uint8_t *inputs; /* [HB_DIGEST_BYTES], of all contributions to round 1 (hb_joint_bodies_digest) */
} hb_share_test;

/* Computes rho_r, [K]: of H("hebatch dealt"; inputs, r, prime) the first 16 bytes, least significant first, modulo the
 * prime. */
void hb_share_challenge(uint64_t *rho, const hb_params *params, const hb_share_test *test);
/* Makes the coefficients of d_jr + rho_r f_j, which everybody may see: blinded, [threshold]. HB_ENOMEM; errors of the
 * engine, after which it is wiped. Waits; exchanges nothing. */
hb_status hb_owner_blind(hb_batch blinded, const hb_secret_key *secret, const hb_seed *own, const hb_share_test *test);
/* Tells in *good whether shares, [1 + checks], that were dealt to the owner of a point agree with the dealer's blinded
 * polynomial. HB_ENOMEM. Waits; exchanges. */
hb_status hb_share_compare(bool *good, const hb_params *params, hb_batch shares, hb_batch blinded, uint32_t point,
                           const hb_share_test *test, hb_engine *engine);

#endif
