/* The circuits of CKKS with many products: polynomials, linear maps of slots, matrices of numbers (private to the
 * measurements of CKKS). */
#ifndef HB_BENCH_CKKS_CIRCUITS_H
#define HB_BENCH_CKKS_CIRCUITS_H

#include "evaluation.h"

/* Measures each circuit on the first x->count ciphertexts at the level of fresh ones: polynomials of degree 31 and 119,
 * where the level suffices; a map of 64 diagonals, which parameters like SEAL's do not support; for x->count = 1 also a
 * matrix of 64 x 64 numbers times 64 ciphertexts, if memory suffices. Adds the keys that x lacks. HB_ENOMEM. */
hb_status hb_bench_ckks_circuits(hb_bench *bench, hb_evaluation *x);

#endif
