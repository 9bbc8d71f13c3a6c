#include "chain.h"

#include <inttypes.h>

#include "eval_mod.h"

/* Non-zero coefficients of the sparse secret: with fewer keys are easier to attack (rlwe/security.h), with more the
 * integers that EvalMod takes away are larger than its forms hold. */
enum { WEIGHT = HB_SPARSE_WEIGHT };

/* Primes of chains that bootstrap are below this: the FP64 path takes them. Maps of integers have primes above 2^40. */
enum { FP64_BITS = 50, LEAST_MAP_BITS = 40 };
#define FP64_END ((uint64_t)1 << FP64_BITS)

uint32_t hb_bootstrapping_own_levels(const hb_bootstrapping_spec *spec)
{
    return spec->eval_mod == HB_EVAL_MOD_NONE
               ? 0
               : hb_eval_mod_levels(hb_eval_mod_form_of(spec->eval_mod)) + spec->cts_levels;
}

/* Returns the levels that undo the sine; tables may take more. */
static uint32_t correction_levels(const hb_bootstrapping_spec *spec)
{
    return spec->table_levels > 0 ? spec->table_levels
                                  : hb_eval_mod_correction_levels(hb_eval_mod_form_of(spec->eval_mod));
}

hb_bootstrapping_levels hb_bootstrapping_levels_of(const hb_params_spec *spec)
{
    HB_ASSERT(hb_spec_can_bootstrap(spec));
    const hb_bootstrapping_spec *b = &spec->bootstrapping;
    const uint32_t top = hb_spec_data_limbs(spec) - 1, eval_mod = top - b->cts_levels,
                   join = top - hb_bootstrapping_own_levels(b), out = join - correction_levels(b),
                   coefficients = hb_bootstrapping_of_integers(b) ? out - b->stc_levels : 0;
    return (hb_bootstrapping_levels){.coefficients = coefficients,
                                     .stc = coefficients + b->stc_levels,
                                     .out = out,
                                     .join = join,
                                     .eval_mod = eval_mod,
                                     .top = top};
}

hb_bootstrapping_levels hb_bootstrapping_lowest_levels_of(const hb_params_spec *spec)
{
    hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(spec);
    HB_ASSERT(!hb_bootstrapping_of_integers(&spec->bootstrapping) && levels.out >= spec->bootstrapping.stc_levels);
    levels.stc = levels.out;
    levels.coefficients = levels.out - spec->bootstrapping.stc_levels;
    return levels;
}

/* Tables have polynomials of their own for the integers that one form holds; they stand in the place of the levels that
 * undo the sine, which noise still takes. */
static hb_status check_tables(const hb_params_spec *spec)
{
    const hb_bootstrapping_spec *b = &spec->bootstrapping;
    if (b->table_levels == 0) {
        return HB_OK;
    }
    if (!hb_bootstrapping_of_integers(b) || b->eval_mod != HB_EVAL_MOD_FINE) {
        return HB_FAIL(HB_ECONFIG,
                       "%" PRIu32 " levels of tables: only chains of integers of the form fine have levels of tables",
                       b->table_levels);
    }
    const uint32_t least = hb_eval_mod_correction_levels(hb_eval_mod_form_of(b->eval_mod));
    return b->table_levels >= least && b->table_levels <= HB_TABLE_MOST_BITS
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "%" PRIu32 " levels of tables: there are %" PRIu32 " to %d, one for each bit of the integers",
                         b->table_levels, least, HB_TABLE_MOST_BITS);
}

/* Checks that members which need bootstrapping are not set without it, and that the family has it. */
static hb_status check_family(const hb_params_spec *spec)
{
    const hb_bootstrapping_spec *b = &spec->bootstrapping;
    if ((uint32_t)b->eval_mod >= HB_EVAL_MODS) {
        return HB_FAIL(HB_ECONFIG,
                       "bootstrapping has no form %d; there are 1, cubic, 2, sure, 3, light, 4, fine, and 5, fine-sure",
                       (int)b->eval_mod);
    }
    if (b->eval_mod == HB_EVAL_MOD_NONE) {
        return b->stc_levels == 0 && b->cts_levels == 0 && b->sparse_weight == 0 && b->scale_bits == 0 &&
                       b->table_levels == 0
                   ? HB_OK
                   : HB_FAIL(HB_ECONFIG, "numbers of bootstrapping are given for a chain without its form");
    }
    if (hb_bootstrapping_of_integers(b) != (spec->scheme == HB_BFV)) {
        return HB_FAIL(HB_ECONFIG, "a scale of 2^%" PRIu32 " of the noise that is bootstrapped: %s", b->scale_bits,
                       spec->scheme == HB_BFV ? "chains of integers have one" : "chains of reals have none");
    }
    HB_TRY(check_tables(spec));
    if (spec->ckks.like_seal || hb_spec_level_limbs(spec) > 1) {
        return HB_FAIL(HB_ECONFIG, "chains %s have no bootstrapping: take levels of one prime of our own family",
                       spec->ckks.like_seal ? "like Microsoft SEAL's" : "whose levels have two primes");
    }
    return HB_OK;
}

