/* Word-by-word operations of the CPU engine against __int128, on both arithmetics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/toy.h"
#include "unit/unit.h"

/* Moduli of 1 to 61 bits, around the limit of the FP64 path and next to powers of two. */
static const uint64_t moduli[] = {2,
                                  3,
                                  97,
                                  1ull << 20,
                                  (1ull << 43) - 57,
                                  (1ull << 49) + 69,
                                  (1ull << 50) - 27,
                                  (1ull << 50) + 1,
                                  (1ull << 60) - 93,
                                  (1ull << 61) - 1};
enum { MODULI = sizeof moduli / sizeof *moduli, COUNT = 3, GAP = 5 };

typedef enum operation { ADD, SUB, NEGATE, MUL, SCALE, OPERATIONS } operation;

static uint64_t factor_of(uint64_t m)
{
    return m - 1 - m / 3;
}

static uint64_t slow_result(operation op, uint64_t a, uint64_t b, uint64_t m)
{
    switch (op) {
    case ADD:
        return (uint64_t)(((slow_wide)a + b) % m);
    case SUB:
        return (uint64_t)(((slow_wide)a + m - b) % m);
    case NEGATE:
        return (m - a) % m;
    case MUL:
        return slow_mul(a, b, m);
    default:
        return slow_mul(a, factor_of(m), m);
    }
}

static hb_status apply(toy *t, operation op, hb_batch r, hb_batch a, hb_batch b)
{
    uint64_t factors[MODULI];
    for (uint32_t l = 0; l < r.limbs; l++) {
        factors[l] = factor_of(toy_modulus(t, r, l));
    }
    switch (op) {
    case ADD:
        return hb_add(t->engine, r, a, b);
    case SUB:
        return hb_sub(t->engine, r, a, b);
    case NEGATE:
        return hb_negate(t->engine, r, a);
    case MUL:
        return hb_mul(t->engine, r, a, b);
    default:
        return hb_scale(t->engine, r, a, factors);
    }
}

/* a, b: the operands of r, even if r has taken their place since. */
static void assert_result(toy *t, operation op, hb_batch r, hb_batch a, hb_batch b)
{
    for (size_t c = 0; c < r.count; c++) {
        size_t of_b = b.count == 1 ? 0 : c;
        for (uint32_t l = 0; l < r.limbs; l++) {
            for (size_t j = 0; j < t->ring.n; j++) {
                uint64_t expected =
                    slow_result(op, *toy_at(t, a, c, l, j), *toy_at(t, b, of_b, l, j), toy_modulus(t, r, l));
                assert_true(*toy_at(t, r, c, l, j) == expected);
            }
        }
    }
    toy_assert_gaps(t, r);
}

static void check_all(uint32_t log_n, bool integer)
{
    toy t;
    toy_open(&t, log_n, moduli, MODULI, integer);
    uint64_t random = log_n;
    for (size_t b_count = 1; b_count <= COUNT; b_count += COUNT - 1) {
        hb_batch a = toy_batch(&t, COUNT, MODULI, t.ids, GAP), b = toy_batch(&t, b_count, MODULI, t.ids, 2 * GAP);
        toy_fill(&t, a, &random);
        toy_fill(&t, b, &random);
        for (operation op = ADD; op < OPERATIONS; op++) {
            hb_batch r = toy_batch(&t, COUNT, MODULI, t.ids, 0);
            assert_int_equal(apply(&t, op, r, a, b), HB_OK);
            assert_result(&t, op, r, a, b);
            toy_free(r);

            hb_batch on_a = toy_copy(&t, a), on_b = toy_copy(&t, b);
            assert_int_equal(apply(&t, op, on_a, on_a, b), HB_OK);
            assert_result(&t, op, on_a, a, b);
            if (b_count == COUNT) {
                assert_int_equal(apply(&t, op, on_b, a, on_b), HB_OK);
                assert_result(&t, op, on_b, a, b);
            }
            toy_free(on_a);
            toy_free(on_b);
        }
        toy_free(a);
        toy_free(b);
    }
    toy_close(&t);
}

static void test_operations(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 8; log_n++) { /* below, at and above the width of a vector */
        check_all(log_n, false);
        check_all(log_n, true);
    }
}

static void test_all_pairs_of_small_moduli(void **state)
{
    (void)state;
    const uint64_t small[] = {2, 3, 4, 5, 7, 12, 16};
    for (uint32_t i = 0; i < sizeof small / sizeof *small; i++) {
        for (int integer = 0; integer < 2; integer++) {
            toy t;
            toy_open(&t, 8, &small[i], 1, integer);
            hb_batch a = toy_batch(&t, 1, 1, t.ids, 0), b = toy_copy(&t, a), r = toy_copy(&t, a);
            for (size_t j = 0; j < t.ring.n; j++) {
                *toy_at(&t, a, 0, 0, j) = j / 16 % small[i];
                *toy_at(&t, b, 0, 0, j) = j % 16 % small[i];
            }
            for (operation op = ADD; op < OPERATIONS; op++) {
                assert_int_equal(apply(&t, op, r, a, b), HB_OK);
                assert_result(&t, op, r, a, b);
            }
            toy_free(a);
            toy_free(b);
            toy_free(r);
            toy_close(&t);
        }
    }
}

static void test_gather(void **state)
{
    (void)state;
    toy t;
    toy_open(&t, 5, moduli, MODULI, false);
    uint64_t random = 3;
    uint32_t map[32];
    for (uint32_t j = 0; j < 32; j++) {
        map[j] = (11 * j + 7) % 32; /* 11 is odd: a permutation */
    }
    hb_batch a = toy_batch(&t, COUNT, MODULI, t.ids, GAP), r = toy_batch(&t, COUNT, MODULI, t.ids, 1);
    toy_fill(&t, a, &random);
    assert_int_equal(hb_permute(t.engine, r, a, map), HB_OK);
    for (size_t c = 0; c < COUNT; c++) {
        for (uint32_t l = 0; l < MODULI; l++) {
            for (size_t j = 0; j < t.ring.n; j++) {
                assert_true(*toy_at(&t, r, c, l, j) == *toy_at(&t, a, c, l, map[j]));
            }
        }
    }
    toy_assert_gaps(&t, r);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

HB_UNIT(cpu_pointwise)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_all_pairs_of_small_moduli),
        cmocka_unit_test(test_gather),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
