/* Bounds of the noise of integers behind one pass of bootstrapping (refresh.h), before anything is computed.
 *
 * A pass with k reads z = ratio 2^k v, v = [t x]_Q / Q centred, |z| <= 1, and leaves 2^-(k + log2 ratio) times the
 * error of z, whatever t is. That error is measured (bootstrapping/eval_mod.h: read_bits), with what undoing the sine
 * leaves beside it. It does not grow with the secret's slots as that of products does: `powers` are 1 again. Errors of
 * one coefficient are normal given the secret, whose slots make their variance exponentially distributed: the largest
 * of N stands out further than of normal ones. All but 2^-64 of ciphertexts are within 2^6.2 times the root mean
 * square, and the largest coefficient is expected at HB_NOISE_MARGIN bits less. Pure functions. */
#ifndef HB_REFRESH_NOISE_H
#define HB_REFRESH_NOISE_H

#include "rlwe/params.h"
#include "rlwe/quality.h"

/* Finds the largest k with which the noise of a, at the users' highest level, fits by its bound of that certainty, and
 * with which the constant that makes noise of what was read has 26 bits. HB_EDATA where the budget is below log2 ratio
 * - 1 bits; HB_ECONFIG where not even k = 0 leaves the constant so many. The chain bootstraps integers. */
hb_status hb_refresh_noise_bits(const hb_params *params, hb_certainty certainty, hb_quality a, uint32_t *k);
/* Finds the noise behind a pass with k. HB_EDATA where the noise of a does not fit, or the constant has too few bits;
 * HB_ECONFIG as above; HB_ENOMEM of HB_CERTAINTY_PROVEN, whose bound sums up the worst of every step
 * (ckks/bootstrap_error.h). */
hb_status hb_refresh_noise(const hb_params *params, hb_certainty certainty, uint32_t k, hb_quality a, hb_quality *out);

#endif
