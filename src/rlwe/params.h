/* Parameters of ring learning with errors, common to all schemes: ring, modulus chain, security, levels and key
 * switching. A scheme's own parameters have these as their first member (bfv/params.h); code that needs no more takes
 * these.
 *
 * Key limbs are all K primes of the chain: data primes, on which ciphertexts live, then special primes, which only keys
 * have. Without special primes there is no key switching. Level "k limbs" uses q_0 .. q_{k-1} (semantics.md 1.5). */
#ifndef HB_RLWE_PARAMS_H
#define HB_RLWE_PARAMS_H

#include <stdbool.h>

#include "base/digest.h"
#include "base/residues.h"
#include "gadget.h"
#include "key_shape.h"
#include "key_switch_integer.h"
#include "level.h"
#include "ring/engine.h"
#include "ring/limb_map.h"
#include "ring/ring.h"
#include "security.h"

#define HB_MIN_LOG_N 10

/* Files keep digests of these numbers (io/README.md). */
typedef enum hb_scheme {
    HB_BFV = 0,  /* Brakerski, Fan, Vercauteren: the scheme of literals, and of files of keys, that name none */
    HB_CKKS = 1, /* Cheon, Kim, Kim, Song: approximate arithmetic on reals */
    HB_SCHEMES   /* their number */
} hb_scheme;

/* Beside a table with a row a scheme: it does not compile where a row is missing. */
#define HB_ROW_PER_SCHEME(table) \
    _Static_assert(sizeof(table) / sizeof *(table) == HB_SCHEMES, "the table has a row for every scheme")

/* The part of literals that only BFV has. With several plain moduli a value is known by its residues modulo each.
 * Ciphertexts belong to one of them, and so does everything made from the literal, except keys, which serve them
 * all. */
typedef struct hb_bfv_spec {
    uint64_t plain; /* t, 2 .. 60 bits */
    /* The number of plain moduli, if there are several; else 0. They are different primes, and t is plains[residue]. */
    uint32_t plain_count, residue;
    uint64_t plains[HB_MOST_RESIDUES];
} hb_bfv_spec;

/* Two scales whose quotient differs from 1 by no more count as equal: doubles round by that much. */
#define HB_SAME_SCALE 0x1p-48

/* The part of literals that only CKKS has. */
typedef struct hb_ckks_spec {
    uint32_t scale_bits; /* of the scale of the lowest level, like SEAL's of fresh ciphertexts, 2^scale_bits */
    bool like_seal;      /* computes word for word as Microsoft SEAL does, and tracks scales as SEAL does */
    /* For ciphertexts like SEAL's with other scales than scale_bits gives: those of stated_limbs limbs have
     * stated_scale, 0: not stated (ckks/params.h). No part of the literal: files state it about their ciphertexts. */
    uint32_t stated_limbs;
    double stated_scale;
    /* Primes that one level owns, 1 or 2; 0 means 1. Two have the scale as their product, near half of its bits
     * each. */
    uint32_t level_primes;
} hb_ckks_spec;

/* The owners of joint keys (joint/session.h), which BFV alone has. No part of a literal: files state it about their
 * keys and ciphertexts. */
typedef struct hb_joint_spec {
    uint32_t owners; /* whose secrets add up, to HB_MOST_OWNERS; 0 means 1, and that all else is 0 */
    uint32_t threshold;
    uint64_t results;                 /* ciphertexts that will ever be decrypted under the keys */
    uint8_t session[HB_DIGEST_BYTES]; /* id of the session in which they were made */
} hb_joint_spec;

/* How a chain's bootstrapping computes values modulo q_0 after raising the modulus (bootstrapping/eval_mod.h). Files
 * keep digests of these numbers. */
typedef enum hb_eval_mod {
    HB_EVAL_MOD_NONE = 0,  /* the chain has no bootstrapping */
    HB_EVAL_MOD_CUBIC = 1, /* values 2^7 below q_0, the sine corrected by a cubic; fails once in 2^72 ciphertexts */
    HB_EVAL_MOD_SURE = 2,  /* the same, for any ciphertext: it cannot fail */
    HB_EVAL_MOD_LIGHT = 3, /* values 2^11.5 below q_0, not corrected: two levels more, four bits fewer */
    HB_EVAL_MOD_FINE =
        4, /* values 2^5 below q_0, the sine undone up to its seventh power: a level fewer, two bits more */
    HB_EVAL_MOD_FINE_SURE = 5, /* the same, for any ciphertext: it cannot fail */
    HB_EVAL_MODS               /* their number */
} hb_eval_mod;

