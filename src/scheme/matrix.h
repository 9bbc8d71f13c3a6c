/* Products of a matrix in the clear with vectors in blocks of slots, in any scheme that has them: those of reals, with
 * parameters that are not like SEAL's. */
#ifndef HB_SCHEME_MATRIX_H
#define HB_SCHEME_MATRIX_H

#include "quality.h"
#include "rlwe/block_matrix.h"
#include "rlwe/evaluator_build.h"

/* Returns whether there are such products. */
bool hb_params_have_matrices(const hb_params_spec *spec);

/* Finds how a product is computed, the cheapest way; rows [matrix->rows]: what its rows add up to
 * (hb_block_matrix_sums), here and below. HB_ECONFIG where there are none; HB_ENOMEM. Host. */
hb_status hb_matrix_outline(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                            hb_block_outline *out);
/* Makes the outline of another matrix, whose entries that are not 0 are at the same places, that of this one, which is
 * a fraction of the work. Errors are the same. */
hb_status hb_matrix_outline_values(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                                   hb_block_outline *outline);
/* Lists the rotations that it takes by its outline, which is the matrix's here and below: steps [*count], the caller's
 * to free, of which the first *map_count are at the level of its operand, the others at that of its result. HB_ECONFIG;
 * HB_ENOMEM. Host. */
hb_status hb_matrix_steps(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_outline *outline,
                          int64_t **steps, uint32_t *map_count, uint32_t *count);
/* Sets *bytes to what a matrix with this outline, for ciphertexts of `limbs` limbs, takes of an engine's memory, and
 * *words to the workspace that one ciphertext takes. Where there are such products. */
void hb_matrix_memory(const hb_params *params, const hb_block_outline *outline, uint32_t limbs, uint64_t *bytes,
                      size_t *words);

/* Encodes a matrix for ciphertexts of `limbs` limbs, above the lowest level, in memory of the engine, which is
 * borrowed, as are the parameters. The matrix is not needed afterwards; any number of queues share what is made. Waits.
 * HB_EDATA where an entry is not finite or too large for the scale; HB_ECONFIG where there are no such products;
 * HB_ENOMEM. Closing takes NULL. */
hb_status hb_block_map_open(hb_engine *engine, const hb_params *params, const hb_block_matrix *matrix,
                            const hb_block_outline *outline, uint32_t limbs, hb_block_map **out);
void hb_block_map_close(hb_block_map *map);
/* Computes r = W a in every block, at rest at the level below that of a; both have 2 components. No overlap. work:
 * memory of the evaluator's engine, for as many ciphertexts at a time as find room, one at least. HB_EDATA naming the
 * step whose key is missing. */
hb_status hb_evaluator_matrix(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_block_map *map,
                              const hb_switch_keys *keys, hb_workspace work);

/* Returns the bound of that for an operand of `limbs` limbs, where there are such products. */
hb_quality hb_quality_matrix(const hb_params *params, const hb_block_matrix *matrix, const hb_block_outline *outline,
                             uint32_t limbs, hb_quality_factor a);

#endif
