/* Which bindings to a core are undone: mpirun's own, and no other; and the memory that a limit of addresses leaves. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* The bytes of addresses of this process. */
static uint64_t mapped(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_true(file != NULL && fscanf(file, "%llu", &pages) == 1);
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Memory that a process has taken counts against its limit, and not against its share of the host. */
static void test_memory(void **state)
{
    (void)state;
    struct rlimit old, most;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    if (old.rlim_cur != RLIM_INFINITY) {
        skip();
    }
    const uint64_t share = hb_machine_memory_each(1);
    assert_true(share > 0 && hb_machine_memory_left(1) == share && hb_machine_memory_each(2) <= share / 2);
    const uint64_t taken = mapped(), some = (uint64_t)1 << 30;
    most = old;
    most.rlim_cur = share / 2 > taken + some ? share / 2 : taken + some; /* sanitizers take more than machines have */
    assert_int_equal(setrlimit(RLIMIT_AS, &most), 0);
    const uint64_t each = hb_machine_memory_each(1), left = hb_machine_memory_left(1);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_int_equal(each, most.rlim_cur < share ? most.rlim_cur : share);
    assert_true(left < most.rlim_cur && left <= share && left >= some / 2);
}

HB_UNIT(machine)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unbind), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
