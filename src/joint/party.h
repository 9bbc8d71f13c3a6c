/* An owner's own key, from which everything else of his follows; the card that others know him by; his signatures. A
 * party has one root, 32 random bytes, for all its sessions. Ed25519 and X25519 are libsodium's. */
#ifndef HB_JOINT_PARTY_H
#define HB_JOINT_PARTY_H

#include "session.h"

#define HB_SIGNATURE_BYTES 64

/* Makes the card of a root: keys of the seeds "sign" and "box" that are derived from it, and "nonce" as it is
 * (hb_seed_derive). name is as in session.h; HB_EUSAGE where it is none. */
hb_status hb_party_card(hb_owner_card *card, const hb_seed *root, const char *name);
/* Computes what people compare by telephone: H("hebatch card"; length of the name, name, sign, box, nonce). */
void hb_card_fingerprint(uint8_t digest[HB_DIGEST_BYTES], const hb_owner_card *card);
/* The fingerprint as people read it out: 64 hexadecimal digits in 16 words of 4. */
typedef struct hb_fingerprint {
    char text[5 * HB_DIGEST_BYTES / 2 + 1];
} hb_fingerprint;
hb_fingerprint hb_fingerprint_of(const hb_owner_card *card);
hb_fingerprint hb_fingerprint_text(const uint8_t digest[HB_DIGEST_BYTES]); /* of hb_card_fingerprint */

/* Finds the owner whose card this is. HB_EDATA where it is nobody's; where another card has its name, the message has
 * the fingerprints of both. */
hb_status hb_party_find(const hb_joint_session *session, const hb_owner_card *card, uint32_t *owner);

/* The facts that a signature is for: H("hebatch signed"; length of the kind, kind, session, length of the name, name,
 * body) is signed. */
typedef struct hb_signed_facts {
    const char *kind;       /* of the file */
    const uint8_t *session; /* [HB_DIGEST_BYTES], of the session; zeros: of none */
    const char *from;       /* the owner's name */
    const uint8_t *body;    /* [HB_DIGEST_BYTES], digest of all that the file holds besides */
} hb_signed_facts;

/* Signs with the key of the root's card. */
void hb_party_sign(uint8_t signature[HB_SIGNATURE_BYTES], const hb_seed *root, const hb_signed_facts *facts);
/* Returns whether the signature is by the owner of this card, and facts->from is his name. */
bool hb_card_signed(const hb_owner_card *card, const uint8_t signature[HB_SIGNATURE_BYTES],
                    const hb_signed_facts *facts);

#endif
