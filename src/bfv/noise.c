/* Derivations. x = c_0 + c_1 s + c_2 s^2 + ... is a phase, an integer polynomial mod X^N + 1; t x = v + Q k with v the
 * noise and k = the message mod t. |.| is the largest coefficient, |.|_1 the sum of all: |a b| <= |a| |b|_1. The
 * secret is the sum of n ternary ones, n = 1 but for joint keys: |s|_1 <= W = n N (rlwe/key_shape.h), |s^i|_1 <= W^i;
 * S(m) = 1 + W + ... + W^(m-1).
 *
 * The expected bounds take coefficients as independent, residues as uniform. With all variances equal to sigma^2, the
 * largest of N coefficients comes to L sigma, L = sqrt(2 ln 2N). s is almost Gaussian at every root of X^N + 1, of
 * variance V = 2nN/3, so the squares of the coefficients of s^i sum up to i! V^i; R(m) = the sum of these for i < m.
 *
 * They are not independent where the same polynomial comes again: |s|^2 at a root is exponentially distributed, of
 * which the i-th moment is i! times the power of the mean. So noise with s^i times a factor with s^j has (i + j)! / i!
 * j! times the variance of independent ones (`powers` is i; Biasioli et al., ePrint 2023/600, have the same), and
 * noise with m-th powers of a factor grows by m + 1 more when that comes once more (hb_noise_again).
 *
 * On chains that bootstrap, the expected bound decides whether a result is right, and must hold for any program and for
 * ciphertexts from files, of which nothing is known but their bounds. There terms of a sum may have the same noise, so
 * their deviations add up, and each factor may be as good as the same one as all before, as x, x + 1 and x + 2 are:
 * `powers` then also bounds how often any factor is in the noise, and a product multiplies the variance by it. Only a
 * square has a factor that is not in the noise: k of a ciphertext is made after its noise.
 *
 * Measured: expected - measured, bits, of the largest coefficient in 4 ciphertexts; least and middle of 120 keys, half
 * of them public, N 1024 to 4096, t of 17 and 20 bits. Fresh -0.2, 0.1; squares of squares, depth 1 to 6: -0.2, 0.4;
 * -0.4, 0.5; -0.5, 0.7; -0.4, 1.0; -0.5, 1.3; -0.5, 1.7; with a modulus switch after each: -0.3, 0.1; times x again,
 * depth 2 to 6: -0.3, 0.6 to -1.0, 2.2; times another, 1 to 6: 0.3, 0.8 to 0.0, 2.1; products in pairs, 1 to 4: 0.1,
 * 0.8 to 1.7, 2.9; by the same plaintext, 1 to 4 times: -0.4, 0.1; a sum with its rotation: -1.1, 0.9; rotated, times
 * x, squared: -1.2, 1.4. The same operations with 30 keys, N 8192 to 32768, t of 17 to 50 bits: least -1.0. Most of the
 * rest has two reasons: the mean of a product of exponentials at N / 2 roots lies above the middle and is exceeded
 * rarely, more rarely the larger N; a job has more coefficients than N, of which the largest one comes to sqrt(2 ln
 * 2NM) for M ciphertexts, half a bit more for M = 10^4. HB_NOISE_MARGIN covers both.
 *
 * Why 1 bit of budget is enough: 2^log2_noise < 2^(bits(Q) - 2) < Q/2, and by the slack of every bound |v| is below
 * Q/2 by 2^-35 Q or more. Decryption computes floor(gamma t x / Q) - u, 0 <= u < 64, and divides by gamma > 2^60 with
 * rounding (semantics.md 5): right whenever |v| < (1/2 - 65/gamma) Q. */
#include "noise.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/outward.h"
#include "ring/galois.h"
#include "rlwe/bounds.h"

/* A factor of a product, of so many components. */
typedef struct factor {
    hb_quality quality;
    uint32_t size;
} factor;

/* The powers of the secret that are assumed where they are unknown: those after five products, one after another. */
static const uint32_t unknown_powers = 6;

/* Returns both bounds with their slack; the expected one is never above the proven one. */
static hb_quality bound(double worst, double expected, uint32_t powers, hb_certainty certainty)
{
    return (hb_quality){.worst = worst + HB_BOUND_SLACK,
                        .expected = fmin(expected, worst) + HB_BOUND_SLACK,
                        .powers = powers,
                        .certainty = certainty};
}

static uint32_t largest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t known_powers(hb_quality a)
{
    return a.powers > 0 ? a.powers : unknown_powers;
}

/* Returns log2 of the root of (a + b)! / a! b!, the factor by which the mean square of s^(a + b) exceeds the product of
 * those of s^a and s^b. */