/* The parts of a chain that bootstrapping uses, all 0 without bootstrapping (bootstrapping/chain.h). Reals: from q_0 on
 * the chain has q_0; the levels on which users compute, the lowest stc_levels of which take slots to coefficients; the
 * levels of EvalMod; cts_levels that take coefficients to slots; and the special primes. Integers: q_0 and the other
 * primes of users; stc_levels; the levels that undo the sine, or apply tables; those of EvalMod; cts_levels; and the
 * special primes. */
typedef struct hb_bootstrapping_spec {
    hb_eval_mod eval_mod;
    uint32_t stc_levels, cts_levels;
    /* Coefficients that are not 0 in the secret key under which the modulus is raised; its keys exist only modulo q_0
     * and the first special prime. */
    uint32_t sparse_weight;
    /* Integers, whose noise is bootstrapped: log2 of its scale behind EvalMod. 0: reals, with the chain's scale. */
    uint32_t scale_bits;
    /* Levels behind EvalMod where there are more than undo the sine: a table of 2^table_levels entries, or fewer, is
     * applied to the coefficients of integers there (refresh/table.h). 0: there are no tables. */
    uint32_t table_levels;
} hb_bootstrapping_spec;

/* A literal of any scheme, which anyone can write: data in files and options. */
typedef struct hb_params_spec {
    hb_scheme scheme;
    size_t n;                      /* 2^10 .. 2^17 */
    uint32_t key_limbs;            /* K, 1 .. HB_MAX_LIMBS */
    uint64_t primes[HB_MAX_LIMBS]; /* [K], each prime, 2 .. 60 bits, = 1 mod 2n */
    /* Primes at the end of the chain that only keys have; 0 means 1. Several are above 2^32, and their product is no
     * smaller than that of any digit. key_limbs: none is special, ciphertexts live on all, and keys are not switched
     * (scheme/ring_switch.h). */
    uint32_t special_limbs;
    /* Primes of a digit of key switching, the most of them (hb_digit_list_of), no more than the data's; 0 means as many
     * as there are special ones, or all of the data's where these are fewer. With one of each, keys are switched as
     * Microsoft SEAL does. */
    uint32_t digit_limbs;
    hb_distribution secret; /* of coefficients of a secret key: HB_TERNARY, as the tables of security ask */
    hb_security security;   /* the table and the level that must hold ... */
    bool insecure;          /* ... unless this is set; stays set in the checked object only if it was needed */
    hb_joint_spec joint;    /* zeroed: keys of one owner */
    hb_bootstrapping_spec bootstrapping;
    hb_bfv_spec bfv;
    hb_ckks_spec ckks;
} hb_params_spec;

/* Returns the number of special primes, 1 or more, also where the literal has 0. */
static inline uint32_t hb_spec_special_limbs(const hb_params_spec *spec)
{
    return spec->special_limbs > 0 ? spec->special_limbs : 1;
}

/* Returns the number of owners of the keys, 1 or more. */
static inline uint32_t hb_spec_owners(const hb_params_spec *spec)
{
    return spec->joint.owners > 0 ? spec->joint.owners : 1;
}
/* Returns how many of them decrypt: all of them where the literal does not say. */
static inline uint32_t hb_spec_threshold(const hb_params_spec *spec)
{
    return spec->joint.threshold > 0 ? spec->joint.threshold : hb_spec_owners(spec);
}

/* Returns the primes that one level owns. */
static inline uint32_t hb_spec_level_limbs(const hb_params_spec *spec)
{
    return spec->scheme == HB_CKKS && spec->ckks.level_primes > 0 ? spec->ckks.level_primes : 1;
}

/* Returns the primes on which ciphertexts live, where one or more is special. 0 where none is: there are no more primes
 * than special_limbs says. */
static inline uint32_t hb_spec_data_limbs(const hb_params_spec *spec)
{
    const uint32_t special = hb_spec_special_limbs(spec);
    return spec->key_limbs > special ? spec->key_limbs - special : 0;
}

/* Returns the most primes of a digit, 1 or more, also where the literal has 0. */
static inline uint32_t hb_spec_digit_limbs(const hb_params_spec *spec)
{
    const uint32_t special = hb_spec_special_limbs(spec), data = hb_spec_data_limbs(spec);
    if (spec->digit_limbs > 0) {
        return spec->digit_limbs;
    }
    return data > 0 && data < special ? data : special;
}

/* Returns whether a chain has levels for bootstrapping. */
static inline bool hb_spec_can_bootstrap(const hb_params_spec *spec)
{
    return spec->bootstrapping.eval_mod != HB_EVAL_MOD_NONE;
}

/* Returns whether keys are switched as Microsoft SEAL does: one special prime, digits of one prime, which are not
 * centred. Chains that bootstrap have centred digits, of one prime too. */
