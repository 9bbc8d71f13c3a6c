/* Estimates of errors from decoded values: imaginary parts alone, of any number of ciphertexts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ckks/cipher.h"
#include "scheme/quality.h"
#include "unit/unit.h"

enum { N = 1024 };

static const hb_filled_slots all = {.rows = N / 2, .columns = 1, .stride = 1};

static void set(uint64_t *values, size_t i, double value)
{
    memcpy(&values[i], &value, sizeof value);
}

static void imaginary_parts_are_errors(void **state)
{
    (void)state;
    const hb_params_spec spec = {.scheme = HB_CKKS, .n = N};
    uint64_t values[N];
    for (size_t i = 0; i < N / 2; i++) {
        set(values, i, 1e6); /* real parts tell nothing */
        set(values, N / 2 + i, i % 2 == 0 ? 0x1p-20 : -0x1p-20);
    }
    set(values, N - 1, -0x1p-18);
    hb_precision found = {0};
    assert_true(isinf(hb_precision_mean_bits(&found)) && isinf(hb_precision_least_bits(&found)));
    assert_true(hb_quality_of_values(&spec, values, all, &found));
    assert_int_equal(found.count, N / 2);
    assert_true(hb_precision_least_bits(&found) == 18);
    const double squares = (N / 2 - 1 + 16) * 0x1p-40;
    assert_true(fabs(hb_precision_mean_bits(&found) + log2(squares / (N / 2)) / 2) < 1e-9);

    set(values, N / 2, 0x1p-10); /* of another ciphertext */
    assert_true(hb_quality_of_values(&spec, values, all, &found));
    assert_int_equal(found.count, N);
    assert_true(hb_precision_least_bits(&found) == 10 && found.squares > squares + 0x1p-20);

    set(values, N / 2 + 7, NAN);
    assert_true(hb_quality_of_values(&spec, values, all, &found));
    assert_true(hb_precision_least_bits(&found) == -INFINITY && hb_precision_mean_bits(&found) == -INFINITY);
}

/* Blocks of four slots, three of which hold a value, in the first ten. */
static void slots_without_values_tell_nothing(void **state)
{
    (void)state;
    const hb_params_spec spec = {.scheme = HB_CKKS, .n = N};
    const hb_filled_slots blocks = {.rows = 10, .columns = 3, .stride = 4};
    uint64_t values[N];
    for (size_t i = 0; i < N / 2; i++) {
        set(values, i, 1);
        set(values, N / 2 + i, i < 40 && i % 4 < 3 ? 0x1p-20 : 1);
    }
    hb_precision found = {0};
    assert_true(hb_quality_of_values(&spec, values, blocks, &found));
    assert_int_equal(found.count, 30);
    assert_true(hb_precision_least_bits(&found) == 20 && hb_precision_mean_bits(&found) == 20);
}

static void exact_values_tell_nothing(void **state)
{
    (void)state;
    const hb_params_spec spec = {.scheme = HB_BFV, .n = N};
    const uint64_t values[N] = {0};
    hb_precision found = {0};
    assert_false(hb_quality_of_values(&spec, values, all, &found));
    assert_int_equal(found.count, 0);
}

HB_UNIT(precision)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(imaginary_parts_are_errors),
                                       cmocka_unit_test(slots_without_values_tell_nothing),
                                       cmocka_unit_test(exact_values_tell_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
