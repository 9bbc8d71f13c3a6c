/* Rotations of slots as automorphisms X -> X^g (semantics.md 6.9, 6.10). Slots are rows of n / 2. Pure functions of n,
 * a power of two, 4 .. 2^30 (HB_ASSERT), and of the generator, whose powers rotate a row: 3 or 5 modulo 8, so that they
 * and their negatives are all odd numbers modulo 2n, each once. */
#ifndef HB_RING_GALOIS_H
#define HB_RING_GALOIS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The most steps that one call below returns: the terms of a number of 64 bits. */
#define HB_GALOIS_MOST_STEPS 64

/* Returns the element that swaps two rows, or conjugates the complex values of one: -1. */
uint32_t hb_galois_swap(size_t n);
/* Returns the element of a rotation of every row: by step > 0 to the left, by step < 0 to the right; 0 < |step| < n /
 * 2. */
uint32_t hb_galois_rotation(size_t n, uint32_t generator, int64_t step);
/* Returns the step, in (-n / 4, n / 4], whose rotation is `element`, with or without the swap, which *swap says; 0:
 * there is none, or it is the swap alone. */
int64_t hb_galois_step(size_t n, uint32_t generator, uint32_t element, int *swap);

/* Sets steps[0 .. return value) to the rotations that SEAL makes of a step for which there is no key: its non-adjacent
 * form, lowest first, without a term of n / 2. */
uint32_t hb_galois_naf(size_t n, int64_t step, int64_t steps[HB_GALOIS_MOST_STEPS]);
/* Sets steps[0 .. return value) to the rotation steps of a sum of `terms` slots that stand `step` apart: step, 2 step,
 * 4 step .. terms / 2 step. terms: a power of two. */
uint32_t hb_galois_window_steps(int64_t step, uint64_t terms, int64_t steps[HB_GALOIS_MOST_STEPS]);
/* Returns three times step i of such a list, where it is every second one and another stands behind it: with a key for
 * that too both become one sum of three rotations (rlwe/rotation.h); else 0. */
int64_t hb_galois_window_triple(const int64_t *steps, uint32_t count, uint32_t i);
/* Sets steps[0 .. return value) to the rotation steps of the sum of a row: 1, 2, 4 .. n / 4; the swap comes after
 * them. */
uint32_t hb_galois_sum_steps(size_t n, int64_t steps[HB_GALOIS_MOST_STEPS]);

/* Sets map[j], [n], to where word j of the NTT form of a(X^element) stands in that of a: for hb_permute. element is
 * odd, below 2n. */
void hb_galois_map(uint32_t *map, size_t n, uint32_t element);

#endif
