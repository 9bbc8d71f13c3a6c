/* Shards of all ranks against the rule: they tile the units in order, none above 4 GiB that could be smaller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "partition.h"
#include "plan.h"

/* One limb of 60 bits: a seeded ciphertext has n * 60 / 8 + 32 bytes. */
static hb_header header_of(uint64_t ciphertexts, uint64_t unit)
{
    hb_header header = {.spec = {.n = 131072, .key_limbs = 1, .primes = {((uint64_t)1 << 60) - 1}, .plain = 65537},
                        .limbs = 1,
                        .components = 2,
                        .seeded = true,
                        .schema = {.rows = ciphertexts * 131072, .columns = 1, .rank = 2, .width = 4},
                        .ciphertexts = ciphertexts,
                        .unit = unit};
    return header;
}

static void test_parts(void **state)
{
    (void)state;
    const uint64_t totals[] = {0, 1, 5, 16, 1000, 10000, 123457}, units[] = {1, 16, 100, 5000}; /* 4 GiB: 4369 */
    const uint64_t bytes = 131072 / 8 * 60 + 32, limit = (uint64_t)4 << 30;
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        for (size_t j = 0; j < sizeof units / sizeof units[0]; j++) {
            const hb_header header = header_of(totals[i], units[j]);
            const uint64_t all = (totals[i] + units[j] - 1) / units[j];
            for (uint32_t size = 1; size <= 9; size++) {
                uint64_t unit = 0;
                uint32_t number = 0;
                hb_part *layout = calloc(hb_plan_parts_before(&header, size, size) + 1, sizeof *layout);
                assert_non_null(layout);
                hb_plan_layout(&header, size, layout);
                for (uint32_t rank = 0; rank < size; rank++) {
                    assert_int_equal(hb_plan_parts_before(&header, rank, size), number);
                    const uint32_t count = hb_plan_part_count(&header, rank, size);
                    const uint64_t before = unit;
                    for (uint32_t p = 0; p < count; p++) {
                        const hb_part part = hb_plan_part(&header, rank, size, p);
                        assert_int_equal(layout[number].number, number);
                        assert_int_equal(layout[number].first_unit, part.first_unit);
                        assert_int_equal(layout[number].units, part.units);
                        assert_int_equal(part.number, number++);
                        assert_int_equal(part.first_unit, unit);
                        assert_true(part.units >= 1);
                        assert_true(part.units == 1 || part.units * units[j] * bytes <= limit);
                        unit += part.units;
                    }
                    assert_int_equal(unit - before, hb_partition(all, rank, size).count);
                    assert_true(count <= 1 || (unit - before) * units[j] * bytes > limit);
                }
                free(layout);
                assert_int_equal(unit, all);
                assert_int_equal(hb_plan_parts_before(&header, size, size), number);
            }
        }
    }
}

static void test_sizes(void **state)
{
    (void)state;
    const hb_header header = header_of(1003, 10);
    hb_plan plan;
    assert_int_equal(hb_plan_make(&plan, &header, 4, 12345), HB_OK);
    assert_int_equal(plan.values, 1003 * (uint64_t)131072);
    assert_int_equal(plan.table_bytes, 4 * plan.values);
    assert_int_equal(plan.ciphertext_bytes, 983072);
    assert_int_equal(plan.stored_bytes, 1003 * (uint64_t)983072);
    assert_int_equal(plan.units, 101);
    assert_int_equal(plan.parts, 4);
    assert_int_equal(plan.rank_units, 26);
    assert_int_equal(plan.rank_ciphertexts, 260);
    assert_int_equal(plan.host_bytes, 12345);
    assert_true(hb_plan_dataset_bytes(&plan) > plan.stored_bytes);
    assert_int_equal(hb_plan_output(&plan, 1, "/tmp/x"), HB_OK);
    assert_int_equal(hb_plan_output(&plan, UINT64_MAX, "/tmp/x"), HB_EIO);
    assert_non_null(strstr(hb_last_error()->text, "/tmp/x"));
}

static void test_too_large(void **state)
{
    (void)state;
    hb_plan plan;
    hb_header header = header_of((uint64_t)1 << 46, 1);
    assert_int_equal(hb_plan_make(&plan, &header, 1, 0), HB_EDATA);
    header = header_of(10, 1);
    header.schema.rows = UINT64_MAX / 2;
    header.schema.columns = 3;
    assert_int_equal(hb_plan_make(&plan, &header, 1, 0), HB_EDATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts), cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_too_large)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
