#include "lanes.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/console.h"
#include "machine/machine.h"

static const uint64_t gpu_lanes = 3; /* one uploads, one computes, one downloads */

static hb_status refuse(const hb_session *session, const hb_device *device, uint64_t bytes, uint64_t limit)
{
    const bool divisible = session->params->map.members < session->params->data_limbs;
    return HB_FAIL(HB_ENOMEM,
                   "%s: a unit of this dataset needs %s there, %s are allowed to this rank: raise --gpu-memory, start "
                   "fewer ranks on it%s",
                   hb_device_name_of(device).text, hb_human_bytes((double)bytes).text,
                   hb_human_bytes((double)limit).text,
                   divisible ? ", compute with --device cpu, or divide limbs over more ranks with --limb-ranks"
                             : ", or compute with --device cpu");
}

/* Lanes that were asked for, or that suit the device. */
static uint64_t wanted_lanes(const hb_session *session, const hb_device *device)
{
    if (session->exchange != NULL && session->exchange->one_thread) {
        return 1;
    }
    if (device->queues > 0) {
        return device->queues;
    }
    return device->gpu ? gpu_lanes : 1;
}

hb_status hb_lanes_choose(hb_lanes *lanes, const hb_session *session, const hb_device *device,
                          const hb_lane_needs *needs)
{
    const uint64_t wanted = wanted_lanes(session, device);
    const uint64_t units = needs->units > 0 ? needs->units : 1;
    const uint64_t files = device->files > 0 ? device->files : 1;
    const uint64_t limit = device->gpu ? device->memory : UINT64_MAX;
    const uint64_t fixed = hb_device_table_bytes(device, session->params) + needs->fixed_bytes;
    const uint64_t queue = hb_device_queue_bytes(device, session->params);
    *lanes = (hb_lanes){.count = (uint32_t)(wanted < units ? wanted : units),
                        .files = (uint32_t)(files < units ? files : units),
                        .batch = needs->batch};
    for (;;) {
        lanes->bytes = fixed + lanes->count * (queue + needs->lane_bytes(needs->context, lanes->batch));
        if (lanes->bytes <= limit) {
            return HB_OK;
        }
        if (lanes->count > 1) {
            lanes->count--;
        } else if (lanes->batch > 1) {
            lanes->batch /= 2;
        } else {
            return refuse(session, device, lanes->bytes, limit);
        }
    }
}

hb_crew hb_lanes_crew(const hb_lanes *lanes, bool writes)
{
    return (hb_crew){lanes->files, lanes->count, writes ? lanes->files : 0};
}

/* Why it is this one, where both were weighed, and there is a GPU to weigh. */
static void explain(char *text, size_t bytes, const hb_device *device)
{
    const hb_human cpu = hb_human_seconds(device->times.cpu), gpu = hb_human_seconds(device->times.gpu);
    text[0] = '\0';
    if (device->predicted && (device->gpu || hb_machine_gpus() > 0)) {
        snprintf(text, bytes, "; predicted %s on the CPU, %s on a GPU%s", cpu.text, gpu.text,
                 device->gpu ? "" : " (--device gpu takes it all the same)");
    }
}

void hb_lanes_print(const hb_lanes *lanes, const hb_device *device, const hb_group *group, const hb_common *common,
                    bool results)
{
    void (*const say)(const hb_group *, const hb_common *, const char *, ...) =
        results ? hb_console_result : hb_console_log;
    char queues[32] = "", files[64] = "", why[224];
    if (lanes->count > 1) {
        snprintf(queues, sizeof queues, ", %" PRIu32 " queues", lanes->count);
    }
    if (lanes->files > 1) {
        snprintf(files, sizeof files, ", files by %" PRIu32 " threads each way", lanes->files);
    }
    explain(why, sizeof why, device);
    say(group, common, "device       %s%s%s%s%s%s", hb_device_name_of(device).text, queues, files, why,
        device->why_not != NULL ? "; there are NVIDIA devices, but: " : "",
        device->why_not != NULL ? device->why_not : "");
    if (device->unbound) {
        say(group, common, "processors   %" PRIu32 ": mpirun, which was not told where, had put each rank on one core",
            hb_machine_processors());
    }
    if (device->gpu && common->verbose > 0) {
        hb_console_log(group, common, "self-test    operations of the GPU agree%s with the CPU's, %s",
                       device->remembered ? "d within a day" : "", hb_human_seconds(device->check_seconds).text);
    }
}
