/* Digests of the table values that each rank reads for itself. Ranks that share limbs must read the same values:
 * otherwise the limbs of a ciphertext would not belong together, and it could not be decrypted. The ranks compare
 * digests (hb_divided_same), and a resumed job compares them with those of its earlier runs (output/values_log.h). They
 * are keyed with a seed that only the ranks have: an observer of the network, or a reader of the log, cannot test
 * guesses of the values.
 *
 * A digest is BLAKE2b, under one key, of the Poly1305 of the values, under another: hashing to few bytes, then a
 * pseudorandom function of them (Wegman and Carter, 1981). Different values of b bytes have equal digests with a
 * probability of at most b / 2^103. Poly1305 takes a third of the time of BLAKE2b, which was most of what reading a
 * table took. */
#ifndef HB_BATCH_CELLS_VALUES_DIGEST_H
#define HB_BATCH_CELLS_VALUES_DIGEST_H

#include "base/digest.h"
#include "base/seed.h"

/* A running digest: between begin and end it takes values in any pieces. Nothing here can fail. */
typedef struct hb_values_digest {
    hb_seed root;
    unsigned char opaque[256] __attribute__((aligned(64))); /* libsodium's state of a Poly1305 */
} hb_values_digest;
/* Starts a digest under keys derived from `root`. */
void hb_values_digest_begin(hb_values_digest *running, const hb_seed *root);
/* Appends values, `bytes` of them, in any length: pieces need not end where values do. */
void hb_values_digest_add(hb_values_digest *running, const void *values, size_t bytes);
/* Writes the digest of all values, and wipes *running. */
void hb_values_digest_end(hb_values_digest *running, uint8_t digest[HB_DIGEST_BYTES]);

/* Computes the digest of `count` values that are there at once. */
void hb_values_digest_of(uint8_t digest[HB_DIGEST_BYTES], const hb_seed *root, const uint64_t *values, size_t count);

#endif
