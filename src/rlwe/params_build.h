/* The steps by which a scheme makes its parameters (bfv/params.c): checks, then init, then levels, then switching. */
#ifndef HB_RLWE_PARAMS_BUILD_H
#define HB_RLWE_PARAMS_BUILD_H

#include "params.h"

/* The findings of the checks. */
typedef struct hb_params_facts {
    uint32_t chain_bits; /* bits of the product of all primes */
    bool insecure;       /* the chain exceeds its row of the table, and spec->insecure permits that */
} hb_params_facts;

/* A named literal. */
typedef struct hb_preset {
    const char *name;
    hb_params_spec spec;
} hb_preset;

/* Gets preset i of a scheme's list: its name and its literal, either of which may be NULL. Returns false after the last
 * one. */
bool hb_preset_get(const hb_preset *presets, size_t count, size_t i, const char **name, hb_params_spec *spec);

/* Makes all checks of a spec except the scheme's own; nothing in it is trusted. HB_ECONFIG at the first that fails,
 * naming the rule, the value and the nearest legal choice. */
hb_status hb_params_check(const hb_params_spec *spec, hb_params_facts *facts);

/* Returns the product of primes first .. first + count - 1 of the chain; 1 of none. */
hb_natural hb_params_primes_product(const hb_params_spec *spec, uint32_t first, uint32_t count);
/* Returns whether a digit of so many data primes from `first` on is HB_DIGIT_SPARE_BITS shorter than the special
 * primes: 2^HB_DIGIT_SPARE_BITS times its product is no more than theirs. Primes have at most 61 bits. */
static inline bool hb_spec_digit_is_short(const hb_params_spec *spec, uint32_t first, uint32_t limbs)
{
    const uint32_t data = hb_spec_data_limbs(spec);
    const hb_natural special = hb_params_primes_product(spec, data, spec->key_limbs - data);
    hb_natural digit = hb_params_primes_product(spec, first, limbs);
    hb_natural_mul_add(&digit, (uint64_t)1 << HB_DIGIT_SPARE_BITS, 0);
    return hb_natural_compare(&digit, &special) <= 0;
}

/* Returns the prime = 1 mod step in [low, high] that is nearest to value and not in the chain; 0: there is none. step
 * >= 1, 2 <= low, high < 2^61. For the advice in refusals. */
uint64_t hb_params_nearest_prime(const hb_params_spec *spec, uint64_t value, uint64_t step, uint64_t low,
                                 uint64_t high);

/* Copies a checked spec into a zeroed object and makes the ring of its chain, to which the scheme may add moduli. From
 * here on the caller calls hb_params_clear, also after a failure. */
hb_status hb_params_init(hb_params *params, const hb_params_spec *spec, const hb_params_facts *facts);
/* Makes the levels whose product exceeds `above`: the others do not exist. Fresh ciphertexts live on the primes that
 * are not special; where one is special, on all K if K = 1 or if the level of K - 1 does not exist. HB_ECONFIG where
 * several are and the level of the others does not exist. */
hb_status hb_params_init_levels(hb_params *params, const hb_natural *above);
/* After the scheme has chosen auxiliary primes: makes the tables of key switching on them, limbs undivided. HB_ECONFIG,
 * HB_ENOMEM. */
hb_status hb_params_init_switching(hb_params *params);
/* Names the object: a literal equal to a preset of the scheme has its name, however it was written; others are
 * "custom". */
void hb_params_make_name(hb_params *params, bool (*preset)(size_t i, const char **name, hb_params_spec *spec),
                         bool (*same)(const hb_params_spec *a, const hb_params_spec *b));
/* Frees the memory of the object, not the object. */
void hb_params_clear(hb_params *params);

#endif
