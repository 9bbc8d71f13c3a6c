/* Things are found by their hash however many of them share it, and new ones get places of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "unit/unit.h"

enum { THINGS = 100 };

typedef struct search {
    const uint64_t *things;
    uint64_t wanted;
} search;

static bool is_wanted(const void *context, uint32_t index)
{
    const search *s = context;
    return s->things[index] == s->wanted;
}

/* hashes: how many different ones there are; of 1 all things share a chain, which goes around the end. */
static void find_all(uint64_t hashes)
{
    uint64_t things[THINGS];
    hb_index_table table;
    assert_int_equal(hb_index_table_init(&table, THINGS), HB_OK);
    for (uint32_t i = 0; i < THINGS; i++) {
        const search s = {things, things[i] = 1000 + i};
        uint32_t *place = hb_index_table_find(&table, UINT64_MAX - things[i] % hashes, i % 2 ? is_wanted : NULL, &s);
        assert_int_equal(*place, HB_NO_INDEX);
        *place = i;
    }
    for (uint32_t i = 0; i < THINGS; i++) {
        const search s = {things, things[i]};
        assert_int_equal(*hb_index_table_find(&table, UINT64_MAX - things[i] % hashes, is_wanted, &s), i);
    }
    const search other = {things, 1};
    assert_int_equal(*hb_index_table_find(&table, UINT64_MAX, is_wanted, &other), HB_NO_INDEX);
    hb_index_table_clear(&table);
    assert_null(table.place);
}

static void test_table(void **state)
{
    (void)state;
    find_all(1);
    find_all(7);
    find_all(THINGS);
}

/* The first words of SplitMix64 from the seed 1234567, as its authors' program prints them. */
static void test_mix(void **state)
{
    (void)state;
    static const uint64_t words[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                     UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                     UINT64_C(16408922859458223821)};
    for (uint64_t i = 0; i < sizeof words / sizeof *words; i++) {
        assert_true(hb_mix(1234567 + i * UINT64_C(0x9e3779b97f4a7c15)) == words[i]);
    }
    assert_true(hb_hash_word(hb_hash_word(0, 1), 2) != hb_hash_word(hb_hash_word(0, 2), 1));
}

HB_UNIT(hash)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_mix)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
