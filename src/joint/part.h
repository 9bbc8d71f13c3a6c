/* Parts of decryptions under joint keys (part_plan.h): each owner's product of the ciphertexts' component 1 with his
 * secret, hidden in noise. Anybody can decrypt with the parts of all (combine.h).
 *
 * The noise of a part is a function of component 1 and of the request, and never of component 0: the same request gives
 * the same bytes. Who could ask for two parts of one component 1 with different noise would average it away. */
#ifndef HB_JOINT_PART_H
#define HB_JOINT_PART_H

#include "part_plan.h"
#include "scheme/cipher.h"
#include "session.h"

/* The request for parts of one dataset, but for its ciphertexts. */
typedef struct hb_part_request {
    const uint8_t *session_id;   /* [HB_DIGEST_BYTES] */
    const hb_owner_card *owners; /* [count], who decrypt, in ascending order of names */
    uint32_t count;
    hb_part_plan plan;                 /* of the noise, which a maker is opened with */
    uint8_t cells[HB_DIGEST_BYTES];    /* of the slots that are cells; 0: all slots are */
    uint8_t receiver[HB_KEY_ID_BYTES]; /* of the key that parts are for; 0: they are in the clear */
} hb_part_request;

/* Computes H("hebatch c1"; limbs, row digests of component 1), H as in io/README.md. rows: [limbs][HB_DIGEST_BYTES], by
 * limb (base/digest.h). */
void hb_part_c1_digest(uint8_t digest[HB_DIGEST_BYTES], uint32_t limbs, const uint8_t *rows);
/* Computes H("hebatch part"; session id, c1 digest, count, of each owner the length of the name and the name, u, w,
 * cells, receiver). */
void hb_part_context(uint8_t context[HB_DIGEST_BYTES], const hb_part_request *request,
                     const uint8_t c1_digest[HB_DIGEST_BYTES]);
/* Derives the seed of a part's noise: H("hebatch flood"; own, context), own that of hb_owner_root. Secret: the caller
 * wipes it. */
void hb_part_seed(hb_seed *seed, const hb_seed *own, const uint8_t context[HB_DIGEST_BYTES]);

/* Makes parts h = s c_1 + F, [count][limbs], coefficient form, of ciphertexts at a level of the parameters; c1 has the
 * same shape and form. h may be c1, or they do not overlap, and c1 is destroyed. secret: of the engine, or of the one
 * that it is a fork of. F of ciphertext c is of seeds[c] (host, secret), as hb_add_exact_flood draws it. Errors of the
 * engine, after which h is wiped: it may be s c_1. */
hb_status hb_part_make(hb_engine *engine, const hb_secret_key *secret, hb_exact_flood flood, hb_batch h, hb_batch c1,
                       const hb_seed *seeds);

#endif
