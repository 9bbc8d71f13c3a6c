/* Derivations. |x| is the largest magnitude of a polynomial at the roots of X^N + 1, which are its slots and their
 * conjugates; ||x|| the root of the sum of the squares of its coefficients, also that of the mean of the squares at
 * roots, so ||x|| <= |x|. |x y| <= |x| |y| and ||x y|| <= |x| ||y||. Where coefficients are within b, |x| <= N b and
 * ||x|| <= sqrt(N) b: so large are roundings, b = 1/2, at worst. They multiply the secret; proofs assume
 *
 *     |s| <= H(2/3), |e| <= H(10.5), the errors in keys;    H(v) = sqrt(v N (ln 8N + 80 ln 2)) / cos(pi/16),
 *
 * which fewer than one key in 2^80 exceeds. (A coefficient of variance v, uniform ternary, centred binomial or of the
 * cut discrete Gaussian, has E exp(u x) <= exp(u^2 v / 2). The part of x(root) in a direction is a sum of N such, times
 * cosines whose squares sum up to N/2, so exceeds r with probability exp(-r^2 / (v N)) at most; a complex number is
 * within 1/cos(pi/16) of its largest part in one of 16 directions; N/2 roots, the others being conjugate.) The sum of
 * magnitudes, the only bound without exception, is N: 4 to 6 bits more at each rounding.
 *
 * The expected bounds take coefficients as independent: at a root, x has the variance N times theirs, and products have
 * that of the product of both; s^i has i! (2N/3)^i, as in bfv/noise.c. Values and errors of different origin are taken
 * as independent over the slots; of the same origin they are not, as errors of x^2 are large where x is
 * (expected_beside). A bound is the standard deviation at a root times L = sqrt(ln N): of N/2 exponentials, the
 * squares, the largest is below L^2 with probability exp(-1/2). Where a few slots have larger errors than others
 * (switched), a bound has both: the largest slot's error (expected), and the root of the mean square times L (even).
 *
 * Measurements: tests/unit/ckks/t_error.c, t_random_errors.c, tests/ckks_precision. */
#include "error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/modarith.h"
#include "base/outward.h"
#include "error_terms.h"
#include "rlwe/bounds.h"

/* A double's rounding unit, and a quarter of the errors of a sum and a product of double-doubles together, with their
 * roots of unity (base/double_double.h: 3 + 9 and 1, of 2^-106, and sqrt(2) times that of complex numbers). */
static const double unit = 0x1p-53, wide_unit = 0x1p-103;

static double log_scale(const hb_params *params, uint32_t limbs)
{
    return hb_exact_scale_log2(hb_ckks_scale(params, limbs));
}

/* Returns log2 of the divisor of products at a level. */
static double log_divisor(const hb_params *params, uint32_t limbs)
{
    return hb_exact_scale_log2(hb_ckks_divisor(&params->spec, limbs));
}

/* With the secret key x = m + e. With the public key (b, a), b = -a s + e', u ternary,
 *     P x = (b u + e_0 + d_0) + (a u + e_1 + d_1) s + P m = e' u + e_0 + e_1 s + d_0 + d_1 s + P m  mod QP,
 * P the special primes of the division, d_j the rounding error, about P/2 at most. */
hb_quality hb_error_fresh(const hb_params *params, bool public_key, hb_distribution errors)
{
    const double n = hb_error_degree(params), most = hb_error_bound(errors), variance = hb_error_variance(errors);
    hb_error_part e = {n * most, sqrt(n) * most, sqrt(n * variance)};
    hb_error_part division = {0, 0, 0};
    if (public_key) {
        const uint32_t special = params->fresh_special;
        const double p = hb_special_product(params, special);
        const double s = hb_error_secret(n), s2 = hb_error_secret_variance(n),
                     key = hb_error_key(n, HB_KEY_ERROR_VARIANCE);
        e.worst = n * (key + most * (1 + s)) / p;
        e.norm = sqrt(n) * (key + most * (1 + s)) / p;
        e.deviation = sqrt(n * (HB_KEY_ERROR_VARIANCE * s2 + variance * (1 + s2))) / p;
        if (special > 0) {
            division = hb_error_rounded(n, hb_division_error(special), 2);
        }
    }
    hb_quality fresh =
        hb_error_with(params, hb_error_of(params, e), hb_error_rounded(n, 0.5, 1)); /* and m's coefficients */
    return division.worst > 0 ? hb_error_with(params, fresh, division) : fresh;
}

