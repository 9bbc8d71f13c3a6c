#include "core_binding.h"

#include <sched.h>
#include <stdlib.h>

#include "machine.h"

/* What mpirun passes on when it was told how to place ranks. */
static bool was_asked_for(void)
{
    static const char *const names[] = {"OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_hwloc_base_cpu_list",
                                        "OMPI_MCA_rmaps_base_mapping_policy", "OMPI_MCA_rmaps_base_cpus_per_proc",
                                        "OMPI_MCA_hwloc_base_slot_list",      "OMPI_MCA_rmaps_rank_file_path"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        found = found || getenv(names[i]) != NULL;
    }
    return found;
}

bool hb_core_unbind(void)
{
    enum { CORE = 2 }; /* processors of a core, at most */
    const uint32_t before = hb_machine_processors();
    cpu_set_t all;
    CPU_ZERO(&all);
    if (getenv("OMPI_MCA_orte_bound_at_launch") == NULL || was_asked_for() || before > CORE ||
        hb_machine_all_processors() <= before) {
        return false;
    }
    for (size_t i = 0; i < CPU_SETSIZE; i++) { /* the system leaves out what is not there, or not for this process */
        CPU_SET(i, &all);
    }
    return sched_setaffinity(0, sizeof all, &all) == 0 && hb_machine_processors() > before;
}
