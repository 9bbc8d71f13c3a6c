/* Random expressions on ciphertexts (sealed_world.h) under joint keys of 2 to 16 owners: bounds of noise go by their
 * number, and hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/lang/compile/sealed_world.h"
#include "unit/unit.h"

enum { EXPRESSIONS = 120 };

static void random_expressions_of_owners(void **state)
{
    (void)state;
    static const uint32_t owners[] = {2, 3, 5, 8, 16};
    fixture *f = malloc(sizeof *f);
    assert_non_null(f);
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        open_fixture(f, owners[i]);
        run_expressions(f, EXPRESSIONS, 100 + owners[i]);
        close_fixture(f);
    }
    free(f);
}

HB_UNIT(random_owners)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_expressions_of_owners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
