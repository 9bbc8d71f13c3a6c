/* The Chinese remainder theorem with GMP: big integers and their residues in a batch. */
#ifndef HB_TESTS_CRT_H
#define HB_TESTS_CRT_H

#include <gmp.h>

#include "reference/toy.h"

/* Q = product of the moduli of b's first `limbs` limbs. q: initialised. */
static inline void crt_product(const toy *t, hb_batch b, uint32_t limbs, mpz_t q)
{
    mpz_set_ui(q, 1);
    for (uint32_t l = 0; l < limbs; l++) {
        mpz_mul_ui(q, q, toy_modulus(t, b, l));
    }
}

/* qhat_i = Q / q_i, and its inverse modulo q_i. */
static inline uint64_t crt_punctured(const mpz_t q, uint64_t q_i, mpz_t punctured)
{
    mpz_t inverse, m;
    mpz_init(inverse);
    mpz_init_set_ui(m, q_i);
    mpz_divexact_ui(punctured, q, q_i);
    assert_true(mpz_invert(inverse, punctured, m) != 0);
    uint64_t result = mpz_get_ui(inverse);
    mpz_clears(inverse, m, (mpz_ptr)NULL);
    return result;
}

/* An integer in [0, Q): near 0, near Q/2, near Q, or anywhere, also small or close to Q as fresh noise is. */
static inline void crt_random(mpz_t x, const mpz_t q, uint64_t *state)
{
    mpz_set_ui(x, 0);
    for (size_t bits = 0; bits < mpz_sizeinbase(q, 2) + 64; bits += 64) {
        mpz_mul_2exp(x, x, 64);
        mpz_add_ui(x, x, slow_random(state));
    }
    uint64_t choice = slow_random(state) % 8;
    if (choice < 3) {
        mpz_mul_ui(x, q, choice);
        mpz_fdiv_q_2exp(x, x, 1);                                      /* 0, floor(Q/2), Q */
        mpz_add_ui(x, x, slow_random(state) % 5), mpz_sub_ui(x, x, 2); /* and at most 2 away */
    } else if (choice < 5) {
        mpz_fdiv_q_2exp(x, x, 64 + slow_random(state) % mpz_sizeinbase(q, 2));
        if (choice == 4) {
            mpz_neg(x, x);
        }
    }
    mpz_mod(x, x, q);
}

/* Coefficient j of polynomial c of b becomes x. */
static inline void crt_put(const toy *t, hb_batch b, size_t c, size_t j, const mpz_t x)
{
    for (uint32_t l = 0; l < b.limbs; l++) {
        *toy_at(t, b, c, l, j) = mpz_fdiv_ui(x, toy_modulus(t, b, l));
    }
}

#endif
