/* Lists of names: whatever they are, each is named whole or counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/name_list.h"
#include "unit/unit.h"

static void short_lists_have_all(void **state)
{
    (void)state;
    hb_name_list list = {.more = 0}, other = {.more = 0}, none = {.more = 0};
    assert_string_equal(list.text, "");
    hb_name_list_add(&list, "a.h5");
    assert_string_equal(list.text, "a.h5");
    hb_name_list_add(&list, "b.h5");
    hb_name_list_add(&other, "c.h5");
    hb_name_list_add(&other, "d.h5");
    hb_name_list_join(&list, &other);
    hb_name_list_join(&list, &none);
    assert_string_equal(list.text, "a.h5, b.h5, c.h5, d.h5");
    hb_name_list_join(&none, &other);
    assert_string_equal(none.text, "c.h5, d.h5");
}

/* Names of any length: the text ends in what is left out, and has all others from the first on. */
static void long_lists_count_the_rest(void **state)
{
    (void)state;
    enum { NAMES = 200 };
    for (int length = 1; length <= 300; length++) {
        hb_name_list list = {.more = 0}, joined = {.more = 0};
        char name[301], expected[HB_NAME_LIST_TEXT], tail[40];
        memset(name, 'x', (size_t)length);
        name[length] = 0;
        for (int i = 0; i < NAMES; i++) {
            hb_name_list_add(&list, name);
            assert_true(strlen(list.text) < sizeof list.text);
            assert_true(list.named <= strlen(list.text));
        }
        const size_t named = NAMES - list.more, bytes = named > 0 ? named * ((size_t)length + 2) - 2 : 0;
        assert_true(list.more > 0 && list.named == bytes);
        assert_true(length > 235 || named > 0);
        for (size_t i = 0; i < named; i++) {
            memcpy(expected + i * ((size_t)length + 2), name, (size_t)length);
            memcpy(expected + i * ((size_t)length + 2) + length, ", ", i + 1 < named ? 2 : 0);
        }
        assert_memory_equal(list.text, expected, bytes);
        snprintf(tail, sizeof tail, named > 0 ? " and %u more" : "%u with long names", (unsigned)list.more);
        assert_string_equal(list.text + bytes, tail);
        hb_name_list_join(&joined, &list);
        assert_string_equal(joined.text, list.text);
        hb_name_list_join(&joined, &list);
        assert_int_equal(joined.more, NAMES + list.more);
        assert_memory_equal(joined.text, expected, bytes);
    }
}

HB_UNIT(name_list)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_lists_have_all),
        cmocka_unit_test(long_lists_count_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
