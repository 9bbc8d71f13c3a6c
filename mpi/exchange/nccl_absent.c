/* The answer of a program that was built without NCCL (CMakeLists.txt). */
#include "open.h"

hb_status hb_exchange_open_nccl(const hb_grid *grid, hb_engine *device, double deadline, hb_error *why_not_direct,
                                hb_exchange **out)
{
    (void)grid;
    (void)device;
    (void)deadline;
    (void)why_not_direct;
    (void)out;
    return HB_FAIL(HB_EUNAVAILABLE, "this program was built without NCCL: use --exchange mpi");
}

const char *hb_exchange_nccl_version(void)
{
    return NULL;
}
