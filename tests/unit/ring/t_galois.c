/* Elements, steps and permutations against SEAL's examples (semantics.md 6.9, 6.10) and against their definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/slow.h"
#include "ring/galois.h"
#include "unit/unit.h"

static void examples_of_degree_8(void **state)
{
    (void)state;
    static const struct {
        int64_t step;
        uint32_t element;
    } known[] = {{-3, 3}, {-2, 9}, {-1, 11}, {1, 3}, {2, 9}, {3, 11}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_int_equal(hb_galois_rotation(8, 3, known[i].step), known[i].element);
    }
    assert_int_equal(hb_galois_swap(8), 15);
    static const uint32_t sources[] = {4, 5, 7, 6, 1, 0, 2, 3};
    uint32_t map[8];
    hb_galois_map(map, 8, 3);
    assert_memory_equal(map, sources, sizeof map);
}

/* g^step by multiplication, a right rotation as the left one that completes the row; and back. */
static void elements_are_powers_of(uint32_t generator)
{
    for (size_t n = 4; n <= 4096; n *= 8) {
        const int64_t row = (int64_t)(n / 2);
        int swap;
        uint64_t power = 1;
        for (int64_t step = 1; step < row; step++) {
            power = generator * power % (2 * n);
            assert_int_equal(hb_galois_rotation(n, generator, step), power);
            assert_int_equal(hb_galois_rotation(n, generator, step - row), power);
            const int64_t shortest = step <= row / 2 ? step : step - row;
            assert_int_equal(hb_galois_step(n, generator, (uint32_t)power, &swap), shortest);
            assert_int_equal(swap, 0);
            assert_int_equal(hb_galois_step(n, generator, (uint32_t)(2 * n - power), &swap), shortest);
            assert_int_equal(swap, 1);
        }
        assert_int_equal(hb_galois_step(n, generator, 1, &swap), 0);
        assert_int_equal(swap, 0);
        assert_int_equal(hb_galois_step(n, generator, hb_galois_swap(n), &swap), 0);
        assert_int_equal(swap, 1);
        assert_int_equal(hb_galois_step(n, generator, 2, &swap), 0); /* no automorphism */
        assert_int_equal(swap, 0);
    }
}

static void elements_are_powers_of_the_generator(void **state)
{
    (void)state;
    elements_are_powers_of(3);
    elements_are_powers_of(5);
}

/* As many elements of the largest ring as no search through its 2^29 rotations finds in the time of a test. */
static void steps_of_large_rings(void **state)
{
    (void)state;
    const size_t n = (size_t)1 << 30;
    const int64_t row = (int64_t)(n / 2);
    for (int64_t i = 1; i <= 2000; i++) {
        int swap;
        const int64_t step = i * 268435399 % row, shortest = step <= row / 2 ? step : step - row;
        const uint32_t element = hb_galois_rotation(n, 3, step);
        assert_int_equal(hb_galois_step(n, 3, element, &swap), shortest);
        assert_int_equal(swap, 0);
        assert_int_equal(hb_galois_step(n, 3, (uint32_t)(2 * n - element), &swap), shortest);
        assert_int_equal(swap, 1);
    }
}

static void known_adjacent_forms(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int64_t step, terms[4];
    } known[] = {{64, 3, {-1, 4}},  {64, 11, {-1, -4, 16}}, {128, 27, {-1, -4, 32}},
                 {64, -7, {1, -8}}, {64, 27, {-1, -4}},     /* 32 is the row */ {8, 3, {-1}},
                 {64, 0, {0}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int64_t steps[HB_GALOIS_MOST_STEPS], padded[4] = {0};
        const uint32_t count = hb_galois_naf(known[i].n, known[i].step, steps);
        assert_in_range(count, 0, 3);
        memcpy(padded, steps, count * sizeof *steps);
        assert_memory_equal(padded, known[i].terms, sizeof padded);
    }
}

