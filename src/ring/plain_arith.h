/* One coefficient between the plaintext and the ciphertext moduli, on either engine: scaling the message up
 * (semantics.md 4.4), a plaintext as a factor (semantics.md 6.6) and the last step of decryption (semantics.md 5).
 * Loops use local copies of moduli and constants: the compiler must assume that a loop's stores change the
 * originals. */
#ifndef HB_RING_PLAIN_ARITH_H
#define HB_RING_PLAIN_ARITH_H

#include "base/modarith.h"

/* Returns fix = floor((r x + h) / t), below t, for a message x < t < 2^50, r < t, h = floor((t + 1) / 2). With q =
 * round(r x / t): r x - q t is within 3t/4 (r x / t < 2^50), so s = r x - q t + h is in [-3t/4, 5t/4 + 1/2] and floor(s
 * / t) is -1, 0 or 1. */
HB_FN uint64_t hb_plain_fix_f64(uint64_t x, uint64_t r, uint64_t h, const hb_modulus *t)
{
    const double factor = hb_f64_from_word(r), message = hb_f64_from_word(x);
    const double high = factor * message;
    const double low = fma(factor, message, -high);
    const double q = hb_f64_round_product(high, t->f64_inverse);
    const uint64_t s = hb_f64_to_word(fma(-q, t->f64_value, high) + low + hb_f64_from_word(h));
    return hb_f64_to_word(q) + 1 - ((s - t->value) >> 63) - (s >> 63); /* + 1 - (s < t) - (s < 0) */
}

/* Returns the same for any t, by Shoup's quotient of r, one too small at most: r x - q t < t (1 + x / 2^64) with x < t
 * < 2^61, and h <= (t + 1) / 2, so s = r x - q t + h is in [0, 2t). */
HB_FN uint64_t hb_plain_fix(uint64_t x, uint64_t r, uint64_t r_quotient, uint64_t h, uint64_t t)
{
    const uint64_t q = hb_mul_high(x, r_quotient);
    return q + hb_at_least(x * r - q * t + h, t);
}

/* Returns c + delta x + fix mod q; c, delta < q. x, fix < t < 2^50 and q < 2^50: delta x / q < 2^50, so the product is
 * within 3q/4 and the sum of the three below 2.75 * 2^50, an exact double whose quotient by q >= 2 is below 2^51. */
HB_FN uint64_t hb_plain_add_scaled_f64(uint64_t c, uint64_t x, uint64_t fix, uint64_t delta, const hb_modulus *q)
{
    const double product = hb_f64_mul(hb_f64_from_word(x), hb_f64_from_word(delta), q->f64_value, q->f64_inverse);
    const double sum = product + hb_f64_from_word(fix) + hb_f64_from_word(c);
    return hb_f64_residue(hb_f64_reduce(sum, q->f64_value, q->f64_inverse), q->value);
}

/* Returns the same for any moduli: the sum is below 2^122 + 2^62. */
HB_FN uint64_t hb_plain_add_scaled(uint64_t c, uint64_t x, uint64_t fix, uint64_t delta, const hb_modulus *q)
{
    return hb_mod_reduce_wide((hb_u128)x * delta + fix + c, q);
}

/* Returns c - (delta x + fix) mod q = -(-c + delta x + fix). */
HB_FN uint64_t hb_plain_subtract_scaled_f64(uint64_t c, uint64_t x, uint64_t fix, uint64_t delta, const hb_modulus *q)
{
    return hb_mod_negate(hb_plain_add_scaled_f64(hb_mod_negate(c, q), x, fix, delta, q), q);
}

/* Returns the lift of x < t, of which `residue` is x mod q: x - t from `half` on (half = t: never). minus_t = -t mod
 * q. */
HB_FN uint64_t hb_plain_lift_word(uint64_t residue, uint64_t x, uint64_t half, uint64_t minus_t, uint64_t q)
{
    return hb_correct(residue + (minus_t & (0 - hb_at_least(x, half))), q);
}

/* The factors of hb_gamma_word, with Shoup's quotients: -1/Q mod t, -1/Q mod gamma, 1/gamma mod t. */
typedef struct hb_gamma_factors {
    uint64_t q_t, q_t_quotient, q_gamma, q_gamma_quotient, gamma_t, gamma_t_quotient;
} hb_gamma_factors;

/* Returns those factors from -1/Q modulo t and gamma, and 1/gamma modulo t. */
HB_FN hb_gamma_factors hb_gamma_factors_of(const uint64_t negative_inverse_q[2], uint64_t inverse_gamma, uint64_t t,
                                           uint64_t gamma)
{
    const hb_gamma_factors f = {negative_inverse_q[0], hb_shoup_quotient(negative_inverse_q[0], t),
                                negative_inverse_q[1], hb_shoup_quotient(negative_inverse_q[1], gamma),
                                inverse_gamma,         hb_shoup_quotient(inverse_gamma, t)};
    return f;
}

/* Returns the message word: with s_t = a_t (-1/Q) mod t and s_g = a_g (-1/Q) mod gamma, and g the centred s_g, it is
 * (s_t - g) / gamma mod t. g is handled as its sign and magnitude. gamma has 61 bits, so there is nothing for FP64
 * here. */
HB_FN uint64_t hb_gamma_word(uint64_t a_t, uint64_t a_g, const hb_gamma_factors *f, const hb_modulus *t, uint64_t gamma)
{
    const uint64_t s_t = hb_mul_shoup_lazy(a_t, f->q_t, f->q_t_quotient, t->value);
    const uint64_t s_g = hb_mul_shoup(a_g, f->q_gamma, f->q_gamma_quotient, gamma);
    const uint64_t negative = 0 - hb_at_least(s_g, gamma / 2 + 1);          /* all ones or zero */
    const uint64_t magnitude = (s_g ^ negative) + ((gamma + 1) & negative); /* gamma - s_g = ~s_g + 1 + gamma */
    const uint64_t g = hb_mod_reduce(magnitude, t);
    const uint64_t minus_g = (g & negative) | ((t->value - g) & ~negative);
    /* s_t in [0, 2t), minus_g in [0, t]: any word may enter the last product */
    return hb_mul_shoup(s_t + minus_g, f->gamma_t, f->gamma_t_quotient, t->value);
}

#endif
