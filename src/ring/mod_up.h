/* From one digit of key switching to all limbs of a longer basis: a digit is the value of a polynomial modulo some
 * primes of its basis, taken as an integer and brought to all others (J. H. Cheon et al., "A Full RNS Variant of
 * Approximate Homomorphic Encryption", SAC 2018; several primes a digit: K. Han, D. Ki, "Better Bootstrapping for
 * Approximate Homomorphic Encryption", CT-RSA 2020). */
#ifndef HB_RING_MOD_UP_H
#define HB_RING_MOD_UP_H

#include "engine.h"

/* The residues of the digit are centred and the overflow is kept (HB_OVERFLOW_CENTRED): the integer is within
 * limbs D / 2 of zero, D the product of the digit's primes, so it commutes with automorphisms. */
typedef struct hb_mod_up {
    uint32_t first, limbs;         /* the digit's, of the list of all */
    uint32_t others;               /* limbs of the list that are none of its own */
    uint16_t ids[HB_MAX_LIMBS];    /* [others], in the order of the list */
    hb_base_conversion conversion; /* to these */
} hb_mod_up;

/* Makes the constants for the digit of limbs first .. first + limbs - 1 of ids[all], which is borrowed. All primes are
 * odd. *up is not moved afterwards, and the caller clears it after success and after failure. HB_ENOMEM; HB_ECONFIG
 * where two of the digit's primes are equal, or where the list has no others. */
hb_status hb_mod_up_init(hb_mod_up *up, const hb_ring *ring, const uint16_t *ids, uint32_t all, uint32_t first,
                         uint32_t limbs);
/* Frees the constants; a zeroed one is allowed. */
void hb_mod_up_clear(hb_mod_up *up);

/* Brings the digit to all limbs of the list, r, without the transforms. The digit's own limbs are copied from `own`,
 * and the others are in coefficient form. a and own have leading limbs of the list, the digit's among them, a in
 * coefficient form; all have as many polynomials. r overlaps neither; own may be a, or have no data: the own limbs are
 * left alone then. Exchanges. */
hb_status hb_mod_up_apply(hb_engine *e, hb_batch r, hb_batch a, hb_batch own, const hb_mod_up *up);

/* The digits of polynomials, beside the result r, [count * digits]: digit j of polynomial c is polynomial c * digits +
 * j. */
struct hb_mod_up_operands {
    hb_batch a;          /* [count], in coefficient form: leading limbs of the list */
    hb_batch own;        /* as hb_mod_up_apply has it, of all digits; not a where that is scaled */
    const hb_mod_up *up; /* [digits], which cut a's limbs */
    uint32_t digits;     /* 1 .. HB_MAX_LIMBS */
    bool scaled;         /* a is multiplied by the scales of the digits' conversions */
    bool transformed;    /* own limbs are in NTT form; else they are transformed with the others */
};

/* Brings all digits to all limbs of the list, in NTT form. Where limbs are divided they are exchanged once for all
 * digits, or twice, so that one half travels while the other is computed with. Exchanges. */
hb_status hb_mod_up_digits(hb_engine *e, hb_batch r, const hb_mod_up_operands *x);
/* Converts all digits to the limbs of the list that are none of their own, in coefficient form. The digits' own limbs
 * are left alone. Exchanges. */
hb_status hb_mod_up_convert(hb_engine *e, hb_batch r, const hb_mod_up_operands *x);
/* Returns the conversion of a digit for operands that are scaled or not; its tables are borrowed. */
static inline hb_base_conversion hb_mod_up_conversion(const hb_mod_up *up, bool scaled)
{
    hb_base_conversion conversion = up->conversion;
    conversion.scale = scaled ? NULL : conversion.scale;
    return conversion;
}
/* Returns digit j of every polynomial of r. */
static inline hb_batch hb_mod_up_digit(hb_batch r, uint32_t digits, uint32_t j)
{
    return hb_batch_of_groups(r, digits, j);
}

/* Returns the limbs of r that are not the digit's, where they stand, as a scattered batch on limb_addresses. */
static inline hb_batch hb_mod_up_others(const hb_engine *e, hb_batch r, const hb_mod_up *up,
                                        hb_limb_address limb_addresses[HB_MAX_LIMBS])
{
    /* Memory has the limbs that are here only: positions are counted among those. */
    const uint32_t before = hb_limbs_here(e, r.ids, up->first), own = hb_limbs_here(e, r.ids + up->first, up->limbs);
    const uint32_t here = hb_limbs_here(e, up->ids, up->others);
    for (uint32_t l = 0; l < here; l++) {
        limb_addresses[l] = hb_batch_limb_address(e, r, l < before ? l : l + own);
    }
    return (hb_batch){.ids = up->ids, .limbs = up->others, .count = r.count, .limb_addresses = limb_addresses};
}

/* Sets own[j], [digits], to the limbs of digit j that are its own. */
static inline void hb_mod_up_own(const hb_mod_up *up, uint32_t digits, hb_limb_range own[HB_MAX_LIMBS])
{
    for (uint32_t j = 0; j < digits; j++) {
        own[j] = (hb_limb_range){up[j].first, up[j].limbs};
    }
}

#endif
