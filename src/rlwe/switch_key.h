/* Keys that switch a polynomial times another secret to one times s: relinearization keys (from s^2) and Galois keys
 * (from s(X^g)) (semantics.md 7). One part for each data prime: D = data limbs. Public material. */
#ifndef HB_RLWE_SWITCH_KEY_H
#define HB_RLWE_SWITCH_KEY_H

#include "keys.h"

/* The automorphism that a key is for; s^2 is none. */
#define HB_RELINEARIZATION 0

typedef struct hb_switch_key {
    hb_engine *engine;
    const hb_params *params;
    uint32_t element; /* g, or HB_RELINEARIZATION */
    hb_batch parts;   /* [2 D][K], NTT form: polynomial 2 J + c is component c of part J (hb_key_products) */
    /* Or the same as integers (key_switch_integer.h), of B blocks in W primes: [2 B D][W], NTT form, polynomial
     * 2 B J + 2 b + c is component c of block b of part J. */
    hb_batch integers;
} hb_switch_key;

/* Bytes of one key's parts on an engine; of the packed rows of one component of them, without seeds. */
uint64_t hb_switch_key_bytes(const hb_params *params);
uint64_t hb_switch_key_packed_bytes(const hb_params *params);
/* On an engine, of one that is prepared (below), and of what else preparing takes meanwhile. */
uint64_t hb_switch_key_prepared_bytes(const hb_params *params);
uint64_t hb_switch_key_preparing_bytes(const hb_params *params);

/* The root of one key, from that of many: two with the same errors and seeds would tell what they switch from. The
 * caller wipes *own. */
void hb_switch_key_root(hb_seed *own, const hb_seed *root, uint32_t element);
/* public_seeds: host, [D], what component 1 of every part expands to. Errors are drawn from `root` with purpose
 * HB_DRAW_ERROR_0, items 0 .. D - 1: a root of its own for every key. HB_ECONFIG when the parameters have no special
 * prime. Clear allows a zeroed key. */
hb_status hb_switch_key_generate(hb_switch_key *key, const hb_secret_key *secret, uint32_t element, const hb_seed *root,
                                 const hb_seed *public_seeds);
/* The same with component 1 as words of another program's sampler: host, [2 D][K][n], canonical (checked, HB_EDATA), of
 * which the odd polynomials are read. */
hb_status hb_switch_key_generate_words(hb_switch_key *key, const hb_secret_key *secret, uint32_t element,
                                       const hb_seed *root, const uint64_t *words);
/* From packed rows (host, [D] of hb_packed_bytes of all K limbs: component 0 of each part; packed_a: component 1, or
 * NULL: then it is expanded from the seeds). HB_EDATA when a residue is out of range. The host memory may be reused
 * afterwards. */
hb_status hb_switch_key_load(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element,
                             const uint8_t *packed_b, const uint8_t *packed_a, const hb_seed *public_seeds);
/* From words (host, [2 D][K][n], NTT form, canonical: checked, HB_EDATA): keys of other programs. */
hb_status hb_switch_key_load_words(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element,
                                   const uint64_t *words);
/* Turns the parts into integers where that makes switching faster: hb_params_switch_by_integers.
 * Such a key cannot be packed any more. HB_ENOMEM; whatever fails, the key is of no use but to be cleared. Does nothing
 * to a key that is prepared. */
hb_status hb_switch_key_prepare(hb_switch_key *key);
/* packed_a: NULL where the seeds will do. */
hb_status hb_switch_key_pack(const hb_switch_key *key, uint8_t *packed_b, uint8_t *packed_a);
void hb_switch_key_clear(hb_switch_key *key);

#endif