static double log_together(uint32_t a, uint32_t b)
{
    double sum = 0;
    for (uint32_t i = 1; i <= b; i++) {
        sum += log2((double)(a + i) / i) / 2;
    }
    return sum;
}

/* Returns L: how far the largest of n coefficients comes, in standard deviations. */
static double tail_factor(double n)
{
    return sqrt(2 * log(2 * n));
}

/* Returns S(size). */
static double secret_powers(const hb_key_shape *shape, uint32_t size)
{
    double sum = 0;
    for (uint32_t i = size; i-- > 0;) {
        sum = sum * shape->norm + 1;
    }
    return sum;
}

/* Returns R(size), by Horner's rule: 1 + 1 V (1 + 2 V (1 + 3 V ... . */
static double secret_squares(const hb_key_shape *shape, uint32_t size)
{
    double sum = 0;
    for (uint32_t i = size; i-- > 0;) {
        sum = 1 + (i + 1) * shape->square * sum;
    }
    return sum;
}

/* t round(Q m / t) = Q m + h - ((Q m + h) mod t), h = floor((t + 1) / 2) (semantics.md 4.4): the rest is in
 * [h - t + 1, h]. */
static double scaling_error(const hb_params *params)
{
    return (double)((params->spec.bfv.plain + 1) / 2);
}

/* With the secret key x = -e + the scaled message. With the public key (b, a), b = -(a s + e), u ternary,
 *     P x = (b u + e_0 + d_0) + (a u + e_1 + d_1) s + P scaled = -e u + e_0 + e_1 s + d_0 + d_1 s + P scaled  mod QP,
 * d_j the rounding error, about P/2 at most; without a special prime P = 1 and d = 0. */
hb_quality hb_noise_fresh(const hb_params *params, const hb_key_shape *shape, bool public_key, hb_distribution errors)
{
    const double n = (double)params->spec.n, t = (double)params->spec.bfv.plain;
    double worst = hb_error_bound(errors), variance = hb_error_variance(errors);
    if (public_key) {
        const bool special = hb_params_can_switch(params);
        const double p = hb_special_product(params, params->fresh_special);
        worst = (n * shape->public_key.worst + (1 + shape->norm) * worst) / p +
                (special ? (1 + shape->norm) * hb_division_error(params->fresh_special) : 0);
        variance = (2 * n / 3 * shape->public_key.variance + (1 + shape->square) * variance) / (p * p);
        variance += special ? (1 + shape->square) / 12 : 0;
    }
    const double rounding = scaling_error(params);
    return bound(log2(t * worst + rounding), log2(t * sqrt(variance) * tail_factor(n) + rounding), 1,
                 HB_CERTAINTY_PROVEN);
}

/* Returns log2 of the deviation of a sum of noises with these. */
static double log_deviation(const hb_params *params, double a, double b)
{
    return hb_params_can_bootstrap(params) ? hb_log_sum(a, b) : hb_log_root(a, b);
}

/* Returns log2 of the growth of noise with so many powers, as its next factor may be all of these. */
static double log_factor_again(const hb_params *params, uint32_t powers)
{
    return hb_params_can_bootstrap(params) ? log2(powers) / 2 : 0;
}

hb_quality hb_noise_add(const hb_params *params, hb_quality a, hb_quality b)
{
    return bound(hb_log_sum(a.worst, b.worst), log_deviation(params, a.expected, b.expected),
                 largest(known_powers(a), known_powers(b)), hb_certainty_of_both(a.certainty, b.certainty));
}

hb_quality hb_noise_sum(const hb_params *params, hb_quality a, double terms)
{
    const double growth = log2(fmax(terms, 1));
    return bound(a.worst + growth, a.expected + (hb_params_can_bootstrap(params) ? growth : growth / 2), a.powers,
                 a.certainty);
}

/* Adds the scaling error of another message. */
hb_quality hb_noise_add_plain(const hb_params *params, hb_quality a)
{
    const double rounding = log2(scaling_error(params));
    return bound(hb_log_sum(a.worst, rounding), log_deviation(params, a.expected, rounding), a.powers, a.certainty);
}

/* For a factor 0 comes no noise, which is at most 1. */
hb_quality hb_noise_multiply_integer(hb_quality a, double magnitude)
{
    const double growth = log2(fabs(magnitude));
    return bound(fmax(a.worst + growth, 0), fmax(a.expected + growth, 0), a.powers, a.certainty);
}

/* t x p = v p + Q k p, |v p| <= |v| |p|_1. Uniform coefficients in (-t / 2, t / 2] have the mean square (t^2 + 2) / 12
 * at most, which is a third of the square of t / 2 but for the smallest t. */