static inline bool hb_spec_switches_like_seal(const hb_params_spec *spec)
{
    return hb_spec_special_limbs(spec) == 1 && hb_spec_digit_limbs(spec) == 1 && !hb_spec_can_bootstrap(spec) &&
           (spec->scheme != HB_CKKS || spec->ckks.like_seal);
}

/* By so many bits the special primes of our own CKKS, if there are several, and of chains of integers that bootstrap
 * are longer than each digit: key switching then adds less noise than rounding does. */
enum { HB_DIGIT_SPARE_BITS = 6 };

/* Returns the digits of a literal, whose primes are there; none where it has no primes but special ones. Each has
 * hb_spec_digit_limbs primes, and the last one what remains. In our own CKKS, and in chains of integers that bootstrap,
 * with several special primes a digit ends before a prime that would make it less than HB_DIGIT_SPARE_BITS shorter than
 * their product. */
hb_digit_list hb_digit_list_of(const hb_params_spec *spec);

/* Returns whether Galois keys switch to automorphisms, which then come after the switch: the digits of a ciphertext
 * serve all of them. Else they switch from automorphisms, as SEAL's do. */
static inline bool hb_spec_switches_first(const hb_params_spec *spec)
{
    return spec->scheme == HB_CKKS ? !spec->ckks.like_seal : hb_spec_can_bootstrap(spec);
}

/* Returns the number of residues of a value, with ciphertexts for each plain modulus; 1 for most literals. */
static inline uint32_t hb_spec_residues(const hb_params_spec *spec)
{
    return spec->scheme == HB_BFV && spec->bfv.plain_count > 1 ? spec->bfv.plain_count : 1;
}

/* Return the residue that this literal belongs to; and whether it is the last one, which completes the values. */
static inline uint32_t hb_spec_residue(const hb_params_spec *spec)
{
    return spec->bfv.residue;
}
static inline bool hb_spec_last_residue(const hb_params_spec *spec)
{
    return hb_spec_residue(spec) + 1 == hb_spec_residues(spec);
}

/* Returns the same literal for the plain modulus `residue` < hb_spec_residues. */
static inline hb_params_spec hb_spec_of_residue(const hb_params_spec *spec, uint32_t residue)
{
    hb_params_spec of = *spec;
    if (hb_spec_residues(spec) > 1) {
        of.bfv.residue = residue;
        of.bfv.plain = spec->bfv.plains[residue];
    }
    return of;
}

/* Returns whether the prime is one of the literal's chain, data or special. */
bool hb_params_in_chain(const hb_params_spec *spec, uint64_t prime);

/* How limbs are divided, and the price of an exchange, by which everything that can be done in several ways is done in
 * one: keys are integers or not, and limbs are dealt in one order or another. The same on all members. */
typedef struct hb_params_division {
    uint32_t members;
    double travel;       /* transforms of a limb that computing loses while one comes from another member */
    hb_limb_order order; /* HB_LIMB_ORDERS: the one that is predicted to take least */
} hb_params_division;

/* The price between two GPUs of a host, where nothing was measured: a limb that is copied directly takes as long as
 * some 4 transforms, of which a quarter shows beside computing (HB_VISIBLE_DIRECT in divided/exchange.h). */
#define HB_USUAL_TRAVEL 1.0

/* The checked, immutable object with every derived table. */
typedef struct hb_params {
    hb_params_spec spec;
    char name[32]; /* preset name, or "custom" */
    hb_ring ring;
    uint32_t key_limbs;         /* data_limbs + special_limbs */
    uint32_t data_limbs;        /* ciphertexts live on the first data_limbs primes */
    uint32_t special_limbs;     /* 0: no key switching */
    uint32_t fresh_limbs;       /* hb_params_fresh_limbs */
    uint16_t ids[HB_MAX_LIMBS]; /* [key_limbs], 0 .. K-1: data primes, then special primes */
    /* Leading special primes by which encryption with a public key divides: all, unless the scheme says else. */
    uint32_t fresh_special;
    hb_key_shape key_shape; /* of keys of the literal's owners */
    hb_form form;           /* of ciphertexts: coefficient form, unless the scheme says else */
    uint16_t common_id;     /* a modulus beside the chain, whose limb every member of a group has */
    /* Primes = 1 mod 2N beside the chain, in which a scheme computes, as many as it requests (bfv/params.h); their
     * limbs are divided like those of the chain. */
    uint32_t auxiliary_limbs;
    uint16_t auxiliary_ids[HB_MAX_LIMBS];
    hb_gadget gadget;                         /* of key switching */
    hb_gadget sparse_gadget;                  /* of q_0 and the first special prime; empty without bootstrapping */
    hb_key_switch_integer key_switch_integer; /* the same over the leading ones of these; SEAL's alone */
    uint32_t chain_bits;                      /* bits of the product of all K primes */
    uint8_t digest[HB_DIGEST_BYTES];          /* SEAL's parms_id of the key level */
    /* [key_limbs + 1], index = number of limbs; [0] unused. A level exists where its number of data limbs is a multiple
     * of the limbs that one level owns: ciphertexts never stop at other numbers. */
    hb_level *levels;
    hb_limb_map map;             /* how limbs are divided; undivided at first */
    hb_params_division division; /* as it was asked for, with the order that was chosen */
} hb_params;

