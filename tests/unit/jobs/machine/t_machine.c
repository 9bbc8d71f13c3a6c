/* Which bindings to a core are undone: mpirun's own, and no other. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine/machine.h"
#include "unit/unit.h"

static cpu_set_t before;

/* To the first processor that there is. */
static void bind_to_one(void)
{
    cpu_set_t one;
    size_t first = 0;
    while (!CPU_ISSET(first, &before)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(hb_machine_processors(), 1);
}

static void test_unbind(void **state)
{
    (void)state;
    static const char *const asked[] = {"OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_rmaps_base_mapping_policy"};
    unsetenv("OMPI_MCA_orte_bound_at_launch");
    for (int i = 0; i < 2; i++) {
        unsetenv(asked[i]);
    }
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    const uint32_t processors = hb_machine_processors();
    bind_to_one();
    assert_false(hb_core_unbind()); /* by taskset, a control group or Slurm */
    assert_int_equal(hb_machine_processors(), 1);
    setenv("OMPI_MCA_orte_bound_at_launch", "1", 1);
    for (int i = 0; i < 2; i++) {
        setenv(asked[i], "core", 1);
        assert_false(hb_core_unbind());
        assert_int_equal(hb_machine_processors(), 1);
        unsetenv(asked[i]);
    }
    assert_int_equal(hb_core_unbind(), processors > 1);
    assert_int_equal(hb_machine_processors(), processors);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

HB_UNIT(machine)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unbind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