hb_quality hb_error_add(const hb_params *params, hb_quality a, hb_quality b)
{
    return hb_error_bounded(hb_error_together(params, a, b));
}

/* The excess in a few slots, by the mean of digits (switched), comes from one key: it is the same in every term and
 * adds up linearly. So do the common part of all slots and the systematic part. */
hb_quality hb_error_sum(const hb_params *params, hb_quality a, double terms)
{
    const double n = hb_error_degree(params), bits = log2(fmax(terms, 1)), few = hb_error_in_few(params, a),
                 even = hb_quality_even(a);
    const double few_even = few + log2(sqrt(n) * sin(acos(-1) / (2 * n)) * hb_error_tail(params));
    const double common = even + log2(a.common) / 2;
    const double rest = hb_error_rest(hb_error_rest(even, few_even), common);
    hb_quality sum = hb_error_times(params, a, (hb_magnitude){bits, bits / 2, 1, bits});
    sum.even = hb_log_root(hb_log_root(rest + bits / 2, common + bits), few_even + bits);
    sum.common = hb_error_share(common + bits, sum.even);
    sum.peak = hb_error_peak(a) + bits / 2;
    sum.systematic = hb_error_systematic_shifted(a.systematic, bits);
    return hb_error_bounded(hb_error_with_few(params, sum, few + bits));
}

hb_quality hb_error_add_plain(const hb_params *params, hb_quality a)
{
    return hb_error_with(params, a, hb_error_rounded(hb_error_degree(params), 0.5, 1));
}

/* One coefficient is rounded, the same in every slot. */
hb_quality hb_error_add_number(const hb_params *params, hb_quality a)
{
    return hb_error_bounded(hb_error_together(params, a, hb_error_in_all(params, 0.5, sqrt(HB_ROUNDING_VARIANCE))));
}

hb_quality hb_error_multiply_integer(const hb_params *params, hb_quality a, double magnitude)
{
    return hb_error_bounded(hb_error_shifted(params, a, log2(fabs(magnitude))));
}

/* A stage adds to each value a product of it with a root of unity, correctly rounded: its norm, times sqrt(2), is right
 * to (1 + sqrt(5) + sqrt(1/2)) units (Brent, Percival, Zimmermann, "Error Bounds on Complex Floating-Point
 * Multiplication", Math. Comp. 76, 2007), below 4, and log2(N/2) stages to as many times that. Besides, coefficients
 * are rounded to doubles, products with the scale, and the scale itself. The largest of N is at most sqrt(N) times the
 * norm. Expected, as measured: 2/3 of a unit for each stage, stages independent. Double-doubles have a unit of their
 * own. */
static hb_quality transformed(const hb_params *params, double scale, hb_quality a, hb_magnitude values)
{
    const double n = hb_error_degree(params), stages = log2(n) - 1,
                 u = hb_ckks_is_wide(&params->spec) ? wide_unit : unit;
    const double worst = (4 * stages + 4) * u, expected = sqrt(4 * stages / 9 + 1) * u;
    const hb_quality added = hb_error_of(params, (hb_error_part){worst * sqrt(n), worst, expected});
    return hb_error_bounded(
        hb_error_together(params, a, hb_error_shifted(params, hb_error_times(params, added, values), scale)));
}

hb_quality hb_error_transformed(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values)
{
    return transformed(params, log_scale(params, limbs), a, values);
}

/* Decoded double-doubles are rounded to doubles: within a unit, whose square is a third of that on average and less for
 * most mantissas. */
hb_quality hb_error_decoded(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values)
{
    const hb_quality coded = hb_error_transformed(params, limbs, a, values);
    if (!hb_ckks_is_wide(&params->spec)) {
        return coded;
    }
    const hb_quality rounding = hb_error_of(params, (hb_error_part){unit, unit, 0.5 * unit / hb_error_tail(params)});
    const double scale = log_scale(params, limbs);
    return hb_error_bounded(
        hb_error_together(params, coded, hb_error_shifted(params, hb_error_times(params, rounding, values), scale)));
}

