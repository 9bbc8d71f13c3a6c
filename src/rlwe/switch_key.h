/* Keys that switch a polynomial times one secret to one times another (semantics.md 7; rlwe/gadget.h): relinearization
 * keys (from s^2 to s), Galois keys, and keys between secrets. Among the last are the two between s and the sparse
 * secret t, under which bootstrapping raises the modulus (rlwe/sparse_secret.h). A key has a part for every digit of
 * the highest level at which it is used, and serves that level and those below. Public material. */
#ifndef HB_RLWE_SWITCH_KEY_H
#define HB_RLWE_SWITCH_KEY_H

#include "keys.h"

/* The element of a key that has no automorphism, from s^2. */
#define HB_RELINEARIZATION 0

/* The secrets that a key switches from and to; g is the element of the key's automorphism X^g. */
typedef enum hb_key_source {
    HB_FROM_SQUARE,       /* s^2 to s */
    HB_FROM_AUTOMORPHISM, /* s(X^g) to s: the automorphism comes before the switch, as in SEAL */
    HB_TO_AUTOMORPHISM,   /* s to s(X^(1/g)): the automorphism comes after the switch */
    HB_FROM_SECRET,       /* another secret to s */
    HB_TO_SPARSE,  /* s to t, modulo q_0 and the first special prime alone: nothing else is ever encrypted under t */
    HB_FROM_SPARSE /* t to s */
} hb_key_source;

/* The purpose of a key. */
typedef struct hb_key_purpose {
    const hb_gadget *gadget; /* outlives the key; NULL: that of the parameters, of HB_TO_SPARSE their sparse_gadget */
    uint32_t limbs;          /* of the highest level; 0: the gadget's */
    hb_key_source source;
    uint32_t element; /* of an automorphism, odd and below 2 N; else 0 */
    /* For a key between secrets that is generated: the secret beside s, from which HB_FROM_SECRET switches, or t. NULL
     * for other keys, and for keys that are loaded. */
    const hb_secret_key *other;
} hb_key_purpose;

/* Returns the purpose of keys of these parameters for all levels: from s^2 for HB_RELINEARIZATION; else from or to an
 * automorphism, as hb_spec_switches_first says. */
hb_key_purpose hb_key_purpose_of(const hb_params_spec *spec, uint32_t element);

typedef struct hb_switch_key {
    hb_engine *engine;
    const hb_params *params;
    const hb_gadget *gadget;
    uint32_t limbs; /* of the highest level */
    hb_key_source source;
    uint32_t element; /* of the automorphism; HB_RELINEARIZATION: none */
    uint64_t serial;  /* drawn at random: data kept for a key is found by it, and never for another key */
    uint8_t origin[HB_DIGEST_BYTES]; /* of the file that it was loaded from, set by who did; zeros: it was not */
    /* [2 D][the level's switch_limbs], NTT form, D digits: polynomial 2 J + c is component c of part J
     * (hb_key_products). */
    hb_batch parts;
    /* Or the same as integers (key_switch_integer.h), of B blocks in W primes: [2 B D][W], NTT form, polynomial
     * 2 B J + 2 b + c is component c of block b of part J. */
    hb_batch integers;
} hb_switch_key;

/* Returns the bytes that the parts of one key for all levels take on an engine. */
uint64_t hb_switch_key_bytes(const hb_params *params);
/* Returns the bytes that one key for a purpose takes on an engine for good: of one for all levels behind
 * hb_switch_key_to_integers. */
uint64_t hb_key_purpose_bytes(const hb_params *params, const hb_key_purpose *purpose);
/* Returns the limbs of the highest level of a key for a purpose: the purpose's, or its gadget's. */
uint32_t hb_key_purpose_limbs(const hb_params *params, const hb_key_purpose *purpose);
/* Returns the bytes of the packed rows of one component of these parts, without seeds. */
uint64_t hb_switch_key_packed_bytes(const hb_params *params);
/* Returns the bytes that one key for all levels takes on an engine behind hb_switch_key_to_integers. */
uint64_t hb_switch_key_prepared_bytes(const hb_params *params);
/* Returns the bytes that hb_switch_key_to_integers takes besides, while it works. */
uint64_t hb_switch_key_preparing_bytes(const hb_params *params);

/* Derives *own, the root of the key for that purpose, from one root for many keys: two keys with the same errors and
 * seeds would reveal the secrets that they switch from. Keys of one purpose for different levels get the same root, as
 * the lower one is a part of the other. So do keys from different secrets, each of which therefore needs its own
 * `root`. The caller wipes *own. */
void hb_key_purpose_root(hb_seed *own, const hb_seed *root, const hb_key_purpose *purpose);
/* Derives the root of the key of hb_key_purpose_of likewise. */
void hb_switch_key_root(hb_seed *own, const hb_seed *root, const hb_params_spec *spec, uint32_t element);
/* Allocates the key for a purpose, with parts that are undefined, for those who make them. HB_ENOMEM; HB_ECONFIG as the
 * next one. */
hb_status hb_switch_key_alloc(hb_switch_key *key, hb_engine *engine, const hb_params *params,
                              const hb_key_purpose *purpose);
