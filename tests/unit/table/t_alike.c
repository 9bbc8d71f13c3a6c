/* Labels that people take for one: which texts are alike, and how many labels of a column are. */
#include "unit/scratch.h"

#include "table/alike.h"
#include "unit/unit.h"

static bool are_alike(const char *a, const char *b)
{
    const char *const text[] = {a, b};
    hb_alike alike;
    assert_ok(hb_alike_find(&(hb_labels){2, text, false}, &alike));
    assert_true(alike.count == 0 || alike.count == 2);
    return alike.count == 2;
}

static void test_alike(void **state)
{
    (void)state;
    static const char *const alike[][2] = {
        {"Hypertension", "Hypertension "},
        {"hypertension", "HYPERTENSION"},
        {"heart attack", "heart\xC2\xA0 attack"}, /* a blank that does not break */
        {"\xEF\xBB\xBFid", "id"},                 /* a mark of byte order */
        {"a\xE2\x80\x8B"
         "b",
         "ab"},                                                   /* a blank without width */
        {"M\xC3\xBCller", "Mu\xCC\x88ller"},                      /* u with dots, in one character and in two */
        {"\xE1\xBB\x87", "e\xCC\x82\xCC\xA3"},                    /* e with a circumflex and a dot below, ... */
        {"\xE1\xBB\x87", "\xE1\xBA\xB9\xCC\x82"},                 /* ... in any order */
        {"\xC3\x85ngstr\xC3\xB6m", "\xE2\x84\xABngstr\xC3\xB6m"}, /* the sign of the unit */
        {"\xC2\xB5g", "\xCE\xBCg"},                               /* the sign of a millionth is a letter */
        {"\xD0\x96\xD0\x81", "\xD0\xB6\xD0\xB5\xCC\x88"},         /* Cyrillic, capital; small, in parts */
        {"\xCE\xA3\xCE\x9F\xCE\xA3", "\xCF\x83\xCE\xBF\xCF\x82"}, /* Greek, with a last sigma */
        {"Stra\xC3\x9F"
         "e",
         "STRASSE"},
        {"\xED\x95\x9C", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"}, /* a syllable of Hangul and its letters */
        {"\xEF\xBC\xA1\xEF\xBC\x91", "a1"},                       /* as wide as an ideograph */
        {"\xEF\xAC\x81x", "fix"},                                 /* a ligature */
        {"\xF0\x90\x90\x80", "\xF0\x90\x90\xA8"},                 /* Deseret, behind the first 65536 characters */
    };
    static const char *const apart[][2] = {
        {"a", "b"}, {"a", "aa"}, {"M\xC3\xBCller", "Muller"},     {"a-b", "a_b"}, {"\xC3\xA9", "\xC3\xA8"},
        {"1", "l"}, {"", "a"},   {"\xED\x95\x9C", "\xED\x95\x98"}};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        assert_true(are_alike(alike[i][0], alike[i][1]));
    }
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        assert_false(are_alike(apart[i][0], apart[i][1]));
    }
}

static void test_labels(void **state)
{
    (void)state;
    const char *const text[] = {"b", "Cold", "cold ", "x", "X", "flu", "COLD"};
    const hb_labels labels = {sizeof text / sizeof *text, text, false};
    hb_alike alike;
    assert_ok(hb_alike_find(&labels, &alike));
    assert_int_equal(alike.count, 5);
    assert_string_equal(alike.one, "Cold");
    assert_string_equal(alike.other, "cold ");
    assert_ok(hb_alike_find(&(hb_labels){2, text, false}, &alike));
    assert_int_equal(alike.count, 0);
    assert_ok(hb_alike_find(&(hb_labels){0, text, false}, &alike));
    assert_int_equal(alike.count, 0);
}

HB_UNIT(alike)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alike), cmocka_unit_test(test_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
