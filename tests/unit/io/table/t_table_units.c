/* Numbers with units and words for money: which are named as such, and which texts are none. */
#include "unit/scratch.h"

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

#define MONEY "the field is not a number: it has a currency sign: write the number alone, without it"
#define UNIT "the field is not a number: it has a unit behind its number: write the number alone, and the unit"

static void test_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"a;b\n\xE2\x82\xAC 12,50;1\n", "row 1 (line 2), column a: " MONEY},
                 {"a;b\n1;12,50 \xE2\x82\xAC\n", "row 1 (line 2), column b: " MONEY}, /* line 1 is no title */
                 {"a\n$1.50\n", MONEY},
                 {"a\nUSD 5\n", MONEY},
                 {"a\n5.5 EUR\n", MONEY},
                 {"a\n80 kg\n", UNIT},
                 {"a\n-80kg\n", UNIT},
                 {"a\n37.2\xC2\xB0"
                  "C\n",
                  UNIT},
                 {"a\n5 y 3 m\n", UNIT},
                 {"a\n1h30min\n", "the field is not a number: it has letters"},
                 {"a\n5 mg/m2\n", UNIT},
                 {"a\n12 Jan 2024\n", "the field is not a number: it has letters"},
                 {"a\n12AB34\n", "the field is not a number: it has letters"},
                 {"a\n0x10\n", "the field is not a number: it has letters"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        assert_refused(open_said(put("t.csv", cases[i].text), HB_CELL_REAL, (hb_reading_words){0}, &table), HB_EDATA,
                       cases[i].says);
    }
}

/* The place of the first such cell is said, where others are numbers. */
static void test_place(void **state)
{
    (void)state;
    hb_table *table;
    assert_refused(open_said(put("t.csv", "a,b\n1,80\n2,71 kg\n"), HB_CELL_INTEGER, (hb_reading_words){0}, &table),
                   HB_EDATA, "row 2 (line 3), column b: the field is not an integer: it has a unit");
    assert_null(strstr(hb_last_error()->text, "--na"));
}

HB_UNIT(table_units)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_named), cmocka_unit_test(test_place)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
