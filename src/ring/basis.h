/* RNS bases with the constants of the Chinese remainder theorem, and fast base conversion between them. */
#ifndef HB_RING_BASIS_H
#define HB_RING_BASIS_H

#include <stdbool.h>

#include "base/natural.h"
#include "ring.h"

#define HB_MAX_LIMBS 64

/* An ordered set of pairwise coprime moduli of one ring. Q = their product, qhat_i = Q / q_i. */
typedef struct hb_basis {
    const hb_ring *ring; /* borrowed */
    uint32_t limbs;
    uint16_t ids[HB_MAX_LIMBS];
    hb_natural product;                       /* Q */
    uint64_t inverse_punctured[HB_MAX_LIMBS]; /* (qhat_i)^-1 mod q_i */
} hb_basis;

/* HB_ECONFIG when two moduli share a factor or the count is outside 1 .. HB_MAX_LIMBS. Nothing to free. */
hb_status hb_basis_init(hb_basis *basis, const hb_ring *ring, const uint16_t *ids, uint32_t limbs);

static inline const hb_modulus *hb_basis_modulus(const hb_basis *basis, uint32_t i)
{
    return &basis->ring->moduli[basis->ids[i]];
}

/* qhat_i mod m. */
uint64_t hb_basis_punctured_mod(const hb_basis *basis, uint32_t i, const hb_modulus *m);

/* CRT decomposition: residues[i] = x mod q_i. x any natural number. */
void hb_basis_decompose(const hb_basis *basis, const hb_natural *x, uint64_t *residues);

/* A signed overflow k that a conversion takes back: k = sum_i y_i weights_i mod m, then k - m if k >= half. m is a
 * modulus of the ring, or 2^32 (semantics.md 6.2: the small Montgomery reduction of step 1; Shenoy and Kumaresan's of
 * step 5). Or, of values v that are known to be small, the integer nearest to sum_i y_i / q_i, in FP64: that of the
 * centred v for sources below 2^50, if |v| <= Q (1/2 - 2^-20). */
typedef struct hb_overflow {
    bool binary; /* m = 2^32 ... */
    uint16_t id; /* ... or moduli[id] */
    uint64_t half;
    uint64_t *weights; /* [from_limbs] below m; owned */
    uint64_t *factors; /* [to_limbs] mod p_o; owned */
    double *inverses;  /* [from_limbs] 1 / q_i: the nearest integer, and no m, half and weights; owned; NULL: those */
} hb_overflow;

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

/* The fast conversion of the basis: matrix = qhat_i mod p_o, scale = factors_i / qhat_i mod q_i (factors NULL: ones),
 * nothing else: from a it makes S = x + u Q modulo each target, x the CRT value of the factors_i a_i, 0 <= u < limbs:
 * the overflow u is kept. to_ids is borrowed and outlives the conversion; so does `from`. */
hb_status hb_base_conversion_init(hb_base_conversion *conversion, const hb_basis *from, const uint64_t *factors,
                                  const uint16_t *to_ids, uint32_t to_limbs);
/* Matrix and scale, and what else is asked for, zeroed, for the caller to fill: HB_ENOMEM. */
hb_status hb_base_conversion_alloc(hb_base_conversion *conversion, const uint16_t *from_ids, uint32_t from_limbs,
                                   const uint16_t *to_ids, uint32_t to_limbs, bool keep, bool overflow);
/* Its scale becomes 1: of words that have been multiplied by it (hb_intt_scaled). */
void hb_base_conversion_unscale(hb_base_conversion *conversion);
void hb_base_conversion_clear(hb_base_conversion *conversion);

#endif