/* Checks that there are stages of the transform for every map, and levels between two bootstraps. */
static hb_status check_levels(const hb_params_spec *spec)
{
    const hb_bootstrapping_spec *b = &spec->bootstrapping;
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
    /* Users of integers have q_0 and another prime. */
    const uint32_t data = hb_spec_data_limbs(spec),
                   least = 1 + b->stc_levels + 1 + correction_levels(b) + hb_bootstrapping_own_levels(b);
    return data >= least
               ? HB_OK
               : HB_FAIL(HB_ECONFIG,
                         "of %" PRIu32 " primes beside the special ones bootstrapping leaves no level to compute on; "
                         "the least is %" PRIu32 ": take more",
                         data, least);
}

/* Checks the primes of EvalMod and above: values modulo q_0 have their full size there, so that a prime of half that
 * size would add a rounding error of that size to every result. */
static hb_status check_primes(const hb_params_spec *spec)
{
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(spec);
    const uint32_t scale_bits =
        hb_bootstrapping_of_integers(&spec->bootstrapping) ? LEAST_MAP_BITS : spec->ckks.scale_bits;
    for (uint32_t i = levels.join + 1; i <= levels.top; i++) {
        const bool in_map = i > levels.eval_mod;
        const uint64_t q = spec->primes[i], least = in_map ? (uint64_t)1 << scale_bits : spec->primes[0] / 2 + 1;
        if (q < least) {
            return HB_FAIL(HB_ECONFIG,
                           "prime q_%" PRIu32 " = %" PRIu64 " is of %s and not above %s; the nearest that is: %" PRIu64,
                           i, q, in_map ? "the maps from coefficients to slots" : "EvalMod",
                           !in_map                                              ? "half of q_0"
                           : hb_bootstrapping_of_integers(&spec->bootstrapping) ? "2^40"
                                                                                : "the scale",
                           hb_params_nearest_prime(spec, q, 2 * (uint64_t)spec->n, least, FP64_END - 1));
        }
    }
    return HB_OK;
}

/* Checks what chains of reals check for all of theirs: primes that the FP64 path takes and conversions between several
 * allow, and digits so much shorter than the special primes that a key switch leaves no more noise than a rounding. */
static hb_status check_integers(const hb_params_spec *spec)
{
    const uint64_t least = ((uint64_t)1 << 32) + 1;
    if (!hb_bootstrapping_of_integers(&spec->bootstrapping)) {
        return HB_OK;
    }
    if (spec->bootstrapping.scale_bits < LEAST_MAP_BITS || spec->bootstrapping.scale_bits >= FP64_BITS) {
        return HB_FAIL(HB_ECONFIG, "a scale of 2^%" PRIu32 " of the noise that is bootstrapped; it is 2^%d to 2^%d",
                       spec->bootstrapping.scale_bits, LEAST_MAP_BITS, FP64_BITS - 1);
    }
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        const uint64_t q = spec->primes[i];
        if (q >= FP64_END || q < least) {
            return HB_FAIL(HB_ECONFIG,
                           "prime q_%" PRIu32 " = %" PRIu64 " is not between 2^32 and 2^%d, as in all chains that "
                           "bootstrap; the nearest that is: %" PRIu64,
                           i, q, FP64_BITS,
                           hb_params_nearest_prime(spec, q, 2 * (uint64_t)spec->n, least, FP64_END - 1));
        }
    }
    const hb_digit_list digits = hb_digit_list_of(spec);
    for (uint32_t j = 0; j < digits.count; j++) {
        const uint32_t first = digits.first[j], limbs = digits.first[j + 1] - first;
        if (!hb_spec_digit_is_short(spec, first, limbs)) {
            return HB_FAIL(HB_ECONFIG,
                           "the primes of a digit of key switching from q_%" PRIu32
                           " on are not %d bits shorter than the special primes: take digits of fewer, or more special "
                           "ones",
                           first, HB_DIGIT_SPARE_BITS);
        }
    }
    return HB_OK;
}

uint32_t hb_bootstrapping_sparse_bits(const hb_params_spec *spec)
{
    hb_natural modulus;
    hb_natural_set(&modulus, spec->primes[0]);
    hb_natural_mul_add(&modulus, spec->primes[hb_spec_data_limbs(spec)], 0);
    return hb_natural_bits(&modulus);
}

static hb_status check_sparse(const hb_params_spec *spec, hb_params_facts *facts)
{
    const uint32_t weight = spec->bootstrapping.sparse_weight;
    if (weight != WEIGHT) {
        return HB_FAIL(HB_ECONFIG,
                       "a sparse secret of %" PRIu32 " coefficients that are not 0: bootstrapping has %d, with fewer "
                       "keys are easier to attack, with more EvalMod fails",
                       weight, WEIGHT);
    }
    const uint32_t bits = hb_bootstrapping_sparse_bits(spec), limit = hb_security_sparse_limit(spec->security, spec->n);
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

hb_status hb_bootstrapping_check(const hb_params_spec *spec, hb_params_facts *facts)
{
    HB_TRY(check_family(spec));
    if (!hb_spec_can_bootstrap(spec)) {
        return HB_OK;
    }
    HB_TRY(check_levels(spec));
    HB_TRY(check_primes(spec));
    HB_TRY(check_integers(spec));
    return check_sparse(spec, facts);
}
