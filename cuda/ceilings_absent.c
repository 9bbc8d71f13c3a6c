/* ceilings.h in a program that was built without a CUDA compiler. */
#include <string.h>

#include "ceilings.h"

hb_status hb_cuda_ceilings_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_ceilings *ceilings)
{
    (void)memory;
    memset(ceilings, 0, sizeof *ceilings);
    return HB_FAIL(HB_EUNAVAILABLE, "no GPU %d to measure: the program was built without CUDA", device->index);
}

hb_status hb_cuda_link_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_link *link)
{
    (void)memory;
    memset(link, 0, sizeof *link);
    return HB_FAIL(HB_EUNAVAILABLE, "no GPU %d to measure: the program was built without CUDA", device->index);
}
