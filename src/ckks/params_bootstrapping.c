#include "params_bootstrapping.h"

#include <inttypes.h>

#include "eval_mod.h"

/* Non-zero coefficients of the sparse secret: with fewer keys are easier to attack (rlwe/security.h), with more the
 * integers that EvalMod takes away are larger than its forms hold. */
enum { WEIGHT = HB_SPARSE_WEIGHT };

uint32_t hb_ckks_own_levels(const hb_bootstrapping_spec *spec)
{
    return spec->eval_mod == HB_EVAL_MOD_NONE
               ? 0
               : hb_eval_mod_levels(hb_eval_mod_form_of(spec->eval_mod)) + spec->cts_levels;
}

hb_bootstrapping_levels hb_ckks_bootstrapping_levels(const hb_params_spec *spec)
{
    HB_ASSERT(hb_spec_can_bootstrap(spec));
    const hb_bootstrapping_spec *b = &spec->ckks.bootstrapping;
    const hb_eval_mod_form *form = hb_eval_mod_form_of(b->eval_mod);
    const uint32_t join = hb_ckks_levels(spec) - 1, eval_mod = join + hb_eval_mod_levels(form);
    return (hb_bootstrapping_levels){.stc = b->stc_levels,
                                     .out = join - hb_eval_mod_correction_levels(form),
                                     .join = join,
                                     .eval_mod = eval_mod,
                                     .top = eval_mod + b->cts_levels};
}

/* Checks that members which need bootstrapping are not set without it, and that the family has it. */
static hb_status check_family(const hb_params_spec *spec)
{
    const hb_bootstrapping_spec *b = &spec->ckks.bootstrapping;
    if ((uint32_t)b->eval_mod >= HB_EVAL_MODS) {
        return HB_FAIL(HB_ECONFIG, "bootstrapping has no form %d; there are 1, cubic, 2, sure, 3, light, and 4, fine",
                       (int)b->eval_mod);
    }
    if (b->eval_mod == HB_EVAL_MOD_NONE) {
        return b->stc_levels == 0 && b->cts_levels == 0 && b->sparse_weight == 0
                   ? HB_OK
                   : HB_FAIL(HB_ECONFIG,
                             "a sparse secret of weight %" PRIu32 " and maps of %" PRIu32 " and %" PRIu32
                             " levels are for bootstrapping alone, which this chain does not have",
                             b->sparse_weight, b->stc_levels, b->cts_levels);
    }
    if (spec->ckks.like_seal || hb_spec_level_limbs(spec) > 1) {
        return HB_FAIL(HB_ECONFIG, "chains %s have no bootstrapping: take levels of one prime of our own family",
                       spec->ckks.like_seal ? "like Microsoft SEAL's" : "whose levels have two primes");
    }
    return HB_OK;
}

/* Checks that there are stages of the transform for every map, and levels between two bootstraps. */
static hb_status check_levels(const hb_params_spec *spec)
{
    const hb_bootstrapping_spec *b = &spec->ckks.bootstrapping;
    const uint32_t stages = (uint32_t)__builtin_ctzll(spec->n) - 1;
    const uint32_t maps[] = {b->stc_levels, b->cts_levels};
    for (size_t i = 0; i < 2; i++) {
        if (maps[i] < 1 || maps[i] > stages) {
            return HB_FAIL(HB_ECONFIG,
                           "%s in %" PRIu32 " maps: at N = %zu there are %" PRIu32
                           " stages, each map has one or more, so 1 to %" PRIu32 " maps",
                           i == 0 ? "slots to coefficients" : "coefficients to slots", maps[i], spec->n, stages,
                           stages);
        }
    }
    const uint32_t data = hb_spec_data_limbs(spec),
                   correction = hb_eval_mod_correction_levels(hb_eval_mod_form_of(b->eval_mod)),
                   least = 1 + b->stc_levels + 1 + correction + hb_ckks_own_levels(b);
    return data >= least
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "of %" PRIu32 " primes beside the special ones bootstrapping leaves no level to compute on; "
                         "the least is %" PRIu32 ": take more",
                         data, least);
}

/* Checks the primes above those of users: values modulo q_0 have their full size there, so that a prime of half that
 * size would add a rounding error of that size to every result. */
static hb_status check_primes(const hb_params_spec *spec)
{
    const uint32_t data = hb_spec_data_limbs(spec), maps = data - spec->ckks.bootstrapping.cts_levels;
    for (uint32_t i = hb_ckks_levels(spec); i < data; i++) {
        const bool in_map = i >= maps;
        const uint64_t q = spec->primes[i],
                       least = in_map ? (uint64_t)1 << spec->ckks.scale_bits : spec->primes[0] / 2 + 1;
        if (q < least) {
            return HB_FAIL(HB_ECONFIG,
                           "prime q_%" PRIu32 " = %" PRIu64 " is of %s and not above %s; the nearest that is: %" PRIu64,
                           i, q, in_map ? "the maps from coefficients to slots" : "EvalMod",
                           in_map ? "the scale" : "half of q_0",
                           hb_params_nearest_prime(spec, q, 2 * (uint64_t)spec->n, least,
                                                   ((uint64_t)1 << HB_CKKS_PRIME_BITS) - 1));
        }
    }
    return HB_OK;
}

uint32_t hb_ckks_sparse_bits(const hb_params_spec *spec)
{
    hb_natural modulus;
    hb_natural_set(&modulus, spec->primes[0]);
    hb_natural_mul_add(&modulus, spec->primes[hb_spec_data_limbs(spec)], 0);
    return hb_natural_bits(&modulus);
}

static hb_status check_sparse(const hb_params_spec *spec, hb_params_facts *facts)
{
    const uint32_t weight = spec->ckks.bootstrapping.sparse_weight;
    if (weight != WEIGHT) {
        return HB_FAIL(HB_ECONFIG,
                       "a sparse secret of %" PRIu32 " coefficients that are not 0: bootstrapping has %d, with fewer "
                       "keys are easier to attack, with more EvalMod fails",
                       weight, WEIGHT);
    }
    const uint32_t bits = hb_ckks_sparse_bits(spec), limit = hb_security_sparse_limit(spec->security, spec->n);
    if (bits <= limit) {
        return HB_OK;
    }
    facts->insecure = true;
    return spec->insecure
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "insecure: keys of the sparse secret, of weight %d, are modulo q_0 and the first special "
                         "prime, of %" PRIu32 " bits together, and for %" PRIu32
                         "-bit security (%s) at N = %zu %" PRIu32 " are known to be safe (--insecure lifts this rule)",
                         WEIGHT, bits, spec->security.level, hb_security_model(spec->security), spec->n, limit);
}

hb_status hb_ckks_check_bootstrapping(const hb_params_spec *spec, hb_params_facts *facts)
{
    HB_TRY(check_family(spec));
    if (!hb_spec_can_bootstrap(spec)) {
        return HB_OK;
    }
    HB_TRY(check_levels(spec));
    HB_TRY(check_primes(spec));
    return check_sparse(spec, facts);
}
