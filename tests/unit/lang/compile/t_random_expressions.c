/* Random expressions on ciphertexts (sealed_world.h) under a key of one owner. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/lang/compile/sealed_world.h"
#include "unit/unit.h"

#define EXPRESSIONS 400

static void random_expressions(void **state)
{
    (void)state;
    fixture *f = malloc(sizeof *f);
    assert_non_null(f);
    open_fixture(f, 1);
    run_expressions(f, EXPRESSIONS, 11);
    assert_true(f->words.shares > EXPRESSIONS / 8); /* many have totals that ranks divide */
    close_fixture(f);
    free(f);
}

HB_UNIT(random_expressions)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
