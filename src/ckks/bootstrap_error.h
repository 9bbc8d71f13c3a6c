/* Bounds of the error of bootstrapping (bootstrap.h), before anything is computed (error.h). Pure functions;
 * derivations are in bootstrap_error.c. */
#ifndef HB_CKKS_BOOTSTRAP_ERROR_H
#define HB_CKKS_BOOTSTRAP_ERROR_H

#include "error.h"
#include "rlwe/bootstrap.h"

/* Finds the error of a after bootstrapping. a is at rest at the level where bootstrapping of that kind begins
 * (hb_bootstrap_limbs). Real and imaginary parts of its values are within 2^range_bits; of HB_BOOTSTRAP_LOWEST their
 * modulus is. For a pair, or for neighbours, a is the worse of both. twice: errors are bootstrapped themselves
 * (hb_bootstrap_spec), not of HB_BOOTSTRAP_LOWEST. The result's error is at the scale of the level after bootstrapping.
 * It holds where bootstrapping does not fail; the forms of EvalMod have the probability of failure (eval_mod.h:
 * failure_bits). Proven bounds hold for ciphertexts that were not made to break them, as roundings are taken to be
 * random (bootstrap_error.c). It is the error of the complex number for HB_BOOTSTRAP_COMPLEX and HB_BOOTSTRAP_LOWEST,
 * for other kinds that of the real part. HB_ECONFIG where parameters have no bootstrapping; HB_EDATA where values do
 * not fit the range, or the range is too large for that kind; HB_ENOMEM. */
hb_status hb_error_bootstrap(const hb_params *params, hb_bootstrap_kind kind, uint32_t range_bits, bool twice,
                             hb_error_factor a, hb_quality *out);

/* Sets *worst to log2 of the error with which one pass reads the noise of integers, z within 1, in any coefficient,
 * with the certainty of proven bounds of bootstrapping. params: the reals of a chain of integers
 * (hb_ckks_params_of_integers). HB_ENOMEM. */
hb_status hb_error_read_noise(const hb_params *params, double *worst);

#endif
