#include "workers.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/console.h"
#include "machine/machine.h"

static const uint64_t gpu_workers = 3; /* one uploads, one computes, one downloads */

/* Says how much memory is missing, and the ways out on as many ranks. */
static hb_status refuse(const hb_device *device, uint64_t bytes, uint64_t limit)
{
    return HB_FAIL(HB_ENOMEM,
                   "%s: a unit of this dataset needs %s there, %s are allowed to this rank: raise --gpu-memory, start "
                   "fewer ranks on it, or compute with --device cpu",
                   hb_device_name_of(device).text, hb_human_bytes((double)bytes).text,
                   hb_human_bytes((double)limit).text);
}

/* Returns how many workers were asked for, or suit the device. */
static uint64_t wanted_workers(const hb_session *session, const hb_device *device, bool in_order)
{
    if (in_order || (session->exchange != NULL && session->exchange->one_thread)) {
        return 1;
    }
    if (device->queues > 0) {
        return device->queues;
    }
    return device->gpu ? gpu_workers : 1;
}

size_t hb_workers_batch(size_t batch, size_t together)
{
    return batch < together ? together : batch - batch % together;
}

hb_status hb_workers_choose(hb_workers *workers, const hb_session *session, const hb_device *device,
                            const hb_worker_requirements *requirements)
{
    const uint64_t wanted = wanted_workers(session, device, requirements->in_order);
    const uint64_t units = requirements->units > 0 ? requirements->units : 1;
    const uint64_t files = device->files > 0 ? device->files : 1;
    /* The host's memory is not limited here: the CPU engine works on few ciphertexts at a time. */
    const uint64_t limit = device->gpu ? device->memory : UINT64_MAX;
    const uint64_t fixed = hb_device_table_bytes(device, session->params) + requirements->fixed_bytes;
    const uint64_t queue = hb_device_queue_bytes(device, session->params);
    const size_t together = requirements->together > 0 ? requirements->together : 1;
    /* A worker without a unit would only take memory. */
    *workers = (hb_workers){.count = (uint32_t)(wanted < units ? wanted : units),
                            .files = (uint32_t)(files < units ? files : units),
                            .units = units,
                            .batch = requirements->batch};
    for (;;) {
        workers->bytes =
            fixed + workers->count * (queue + requirements->worker_bytes(requirements->context, workers->batch));
        if (workers->bytes <= limit) {
            return HB_OK;
        }
        /* Workers go first: their number only hides transfers, while small batches slow the computing itself. */
        if (workers->count > 1) {
            workers->count--;
        } else if (workers->batch > together) {
            workers->batch = hb_workers_batch(workers->batch / 2, together);
        } else {
            return refuse(device, workers->bytes, limit);
        }
    }
}

hb_threads hb_workers_threads(const hb_workers *workers, bool writes)
{
    return (hb_threads){workers->files, workers->count, writes ? workers->files : 0};
}

/* Tells why it is this device, where both were weighed and there is a GPU to weigh. */
static void explain(char *text, size_t bytes, const hb_device *device)
{
    const hb_human cpu = hb_human_seconds(device->times.cpu), gpu = hb_human_seconds(device->times.gpu);
    text[0] = '\0';
    if (device->predicted && (device->gpu || hb_machine_gpus() > 0)) {
        snprintf(text, bytes, "; predicted %s on the CPU, %s on a GPU%s", cpu.text, gpu.text,
                 device->gpu ? "" : " (--device gpu takes it all the same)");
    }
}

void hb_workers_print(const hb_workers *workers, const hb_device *device, const hb_group *group,
                      const hb_common *common, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
    char queues[32] = "", files[64] = "", why[224];
    if (workers->count > 1) {
        snprintf(queues, sizeof queues, ", %" PRIu32 " queues", workers->count);
    }
    if (workers->files > 1) {
        snprintf(files, sizeof files, ", files by %" PRIu32 " threads each way", workers->files);
    }
    explain(why, sizeof why, device);
    say(group, common, "device       %s%s%s%s%s%s", hb_device_name_of(device).text, queues, files, why,
        device->why_not != NULL ? "; there are NVIDIA devices, but: " : "",
        device->why_not != NULL ? device->why_not : "");
    /* Worth a line: the ranks run elsewhere than mpirun reports. */
    if (device->unbound) {
        say(group, common, "processors   %" PRIu32 ": mpirun, which was not told where, had put each rank on one core",
            hb_machine_processors());
    }
    if (device->gpu && common->verbose > 0) {
        hb_console_log(group, common, "self-test    operations of the GPU agree%s with the CPU's, %s",
                       device->remembered ? "d within a day" : "", hb_human_seconds(device->check_seconds).text);
    }
}
