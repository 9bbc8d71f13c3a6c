/* Bounds of the error against the errors of decoded slots: none is above the proven bound, and root mean squares are
 * the expected ones, for every operation by itself (t_random_errors.c has expressions). Seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ckks/linear.h"
#include "ckks/presets.h"
#include "reference/random_chain.h"
#include "reference/real_tally.h"
#include "unit/unit.h"

/* --- operations by themselves */

typedef real (*operation)(real_world *w, const real *a, const real *b);

static real same(real_world *w, const real *a, const real *b)
{
    (void)w, (void)b;
    return *a;
}

static real sum(real_world *w, const real *a, const real *b)
{
    return real_add(w, a, b, HB_PLUS);
}

static real difference(real_world *w, const real *a, const real *b)
{
    return real_add(w, a, b, HB_MINUS);
}

static real twice(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_add(w, a, a, HB_PLUS);
}

static real square(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_multiply(w, a, a);
}

static real cube(real_world *w, const real *a, const real *b)
{
    (void)b;
    const real s = square(w, a, a);
    return real_multiply(w, &s, a);
}

static real eighth_power(real_world *w, const real *a, const real *b)
{
    const real s = square(w, a, b), f = square(w, &s, b);
    return square(w, &f, b);
}

static real by_number(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_multiply_number(w, a, -1.7);
}

static real by_plain(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_multiply_plain(w, a);
}

static real plus_number(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_add_number(w, a, 12.3);
}

static real plus_plain(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_add_plain(w, a);
}

static real rotation(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_rotate(w, a);
}

static real lowest(real_world *w, const real *a, const real *b)
{
    (void)b;
    return real_adjust(w, a, 1);
}

static real low_rotation(real_world *w, const real *a, const real *b)
{
    const real low = lowest(w, a, b);
    return real_rotate(w, &low);
}

static const struct {
    const char *name;
    operation run;
} operations[] = {{"fresh", same},
                  {"sum", sum},
                  {"difference", difference},
                  {"twice", twice},
                  {"product", real_multiply},
                  {"square", square},
                  {"cube", cube},
                  {"eighth power", eighth_power},
                  {"times a number", by_number},
                  {"times a plaintext", by_plain},
                  {"plus a number", plus_number},
                  {"plus a plaintext", plus_plain},
                  {"rotation", rotation},
                  {"adjusted", lowest},
                  {"rotated below", low_rotation}};

static void operations_come_to_what_is_expected(void **state)
{
    (void)state;
    const char *const presets[] = {"ckks-13", "ckks-14", "ckks-16"};
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
            tally all = no_tally;
            for (uint32_t seed = 1; seed <= 6; seed++) {
                real_world w;
                real_world_open(&w, presets[p], 1024, seed);
                const real a = real_encrypted(&w, seed % 2 == 0), b = real_encrypted(&w, seed % 2 == 0);
                const real r = operations[i].run(&w, &a, &b);
                check(&w, &r, &all);
                real_world_close(&w);
            }
            const double mean = all.sum / (double)all.count;
            if (fabs(mean) > 0.25 || all.least < -0.75 || all.most > 0.75) {
                fail_msg("%s, %s: expected less measured %.2f bits, %.2f to %.2f", presets[p], operations[i].name, mean,
                         all.least, all.most);
            }
        }
    }
}

/* --- other operations than those of one or two values */

static void add_key(real_world *w, int64_t step)
{
    const uint32_t element = hb_slots_rotation(&w->params->spec, step);
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_switch_key key = {0};
    if (hb_switch_keys_find(&w->f.keys, element) != NULL) {
        return;
    }
    hb_switch_key_root(&root, &w->f.root, &w->params->spec, element);
    hb_seed_public(seeds, w->params->data_limbs, &root, 0);
    assert_int_equal(hb_switch_key_generate(&key, &w->f.secret, element, &root, seeds), HB_OK);
    assert_int_equal(hb_switch_keys_add(&w->f.keys, &key), HB_OK);
}

