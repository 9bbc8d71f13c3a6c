/* The transform between coefficients and slots (semantics.md 9.7) as a product of linear maps of slots with few
 * diagonals each: some of its stages at a time (J. H. Cheon, K. Han, M. Hhan, "Faster Homomorphic Discrete Fourier
 * Transforms and Improved FHE Bootstrapping", IACR ePrint 2018/1073). Bits are not reversed: coefficient k + i
 * coefficient k + n of a complex transform stands in the slot that k is with its bits reversed. Host only. */
#ifndef HB_CKKS_SLOT_FACTORS_H
#define HB_CKKS_SLOT_FACTORS_H

#include "linear.h"

typedef enum hb_slot_direction {
    /* Values of slots become the coefficients of the polynomial, so that the stages compute a decoding: stages of 2, 4
     * .. n. */
    HB_SLOTS_BECOME_COEFFICIENTS,
    /* Coefficients come to stand in slots, times n: stages of n, n / 2 .. 2. */
    HB_COEFFICIENTS_BECOME_SLOTS
} hb_slot_direction;

typedef struct hb_slot_transform {
    size_t slots;  /* of the ring, N/2 */
    size_t period; /* n: with which values repeat, a power of two that divides slots */
    uint32_t maps; /* 1 .. log2 n, the larger ones where the stages are wider */
    hb_slot_direction direction;
    double constant; /* above 0, of their product: each has its root, rounded to the nearest double */
} hb_slot_transform;

/* Own diagonals, of numbers in (-n/2, n/2], ascending modulo n, that repeat as the map's stages do: 2h slots, h the
 * widest. */
typedef struct hb_slot_factor {
    hb_diagonals diagonals;
    int64_t *numbers;
    double *values; /* NULL: numbers alone are known */
} hb_slot_factor;

/* Makes map i, counted in the order in which maps are applied; of this transform its numbers alone, without values,
 * where `values` is false. Doubles, products and sums in one order, never fused. HB_ENOMEM; *factor is then zeroed. The
 * caller clears it; a zeroed one is allowed there. */
hb_status hb_slot_factor_init(hb_slot_factor *factor, const hb_slot_transform *transform, uint32_t i, bool values);
void hb_slot_factor_clear(hb_slot_factor *factor);

#endif
