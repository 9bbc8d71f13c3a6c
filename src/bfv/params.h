/* BFV parameters: a literal that anyone can write, and the checked, immutable object with every derived table.
 *
 * Key limbs are all K primes; the last one is the special prime. Ciphertexts live on the first K - 1; on all K if K = 1
 * or if the product of the first K - 1 does not exceed t: then there is no special prime and no key switching. Level
 * "k limbs" uses q_0 .. q_{k-1} (semantics.md 1.5). */
#ifndef HB_BFV_PARAMS_H
#define HB_BFV_PARAMS_H

#include <stdbool.h>

#include "base/digest.h"
#include "product_base.h"
#include "ring/basis.h"
#include "ring/bfv_ops.h"
#include "ring/garner.h"
#include "ring/limb_map.h"
#include "ring/ring.h"
#include "security.h"

#define HB_MIN_LOG_N 10

typedef struct hb_params_spec {
    size_t n;                      /* 2^10 .. 2^17 */
    uint32_t key_limbs;            /* K, 1 .. HB_MAX_LIMBS */
    uint64_t primes[HB_MAX_LIMBS]; /* [K], each prime, 2 .. 60 bits, = 1 mod 2n */
    uint64_t plain;                /* t, 2 .. 60 bits */
    hb_security security;          /* the table and the level that must hold ... */
    bool insecure;                 /* ... unless this is set; stays set in the checked object only if it was needed */
} hb_params_spec;

/* Everything that depends on a level. Built for every level of a chain whose product Q exceeds t; where it does not,
 * the level does not exist and basis.limbs is 0. */
typedef struct hb_level {
    hb_basis basis;
    hb_garner garner;
    hb_scale_plain scale_plain;
    hb_base_conversion to_plain_gamma; /* of t gamma a: q -> {t, gamma} */
    hb_gamma_correction gamma_correction;
    hb_drop_last drop_last; /* unused with one limb */
    hb_plain_lift plain_lift;
    /* Key switching at this level: its limbs and the special prime; unused where the parameters have none. */
    uint16_t switch_ids[HB_MAX_LIMBS];      /* [limbs + 1] */
    hb_drop_last drop_special;              /* of those */
    uint64_t plain_factor[HB_MAX_LIMBS];    /* t mod q_i: for the noise */
    uint64_t delta[HB_MAX_LIMBS];           /* what scale_plain points to */
    uint64_t inverse_last[HB_MAX_LIMBS];    /* what drop_last points to */
    uint64_t inverse_special[HB_MAX_LIMBS]; /* what drop_special points to */
} hb_level;

typedef struct hb_params {
    hb_params_spec spec;
    char name[32]; /* preset name, or "custom" */
    hb_ring ring;
    uint32_t key_limbs, data_limbs; /* fresh ciphertexts live on the first data_limbs primes */
    uint16_t ids[HB_MAX_LIMBS];     /* 0 .. K-1 */
    uint16_t plain_id, gamma_id;
    uint16_t plain_gamma_ids[2];
    /* The auxiliary base of multiplication: m_sk, then B_0, B_1, ...; as many as the product of all data primes asks
     * for (behz.h), lower levels take the leading ones. Primes = 1 mod 2N of 49 bits, which suit the FP64 path best; of
     * 60 where those would be too many. */
    uint32_t auxiliary_limbs;
    uint16_t auxiliary_ids[HB_MAX_LIMBS];
    hb_product_base product_base;    /* of key switching, over the leading ones of these */
    bool batching;                   /* t prime and = 1 mod 2N */
    uint32_t chain_bits;             /* bits of the product of all K primes */
    uint8_t digest[HB_DIGEST_BYTES]; /* SEAL's parms_id of the key level */
    hb_level *levels;                /* [key_limbs + 1], index = number of limbs; [0] unused */
    hb_limb_map map;                 /* how limbs are divided; undivided at first */
} hb_params;

/* The same ring, chain and t; security is no part of what keys and ciphertexts are. */
bool hb_params_same(const hb_params_spec *a, const hb_params_spec *b);

/* Preset by name ("bfv-4096" ...); HB_EUSAGE naming the presets when unknown. */
hb_status hb_params_preset(const char *name, hb_params_spec *spec);
/* Names of the presets in order, NULL after the last. */
const char *hb_params_preset_name(size_t i);

/* Checks in the order of semantics.md 8.1 and builds the tables. Each refusal is HB_ECONFIG and names the rule, the
 * value and the nearest legal choice; HB_ENOMEM otherwise. Close with hb_params_close (NULL allowed). */
hb_status hb_params_open(const hb_params_spec *spec, hb_params **out);
void hb_params_close(hb_params *params);

/* Divides the limbs over `members` ranks: before an engine of divided limbs is opened (divided/engine.h); while one is
 * used that has all of them, as a device's own has, members is 1. What is said to take some bytes
 * of an engine's memory takes them on the member with most of its limbs. HB_ECONFIG when there are more members than
 * data limbs, as one would have nothing to do, or none. */
hb_status hb_params_divide(hb_params *params, uint32_t members);
/* Limbs of a list on the member that has most of them. */
uint32_t hb_params_most_limbs(const hb_params *params, const uint16_t *ids, uint32_t limbs);

/* SEAL's parms_id of the key level: BLAKE2b-256 over the little-endian words [1 = BFV, N, q_0 .. q_{K-1}, t]
 * (semantics.md 1.1). */
void hb_params_digest(uint8_t digest[HB_DIGEST_BYTES], const hb_params_spec *spec);

/* Key switching, so relinearization and rotations: there is a special prime. */
bool hb_params_can_switch(const hb_params *params);
/* Whether prepared keys are integers (product_base.h): parameters that gain by it, limbs undivided. */
bool hb_params_switch_by_integers(const hb_params *params);
/* HB_ECONFIG unless it can. */
hb_status hb_params_require_switching(const hb_params *params);

/* Level of fresh ciphertexts. */
const hb_level *hb_params_data_level(const hb_params *params);

/* HB_ECONFIG unless params->batching: says which condition t misses, the nearest t of the same size that meets all, and
 * that coefficient encoding takes any t. */
hb_status hb_params_require_batching(const hb_params *params);

#endif
