/* Engines on the chosen device, and their memory on it. */
#include <time.h>

#include "base/clock.h"
#include "check/check.h"
#include "checked_file.h"
#include "cli/console.h"
#include "cpu/engine.h"
#include "cuda/engine/engine.h"
#include "device.h"
#include "divided/engine.h"

hb_status hb_device_open_ring(const hb_device *device, const hb_ring *ring, hb_engine **out)
{
    if (!device->gpu) {
        return hb_cpu_engine_open(ring, out);
    }
    HB_TRY(hb_cuda_engine_open(ring, &device->card, device->memory, out));
    hb_cuda_ntt_use(*out, &device->plan);
    return HB_OK;
}

size_t hb_device_recorded(const hb_device *device, const hb_engine *engine)
{
    return device->gpu ? hb_cuda_engine_recorded(engine) : 0;
}

/* Names the GPU in the error, whichever call failed there. Memory that is short is no reason to leave the GPU, so then
 * the way out is not offered. */
static hb_status on_gpu(const hb_device *device, hb_status st)
{
    if (st == HB_OK || !device->gpu) {
        return st;
    }
    return HB_FAIL(st, "%s: %s%s", hb_device_name_of(device).text, hb_last_error()->text,
                   st == HB_ENOMEM ? "" : "; " HB_DEVICE_WAY_OUT);
}

/* Compares the engine with the CPU's, unless it passed lately, and keeps that it passed, so that later runs know. The
 * sample is another one each day. */
static hb_status check(hb_device *device, const hb_params *params, hb_engine *engine)
{
    const hb_checked_subject subject = {&device->card, params, &device->plan};
    const double start = hb_now();
    device->remembered = !device->check_always && hb_checked_recently(&subject);
    if (!device->remembered) {
        const hb_check_sample sample = {.few = !device->check_full, .seed = (uint64_t)time(NULL) / HB_CHECKED_SECONDS};
        HB_TRY(on_gpu(device, hb_engine_check(engine, params, sample)));
        hb_checked_keep(&subject, device->driver_seconds);
    }
    device->check_seconds = hb_now() - start;
    return HB_OK;
}

hb_status hb_device_open(hb_device *device, const hb_params *params, hb_engine **out)
{
    *out = NULL;
    const double start = hb_now();
    if (!device->gpu) {
        HB_TRY(hb_cpu_engine_open(&params->ring, out));
        device->engine_seconds = hb_now() - start;
        return HB_OK;
    }
    /* Before anything is allocated, so that the message names the needed memory and not the failed allocation. */
    const uint64_t least = hb_device_table_bytes(device, params) + hb_device_queue_bytes(device, params);
    if (least > device->memory) {
        return HB_FAIL(HB_ENOMEM, "%s: tables and keys for N = %zu need %s, %s are allowed to this rank (--gpu-memory)",
                       hb_device_name_of(device).text, params->spec.n, hb_human_bytes((double)least).text,
                       hb_human_bytes((double)device->memory).text);
    }
    hb_engine *engine = NULL;
    HB_TRY(on_gpu(device, hb_device_open_ring(device, &params->ring, &engine)));
    device->engine_seconds = hb_now() - start;
    const hb_status st = check(device, params, engine);
    if (st != HB_OK) {
        hb_engine_close(engine);
        return st;
    }
    *out = engine;
    return HB_OK;
}

uint64_t hb_device_table_bytes(const hb_device *device, const hb_params *params)
{
    /* Twiddles with their quotients both ways: 4 words; on a GPU less than half a word more, as each pass has those of
     * its own, and less than 5 again where there are narrow passes, too (cuda/ntt/shape.h). A secret key and both
     * halves of a public one. */
    const uint64_t n = params->spec.n, each = n * params->ring.count;
    const bool narrow = n >= (size_t)1 << 12 && n <= (size_t)1 << 15;
    const uint64_t key = 3 * n * hb_params_most_limbs(params, params->ids, params->key_limbs);
    const uint64_t words = 4 * each + (device->gpu ? each / 2 + (narrow ? 5 * each : 0) : 0) + key;
    return words * sizeof(uint64_t);
}

uint64_t hb_device_queue_bytes(const hb_device *device, const hb_params *params)
{
    /* A queue of the CPU engine has three polynomials. */
    const uint64_t own = device->gpu ? HB_CUDA_QUEUE_BYTES : 3 * params->spec.n * sizeof(uint64_t);
    return own + (params->map.members > 1 ? hb_divided_queue_bytes(&params->map, params->ring.n,
                                                                   device->gpu ? 0 : HB_CPU_BATCH_BYTES, device->memory)
                                          : 0);
}
