/* Parts of decryptions (part.h) that are for the owner of another key, joint or not, who alone can open what they add
 * up to: so one key's datasets move to another's. There is no key for switching, which would carry the secret.
 *
 * A part h becomes (h + u b, u a + e), with the receiver's public key (b, a), b = -(a s + e_r), a ternary u and an
 * error e: an encryption under s, undivided. With n_r owners of the receiving key the noise grows by at most t (21 N
 * n_r + 21 N n_r) a part, for u e_r and e s; plans count it (part_plan.h). */
#ifndef HB_JOINT_RECEIVER_H
#define HB_JOINT_RECEIVER_H

#include "rlwe/keys.h"

typedef struct hb_receiver hb_receiver;

/* Opens it for parts of `limbs` limbs, up to max_count at a time; borrows the key. engine: the key's or a fork of it.
 * HB_ENOMEM. Closing wipes its memory; NULL is allowed. */
hb_status hb_receiver_open(hb_engine *engine, const hb_public_key *key, uint32_t limbs, size_t max_count,
                           hb_receiver **out);
void hb_receiver_close(hb_receiver *receiver);
/* Returns the bytes of the engine's memory that it takes; on the member with most limbs, where they are divided. */
uint64_t hb_receiver_bytes(const hb_params *params, uint32_t limbs, size_t max_count);
/* Turns the parts h0 into two components, h0 in place and h1: [count][limbs], coefficient form. u and e of part c are
 * of seeds[c] (host, those of the parts, secret): HB_DRAW_TERNARY and HB_DRAW_ERROR_1, item 0. Errors of the engine,
 * after which both are wiped. Neither waits nor exchanges; seeds are read before it returns. */
hb_status hb_receiver_turn(hb_receiver *receiver, hb_batch h0, hb_batch h1, const hb_seed *seeds);

#endif
