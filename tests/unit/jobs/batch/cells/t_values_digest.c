/* Digests of values: the same for the same values however they come, others for others, for other keys and lengths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "batch/cells/values_digest.h"
#include "unit/unit.h"

enum { COUNT = 1000 };

static void test_pieces(void **state)
{
    (void)state;
    uint64_t values[COUNT];
    hb_seed root = {{1, 2, 3}};
    uint8_t whole[HB_DIGEST_BYTES], pieces[HB_DIGEST_BYTES];
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = i * UINT64_C(0x9E3779B97F4A7C15);
    }
    hb_values_digest_of(whole, &root, values, COUNT);
    for (size_t piece = 1; piece <= COUNT; piece = 3 * piece + 1) {
        hb_values_digest running;
        hb_values_digest_begin(&running, &root);
        for (size_t done = 0; done < COUNT; done += piece) {
            hb_values_digest_add(&running, values + done, 8 * (COUNT - done < piece ? COUNT - done : piece));
        }
        hb_values_digest_end(&running, pieces);
        assert_memory_equal(pieces, whole, HB_DIGEST_BYTES);
    }
}

static void test_others(void **state)
{
    (void)state;
    uint64_t values[COUNT] = {0};
    hb_seed root = {{1, 2, 3}}, other = {{1, 2, 4}};
    uint8_t zeros[HB_DIGEST_BYTES], digest[HB_DIGEST_BYTES];
    hb_values_digest_of(zeros, &root, values, COUNT);
    for (size_t i = 0; i < COUNT; i += 37) {
        for (int bit = 0; bit < 64; bit += 21) {
            values[i] = UINT64_C(1) << bit;
            hb_values_digest_of(digest, &root, values, COUNT);
            assert_memory_not_equal(digest, zeros, HB_DIGEST_BYTES);
        }
        values[i] = 0;
    }
    hb_values_digest_of(digest, &root, values, COUNT - 1); /* zeros at the end count */
    assert_memory_not_equal(digest, zeros, HB_DIGEST_BYTES);
    hb_values_digest_of(digest, &other, values, COUNT);
    assert_memory_not_equal(digest, zeros, HB_DIGEST_BYTES);
}

HB_UNIT(values_digest)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
