/* The rows by which decryption works out columns, each by itself; their values: t_table_grouped, tests/cli. */
#include "unit/scratch.h"

#include "table/grouping.h"
#include "unit/unit.h"

static void every_row_is_complete(void **state)
{
    (void)state;
    uint64_t count = 0;
    for (const hb_epilogue *row; (row = hb_epilogue_of(count)) != NULL; count++) {
        assert_int_equal(row->number, count); /* else files would mean another one */
        assert_true(row->name != NULL && row->parts >= 1 && row->parts <= HB_GROUPED_PARTS);
        assert_true((row->of_integers == NULL) == (row->of_reals == NULL));
        assert_true(hb_epilogue_is_itself(row) == (row == &hb_epilogue_itself));
        for (uint32_t i = 0; i < row->parts; i++) {
            assert_true(row->power[i] > 0 || i + 1 == row->parts); /* only the last may be a number that is known */
        }
    }
    assert_true(count > 0);
    assert_null(hb_epilogue_of(UINT64_MAX));
}

static void a_new_grouping_shows_columns_as_they_are(void **state)
{
    (void)state;
    hb_grouping *grouping;
    assert_ok(hb_grouping_alloc(1, 0, 2, &grouping));
    assert_ptr_equal(grouping->column[1].epilogue, &hb_epilogue_itself);
    hb_grouping_free(grouping);
}

HB_UNIT(epilogue)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_is_complete),
                                       cmocka_unit_test(a_new_grouping_shows_columns_as_they_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
