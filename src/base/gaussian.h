/* Discrete Gaussians of any width, drawn on the host: noise that hides the error of a result, from which a key could be
 * found (ckks/flood.h). Keys and ciphertexts have narrow Gaussians, which every engine draws: sample.h.
 *
 * T. Poeppelmann, L. Ducas, T. Guneysu, "Enhanced Lattice-Based Signatures on Reconfigurable Hardware", CHES 2014,
 * after L. Ducas et al., "Lattice Signatures and Bimodal Gaussians", CRYPTO 2013: of x >= 0, which has probability in
 * proportion to 2^-x^2, and y uniform in [0, k), k x + y is taken with probability 2^-(f (f + 2 x)), f = y / k; with a
 * sign, and half of all 0, it has the discrete Gaussian of k / sqrt(2 ln 2). Probabilities of x are right to 2^-64,
 * those of being taken to a factor of 1 + 2^-46: in relative entropy a number is within 2^-60 of that Gaussian. */
#ifndef HB_BASE_GAUSSIAN_H
#define HB_BASE_GAUSSIAN_H

#include "seed.h"

/* sigma is at most that. */
#define HB_WIDE_GAUSSIAN_MOST 0x1p58

/* Draws out[count], |out| < 2^62, of the standard deviation sigma, 1 .. HB_WIDE_GAUSSIAN_MOST, or up to 1 more: k /
 * sqrt(2 ln 2) for the least k. A function of the draw, of its item alone. Constant time, but for how many numbers are
 * rejected; the taken ones are independent. */
void hb_wide_gaussian(int64_t *out, size_t count, double sigma, hb_draw draw);

#endif
