/* Which kind of group a process opens. */
#include "group_private.h"
#include "start.h"

hb_status hb_group_open(int *argc, char ***argv, hb_group **out)
{
    const hb_launcher launcher = hb_launcher_detect();
    *out = NULL;
    /* A launcher that does not tell the number (0) may have started several: MPI finds out. */
    const bool alone = launcher.variable == NULL || launcher.ranks == 1;
    if (alone) {
        return hb_group_open_alone(out);
    }
    hb_watch *watch = hb_start_watch();
    hb_watch_enter(watch);
    const hb_status st = hb_group_open_mpi(argc, argv, out);
    hb_watch_leave(watch);
    hb_watch_close(watch);
    return st;
}
