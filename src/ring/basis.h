/* RNS bases with the constants of the Chinese remainder theorem, and fast base conversion between them. Host;
 * rank-local. */
#ifndef HB_RING_BASIS_H
#define HB_RING_BASIS_H

#include <stdbool.h>

#include "base/natural.h"
#include "ring.h"

#define HB_MAX_LIMBS 64

/* An ordered set of pairwise coprime moduli of one ring. Q is their product, qhat_i = Q / q_i. Const after
 * hb_basis_init. */
typedef struct hb_basis {
    const hb_ring *ring; /* borrowed */
    uint32_t limbs;
    uint16_t ids[HB_MAX_LIMBS];
    hb_natural product;                       /* Q */
    uint64_t inverse_punctured[HB_MAX_LIMBS]; /* (qhat_i)^-1 mod q_i */
} hb_basis;

/* Makes a basis of the moduli ids[0 .. limbs). HB_ECONFIG when two moduli share a factor or the count is outside 1 ..
 * HB_MAX_LIMBS; *basis is then zeroed. The ring is borrowed; there is nothing to free. */
hb_status hb_basis_init(hb_basis *basis, const hb_ring *ring, const uint16_t *ids, uint32_t limbs);

/* Returns modulus i of the basis. */
static inline const hb_modulus *hb_basis_modulus(const hb_basis *basis, uint32_t i)
{
    return &basis->ring->moduli[basis->ids[i]];
}

/* Sets row[i] = qhat_i mod m, for each of the limbs. */
void hb_basis_punctured(const hb_basis *basis, const hb_modulus *m, uint64_t *row);

/* Decomposes x, any natural number: residues[i] = x mod q_i. */
void hb_basis_decompose(const hb_basis *basis, const hb_natural *x, uint64_t *residues);

/* How the overflow k of a conversion is made of its scaled sources y_i. */
typedef enum hb_overflow_kind {
    HB_OVERFLOW_MODULAR, /* k = sum_i y_i weights_i mod m, then k - m if k >= half; m is moduli[id] */
    HB_OVERFLOW_BINARY,  /* the same with m = 2^32 */
    /* The integer nearest to sum_i y_i / q_i, in FP64, for values v that are known to be small: that of the centred v
     * for sources below 2^50, if |v| <= Q (1/2 - 2^-20). */
    HB_OVERFLOW_NEAREST,
    /* The number of y_i that exceed floor(q_i / 2): the y_i are taken as centred, in (-q_i / 2, q_i / 2), so that the
     * result is within Q limbs / 2 of zero, and that of -a is its negative where all q_i are odd. */
    HB_OVERFLOW_CENTRED,
    /* That and the integer nearest to sum_i c_i / q_i, c_i the centred y_i, so that the result is within Q (1/2 + limbs
     * 2^-32) of zero: in integers, to be the same in any order, as
     *     (sum_i floor((c_i + h_i) weights_i / 2^64) + 2^31 - half) >> 32,   h_i = floor(q_i / 2),
     *     weights_i = floor(2^96 / q_i), half = sum_i floor(2^32 h_i / q_i). All q_i are odd and above 2^32. */
    HB_OVERFLOW_ROUNDED
} hb_overflow_kind;

/* An overflow k that a conversion takes back (semantics.md 6.2: the small Montgomery reduction of step 1; Shenoy and
 * Kumaresan's of step 5). */
typedef struct hb_overflow {
    hb_overflow_kind kind;
    uint16_t id;
    uint64_t half;
    uint64_t *weights; /* [from_limbs]; owned */
    uint64_t *factors; /* [to_limbs] mod p_o; owned */
    /* For HB_OVERFLOW_CENTRED, factors_o is -q_i matrix_oi for every source i, so that each y_i may be centred by
     * itself instead. */
    bool centres;
    double *inverses; /* [from_limbs] 1 / q_i, of HB_OVERFLOW_NEAREST; owned */
} hb_overflow;

/* Returns whether an overflow is made modulo a number, and so may be negative. */
static inline bool hb_overflow_is_modular(const hb_overflow *overflow)
{
    return overflow->kind == HB_OVERFLOW_MODULAR || overflow->kind == HB_OVERFLOW_BINARY;
}

/* A base conversion (paper 002 section 5.1, semantics.md 0), any matrix product between limbs: modulo every target p_o
 *     r_o <- keep_o r_o + sum_i y_i matrix_oi + k factors_o,   y_i = a_i scale_i mod q_i as an integer in [0, q_i).
 * Sources are below 2^60, at most HB_MAX_LIMBS of them; targets below 2^61: so a whole sum is below 2^128. */
typedef struct hb_base_conversion {
    uint32_t from_limbs, to_limbs;
    const uint16_t *from_ids, *to_ids; /* borrowed */
    uint64_t *matrix;                  /* [to_limbs][from_limbs] mod p_o; owned */
    uint64_t *scale;                   /* [from_limbs] mod q_i; owned; NULL: 1 */
    uint64_t *keep;                    /* [to_limbs] mod p_o; owned; NULL: 0, and r need not be set before */
    hb_overflow *overflow;             /* owned; NULL: no k */
} hb_base_conversion;

/* Makes the fast conversion of the basis: matrix = qhat_i mod p_o, scale = factors_i / qhat_i mod q_i (factors NULL:
 * ones), and nothing else. From a it makes S = x + u Q modulo each target, x the CRT value of the factors_i a_i, 0 <= u
 * < limbs: the overflow u is kept. to_ids is borrowed and outlives the conversion; so does `from`. HB_ECONFIG,
 * HB_ENOMEM. */
hb_status hb_base_conversion_init(hb_base_conversion *conversion, const hb_basis *from, const uint64_t *factors,
                                  const uint16_t *to_ids, uint32_t to_limbs);
/* Makes the conversion of the basis from centred residues, of the kind HB_OVERFLOW_CENTRED or HB_OVERFLOW_ROUNDED: from
 * a it makes the integer that is the CRT value of a less a multiple of Q, as the kind says, modulo each target. */
hb_status hb_base_conversion_init_centred(hb_base_conversion *conversion, const hb_basis *from, hb_overflow_kind kind,
                                          const uint16_t *to_ids, uint32_t to_limbs);
/* Allocates matrix and scale, and the tables of `keep` and `overflow` where asked for, all zeroed, for the caller to
 * fill. HB_ENOMEM; *conversion is then cleared. */
hb_status hb_base_conversion_alloc(hb_base_conversion *conversion, const uint16_t *from_ids, uint32_t from_limbs,
                                   const uint16_t *to_ids, uint32_t to_limbs, bool keep, bool overflow);
/* Makes its scale 1, for words that have been multiplied by it already (hb_intt_scaled). */
void hb_base_conversion_unscale(hb_base_conversion *conversion);
/* Frees a conversion; NULL and a zeroed one are allowed. */
void hb_base_conversion_clear(hb_base_conversion *conversion);

#endif
