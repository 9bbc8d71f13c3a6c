/* Primality against FLINT, prime searches against a walk over every candidate, roots against their definition, and all
 * of it against SEAL's constants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <flint/ulong_extras.h>

#include "base/prime.h"
#include "reference/seal_constants.h"
#include "reference/slow.h"
#include "unit/unit.h"

static void test_is_prime(void **state)
{
    (void)state;
    /* Strong pseudoprimes to the first 1, 2, .. prime bases (OEIS A014233), and Carmichael numbers. */
    static const uint64_t composites[] = {
        2047,          1373653,       25326001,        3215031751,
        2152302898747, 3474749660383, 341550071728321, 3825123056546413051,
        561,           41041,         9746347772161,   4294967291u * (uint64_t)4294967291u /* (2^32 - 5)^2 */};
    for (size_t i = 0; i < sizeof composites / sizeof *composites; i++) {
        assert_false(hb_is_prime(composites[i]));
    }
    for (uint64_t n = 0; n < 1 << 16; n++) {
        assert_int_equal(hb_is_prime(n), n_is_prime(n));
    }
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        const uint64_t n = slow_random(&seed) >> (round % 60);
        assert_int_equal(hb_is_prime(n), n_is_prime(n));
        assert_int_equal(hb_is_prime(UINT64_MAX - (uint64_t)round), n_is_prime(UINT64_MAX - (uint64_t)round));
        const uint64_t p = n_nextprime(n >> 1, 0);
        assert_true(hb_is_prime(p));
        assert_false(p < (uint64_t)1 << 32 && hb_is_prime(p * p));
    }
}

/* The same primes by looking at every number of that size; 0 where they run out. */
static size_t walk_primes(uint64_t step, uint32_t bits, size_t count, uint64_t *primes)
{
    size_t found = 0;
    for (uint64_t v = ((uint64_t)1 << bits) - 1; v >= (uint64_t)1 << (bits - 1) && found < count; v--) {
        if (v % step == 1 % step && n_is_prime(v)) {
            primes[found++] = v;
        }
    }
    return found;
}

static void test_find_primes_small(void **state)
{
    (void)state;
    static const uint64_t steps[] = {1, 2, 3, 16, 60, 2048, 100000};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        for (uint32_t bits = 2; bits <= 14; bits++) {
            for (size_t count = 0; count <= 5; count++) {
                uint64_t primes[5] = {0}, expected[5] = {0}, nothing[5] = {0};
                const bool enough = walk_primes(steps[s], bits, count, expected) == count;
                const hb_status st = hb_find_primes(steps[s], bits, count, primes);
                assert_int_equal(st, enough ? HB_OK : HB_ECONFIG);
                assert_memory_equal(primes, enough ? expected : nothing, sizeof primes);
            }
        }
    }
}

static void test_find_primes_large(void **state)
{
    (void)state;
    for (uint32_t bits = 36; bits <= 61; bits += 5) {
        const uint64_t step = 1 << 18;
        uint64_t primes[200];
        size_t count = bits < 40 ? 8 : 200, next = 0;
        assert_int_equal(hb_find_primes(step, bits, count, primes), HB_OK);
        for (uint64_t v = ((uint64_t)1 << bits) - step + 1; next < count; v -= step) {
            if (n_is_prime(v)) {
                assert_true(primes[next++] == v);
            }
        }
    }
    uint64_t untouched = 7;
    assert_int_equal(hb_find_primes(2048, 1, 1, &untouched), HB_ECONFIG);
    assert_int_equal(hb_find_primes(2048, 62, 1, &untouched), HB_ECONFIG);
    assert_int_equal(hb_find_primes(0, 40, 1, &untouched), HB_ECONFIG);
    assert_true(untouched == 7);
}