/* Every form sums up to its step modulo the row, of powers of two no two of which are neighbours, lowest first. */
static void adjacent_forms_of_every_step(void **state)
{
    (void)state;
    const size_t n = 2048;
    const int64_t row = (int64_t)(n / 2);
    for (int64_t step = 1 - row; step < row; step++) {
        int64_t steps[HB_GALOIS_MOST_STEPS], sum = 0, before = 0;
        const uint32_t count = hb_galois_naf(n, step, steps);
        for (uint32_t i = 0; i < count; i++) {
            const int64_t term = llabs(steps[i]);
            assert_true((term & (term - 1)) == 0 && term < row && (before == 0 || term >= 4 * before));
            before = term;
            sum += steps[i];
        }
        assert_int_equal((sum - step) % row, 0);
    }
}

static void steps_of_an_inner_sum(void **state)
{
    (void)state;
    int64_t steps[HB_GALOIS_MOST_STEPS];
    static const int64_t expected[] = {1, 2, 4, 8};
    assert_int_equal(hb_galois_sum_steps(32, steps), 4);
    assert_memory_equal(steps, expected, sizeof expected);
    assert_int_equal(hb_galois_sum_steps(131072, steps), 16);
    assert_int_equal(steps[15], 32768);
}

/* Rotations by the steps, each added, add up every slot of the window once. */
static void steps_of_a_window(void **state)
{
    (void)state;
    enum { SLOTS = 64 };
    static const int64_t apart[] = {1, -1, 3, -5};
    for (size_t a = 0; a < sizeof apart / sizeof *apart; a++) {
        for (int64_t terms = 1; terms <= SLOTS; terms *= 2) {
            int64_t steps[HB_GALOIS_MOST_STEPS], times[SLOTS] = {1}, expected[SLOTS] = {0};
            const uint32_t count = hb_galois_window_steps(apart[a], (uint64_t)terms, steps);
            for (uint32_t i = 0; i < count; i++) {
                int64_t before[SLOTS];
                memcpy(before, times, sizeof before);
                for (int64_t slot = 0; slot < SLOTS; slot++) {
                    times[(slot + steps[i]) & (SLOTS - 1)] += before[slot];
                }
            }
            for (int64_t k = 0; k < terms; k++) {
                expected[k * apart[a] & (SLOTS - 1)]++;
            }
            assert_memory_equal(times, expected, sizeof expected);
        }
    }
}

/* Five steps are two pairs, and one that is left. */
static void triples_of_a_window(void **state)
{
    (void)state;
    static const int64_t expected[] = {3, 0, 12, 0, 0};
    int64_t steps[HB_GALOIS_MOST_STEPS];
    assert_int_equal(hb_galois_window_steps(1, 32, steps), 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(hb_galois_window_triple(steps, 5, i), expected[i]);
    }
}

/* Word j of the NTT form is the value at psi^(2 brev(j) + 1), by Horner; so is a(X^g), whose coefficients move. */
static void maps_follow_from_evaluation(void **state)
{
    (void)state;
    enum { N = 32, LOG_N = 5 };
    const uint64_t q = 193, psi = 11;
    assert_int_equal(slow_pow(psi, N, q), q - 1);
    uint64_t a[N], moved[N], seed = 11;
    for (size_t i = 0; i < N; i++) {
        a[i] = slow_random(&seed) % q;
    }
    for (uint32_t g = 1; g < 2 * N; g += 2) {
        for (size_t i = 0; i < N; i++) {
            const size_t e = i * g % (2 * N);
            moved[e % N] = e < N ? a[i] : (q - a[i]) % q;
        }
        uint32_t map[N];
        hb_galois_map(map, N, g);
        for (size_t j = 0; j < N; j++) {
            const uint64_t here = slow_pow(psi, 2 * slow_reverse(j, LOG_N) + 1, q);
            const uint64_t there = slow_pow(psi, 2 * slow_reverse(map[j], LOG_N) + 1, q);
            assert_int_equal(slow_evaluate(moved, N, here, q), slow_evaluate(a, N, there, q));
        }
    }
}

HB_UNIT(galois)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_degree_8),
        cmocka_unit_test(elements_are_powers_of_the_generator),
        cmocka_unit_test(steps_of_large_rings),
        cmocka_unit_test(known_adjacent_forms),
        cmocka_unit_test(adjacent_forms_of_every_step),
        cmocka_unit_test(steps_of_an_inner_sum),
        cmocka_unit_test(steps_of_a_window),
        cmocka_unit_test(triples_of_a_window),
        cmocka_unit_test(maps_follow_from_evaluation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