/* A product of scale S^2 that is divided by q is taken to have the scale T of the level below, which S^2 / q is 2^-126
 * from, or, like SEAL's, a rounding of doubles. Its phase S^2 m becomes S^2 m / q, off from T m by (S^2 - T q) m / q:
 * this adds up with the product's error, before the division, as S^2 m (1 - T q / S^2). Nothing is lost on the lowest
 * level, where there is no rescaling. Losses of earlier products of the same values may have the same sign, and add up
 * with it as they are. */
static hb_quality with_rescaled_values(const hb_params *params, uint32_t limbs, hb_quality product, hb_magnitude values)
{
    if (limbs <= hb_params_level_limbs(params)) {
        return product;
    }
    const hb_exact_scale s = hb_ckks_scale(params, limbs);
    const hb_exact_scale below = hb_ckks_scale(params, limbs - hb_params_level_limbs(params));
    const hb_exact_scale taken = hb_exact_scale_multiply(below, hb_ckks_divisor(&params->spec, limbs));
    const hb_exact_scale share = hb_exact_scale_divide(taken, hb_exact_scale_multiply(s, s));
    const double off = hb_exact_scale_distance_from_one(share) + 0x1p-125; /* and the cuts here */
    const hb_quality lost = hb_error_shifted(params, hb_error_in_all(params, off, off), 2 * hb_exact_scale_log2(s));
    return hb_error_aligned(params, product, hb_error_times(params, lost, values));
}

/* Returns how far a number may be from its nearest integer, where the exact one was cut three times at most. */
static double distance_from_integer(hb_exact_scale number)
{
    return hb_exact_scale_distance_from_integer(number) + fmax(hb_exact_scale_double(number) * 0x1p-125, 0x1p-64);
}

static hb_magnitude product_of(hb_magnitude a, hb_magnitude b)
{
    return (hb_magnitude){a.most + b.most, fmin(a.mean, a.most) + fmin(b.mean, b.most), a.common * b.common,
                          a.peak + b.peak};
}

static hb_magnitude at_scale(hb_magnitude values, double scale)
{
    return (hb_magnitude){values.most + scale, values.mean + scale, values.common, values.peak + scale};
}

/* (S m + e) k - S^2 v m = e k + S m (k - S v), k the integer nearest to S v. */
hb_quality hb_error_multiply_number(const hb_params *params, uint32_t limbs, hb_error_factor a, double number)
{
    const hb_exact_scale s = hb_ckks_scale(params, limbs);
    const double v = fabs(number), scale = hb_exact_scale_log2(s), k = hb_exact_scale_log2(s) + log2(v);
    const double off = v > 0 ? distance_from_integer(hb_exact_scale_multiply(hb_exact_scale_of_double(v), s)) : 0;
    const hb_quality rounding = hb_error_in_all(params, off, off);
    const hb_quality product = hb_error_together(params, hb_error_shifted(params, a.error, hb_log_sum(k, -1)),
                                                 hb_error_times(params, rounding, at_scale(a.values, scale)));
    const hb_magnitude factor = {log2(v), log2(v), 1, log2(v)};
    return hb_error_bounded(with_rescaled_values(params, limbs, product, product_of(a.values, factor)));
}

/* Adds the random part of x times the systematic part of other errors, which is random too, to a product of errors. */
static void add_beside_systematic(hb_quality *product, hb_quality x, hb_systematic other)
{
    if (other.most != 0) {
        product->even = hb_log_root(product->even, hb_quality_even(x) + other.mean);
        product->peak = hb_log_root(product->peak, hb_error_peak(x) + other.most);
    }
}

