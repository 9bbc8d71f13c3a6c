/* Bounds of the errors of polynomials against the errors of decoded slots: none is above the proven bound, root mean
 * squares are near the expected ones. Seeds are fixed. "t_polynomial_error all" prints a row for each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ckks/polynomial.h"
#include "reference/random_chain.h"
#include "reference/real_tally.h"

enum { MOST_DEGREE = 127, KINDS = 4 };

static bool print_rows;

/* Coefficients that fall off as those of smooth functions do, or none does; all, odd or even ones. */
static void draw_coefficients(real_world *w, double *c, uint32_t degree, uint32_t kind)
{
    const double falls = kind == 0 || kind == 2 ? pow(0x1p-20, 1.0 / degree) : 1;
    for (uint32_t k = 0; k <= degree; k++) {
        const bool there = kind < 2 || k % 2 == (kind == 2);
        const double number = 2 * real_random(w) - 1;
        c[k] = there ? number * pow(falls, k) / (falls < 1 ? 1 : degree) : 0;
    }
}

static long double evaluate_clear(const hb_chebyshev *p, long double x)
{
    long double before = 1, last = x, sum = p->coefficients[0] + p->coefficients[1] * x;
    for (uint32_t k = 2; k <= p->degree; k++) {
        const long double next = 2 * x * last - before;
        before = last;
        last = next;
        sum += p->coefficients[k] * next;
    }
    return sum;
}

static real evaluate(real_world *w, const real *a, const hb_chebyshev *p)
{
    const hb_polynomial_spec spec = {real_limbs(a), 0};
    hb_polynomial *plan;
    void *work;
    assert_int_equal(hb_ckks_polynomial_open(w->params, &spec, p, &plan), HB_OK);
    assert_int_equal(hb_alloc(w->engine, plan->words * sizeof(uint64_t), &work), HB_OK);
    real r = real_new(w, plan->result_limbs);
    for (size_t i = 0; i < w->slots; i++) {
        r.slots[i] = evaluate_clear(p, a->slots[i]);
    }
    assert_int_equal(hb_ckks_polynomial_apply(w->f.evaluator, r.c, a->c, plan,
                                              hb_switch_keys_find(&w->f.keys, HB_RELINEARIZATION),
                                              (hb_workspace){work, plan->words}),
                     HB_OK);
    const hb_error_factor x = {a->quality, a->values, false};
    assert_int_equal(hb_error_polynomial(w->params, &spec, p, x, 0, &r.quality), HB_OK);
    hb_free(w->engine, work);
    hb_ckks_polynomial_close(plan);
    real_measure_values(w, &r);
    return r;
}

/* For an operand that is fresh, or a product. */
static void check_one(real_world *w, uint32_t degree, uint32_t kind, bool product, tally *to)
{
    double c[MOST_DEGREE + 1];
    draw_coefficients(w, c, degree, kind);
    real a = real_encrypted(w, kind % 2 == 0);
    if (product) {
        const real b = real_encrypted(w, false);
        a = real_multiply(w, &a, &b);
    }
    const real r = evaluate(w, &a, &(hb_chebyshev){degree, c});
    tally one = no_tally;
    check(w, &r, &one);
    if (print_rows) {
        const double scale = log2(real_scale(w, real_limbs(&r)));
        const real_errors e = real_measure(w, &r);
        printf("%5u %u %d x %5.2f/%5.2f  bits %6.2f  rms off %5.2f  max off %5.2f  proven off %6.2f  proven %6.2f\n",
               degree, kind, product, a.values.most, a.values.mean, -log2(e.largest), one.sum,
               r.quality.expected - scale - log2(e.largest), one.slack, scale - r.quality.worst);
    }
    tally_add(to, one.sum, one.slack);
    real_world_forget(w);
}

static tally check_many(const char *preset, size_t n, const uint32_t *degrees, size_t count)
{
    tally all = no_tally;
    real_world w;
    real_world_open(&w, preset, n, 5);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t kind = 0; kind < KINDS; kind++) {
            check_one(&w, degrees[i], kind, false, &all);
            check_one(&w, degrees[i], kind, true, &all);
        }
    }
    real_world_close(&w);
    return all;
}

static void expect_near(const char *preset, const uint32_t *degrees, size_t count)
{
    const tally all = check_many(preset, 2048, degrees, count);
    if (all.least < -1.5 || all.most > 1.5 || all.within < all.count * 9 / 10) {
        fail_msg("%s: expected is %.2f to %.2f bits off, %zu of %zu within one", preset, all.least, all.most,
                 all.within, all.count);
    }
}

static const uint32_t degrees[] = {2, 3, 7, 15, 31, 63, 119};

static void test_bounds(void **state)
{
    (void)state;
    expect_near("ckks-14", degrees, 5);
    expect_near("ckks-15", degrees + 2, 5);
    expect_near("two-primes", degrees, 5);
    expect_near("seal-ckks-16384", degrees, 5);
}

/* No error is above the proven bound, however far primes are from the scale; where they are too far a polynomial is
 * refused. */
