/* Noise of exact bits: its distribution at small widths, and that distances are proven. (t_part holds its words to
 * their definition.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/prime.h"
#include "cpu/engine.h"
#include "reference/slow.h"
#include "rlwe/exact_flood.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024, COUNT = 64, ROUNDS = 16 };

static hb_params *open_params(void)
{
    const uint32_t bits[] = {30, 31, 32};
    hb_params_spec spec = {.n = N, .key_limbs = 3, .bfv.plain = 12289, .security = {.level = 128}, .insecure = true};
    hb_params *params;
    assert_int_equal(hb_create_primes(spec.n, bits, spec.key_limbs, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

/* The probability of A - B = d, each of w bits. */
static double triangle(int64_t d, uint32_t w)
{
    const double size = ldexp(1, (int)w);
    return fmax(size - fabs((double)d), 0) / (size * size);
}

/* Takes a coefficient of noise. */
typedef void taker(void *context, int64_t value);

/* The number below half the product of two primes, of 61 bits, that has these residues. */
static int64_t number_of(const uint64_t q[2], uint64_t inverse, uint64_t first, uint64_t second)
{
    const uint64_t digit = slow_mul((second + q[1] - first % q[1]) % q[1], inverse, q[1]);
    const uint64_t value = first + q[0] * digit, product = q[0] * q[1];
    return value > product / 2 ? -(int64_t)(product - value) : (int64_t)value;
}

/* Draws COUNT N coefficients in each round, and takes them out of their residues. */
static void draw(hb_exact_flood flood, uint32_t rounds, taker *take, void *context)
{
    hb_params *params = open_params();
    hb_engine *engine;
    hb_batch c;
    const uint64_t q[2] = {params->spec.primes[0], params->spec.primes[1]};
    const uint64_t inverse = slow_pow(q[0] % q[1], q[1] - 2, q[1]);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(hb_batch_alloc(engine, &c, COUNT, 2, params->ids), HB_OK);
    for (uint32_t round = 0; round < rounds; round++) {
        hb_seed seeds[COUNT] = {{{0}}};
        for (uint8_t i = 0; i < COUNT; i++) {
            seeds[i].bytes[0] = i;
            seeds[i].bytes[1] = (uint8_t)round;
        }
        assert_int_equal(hb_clear(engine, c), HB_OK);
        assert_int_equal(hb_add_exact_flood(engine, c, flood, seeds), HB_OK);
        for (size_t i = 0; i < COUNT * N; i++) {
            const uint64_t *at = c.data + i / N * c.stride + i % N;
            take(context, number_of(q, inverse, at[0], at[N]));
        }
    }
    hb_batch_free(engine, &c);
    hb_engine_close(engine);
    hb_params_close(params);
}

typedef struct tally {
    uint64_t *counts; /* [2 most + 1] */
    int64_t most;
} tally;

static void count_value(void *context, int64_t value)
{
    const tally *t = context;
    assert_true(value >= -t->most && value <= t->most);
    t->counts[value + t->most]++;
}

static void distributions_are_exact(void **state)
{
    (void)state;
    static const hb_exact_flood floods[] = {{1, 1}, {1, 4}, {3, 3}, {5, 2}, {2, 5}};
    for (size_t k = 0; k < sizeof floods / sizeof *floods; k++) {
        const hb_exact_flood flood = floods[k];
        const int64_t most = (int64_t)floor(exp2(hb_exact_flood_most(flood)) + 0.5), step = (int64_t)1 << flood.u;
        const double total = (double)COUNT * N * ROUNDS;
        uint64_t *counts = calloc(2 * (size_t)most + 1, sizeof *counts);
        assert_non_null(counts);
        draw(flood, ROUNDS, count_value, &(tally){counts, most});
        double square = 0, bins = 0;
        for (int64_t f = -most; f <= most; f++) {
            const int64_t above = f + step / 2;
            const int64_t d = above >= 0 ? above / step : -((-above + step - 1) / step);
            const double expected = total * triangle(d, flood.w) / (double)step;
            const double off = (double)counts[f + most] - expected;
            assert_true(expected > 0 || counts[f + most] == 0);
            square += expected > 0 ? off * off / expected : 0;
            bins += expected > 0;
        }
        assert_true(fabs(square - (bins - 1)) < 4 * sqrt(2 * (bins - 1))); /* chi square, with fixed seeds */
        free(counts);
    }
}

