/* Sets of units against an array of booleans: their members, and that the shares of all ranks are their parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "batch/job/unit_map.h"
#include "unit/unit.h"

enum { UNITS = 200 };

static void check_shares(const hb_unit_map *map, const bool *set, bool in, int size)
{
    const hb_header header = {.ciphertexts = 3 * UNITS - 1, .unit = 3};
    uint64_t at = 0, total = 0;
    for (uint64_t u = 0; u < map->units; u++) {
        total += set[u] == in;
    }
    for (int rank = 0; rank < size; rank++) {
        const hb_group group = {.rank = rank, .size = size};
        hb_units mine;
        assert_int_equal(hb_unit_map_divide(map, in, &group, &header, &mine), HB_OK);
        assert_true(mine.mine.count <= total / (uint64_t)size + 1 && mine.mine.count >= total / (uint64_t)size);
        for (uint64_t i = 0; i < mine.mine.count; i++, at++) {
            while (set[at] != in) {
                at++;
            }
            assert_int_equal(mine.list[i], at);
        }
        const bool short_one = map->units == UNITS && set[UNITS - 1] == in; /* the last unit has 2 ciphertexts */
        assert_int_equal(mine.count, total);
        assert_int_equal(mine.ciphertexts, 3 * total - (short_one ? 1 : 0));
        hb_units_clear(&mine);
    }
    while (at < map->units && set[at] != in) {
        at++;
    }
    assert_int_equal(at, map->units);
}

static void test_map(void **state)
{
    (void)state;
    const uint64_t sizes[] = {0, 1, 63, 64, 65, 128, UNITS};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (uint64_t step = 1; step <= 70; step += 23) { /* all, then fewer and fewer */
            bool set[UNITS] = {false};
            hb_unit_map map;
            uint64_t count = 0;
            assert_int_equal(hb_unit_map_init(&map, sizes[s]), HB_OK);
            for (uint64_t u = 0; u < sizes[s]; u += step, count++) {
                set[u] = true;
                hb_unit_map_add(&map, u);
            }
            assert_int_equal(hb_unit_map_count(&map), count);
            for (uint64_t u = 0; u < sizes[s]; u++) {
                assert_int_equal(hb_unit_map_has(&map, u), set[u]);
            }
            for (int size = 1; size <= 9; size++) {
                check_shares(&map, set, true, size);
                check_shares(&map, set, false, size);
            }
            hb_unit_map_clear(&map);
        }
    }
}

HB_UNIT(unit_map)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_map)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