static hb_quality errors_product(const hb_params *params, hb_quality a, hb_quality b)
{
    const double tail = log2(hb_error_tail(params));
    hb_quality both = {.worst = a.worst + b.worst,
                       .norm = fmin(a.worst + hb_quality_known_norm(b), hb_quality_known_norm(a) + b.worst),
                       .expected = a.expected + b.expected - tail,
                       .even = hb_quality_even(a) + hb_quality_even(b) - tail,
                       .peak = hb_error_peak(a) + hb_error_peak(b) - tail,
                       .common = a.common * b.common};
    add_beside_systematic(&both, a, b.systematic);
    add_beside_systematic(&both, b, a.systematic);
    if (a.systematic.most != 0 && b.systematic.most != 0) {
        both.systematic = hb_error_systematic_times(
            a.systematic, (hb_magnitude){.mean = b.systematic.mean, .peak = b.systematic.most});
    }
    return both;
}

/* (S m_a + e_a) (S m_b + e_b) - S^2 m_a m_b = S m_a e_b + S m_b e_a + e_a e_b. */
static hb_quality product(const hb_params *params, uint32_t limbs, hb_error_factor a, hb_error_factor b)
{
    const double scale = log_scale(params, limbs);
    const hb_quality left = hb_error_times(params, b.error, at_scale(a.values, scale));
    const hb_quality right = hb_error_times(params, a.error, at_scale(b.values, scale));
    const hb_quality both = errors_product(params, a.error, b.error);
    hb_quality all = hb_error_together(params, hb_error_together(params, left, right), both);
    const double few = hb_error_in_few(params, all);
    all.systematic =
        hb_error_systematic_aligned(hb_error_systematic_aligned(left.systematic, right.systematic), both.systematic);
    return hb_error_with_few(params, all, few);
}

/* Returns the expected error e m where both depend on the same values. With m = most U^a and e = peak U^b it is 2^(most
 * + peak) / sqrt(2 (a + b) + 1), so of powers of one uniform variable; of products of several it is less: of j of them
 * and k of the same, where a mean square is 1/3 of the largest for each, 1/5 for those in both. The middle of the two
 * is taken. */
static double expected_beside(hb_quality e, hb_magnitude m)
{
    const double peak = hb_error_peak(e), mean = fmin(m.mean, m.most);
    const double left = 2 * (m.peak - mean), right = 2 * (peak - hb_quality_even(e));
    const double powers = log2(exp2(left) + exp2(right) - 1);
    const double products = fmin(left, right) * log2(5) / log2(3) + fabs(left - right);
    return m.peak + peak - (powers + products) / 4;
}

/* For related factors, as x^2 and x or x y and x z are, errors add up more than they mix at random: those of x^3 are 2
 * x (x e) + x^2 e. */
hb_quality hb_error_multiply(const hb_params *params, uint32_t limbs, hb_error_factor a, hb_error_factor b)
{
    hb_quality result = product(params, limbs, a, b);
    if (a.related || b.related) {
        const double both = hb_quality_even(a.error) + hb_quality_even(b.error) - log2(hb_error_tail(params));
        const double terms = hb_log_sum(expected_beside(a.error, b.values), expected_beside(b.error, a.values));
        const double few = hb_error_in_few(params, result) + 0.5;
        result.even = hb_log_root(log_scale(params, limbs) + terms, both);
        result = hb_error_with_few(params, result, few);
    }
    return hb_error_bounded(with_rescaled_values(params, limbs, result, product_of(a.values, b.values)));
}

/* 2 S m e + e^2: the two terms in the middle are one. The square of an exponential has twice the square of its mean. */
hb_quality hb_error_square(const hb_params *params, uint32_t limbs, hb_error_factor a)
{
    const double scale = log_scale(params, limbs), tail = log2(hb_error_tail(params)), peak = hb_error_peak(a.error);
    hb_quality square = product(params, limbs, a, a);
    const double few = hb_error_in_few(params, square) + 0.5;
    square.even =
        hb_log_root(1 + scale + expected_beside(a.error, a.values), 2 * hb_quality_even(a.error) - tail + 0.5);
    square.peak = hb_log_root(1 + scale + a.values.peak + peak, 2 * peak - tail + 0.5);
    square = hb_error_with_few(params, square, few);
    return hb_error_bounded(with_rescaled_values(params, limbs, square, hb_magnitude_squared(a.values)));
}