/* A map of some diagonals of reals; every second entry of one is 0. */
static real mapped(real_world *w, const real *a)
{
    enum { DIAGONALS = 7, BABY = 4 };
    static const int64_t numbers[DIAGONALS] = {-2, 0, 1, 3, 4, 5, 9};
    const size_t n = w->slots;
    double *values = calloc((size_t)DIAGONALS * 2 * n, sizeof *values);
    assert_non_null(values);
    double most = 0, squares = 0;
    real r = real_new(w, real_limbs(a) - 1);
    memset(r.slots, 0, n * sizeof *r.slots);
    for (size_t d = 0; d < DIAGONALS; d++) {
        double largest = 0;
        for (size_t x = 0; x < n; x++) {
            const double entry = d == 2 && x % 2 == 0 ? 0 : 2 * real_random(w) - 1;
            values[2 * d * n + x] = entry;
            largest = fmax(largest, fabs(entry));
            squares += entry * entry;
            r.slots[x] += entry * a->slots[(x + n + (size_t)(numbers[d] + (int64_t)n)) % n];
        }
        most += largest;
    }
    const hb_diagonals diagonals = {.count = DIAGONALS, .numbers = numbers, .values = values};
    const hb_linear_spec spec = {
        .limbs = real_limbs(a), .baby = BABY, .scale = hb_ckks_scale(w->params, real_limbs(a)), .count = 1};
    int64_t steps[2 * DIAGONALS];
    uint32_t count;
    assert_int_equal(hb_linear_steps(&count, steps, n, BABY, &diagonals), HB_OK);
    for (uint32_t i = 0; i < count; i++) {
        add_key(w, steps[i]);
    }
    hb_linear_map *map;
    assert_int_equal(hb_linear_map_open(w->engine, w->params, &spec, &diagonals, &map), HB_OK);
    assert_int_equal(hb_linear_apply(w->f.evaluator, r.c, a->c, map, &w->f.keys), HB_OK);
    hb_linear_map_close(map);
    free(values);
    const hb_linear_size size = {.diagonals = DIAGONALS,
                                 .giants = 3, /* -4, 4 and 8 */
                                 .most = log2(most),
                                 .mean = log2(squares / (double)n) / 2};
    r.quality = hb_error_linear(w->params, real_limbs(a), (hb_error_factor){a->quality, a->values, false}, &size);
    real_measure_values(w, &r);
    return r;
}

static void maps_come_to_what_is_expected(void **state)
{
    (void)state;
    const char *const presets[] = {"ckks-13", "ckks-14"};
    for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
        tally all = no_tally;
        for (uint32_t seed = 1; seed <= 4; seed++) {
            real_world w;
            real_world_open(&w, presets[p], 1024, seed);
            const real a = real_encrypted(&w, seed % 2 == 0);
            const real once = mapped(&w, &a), again = mapped(&w, &once);
            check(&w, &once, &all);
            check(&w, &again, &all);
            real_world_close(&w);
        }
        if (fabs(all.sum / (double)all.count) > 0.4 || all.least < -0.75 || all.most > 0.75) { /* also where b = 0 */
            fail_msg("%s: expected less measured %.2f to %.2f", presets[p], all.least, all.most);
        }
    }
}

/* No error of a map is above the proven bound, however far primes are from the scale. Chains like SEAL's have no
 * maps. */
static void maps_of_random_chains_are_proven(void **state)
{
    (void)state;
    enum { CHAINS = 24 };
    real_world draw = {.random = 3};
    for (uint32_t c = 0; c < CHAINS; c++) {
        const hb_params_spec spec = chain_random(&draw, false);
        tally all = no_tally;
        real_world w;
        real_world_open_spec(&w, &spec, c + 1);
        const real a = real_encrypted(&w, c % 2 == 0), r = mapped(&w, &a);
        if (r.values.most <= hb_quality_room(w.params, real_limbs(&r), r.quality)) {
            check(&w, &r, &all);
        }
        real_world_close(&w);
    }
}

