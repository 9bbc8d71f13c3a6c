/* Naive oracles: the definitions, written as slowly and as plainly as possible, sharing no code with src. */
#ifndef HB_TESTS_SLOW_H
#define HB_TESTS_SLOW_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 slow_wide;

static inline uint64_t slow_mul(uint64_t a, uint64_t b, uint64_t m)
{
    return (uint64_t)((slow_wide)a * b % m);
}

static inline uint64_t slow_pow(uint64_t base, uint64_t exponent, uint64_t m)
{
    uint64_t r = 1 % m;
    for (; exponent != 0; exponent >>= 1, base = slow_mul(base, base, m)) {
        r = (exponent & 1) ? slow_mul(r, base, m) : r;
    }
    return r;
}

/* The polynomial x at a point, Horner. */
static inline uint64_t slow_evaluate(const uint64_t *x, size_t n, uint64_t point, uint64_t m)
{
    uint64_t r = 0;
    for (size_t j = n; j-- > 0;) {
        r = (uint64_t)(((slow_wide)slow_mul(r, point, m) + x[j]) % m);
    }
    return r;
}

/* Bits of i in reverse order. */
static inline size_t slow_reverse(size_t i, uint32_t bits)
{
    size_t r = 0;
    while (bits-- > 0) {
        r = 2 * r + (i & 1);
        i /= 2;
    }
    return r;
}

/* A reproducible stream of words (splitmix64), for test data only. */
static inline uint64_t slow_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u); /* 2^64 / golden ratio */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* sum c_k T_k at x, k <= degree, by the recurrence of T_k. */
static inline double slow_chebyshev(const double *c, uint32_t degree, double x)
{
    double before = 1, last = x, sum = c[0] + (degree > 0 ? c[1] * x : 0);
    for (uint32_t k = 2; k <= degree; k++) {
        const double next = 2 * x * last - before;
        before = last;
        last = next;
        sum += c[k] * next;
    }
    return sum;
}

#endif
