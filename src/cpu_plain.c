/* Between plaintext and ciphertext moduli: scaling the message up, and the last step of decryption. */
#include "cpu_private.h"

/* 1 if x >= bound, else 0, without a branch; x < 2^63, 1 <= bound < 2^63. */
static inline uint64_t at_least(uint64_t x, uint64_t bound)
{
    return (bound - 1 - x) >> 63;
}

/* fix = floor((r m + h) / t), below t. With q = round(r m / t): r m - q t is within 3t/4 (r m / t < 2^50), so
 * s = r m - q t + h is in [-3t/4, 5t/4 + 1/2] and floor(s / t) is -1, 0 or 1. */
HB_CLONES static void fix_row_f64(uint64_t *fix, const uint64_t *plain, size_t n, const hb_scale_plain *constants,
                                  const hb_modulus *plain_modulus)
{
    const double t = plain_modulus->f64_value, inverse = plain_modulus->f64_inverse;
    const double r = hb_f64_from_word(constants->remainder), h = hb_f64_from_word(constants->half);
    const uint64_t value = plain_modulus->value;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        double m = hb_f64_from_word(plain[j]);
        double high = r * m;
        double low = fma(r, m, -high);
        double q = hb_f64_round_product(high, inverse);
        uint64_t s = hb_f64_to_word(fma(-q, t, high) + low + h);
        fix[j] = hb_f64_to_word(q) + 1 - ((s - value) >> 63) - (s >> 63); /* + 1 - (s < t) - (s < 0) */
    }
}

/* By Shoup's quotient of r, one too small at most: r m - q t < t (1 + m / 2^64) with m < t < 2^61, and h <= (t + 1)
 * / 2, so s = r m - q t + h is in [0, 2t). */
static void fix_row_integer(uint64_t *fix, const uint64_t *plain, size_t n, const hb_scale_plain *constants,
                            const hb_modulus *plain_modulus)
{
    const uint64_t t = plain_modulus->value, r = constants->remainder, r_quotient = hb_shoup_quotient(r, t);
    for (size_t j = 0; j < n; j++) {
        uint64_t q = hb_mul_high(plain[j], r_quotient);
        uint64_t s = plain[j] * r - q * t + constants->half;
        fix[j] = q + at_least(s, t);
    }
}

/* r += delta m + fix. m, fix < t < 2^50: delta m / q < 2^50, so the product is within 3q/4 and the sum of the three
 * below 2.75 * 2^50, an exact double whose quotient by q >= 2 is below 2^51. */
HB_CLONES static void add_scaled_row_f64(uint64_t *r, const uint64_t *plain, const uint64_t *fix, size_t n,
                                         uint64_t delta, const hb_modulus *modulus)
{
    const double q = modulus->f64_value, inverse = modulus->f64_inverse, d = hb_f64_from_word(delta);
    const uint64_t value = modulus->value;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        double v = hb_f64_mul(hb_f64_from_word(plain[j]), d, q, inverse) + hb_f64_from_word(fix[j]);
        double x = hb_f64_reduce(v + hb_f64_from_word(r[j]), q, inverse);
        r[j] = hb_f64_residue(x, value);
    }
}

/* The same for any moduli: the sum is below 2^122 + 2^62. */
static void add_scaled_row_integer(uint64_t *r, const uint64_t *plain, const uint64_t *fix, size_t n, uint64_t delta,
                                   const hb_modulus *m)
{
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_mod_reduce_wide((hb_u128)plain[j] * delta + fix[j] + r[j], m);
    }
}

hb_status hb_cpu_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants)
{
    const size_t n = e->ring->n;
    const hb_modulus *t = &e->ring->moduli[constants->plain_id];
    uint64_t *fix = hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < r.count; c++) {
        const uint64_t *m = hb_cpu_row(e, plain, c, 0);
        (t->f64 ? fix_row_f64 : fix_row_integer)(fix, m, n, constants, t);
        for (uint32_t l = 0; l < r.limbs; l++) {
            const hb_modulus *q = hb_cpu_modulus(e, r, l);
            bool f64 = q->f64 && t->f64;
            (f64 ? add_scaled_row_f64 : add_scaled_row_integer)(hb_cpu_row(e, r, c, l), m, fix, n, constants->delta[l],
                                                                q);
        }
    }
    return HB_OK;
}

/* s_t = a_t (-1/Q) mod t and s_g = a_g (-1/Q) mod gamma; with g the centred s_g, r = (s_t - g) / gamma mod t. g is
 * handled as its sign and magnitude. gamma has 61 bits, so there is nothing for FP64 here. */
static void gamma_row(uint64_t *r, const uint64_t *a_t, const uint64_t *a_g, size_t n,
                      const hb_gamma_correction *constants, const hb_modulus *t, const hb_modulus *gamma)
{
    const uint64_t w_t = constants->negative_inverse_q[0], w_t_quotient = hb_shoup_quotient(w_t, t->value);
    const uint64_t w_g = constants->negative_inverse_q[1], w_g_quotient = hb_shoup_quotient(w_g, gamma->value);
    const uint64_t i_g = constants->inverse_gamma, i_g_quotient = hb_shoup_quotient(i_g, t->value);
    const uint64_t first_negative = gamma->value / 2 + 1;
    for (size_t j = 0; j < n; j++) {
        uint64_t s_t = hb_mul_shoup_lazy(a_t[j], w_t, w_t_quotient, t->value);
        uint64_t s_g = hb_correct(hb_mul_shoup_lazy(a_g[j], w_g, w_g_quotient, gamma->value), gamma->value);
        uint64_t negative = 0 - at_least(s_g, first_negative);                   /* all ones or zero */
        uint64_t magnitude = (s_g ^ negative) + ((gamma->value + 1) & negative); /* gamma - s_g = ~s_g + 1 + gamma */
        uint64_t minus_g = hb_mod_reduce(magnitude, t);
        minus_g = (minus_g & negative) | ((t->value - minus_g) & ~negative);
        /* s_t in [0, 2t), minus_g in [0, t]: any word may enter the last product */
        r[j] = hb_correct(hb_mul_shoup_lazy(s_t + minus_g, i_g, i_g_quotient, t->value), t->value);
    }
}

hb_status hb_cpu_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    for (size_t c = 0; c < r.count; c++) {
        gamma_row(hb_cpu_row(e, r, c, 0), hb_cpu_row(e, a, c, 0), hb_cpu_row(e, a, c, 1), e->ring->n, constants,
                  &e->ring->moduli[constants->plain_id], &e->ring->moduli[constants->gamma_id]);
    }
    return HB_OK;
}
