/* Fake GPUs, each rank with its own sight of them. The header defines the functions of cuda/ that jobs/device calls, so
 * one file of a test program includes it, and the program does not link cuda/. */
#ifndef HB_TESTS_FAKE_GPUS_H
#define HB_TESTS_FAKE_GPUS_H

#include <stdatomic.h>
#include <stdio.h>

#include "cpu/engine.h"
#include "cuda/engine/engine.h"
#include "reference/engine_copy.h"
#include "unit/unit.h"

enum { MOST = 4 }; /* ranks, and GPUs of one of them */
static const uint64_t giga = (uint64_t)1 << 30;

typedef struct sight {
    bool unbuilt, broken; /* no CUDA in the program; a driver that does not work */
    int count;
    char uuid[MOST];   /* first byte of each */
    uint64_t free_gib; /* of each, of 100 GiB */
} sight;

static _Thread_local const sight *seen;
static atomic_int looks;  /* of all ranks at any driver */
static bool adds_wrongly; /* the engine on any of them */

bool hb_cuda_built(void)
{
    return !seen->unbuilt;
}

void hb_cuda_versions_get(hb_cuda_versions *versions)
{
    *versions = (hb_cuda_versions){13000, 13000};
}

hb_status hb_cuda_device_count(int *count)
{
    looks++;
    *count = seen->count;
    return seen->broken ? HB_FAIL(HB_EUNAVAILABLE, "the driver is ill") : HB_OK;
}

hb_status hb_cuda_device_get(int index, hb_cuda_device *device)
{
    assert_true(index >= 0 && index < seen->count);
    *device = (hb_cuda_device){
        .index = index, .name = "Fake", .multiprocessors = 132, .memory = 100 * giga, .free = seen->free_gib * giga};
    device->uuid[0] = (uint8_t)seen->uuid[index];
    snprintf(device->bus, sizeof device->bus, "bus %c", seen->uuid[index]);
    return HB_OK;
}

bool hb_cuda_device_peers(int a, int b)
{
    return a < b && a > b; /* none */
}

static engine_copy wrong;
static hb_status (*right_add)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);

static hb_status wrong_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    HB_TRY(right_add(e, r, a, b));
    if (r.count > 0) {
        r.data[0] ^= 1;
    }
    return HB_OK;
}

hb_status hb_cuda_engine_open(const hb_ring *ring, const hb_cuda_device *device, uint64_t memory_limit, hb_engine **out)
{
    (void)device;
    (void)memory_limit;
    HB_TRY(hb_cpu_engine_open(ring, out));
    if (adds_wrongly) {
        engine_copy_of(&wrong, (*out)->ops);
        right_add = wrong.ring.add;
        wrong.ring.add = wrong_add;
        (*out)->ops = &wrong.ops;
    }
    return HB_OK;
}

size_t hb_cuda_engine_recorded(const hb_engine *engine)
{
    return engine == NULL;
}

uint64_t hb_cuda_engine_bytes(const hb_engine *engine)
{
    (void)engine;
    return 0;
}

static hb_cuda_ntt_plan in_use; /* of the last engine */

void hb_cuda_ntt_use(hb_engine *engine, const hb_cuda_ntt_plan *plan)
{
    (void)engine;
    in_use = *plan;
}

#endif