hb_quality hb_noise_multiply_plain(const hb_params *params, hb_quality a, double coefficient, double terms)
{
    const hb_quality scaled = hb_noise_multiply_integer(a, coefficient);
    if (terms <= 1) {
        return bound(scaled.worst, scaled.expected, a.powers, a.certainty);
    }
    const double even = fmax(hb_quality_even(a) + log2(coefficient) + log_factor_again(params, known_powers(a)), 0);
    const double squares = terms * (1 + 1 / (2 * coefficient * coefficient)) / 3;
    return bound(scaled.worst + log2(terms), even + log2(fmax(squares, 1)) / 2,
                 hb_params_can_bootstrap(params) ? known_powers(a) + 1 : a.powers, a.certainty);
}

/* Where the chain bootstraps, every product counts its factor so. */
hb_quality hb_noise_again(const hb_params *params, hb_quality a, uint32_t times)
{
    if (hb_params_can_bootstrap(params)) {
        return a;
    }
    return bound(a.worst, a.expected + log2(1.0 + times) / 2, a.powers, a.certainty);
}

/* The lifted factor of a product (semantics.md 6.2): components a_i' of at most M Q, M = 1/2 + (limbs - 1) / 2^32, so
 * of its phase x = sum a_i' s^i over the integers follows |k| = |t x - v| / Q <= t M S(size) + |v| / Q. Expected: each
 * a_i' uniform, so k has variance t^2 R(size) / 12. Both log2. */
static hb_quality quotient(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                           uint32_t size)
{
    const double t = (double)params->spec.bfv.plain;
    const double most = t * (0.5 + (limbs - 1) * 0x1p-32) * secret_powers(shape, size);
    const double q = hb_log_modulus(params, limbs);
    return (hb_quality){.worst = hb_log_sum(log2(most), a.worst - q),
                        .expected = log2(t) + log2(secret_squares(shape, size) / 12) / 2,
                        .powers = size - 1};
}

/* Component c of the product is t sum a_i' b_j' / Q - f_c with f_c = sum over the limbs of y_i / q_i, in [0, limbs):
 * floor and overflow. So its t x = (v_a + Q k_a) (v_b + Q k_b) / Q - t sum f_c s^c, and
 *     v = v_a k_b + v_b k_a + v_a v_b / Q - t sum f_c s^c.
 * Expected: the first two are taken for equal, as in a square; f_c has mean limbs / 2, variance limbs / 12. */
static hb_quality product(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, const factor f[2],
                          bool same)
{
    const hb_quality a = f[0].quality, b = f[1].quality;
    const uint32_t a_size = f[0].size, b_size = f[1].size;
    const double n = (double)params->spec.n, t = (double)params->spec.bfv.plain, q = hb_log_modulus(params, limbs);
    const hb_quality ka = quotient(params, shape, limbs, a, a_size), kb = quotient(params, shape, limbs, b, b_size);
    const uint32_t size = a_size + b_size - 1;

    const double cross = log2(n) + hb_log_sum(a.worst + kb.worst, b.worst + ka.worst);
    /* The term v_a v_b / Q, small beside the others on levels with noise budget left. */
    const double both = log2(n) + a.worst + b.worst - q;
    const double floors = log2(t * limbs * secret_powers(shape, size));

    const uint32_t pa = known_powers(a), pb = known_powers(b);
    const double ea = hb_quality_even(a), eb = hb_quality_even(b);
    const double with_kb = log_together(pa, b_size - 1) + (same ? 0 : log_factor_again(params, pa)),
                 with_ka = log_together(pb, a_size - 1) + (same ? 0 : log_factor_again(params, pb)),
                 together = log_together(pa, pb) * (hb_params_can_bootstrap(params) ? 2 : 1);
    const double cross_expected = log2(n) / 2 + hb_log_sum(ea + kb.expected + with_kb, eb + ka.expected + with_ka);
    const double both_expected = log2(n) / 2 + ea + eb + together - q - log2(tail_factor(n));
    const double square = (double)limbs * limbs / 4 + (double)limbs / 12;
    const double floors_expected = log2(t * tail_factor(n)) + log2(square * secret_squares(shape, size)) / 2;
    return bound(hb_log_sum(hb_log_sum(cross, both), floors),
                 hb_log_root(hb_log_root(cross_expected, both_expected), floors_expected),
                 largest(pa + b_size, pb + a_size) - 1, hb_certainty_of_both(a.certainty, b.certainty));
}