/* The error of a sum is one number, in every slot: its mean square is that of many sums. And in a sum of sums it comes
 * as often as there are slots. */
static void sums_come_to_what_is_expected(void **state)
{
    (void)state;
    enum { SUMS = 24 };
    double squares[2] = {0}, expected[2] = {0};
    real_world w;
    real_world_open(&w, "ckks-14", 1024, 3);
    for (int i = 0; i < SUMS; i++) {
        const real a = real_encrypted(&w, i % 2 == 0), b = real_encrypted(&w, true);
        const real once = real_sum(&w, &a), both = real_add(&w, &once, &b, HB_PLUS), twice = real_sum(&w, &both);
        const real *const sums[] = {&once, &twice};
        for (int j = 0; j < 2; j++) {
            tally one = no_tally;
            check(&w, sums[j], &one);
            const double mean = log2(real_measure(&w, sums[j]).mean);
            squares[j] += exp2(2 * mean);
            expected[j] += exp2(2 * (mean + one.sum));
        }
        real_world_forget(&w);
    }
    for (int j = 0; j < 2; j++) {
        const double bits = log2(squares[j] / expected[j]) / 2;
        if (fabs(bits) > 0.5) {
            fail_msg("sums of %s: measured above expected by %.2f bits", j == 0 ? "values" : "sums", bits);
        }
    }
    real_world_close(&w);
}

/* Digits that are not centred have a mean, whose part of the error is nearly all in one slot. How large it is there is
 * up to the key, so mean squares over many keys are looked at: of all slots, and of the largest. */
static void digits_with_a_mean_come_to_what_is_expected(void **state)
{
    (void)state;
    enum { KEYS = 24 };
    for (size_t n = 1024; n <= 8192; n *= 8) {
        for (uint32_t limbs = 1, most = limbs; limbs <= most; limbs++) {
            double squares = 0, largest = 0, below = 0;
            for (uint32_t seed = 1; seed <= KEYS; seed++) {
                real_world w;
                real_world_open(&w, "seal-ckks-8192", n, seed);
                most = w.params->data_limbs;
                const real a = real_encrypted(&w, seed % 2 == 0), low = real_adjust(&w, &a, limbs);
                const real r = real_rotate(&w, &low);
                tally one = no_tally;
                check(&w, &r, &one);
                const double scale = log2(real_scale(&w, limbs)), least = log2(real_measure(&w, &r).largest) + scale;
                squares += exp2(-2 * one.sum) / KEYS;
                largest += exp2(2 * (least - r.quality.expected)) / KEYS;
                below += least < r.quality.expected;
                real_world_close(&w);
            }
            const double bits = log2(squares) / 2, few = log2(largest) / 2;
            if (fabs(bits) > 0.6 || fabs(few) > 0.6 || below < KEYS / 3 || below > KEYS * 5 / 6) {
                fail_msg("N = %zu, %u limbs: measured above expected by %.2f bits, the largest by %.2f; below in %g", n,
                         limbs, bits, few, below);
            }
        }
    }
}

