/* Bounds of the error of bootstrapping (bootstrap.h), before anything is computed (error.h). Pure functions;
 * derivations are in bootstrap_error.c. */
#ifndef HB_CKKS_BOOTSTRAP_ERROR_H
#define HB_CKKS_BOOTSTRAP_ERROR_H

#include "error.h"
#include "rlwe/bootstrap.h"

/* Finds the error of a after bootstrapping: a at rest at the lowest level from which that begins, with parts of values
 * within 2^range_bits; of a pair, or of neighbours, of both; twice: errors are bootstrapped themselves
 * (hb_bootstrap_spec). The result's is at the scale of the level where that is left. It holds where bootstrapping does
 * not fail: the forms of EvalMod say with what probability it does (eval_mod.h: failure_bits). Proven bounds hold for
 * ciphertexts that nobody made to break them, as roundings are taken to be drawn (bootstrap_error.c). For reals it is
 * that of the real part. HB_ECONFIG where parameters have no bootstrapping; HB_EDATA where values do not fit the range;
 * HB_ENOMEM. */
hb_status hb_error_bootstrap(const hb_params *params, hb_bootstrap_kind kind, uint32_t range_bits, bool twice,
                             hb_error_factor a, hb_quality *out);

#endif
