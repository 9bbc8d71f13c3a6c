#include "chain_primes.h"

#include "rlwe/params_build.h"

static const uint64_t least_prime = ((uint64_t)1 << 32) + 1;

hb_prime_run hb_prime_run_longest(uint32_t bits, uint32_t count)
{
    const uint64_t most = ((uint64_t)1 << bits) - 1;
    return (hb_prime_run){most, most, count};
}

uint64_t hb_prime_run_step(size_t n)
{
    return n > (size_t)1 << 16 ? 2 * (uint64_t)n : (uint64_t)1 << 17;
}

hb_status hb_prime_run_take(hb_params_spec *chain, hb_params_spec *taken, uint64_t step, hb_prime_run run)
{
    for (uint32_t i = 0; i < run.count; i++) {
        const uint64_t prime = hb_params_nearest_prime(taken, run.target, step, least_prime, run.most);
        if (prime == 0 || chain->key_limbs == HB_MAX_LIMBS || taken->key_limbs == HB_MAX_LIMBS) {
            return HB_FAIL(HB_ECONFIG, "there are too few primes below 2^%d for such a chain",
                           64 - __builtin_clzll(run.most));
        }
        chain->primes[chain->key_limbs++] = prime;
        taken->primes[taken->key_limbs++] = prime;
    }
    return HB_OK;
}
