/* The secret and the public key on an engine (semantics.md 7). Keys live on all K limbs in NTT form. */
#ifndef HB_RLWE_KEYS_H
#define HB_RLWE_KEYS_H

#include "params.h"

#define HB_KEY_ID_BYTES 16

typedef struct hb_secret_key {
    hb_engine *engine;
    const hb_params *params;
    hb_batch s; /* [1][K], NTT form */
} hb_secret_key;

typedef struct hb_public_key {
    hb_engine *engine;
    const hb_params *params;
    hb_batch b, a; /* [1][K], NTT form: b = -(a s + e), a uniform */
} hb_public_key;

/* Draws the ternary secret of `root` (HB_DRAW_SECRET, item 0); ternary: host, [n], values -1, 0, 1, for the caller to
 * store and to wipe. HB_ENOMEM. */
hb_status hb_secret_draw(hb_engine *engine, const hb_params *params, const hb_seed *root, int8_t *ternary);
/* Puts a secret on the engine. HB_EDATA when a value is not ternary. Clear wipes it; a cleared or zero key is allowed.
 */
hb_status hb_secret_key_load(hb_secret_key *key, hb_engine *engine, const hb_params *params, const int8_t *ternary);
/* Does both; the drawn values are wiped. Errors of both, after which the key is clear. */
hb_status hb_secret_key_draw(hb_secret_key *key, hb_engine *engine, const hb_params *params, const hb_seed *root);
void hb_secret_key_clear(hb_secret_key *key);

/* Makes b from the secret, the error of `root` (HB_DRAW_ERROR_0, item 0) and a of `public_seed`. HB_ENOMEM. */
hb_status hb_public_key_generate(hb_public_key *key, const hb_secret_key *secret, const hb_seed *root,
                                 const hb_seed *public_seed);
/* Loads packed rows of b (host, hb_packed_bytes of all K limbs) and of a, or, with packed_a NULL, the seed that a
 * expands from. HB_EDATA when a residue is out of range. */
hb_status hb_public_key_load(hb_public_key *key, hb_engine *engine, const hb_params *params, const uint8_t *packed_b,
                             const uint8_t *packed_a, const hb_seed *public_seed);
/* Loads words of keys of other programs (host, [2][K][n]: b, a; NTT form, canonical: checked, HB_EDATA). */
hb_status hb_public_key_load_words(hb_public_key *key, hb_engine *engine, const hb_params *params,
                                   const uint64_t *words);
/* Packs a key; packed_a: NULL where the seed suffices. */
hb_status hb_public_key_pack(const hb_public_key *key, uint8_t *packed_b, uint8_t *packed_a);
void hb_public_key_clear(hb_public_key *key);

/* Computes the identity of a key pair: BLAKE2b(person "hebatch key", parameter digest, public seed, packed b), first 16
 * bytes. A key with a packed a has 32 zero bytes for the seed, and a after b. The seed may be NULL where packed_a is
 * not. */
void hb_key_id(uint8_t id[HB_KEY_ID_BYTES], const hb_params *params, const hb_seed *public_seed,
               const uint8_t *packed_b, const uint8_t *packed_a);

/* Whether hb_key_unpack needs memory for staging: not where host and engine are the same memory, if the rows are those
 * of all limbs here: with `own`, or where limbs are not divided. */
static inline bool hb_key_needs_staging(const hb_engine *engine, bool own)
{
    return !engine->on_host || (engine->map != NULL && !own);
}
/* Puts one packed polynomial (host) on an engine: this member's limbs alone, from the rows of all limbs of r, or, with
 * `own`, from those of its limbs alone. staging: engine memory for the rows of these (hb_packed_bytes_here), or NULL
 * where none is needed. HB_EDATA naming `what` when a residue is out of range. Waits. */
hb_status hb_key_unpack(hb_engine *engine, hb_batch r, const uint8_t *packed, bool own, void *staging,
                        const char *what);
/* Puts words (host, [count][limbs][n]) on an engine, which is not divided, into the contiguous batch r. HB_EDATA unless
 * all are canonical. Waits. */
hb_status hb_key_words(hb_engine *engine, hb_batch r, const uint64_t *words);

#endif
