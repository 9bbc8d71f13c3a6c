/* Columns by their names, against a walk through all of them; and names that look alike. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/alike.h"
#include "table/column_names.h"
#include "unit/scratch.h"
#include "unit/unit.h"

/* Names of which every fifth one is there a second time, two columns on. */
static void make(hb_schema *schema, uint64_t columns)
{
    *schema = (hb_schema){.named = true};
    assert_ok(hb_schema_alloc(schema, 1, columns));
    for (uint64_t c = 0; c < columns; c++) {
        char name[32];
        snprintf(name, sizeof name, "c%llu", (unsigned long long)(c % 5 == 2 ? c - 2 : c));
        schema->column[c].name = strdup(name);
        assert_non_null(schema->column[c].name);
    }
}

static void test_find(void **state)
{
    (void)state;
    enum { COLUMNS = 500 };
    hb_schema schema;
    hb_column_names names;
    make(&schema, COLUMNS);
    assert_ok(hb_column_names_init(&names, &schema));
    for (uint64_t c = 0; c < COLUMNS + 5; c++) {
        char name[32];
        bool several;
        uint64_t first = 0, all = 0;
        snprintf(name, sizeof name, "c%llu", (unsigned long long)c);
        while (first < COLUMNS && strcmp(schema.column[first].name, name) != 0) {
            first++;
        }
        for (uint64_t i = 0; i < COLUMNS; i++) {
            all += strcmp(schema.column[i].name, name) == 0;
        }
        assert_int_equal(hb_column_names_find(&names, name, &several), first);
        assert_int_equal(several, all > 1);
    }
    hb_column_names_clear(&names);
    schema.named = false;
    bool several;
    assert_ok(hb_column_names_init(&names, &schema));
    assert_int_equal(hb_column_names_find(&names, "c0", &several), COLUMNS);
    assert_false(several);
    hb_column_names_clear(&names);
    hb_schema_clear(&schema);
}

/* Names that look alike, by what two of them are as labels. */
static bool are_alike(const char *one, const char *other)
{
    const char *const text[] = {one, other};
    hb_alike alike;
    assert_ok(hb_alike_find(&(hb_labels){2, text, false}, &alike));
    return alike.count == 2;
}

static void test_alike(void **state)
{
    (void)state;
    const char *const text[] = {"kg", "Kg ", NULL, "caf\xC3\xA9", "kgs", "cafe\xCC\x81", "KG", NULL, "kgs"};
    enum { TEXTS = sizeof text / sizeof *text };
    uint64_t before[TEXTS];
    assert_ok(hb_alike_before(text, TEXTS, before));
    for (uint64_t i = 0; i < TEXTS; i++) {
        uint64_t first = 0;
        while (first < i && !(text[i] != NULL && text[first] != NULL && are_alike(text[first], text[i]))) {
            first++;
        }
        assert_int_equal(before[i], first);
    }
}

HB_UNIT(column_names)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find), cmocka_unit_test(test_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
