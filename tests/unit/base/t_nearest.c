/* The name that a mistyped word is taken for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "unit/unit.h"

static void nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"encrypt", "decrypt", "verify", "params", NULL};
    assert_string_equal(hb_nearest("encyrpt", names), "encrypt");
    assert_string_equal(hb_nearest("dcrypt", names), "decrypt");
    assert_string_equal(hb_nearest("par", names), "params");
    assert_string_equal(hb_nearest("verifyy", names), "verify");
    assert_string_equal(hb_nearest("VERIFY", names), "verify");
    assert_null(hb_nearest("xyz", names));
    static const char *const functions[] = {"a", "dot", "mean", "sum", "rowsum", "kg", NULL};
    assert_null(hb_nearest("w", functions));
    assert_null(hb_nearest("date", functions));
    assert_null(hb_nearest("year", functions));
    assert_null(hb_nearest("cumsum", functions));
    assert_string_equal(hb_nearest("gk", functions), "kg");
    assert_string_equal(hb_nearest("smu", functions), "sum");
    assert_null(hb_nearest("an-unreasonably-long-word-that-is-no-command", names));
}

HB_UNIT(nearest)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
