/* Every file that SEAL's evaluator left in tests/vectors, reproduced word for word (reference/seal_ops.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/engine.h"
#include "reference/seal_ops.h"
#include "unit/unit.h"

static void operations_at_n_1024(void **state)
{
    (void)state;
    seal_check_ops(HB_TESTS_VECTORS "/n1024", hb_cpu_engine_open);
}

static void operations_at_n_4096(void **state)
{
    (void)state;
    seal_check_ops(HB_TESTS_VECTORS "/n4096", hb_cpu_engine_open);
}

HB_UNIT(seal_ops)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_at_n_1024),
        cmocka_unit_test(operations_at_n_4096),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
