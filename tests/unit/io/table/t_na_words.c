/* Words of --na: of which columns they are. */
#include "io/table/reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/unit.h"

/* A word of --na goes on where it is of all columns; a = in quotes is one of a text. */
static void test_na_words(void **state)
{
    (void)state;
    static const struct {
        const char *word, *texts;
    } cases[] = {{"?,unknown", "?,unknown"},       {"age=?", "?"},
                 {"\"a=b\",?", "\"a=b\",?"},       {"\"odd, name\"=?,x", "?,x"},
                 {"?,\"a=b\"", "?,\"a=b\""},       {"\"a\"\"=\"=x", "x"},
                 {"\"not closed", "\"not closed"}, {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *word = cases[i].word;
        assert_string_equal(hb_na_texts(word), cases[i].texts);
        assert_ptr_equal(hb_na_of_all(&word, 1), strcmp(word, cases[i].texts) == 0 ? word : NULL);
    }
}

HB_UNIT(na_words)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_na_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
