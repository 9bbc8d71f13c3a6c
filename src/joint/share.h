/* An owner's share S_i of the joint secret, where T of n owners decrypt (sharing.h), as the secret that his parts are
 * made with (part.h): l_i S_i, with Lagrange's factor l_i for the owners that decrypt. Over exactly T owners these add
 * up to s. Parts that are made with it are masked (masks.h), or they tell s. */
#ifndef HB_JOINT_SHARE_H
#define HB_JOINT_SHARE_H

#include "rlwe/keys.h"

/* Computes, modulo each of the first `limbs` primes, the product of j / (j - point) over the other points j of the set,
 * factors: [limbs]. points: [count], distinct, 1 to HB_MOST_OWNERS, `point` among them (HB_ASSERT). */
void hb_lagrange_factors(uint64_t *factors, const hb_params *params, uint32_t limbs, const uint32_t *points,
                         uint32_t count, uint32_t point);
/* Puts a share on an engine: packed rows (host, hb_packed_bytes of all K limbs, NTT form), times factors ([K], host).
 * HB_EDATA when a residue is out of range; HB_ENOMEM. The caller clears *key (hb_secret_key_clear), which is cleared
 * after a failure. */
hb_status hb_share_load(hb_secret_key *key, hb_engine *engine, const hb_params *params, const uint8_t *packed,
                        const uint64_t *factors);

/* Bring polynomials, [1][any limbs], to packed rows and back, as hb_public_key_pack and load do with those modulo all
 * primes of keys; all memory that held them besides is wiped. HB_EDATA naming `what` when a residue is out of range;
 * HB_ENOMEM. Wait. */
hb_status hb_share_pack(hb_engine *engine, const hb_params *params, uint8_t *packed, hb_batch share);
hb_status hb_share_unpack(hb_engine *engine, hb_batch share, const uint8_t *packed, const char *what);

#endif
