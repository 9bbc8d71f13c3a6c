/* Between hb_natural and GMP, and big integers made of random words. */
#ifndef HB_TESTS_BIG_H
#define HB_TESTS_BIG_H

#include <gmp.h>

#include "base/natural.h"
#include "reference/slow.h"

_Static_assert(sizeof(unsigned long) == sizeof(uint64_t), "GMP's _ui functions take one word");

/* z = a; false if a is not in its normal form. */
static inline int big_from_natural(mpz_t z, const hb_natural *a)
{
    mpz_import(z, a->words, -1, sizeof(uint64_t), 0, 0, a->word);
    return a->words <= HB_NATURAL_WORDS && (a->words == 0 || a->word[a->words - 1] != 0);
}

static inline void big_to_natural(hb_natural *a, const mpz_t z)
{
    size_t words = 0;
    mpz_export(a->word, &words, -1, sizeof(uint64_t), 0, 0, z); /* z fits: the caller's business */
    a->words = (uint32_t)words;
}

static inline int big_equals(const mpz_t z, const hb_natural *a)
{
    mpz_t value;
    mpz_init(value);
    int equal = big_from_natural(value, a) && mpz_cmp(z, value) == 0;
    mpz_clear(value);
    return equal;
}

/* A word that is 0, 1, all ones or a power of two as often as it is random. */
static inline uint64_t big_random_word(uint64_t *state)
{
    const uint64_t w = slow_random(state);
    const uint64_t edges[] = {0, 1, UINT64_MAX, (uint64_t)1 << (w >> 58)};
    return w & 1 ? edges[(w >> 1) % 4] : slow_random(state);
}

static inline void big_random(mpz_t z, uint32_t words, uint64_t *state)
{
    mpz_set_ui(z, 0);
    for (uint32_t i = 0; i < words; i++) {
        mpz_mul_2exp(z, z, 64);
        mpz_add_ui(z, z, big_random_word(state));
    }
}

#endif
