/* The passes of a transform over vectors, whatever the arithmetic (private to the two files that include this).
 *
 * The including file says what an element, a factor (a twiddle as its arithmetic multiplies by it) and a prime are, and
 *   element enter(words)                                from canonical words;
 *   words leave(element, prime), leave_product          to them, leave_product from what product() returns;
 *   element get(words), words put(element)              between elements and what memory holds of them;
 *   factor factor_of(words, words)                      from the PLANES of a table, the only one twice;
 *   butterfly, inverse_butterfly(element *, element *, factor, prime, bool reduce); product(element, factor, prime).
 * Rows hold elements in place of words while they are transformed.
 *
 * Two stages a pass: half the memory traffic. Where a pass has come down to blocks of a near cache, all the passes that
 * follow run over one block before the next. The last stages are those of tiles (ntt_tiles.h). The inverse is the
 * mirror image of all this; 1/N, and more, comes with its last stage. */
#ifndef HB_CPU_NTT_STAGES_H
#define HB_CPU_NTT_STAGES_H

#include "kernels.h"
#include "ntt_tiles.h"
#include "vectors.h"

#define NEAR 2048 /* words of a block: with its twiddles, a first-level cache */

HB_CLONED_INLINE factor factor_all(const uint64_t *w, size_t plane)
{
    return factor_of(hb_vector_all(w[0]), hb_vector_all(w[PLANES == 2 ? plane : 0]));
}

/* Of two stages of one group: that of the outer stage, pairs two quarters apart, and the two of the inner one. */
typedef struct factors {
    factor outer, inner[2];
} factors;

HB_CLONED_INLINE factors group_factors(const uint64_t *w, size_t plane, size_t group)
{
    return (factors){factor_all(w + group, plane),
                     {factor_all(w + 2 * group, plane), factor_all(w + 2 * group + 1, plane)}};
}

/* The flags are constants in each loop, which so has no branch. */
HB_CLONED_INLINE void forward_quarters(uint64_t *x, size_t quarter, factors f, prime m, const uint8_t reductions,
                                       const bool first)
{
    for (size_t j = 0; j < quarter; j += HB_LANES) {
        element v[4];
        HB_UNROLLED
        for (size_t i = 0; i < 4; i++) {
            const hb_words word = hb_vector_load(x + i * quarter + j);
            v[i] = first ? enter(word) : get(word);
        }
        butterfly(&v[0], &v[2], f.outer, m, reductions == 2);
        butterfly(&v[1], &v[3], f.outer, m, reductions == 2);
        butterfly(&v[0], &v[1], f.inner[0], m, reductions >= 1);
        butterfly(&v[2], &v[3], f.inner[1], m, reductions >= 1);
        HB_UNROLLED
        for (size_t i = 0; i < 4; i++) {
            hb_vector_store(x + i * quarter + j, put(v[i]));
        }
    }
}

/* scale: where this is the last pass, what sums are multiplied by; the outer twiddle is that of the differences. */
HB_CLONED_INLINE void inverse_quarters(uint64_t *x, size_t quarter, factors f, prime m, const uint8_t reductions,
                                       const factor *scale)
{
    for (size_t j = 0; j < quarter; j += HB_LANES) {
        element v[4];
        HB_UNROLLED
        for (size_t i = 0; i < 4; i++) {
            v[i] = get(hb_vector_load(x + i * quarter + j));
        }
        inverse_butterfly(&v[0], &v[1], f.inner[0], m, reductions == 2);
        inverse_butterfly(&v[2], &v[3], f.inner[1], m, reductions == 2);
        inverse_butterfly(&v[0], &v[2], f.outer, m, reductions >= 1);
        inverse_butterfly(&v[1], &v[3], f.outer, m, reductions >= 1);
        HB_UNROLLED
        for (size_t i = 0; i < 4; i++) {
            const element scaled = scale != NULL && i < 2 ? product(v[i], *scale, m) : v[i];
            hb_vector_store(x + i * quarter + j, scale != NULL ? leave_product(scaled, m) : put(scaled));
        }
    }
}

HB_CLONED_INLINE void forward_group(uint64_t *x, size_t quarter, factors f, prime m, uint8_t reductions,
                                    const bool first)
{
    switch (reductions) {
    case 0:
        forward_quarters(x, quarter, f, m, 0, first);
        break;
    case 1:
        forward_quarters(x, quarter, f, m, 1, first);
        break;
    default:
        forward_quarters(x, quarter, f, m, 2, first);
    }
}

