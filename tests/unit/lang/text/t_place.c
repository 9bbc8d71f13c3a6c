/* Places in messages: of short, long and several lines, and of lines that have a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lang/text/place.h"
#include "unit/unit.h"

static void lines_are_shown(void **state)
{
    (void)state;
    assert_int_equal(HB_FAIL_AT(HB_EDATA, "y = x + z", 9, "no %s", "z"), HB_EDATA);
    assert_string_equal(hb_last_error()->text, "character 9 of 'y = x + z': no z");
    assert_int_equal(HB_FAIL_AT(HB_EUSAGE, "a = x\ny = z", 11, "no z"), HB_EUSAGE);
    assert_string_equal(hb_last_error()->text, "line 2, character 5 of 'y = z': no z");
}

/* Generated text is not shown, nor its numbers. */
static void names_of_lines_stand_in_their_place(void **state)
{
    (void)state;
    static const char text[] =
        "a = x.\"b#= c\" == 'it''s #= d'\nh = poly(a, 0.125) #= layer 1, a polynomial\ny = h # no name";
    char what[64], where[48];
    assert_int_equal(HB_FAIL_AT(HB_EDATA, text, 36, "no level is left"), HB_EDATA);
    assert_string_equal(hb_last_error()->text, "layer 1, a polynomial: no level is left");
    hb_place(where, text, 36);
    assert_string_equal(where, "layer 1, a polynomial");
    hb_excerpt_or_name(what, sizeof what, text, 34, 48);
    assert_string_equal(what, "layer 1, a polynomial");
    hb_excerpt_or_name(what, sizeof what, text, 0, 13);
    assert_string_equal(what, "a = x.\"b#= c\"");
    hb_place(where, text, 1);
    assert_string_equal(where, "line 1, character 1");
    hb_place(where, text, sizeof text - 10);
    assert_string_equal(where, "line 3, character 6");
}

HB_UNIT(place)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_shown),
                                       cmocka_unit_test(names_of_lines_stand_in_their_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