hb_quality hb_error_multiply_plain(const hb_params *params, uint32_t limbs, hb_error_factor a, hb_magnitude plain,
                                   bool constant)
{
    hb_error_factor b = {.values = plain};
    if (constant) { /* one coefficient, which the transform makes without error */
        b.error = hb_error_bounded(hb_error_in_all(params, 0.5, sqrt(HB_ROUNDING_VARIANCE)));
    } else {
        b.error = hb_error_bounded(hb_error_of(params, hb_error_rounded(hb_error_degree(params), 0.5, 1)));
        b.error = hb_error_transformed(params, limbs, b.error, plain);
    }
    return hb_error_multiply(params, limbs, a, b);
}

/* The error of key switching before the division by more than P: acc_0 + acc_1 s = P g s' + sum over J of g_J e_J
 * modulo QP, for digits g_J. Over P; the mean square of a digit's coefficient is a third of that of its largest value,
 * of a sum of w words a w-th of it.
 *
 * Digits in [0, q_J) have the mean q_J/2: times 1 + X + ... + X^(N-1) = 2 / (1 - X), whose mean square at the roots
 * is N, as for random coefficients; but at exp(i pi / N), in slot 0, it is 2N / pi, and little elsewhere. That slot's
 * error is as large as the key's errors there: of a single slot, 3 in 5 are below one deviation. */
static hb_quality switched(const hb_params *params, uint32_t limbs, hb_key_errors error)
{
    const double n = hb_error_degree(params);
    double digits = 0, squares = 0;
    for (uint32_t j = 0; j < params->gadget.levels[limbs].digits; j++) {
        const double ratio = hb_digit_bound(params, j, limbs);
        digits += ratio;
        squares += ratio * ratio / hb_gadget_limbs(&params->gadget, j, limbs);
    }
    hb_quality sum = hb_error_of(params, (hb_error_part){n * error.most * digits, sqrt(n) * error.most * digits,
                                                         n * sqrt(error.variance * squares / 3)});
    if (!params->gadget.centred) {
        const double mean = sqrt(n * error.variance * squares) / 2;
        sum = hb_error_with_few(params, sum, log2(mean / sin(acos(-1) / (2 * n))));
    }
    return sum;
}

hb_quality hb_error_switch(const hb_params *params, uint32_t limbs, hb_quality a, hb_switch_use use)
{
    const double most = hb_division_error(params->special_limbs);
    const hb_quality keys = switched(params, limbs, hb_error_of_key(params, use));
    return hb_error_with(params, hb_error_bounded(hb_error_together(params, a, keys)),
                         hb_error_rounded(hb_error_degree(params), most, 2));
}

/* A step adds a rotation, and n = N/2 slots become as many sums. Errors of a's slots end up in one number in all slots:
 * n times their common part, sqrt(n) times the rest. That of a step with 2^r sums behind it comes 2^r times into its
 * mean square, n - 1 times from all steps; it is the same in every n / 2^r-th slot, so that of the mean square of its
 * sum over the slots, n (4^r) of the steps and n (n^2 - 1) / 3 of all, about a third is of one number. Systematic
 * errors add up: n times the root of their mean square, at most. */
static hb_quality sum_of(const hb_params *params, uint32_t limbs, hb_quality a, double slots)
{
    const hb_quality step = hb_error_switch(params, limbs, (hb_quality){0}, HB_SWITCH_GALOIS);
    const double values = hb_quality_even(a) + log2(slots * slots * a.common + slots * (1 - a.common)) / 2;
    const double keys = hb_quality_even(step) + log2(slots - 1) / 2;
    hb_quality sum = a;
    for (double n = slots; n > 1; n /= 2) {
        sum = hb_error_bounded(hb_error_together(params, sum, hb_error_switch(params, limbs, sum, HB_SWITCH_GALOIS)));
    }
    sum.even = sum.peak = hb_log_root(values, keys);
    sum.systematic = hb_error_systematic_shifted(a.systematic, log2(slots));
    sum.systematic.most = slots == hb_error_degree(params) / 2 ? sum.systematic.mean : sum.systematic.most;
    if (slots == hb_error_degree(params) / 2) {
        sum.common = hb_error_share(values, sum.even) + hb_error_share(keys, sum.even) / 3;
    } else {
        sum.common = hb_error_share(hb_quality_even(a) + log2(slots) + log2(a.common) / 2, sum.even);
    }
    return hb_error_bounded(hb_error_with_few(params, sum, hb_error_in_few(params, step) + log2(log2(slots)) / 2));
}

