/* BFV parameters: those of RLWE, and the constants of the plain modulus t.
 *
 * Ciphertexts live on the first K - 1 of the K primes, and the last one is the special prime, unless the literal has
 * more of these. They live on all if K = 1 or if the product of the first K - 1 does not exceed t: then there is no
 * special prime and no key switching. Levels exist where their product exceeds t. */
#ifndef HB_BFV_PARAMS_H
#define HB_BFV_PARAMS_H

#include "rlwe/params.h"

/* BFV in SEAL's files and in parms_id (its scheme_type). */
#define HB_BFV_SCHEME_TYPE 1

/* Its powers rotate the rows of slots (ring/galois.h). */
#define HB_BFV_GENERATOR 3

typedef struct hb_bfv_level hb_bfv_level; /* level.h */

/* BFV parameters; const after hb_bfv_params_open. Callers see hb_params, its first member. */
typedef struct hb_bfv_params {
    /* Its ring is the same for all plain moduli of a literal: an engine or a key made on it serves them all. Its common
     * modulus is gamma. Its auxiliary base is that of multiplication: m_sk, then B_0, B_1, ...; as many as the product
     * of all data primes asks for (behz.h), lower levels take the leading ones. They are primes of 49 bits, which suit
     * the FP64 path best, or of 60 bits where 49 would need too many. */
    hb_params rlwe;
    uint16_t plain_id, gamma_id;
    uint16_t plain_gamma_ids[2];
    bool batching;        /* t prime and = 1 mod 2N */
    hb_bfv_level *levels; /* [key_limbs + 1], index = number of limbs; [0] unused */
} hb_bfv_params;

/* Returns the whole of parameters that hb_bfv_params_open made. */
static inline const hb_bfv_params *hb_bfv_of(const hb_params *params)
{
    HB_ASSERT(params->spec.scheme == HB_BFV);
    return (const hb_bfv_params *)params; /* a struct begins where its first member does */
}

/* Returns whether two literals have the same ring, chain, t, distribution of secret keys and way of switching keys;
 * the level of security is not compared, as keys and ciphertexts do not depend on it. */
bool hb_bfv_params_same(const hb_params_spec *a, const hb_params_spec *b);

/* Checks a literal in the order of semantics.md 8.1 and builds the tables. Each refusal is HB_ECONFIG and names the
 * rule, the value and the nearest legal choice; HB_ENOMEM otherwise. hb_bfv_params_close frees them; NULL is
 * allowed. */
hb_status hb_bfv_params_open(const hb_params_spec *spec, hb_params **out);
void hb_bfv_params_close(hb_params *params);

/* Computes SEAL's parms_id of the key level: BLAKE2b-256 over the little-endian words [1 = BFV, N, q_0 .. q_{K-1}, t]
 * (semantics.md 1.1); behind them, where keys are not switched as SEAL does, the numbers of special primes and of
 * primes of a digit. */
void hb_bfv_params_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec);

/* Returns HB_ECONFIG unless t batches: it says which condition t misses, the nearest t of the same size that meets all,
 * and that coefficient encoding takes any t. */
hb_status hb_bfv_require_batching(const hb_params *params);

#endif