/* Noise of widths as parts have them, in bins between its extremes. */
enum { BINS = 1 << 14, MANY_ROUNDS = 160 /* 10^7 coefficients */ };
typedef struct bins {
    uint64_t count[BINS];
    double reach; /* 2^(u + w) */
} bins;

static void put_in_bin(void *context, int64_t value)
{
    bins *b = context;
    const double at = ((double)value / b->reach + 1) / 2 * BINS;
    assert_true(at >= 0 && at < BINS);
    b->count[(size_t)at]++;
}

/* Kolmogorov's distance from the triangle, which noise of so many values is to 2^-w; with a fixed seed. 1 in 1000 of
 * equal distributions would be farther. */
static void wide_noise_is_a_triangle(void **state)
{
    (void)state;
    const hb_exact_flood flood = {10, 40};
    const double total = (double)COUNT * N * MANY_ROUNDS;
    bins *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->reach = ldexp(1, (int)(flood.u + flood.w));
    draw(flood, MANY_ROUNDS, put_in_bin, b);
    double far = 0, below = 0;
    for (size_t i = 0; i < BINS; i++) {
        const double z = 2.0 * (double)(i + 1) / BINS - 1; /* the end of the bin */
        const double expected = z < 0 ? (1 + z) * (1 + z) / 2 : 1 - (1 - z) * (1 - z) / 2;
        below += (double)b->count[i];
        far = fmax(far, fabs(below / total - expected));
    }
    assert_true(far * sqrt(total) < 1.95);
    /* Some of 10^7 come within 2^-9 of the extremes on both sides, as 2^-19 of all do. */
    uint64_t first = 0, last = 0;
    for (size_t i = 0; i < BINS >> 10; i++) {
        first += b->count[i];
        last += b->count[BINS - 1 - i];
    }
    assert_in_range(first, 1, 100);
    assert_in_range(last, 1, 100);
    free(b);
}

/* The exact squared Hellinger distance of A - B and A - B + 1, and what coefficients are charged. */
static void distances_are_proven(void **state)
{
    (void)state;
    for (uint32_t w = 1; w <= 12; w++) {
        double kept = 0, moved = 0;
        for (int64_t d = -(1 << w); d <= 1 << w; d++) {
            kept += sqrt(triangle(d, w) * triangle(d - 1, w));
            moved += fabs(triangle(d, w) - triangle(d - 1, w)) / 2;
        }
        const double proven = exp2(hb_exact_flood_distance(0, w));
        assert_true(sqrt(2 * (1 - kept)) <= proven && moved <= proven);
        assert_true(proven < 1.2 * sqrt(2 * (1 - kept))); /* and no more than it must be */
        assert_true(fabs(hb_exact_flood_distance(20, w) - hb_exact_flood_distance(0, w) - 10) < 1e-9);
    }
}

static void widths_are_the_least(void **state)
{
    (void)state;
    for (uint32_t bits = 20; bits <= 60; bits += 5) {
        for (double coefficients = 10; coefficients <= 40; coefficients += 7.5) {
            const uint32_t w = hb_exact_flood_least_width(coefficients, bits);
            assert_true(hb_exact_flood_distance(coefficients, w) <= -(double)bits);
            assert_true(w == bits || hb_exact_flood_distance(coefficients, w - 1) > -(double)bits);
        }
    }
    assert_int_equal(hb_exact_flood_least_shift(20, 12289), 7); /* 2^20 / 12289 + 2 = 87.3 */
    assert_int_equal(hb_exact_flood_least_shift(0, 12289), 2);  /* 2.0001 */
    assert_int_equal(hb_exact_flood_least_shift(100, 65537), 84);
}

HB_UNIT(exact_flood)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distributions_are_exact),
        cmocka_unit_test(wide_noise_is_a_triangle),
        cmocka_unit_test(distances_are_proven),
        cmocka_unit_test(widths_are_the_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
