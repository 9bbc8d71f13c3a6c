#include "quality.h"

#include <math.h>

#include "bootstrapping/eval_mod.h"
#include "rlwe/bounds.h"
#include "scheme_ops.h"

const char *hb_quality_name(hb_scheme scheme)
{
    return hb_scheme_ops_of(scheme)->quality.name;
}

const char *hb_quality_word(hb_scheme scheme)
{
    return hb_scheme_ops_of(scheme)->quality.word;
}

static const hb_quality_ops *quality_ops(const hb_params *params)
{
    return &hb_scheme_ops_of(params->spec.scheme)->quality;
}

hb_quality hb_quality_fresh(const hb_params *params, bool public_key, hb_distribution errors)
{
    return quality_ops(params)->fresh(params, public_key, errors);
}

hb_quality hb_quality_add(const hb_params *params, hb_quality a, hb_quality b)
{
    return quality_ops(params)->sum.add(params, a, b);
}

hb_quality hb_quality_sum(const hb_params *params, hb_quality a, double terms)
{
    return quality_ops(params)->sum.sum(params, a, terms);
}

hb_quality hb_quality_add_plain(const hb_params *params, hb_quality a)
{
    return quality_ops(params)->sum.add_plain(params, a);
}

hb_quality hb_quality_decoded(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values)
{
    return quality_ops(params)->decoded(params, limbs, a, values);
}

hb_quality hb_quality_multiply_integer(const hb_params *params, hb_quality a, double magnitude)
{
    return quality_ops(params)->product.multiply_integer(params, a, magnitude);
}

hb_quality hb_quality_add_number(const hb_params *params, hb_quality a)
{
    return quality_ops(params)->sum.add_number(params, a);
}

hb_quality hb_quality_transformed(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values)
{
    return quality_ops(params)->transformed(params, limbs, a, values);
}

hb_quality hb_quality_multiply_number(const hb_params *params, uint32_t limbs, hb_quality_factor a, double number)
{
    return quality_ops(params)->product.multiply_number(params, limbs, a, number);
}

hb_quality hb_quality_multiply_plain(const hb_params *params, uint32_t limbs, hb_quality_factor a,
                                     hb_plain_factor factor, hb_magnitude plain)
{
    return quality_ops(params)->product.multiply_plain(params, limbs, a, factor, plain);
}

hb_quality hb_quality_multiply(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_quality_factor b)
{
    return quality_ops(params)->product.multiply(params, limbs, a, b);
}

hb_quality hb_quality_square(const hb_params *params, uint32_t limbs, hb_quality_factor a)
{
    return quality_ops(params)->product.square(params, limbs, a);
}

hb_quality hb_quality_again(const hb_params *params, hb_quality a, uint32_t times)
{
    return quality_ops(params)->sum.again(params, a, times);
}

hb_quality hb_quality_switch(const hb_params *params, uint32_t limbs, hb_quality a, hb_switch_use use)
{
    return quality_ops(params)->level.key_switch(params, limbs, a, use);
}

hb_quality hb_quality_sum_slots(const hb_params *params, uint32_t limbs, hb_quality a)
{
    return quality_ops(params)->level.sum_slots(params, limbs, a);
}

hb_quality hb_quality_merged(const hb_params *params, hb_quality a)
{
    return quality_ops(params)->sum.merged(params, a);
}

hb_quality hb_quality_sum_window(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t terms)
{
    if (quality_ops(params)->level.sum_window != NULL) {
        return quality_ops(params)->level.sum_window(params, limbs, a, terms);
    }
    for (; terms > 1; terms /= 2) {
        a = hb_quality_add(params, a, hb_quality_switch(params, limbs, a, HB_SWITCH_GALOIS));
    }
    return a;
}

hb_quality hb_quality_mod_switch(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t size)
{
    return quality_ops(params)->level.mod_switch(params, limbs, a, size);
}

hb_quality hb_quality_relinearize_rescale(const hb_params *params, uint32_t limbs, hb_quality a)
{
    return quality_ops(params)->level.relinearize_rescale(params, limbs, a);
}

hb_quality hb_quality_adjust(const hb_params *params, uint32_t limbs, hb_quality_factor a, uint32_t to)
{
    HB_ASSERT(to >= 1 && to <= limbs);
    return quality_ops(params)->level.adjust(params, limbs, a, to);
}

hb_quality hb_quality_extend(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t to)
{
    HB_ASSERT(to >= limbs);
    const double factor = hb_log_modulus(params, to) - hb_log_modulus(params, limbs) + HB_BOUND_SLACK;
    a.worst += factor;
    a.expected += factor;
    return a;
}