hb_quality hb_noise_multiply(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                             uint32_t a_size, hb_quality b, uint32_t b_size)
{
    return product(params, shape, limbs, (const factor[]){{a, a_size}, {b, b_size}}, false);
}

hb_quality hb_noise_square(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                           uint32_t size)
{
    return product(params, shape, limbs, (const factor[]){{a, size}, {a, size}}, true);
}

/* acc_0 + acc_1 s = P g s' - sum over J of g_J e_J mod QP, digits g_J, and dividing by P rounds both (6.8): x grows by
 * (-sum g_J e_J + d_0 + d_1 s) / P, d_j about P/2 at most. The mean square of a digit is a third of that of its largest
 * value, of a sum of w words a w-th of it. */
hb_quality hb_noise_switch(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                           hb_key_error error)
{
    const double n = (double)params->spec.n, t = (double)params->spec.bfv.plain;
    double digits = 0, squares = 0; /* over P */
    for (uint32_t j = 0; j < params->gadget.levels[limbs].digits; j++) {
        const double ratio = hb_digit_bound(params, j, limbs);
        digits += ratio;
        squares += ratio * ratio / hb_gadget_limbs(&params->gadget, j, limbs);
    }
    const double worst = n * error.worst * digits + (1 + shape->norm) * hb_division_error(params->special_limbs);
    const double variance = n * error.variance * squares / 3 + (1 + shape->square) / 12;
    return bound(hb_log_sum(a.worst, log2(t * worst)),
                 hb_log_root(a.expected, log2(t * tail_factor(n) * sqrt(variance))), a.powers, a.certainty);
}

/* All automorphisms of the noise add up to N times its constant coefficient and nothing else: in phase, not at
 * random. Each step of the rows, and their swap, adds the ciphertext to itself moved. */
hb_quality hb_noise_sum_slots(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    for (uint32_t i = hb_galois_sum_steps(params->spec.n, steps) + 1; i > 0; i--) {
        const hb_quality moved = hb_noise_switch(params, shape, limbs, a, shape->galois);
        a.worst = hb_noise_add(params, a, moved).worst;
        a.expected = hb_noise_multiply_integer(moved, 2).expected;
    }
    return a;
}

/* Components become (c_i + d_i) / p, |d_i| <= p/2 (6.7): v becomes v / p + t sum d_i s^i / p. */
hb_quality hb_noise_mod_switch(const hb_params *params, const hb_key_shape *shape, uint32_t limbs, hb_quality a,
                               uint32_t size)
{
    const double n = (double)params->spec.n, t = (double)params->spec.bfv.plain;
    const double p = log2((double)params->spec.primes[limbs - 1]);
    const double rounding = log2(t * secret_powers(shape, size) / 2);
    const double rounding_expected = log2(t * tail_factor(n)) + log2(secret_squares(shape, size) / 12) / 2;
    /* A part below an eighth of the rounding error is too small for its powers to count. */
    const uint32_t powers = a.expected - p < rounding_expected - 3 ? size - 1 : largest(known_powers(a), size - 1);
    return bound(hb_log_sum(a.worst - p, rounding), hb_log_root(a.expected - p, rounding_expected), powers,
                 a.certainty);
}

/* |v| <= 2^l has at most floor(l) + 1 bits. */
double hb_noise_budget_of(const hb_params *params, uint32_t limbs, double log2_noise)
{
    return (double)hb_natural_bits(&params->levels[limbs].basis.product) - 2 - floor(log2_noise);
}

/* Fresh noise is in proportion to t: a bit less of t is a bit more of budget. Binomial errors are the larger ones. */
hb_status hb_noise_require_fresh(const hb_params *params, const hb_key_shape *shape, bool public_key)
{
    const hb_quality fresh = hb_noise_fresh(params, shape, public_key, HB_BINOMIAL);
    const double budget = hb_noise_budget_of(params, params->fresh_limbs, fresh.worst);
    if (budget >= 1) {
        return HB_OK;
    }
    char advice[64] = "no t is small enough for this chain: take a longer one";
    /* Each missing bit of budget is a bit less of t. */
    const double bits = (double)params->ring.moduli[hb_bfv_of(params)->plain_id].bits - (1 - budget);
    if (bits >= 2) {
        snprintf(advice, sizeof advice, "take a longer chain, or a t of %.0f bits or fewer", hb_decimal_down(bits, 0));
    }
    return HB_FAIL(HB_ECONFIG,
                   "t = %" PRIu64
                   " leaves ciphertexts made with the %s key no noise budget: %.0f bits too few are proven to "
                   "decrypt; %s",
                   params->spec.bfv.plain, public_key ? "public" : "secret", hb_decimal_up(1 - budget, 0), advice);
}
