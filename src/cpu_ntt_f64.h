/* The FP64 transform, between its tables and its loops (private to src).
 *
 * Ranges. Let every element be at most B p in magnitude and every twiddle balanced, |w| <= p/2. Then |w y| / p <= B p/2,
 * so a product is exact for B p < 2^52 and |w y mod p| <= (1/2 + B p 2^-53) p (modarith.h). A forward stage makes
 * B' = B + 1/2 + B p 2^-53, or 1 + 1/p + B p 2^-53 if it reduces its first operand. An inverse stage makes sums of 2 B,
 * or (p + 1) / 2 if it reduces them, and products of (1/2 + 2 B p 2^-53) p, and needs 2 B p < 2^52. Which stages reduce
 * is computed once: no forward stage for p < 2^48 and N <= 2^17; an inverse one as soon as doubling has used up the room,
 * about every (51 - bits)-th.
 *
 * The last four forward stages (first four inverse ones) pair elements less than a vector apart. There the array is seen
 * as blocks of 16 elements, LANES blocks are transposed into a tile [16][LANES], and the loops run over the lanes. */
#ifndef HB_CPU_NTT_F64_H
#define HB_CPU_NTT_F64_H

#include "cpu_ntt.h"

#define TILE_STAGES 4u
#define TILE 16u          /* 2^TILE_STAGES elements of a block */
#define TILE_TWIDDLES 15u /* 1 + 2 + 4 + 8 a block */
#define LANES 16u

static inline bool hb_has_tiles(const hb_cpu_ntt *t)
{
    return t->n >= TILE * LANES;
}

#endif
