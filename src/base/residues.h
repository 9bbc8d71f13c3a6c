/* Integers as residues modulo several words, and back: the Chinese remainder theorem in mixed radix. */
#ifndef HB_BASE_RESIDUES_H
#define HB_BASE_RESIDUES_H

#include "modulus.h"
#include "status.h"
#include "wide.h"

#define HB_MOST_RESIDUES 8
/* The product of moduli is below 2^HB_RESIDUES_MOST_BITS, as computations with it must stay within hb_wide. */
#define HB_RESIDUES_MOST_BITS 300

/* The constants for joining residues modulo t_0 .. t_{count - 1}, no two of which have a common factor. */
typedef struct hb_residues {
    uint32_t count; /* 1 .. HB_MOST_RESIDUES */
    hb_modulus modulus[HB_MOST_RESIDUES];
    uint64_t inverse[HB_MOST_RESIDUES][HB_MOST_RESIDUES]; /* [i][j]: 1 / t_j mod t_i, j < i */
    hb_wide product;                                      /* T */
} hb_residues;

/* Computes the constants from the moduli, each below 2^61. HB_ECONFIG where two of them have a common factor, or the
 * product has more than HB_RESIDUES_MOST_BITS bits. */
hb_status hb_residues_init(hb_residues *of, const uint64_t *moduli, uint32_t count);
/* Returns the integer with these residues [count], each below its modulus, in [0, T), or, signed, in
 * [-(T - 1) / 2, T / 2]. */
hb_wide hb_residues_join(const hb_residues *of, const uint64_t *residue, bool is_signed);
/* Return the least and the most that hb_residues_join gives. */
hb_wide hb_residues_least(const hb_residues *of, bool is_signed);
hb_wide hb_residues_most(const hb_residues *of, bool is_signed);

/* Replaces cells of 128 bits, or of one word, in `cells` [count] by their residues in `residue` [count]: any value of a
 * cell, signed or not. */
void hb_residues_of_cells(uint64_t *residue, const uint64_t *cells, size_t count, bool is_signed, const hb_modulus *m);

#endif