/* Divides the limbs over members, before an engine of divided limbs is opened (divided/engine.h); there is 1 while an
 * engine with all limbs is used, such as a device's own. Byte counts of other functions are for the member with most
 * limbs. HB_ECONFIG for 0 members, and for more members than data limbs, as one would have nothing to do; HB_ENOMEM.
 * After a failure the parameters are divided as before. */
hb_status hb_params_divide_as(hb_params *params, const hb_params_division *division);
/* Does so at the usual price, in the order that is predicted to take least. */
hb_status hb_params_divide(hb_params *params, uint32_t members);
/* Returns how limbs would be dealt to so many members in that order, undivided parameters or not. Pure. */
hb_limb_map hb_params_deal(const hb_params *params, uint32_t members, hb_limb_order order);
/* Returns the work of the member with most, in transforms of a limb, of all that ciphertexts of every level are put
 * through once: products and key switches, and the limbs that these bring, at a price. It only compares orders of one
 * chain. Pure. */
double hb_params_dealt_work(const hb_params *params, const hb_limb_map *map, double travel);
/* Returns the limbs of a list on the member that has most of them. */
uint32_t hb_params_most_limbs(const hb_params *params, const uint16_t *ids, uint32_t limbs);

/* Returns whether key switching, so relinearization and rotations, is possible: there is a special prime. */
bool hb_params_can_switch(const hb_params *params);
/* Returns whether prepared keys are integers (key_switch_integer.h): where that is faster. */
bool hb_params_switch_by_integers(const hb_params *params);
/* Returns the first data prime that is longer, by a bit or more, than the special one; data_limbs: none is. It is
 * allowed only where keys are switched as SEAL does: the error of key switching then exceeds that of rounding by as
 * many bits. */
uint32_t hb_params_long_digit(const hb_params *params);
/* Returns HB_ECONFIG unless keys can be switched. */
hb_status hb_params_require_switching(const hb_params *params);
/* Returns the special primes: [special_limbs], one or more where keys are switched. */
const uint16_t *hb_params_special_ids(const hb_params *params);

/* Returns the limbs that one level of multiplication owns, which dropping it takes away one after the other. */
static inline uint32_t hb_params_level_limbs(const hb_params *params)
{
    return hb_spec_level_limbs(&params->spec);
}

/* Returns the level, from 0, of ciphertexts with so many limbs, a multiple of the limbs that a level owns. */
static inline uint32_t hb_params_level(const hb_params *params, uint32_t limbs)
{
    return limbs / hb_params_level_limbs(params) - 1;
}

/* Returns the limbs of the users' highest level, at which fresh ciphertexts are: data_limbs, unless bootstrapping
 * reserves higher levels. */
static inline uint32_t hb_params_fresh_limbs(const hb_params *params)
{
    return params->fresh_limbs;
}
/* Returns that level. */
const hb_level *hb_params_fresh_level(const hb_params *params);

/* Returns whether the chain has levels for bootstrapping. */
static inline bool hb_params_can_bootstrap(const hb_params *params)
{
    return hb_spec_can_bootstrap(&params->spec);
}

/* Returns the chain of key switching over the integers, shared by so many members at that price. */
static inline hb_key_switch_chain hb_params_chain(const hb_params *params, uint32_t members, double travel)
{
    return (hb_key_switch_chain){.ring = &params->ring,
                                 .ids = params->ids,
                                 .digits = params->data_limbs,
                                 .auxiliary_ids = params->auxiliary_ids,
                                 .candidates = params->auxiliary_limbs,
                                 .members = members,
                                 .travel = travel};
}

/* Return the shape of key switching over the integers on so many members; limbs 0: it is modulo each prime. The second
 * takes the price at which the parameters are divided. */
static inline hb_key_switch_shape hb_params_integers_at(const hb_params *params, uint32_t members, double travel)
{
    const hb_key_switch_chain chain = hb_params_chain(params, members, travel);
    return params->special_limbs > 0 && hb_spec_switches_like_seal(&params->spec) ? hb_key_switch_shape_of(&chain)
                                                                                  : (hb_key_switch_shape){.limbs = 0};
}
static inline hb_key_switch_shape hb_params_integers(const hb_params *params, uint32_t members)
{
    return hb_params_integers_at(params, members, params->division.travel);
}

#endif
