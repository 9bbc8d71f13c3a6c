/* Seeds, and how randomness is addressed. Every random word is a pure function of (seed, purpose, item, position),
 * never of rank, thread or order. So the number of ranks cannot change a result, and a GPU draws the same words.
 *
 * A seed is a ChaCha20 key (RFC 8439). A draw names one keystream: its nonce is LE32(purpose + 256 * attempt) ||
 * LE64(item), and its block counter starts at 0. Word i of the stream (8 bytes, little-endian) belongs to coefficient
 * i. Where a sampler rejects that word, coefficient i takes word i of the next attempt's stream. */
#ifndef HB_BASE_SEED_H
#define HB_BASE_SEED_H

#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "status.h"

#define HB_SEED_BYTES 32

/* The key of all keystreams that are drawn from it. Roots and derived seeds are secret, public seeds are not. */
typedef struct hb_seed {
    uint8_t bytes[HB_SEED_BYTES];
} hb_seed;

/* The purpose of a keystream. The values are part of the file format: public seeds in files expand by them. */
typedef enum hb_purpose {
    HB_DRAW_UNIFORM = 1,     /* item = index of the limb's modulus: the uniform polynomial of a public seed */
    HB_DRAW_PUBLIC_SEED = 2, /* item = number of the ciphertext: its public seed */
    HB_DRAW_SECRET = 3,      /* the secret key */
    HB_DRAW_TERNARY = 4,     /* u of public-key encryption */
    HB_DRAW_ERROR_0 = 5,     /* error of component 0 */
    HB_DRAW_ERROR_1 = 6,     /* error of component 1 */
    HB_DRAW_FLOOD = 7,       /* noise that a result is hidden in */
    HB_DRAW_EXACT_FLOOD = 8  /* noise of an exact distribution (rlwe/exact_flood.h) */
} hb_purpose;

/* Names the keystreams of a batch of polynomials. The seed is borrowed: it outlives the calls that take the draw. */
typedef struct hb_draw {
    const hb_seed *seed;
    hb_purpose purpose;
    uint64_t item; /* of the first polynomial of a batch; polynomial c of the batch draws with item + c */
} hb_draw;

/* Starts the random source. The process calls it once, before any other function here. HB_EUNAVAILABLE if the operating
 * system has none. */
hb_status hb_seed_start(void);

/* Draws a fresh seed from the operating system. The caller wipes it after use with hb_wipe. */
void hb_seed_random(hb_seed *seed);

/* Derives an independent seed for `label`, which has at most 64 bytes: the BLAKE2b-256 hash of the label, keyed with
 * the root. Equal labels give equal seeds. */
void hb_seed_derive(hb_seed *derived, const hb_seed *root, const char *label);
/* Derives an independent seed for a digest: H(label; root, digest), H as in io/README.md, the label one of at most 16
 * characters. Equal labels and digests give equal seeds. */
void hb_seed_derive_for(hb_seed *derived, const char *label, const hb_seed *root,
                        const uint8_t digest[HB_DIGEST_BYTES]);

/* Makes the public seeds of items first .. first + count - 1: seeds[i] is the leading 32 bytes of the
 * HB_DRAW_PUBLIC_SEED stream of item first + i. */
void hb_seed_public(hb_seed *seeds, size_t count, const hb_seed *root, uint64_t first);

/* Writes the first `bytes` bytes of the keystream of (draw, attempt) for polynomial draw.item. bytes <= 2^36, which the
 * 32-bit block counter covers (2^32 blocks of 64 bytes); attempt < 2^24. */
void hb_keystream(uint8_t *out, size_t bytes, hb_draw draw, uint32_t attempt);

/* Returns word i of the same stream alone, for coefficients whose earlier words were rejected. It recomputes the block
 * of 64 bytes that holds the word, and wipes it. */
uint64_t hb_keystream_word(hb_draw draw, uint32_t attempt, size_t i);

/* Keeps the pages of memory that is going to hold a secret out of swap and of core files, from now to the end of the
 * process: they are never unlocked, as other data may share them. Where the process may not lock so much (ulimit -l),
 * or at all, nothing happens. errno is preserved. */
void hb_lock(void *memory, size_t bytes);
/* hb_lock_short locks memory below HB_LOCK_SHORT bytes and ignores anything longer. It is for the contents of files
 * that may or may not hold a secret: secret keys are shorter than this. */
#define HB_LOCK_SHORT ((size_t)1 << 20)
void hb_lock_short(void *memory, size_t bytes);
/* Overwrites memory that held a secret; the compiler cannot optimise the stores away. */
void hb_wipe(void *memory, size_t bytes);
/* Returns `bytes` bytes of memory that begin with the first `used` bytes of `memory`. It wipes and frees that memory,
 * of `held` bytes: realloc may leave a copy of secrets behind. NULL: there is no memory, and the old stays.
 * memory: NULL, or from malloc. The caller frees. */
void *hb_wipe_and_grow(void *memory, size_t used, size_t held, size_t bytes);

#endif
