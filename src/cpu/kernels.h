/* Row kernels that spell vectors out (vectors.h), where the compiler finds none by itself (private to src). There is
 * one source; CMake compiles it once per instruction set, and the program takes the best set that the processor has.
 * Results never depend on it. */
#ifndef HB_CPU_KERNELS_H
#define HB_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/modulus.h"

typedef struct hb_cpu_ntt hb_cpu_ntt;
typedef struct hb_cpu_terms hb_cpu_terms;
typedef struct hb_cpu_tile hb_cpu_tile;

/* The source of a forward transform: n words, which may be the row that gets the result. */
typedef struct hb_cpu_source {
    const uint64_t *words; /* canonical; of an integer transform below 2 m */
    bool reduce;           /* of an FP64 transform: they are any below 2^50 */
} hb_cpu_source;

/* A transform with one arithmetic, of n words, with canonical results; the inverse in place, of canonical words. `last`
 * has the factors of sums and of differences in the last inverse stage, [planes][2]. */
typedef struct hb_cpu_transform {
    uint32_t planes; /* words of a twiddle: its double (1), or the integer and Shoup's quotient (2) */
    void (*forward)(const hb_cpu_ntt *t, uint64_t *x, const hb_cpu_source *from);
    void (*inverse)(const hb_cpu_ntt *t, uint64_t *x, const uint64_t *last);
} hb_cpu_transform;

/* Computes sums of products, n canonical words; r may be one of the rows. narrow: all words are below 2^50
 * (cpu_private.h). */
typedef void hb_cpu_sum_kernel(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m, bool narrow);

/* Adds products of rows with weights to the sums in memory, n words rounded up to whole vectors. narrow as above. */
typedef void hb_cpu_tile_kernel(const hb_cpu_tile *tile, size_t n, const hb_modulus *m, bool narrow);

/* Computes r = a factor, n canonical words, for any words of a and a factor below m. r may be a. */
typedef void hb_cpu_scale_kernel(uint64_t *r, const uint64_t *a, uint64_t factor, size_t n, const hb_modulus *m);

/* Replaces x, y by x + w y, x - w y, n words, lazily. It is the arithmetic of a stage alone, for measurements of its
 * speed. */
typedef void hb_cpu_butterfly_kernel(uint64_t *x, uint64_t *y, uint64_t w, size_t n, const hb_modulus *m);

/* The kernels of one instruction set. */
typedef struct hb_cpu_kernels {
    const char *name;
    uint32_t lanes; /* words of a vector */
    const hb_cpu_transform *ntt_f64, *ntt_u64;
    hb_cpu_sum_kernel *sum;
    hb_cpu_tile_kernel *tile;
    hb_cpu_scale_kernel *scale;
    hb_cpu_butterfly_kernel *butterflies;
} hb_cpu_kernels;

/* Returns the kernels for the i-th of the instruction sets that this program and this processor have, the best first;
 * NULL from their number on. There is always at least one. */
const hb_cpu_kernels *hb_cpu_kernels_at(uint32_t i);

/* Makes the names of definitions in a file that is compiled once per instruction set. */
#define HB_BUILT_JOIN(name, suffix) name##_##suffix
#define HB_BUILT_FOR(name, suffix) HB_BUILT_JOIN(name, suffix)
#define HB_BUILT(name) HB_BUILT_FOR(name, HB_INSTRUCTIONS)

#endif
