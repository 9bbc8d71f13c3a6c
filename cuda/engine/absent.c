/* The interface of this folder in a program that was built without a CUDA compiler: there are no GPUs, outputs are
 * cleared, and functions that need a GPU fail with HB_EUNAVAILABLE and advice. */
#include <string.h>

#include "cuda/ceilings/ceilings.h"
#include "engine.h"

#define NO_CUDA "the program was built without CUDA: build it where nvcc is, or compute on the CPU"

bool hb_cuda_built(void)
{
    return false;
}

void hb_cuda_versions_get(hb_cuda_versions *versions)
{
    memset(versions, 0, sizeof *versions);
}

hb_status hb_cuda_device_count(int *count)
{
    *count = 0;
    return HB_OK;
}

hb_status hb_cuda_device_get(int index, hb_cuda_device *device)
{
    memset(device, 0, sizeof *device);
    return HB_FAIL(HB_EUNAVAILABLE, "no GPU %d: " NO_CUDA, index);
}

bool hb_cuda_device_peers(int a, int b)
{
    (void)a;
    (void)b;
    return false;
}

hb_status hb_cuda_engine_open(const hb_ring *ring, const hb_cuda_device *device, uint64_t memory_limit, hb_engine **out)
{
    (void)ring;
    (void)device;
    (void)memory_limit;
    *out = NULL;
    return HB_FAIL(HB_EUNAVAILABLE, NO_CUDA);
}

uint64_t hb_cuda_engine_bytes(const hb_engine *engine)
{
    (void)engine;
    return 0;
}

size_t hb_cuda_engine_recorded(const hb_engine *engine)
{
    (void)engine;
    return 0;
}

void hb_cuda_ntt_use(hb_engine *engine, const hb_cuda_ntt_plan *plan)
{
    (void)engine;
    (void)plan;
}

hb_status hb_cuda_ntt_time(hb_engine *engine, hb_batch x, bool forward, double *seconds)
{
    (void)engine;
    (void)x;
    (void)forward;
    *seconds = 0;
    return HB_FAIL(HB_EUNAVAILABLE, NO_CUDA);
}

hb_status hb_cuda_ceilings_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_ceilings *ceilings)
{
    (void)memory;
    memset(ceilings, 0, sizeof *ceilings);
    return HB_FAIL(HB_EUNAVAILABLE, "no GPU %d to measure: " NO_CUDA, device->index);
}

hb_status hb_cuda_link_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_link *link)
{
    (void)memory;
    memset(link, 0, sizeof *link);
    return HB_FAIL(HB_EUNAVAILABLE, "no GPU %d to measure: " NO_CUDA, device->index);
}
