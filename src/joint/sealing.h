/* Secrets between two owners of joint keys, from X25519 of their cards: shares that one deals to the other (sharing.h),
 * in libsodium's crypto_box, and what masks of parts come from (masks.h). Quantum computers would open both, later too,
 * from recorded files; joint keys that all owners decrypt with have neither.
 *
 * An owner's own share is kept under a key of his root, so that a passphrase of his secret file guards it as well. */
#ifndef HB_JOINT_SEALING_H
#define HB_JOINT_SEALING_H

#include "party.h"

#define HB_SEAL_BYTES 16 /* that a box is longer than what is in it */

/* A secret that two owners alone know; the caller wipes it. */
typedef struct hb_pair_secret {
    uint8_t bytes[32];
} hb_pair_secret;

/* Computes X25519 of the root's card with another owner's. HB_EDATA where that has a key of low order, with which
 * everybody knows the secret. */
hb_status hb_pair_secret_make(hb_pair_secret *secret, const hb_seed *root, const hb_owner_card *other);

/* The way of a sealed share in a session. */
typedef struct hb_share_way {
    const uint8_t *session;         /* [HB_DIGEST_BYTES] */
    const hb_owner_card *from, *to; /* one of them is the root's */
} hb_share_way;

/* Seals what `from`, whose root it is, deals to `to`: box, bytes + HB_SEAL_BYTES. Nonce: the first 24 bytes of
 * H("hebatch share"; session, of each of from and to the length of the name and the name), for one message alone. The
 * same message gives the same box. HB_EDATA where the card of `to` has no good key. */
hb_status hb_share_seal(uint8_t *box, const hb_seed *root, const hb_share_way *way, const uint8_t *message,
                        size_t bytes);
/* Opens it with the root of `to`: message, bytes. HB_EDATA naming the dealer where it does not open. */
hb_status hb_share_unseal(uint8_t *message, const hb_seed *root, const hb_share_way *way, const uint8_t *box,
                          size_t bytes);

/* Keep an owner's share in a box, bytes + HB_SEAL_BYTES, under the key H("hebatch kept"; own, inputs), own that of
 * hb_owner_root and inputs those of round 2, and take it out. HB_EDATA where the box does not open. */
void hb_share_keep(uint8_t *box, const hb_seed *own, const uint8_t inputs[HB_DIGEST_BYTES], const uint8_t *share,
                   size_t bytes);
hb_status hb_share_take(uint8_t *share, const hb_seed *own, const uint8_t inputs[HB_DIGEST_BYTES], const uint8_t *box,
                        size_t bytes);

#endif