/* Generates the key for a purpose, to `secret` or, for HB_TO_SPARSE, from it; the purpose's other secret is on the same
 * engine. Component 1 of part J is the expansion of public_seeds[J] (host, [D]). Errors are drawn from `root`
 * (hb_key_purpose_root) with purpose HB_DRAW_ERROR_0, items 0 .. D - 1; so from the same root and seeds a key for a
 * lower level is that level's part of the key for all. HB_ENOMEM; HB_ECONFIG when the parameters have no special prime,
 * or, for keys of t, no bootstrapping. *key is cleared on failure. */
hb_status hb_switch_key_generate_for(hb_switch_key *key, const hb_secret_key *secret, const hb_key_purpose *purpose,
                                     const hb_seed *root, const hb_seed *public_seeds);
/* Generates the key of hb_key_purpose_of likewise. */
hb_status hb_switch_key_generate(hb_switch_key *key, const hb_secret_key *secret, uint32_t element, const hb_seed *root,
                                 const hb_seed *public_seeds);
/* Makes a key from a secret to the holder of a public key, without his secret, for the level of `limbs` limbs and those
 * below (0: for all): part J is an encryption of P s' in the limbs of digit J, with a ternary u of its own,
 *     (b u + e_0 + g_J s', a u + e_1).
 * Its errors are -e u + e_0 + e_1 s, e that of the public key (key_shape.h: `rekey`). u, e_0 and e_1 are drawn from
 * `root` with purposes HB_DRAW_TERNARY, HB_DRAW_ERROR_0 and HB_DRAW_ERROR_1, items 0 .. D - 1. No component is the
 * expansion of a seed. Its source is HB_FROM_SECRET. Both keys are on one engine. Errors are those of
 * hb_switch_key_generate_for. */
hb_status hb_switch_key_encrypt(hb_switch_key *key, const hb_secret_key *from, const hb_public_key *to, uint32_t limbs,
                                const hb_seed *root);
/* Generates the key of hb_key_purpose_of with component 1 from another program's sampler: words (host, [2 D][K][n], NTT
 * form, canonical: checked, HB_EDATA), of which the odd polynomials are read. */
hb_status hb_switch_key_generate_words(hb_switch_key *key, const hb_secret_key *secret, uint32_t element,
                                       const hb_seed *root, const uint64_t *words);
/* Packed rows of a key as files have them; borrowed memory. */
typedef struct hb_packed_key {
    uint32_t limbs; /* of the highest level that they are for; 0: the gadget's */
    /* They are those alone that the engine takes (hb_switch_key_takes), one behind the other; `limbs` is not looked
     * at. */
    bool own;
    /* [D] of hb_packed_bytes of the limbs of that level and the special primes: component 0 of each part, and component
     * 1, or NULL, where this is expanded from ... */
    const uint8_t *b, *a;
    const hb_seed *seeds; /* ... these, [D] */
} hb_packed_key;

/* Returns the parts of a key for a purpose, and in *primes which rows of them a member has: bit l is set for the rows
 * modulo the l-th of all K primes. */
uint32_t hb_switch_key_takes(const hb_params *params, const hb_key_purpose *purpose, uint32_t member, uint64_t *primes);
/* Loads the key for a purpose from packed rows, or a part of them: those of a lower level. HB_EDATA when a residue is
 * out of range. The host memory may be reused afterwards. *key is cleared on failure. */
hb_status hb_switch_key_load_for(hb_switch_key *key, hb_engine *engine, const hb_params *params,
                                 const hb_key_purpose *purpose, const hb_packed_key *packed);
/* Loads the key of hb_key_purpose_of for all levels likewise. */
hb_status hb_switch_key_load(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element,
                             const uint8_t *packed_b, const uint8_t *packed_a, const hb_seed *public_seeds);
/* Loads that key from words of another program (host, [2 D][K][n], NTT form, canonical: checked,
 * HB_EDATA). */
hb_status hb_switch_key_load_words(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element,
                                   const uint64_t *words);
/* Turns the parts of a key for all levels into integers where that makes switching faster:
 * hb_params_switch_by_integers. Such a key can no longer be packed. HB_ENOMEM; after any failure the key can only be
 * cleared. Does nothing to a key of integers. Exchanges. */
hb_status hb_switch_key_to_integers(hb_switch_key *key);
/* Packs a key of any purpose, with the rows of its own level as in hb_packed_key. packed_a: NULL where the seeds
 * suffice. */
hb_status hb_switch_key_pack(const hb_switch_key *key, uint8_t *packed_b, uint8_t *packed_a);
/* Moves a key to other parameters, which differ from its own in the plain modulus alone and must outlive it. */
void hb_switch_key_use(hb_switch_key *key, const hb_params *params);
/* Frees the memory of the key; a zeroed one is allowed. */
void hb_switch_key_clear(hb_switch_key *key);

/* Computes the gadget product, modulo the level's primes and the special ones: r = sum_j digit_j E_j. r is
 * [2 * count][switch_limbs], NTT form, component after component; mod_down brings it, or the sum of several, to the
 * level. The key has the digits' gadget and parts, and serves their level. No overlap. */
hb_status hb_switch_key_multiply(hb_engine *e, hb_batch r, hb_digits digits, const hb_switch_key *key);

#endif
