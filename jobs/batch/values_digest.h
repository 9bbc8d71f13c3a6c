/* What every rank of those that share limbs reads for itself and must read alike: with other values on one of them the
 * limbs of a ciphertext would not belong together, and nobody could decrypt it. They compare digests (hb_divided_same),
 * keyed with a seed that only they have, so that who sees one on the network cannot try out guesses of the values. */
#ifndef HB_BATCH_VALUES_DIGEST_H
#define HB_BATCH_VALUES_DIGEST_H

#include "base/digest.h"
#include "base/seed.h"

/* BLAKE2b of the values under a key that is derived from `root`. */
void hb_values_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_seed *root, const uint64_t *values, size_t count);

#endif
