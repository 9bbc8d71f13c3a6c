/* Products of a matrix in the clear with vectors in blocks of slots (rlwe/block_matrix.h): a linear map by diagonals
 * (linear.h) within each block, and the sum of its parts, as of S. Juvekar, V. Vaikuntanathan, A. Chandrakasan,
 * "GAZELLE" (USENIX Security 2018), with nothing carried from one block to another (semantics.md 9.9). */
#ifndef HB_CKKS_BLOCK_MATRIX_H
#define HB_CKKS_BLOCK_MATRIX_H

#include "error.h"
#include "linear.h"
#include "rlwe/block_matrix.h"

/* Finds the plan of the product: with one part or, where that takes much longer, with the span whose diagonals and
 * rotations take the least time. rows: the sums of the matrix's rows, here and below. HB_ECONFIG for blocks that do not
 * divide the slots; HB_ENOMEM. Host. */
hb_status hb_ckks_matrix_outline(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                                 hb_block_outline *out);
/* Updates an outline for a matrix with other entries at the same places; the parts that follow from the places stay.
 * HB_ENOMEM. Host. */
hb_status hb_ckks_matrix_outline_values(const hb_params_spec *spec, const hb_block_matrix *matrix,
                                        const hb_block_sums *rows, hb_block_outline *outline);
/* Lists the rotations that the map of a matrix takes, and after it those of the sum of its parts: steps [*count] is
 * the caller's to free, *map_count of them are the map's. For a pair, whose outlines are those of its matrices at
 * first, it chooses the baby steps, and makes *outline that of both. HB_ENOMEM. Host. The outline is the matrix's, or
 * the pair's, here and below. */
hb_status hb_ckks_matrix_steps(const hb_params_spec *spec, hb_block_pair *of, hb_block_outline *outline,
                               int64_t **steps, uint32_t *map_count, uint32_t *count);

/* Returns the memory of an engine that a matrix with this outline takes for ciphertexts of `limbs` limbs: bytes without
 * a workspace, and words of workspace for one ciphertext. */
hb_linear_memory hb_ckks_matrix_memory(const hb_params *params, const hb_block_outline *outline, uint32_t limbs);
/* Encodes matrices, whose maps are NULL before and after a failure, with one encoder for all whose blocks are alike.
 * The matrices are not needed afterwards. Waits. Errors are those of hb_linear_map_open. Closing takes NULL. */
hb_status hb_ckks_matrices_open(hb_engine *engine, const hb_params *params, hb_block_map_wanted *wanted,
                                uint32_t count);
void hb_ckks_matrix_close(hb_block_map *map);
/* As hb_block_map_use. */
void hb_ckks_matrix_use(hb_block_map *map, const hb_params *params);
/* Computes r = W a in every block, of a pair r = W a[0] + V a[1], at rest at the level below that of a, in a workspace
 * as hb_linear_apply_in. No overlap. HB_EDATA naming the step whose key is missing. */
hb_status hb_ckks_matrix_apply(hb_evaluator *ev, hb_ciphertexts r, const hb_ciphertexts *a, const hb_block_map *map,
                               const hb_switch_keys *keys, hb_workspace work);

/* Returns the error of a product: of a with `limbs` limbs, at the scale of the level below. */
hb_quality hb_error_matrix(const hb_params *params, const hb_block_matrix *matrix, const hb_block_outline *outline,
                           uint32_t limbs, hb_error_factor a);

#endif
