/* Random literals of reals: chains whose primes are above and below their scale, as far as the rules allow, like SEAL's
 * also farther and with scales that are no power of two, and special primes of any size. */
#ifndef HB_TESTS_RANDOM_CHAIN_H
#define HB_TESTS_RANDOM_CHAIN_H

#include "base/prime.h"
#include "real_values.h"

/* Returns a prime = 1 mod 2n that the chain does not have, the next from a number near 2^bits on. */
static inline uint64_t chain_prime(const hb_params_spec *spec, double bits)
{
    const uint64_t step = 2 * (uint64_t)spec->n;
    uint64_t prime = (uint64_t)exp2(bits) / step * step + 1;
    for (bool had = true; had;) {
        had = false;
        do {
            prime += step;
        } while (!hb_is_prime(prime));
        for (uint32_t i = 0; i < spec->key_limbs; i++) {
            had |= spec->primes[i] == prime;
        }
    }
    return prime;
}

static inline double chain_between(real_world *w, double low, double high)
{
    return low + (high - low) * real_random(w);
}

/* Returns a chain of 2 to 6 levels. How far primes are from the scale is drawn for each chain: all on one side of it,
 * or on both, near it or as far as they may be. */
static inline hb_params_spec chain_random(real_world *w, bool like_seal)
{
    const double scale = floor(chain_between(w, like_seal ? 25 : 34, 44)), most = like_seal ? 59.9 : 49.9;
    const double near = real_choice(w, 2) == 0 ? 0.99 : exp2(-12 * real_random(w)),
                 far = like_seal && real_choice(w, 3) == 0 ? 5 * real_random(w) : near;
    const uint32_t side = real_choice(w, 3), levels = 2 + real_choice(w, 5);
    hb_params_spec spec = {.scheme = HB_CKKS,
                           .n = 1024,
                           .special_limbs = 1,
                           .digit_limbs = 1,
                           .insecure = true,
                           .security = {.level = 128},
                           .ckks = {.scale_bits = (uint32_t)scale, .like_seal = like_seal}};
    for (uint32_t l = 0; l < levels; l++) {
        const double low = side == 0 ? 0 : -far, high = side == 1 ? 0 : far;
        const double bits =
            l == 0 ? chain_between(w, fmin(scale + 4, most - 1), most - 0.5) : scale + chain_between(w, low, high);
        spec.primes[spec.key_limbs] = chain_prime(&spec, bits);
        spec.key_limbs++;
    }
    /* Only like SEAL's it may be shorter than a digit. */
    const double least = like_seal ? fmax(scale, 33) : log2((double)spec.primes[0]) + 0.1;
    spec.primes[spec.key_limbs] = chain_prime(&spec, chain_between(w, least, most));
    spec.key_limbs++;
    if (like_seal && real_choice(w, 3) == 0) { /* of the highest level or one below */
        spec.ckks.stated_limbs = 1 + real_choice(w, levels);
        spec.ckks.stated_scale = exp2(scale + chain_between(w, -1, 1));
    }
    return spec;
}

#endif
