/* Linear combinations of polynomials: the kernel of every instruction set and the operation, against __int128. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/cpu_private.h"
#include "reference/toy.h"
#include "unit/unit.h"

/* FP64 and integer; around the limits of narrow words and of the terms that there is room for. */
static const uint64_t moduli[] = {2,
                                  13,
                                  97,
                                  (1ull << 43) - 57,
                                  (1ull << 48) - 59,
                                  (1ull << 50) - 27,
                                  (1ull << 55) - 55,
                                  (1ull << 60) - 93,
                                  (1ull << 61) - 1};
enum { MODULI = sizeof moduli / sizeof *moduli, TERMS = 1300, GAP = 6 };

static uint64_t rows[TERMS][HB_CPU_TILE_WORDS], weights[HB_CPU_TILE_OUTPUTS][TERMS];
static uint64_t before[HB_CPU_TILE_OUTPUTS][HB_CPU_TILE_WORDS], sums[HB_CPU_TILE_OUTPUTS][HB_CPU_TILE_WORDS];

static uint64_t draw(uint64_t m, bool largest, uint64_t *random)
{
    return largest ? m - 1 : slow_random(random) % m;
}

static uint64_t slow_sum(uint32_t o, uint32_t terms, size_t j, uint64_t m)
{
    slow_wide sum = before[o][j];
    for (uint32_t i = 0; i < terms; i++) {
        sum = (sum + (slow_wide)weights[o][i] * rows[i][j]) % m;
    }
    return (uint64_t)sum;
}

static void check_tile(const hb_cpu_kernels *kernels, const hb_modulus *m, uint32_t outputs, uint32_t terms,
                       bool largest)
{
    uint64_t random = terms + outputs;
    hb_cpu_tile tile = {.rows = (const uint64_t(*)[HB_CPU_TILE_WORDS])rows, .terms = terms, .outputs = outputs};
    for (uint32_t i = 0; i < terms * HB_CPU_TILE_WORDS; i++) {
        rows[i / HB_CPU_TILE_WORDS][i % HB_CPU_TILE_WORDS] = draw(m->value, largest, &random);
    }
    for (uint32_t o = 0; o < outputs; o++) {
        for (uint32_t i = 0; i < terms; i++) {
            weights[o][i] = draw(m->value, largest, &random);
        }
        for (size_t j = 0; j < HB_CPU_TILE_WORDS; j++) {
            before[o][j] = sums[o][j] = draw(m->value, largest, &random);
        }
        tile.sums[o] = sums[o];
        tile.weights[o] = weights[o];
    }
    kernels->tile(&tile, HB_CPU_TILE_WORDS, m, m->f64 != 0);
    for (uint32_t o = 0; o < outputs; o++) {
        for (size_t j = 0; j < HB_CPU_TILE_WORDS; j += 3) {
            assert_true(sums[o][j] == slow_sum(o, terms, j, m->value));
        }
    }
}

static void test_tiles(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 3, 4, 5, 16, 17, 300, TERMS};
    const hb_cpu_kernels *kernels;
    for (uint32_t set = 0; (kernels = hb_cpu_kernels_at(set)) != NULL; set++) {
        for (size_t i = 0; i < MODULI; i++) {
            hb_modulus m;
            assert_int_equal(hb_modulus_init(&m, moduli[i]), HB_OK);
            for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
                const uint32_t outputs = (uint32_t)(k + i) % HB_CPU_TILE_OUTPUTS + 1;
                check_tile(kernels, &m, outputs, counts[k], false);
                check_tile(kernels, &m, outputs, counts[k], true);
            }
        }
    }
}

static uint64_t weight_of(const toy *t, const hb_combination *x, uint32_t o, uint32_t i, uint32_t l)
{
    const size_t at = (size_t)o * x->inputs + i, n = t->ring.n;
    return *toy_at(t, x->weights, at / n, l, at % n);
}

static void check_output(const toy *t, const hb_combination *x, uint32_t o)
{
    const hb_batch r = x->r[o];
    for (size_t at = 0; at < r.count * r.limbs * t->ring.n; at++) {
        const size_t j = at % t->ring.n, c = at / t->ring.n / r.limbs;
        const uint32_t l = (uint32_t)(at / t->ring.n % r.limbs);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < x->inputs; i++) {
            const uint64_t product = slow_mul(*toy_at(t, x->a[i], c, l, j), weight_of(t, x, o, i, l), moduli[l]);
            sum = (uint64_t)(((slow_wide)sum + product) % moduli[l]);
        }
        assert_true(*toy_at(t, r, c, l, j) == sum);
    }
}

/* One input may come again. */
static void check_combination(uint32_t outputs, uint32_t inputs, uint32_t log_n, size_t count)
{
    enum { OUTPUTS = 9, INPUTS = 400, DIFFERENT = 5 };
    toy t;
    toy_open(&t, log_n, moduli, MODULI, false);
    uint64_t random = inputs + log_n;
    hb_batch r[OUTPUTS], own[DIFFERENT], a[INPUTS];
    for (uint32_t i = 0; i < DIFFERENT; i++) {
        own[i] = toy_batch(&t, count, MODULI, t.ids, GAP);
        toy_fill(&t, own[i], &random);
    }
    for (uint32_t i = 0; i < inputs; i++) {
        a[i] = own[i % DIFFERENT];
    }
    for (uint32_t o = 0; o < outputs; o++) {
        r[o] = toy_batch(&t, count, MODULI, t.ids, 2);
    }
    const size_t polynomials = hb_combination_polynomials(&t.ring, outputs, inputs);
    assert_true(polynomials * t.ring.n >= (size_t)outputs * inputs);
    hb_batch w = toy_batch(&t, polynomials, MODULI, t.ids, 0);
    toy_fill(&t, w, &random);
    const hb_combination x = {r, a, outputs, inputs, w};
    assert_int_equal(hb_combine(t.engine, &x), HB_OK);
    for (uint32_t o = 0; o < outputs; o++) {
        check_output(&t, &x, o);
        toy_assert_gaps(&t, r[o]);
        toy_free(r[o]);
    }
    for (uint32_t i = 0; i < DIFFERENT; i++) {
        toy_free(own[i]);
    }
    toy_free(w);
    toy_close(&t);
}

static void test_combinations(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 8; log_n++) { /* below, at and above a strip */
        check_combination(3, 7, log_n, 2);
    }
    for (uint32_t outputs = 1; outputs <= 9; outputs++) {
        check_combination(outputs, outputs, 4, 1);
    }
    check_combination(2, 192, 3, 1); /* a chunk, one more than that, two and more */
    check_combination(5, 193, 3, 1);
    check_combination(9, 400, 3, 2);
    check_combination(2, 3, 3, 0);
}

HB_UNIT(cpu_combine)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_combinations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
