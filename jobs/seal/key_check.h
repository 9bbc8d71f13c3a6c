/* Checks keys of other programs against the secret key of their pair (semantics.md 7). On a CPU engine. */
#ifndef HB_SEAL_KEY_CHECK_H
#define HB_SEAL_KEY_CHECK_H

#include "rlwe/switch_key.h"

/* The limb of a public key, which encrypts zero in all limbs: no limb. */
#define HB_SEAL_NO_TARGET UINT32_MAX

typedef struct hb_seal_key_check {
    const hb_secret_key *secret; /* borrowed */
    uint32_t element;            /* the element of `target`; UINT32_MAX: none yet */
    hb_batch target;             /* P s', NTT form: keys of the element switch from s' */
    hb_batch part, error;
} hb_seal_key_check;

/* Makes a check. The caller clears, also after a failure; a zeroed struct is allowed. Clear wipes. */
hb_status hb_seal_key_check_init(hb_seal_key_check *check, const hb_secret_key *secret);
void hb_seal_key_check_clear(hb_seal_key_check *check);
/* Checks (b, a) in words, host, [2][key limbs][n], NTT form: part `limb` of the switching key of this element, or a
 * public key. HB_EDATA, naming `path`, unless b + a s is the same small error in all limbs, after P s' of the element
 * was subtracted from limb `limb`. */
hb_status hb_seal_key_check_part(hb_seal_key_check *check, uint32_t element, uint32_t limb, const uint64_t *words,
                                 const char *path);

#endif
