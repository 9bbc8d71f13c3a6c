/* Conversions between plaintext and ciphertext moduli: scaling the message up, lifting plaintexts, and the last step of
 * decryption. ring/plain_arith.h has the arithmetic of one coefficient, and the proof that ranges suffice. */
#include "cpu_private.h"
#include "ring/bfv_ops.h"
#include "ring/plain_arith.h"

/* fix = floor((r x + h) / t) of each message word x: it is the same for all limbs. */
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

/* r += or -= delta x + fix modulo q, in FP64. */
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

/* The message to scale: a plaintext, and the rounding correction of each coefficient. */
typedef struct message {
    const uint64_t *plain, *fix;
    bool f64; /* of t */
} message;

/* The same in integers, as a sum of products. */
static void scaled_row_integer(uint64_t *r, const message *m, size_t n, uint64_t delta, hb_sign sign,
                               const hb_modulus *q)
{
    const bool plus = sign == HB_PLUS;
    const hb_cpu_terms terms = {.count = 3,
                                .a = {m->plain, m->fix, r},
                                .weights = {plus ? delta : hb_mod_negate(delta, q), plus ? 1 : q->value - 1, 1}};
    hb_cpu_sum(r, &terms, n, q, false);
}

/* Adds or subtracts the scaled message to one limb. */
static void scaled_row(uint64_t *r, const message *m, size_t n, uint64_t delta, hb_sign sign, const hb_modulus *q)
{
    if (!q->f64 || !m->f64) {
        scaled_row_integer(r, m, n, delta, sign, q);
    } else if (sign == HB_PLUS) {
        add_scaled_row_f64(r, m->plain, m->fix, n, delta, q);
    } else {
        subtract_scaled_row_f64(r, m->plain, m->fix, n, delta, q);
    }
}

static hb_status add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                  hb_sign sign)
{
    const size_t n = e->ring->n;
    const hb_modulus *t = &e->ring->moduli[constants->plain_id];
    uint64_t *fix = hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < r.count; c++) {
        const message m = {hb_cpu_row(e, plain, plain.count == 1 ? 0 : c, 0), fix, t->f64 != 0};
        /* A plaintext that serves the whole batch is treated once. */
        if (c == 0 || plain.count > 1) {
            (t->f64 ? fix_row_f64 : fix_row_integer)(fix, m.plain, n, constants, t);
        }
        for (uint32_t l = 0; l < r.limbs; l++) {
            scaled_row(hb_cpu_row(e, r, c, l), &m, n, constants->delta[l], sign, hb_cpu_modulus(e, r, l));
        }
    }
    return HB_OK;
}

/* Returns whether exactly one of the coefficients is not 0. Plaintexts are operands here, not secrets: it may stop
 * early. */
static bool is_monomial(const uint64_t *plain, size_t n)
{
    size_t terms = 0;
    for (size_t j = 0; j < n && terms < 2; j++) {
        terms += plain[j] != 0;
    }
    return terms == 1;
}

/* Lifts a row: r holds the plaintext mod q, and gets its lift mod q (semantics.md 6.6). */
HB_CLONES static void lift_row(uint64_t *r, const uint64_t *plain, size_t n, uint64_t half, uint64_t minus_t,
                               uint64_t q)
{
    HB_INDEPENDENT
    for (size_t j = 0; j < n; j++) {
        r[j] = hb_plain_lift_word(r[j], plain[j], half, minus_t, q);
    }
}

static hb_status lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants)
{
    const size_t n = e->ring->n;
    const hb_modulus *t = &e->ring->moduli[constants->plain_id];
    for (size_t c = 0; c < r.count; c++) {
        const uint64_t *m = hb_cpu_row(e, plain, c, 0);
        /* One polynomial of one term stands for itself, as SEAL's lift has it. */
        const bool keep = constants->keep_monomials && is_monomial(m, n);
        for (uint32_t l = 0; l < r.limbs; l++) {
            const hb_modulus *q = hb_cpu_modulus(e, r, l);
            uint64_t *row = hb_cpu_row(e, r, c, l);
            /* First x mod q, then - t where the word stands for a negative number. */
            hb_cpu_reduce_row(row, m, n, t, q);
            if (!keep) {
                lift_row(row, m, n, constants->half, hb_mod_negate(hb_mod_reduce(t->value, q), q), q->value);
            }
        }
    }
    return HB_OK;
}

/* Marks the s in [0, gamma) that stand for s - gamma: 1, else 0. */
HB_CLONES static void negative_row(uint64_t *negative, const uint64_t *s, size_t n, uint64_t gamma)
{
    for (size_t j = 0; j < n; j++) {
        negative[j] = hb_at_least(s[j], gamma / 2 + 1);
    }
}

/* Computes hb_gamma_word as a sum of products: (a_t (-1/Q) - g) / gamma mod t, where g = s - gamma if s is marked
 * negative. */
static hb_status gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    const size_t n = e->ring->n;
    const hb_modulus *t = &e->ring->moduli[constants->plain_id], *gamma = &e->ring->moduli[constants->gamma_id];
    const uint64_t inverse = constants->inverse_gamma;
    uint64_t *s = hb_cpu(e)->scratch[0], *negative = hb_cpu(e)->scratch[1];
    for (size_t c = 0; c < r.count; c++) {
        /* s_g of hb_gamma_word, canonical modulo gamma: its sign is needed. */
        hb_cpu_scale_row(s, hb_cpu_row(e, a, c, 1), constants->negative_inverse_q[1], n, gamma);
        negative_row(negative, s, n, gamma->value);
        const hb_cpu_terms terms = {.count = 3,
                                    .a = {hb_cpu_row(e, a, c, 0), s, negative},
                                    .weights = {hb_mod_mul(constants->negative_inverse_q[0], inverse, t),
                                                hb_mod_negate(inverse, t),
                                                hb_mod_mul(hb_mod_reduce(gamma->value, t), inverse, t)}};
        hb_cpu_sum(hb_cpu_row(e, r, c, 0), &terms, n, t, false);
    }
    return HB_OK;
}

const hb_bfv_ops hb_cpu_bfv_ops = {
    .add_scaled_plain = add_scaled_plain,
    .lift_plain = lift_plain,
    .gamma_correct = gamma_correct,
};
