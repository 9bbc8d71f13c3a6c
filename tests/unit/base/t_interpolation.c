/* Polynomials through values mod a prime: they go through them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/interpolations.h"
#include "base/modarith.h"
#include "unit/unit.h"

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 3;
}

static uint64_t point(hb_points points, uint64_t i, const hb_modulus *p)
{
    const uint64_t at = points == HB_POINTS_HALF_SQUARES ? hb_mod_add(i, (p->value + 1) / 2, p) : i;
    return points == HB_POINTS_NUMBERS ? at : hb_mod_mul(at, at, p);
}

static void check(uint64_t prime, hb_points points, size_t count, uint64_t *seed)
{
    hb_modulus p;
    assert_int_equal(hb_modulus_init(&p, prime), HB_OK);
    assert_true(hb_points_differ(points, count, prime));
    uint64_t *values = malloc(count * sizeof *values), *c = malloc(count * sizeof *c);
    assert_true(values != NULL && c != NULL);
    for (size_t i = 0; i < count; i++) {
        values[i] = next(seed) % prime;
    }
    assert_int_equal(hb_interpolate_mod(&p, points, values, count, c), HB_OK);
    for (size_t i = 0; i < count; i += count / 100 + 1) {
        const uint64_t x = point(points, i, &p);
        uint64_t sum = 0;
        for (size_t j = count; j-- > 0;) {
            sum = hb_mod_add(hb_mod_mul(sum, x, &p), c[j], &p);
        }
        assert_int_equal(sum, values[i]);
    }
    free(values);
    free(c);
}

/* Short ones, products in halves of odd lengths, and all numbers mod a prime. */
static void through_values(void **state)
{
    (void)state;
    static const uint64_t primes[] = {257, 65537, 1152921504606830593}; /* the last has 60 bits */
    static const size_t counts[] = {1, 2, 3, 64, 65, 127, 128, 131, 1000};
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++) {
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
            for (int points = HB_POINTS_NUMBERS; points <= HB_POINTS_HALF_SQUARES; points++) {
                if (hb_points_differ((hb_points)points, counts[j], primes[i])) {
                    check(primes[i], (hb_points)points, counts[j], &seed);
                }
            }
        }
    }
    check(257, HB_POINTS_NUMBERS, 257, &seed);
    check(257, HB_POINTS_SQUARES, 128, &seed);
    check(257, HB_POINTS_HALF_SQUARES, 128, &seed);
    check(65537, HB_POINTS_NUMBERS, 20000, &seed);
    assert_false(hb_points_differ(HB_POINTS_NUMBERS, 258, 257));
    assert_false(hb_points_differ(HB_POINTS_SQUARES, 129, 257));
}

/* A cached result equals a new one, also for others of the same length, and after many more. */
static void found_again(void **state)
{
    (void)state;
    enum { COUNT = 100, ASKED = 80 };
    hb_interpolations *found = NULL;
    hb_modulus p[2];
    assert_int_equal(hb_modulus_init(&p[0], 257), HB_OK);
    assert_int_equal(hb_modulus_init(&p[1], 65537), HB_OK);
    assert_int_equal(hb_interpolations_open(&found), HB_OK);
    for (uint64_t i = 0; i < 3 * ASKED; i++) {
        const hb_points points = (hb_points)(i % 3);
        const hb_modulus *prime = &p[i / 3 % 2];
        uint64_t seed = i / 6 % 20, values[COUNT], wanted[COUNT];
        for (size_t j = 0; j < COUNT; j++) {
            values[j] = next(&seed) % prime->value;
        }
        assert_int_equal(hb_interpolate_mod(prime, points, values, COUNT, wanted), HB_OK);
        for (int again = 0; again < 2; again++) {
            uint64_t c[COUNT];
            assert_int_equal(hb_interpolations_find(again ? found : NULL, prime, points, values, COUNT, c), HB_OK);
            assert_memory_equal(c, wanted, sizeof c);
            assert_int_equal(hb_interpolations_find(found, prime, points, values, COUNT, c), HB_OK);
            assert_memory_equal(c, wanted, sizeof c);
        }
        assert_int_equal(hb_interpolations_find(found, prime, points, values, COUNT, values), HB_OK);
        assert_memory_equal(values, wanted, sizeof values);
    }
    hb_interpolations_close(found);
    hb_interpolations_close(NULL);
}

HB_UNIT(interpolation)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(through_values), cmocka_unit_test(found_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
