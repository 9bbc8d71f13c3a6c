#include "chain.h"

#include <inttypes.h>
#include <string.h>

#include "bootstrapping/eval_mod.h"
#include "bootstrapping/chain_primes.h"
#include "rlwe/params_build.h"

enum { MAPS = 3, MAP_BITS = 40, SCALE_BITS = 48, TOP_BITS = 48, DIGITS = 3 };
/* Below 2^49.999: q_0 is longer than any of EvalMod's, in which values modulo q_0 have their full size. */
static const uint64_t EVAL_MOD_PRIME = 0x3ff4a5bcc3825;

static hb_prime_run nearest(uint32_t bits, uint32_t count)
{
    return (hb_prime_run){(uint64_t)1 << bits, ((uint64_t)1 << HB_BFV_USER_PRIME_BITS) - 1, count};
}

/* Makes the chain with special primes of that rule and digits of so many primes. */
static hb_status make(hb_params_spec *spec, const hb_bfv_chain *chain, hb_prime_run special, uint32_t digit)
{
    const hb_eval_mod_form *form = hb_eval_mod_form_of(chain->eval_mod);
    const uint64_t step = hb_prime_run_step(spec->n);
    const hb_prime_run runs[] = {hb_prime_run_longest(HB_BFV_USER_PRIME_BITS, chain->user_limbs),
                                 nearest(MAP_BITS, MAPS),
                                 nearest(SCALE_BITS, hb_eval_mod_correction_levels(form)),
                                 {EVAL_MOD_PRIME, EVAL_MOD_PRIME, hb_eval_mod_levels(form)},
                                 nearest(TOP_BITS, MAPS)};
    hb_params_spec found = *spec, last = {0}, taken = {0};
    found.key_limbs = 0;
    HB_TRY(hb_prime_run_take(&last, &taken, step, special)); /* they are chosen first and stand at the end */
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        HB_TRY(hb_prime_run_take(&found, &taken, step, runs[i]));
    }
    memcpy(found.primes + found.key_limbs, last.primes, last.key_limbs * sizeof *last.primes);
    found.key_limbs += last.key_limbs;
    found.special_limbs = special.count;
    found.digit_limbs = digit;
    *spec = found;
    return HB_OK;
}

/* Returns whether digits are as long, and so as few, as wanted: the first one, of users' primes, ends early where it
 * would not be short enough beside the special primes. */
static bool digits_are_long(const hb_params_spec *spec, uint32_t digit)
{
    const hb_digit_list digits = hb_digit_list_of(spec);
    return digits.count <= DIGITS && digits.first[1] == digit;
}

hb_status hb_bfv_choose_chain(hb_params_spec *spec, const hb_bfv_chain *chain)
{
    const hb_eval_mod_form *form = hb_eval_mod_form_of(chain->eval_mod);
    const uint64_t data =
        (uint64_t)chain->user_limbs + 2 * MAPS + hb_eval_mod_correction_levels(form) + hb_eval_mod_levels(form);
    const uint64_t digit = (data + DIGITS - 1) / DIGITS;
    if (chain->user_limbs < 2 || data + digit + 1 > HB_MAX_LIMBS) {
        return HB_FAIL(HB_ECONFIG,
                       "%" PRIu32 " primes of users: a chain that bootstraps has 2 or more, and %d primes at most; it "
                       "would have %" PRIu64,
                       chain->user_limbs, HB_MAX_LIMBS, data + digit + 1);
    }
    hb_params_spec trial = *spec;
    trial.scheme = HB_BFV;
    trial.bootstrapping = (hb_bootstrapping_spec){.eval_mod = chain->eval_mod,
                                                  .stc_levels = MAPS,
                                                  .cts_levels = MAPS,
                                                  .sparse_weight = HB_SPARSE_WEIGHT,
                                                  .scale_bits = SCALE_BITS};
    HB_TRY(make(&trial, chain, hb_prime_run_longest(HB_BFV_USER_PRIME_BITS, (uint32_t)digit), (uint32_t)digit));
    if (!digits_are_long(&trial, (uint32_t)digit)) {
        const uint64_t bits = digit * HB_BFV_USER_PRIME_BITS + HB_DIGIT_SPARE_BITS, special = digit + 1;
        /* One bit more, as primes are near to their size from either side. */
        HB_TRY(make(&trial, chain, nearest((uint32_t)((bits + 1 + special - 1) / special), (uint32_t)special),
                    (uint32_t)digit));
    }
    *spec = trial;
    return HB_OK;
}
