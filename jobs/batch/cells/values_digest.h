/* Digests of the table values that each rank reads for itself. Ranks that share limbs must read the same values:
 * otherwise the limbs of a ciphertext would not belong together, and it could not be decrypted. The ranks compare
 * digests (hb_divided_same), keyed with a seed that only they have: an observer of the network cannot test guesses of
 * the values. */
#ifndef HB_BATCH_CELLS_VALUES_DIGEST_H
#define HB_BATCH_CELLS_VALUES_DIGEST_H

#include "base/digest.h"
#include "base/seed.h"

/* Computes BLAKE2b of the values under a key derived from `root`. */
void hb_values_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_seed *root, const uint64_t *values, size_t count);

#endif