/* semantics.md 1.3, values of SEAL itself. */
static void test_create_primes(void **state)
{
    (void)state;
    static const struct {
        size_t n, count;
        uint32_t bits[4];
        uint64_t primes[4];
    } cases[] = {
        {8, 3, {7, 7, 8}, {97, 113, 241}},
        {8, 3, {7, 8, 7}, {97, 241, 113}},
        {8192, 4, {60, 40, 40, 60}, {1152921504606748673, 1099510890497, 1099511480321, 1152921504606830593}},
        {4096, 3, {36, 36, 37}, {68719230977, 68719403009, 137438822401}},
        {4096, 3, {20, 20, 21}, {974849, 1032193, 2056193}},
        {16384, 1, {20}, {786433}},
        {32768, 1, {60}, {1152921504606584833}},
        {1024, 1, {16}, {61441}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t primes[4] = {0};
        assert_int_equal(hb_create_primes(cases[i].n, cases[i].bits, cases[i].count, primes), HB_OK);
        assert_memory_equal(primes, cases[i].primes, sizeof primes);
    }
}

static void test_create_primes_refusals(void **state)
{
    (void)state;
    uint32_t bits[65];
    uint64_t primes[65] = {0};
    const uint64_t nothing[65] = {0};
    for (size_t i = 0; i < 65; i++) {
        bits[i] = 60;
    }
    assert_int_equal(hb_create_primes(1024, bits, 65, primes), HB_ECONFIG);
    assert_int_equal(hb_create_primes(1000, bits, 1, primes), HB_ECONFIG);
    assert_int_equal(hb_create_primes(0, bits, 1, primes), HB_ECONFIG);
    bits[1] = 61;
    assert_int_equal(hb_create_primes(1024, bits, 2, primes), HB_ECONFIG);
    bits[1] = 1;
    assert_int_equal(hb_create_primes(1024, bits, 2, primes), HB_ECONFIG);
    bits[1] = 16; /* appendix B: none for N = 8192, and the entry before is fine */
    assert_int_equal(hb_create_primes(8192, bits, 2, primes), HB_ECONFIG);
    assert_memory_equal(primes, nothing, sizeof primes);
}

static void test_smallest_root_small(void **state)
{
    (void)state;
    for (uint64_t p = 2; p < 300; p++) {
        for (size_t n = 1; n <= 64; n *= 2) {
            uint64_t smallest = 0;
            for (uint64_t x = p - 1; x >= 1; x--) {
                smallest = slow_pow(x, n, p) == p - 1 ? x : smallest;
            }
            const bool defined = n_is_prime(p) && p % (2 * n) == 1;
            assert_int_equal(hb_smallest_root(p, n), defined ? smallest : 0);
        }
    }
    assert_int_equal(hb_smallest_root(0, 8), 0);
    assert_int_equal(hb_smallest_root(1, 8), 0);
    assert_int_equal(hb_smallest_root(97, 0), 0);
    assert_int_equal(hb_smallest_root(n_nextprime((uint64_t)1 << 61, 0), 1), 0);
}

/* semantics.md appendices A, B and C: SEAL's own values. */
static void test_smallest_root_of_seal(void **state)
{
    (void)state;
    static const struct {
        uint64_t p;
        size_t n;
        uint64_t psi;
    } cases[] = {
        {97, 8, 8},
        {132120577, 1024, 73993},
        {68719403009, 4096, 24250113},
        {137438822401, 4096, 8625844},
        {8796092858369, 8192, 1734247217},
        {281474976546817, 16384, 23720796222},
        {36028797017456641, 32768, 1155186985540},
        {72057594037338113, 32768, 724233080554},
        {1032193, 8192, 94},
        {1152921504606584833, 32768, 4443670208963},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(hb_smallest_root(cases[i].p, cases[i].n) == cases[i].psi);
    }
    /* m_sk and gamma */
    static const uint64_t auxiliary[][2] = {
        {2305843009213683713, 2305843009213622273}, {2305843009213616129, 2305843009213554689},
        {2305843009213554689, 2305843009213489153}, {2305843009213317121, 2305843009213120513},
        {2305843009211662337, 2305843009211596801}, {2305843009211662337, 2305843009211596801}};
    for (size_t i = 0; i < 6; i++) {
        uint64_t primes[2];
        assert_int_equal(hb_find_primes((uint64_t)2048 << i, 61, 2, primes), HB_OK);
        assert_memory_equal(primes, auxiliary[i], sizeof primes);
    }
}

/* Every odd power of psi is a root and none is smaller; here at the largest degree. */
static void test_smallest_root_large(void **state)
{
    (void)state;
    const size_t n = 1 << 17;
    uint64_t p, seed = 5;
    assert_int_equal(hb_find_primes(2 * n, 61, 1, &p), HB_OK);
    const uint64_t psi = hb_smallest_root(p, n);
    assert_true(psi != 0 && slow_pow(psi, n, p) == p - 1);
    for (int i = 0; i < 1000; i++) {
        const uint64_t power = slow_pow(psi, 2 * (slow_random(&seed) % n) + 1, p);
        assert_true(power >= psi && slow_pow(power, n, p) == p - 1);
    }
}

static void test_seal_constants(void **state)
{
    (void)state;
    json_t *constants = seal_constants_load();
    const char *key;
    json_t *set;
    json_object_foreach(constants, key, set)
    {
        const size_t n = strtoul(key, NULL, 10), count = json_array_size(json_object_get(set, "primes"));
        const uint32_t plain_bits = 20;
        uint64_t t;
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++) {
            const uint64_t p = seal_constant_at(set, "primes", i);
            assert_true(hb_is_prime(p));
            assert_true(hb_smallest_root(p, n) == seal_constant_at(set, "psi", i));
        }
        assert_int_equal(hb_create_primes(n, &plain_bits, 1, &t), HB_OK);
        assert_int_equal(t, seal_constant(set, "t"));
        assert_int_equal(hb_smallest_root(t, n), seal_constant(set, "psi_t"));
    }
    json_decref(constants);
}

HB_UNIT(prime)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_prime),
        cmocka_unit_test(test_find_primes_small),
        cmocka_unit_test(test_find_primes_large),
        cmocka_unit_test(test_create_primes),
        cmocka_unit_test(test_create_primes_refusals),
        cmocka_unit_test(test_smallest_root_small),
        cmocka_unit_test(test_smallest_root_of_seal),
        cmocka_unit_test(test_smallest_root_large),
        cmocka_unit_test(test_seal_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
