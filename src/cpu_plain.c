/* Between plaintext and ciphertext moduli: scaling the message up, and the last step of decryption. */
#include "cpu_private.h"
#include "plain_arith.h"

HB_CLONES static void fix_row_f64(uint64_t *fix, const uint64_t *plain, size_t n, const hb_scale_plain *constants,
                                  const hb_modulus *plain_modulus)
{
    const hb_modulus t = *plain_modulus;
    const uint64_t r = constants->remainder, h = constants->half;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        fix[j] = hb_plain_fix_f64(plain[j], r, h, &t);
    }
}

static void fix_row_integer(uint64_t *fix, const uint64_t *plain, size_t n, const hb_scale_plain *constants,
                            const hb_modulus *plain_modulus)
{
    const uint64_t t = plain_modulus->value, r = constants->remainder, r_quotient = hb_shoup_quotient(r, t);
    const uint64_t h = constants->half;
    for (size_t j = 0; j < n; j++) {
        fix[j] = hb_plain_fix(plain[j], r, r_quotient, h, t);
    }
}

HB_CLONES static void add_scaled_row_f64(uint64_t *r, const uint64_t *plain, const uint64_t *fix, size_t n,
                                         uint64_t delta, const hb_modulus *modulus)
{
    const hb_modulus q = *modulus;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_plain_add_scaled_f64(r[j], plain[j], fix[j], delta, &q);
    }
}

HB_CLONES static void subtract_scaled_row_f64(uint64_t *r, const uint64_t *plain, const uint64_t *fix, size_t n,
                                              uint64_t delta, const hb_modulus *modulus)
{
    const hb_modulus q = *modulus;
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_plain_subtract_scaled_f64(r[j], plain[j], fix[j], delta, &q);
    }
}

static void add_scaled_row_integer(uint64_t *r, const uint64_t *plain, const uint64_t *fix, size_t n, uint64_t delta,
                                   const hb_modulus *modulus)
{
    const hb_modulus q = *modulus;
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_plain_add_scaled(r[j], plain[j], fix[j], delta, &q);
    }
}

static void subtract_scaled_row_integer(uint64_t *r, const uint64_t *plain, const uint64_t *fix, size_t n,
                                        uint64_t delta, const hb_modulus *modulus)
{
    const hb_modulus q = *modulus;
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_plain_subtract_scaled(r[j], plain[j], fix[j], delta, &q);
    }
}

typedef void scaled_row(uint64_t *r, const uint64_t *plain, const uint64_t *fix, size_t n, uint64_t delta,
                        const hb_modulus *modulus);

static scaled_row *scaled_row_of(hb_sign sign, bool f64)
{
    return sign == HB_PLUS ? (f64 ? add_scaled_row_f64 : add_scaled_row_integer)
                           : (f64 ? subtract_scaled_row_f64 : subtract_scaled_row_integer);
}

hb_status hb_cpu_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                  hb_sign sign)
{
    const size_t n = e->ring->n;
    const hb_modulus *t = &e->ring->moduli[constants->plain_id];
    uint64_t *fix = hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < r.count; c++) {
        const uint64_t *m = hb_cpu_row(e, plain, plain.count == 1 ? 0 : c, 0);
        if (c == 0 || plain.count > 1) {
            (t->f64 ? fix_row_f64 : fix_row_integer)(fix, m, n, constants, t);
        }
        for (uint32_t l = 0; l < r.limbs; l++) {
            const hb_modulus *q = hb_cpu_modulus(e, r, l);
            scaled_row_of(sign, q->f64 && t->f64)(hb_cpu_row(e, r, c, l), m, fix, n, constants->delta[l], q);
        }
    }
    return HB_OK;
}

/* Whether exactly one of the coefficients is not 0. */
static bool is_monomial(const uint64_t *plain, size_t n)
{
    size_t terms = 0;
    for (size_t j = 0; j < n && terms < 2; j++) {
        terms += plain[j] != 0;
    }
    return terms == 1;
}

/* r: the plaintext mod q, to its lift mod q. */
HB_CLONES static void lift_row(uint64_t *r, const uint64_t *plain, size_t n, uint64_t half, uint64_t minus_t,
                               uint64_t q)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_plain_lift_word(r[j], plain[j], half, minus_t, q);
    }
}

hb_status hb_cpu_lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants)
{
    const size_t n = e->ring->n;
    const hb_modulus *t = &e->ring->moduli[constants->plain_id];
    for (size_t c = 0; c < r.count; c++) {
        const uint64_t *m = hb_cpu_row(e, plain, c, 0);
        const bool keep = constants->keep_monomials && is_monomial(m, n);
        for (uint32_t l = 0; l < r.limbs; l++) {
            const hb_modulus *q = hb_cpu_modulus(e, r, l);
            uint64_t *row = hb_cpu_row(e, r, c, l);
            hb_cpu_reduce_row(row, m, n, t, q);
            if (!keep) {
                lift_row(row, m, n, constants->half, hb_mod_negate(hb_mod_reduce(t->value, q), q), q->value);
            }
        }
    }
    return HB_OK;
}

static void gamma_row(uint64_t *r, const uint64_t *a_t, const uint64_t *a_g, size_t n, hb_gamma_factors factors,
                      const hb_modulus *plain_modulus, uint64_t gamma)
{
    const hb_modulus t = *plain_modulus;
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_gamma_word(a_t[j], a_g[j], &factors, &t, gamma);
    }
}

hb_status hb_cpu_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    const hb_modulus *t = &e->ring->moduli[constants->plain_id];
    const uint64_t gamma = e->ring->moduli[constants->gamma_id].value;
    const hb_gamma_factors factors =
        hb_gamma_factors_of(constants->negative_inverse_q, constants->inverse_gamma, t->value, gamma);
    for (size_t c = 0; c < r.count; c++) {
        gamma_row(hb_cpu_row(e, r, c, 0), hb_cpu_row(e, a, c, 0), hb_cpu_row(e, a, c, 1), e->ring->n, factors, t,
                  gamma);
    }
    return HB_OK;
}
