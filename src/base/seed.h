/* Seeds and how randomness is addressed: every random word is a pure function of (seed, purpose, item, position),
 * never of rank, thread or order. So the number of ranks cannot change a result, and a GPU draws the same words.
 *
 * A seed is a ChaCha20 key (RFC 8439). A draw names one keystream: nonce = LE32(purpose + 256 * attempt) || LE64(item),
 * block counter from 0. Word i of the stream (8 bytes, little-endian) belongs to coefficient i; where a sampler
 * rejects it, coefficient i takes word i of the next attempt's stream. */
#ifndef HB_BASE_SEED_H
#define HB_BASE_SEED_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#define HB_SEED_BYTES 32

typedef struct hb_seed {
    uint8_t bytes[HB_SEED_BYTES];
} hb_seed;

/* What a keystream is for. Values are part of the format: public seeds in files expand by them. */
typedef enum hb_purpose {
    HB_DRAW_UNIFORM = 1,     /* item = limb: the uniform polynomial of a public seed */
    HB_DRAW_PUBLIC_SEED = 2, /* item = ciphertext number: its public seed */
    HB_DRAW_SECRET = 3,      /* the secret key */
    HB_DRAW_TERNARY = 4,     /* u of public-key encryption */
    HB_DRAW_ERROR_0 = 5,     /* error of component 0 */
    HB_DRAW_ERROR_1 = 6      /* error of component 1 */
} hb_purpose;

typedef struct hb_draw {
    const hb_seed *seed;
    hb_purpose purpose;
    uint64_t item; /* of the first polynomial of a batch; polynomial c draws with item + c */
} hb_draw;

/* Starts the random source; once per process before any other function here. HB_EUNAVAILABLE if there is none. */
hb_status hb_seed_start(void);

/* A fresh seed from the operating system. Wipe it after use with hb_wipe. */
void hb_seed_random(hb_seed *seed);

/* An independent seed for `label` (at most 64 bytes): keyed BLAKE2b of the label. */
void hb_seed_derive(hb_seed *derived, const hb_seed *root, const char *label);

/* The public seeds of items first .. first + count: the leading 32 bytes of their HB_DRAW_PUBLIC_SEED streams. */
void hb_seed_public(hb_seed *seeds, size_t count, const hb_seed *root, uint64_t first);

/* `bytes` bytes of the keystream of (draw, attempt) for polynomial draw.item, from byte 0. bytes <= 2^36. */
void hb_keystream(uint8_t *out, size_t bytes, hb_draw draw, uint32_t attempt);

/* Word i of the same stream alone, for coefficients whose earlier words were rejected. */
uint64_t hb_keystream_word(hb_draw draw, uint32_t attempt, size_t i);

/* Keeps the pages of memory that is going to hold a secret out of swap and of core files, from now to the end of the
 * process: they are not unlocked, as others may share them. Where the process may not lock so much (ulimit -l), or at
 * all, nothing happens. */
void hb_lock(void *memory, size_t bytes);
/* For files of which nobody knows yet whether they hold a secret: secret keys are shorter than this, and hb_lock_short
 * locks nothing longer. */
#define HB_LOCK_SHORT ((size_t)1 << 20)
void hb_lock_short(void *memory, size_t bytes);
/* Overwrites memory that held a secret; never optimised away. */
void hb_wipe(void *memory, size_t bytes);

#endif
