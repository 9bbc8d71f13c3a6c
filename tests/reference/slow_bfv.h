/* BFV's operations on integers, as semantics.md defines them, with GMP and schoolbook products. Needs no auxiliary
 * base. */
#ifndef HB_TESTS_SLOW_BFV_H
#define HB_TESTS_SLOW_BFV_H

#include <gmp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reference/slow.h"

/* The primes of one level, or of a level and the special prime. */
typedef struct slow_base {
    const uint64_t *primes;
    uint32_t k;
    mpz_t q;
} slow_base;

static inline void slow_base_init(slow_base *b, const uint64_t *primes, uint32_t k)
{
    *b = (slow_base){.primes = primes, .k = k};
    mpz_init_set_ui(b->q, 1);
    for (uint32_t i = 0; i < k; i++) {
        mpz_mul_ui(b->q, b->q, primes[i]);
    }
}

static inline void slow_base_clear(slow_base *b)
{
    mpz_clear(b->q);
}

static inline mpz_t *slow_integers(size_t count)
{
    mpz_t *x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++) {
        mpz_init(x[i]);
    }
    return x;
}

static inline void slow_integers_free(mpz_t *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mpz_clear(x[i]);
    }
    free(x);
}

/* S(x) = sum_i [x factor / qhat_i]_{q_i} qhat_i: semantics.md 0. s is not x. */
static inline void slow_conversion(mpz_t s, const mpz_t x, uint64_t factor, const slow_base *b)
{
    mpz_t punctured, y, m;
    mpz_inits(punctured, y, m, NULL);
    mpz_set_ui(s, 0);
    for (uint32_t i = 0; i < b->k; i++) {
        mpz_set_ui(m, b->primes[i]);
        mpz_divexact(punctured, b->q, m);
        mpz_invert(y, punctured, m);
        mpz_mul(y, y, x);
        mpz_mul_ui(y, y, factor);
        mpz_mod(y, y, m);
        mpz_addmul(s, y, punctured);
    }
    mpz_clears(punctured, y, m, NULL);
}

/* a in [0, Q) from its residues, `step` words apart. */
static inline void slow_compose(mpz_t a, const uint64_t *residues, size_t step, const slow_base *b)
{
    mpz_t one, term, m;
    mpz_inits(one, term, m, NULL);
    mpz_set_ui(a, 0);
    for (uint32_t i = 0; i < b->k; i++) {
        mpz_set_ui(m, b->primes[i]);
        mpz_divexact(term, b->q, m);
        mpz_invert(one, term, m);
        mpz_mul_ui(one, one, residues[i * step]);
        mpz_mod(one, one, m);
        mpz_addmul(a, one, term);
    }
    mpz_mod(a, a, b->q);
    mpz_clears(one, term, m, NULL);
}

/* The small representative of a that multiplication works with (6.2, step 1). */
static inline void slow_lift(mpz_t r, const mpz_t a, const slow_base *b)
{
    mpz_t s, word, k;
    mpz_inits(s, word, k, NULL);
    mpz_set_ui(word, (uint64_t)1 << 32);
    slow_conversion(s, a, (uint64_t)1 << 32, b);
    mpz_invert(k, b->q, word);
    mpz_mul(k, k, s);
    mpz_neg(k, k);
    mpz_mod(k, k, word);
    if (mpz_cmp_ui(k, (uint64_t)1 << 31) >= 0) {
        mpz_sub(k, k, word);
    }
    mpz_addmul(s, k, b->q);
    mpz_divexact(r, s, word);
    mpz_clears(s, word, k, NULL);
}

/* w = (t d - S(t d mod Q)) / Q (6.2, steps 3 and 4). */
static inline void slow_floor(mpz_t w, const mpz_t d, uint64_t t, const slow_base *b)
{
    mpz_t y, s;
    mpz_inits(y, s, NULL);
    mpz_mul_ui(y, d, t);
    slow_conversion(s, y, 1, b);
    mpz_sub(y, y, s);
    mpz_divexact(w, y, b->q);
    mpz_clears(y, s, NULL);
}

/* r += a b modulo X^n + 1, over the integers. */
static inline void slow_product(mpz_t *r, mpz_t *a, mpz_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            (i + j < n ? mpz_addmul : mpz_submul)(r[(i + j) % n], a[i], b[j]);
        }
    }
}

/* r = a(X^element), modulo X^n + 1 and q; r and a do not overlap. */
static inline void slow_automorphism(mpz_t *r, mpz_t *a, size_t n, uint32_t element, const mpz_t q)
{
    for (size_t i = 0; i < n; i++) {
        const size_t to = i * element % (2 * n);
        (to < n ? mpz_set : mpz_neg)(r[to % n], a[i]);
        mpz_mod(r[to % n], r[to % n], q);
    }
}

/* x = floor((x + floor(p / 2)) / p) (6.7). */
static inline void slow_divide(mpz_t x, uint64_t p)
{
    mpz_add_ui(x, x, p / 2);
    mpz_fdiv_q_ui(x, x, p);
}

/* The term that a coefficient of a plaintext adds: floor((Q m + floor((t + 1) / 2)) / t) (4.4). */
static inline void slow_scaled(mpz_t v, uint64_t m, uint64_t t, const mpz_t q)
{
    mpz_mul_ui(v, q, m);
    mpz_add_ui(v, v, t / 2 + t % 2);
    mpz_fdiv_q_ui(v, v, t);
}

#endif
