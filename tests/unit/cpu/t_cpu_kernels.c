/* Row kernels that are compiled once per instruction set, each of them against __int128. Transforms: t_ntt.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/cpu_private.h"
#include "reference/slow.h"
#include "unit/unit.h"

/* The one under test. */
static const hb_cpu_kernels *kernels;

/* Moduli of 1 to 61 bits, around the limits of narrow words and of the terms that there is room for. */
static const uint64_t moduli[] = {2,
                                  3,
                                  13,
                                  17,
                                  97,
                                  (1ull << 20) - 3,
                                  (1ull << 43) - 57,
                                  (1ull << 50) - 27,
                                  (1ull << 50) + 1,
                                  (1ull << 55) - 55,
                                  (1ull << 58) - 27,
                                  (1ull << 59) - 55,
                                  (1ull << 60) - 93,
                                  (1ull << 61) - 1};
enum { MODULI = sizeof moduli / sizeof *moduli, MOST_WORDS = 2 * HB_CPU_BLOCK + 13 };

static uint64_t rows[2 * HB_CPU_MOST_TERMS][MOST_WORDS], result[MOST_WORDS];

/* Words below `limit`: random ones, or at every second place the largest. */
static void fill(uint64_t *x, size_t n, uint64_t limit, bool largest, uint64_t *random)
{
    for (size_t j = 0; j < n; j++) {
        x[j] = largest && j % 2 == 0 ? limit - 1 : slow_random(random) % limit;
    }
}

static hb_cpu_terms make_terms(uint32_t count, bool pairs, uint64_t a_limit, uint64_t m, size_t n, bool largest,
                               uint64_t *random)
{
    hb_cpu_terms terms = {.count = count, .pairs = pairs, .start = largest ? m - 1 : slow_random(random) % m};
    fill(terms.weights, count, m, largest, random);
    for (uint32_t i = 0; i < count; i++) {
        fill(rows[2 * i], n, a_limit, largest, random);
        fill(rows[2 * i + 1], n, m, largest, random);
        terms.a[i] = rows[2 * i];
        terms.b[i] = pairs ? rows[2 * i + 1] : NULL;
    }
    return terms;
}

static uint64_t slow_sum(const hb_cpu_terms *terms, size_t j, uint64_t m)
{
    uint64_t sum = terms->start;
    for (uint32_t i = 0; i < terms->count; i++) {
        const uint64_t product = slow_mul(terms->a[i][j], terms->pairs ? terms->b[i][j] : terms->weights[i], m);
        sum = (uint64_t)(((slow_wide)sum + product) % m);
    }
    return sum;
}

static void check_sum(uint32_t count, bool pairs, bool narrow, const hb_modulus *m, size_t n, bool largest)
{
    uint64_t random = 64 * count + n;
    const uint64_t a_limit = narrow ? 1ull << HB_F64_MAX_BITS : 1ull << HB_MODULUS_MAX_BITS;
    const hb_cpu_terms terms = make_terms(count, pairs, a_limit, m->value, n, largest, &random);
    memset(result, 0xff, sizeof result);
    kernels->sum(result, &terms, n, m, narrow);
    for (size_t j = 0; j < n; j++) {
        assert_true(result[j] == slow_sum(&terms, j, m->value));
    }
    assert_true(n == MOST_WORDS || result[n] == UINT64_MAX);
}

static void sums_are_exact(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 18, 32, 33, 64, HB_CPU_MOST_TERMS};
    for (size_t i = 0; i < MODULI; i++) {
        hb_modulus m;
        assert_int_equal(hb_modulus_init(&m, moduli[i]), HB_OK);
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            for (int way = 0; way < 8; way++) {
                const bool narrow = (way & 2) != 0;
                if (!narrow || m.f64) {
                    check_sum(counts[k], way & 1, narrow, &m, 29, way & 4);
                }
            }
        }
    }
}

