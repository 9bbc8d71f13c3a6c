/* Keys of other programs against the secret that they are said to belong to (semantics.md 7). On a CPU engine. */
#ifndef HB_SEAL_KEY_CHECK_H
#define HB_SEAL_KEY_CHECK_H

#include "rlwe/switch_key.h"

/* The limb of a public key, which encrypts zero in all limbs. */
#define HB_SEAL_NO_TARGET UINT32_MAX

typedef struct hb_seal_key_check {
    const hb_secret_key *secret; /* borrowed */
    uint32_t element;            /* of the target that is there; UINT32_MAX: none is */
    hb_batch target;             /* P s', NTT form: s' is what keys of the element switch from */
    hb_batch part, error;
} hb_seal_key_check;

/* The caller clears, also after a failure; a zeroed struct is allowed. Clear wipes. */
hb_status hb_seal_key_check_init(hb_seal_key_check *check, const hb_secret_key *secret);
void hb_seal_key_check_clear(hb_seal_key_check *check);
/* words: (b, a), host, [2][key limbs][n], NTT form. HB_EDATA, naming `path`, unless b + a s is the same small error in
 * all limbs, after P s' of this element was taken from limb `limb`: part `limb` of its switching key, or a public
 * key. */
hb_status hb_seal_key_check_part(hb_seal_key_check *check, uint32_t element, uint32_t limb, const uint64_t *words,
                                 const char *path);

#endif