static void test_random_chains(void **state)
{
    (void)state;
    enum { CHAINS = 32 };
    real_world draw = {.random = 5};
    uint32_t evaluated = 0;
    for (uint32_t i = 0; i < CHAINS; i++) {
        const hb_params_spec spec = chain_random(&draw, i % 4 != 0);
        const uint32_t levels = spec.key_limbs - 2, degree = 1 + real_choice(&draw, (1U << levels) - 1);
        double c[MOST_DEGREE + 1];
        real_world w;
        hb_polynomial *plan;
        real_world_open_spec(&w, &spec, i + 1);
        draw_coefficients(&w, c, degree, 1);
        const hb_chebyshev p = {degree, c};
        const hb_status st =
            hb_ckks_polynomial_open(w.params, &(hb_polynomial_spec){w.params->data_limbs, 0}, &p, &plan);
        assert_true(st == HB_OK || (st == HB_ECONFIG && spec.ckks.like_seal));
        if (st == HB_OK) {
            tally all = no_tally;
            hb_ckks_polynomial_close(plan);
            check_one(&w, degree, 1, false, &all);
            evaluated++;
        }
        real_world_close(&w);
    }
    assert_true(evaluated > CHAINS / 4);
}

/* The error of a polynomial is the same for near values, so that a sum over the slots has it once for each slot; errors
 * of ciphertexts are independent, and a sum has the root of their number of them. */
static void test_misses_add_up(void **state)
{
    (void)state;
    real_world w;
    const double error = 0x1p-12;
    double c[] = {0.5, 0.25, 0, -0.125};
    real_world_open(&w, "ckks-13", 2048, 7);
    const real a = real_encrypted(&w, true);
    const hb_polynomial_spec spec = {real_limbs(&a), 0};
    const hb_chebyshev p = {3, c};
    hb_quality exact, missed;
    assert_int_equal(hb_error_polynomial(w.params, &spec, &p, (hb_error_factor){a.quality, a.values, false}, 0, &exact),
                     HB_OK);
    assert_int_equal(
        hb_error_polynomial(w.params, &spec, &p, (hb_error_factor){a.quality, a.values, false}, error, &missed), HB_OK);
    const uint32_t limbs = real_limbs(&a) - 2;
    const double scale = log2(real_scale(&w, limbs)), slots = log2((double)w.slots);
    assert_true(exact.common == 0 && exact.systematic.most == 0);
    assert_true(fabs(missed.systematic.most - scale - log2(error)) < 1e-6 &&
                missed.systematic.mean < missed.systematic.most);
    const double alone = hb_error_sum_slots(w.params, limbs, exact).expected - scale,
                 sum = hb_error_sum_slots(w.params, limbs, missed).expected - scale;
    assert_true(alone < log2(error) && alone > -scale);
    /* It is bounded as the largest of one slot, and taken to be somewhat less in the mean. */
    assert_true(sum < log2(error) + slots && sum > log2(error) + slots - 2);
    /* Nor do values of the mean 0 make it one that goes both ways, for they may have the same origin. */
    const hb_magnitude values = {0, log2(1 / sqrt(3)), 0, 0};
    const hb_error_factor x = {a.quality, values, false};
    const hb_quality product = hb_error_multiply(w.params, limbs, (hb_error_factor){missed, values, false}, x);
    const double all = hb_error_sum_slots(w.params, limbs, product).expected - 2 * scale;
    assert_true(all < log2(error) + slots && all > log2(error) + slots - 3);
    const hb_quality drawn = hb_error_multiply(w.params, limbs, (hb_error_factor){exact, values, false}, x);
    assert_true(hb_error_sum_slots(w.params, limbs, drawn).expected - 2 * scale < alone + 1);
    /* Where values are largest all of it may be: of the largest slot nothing is taken off for the mean. */
    assert_true(product.expected - 2 * scale > log2(error) && product.expected - 2 * scale < log2(error) + 0.5);
    real_world_close(&w);
}

/* The error of an odd function is odd as well, so that the error times x has a mean, though x has none: for x^5, by the
 * polynomial of degree 3 nearest to it, and evenly spread x. */
static void test_misses_have_a_mean(void **state)
{
    (void)state;
    real_world w;
    real_world_open(&w, "ckks-13", 2048, 7);
    const real a = real_encrypted(&w, true);
    const hb_polynomial_spec spec = {real_limbs(&a), 0};
    double c[] = {0, 0.625, 0, 0.3125}, most = 0, mean = 0; /* x^5 is this and T_5 / 16 */
    const hb_chebyshev p = {3, c};
    hb_quality missed;
    assert_int_equal(
        hb_error_polynomial(w.params, &spec, &p, (hb_error_factor){a.quality, a.values, false}, 0x1p-4, &missed),
        HB_OK);
    for (uint32_t i = 0; i < w.slots; i++) {
        const double x = (2 * i + 1) / (double)w.slots - 1, error = hb_chebyshev_value(&p, x) - pow(x, 5);
        most = fmax(most, fabs(error));
        mean += error * x;
    }
    const uint32_t limbs = real_limbs(&a) - 2;
    const double scale = log2(real_scale(&w, limbs));
    const hb_magnitude values = {0, log2(1 / sqrt(3)), 0, 0};
    const hb_error_factor left = {missed, values, false}, right = {a.quality, values, false};
    const hb_quality product = hb_error_multiply(w.params, limbs, left, right);
    const double sum = exp2(hb_error_sum_slots(w.params, limbs, product).expected - 2 * scale);
    assert_true(most <= 0x1p-4 + 0x1p-40 && fabs(mean) > most * sqrt((double)w.slots));
    assert_true(sum >= fabs(mean) && sum <= most * (double)w.slots);
    real_world_close(&w);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (hb_seed_start() != HB_OK) {
        return 1;
    }
    print_rows = argc > 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds), cmocka_unit_test(test_random_chains),
                                       cmocka_unit_test(test_misses_add_up), cmocka_unit_test(test_misses_have_a_mean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
