/* How key switching decomposes polynomials: the data primes are cut into digits of alpha primes or fewer, and a key has
 * a part for every digit, modulo the data primes and some special primes. P, the product of the special primes, divides
 * the result, and with it the noise of the key ("hybrid": K. Han, D. Ki, "Better Bootstrapping for Approximate
 * Homomorphic Encryption", CT-RSA 2020). Microsoft SEAL's key switching (semantics.md 6.8) has digits of one prime, one
 * special prime, and residues as they are.
 *
 * Level "k limbs" has the first k data primes. Its digits are the same, except the last one, which has the remaining
 * primes; so a key serves every level below its own. */
#ifndef HB_RLWE_GADGET_H
#define HB_RLWE_GADGET_H

#include "ring/digit_list.h"
#include "ring/mod_down.h"
#include "ring/mod_up.h"

/* The shape of a gadget. ids ascend; those of special primes follow those of data primes. */
typedef struct hb_gadget_spec {
    const uint16_t *data, *special;
    uint32_t data_limbs, special_limbs; /* 1 or more */
    uint32_t alpha;                     /* primes of a digit, the most of them, 1 or more */
    hb_digit_list digits;               /* of all data_limbs */
    /* Digits are centred, as ring/mod_up.h has them; else, with alpha = 1, residues in [0, q_i), as SEAL has them. */
    bool centred;
    uint32_t level_limbs; /* that one level owns; 0 means 1 */
} hb_gadget_spec;

/* The tables of one level. */
typedef struct hb_gadget_level {
    uint32_t limbs, digits, switch_limbs;
    /* [switch_limbs] The moduli of keys: the primes of the level, then the special ones. */
    uint16_t switch_ids[HB_MAX_LIMBS];
    hb_mod_up *up;    /* [digits] of centred digits; else NULL */
    hb_mod_down down; /* by P, to the level */
    hb_mod_down
        first; /* by the first special prime alone, where there are more; from the level's primes and that one */
    /* By P and the last primes (which this level owns), to the next level. For centred digits alone, where there is a
     * next level and those primes are above 2^32; otherwise its limbs are 0. */
    hb_mod_down down_rescale;
} hb_gadget_level;

/* Holds all levels; immutable once it is made. */
typedef struct hb_gadget {
    uint32_t alpha, data_limbs, special_limbs;
    hb_digit_list digits; /* of the highest level; none: keys are not switched */
    bool centred;
    hb_gadget_level *levels; /* [data_limbs + 1], index = number of limbs; [0] unused; NULL: keys are not switched */
} hb_gadget;

/* Makes the levels. ring is borrowed; the spec and its ids are not needed afterwards. With more than one special prime,
 * each is above 2^32; none of them is a prime of the data (HB_ASSERT). The gadget is not moved afterwards, and the
 * caller clears it whatever happens. HB_ENOMEM; HB_ECONFIG where two special primes or two primes of a digit are
 * equal. */
hb_status hb_gadget_init(hb_gadget *gadget, const hb_ring *ring, const hb_gadget_spec *spec);
/* Frees the levels; a zeroed gadget is allowed. */
void hb_gadget_clear(hb_gadget *gadget);

/* Return the first limb of digit j, and how many limbs it has at the level of k limbs. */
static inline uint32_t hb_gadget_first(const hb_gadget *gadget, uint32_t j)
{
    return gadget->digits.first[j];
}
static inline uint32_t hb_gadget_limbs(const hb_gadget *gadget, uint32_t j, uint32_t k)
{
    const uint32_t first = gadget->digits.first[j], end = gadget->digits.first[j + 1];
    return (k < end ? k : end) - first;
}

/* Sets factors[l] = P modulo ids[l]: 0 in the limbs of special primes. */
void hb_gadget_factors(const hb_gadget *gadget, const hb_ring *ring, const uint16_t *ids, uint32_t limbs,
                       uint64_t *factors);

/* The digits of polynomials at the level of `limbs` limbs, in NTT form: made once, they serve any number of keys. A
 * view of borrowed memory. */
typedef struct hb_digits {
    const hb_gadget *gadget;
    const hb_gadget_level *level;
    size_t count; /* polynomials */
    hb_batch all; /* [count * digits][switch_limbs]: digit j of polynomial c is polynomial c * digits + j */
    /* The polynomials themselves in NTT form, [count][limbs], where the digits' own limbs stay there and are not among
     * `all`; data NULL: they are. */
    hb_batch own;
} hb_digits;

/* For centred digits: sets own[j], [digits], to the limbs of digit j that are its own. */
void hb_gadget_own_limbs(const hb_gadget_level *level, hb_limb_range own[HB_MAX_LIMBS]);

/* Returns digits of `count` polynomials at the level of `limbs` limbs, on memory for count * digits polynomials of the
 * level's switch_limbs; they are to be made. */
hb_digits hb_digits_on(const hb_engine *e, const hb_gadget *gadget, uint32_t limbs, uint64_t *memory, size_t count);
/* Makes the digits of a, [count][limbs] in that form. In NTT form a digit's own limbs are taken from a instead of being
 * transformed, or stay there if digits.own is a; and coefficients is memory like a, undefined afterwards: the other
 * limbs are made of coefficients there. In coefficient form it is not used, and digits.own has no data. The memory of
 * digits, a and coefficients does not overlap. Exchanges. */
hb_status hb_digits_make(hb_engine *e, hb_digits digits, hb_batch a, hb_batch coefficients, hb_form form);

/* Computes the inner products of digits and the parts of a key, hb_gadget_products: r = sum_j digit_j part_j, and
 * plus[i] P added to component i, [count][limbs] each, unless plus is NULL; scratch is memory for [count][limbs] then,
 * which may be that of the digits. Digits are destroyed where their own limbs stand apart or anything is added. */
hb_status hb_digits_multiply(hb_engine *e, hb_batch r, hb_digits digits, hb_batch parts, const hb_batch plus[2],
                             hb_batch scratch);

#endif