/* Rows that end inside a vector, inside a block and behind one. */
static void sums_of_every_length(void **state)
{
    (void)state;
    hb_modulus m;
    assert_int_equal(hb_modulus_init(&m, (1ull << 50) - 27), HB_OK);
    for (int way = 0; way < 4; way++) {
        for (size_t n = 1; n <= 40; n++) {
            check_sum(7, way & 1, way & 2, &m, n, false);
        }
        check_sum(9, way & 1, way & 2, &m, HB_CPU_BLOCK, false);
        check_sum(9, way & 1, way & 2, &m, MOST_WORDS, false);
    }
}

/* r may be any of the rows: the first of many terms, the last, or both factors. */
static void sums_in_place(void **state)
{
    (void)state;
    hb_modulus m;
    uint64_t random = 1, expected[MOST_WORDS];
    assert_int_equal(hb_modulus_init(&m, (1ull << 43) - 57), HB_OK);
    for (int way = 0; way < 4; way++) {
        for (uint32_t row = 0; row < 20; row++) {
            hb_cpu_terms terms = make_terms(10, way & 1, m.value, m.value, MOST_WORDS, false, &random);
            for (size_t j = 0; j < MOST_WORDS; j++) {
                expected[j] = slow_sum(&terms, j, m.value);
            }
            kernels->sum(rows[row], &terms, MOST_WORDS, &m, way & 2);
            assert_true(((way & 1) == 0 && row % 2 == 1) || memcmp(rows[row], expected, sizeof expected) == 0);
        }
    }
}

static void scaling_takes_any_word(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (size_t i = 0; i < MODULI; i++) {
        hb_modulus m;
        assert_int_equal(hb_modulus_init(&m, moduli[i]), HB_OK);
        const uint64_t factors[] = {0, 1, m.value / 2, m.value - 1};
        for (size_t k = 0; k < 4; k++) {
            for (size_t n = 1; n <= 35; n++) {
                for (size_t j = 0; j < n; j++) {
                    rows[0][j] = j % 3 == 0 ? UINT64_MAX - j : slow_random(&random);
                }
                kernels->scale(result, rows[0], factors[k], n, &m);
                for (size_t j = 0; j < n; j++) {
                    assert_true(result[j] == slow_mul(rows[0][j], factors[k], m.value));
                }
                kernels->scale(rows[0], rows[0], factors[k], n, &m);
                assert_memory_equal(rows[0], result, n * sizeof *result);
            }
        }
    }
}

/* Both in [0, 5m), congruent to x + w y and x - w y. */
static void butterflies_are_congruent(void **state)
{
    (void)state;
    hb_modulus m;
    uint64_t random = 3;
    enum { WORDS = 32 };
    assert_int_equal(hb_modulus_init(&m, (1ull << 55) - 55), HB_OK);
    for (int k = 0; k < 100; k++) {
        uint64_t x[WORDS], y[WORDS], a[WORDS], b[WORDS];
        fill(x, WORDS, m.value, k % 2 == 0, &random);
        fill(y, WORDS, m.value, k % 2 == 0, &random);
        memcpy(a, x, sizeof x);
        memcpy(b, y, sizeof y);
        const uint64_t w = slow_random(&random) % m.value;
        kernels->butterflies(x, y, w, WORDS, &m);
        for (size_t j = 0; j < WORDS; j++) {
            const uint64_t product = slow_mul(w, b[j], m.value);
            assert_true(x[j] < 5 * m.value && y[j] < 5 * m.value);
            assert_true(x[j] % m.value == (a[j] + product) % m.value);
            assert_true(y[j] % m.value == (a[j] + m.value - product) % m.value);
        }
    }
}

HB_UNIT(cpu_kernels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(sums_of_every_length),
        cmocka_unit_test(sums_in_place),
        cmocka_unit_test(scaling_takes_any_word),
        cmocka_unit_test(butterflies_are_congruent),
    };
    int failed = 0;
    for (uint32_t i = 0; (kernels = hb_cpu_kernels_at(i)) != NULL; i++) {
        print_message("instruction set: %s\n", kernels->name);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
