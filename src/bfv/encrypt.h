/* BFV encryption of batches (semantics.md 4), on the first data level. */
#ifndef HB_BFV_ENCRYPT_H
#define HB_BFV_ENCRYPT_H

#include "rlwe/encrypt.h"

/* Encrypts plain.count messages: encryptions of zero plus the scaled message in c0. rlwe/encrypt.h has the shapes of
 * c0, c1 and public_seeds, and the meaning of `first`. plain: one limb mod t, canonical, coefficient form (codec.h); it
 * is kept, and does not overlap c0 and c1. It fails as hb_encrypt_zero does. */
hb_status hb_bfv_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                         const hb_seed *root, uint64_t first);

#endif
