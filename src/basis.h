/* RNS bases with the constants of the Chinese remainder theorem, and fast base conversion between them. */
#ifndef HB_BASIS_H
#define HB_BASIS_H

#include "natural.h"
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

/* qhat_i mod m. */
uint64_t hb_basis_punctured_mod(const hb_basis *basis, uint32_t i, const hb_modulus *m);

/* CRT decomposition: residues[i] = x mod q_i. x any natural number. */
void hb_basis_decompose(const hb_basis *basis, const hb_natural *x, uint64_t *residues);

/* The matrix of a fast base conversion (paper 002 section 5.1, semantics.md 0): from y_i = x_i / qhat_i mod q_i it
 * makes S = sum_i y_i qhat_i = x + u Q, 0 <= u < limbs, modulo each target. The overflow u is kept. */
typedef struct hb_base_conversion {
    uint32_t from_limbs, to_limbs;
    const uint16_t *from_ids, *to_ids;
    uint64_t *matrix; /* [to_limbs][from_limbs] qhat_i mod p_o; owned */
} hb_base_conversion;

/* to_ids is borrowed and outlives the conversion; so does `from`. */
hb_status hb_base_conversion_init(hb_base_conversion *conversion, const hb_basis *from, const uint16_t *to_ids,
                                  uint32_t to_limbs);
void hb_base_conversion_clear(hb_base_conversion *conversion);

#endif
