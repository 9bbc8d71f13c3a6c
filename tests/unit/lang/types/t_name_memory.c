/* Names of columns where memory runs out. */
#include "reference/lowered.h"

static bool refused;

char *__real_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most);

char *__wrap_strndup(const char *text, size_t most)
{
    return refused ? NULL : __real_strndup(text, most);
}

/* Memory that was never allocated is not freed. */
static void a_name_that_is_not_made_is_null(void **state)
{
    (void)state;
    char other[] = "of before", *name = other;
    const char *form = "%99999999999s"; /* longer than any text */
    const hb_syntax syntax = {.text = "y = x"};
    assert_int_equal(hb_words_name(&syntax, 4, 5, form, &name), HB_ENOMEM);
    assert_null(name);
}

static void no_memory_is_no_missing_column(void **state)
{
    (void)state;
    lowered l;
    lowered_open(&l, "bfv-8192");
    const uint32_t x = lowered_table(&l, "x", 100, true);
    const hb_interval digit = hb_interval_of(0, 15);
    lowered_column(&l, x, "n.1", (hb_meaning){0}, digit);
    lowered_column(&l, x, "n.0", (hb_meaning){0}, digit);
    for (int i = 0; i < 2; i++) {
        l.column[x][i].digit_base = 16;
        l.column[x][i].digits = 2;
        l.column[x][i].ranged = true;
        l.column[x][i].most = 15;
    }
    assert_int_equal(lowered_text(&l, "y = x.n < 200"), HB_OK);
    refused = true;
    assert_int_equal(lowered_text(&l, "y = x.n < 200"), HB_ENOMEM);
    refused = false;
    lowered_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_name_that_is_not_made_is_null),
                                       cmocka_unit_test(no_memory_is_no_missing_column)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
