/* Checksums of stored rows: BLAKE2b-256 in two levels, so that a device with many small processors can compute the
 * leaves side by side.
 *
 * leaf = BLAKE2b-256(HB_DIGEST_LEAF_PERSON, piece of at most HB_DIGEST_LEAF bytes)
 * row  = BLAKE2b-256(HB_DIGEST_ROW_PERSON, the leaves of the row in order)
 *
 * Digests over several rows, and identities of keys and parameters, are plain BLAKE2b over the bytes that their headers
 * list. */
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

/* A running BLAKE2b-256. Between hb_digest_begin and hb_digest_end it takes bytes in any pieces; nothing here can
 * fail. */
typedef struct hb_digest_state {
    unsigned char opaque[384] __attribute__((aligned(64)));
} hb_digest_state;
/* Starts a digest under a person (BLAKE2b's domain separation) of at most 16 characters (HB_ASSERT). */
void hb_digest_begin(hb_digest_state *state, const char *person);
/* Appends bytes. */
void hb_digest_add(hb_digest_state *state, const void *data, size_t bytes);
/* Appends a number as 8 bytes, least significant first. */
void hb_digest_add_u64(hb_digest_state *state, uint64_t value);
/* Appends a text, its length before it as such a number. */
void hb_digest_add_text(hb_digest_state *state, const char *text);
/* Writes the digest and ends the state, which must be begun again before it is used again. */
void hb_digest_end(hb_digest_state *state, uint8_t digest[HB_DIGEST_BYTES]);

#endif
