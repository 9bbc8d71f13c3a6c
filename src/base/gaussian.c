#include "gaussian.h"

#include <math.h>

#include "bits.h"
#include "sample.h"

/* round(2^64 P(x <= i)), of probabilities in proportion to 2^-x^2. */
static const uint64_t narrow_thresholds[] = {UINT64_C(0xa3a2446c95b5b00a), UINT64_C(0xf57366a2e090880e),
                                             UINT64_C(0xffad8ae9a9ebe30f), UINT64_C(0xffff5c0be036bde7),
                                             UINT64_C(0xffffffae24a3539d), UINT64_C(0xfffffffff5c589e7),
                                             UINT64_C(0xffffffffffffae2e), UINT64_C(0xffffffffffffffff)};
#define THRESHOLDS (sizeof narrow_thresholds / sizeof *narrow_thresholds)

/* The standard deviation of x with both signs, 1 / sqrt(2 ln 2). */
static const double narrow_sigma = 0.8493218002880191;

/* Words that one number takes: x, y, and with its sign whether it is taken. */
enum { WORDS = 3, NUMBERS = 256 };

/* Terms of the series of 2^-r about r = 1/2; those after them are below 2^-60. */
enum { TERMS = 15 };

typedef struct wide_gaussian {
    uint64_t k;
    hb_acceptance below_k;
    double inverse; /* 1 / k */
    double terms[TERMS];
} wide_gaussian;

static uint64_t width(double sigma)
{
    HB_ASSERT(sigma >= 1 && sigma <= HB_WIDE_GAUSSIAN_MOST);
    return (uint64_t)ceil(sigma / narrow_sigma);
}

static wide_gaussian wide_gaussian_of(double sigma)
{
    wide_gaussian g = {.k = width(sigma)};
    g.below_k = hb_accept_uniform(g.k, hb_bit_length(g.k - 1));
    g.inverse = 1 / (double)g.k;
    g.terms[0] = sqrt(0.5);
    for (int i = 1; i < TERMS; i++) {
        g.terms[i] = -g.terms[i - 1] * log(2) / i;
    }
    return g;
}

/* Returns 2^63 2^-e for e in [0, 64): without the library's function, whose table accesses depend on e. Doubles become
 * signed integers, as the conversion to unsigned ones takes a branch on some processors. */
static uint64_t power(const wide_gaussian *g, double e)
{
    const int64_t whole = (int64_t)e;
    const double t = e - (double)whole - 0.5;
    double sum = 0;
    for (int i = TERMS; i-- > 0;) {
        sum = sum * t + g->terms[i];
    }
    return 2 * (uint64_t)(int64_t)(sum * 0x1p62) >> whole;
}

/* Sets *out to the number that the words say; returns 1 if it is taken, else 0. A function of its own, which has no
 * branch on words: that of who calls it is known (tests/constant_time). */
static __attribute__((noinline)) uint64_t try(const wide_gaussian *g, const uint64_t words[WORDS], int64_t *out)
{
    uint64_t x = 0;
    for (size_t i = 0; i < THRESHOLDS; i++) {
        x += words[0] >= narrow_thresholds[i];
    }
    const uint64_t y = words[1] & g->below_k.mask;
    const double f = (double)(int64_t)y * g->inverse; /* y < 2^59 */
    const uint64_t below = (words[2] >> 1) < power(g, f * (f + 2 * (double)(int64_t)x));
    const uint64_t sign = words[2] & 1, magnitude = g->k * x + y;
    *out = (int64_t)((magnitude ^ (0 - sign)) + sign);
    return (uint64_t)hb_accepts(g->below_k, words[1]) & below & ((magnitude != 0) | (sign ^ 1));
}

void hb_wide_gaussian(int64_t *out, size_t count, double sigma, hb_draw draw)
{
    const wide_gaussian g = wide_gaussian_of(sigma);
    uint64_t words[NUMBERS][WORDS];
    size_t made = 0;
    for (uint32_t attempt = 0; made < count; attempt++) {
        hb_keystream((uint8_t *)words, sizeof words, draw, attempt);
        for (size_t i = 0; i < NUMBERS && made < count; i++) {
            int64_t number;
            const uint64_t taken = try(&g, words[i], &number);
            out[made] = number;
            made += (size_t)taken;
        }
    }
    hb_wipe(words, sizeof words);
}
