/* The pass that makes sums of two products with matrices one operation, at levels that are placed. */
#ifndef HB_LANG_COMPILE_MATRIX_SUMS_H
#define HB_LANG_COMPILE_MATRIX_SUMS_H

#include "lang/lower/lower.h"

/* A sum such as U @ h + W @ x, of rows within slots, becomes one node, in its place, where that costs less and nobody
 * else has the products: both share the giant steps of their rotations, one division and one rescale
 * (rlwe/block_matrix.h). A product at a higher level comes down before it is computed, and not behind it. Where two row
 * blocks of both products go as one (bootstrapping/coupling.h), those of the sum do, and are brought apart behind it.
 *
 * outputs: [count] of the lowering, after levels_pass.h. HB_ENOMEM, and the errors of lists of matrices (ir/blocks.h).
 */
hb_status hb_lowering_pair_matrices(hb_lowering *lowering, hb_symbol *const *outputs, uint32_t count);

#endif
