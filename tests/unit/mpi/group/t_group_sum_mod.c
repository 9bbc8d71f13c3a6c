/* Sums of words over ranks, from one to more than a word holds the sum of. The group is a stand-in whose ranks all
 * have the same words, as so many processes are not to be had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/modarith.h"
#include "mpi/group/group_private.h"
#include "unit/unit.h"

enum { COUNT = 1000 };

static size_t sent;

/* All ranks pass this one's words; words wrap as those of MPI do. */
static hb_status sum_alike(hb_group *group, uint64_t *values, size_t count)
{
    sent += count;
    for (size_t i = 0; i < count; i++) {
        values[i] *= (uint64_t)group->size;
    }
    return HB_OK;
}

static hb_status sum_fails(hb_group *group, uint64_t *values, size_t count)
{
    (void)group;
    (void)values;
    (void)count;
    return HB_FAIL(HB_ECOMM, "the ranks cannot talk");
}

static void check(uint64_t value, int ranks, size_t expected)
{
    const hb_group_ops ops = {.sum = sum_alike};
    hb_group group = {.ops = &ops, .size = ranks};
    hb_modulus m;
    uint64_t words[COUNT], before[COUNT], room[2 * COUNT];
    assert_int_equal(hb_modulus_init(&m, value), HB_OK);
    for (size_t i = 0; i < COUNT; i++) {
        /* The largest ones first, then any. */
        before[i] = words[i] = i < 10 ? value - 1 - i : (i * UINT64_C(0x9e3779b97f4a7c15)) % value;
    }
    sent = 0;
    assert_int_equal(hb_group_sum_mod(&group, words, COUNT, &m, room), HB_OK);
    assert_int_equal(sent, expected);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(words[i], (uint64_t)((hb_u128)before[i] * (unsigned)ranks % value));
    }
}

static void test_sums(void **state)
{
    (void)state;
    const uint64_t most = (UINT64_C(1) << 61) - 1, small = (UINT64_C(1) << 40) - 87;
    check(most, 1, COUNT);
    check(most, 2, COUNT);
    check(most, 8, COUNT);
    check(most, 9, 2 * COUNT); /* the sum exceeds a word */
    check(most, 4000, 2 * COUNT);
    check(small, 4000, COUNT);
    check(small, 1 << 24, COUNT);
    check(small, 1 << 25, 2 * COUNT);
}

static void test_failure(void **state)
{
    (void)state;
    const hb_group_ops ops = {.sum = sum_fails};
    hb_group group = {.ops = &ops, .size = 2};
    hb_modulus m;
    uint64_t words[COUNT] = {0}, room[2 * COUNT];
    assert_int_equal(hb_modulus_init(&m, 12289), HB_OK);
    assert_int_equal(hb_group_sum_mod(&group, words, COUNT, &m, room), HB_ECOMM);
    group.size = 1 << 30;
    assert_int_equal(hb_modulus_init(&m, (UINT64_C(1) << 61) - 1), HB_OK);
    assert_int_equal(hb_group_sum_mod(&group, words, COUNT, &m, room), HB_ECOMM);
}

HB_UNIT(group_sum_mod)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