/* Plaintexts, whose errors are those of doubles where values are large and of rounding where they are small. */
static void transforms_come_to_what_is_expected(void **state)
{
    (void)state;
    for (int bits = -10; bits <= 14; bits += 4) {
        tally all = no_tally;
        for (uint32_t seed = 1; seed <= 4; seed++) {
            real_world w;
            real_world_open(&w, "ckks-16", 1024, seed);
            real a = real_new(&w, w.params->data_limbs);
            real_draw(&w, a.slots);
            for (size_t i = 0; i < w.slots; i++) {
                a.slots[i] *= ldexpl(1, bits);
            }
            real_measure_values(&w, &a);
            /* An encryption of 0 without errors: it decrypts to the plaintext. */
            const hb_batch plain = real_encode(&w, a.slots, real_limbs(&a));
            assert_int_equal(hb_copy(w.engine, hb_ciphertexts_component(a.c, 0), plain), HB_OK);
            memset(hb_ciphertexts_component(a.c, 1).data, 0, plain.limbs * w.params->spec.n * sizeof(uint64_t));
            const hb_quality none = {0}; /* at most 1 */
            a.quality = hb_quality_add_plain(w.params, none);
            a.quality = hb_quality_transformed(w.params, real_limbs(&a), a.quality, a.values);
            check(&w, &a, &all);
            real_world_close(&w);
        }
        if (fabs(all.sum / (double)all.count) > 0.5 || all.least < -1 || all.most > 1) {
            fail_msg("values of 2^%d: expected less measured %.2f to %.2f", bits, all.least, all.most);
        }
    }
}

/* The largest values that a level holds are decrypted; twice as large ones wrap around. */
static void rooms_are_as_large_as_they_are(void **state)
{
    (void)state;
    real_world w;
    real_world_open(&w, "ckks-14", 1024, 5);
    /* The same number in every slot is one coefficient, as large as slots are; there is none larger. */
    const real x = real_encrypted(&w, true), low = real_adjust(&w, &x, 1), zero = real_add(&w, &low, &low, HB_MINUS);
    const real one = real_add_number(&w, &zero, 1);
    for (int large = 0; large < 2; large++) {
        const double room = exp2(hb_quality_room(w.params, 1, low.quality));
        const double factor = floor(room * (large ? 1.02 : 0.98));
        real r = real_new(&w, 1);
        assert_int_equal(hb_evaluator_multiply_integer(w.f.evaluator, r.c, one.c, (int64_t)factor), HB_OK);
        for (size_t i = 0; i < w.slots; i++) {
            r.slots[i] = factor;
        }
        r.quality = low.quality;
        real_measure_values(&w, &r);
        assert_true((r.values.most <= hb_quality_room(w.params, 1, r.quality)) == (large == 0));
        assert_true((real_measure(&w, &r).largest > 1) == (large == 1));
    }
    assert_true(hb_quality_room(w.params, 1, (hb_quality){.worst = 60}) == -INFINITY);
    real_world_close(&w);
}

static void no_precision_is_refused(void **state)
{
    (void)state;
    hb_params *params;
    hb_params_spec spec = {.n = 65536, .security = {.level = 128}, .insecure = true};
    const hb_ckks_chain chain = {.first_bits = 50, .scale_bits = 33, .levels = 0, .special_limbs = 1};
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    for (uint32_t bits = 24; bits <= 30; bits += 6) {
        spec.ckks.scale_bits = bits;
        if (hb_params_open(&spec, &params) != HB_OK) {
            fail_msg("%s", hb_last_error()->text);
        }
        const double proven =
            hb_error_bits(params, params->data_limbs, hb_error_fresh(params, true, HB_BINOMIAL).worst);
        assert_int_equal(hb_quality_require_fresh(params, true), proven < 1 ? HB_ECONFIG : HB_OK);
        assert_int_equal(hb_quality_require_fresh(params, false), HB_OK);
        assert_true((proven < 1) == (bits == 24));
        hb_params_close(params);
    }
}

HB_UNIT(error)
{
    if (hb_seed_start() != HB_OK) {
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations_come_to_what_is_expected),
                                       cmocka_unit_test(maps_come_to_what_is_expected),
                                       cmocka_unit_test(maps_of_random_chains_are_proven),
                                       cmocka_unit_test(sums_come_to_what_is_expected),
                                       cmocka_unit_test(digits_with_a_mean_come_to_what_is_expected),
                                       cmocka_unit_test(transforms_come_to_what_is_expected),
                                       cmocka_unit_test(rooms_are_as_large_as_they_are),
                                       cmocka_unit_test(no_precision_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
