#include "noise.h"

#include <inttypes.h>
#include <math.h>

#include "base/outward.h"
#include "bfv/noise.h"
#include "bootstrapping/eval_mod.h"
#include "ckks/bootstrap_error.h"
#include "ckks/params.h"
#include "refresh.h"
#include "rlwe/bounds.h"

/* From the root mean square of the error of a pass to the bound that all but 2^-64 of ciphertexts keep, in bits. */
static const double drawn_tail = 6.2;

/* Doubles are off by less than this where an exact rational is meant; k is a floor that is taken once, in the plan. */
static const double in_doubt = 0x1p-20;

static const hb_eval_mod_form *form_of(const hb_params *params)
{
    return hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod);
}

static double log_modulus(const hb_params *params)
{
    return hb_log_modulus(params, hb_params_fresh_limbs(params));
}

/* Measured bounds err by more than this. It keeps k from falling by one where a bound behind a pass is just below a
 * whole bit. */
static const double measured = 0x1p-10;

/* Returns the largest k, as a real number, with 2^k ratio |v| <= 1. */
static double fitting(const hb_params *params, hb_certainty certainty, hb_quality a)
{
    return log_modulus(params) - hb_quality_bound(a, certainty, HB_NOISE_MARGIN) - form_of(params)->ratio_bits +
           (certainty == HB_CERTAINTY_PROVEN ? 0 : measured);
}

/* Returns the largest k, as a real number, for which C = Q / (scale ratio t 2^k) has so many bits. */
static double exact(const hb_params *params)
{
    const hb_params_spec *spec = &params->spec;
    return log_modulus(params) - spec->bootstrapping.scale_bits - form_of(params)->ratio_bits -
           log2((double)spec->bfv.plain) - HB_REFRESH_LEAST_BITS - in_doubt;
}

static hb_status check_chain(const hb_params *params)
{
    return exact(params) >= 0
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "t = %" PRIu64 " is too long for this chain to bootstrap: %.0f bits less of t, or more primes "
                         "of users, are needed",
                         params->spec.bfv.plain, hb_decimal_up(-exact(params), 0));
}

static hb_status check_fits(const hb_params *params, hb_certainty certainty, hb_quality a, double k)
{
    const double least = form_of(params)->ratio_bits - 1, missing = k - fitting(params, certainty, a);
    return missing <= 0 ? HB_OK
                        : HB_FAIL(HB_EDATA,
                                  "too little noise budget is left for bootstrapping, by %.1f bits: a pass needs %g "
                                  "and one more for each bit of its range",
                                  hb_decimal_up(missing, 1), least);
}

hb_status hb_refresh_noise_bits(const hb_params *params, hb_certainty certainty, hb_quality a, uint32_t *k)
{
    HB_TRY(check_chain(params));
    HB_TRY(check_fits(params, certainty, a, 0));
    *k = (uint32_t)floor(fmin(fitting(params, certainty, a), exact(params)));
    return HB_OK;
}

/* Returns log2 of what undoing the sine leaves of z, both as root mean squares. Behind a polynomial of degree d the
 * error oscillates as the Chebyshev polynomial of degree d + 2 does, which is (d + 2) z near 0; the sine alone differs
 * by its third power, whose mean square is 15 times that of a normal z. */
static double left_of(const hb_eval_mod_form *form, double z)
{
    const uint32_t degree = form->cubic ? 3 : form->undo_degree;
    return log2(form->distortion) + (degree > 0 ? log2((double)degree + 2) + z : log2(15) / 2 + 3 * z);
}

/* Sets *worst to log2 of the proven error of z, within 1, with that of the constant. */
static hb_status find_worst(const hb_params *params, double *worst)
{
    hb_params *reals;
    HB_TRY(hb_ckks_params_of_integers(params, &reals));
    const hb_status st = hb_error_read_noise(reals, worst);
    hb_ckks_params_close(reals);
    *worst = log2(exp2(*worst) + exp2(-HB_REFRESH_LEAST_BITS - 1));
    return st;
}

/* z is taken from the expected largest coefficient as if that were of a normal distribution: others are smaller. */
hb_status hb_refresh_noise(const hb_params *params, hb_certainty certainty, uint32_t k, hb_quality a, hb_quality *out)
{
    const hb_eval_mod_form *form = form_of(params);
    const double n = (double)params->spec.n, q = log_modulus(params);
    double proven = 0;
    HB_TRY(check_chain(params));
    HB_TRY(check_fits(params, certainty, a, k));
    if (k > exact(params)) {
        return HB_FAIL(HB_EDATA,
                       "a pass of range %" PRIu32 " is nearer to a fresh ciphertext than this chain keeps "
                       "exact: the largest is %.0f",
                       k, floor(exact(params)));
    }
    if (certainty == HB_CERTAINTY_PROVEN) {
        HB_TRY(find_worst(params, &proven));
    }
    const double range = k + form->ratio_bits, tail = log2(sqrt(2 * log(2 * n))), mean = hb_quality_even(a) - tail;
    const double read = -(form->read_bits - form->ratio_bits - log2(n / 1024));
    const double square = q - range + hb_log_root(read, left_of(form, range + mean - q));
    const double worst = certainty == HB_CERTAINTY_PROVEN ? q - range + proven : square + drawn_tail;
    /* |z| <= 1 is as certain as the bound of a, and no form that may fail proves anything. */
    const hb_certainty form_holds = isinf(form->failure_bits) ? HB_CERTAINTY_PROVEN : HB_CERTAINTY_DRAWN;
    *out = (hb_quality){.worst = worst + HB_BOUND_SLACK,
                        .expected = square + drawn_tail - HB_NOISE_MARGIN + HB_BOUND_SLACK,
                        .even = square + tail + HB_BOUND_SLACK,
                        .powers = 1,
                        .certainty = hb_certainty_of_both(hb_certainty_of_both(certainty, form_holds), a.certainty)};
    return HB_OK;
}
