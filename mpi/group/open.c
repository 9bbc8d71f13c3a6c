/* Which kind of group a process opens. */
#include "group_private.h"

hb_status hb_group_open(int *argc, char ***argv, hb_group **out)
{
    const hb_launcher launcher = hb_launcher_detect();
    *out = NULL;
    /* A launcher that does not tell the number (0) may have started several: MPI finds out. */
    const bool alone = launcher.variable == NULL || launcher.ranks == 1;
    return alone ? hb_group_open_alone(out) : hb_group_open_mpi(argc, argv, out);
}