hb_quality hb_error_sum_slots(const hb_params *params, uint32_t limbs, hb_quality a)
{
    return sum_of(params, limbs, a, hb_error_degree(params) / 2);
}

hb_quality hb_error_sum_window(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t terms)
{
    return terms > 1 ? sum_of(params, limbs, a, terms) : a;
}

/* Components become (c_i + d_i) / q, |d_i| <= q/2. */
hb_quality hb_error_rescale(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t size)
{
    const double most = hb_division_error(hb_params_level_limbs(params));
    return hb_error_with(params, hb_error_shifted(params, a, -log_divisor(params, limbs)),
                         hb_error_rounded(hb_error_degree(params), most, size));
}

/* One rounding where P and q are divided by at once; where one by one, that of P comes over q. */
hb_quality hb_error_relinearize_rescale(const hb_params *params, uint32_t limbs, hb_quality a)
{
    const hb_quality sum =
        hb_error_shifted(params, hb_error_switch(params, limbs, a, HB_SWITCH_RELIN), -log_divisor(params, limbs));
    return hb_error_with(params, sum,
                         hb_error_rounded(hb_error_degree(params), hb_division_error(params->special_limbs + 1), 2));
}

/* F (S_l m + e) / q, F = S_k q / S_l rounded to an integer, has the error (F e + (F - S_k q / S_l) S_l m) / q, and then
 * that of rescaling. */
hb_quality hb_error_adjust(const hb_params *params, uint32_t limbs, hb_error_factor a, uint32_t to)
{
    if (to == limbs) {
        return a.error;
    }
    const uint32_t above = to + hb_params_level_limbs(params);
    const hb_exact_scale s = hb_ckks_scale(params, limbs), q = hb_ckks_divisor(&params->spec, above);
    const hb_exact_scale factor = hb_exact_scale_divide(hb_exact_scale_multiply(hb_ckks_scale(params, to), q), s);
    const double off = distance_from_integer(factor);
    const hb_quality rounding = hb_error_in_all(params, off, off);
    const hb_quality product =
        hb_error_together(params, hb_error_shifted(params, a.error, hb_log_sum(hb_exact_scale_log2(factor), -1)),
                          hb_error_times(params, rounding, at_scale(a.values, hb_exact_scale_log2(s))));
    return hb_error_rescale(params, above, hb_error_bounded(product), 2);
}

/* With diagonals p_d, encoded with errors f_d, and rotations r_d (9.9), the result is, times P q over the scale of the
 * diagonals, sum of p_d r_d(P x + k_d): P x exactly, k_d the error of key switching before the division by P, which
 * happens in the sum alone. So the error is
 *     sum p_d r_d(e) + sum f_d r_d(S m + e) + sum p_d r_d(k_d) / P + sum over giant steps (d_g s + k_g / P)
 * over q, d_g the rounding of component 1 that a giant step switches, and then the rounding of both. */
