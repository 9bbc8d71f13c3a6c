/* Permutations of the words of polynomials, in memory of an engine: the operand of hb_permute. */
#ifndef HB_RING_PERMUTATION_H
#define HB_RING_PERMUTATION_H

#include "engine.h"

/* A permutation and its inverse, of n words each, in memory of the engine, in one allocation. */
typedef struct hb_permutation {
    uint32_t *map;     /* word j of the result is word map[j] */
    uint32_t *inverse; /* the way back */
    uint32_t element;  /* of the automorphism of the NTT form that it is; 0: it is none */
} hb_permutation;

/* Makes a permutation from words: host, [2 n], of which the first n are the map; the others are written over.
 * *permutation is zeroed before, and stays so on failure. Waits. HB_ENOMEM; the caller clears it. */
hb_status hb_permutation_init(hb_permutation *permutation, hb_engine *engine, uint32_t *words);
/* Makes the automorphism X -> X^element of polynomials in NTT form, likewise. */
hb_status hb_permutation_init_galois(hb_permutation *permutation, hb_engine *engine, uint32_t element);
/* Frees a permutation; a zeroed one is allowed. */
void hb_permutation_clear(hb_permutation *permutation, hb_engine *engine);

#endif
