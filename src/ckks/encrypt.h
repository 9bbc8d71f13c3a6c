/* CKKS encryption of batches (semantics.md 9.3), at any level. */
#ifndef HB_CKKS_ENCRYPT_H
#define HB_CKKS_ENCRYPT_H

#include "rlwe/encrypt.h"

/* Encrypts plain.count plaintexts: encryptions of zero (rlwe/encrypt.h has the shapes of c0, c1 and public_seeds, and
 * what `first` numbers) plus the plaintexts in c0. plain: [count][limbs] in NTT form, of c0's limbs, at the scale of
 * that level (codec.h); it is kept, and does not overlap c0 and c1. It fails as hb_encrypt_zero does. */
hb_status hb_ckks_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                          const hb_seed *root, uint64_t first);

#endif
