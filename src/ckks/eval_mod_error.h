/* Bounds of the error of EvalMod within a bootstrap, from the errors of its operand. */
#ifndef HB_CKKS_EVAL_MOD_ERROR_H
#define HB_CKKS_EVAL_MOD_ERROR_H

#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "error.h"

/* The bootstrap under analysis. */
typedef struct hb_bootstrap_analysis {
    const hb_params *params;
    const hb_eval_mod_form *form;
    hb_bootstrapping_levels levels;
    double n, slots, width; /* N, N/2, B */
    hb_magnitude values;    /* of z */
} hb_bootstrap_analysis;

/* A use of EvalMod: errors of x are at most `wrong`, expected ones have that variance, results are 2^-fewer_bits times
 * z, and the largest one is that of `both` parts. */
typedef struct hb_eval_mod_use {
    double wrong, variance;
    uint32_t fewer_bits;
    bool both;
} hb_eval_mod_use;

/* Finds the error of results z, without the distortion of the form, and their largest magnitude, for any operand.
 * HB_ENOMEM. */
hb_status hb_eval_mod_error(const hb_bootstrap_analysis *b, hb_eval_mod_use use, hb_quality *out, double *largest);

#endif
