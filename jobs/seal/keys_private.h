/* An import of keys on its way: keys_import.c does it, with the pair itself in pair_import.c. */
#ifndef HB_SEAL_KEYS_PRIVATE_H
#define HB_SEAL_KEYS_PRIVATE_H

#include "key_check.h"
#include "keys.h"
#include "keys_identity.h"

typedef struct hb_seal_key_import {
    const char *folder; /* of SEAL's files */
    hb_seal_setup setup;
    hb_seal_folder to;
    hb_seal_keys *keys;
    const char *directory; /* where the keys go; NULL while that is new: then to.name, as a whole */
    hb_seal_identity said; /* of whom the keys are, where somebody says so */
    bool identified;       /* keys->key_id is set */
    int8_t *ternary;       /* [n], of the directory's secret key; or NULL */
    hb_secret_key secret;  /* with check.secret: what all others are checked with */
    hb_seal_key_check check;
    uint64_t *words; /* [2 data limbs][key limbs][n], at least 2 polynomials */
    size_t word_bytes;
} hb_seal_key_import;

/* secret.h5 and public.h5, from what there is of them or, where only a secret is, the latter made of it; sets the
 * identity where it can. */
hb_status hb_seal_import_pair(hb_seal_key_import *x);
/* The identity that words, [2][key limbs][n], have as a public key. */
hb_status hb_seal_identify_words(hb_seal_key_import *x);

#endif
