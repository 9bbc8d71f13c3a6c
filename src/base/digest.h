/* Checksums of stored rows: BLAKE2b-256 in two levels, so that a device with many small processors can compute the
 * leaves side by side.
 *
 * leaf = BLAKE2b-256(HB_DIGEST_LEAF_PERSON, piece of at most HB_DIGEST_LEAF bytes)
 * row  = BLAKE2b-256(HB_DIGEST_ROW_PERSON, the leaves of the row in order)
 *
 * Digests over several rows, and identities of keys and parameters, are plain BLAKE2b over what their headers list. */
#ifndef HB_BASE_DIGEST_H
#define HB_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define HB_DIGEST_BYTES 32
#define HB_DIGEST_LEAF 4096 /* bytes, 2^12 */
#define HB_DIGEST_LEAF_PERSON "hebatch leaf"
#define HB_DIGEST_ROW_PERSON "hebatch row"

/* Computes the two-level digest of a row of `bytes` bytes. A row of no bytes has no leaves. */
void hb_digest_row(uint8_t digest[HB_DIGEST_BYTES], const uint8_t *row, size_t bytes);

/* A running BLAKE2b-256. hb_digest_begin starts it under a person (BLAKE2b's domain separation) of at most 16
 * characters; hb_digest_add appends bytes, hb_digest_add_u64 a number as 8 bytes, least significant first;
 * hb_digest_end writes the digest and ends the state, which must be begun again before it is used again. Nothing here
 * can fail. */
typedef struct hb_digest_state {
    unsigned char opaque[384] __attribute__((aligned(64)));
} hb_digest_state;
void hb_digest_begin(hb_digest_state *state, const char *person);
void hb_digest_add(hb_digest_state *state, const void *data, size_t bytes);
void hb_digest_add_u64(hb_digest_state *state, uint64_t value);
void hb_digest_end(hb_digest_state *state, uint8_t digest[HB_DIGEST_BYTES]);

#endif