HB_CLONED_INLINE void inverse_group(uint64_t *x, size_t quarter, factors f, prime m, uint8_t reductions,
                                    const factor *scale)
{
    switch (reductions) {
    case 0:
        inverse_quarters(x, quarter, f, m, 0, scale);
        break;
    case 1:
        inverse_quarters(x, quarter, f, m, 1, scale);
        break;
    default:
        inverse_quarters(x, quarter, f, m, 2, scale);
    }
}

/* Stage 0 alone: it never has to reduce. */
static void forward_single(const hb_cpu_ntt *t, uint64_t *x)
{
    const prime m = prime_of(&t->modulus);
    const factor f = factor_all(t->w + 1, t->groups);
    const size_t half = t->n / 2;
    for (size_t j = 0; j < half; j += HB_LANES) {
        element a = enter(hb_vector_load(x + j)), b = enter(hb_vector_load(x + half + j));
        butterfly(&a, &b, f, m, false);
        hb_vector_store(x + j, put(a));
        hb_vector_store(x + half + j, put(b));
    }
}

static void inverse_single(const hb_cpu_ntt *t, uint64_t *x, const uint64_t *last)
{
    const prime m = prime_of(&t->modulus);
    const factor f = factor_all(last + 1, 2), scale = factor_all(last, 2);
    const size_t half = t->n / 2;
    for (size_t j = 0; j < half; j += HB_LANES) {
        element a = get(hb_vector_load(x + j)), b = get(hb_vector_load(x + half + j));
        inverse_butterfly(&a, &b, f, m, false);
        hb_vector_store(x + j, leave_product(product(a, scale, m), m));
        hb_vector_store(x + half + j, leave_product(b, m));
    }
}

/* Stages s and s + 1 of block `block` of 2^blocks of the row. */
static void forward_pass(const hb_cpu_ntt *t, uint64_t *x, uint32_t s, uint32_t blocks, size_t block)
{
    const prime m = prime_of(&t->modulus);
    const size_t groups = (size_t)1 << (s - blocks), quarter = t->n >> (s + 2), from = block * groups;
    x += from * 4 * quarter;
    for (size_t g = from; g < from + groups; g++, x += 4 * quarter) {
        const factors f = group_factors(t->w, t->groups, ((size_t)1 << s) + g);
        if (s == 0) {
            forward_group(x, quarter, f, m, t->reductions[s], true);
        } else {
            forward_group(x, quarter, f, m, t->reductions[s], false);
        }
    }
}

static void inverse_pass(const hb_cpu_ntt *t, uint64_t *x, const uint64_t *last, uint32_t s, uint32_t blocks,
                         size_t block)
{
    const prime m = prime_of(&t->modulus);
    const size_t groups = (size_t)1 << (s - blocks), quarter = t->n >> (s + 2), from = block * groups;
    const factor scale = factor_all(last, 2);
    x += from * 4 * quarter;
    for (size_t g = from; g < from + groups; g++, x += 4 * quarter) {
        factors f = group_factors(t->iw, t->groups, ((size_t)1 << s) + g);
        if (s == 0) {
            f.outer = factor_all(last + 1, 2);
            inverse_group(x, quarter, f, m, t->inverse_reductions[s], &scale);
        } else {
            inverse_group(x, quarter, f, m, t->inverse_reductions[s], NULL);
        }
    }
}

/* The first stage of those that run over one block after another: 2^that of them. */
static uint32_t near_stage(const hb_cpu_ntt *t)
{
    uint32_t s = t->outer % 2;
    while (s < t->outer && t->n >> s > NEAR) {
        s += 2;
    }
    return s;
}

static void forward(const hb_cpu_ntt *t, uint64_t *x)
{
    const uint32_t near = near_stage(t);
    if (t->outer % 2 == 1) {
        forward_single(t, x);
    }
    for (uint32_t s = t->outer % 2; s < near; s += 2) {
        forward_pass(t, x, s, 0, 0);
    }
    for (size_t block = 0; block < (size_t)1 << near; block++) {
        for (uint32_t s = near; s < t->outer; s += 2) {
            forward_pass(t, x, s, near, block);
        }
        forward_tiles(t, x, near, block);
    }
}

static void inverse(const hb_cpu_ntt *t, uint64_t *x, const uint64_t *last)
{
    const uint32_t near = near_stage(t);
    for (size_t block = 0; block < (size_t)1 << near; block++) {
        inverse_tiles(t, x, near, block);
        for (uint32_t s = t->outer; s > near; s -= 2) {
            inverse_pass(t, x, last, s - 2, near, block);
        }
    }
    for (uint32_t s = near; s >= 2; s -= 2) {
        inverse_pass(t, x, last, s - 2, 0, 0);
    }
    if (t->outer % 2 == 1) {
        inverse_single(t, x, last);
    }
}

#endif
