/* The contributions of owners to joint keys, and the sums that are the keys, on any engine (src/README.md, "Joint
 * keys"). Contributions have the types of the keys that they are parts of; they are packed and loaded like these.
 * Shapes: [digits] parts, modulo the primes of the key's level and the special ones, NTT form.
 *
 * Functions that make something clear it where they fail, and wipe what could be a product with a secret without its
 * error. Where limbs are divided every member calls them alike, as keygen's (rlwe/keys.h, rlwe/switch_key.h). `secret`:
 * s_i, drawn from the session's `own` (hb_secret_draw). own, id: those of the session or of the later round in which
 * contributions are made (hb_owner_root). HB_ENOMEM, and HB_ECONFIG where parameters cannot switch keys. */
#ifndef HB_JOINT_CONTRIBUTION_H
#define HB_JOINT_CONTRIBUTION_H

#include "session.h"

/* Round 1. b_i = -(a s_i + e_i), with the public a; that of a key pair whose root is `own`. */
hb_status hb_owner_public(hb_public_key *out, const hb_secret_key *secret, const hb_seed *own,
                          const uint8_t id[HB_DIGEST_BYTES]);
/* Round 1. Component 0 of part J is b_iJ = -(a_J s_i + e) + g_J s_i(X^G), with the public a_J; that of the rotation key
 * of a key pair whose root is `own`. */
hb_status hb_owner_rotation(hb_switch_key *out, const hb_secret_key *secret, const hb_seed *own,
                            const uint8_t id[HB_DIGEST_BYTES], hb_joint_rotation rotation);
/* Round 1 of relinearization, for the level of `limbs` limbs. Component 0 of part J is h0_iJ = -u_i a_J + g_J s_i + e,
 * component 1 h1_iJ = s_i a_J + e', with a ternary u_i that is drawn for it alone. Committed to before any other
 * owner's is seen: who could choose his own in view of these would learn s_i from round 2. */
hb_status hb_owner_relin_first(hb_switch_key *out, const hb_secret_key *secret, const hb_seed *own,
                               const uint8_t id[HB_DIGEST_BYTES], uint32_t limbs);
/* Round 2 of relinearization. first: the sum over all owners of round 1, which this owner formed himself; inputs: the
 * digest of all contributions of round 1, on which the seed of the new errors depends. Component 0 of part J is h2_iJ =
 * s_i h0_J + (u_i - s_i) h1_J + e'', component 1 h1_J: a relinearization key but for the sum over the owners. Made once
 * for each id: two of them, for different sums, tell s_i. */
hb_status hb_owner_relin_second(hb_switch_key *out, const hb_secret_key *secret, const hb_seed *own,
                                const hb_switch_key *first, const uint8_t inputs[HB_DIGEST_BYTES]);

/* Add another owner's contribution, in any order; both are of one engine and of the same session and purpose. Summed
 * over all owners, they are the joint keys: the public key and rotation keys as of one owner, with the session's seeds;
 * of round 2, the relinearization key, of b + h1 s = g s^2 + s e_0 + u e_1 + e_2, whose component 1 has no seed. Of
 * round 1 of relinearization both components are sums. Errors of the engine, after which the sum is undefined. Neither
 * waits nor exchanges: `other` is read until hb_finish. */
hb_status hb_joint_add_public(hb_public_key *sum, const hb_public_key *other);
hb_status hb_joint_add_switch(hb_switch_key *sum, const hb_switch_key *other);

#endif
