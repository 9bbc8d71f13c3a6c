/* Products of a matrix in the clear with vectors in blocks of slots, in schemes that support them: the scheme of reals,
 * with parameters that are not like SEAL's. */
#ifndef HB_SCHEME_MATRIX_H
#define HB_SCHEME_MATRIX_H

#include "quality.h"
#include "rlwe/block_matrix.h"
#include "rlwe/evaluator_build.h"

/* Returns whether there are such products. */
bool hb_params_have_matrices(const hb_params_spec *spec);

/* Finds the cheapest way to compute a product; rows [matrix->rows]: the sums of its rows (hb_block_matrix_sums), here
 * and below. HB_ECONFIG where there are no such products; HB_ENOMEM. Host. */
hb_status hb_matrix_outline(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                            hb_block_outline *out);
/* Makes the outline of another matrix from this one's, where their entries that are not 0 are at the same places: a
 * fraction of the work. Fails likewise. */
hb_status hb_matrix_outline_values(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                                   hb_block_outline *outline);
/* Lists the rotations of a product by its outline, which is the matrix's here and below: steps [*count], which the
 * caller frees; the first *map_count are at the level of its operand, the others at that of its result. For a pair,
 * whose outlines are those of its matrices at first, it finds the cheapest way to compute both and their sum, and sets
 * *outline to that. HB_ECONFIG; HB_ENOMEM. Host. */
hb_status hb_matrix_steps(const hb_params_spec *spec, hb_block_pair *of, hb_block_outline *outline, int64_t **steps,
                          uint32_t *map_count, uint32_t *count);
/* Sets *bytes to the engine's memory of a matrix with this outline, for ciphertexts of `limbs` limbs, and *words to the
 * workspace of one ciphertext. Where there are such products. */
void hb_matrix_memory(const hb_params *params, const hb_block_outline *outline, uint32_t limbs, uint64_t *bytes,
                      size_t *words);

/* Encodes matrices, in memory of the engine. Borrows the engine and the parameters. The matrices are not needed
 * afterwards; any number of queues share the results. Waits. HB_EDATA where an entry is not finite or too large for the
 * scale; HB_ECONFIG where there are no such products; HB_ENOMEM. Closing takes NULL. */
hb_status hb_block_maps_open(hb_engine *engine, const hb_params *params, hb_block_map_wanted *wanted, uint32_t count);
void hb_block_map_close(hb_block_map *map);
/* Goes on with other parameters that are the same, divided in the same way: from now on the map borrows these. The ones
 * before may be gone. */
void hb_block_map_use(hb_block_map *map, const hb_params *params);
/* Computes r = W a[0] in every block, of a pair r = W a[0] + V a[1], at rest at the level below that of its operands,
 * which have the same limbs; all have 2 components. No overlap. work: memory of the evaluator's engine, for as many
 * ciphertexts at a time as find room, one at least. HB_EDATA naming the step whose key is missing. */
hb_status hb_evaluator_matrix(hb_evaluator *ev, hb_ciphertexts r, const hb_ciphertexts *a, const hb_block_map *map,
                              const hb_switch_keys *keys, hb_workspace work);

/* Returns the bound of a product for an operand of `limbs` limbs, where there are such products. */
hb_quality hb_quality_matrix(const hb_params *params, const hb_block_matrix *matrix, const hb_block_outline *outline,
                             uint32_t limbs, hb_quality_factor a);

#endif
