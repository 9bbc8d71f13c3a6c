/* Places in messages: of short, long and several lines, and of lines that have a name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Advice stands behind the reason, and stays apart from it when the place becomes another one. */
static void advice_is_apart(void **state)
{
    (void)state;
    static const char text[] = "y = t.x + t.z", from[] = "x + z";
    static const uint32_t origin[] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 5};
    const hb_status st = hb_advise(HB_FAIL_AT(HB_EDATA, text, 11, "no z"), HB_ADVICE_INSTEAD, ": use %s", "x");
    assert_int_equal(hb_fail_at_origin(st, text, origin, from), HB_EDATA);
    const hb_error *error = hb_last_error();
    assert_string_equal(error->text, "character 5 of 'x + z': no z: use x");
    assert_int_equal(error->advice, HB_ADVICE_INSTEAD);
    assert_string_equal(error->text + error->reason, ": use x");
    /* Advice may repeat the reason, and is cut with the text. */
    assert_int_equal(hb_advise(HB_EDATA, HB_ADVICE_FEWER, "; %s%0800d", error->text, 1), HB_EDATA);
    assert_string_equal(error->text + sizeof error->text - 4, "000");
    assert_int_equal(error->reason, strlen("character 5 of 'x + z': no z: use x"));
    assert_int_equal(HB_FAIL(HB_EDATA, "no y"), HB_EDATA);
    assert_int_equal(error->advice, HB_ADVICE_NONE);
}

/* A text that was made of another: "y = " in front of x, which then has the name of a table, t.x. */
static void places_are_those_of_the_origin(void **state)
{
    (void)state;
    static const char text[] = "y = t.x + t.z", from[] = "x + z", lines[] = "a = 1\ny = t.x + t.z";
    static const uint32_t origin[] = {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 5};
    static const uint32_t second[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 5};
    assert_int_equal(hb_fail_at_origin(HB_FAIL_AT(HB_EDATA, text, 11, "no z"), text, origin, from), HB_EDATA);
    assert_string_equal(hb_last_error()->text, "character 5 of 'x + z': no z");
    assert_int_equal(hb_fail_at_origin(HB_FAIL_AT(HB_EUSAGE, lines, 19, "no z"), lines, second, from), HB_EUSAGE);
    assert_string_equal(hb_last_error()->text, "character 5 of 'x + z': no z");
    /* The end of the text, and words that another process passed on. */
    assert_int_equal(hb_fail_at_origin(HB_FAIL_AT(HB_EUSAGE, text, sizeof text, "no end"), text, origin, from),
                     HB_EUSAGE);
    assert_string_equal(hb_last_error()->text, "character 6 of 'x + z': no end");
    assert_int_equal(
        hb_fail_at_origin(HB_FAIL(HB_EDATA, "character 7 of 'y = t.x + t.z': too large"), text, origin, from),
        HB_EDATA);
    assert_string_equal(hb_last_error()->text, "character 1 of 'x + z': too large");
    /* Messages about another text, or beyond this one, stay; and success changes nothing. */
    static const char *const stay[] = {"character 11 of 'y = t.x - t.z': no z", "character 99 of 'y = t.x + t.z': no",
                                       "line 7, character 1 of 'y = t.x + t.z': no", "no memory"};
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++) {
        assert_int_equal(hb_fail_at_origin(HB_FAIL(HB_EDATA, "%s", stay[i]), text, origin, from), HB_EDATA);
        assert_string_equal(hb_last_error()->text, stay[i]);
    }
    assert_int_equal(hb_fail_at_origin(HB_OK, text, origin, from), HB_OK);
    assert_string_equal(hb_last_error()->text, stay[3]);
}

HB_UNIT(place)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_shown), cmocka_unit_test(names_of_lines_stand_in_their_place),
        cmocka_unit_test(advice_is_apart), cmocka_unit_test(places_are_those_of_the_origin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