static hb_quality linear(const hb_params *params, uint32_t limbs, hb_error_factor a, const hb_linear_size *size,
                         const hb_linear_scales *scales, double drawn)
{
    const double n = hb_error_degree(params);
    const double held = size->period > 0 ? 2 * (double)size->period : n; /* coefficients of a diagonal that are not 0 */
    hb_error_part rounding = hb_error_rounded(held, 0.5, 1),
                  step_rounding = hb_error_rounded(n, hb_division_error(params->special_limbs), 2);
    const double most = hb_error_row_most(size);
    const hb_magnitude rows = {size->most, size->mean, 0, size->most},
                       scaled = at_scale((hb_magnitude){most, fmin(size->mean, most), 0, most}, scales->diagonals);
    const double count = log2((double)size->diagonals), giants = log2((double)size->giants);
    hb_quality key = switched(params, limbs, hb_error_of_key(params, HB_SWITCH_GALOIS));
    /* Drawn errors of few coefficients may be as large as all of these together, which bounds them as well. */
    const double share = drawn < 1 ? drawn * sqrt(n / held) : 1;
    rounding.worst *= share;
    step_rounding.worst *= drawn;
    key.worst += log2(drawn);
    /* Errors of the diagonals, of which there are `count`, meet the values; a sum of drawn ones is one, as many times
     * larger as the root of their number, and no larger than all of them together. */
    const double together = drawn < 1 ? fmin(count / 2, count - log2(share)) : count;
    hb_quality encoded =
        hb_error_times(params, hb_error_of(params, rounding), (hb_magnitude){together, count / 2, 0, count});
    encoded = hb_error_together(params, encoded, transformed(params, scales->diagonals, (hb_quality){0}, rows));
    hb_quality sum = hb_error_together(params, hb_error_times(params, a.error, scaled),
                                       hb_error_times(params, encoded, at_scale(a.values, scales->operand)));
    sum.worst = hb_log_sum(sum.worst, a.error.worst + encoded.worst);
    sum.norm = hb_log_sum(sum.norm, hb_quality_known_norm(a.error) + encoded.worst);
    sum = hb_error_together(params, sum, hb_error_times(params, key, scaled));
    sum.systematic = hb_error_systematic_shifted(hb_error_systematic_rows(a.error.systematic, size), scales->diagonals);
    if (size->giants > 0) {
        const hb_quality step = hb_error_together(params, hb_error_of(params, step_rounding), key);
        sum =
            hb_error_together(params, sum, hb_error_times(params, step, (hb_magnitude){giants, giants / 2, 0, giants}));
    }
    return sum;
}

static hb_quality divided(const hb_params *params, uint32_t limbs, hb_quality sum, double drawn)
{
    hb_error_part rounding = hb_error_rounded(hb_error_degree(params), hb_division_error(params->special_limbs + 1), 2);
    rounding.worst *= drawn;
    return hb_error_with(params, hb_error_shifted(params, sum, -log_divisor(params, limbs)), rounding);
}

hb_quality hb_error_linear_at(const hb_params *params, uint32_t limbs, hb_error_factor a, const hb_linear_size *size,
                              const hb_linear_scales *scales)
{
    const double drawn = hb_error_drawn(params);
    return divided(params, limbs, linear(params, limbs, a, size, scales, drawn), drawn);
}

hb_quality hb_error_linear(const hb_params *params, uint32_t limbs, hb_error_factor a, const hb_linear_size *size)
{
    const double scale = log_scale(params, limbs);
    const hb_quality sum = linear(params, limbs, a, size, &(hb_linear_scales){scale, scale}, 1);
    const double most = hb_error_row_most(size);
    const hb_magnitude values = {a.values.most + most, fmin(a.values.mean, a.values.most) + fmin(size->mean, most), 0,
                                 a.values.peak + most};
    return divided(params, limbs, with_rescaled_values(params, limbs, sum, values), 1);
}

/* |S m + e| <= S |m| + |e|, of coefficients as of slots. Decoding takes integers below 2^127 (codec.h). */
double hb_error_room(const hb_params *params, uint32_t limbs, hb_quality a)
{
    const double half = fmin(hb_log_modulus(params, limbs), 128) - 1 - HB_BOUND_SLACK;
    if (a.worst >= half) {
        return -INFINITY;
    }
    return half + log2(1 - exp2(a.worst - half)) - log_scale(params, limbs);
}

double hb_error_bits(const hb_params *params, uint32_t limbs, double log2_error)
{
    return log_scale(params, limbs) - log2_error;
}

hb_status hb_error_require_fresh(const hb_params *params, bool public_key)
{
    const double worst = hb_error_fresh(params, public_key, HB_BINOMIAL).worst;
    const double bits = hb_error_bits(params, params->fresh_limbs, worst);
    if (bits >= 1) {
        return HB_OK;
    }
    return HB_FAIL(HB_ECONFIG,
                   "a scale of 2^%" PRIu32 " leaves ciphertexts made with the %s key no precision: %.1f bits too few "
                   "are proven; take a scale of 2^%.0f or more",
                   params->spec.ckks.scale_bits, public_key ? "public" : "secret", hb_decimal_up(1 - bits, 1),
                   ceil(worst + 1));
}
