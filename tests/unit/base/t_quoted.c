/* Names in quotes, there and back, and quotes that are not closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quoted.h"
#include "unit/unit.h"

/* Every possible name of a column is read back from its written form. */
static void quoted_names_come_back(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "odd name", "\"", "\"\"", "a\"b", "\"x\" (mm)", "it's", "\xc3\xa4", "#;="};
    char text[64], behind[80];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = 0;
        assert_true(hb_quoted_text(text, sizeof text, names[i]));
        snprintf(behind, sizeof behind, "%s\"\"", text + 1);
        assert_true(hb_quoted_length(text + 1, '"', &length));
        assert_int_equal(length, strlen(text) - 2);
        char *name = hb_unquoted(text + 1, '"', length);
        assert_string_equal(name, names[i]);
        free(name);
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            assert_int_equal(hb_quoted_is(text + 1, length, names[j]), i == j);
        }
        for (size_t size = 1; size <= strlen(text); size++) { /* half a name is another one */
            assert_false(hb_quoted_text(behind, size, names[i]));
            assert_string_equal(behind, "");
        }
    }
    size_t length;
    assert_false(hb_quoted_length("open", '"', &length));
    assert_false(hb_quoted_length("a\"\"", '"', &length));
    assert_false(hb_quoted_length("a\nb'", '\'', &length));
    assert_true(hb_quoted_length("a\"b'", '\'', &length) && length == 3);
    assert_true(hb_quoted_length("it''s 'it", '\'', &length) && length == 6);
    char *words = hb_unquoted("it''s 'it", '\'', 6);
    assert_string_equal(words, "it's ");
    free(words);
}

HB_UNIT(quoted)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quoted_names_come_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
