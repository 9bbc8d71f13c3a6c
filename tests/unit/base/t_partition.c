/* Shares against dealing items out one by one, and against their own definition at the ends of 64 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/partition.h"
#include "unit/unit.h"

enum { MOST = 40 };
__extension__ typedef unsigned __int128 wide;

static void test_small(void **state)
{
    (void)state;
    for (uint32_t size = 1; size <= MOST; size++) {
        for (uint64_t total = 0; total <= 3 * MOST; total++) {
            uint64_t counts[MOST] = {0}, first = 0;
            for (uint64_t i = 0; i < total; i++) {
                counts[i % size]++;
            }
            for (uint32_t rank = 0; rank < size; rank++) {
                hb_share share = hb_partition(total, rank, size);
                assert_int_equal(share.count, counts[rank]);
                assert_int_equal(share.first, first);
                first += counts[rank];
            }
        }
    }
}

static void test_large(void **state)
{
    (void)state;
    const uint64_t totals[] = {UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63, UINT64_MAX / 3};
    const uint32_t sizes[] = {1, 2, 3, 7, 1000, UINT32_MAX};
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            const uint32_t ranks[] = {0, sizes[j] / 2, sizes[j] - 1};
            for (size_t k = 0; k < 3; k++) {
                hb_share share = hb_partition(totals[i], ranks[k], sizes[j]);
                wide least = totals[i] / sizes[j], larger = totals[i] % sizes[j], rank = ranks[k];
                wide first = rank * least + (rank < larger ? rank : larger);
                assert_true(share.first == (uint64_t)first && first <= UINT64_MAX);
                assert_true(share.count == (uint64_t)least + (rank < larger));
            }
            hb_share last = hb_partition(totals[i], sizes[j] - 1, sizes[j]);
            assert_true(last.first + last.count == totals[i]);
        }
    }
}

HB_UNIT(partition)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
