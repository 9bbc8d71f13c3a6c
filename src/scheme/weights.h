/* Matrices of numbers that multiply ciphertexts, as residues in an engine's memory: made once, for one level. */
#ifndef HB_SCHEME_WEIGHTS_H
#define HB_SCHEME_WEIGHTS_H

#include "rlwe/evaluator.h"

/* The numbers of one output, host memory, borrowed: one of both. Integers multiply at the scale of the operands; real
 * numbers make products of scale S^2 (evaluator.h). */
typedef struct hb_weight_row {
    const int64_t *integers; /* [inputs] */
    const double *reals;     /* [inputs] */
} hb_weight_row;

/* A matrix for ciphertexts of weights.limbs limbs; zeroed: none. */
typedef struct hb_weights {
    hb_batch residues; /* as hb_combination has them (ring/rns_ops.h); owned */
    uint32_t outputs, inputs;
} hb_weights;

/* Makes the residues, in memory of the engine: integers unchanged, and for a real number the integer nearest to it
 * times the scale of the level, as in hb_evaluator_multiply_number. Waits. HB_EDATA where a real number is not finite
 * or does not fit; HB_ECONFIG for real ones in a scheme of integers; HB_ENOMEM. The caller clears, also after a
 * failure. rows: [outputs]; outputs, inputs >= 1. */
hb_status hb_weights_init(hb_weights *weights, hb_engine *engine, const hb_params *params, const hb_weight_row *rows,
                          uint32_t outputs, uint32_t inputs, uint32_t limbs);
/* Overwrites and frees them. A zeroed struct is allowed. */
void hb_weights_clear(hb_weights *weights, hb_engine *engine);
/* Returns the words of the engine's memory that they take, at most. */
uint64_t hb_weights_words(const hb_params *params, uint32_t outputs, uint32_t inputs, uint32_t limbs);

/* Computes r[o] = the sum over i < inputs of a[i] times weight i of output o, all of them batches of ciphertexts of the
 * weights' level (hb_ciphertexts.all), with the same components and as many. Outputs of real numbers have scale S^2, of
 * integers that of the operands. No r[o] overlaps anything else. The words are those of the products with each number,
 * added up. */
hb_status hb_evaluator_combine(hb_evaluator *ev, const hb_batch *r, const hb_batch *a, const hb_weights *weights);

#endif