hb_status hb_quality_polynomial(const hb_params *params, uint32_t limbs, hb_quality_factor a,
                                const hb_chebyshev *polynomial, double error, hb_quality *out)
{
    const hb_quality_ops *ops = quality_ops(params);
    return ops->polynomial != NULL
               ? ops->polynomial(params, limbs, a, polynomial, error, out)
               : HB_FAIL(HB_ECONFIG, "%s has no polynomials of reals", hb_scheme_ops_of(params->spec.scheme)->name);
}

hb_status hb_quality_bootstrap(const hb_params *params, hb_bootstrap_kind kind, uint32_t range_bits, bool twice,
                               hb_quality_factor a, hb_quality *out)
{
    const hb_quality_ops *ops = quality_ops(params);
    return ops->level.bootstrap != NULL
               ? ops->level.bootstrap(params, kind, range_bits, twice, a, out)
               : HB_FAIL(HB_ECONFIG, "%s has no bootstrapping here", hb_scheme_ops_of(params->spec.scheme)->name);
}

static hb_status require_refresh(const hb_params *params)
{
    const bool has = quality_ops(params)->level.refresh != NULL && hb_params_can_bootstrap(params);
    return has ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "parameters %s do not bootstrap the noise of integers: take int-16 or another of "
                         "`hebatch params list` that does",
                         params->name);
}

hb_status hb_quality_refresh_bits(const hb_params *params, hb_certainty certainty, hb_quality a, uint32_t *k)
{
    HB_TRY(require_refresh(params));
    return quality_ops(params)->level.refresh_bits(params, certainty, a, k);
}

hb_status hb_quality_refresh(const hb_params *params, hb_certainty certainty, uint32_t k, hb_quality a, hb_quality *out)
{
    HB_TRY(require_refresh(params));
    return quality_ops(params)->level.refresh(params, certainty, k, a, out);
}

hb_status hb_quality_table_bits(const hb_params *params, uint32_t *bits)
{
    const hb_quality_ops *ops = quality_ops(params);
    *bits = 0;
    return ops->level.table_bits != NULL
               ? ops->level.table_bits(params, bits)
               : HB_FAIL(HB_ECONFIG, "%s has no tables", hb_scheme_ops_of(params->spec.scheme)->name);
}

hb_status hb_quality_table(const hb_params *params, hb_certainty certainty, hb_quality a, hb_quality *out)
{
    uint32_t bits;
    HB_TRY(hb_quality_table_bits(params, &bits));
    return quality_ops(params)->level.table(params, certainty, a, out);
}

/* The form's is of 2^16 coefficients, each of which may be too large. */
double hb_quality_refresh_failure(const hb_params *params, double passes)
{
    const double coefficients = 16;
    return hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod)->failure_bits - coefficients +
           log2((double)params->spec.n) + log2(passes);
}

double hb_quality_room(const hb_params *params, uint32_t limbs, hb_quality a)
{
    return quality_ops(params)->room(params, limbs, a);
}

double hb_quality_bits(const hb_params *params, uint32_t limbs, double log2_error)
{
    return quality_ops(params)->bits(params, limbs, log2_error);
}

bool hb_quality_of_values(const hb_params_spec *spec, const uint64_t *values, hb_filled_slots filled,
                          hb_precision *precision)
{
    const hb_quality_ops *ops = &hb_scheme_ops_of(spec->scheme)->quality;
    if (ops->of_values == NULL) {
        return false;
    }
    ops->of_values(spec, values, filled, precision);
    return true;
}

double hb_quality_margin(const hb_params *params)
{
    return quality_ops(params)->margin;
}

double hb_quality_likely(const hb_params *params, hb_quality quality)
{
    const double systematic = quality.systematic.most > 0 ? exp2(quality.systematic.most - quality.expected) : 0;
    const double share = fmin(systematic, 1); /* of the expected error */
    const double in_hand = log2(share + (1 - share) * exp2(hb_quality_margin(params)));
    return fmin(quality.worst, quality.expected + in_hand);
}

hb_quality hb_quality_said(const hb_params *params, uint32_t limbs, hb_quality a, hb_certainty certainty)
{
    if (certainty == HB_CERTAINTY_DRAWN && hb_quality_bits(params, limbs, a.worst) < 1) {
        a.worst = hb_quality_bound(a, HB_CERTAINTY_DRAWN, hb_quality_margin(params));
        a.certainty = hb_certainty_of_both(a.certainty, HB_CERTAINTY_DRAWN);
    }
    return a;
}

hb_status hb_quality_require_fresh(const hb_params *params, bool public_key)
{
    return quality_ops(params)->require_fresh(params, public_key);
}
