#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"
#include "cuda_engine.h"
#include "divided_engine.h"
#include "hex.h"
#include "machine.h"
#include "ntt_plan_file.h"
#include "pipeline.h"
#include "report.h"

typedef enum device_kind { AUTO, CPU, GPU } device_kind;

static hb_status kind_of(const char *word, device_kind *kind)
{
    static const char *const words[] = {"auto", "cpu", "gpu", NULL};
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(word, words[i]) == 0) {
            *kind = (device_kind)i;
            return HB_OK;
        }
    }
    return HB_FAIL(HB_EUSAGE, "--device %s: it is auto, cpu or gpu", word);
}

static hb_status no_gpu(hb_device *device, device_kind kind, const char *reason)
{
    if (kind == GPU) {
        return HB_FAIL(HB_EUNAVAILABLE, "--device gpu: %s; " HB_DEVICE_WAY_OUT, reason);
    }
    device->why_not = hb_machine_gpus() > 0 ? reason : NULL;
    return HB_OK;
}

/* The GPU of the rank that is number `place` on its host. */
static hb_status find(hb_device *device, device_kind kind, int place)
{
    if (kind == CPU) {
        return HB_OK;
    }
    if (!hb_cuda_built()) {
        return no_gpu(device, kind, "the program was built without CUDA");
    }
    int count = 0;
    hb_status st = hb_cuda_device_count(&count);
    if (st == HB_OK && count == 0) {
        return no_gpu(device, kind, "no NVIDIA GPU that this process may use, or no driver (CUDA_VISIBLE_DEVICES?)");
    }
    st = st == HB_OK ? hb_cuda_device_get(place % count, &device->card) : st;
    device->gpu = st == HB_OK;
    return st == HB_OK ? HB_OK : HB_FAIL(st, "%s; " HB_DEVICE_WAY_OUT, hb_last_error()->text);
}

/* What the ranks tell each other, as words so that a sum over the ranks puts every rank's into its place. */
typedef struct notice {
    uint64_t gpu, by_itself; /* flags; by_itself: --device auto */
    uint64_t uuid[2];
    uint64_t free;  /* bytes */
    uint64_t files; /* threads for them */
} notice;
enum { NOTICE_WORDS = sizeof(notice) / sizeof(uint64_t) };

/* notices: [group->size], to be freed. */
static hb_status gather(hb_group *group, const hb_device *device, device_kind kind, notice **notices)
{
    notice own = {.gpu = device->gpu, .by_itself = kind == AUTO, .free = device->card.free, .files = device->files};
    _Static_assert(sizeof own.uuid == HB_CUDA_UUID_BYTES, "two words");
    memcpy(own.uuid, device->card.uuid, sizeof own.uuid);
    *notices = calloc((size_t)group->size, sizeof **notices);
    HB_TRY(hb_agree(group, *notices != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for %d ranks", group->size)));
    (*notices)[group->rank] = own;
    return hb_agree(group, hb_group_sum(group, (uint64_t *)*notices, (size_t)group->size * NOTICE_WORDS));
}

/* A mixture is fine where every rank was told which it is. */
static hb_status check_kinds(const hb_group *group, const notice *notices)
{
    bool by_itself = false;
    int other = group->rank;
    for (int r = 0; r < group->size; r++) {
        by_itself = by_itself || notices[r].by_itself != 0;
        other = notices[r].gpu != notices[group->rank].gpu && other == group->rank ? r : other;
    }
    if (other == group->rank || !by_itself) {
        return HB_OK;
    }
    return HB_FAIL(HB_ECONFIG, "%s; give every rank a GPU, or --device cpu to all",
                   notices[group->rank].gpu != 0 ? "a GPU here, but another rank has none"
                                                 : "no GPU here, but another rank has one");
}

static hb_status check_sharing(hb_device *device, const hb_group *group, const notice *notices, bool allowed)
{
    const notice *own = &notices[group->rank];
    for (int r = 0; r < group->size; r++) {
        if (notices[r].gpu == 0 || memcmp(notices[r].uuid, own->uuid, sizeof own->uuid) != 0) {
            continue;
        }
        device->sharing++;
        /* The last one to look saw what all of them take by being there. */
        device->card.free = notices[r].free < device->card.free ? notices[r].free : device->card.free;
        if (r != group->rank && !allowed) {
            return HB_FAIL(HB_ECONFIG,
                           "%s is also the GPU of rank %d: start one rank for each GPU, or let them share it with "
                           "--share-gpu",
                           hb_device_name_of(device).text, r);
        }
    }
    return HB_OK;
}

/* What is left to the driver, to other processes, and to what a context takes beside the engine's memory. */
static uint64_t without_reserve(uint64_t bytes)
{
    const uint64_t reserve = ((uint64_t)256 << 20) + bytes / 16;
    return bytes > reserve ? bytes - reserve : 0;
}

static hb_status take_memory(hb_device *device, const hb_size *wanted)
{
    const hb_cuda_device *card = &device->card;
    uint64_t bytes = without_reserve(card->free);
    if (wanted->amount > 0) {
        bytes = wanted->percent ? card->memory / 100 * wanted->amount : wanted->amount;
    }
    if (bytes > card->free) {
        return HB_FAIL(HB_EUNAVAILABLE, "--gpu-memory asks for %s of %s, which has %s free of %s",
                       hb_human_bytes((double)bytes).text, hb_device_name_of(device).text,
                       hb_human_bytes((double)card->free).text, hb_human_bytes((double)card->memory).text);
    }
    device->memory = bytes / (uint64_t)device->sharing;
    return HB_OK;
}

/* As many as the rank with fewest: those that share limbs go through units in the same order, which follows from it. */
static void level_files(hb_device *device, const hb_group *group, const notice *notices)
{
    for (int r = 0; r < group->size; r++) {
        device->files = notices[r].files < device->files ? (uint32_t)notices[r].files : device->files;
    }
}

static hb_status settle(hb_device *device, const hb_group *group, const notice *notices, const hb_device_choice *choice)
{
    level_files(device, group, notices);
    HB_TRY(check_kinds(group, notices));
    if (!device->gpu) {
        return HB_OK;
    }
    HB_TRY(check_sharing(device, group, notices, choice->share));
    HB_TRY(take_memory(device, &choice->memory));
    if (choice->plan == NULL || strcmp(choice->plan, "auto") == 0) {
        device->measured = hb_ntt_plan_find(group, &device->card, &device->plan);
    }
    return HB_OK;
}

/* Of the processors of its host that a rank has, the pipeline's other threads take some, and the system's for files
 * others. Where the CPU computes it has no time to wait for. */
static uint32_t suitable_files(const hb_device *device, const hb_group *group)
{
    enum { EACH = 4, MOST = 4 };
    const uint32_t own = hb_machine_processors(), share = hb_machine_all_processors() / (uint32_t)group->node_size;
    const uint32_t files = (own < share ? own : share) / EACH;
    return !device->gpu || files < 1 ? 1 : files > MOST ? MOST : files;
}

static hb_status look(hb_device *device, const hb_group *group, const hb_device_choice *choice, device_kind *kind)
{
    HB_TRY(kind_of(choice->kind, kind));
    if (choice->plan != NULL && strcmp(choice->plan, "auto") != 0 && strcmp(choice->plan, "off") != 0) {
        return HB_FAIL(HB_EUSAGE, "--ntt-plan %s: it is auto or off", choice->plan);
    }
    if (choice->queues > HB_PIPELINE_MOST_WORKERS) {
        return HB_FAIL(HB_EUSAGE, "--queues %" PRIu64 ": %d at most", choice->queues, HB_PIPELINE_MOST_WORKERS);
    }
    if (choice->files > HB_PIPELINE_MOST_FILES) {
        return HB_FAIL(HB_EUSAGE, "--io-threads %" PRIu64 ": %d at most", choice->files, HB_PIPELINE_MOST_FILES);
    }
    device->queues = choice->queues;
    const double start = hb_now();
    HB_TRY(find(device, *kind, group->node_rank));
    device->driver_seconds = hb_now() - start;
    device->files = choice->files > 0 ? (uint32_t)choice->files : suitable_files(device, group);
    return HB_OK;
}

hb_status hb_device_choose(hb_device *device, hb_group *group, const hb_device_choice *choice)
{
    device_kind kind = AUTO;
    notice *notices = NULL;
    hb_status st;
    *device = (hb_device){0};
    HB_GOTO(hb_agree(group, look(device, group, choice, &kind)));
    HB_GOTO(gather(group, device, kind, &notices));
    st = hb_agree(group, settle(device, group, notices, choice));
done:
    free(notices);
    return st;
}

hb_device_name hb_device_name_of(const hb_device *device)
{
    hb_device_name name = {"CPU"};
    if (device->gpu) {
        const hb_cuda_device *card = &device->card;
        snprintf(name.text, sizeof name.text, "%s (%s)", card->name, card->bus);
    }
    return name;
}

json_t *hb_device_json(const hb_device *device, hb_engine *engine)
{
    if (!device->gpu) {
        return json_pack("{s:s}", "kind", "cpu");
    }
    const hb_cuda_device *card = &device->card;
    char uuid[2 * HB_CUDA_UUID_BYTES + 1], *plan = NULL;
    hb_hex(uuid, card->uuid, sizeof card->uuid);
    if (device->measured && hb_ntt_plan_path(card, &plan) != HB_OK) {
        return NULL;
    }
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:f, s:f, s:f, s:o}", "kind", "gpu", "name", card->name, "bus",
                  card->bus, "uuid", uuid, "memory_limit", (json_int_t)device->memory, "memory_held",
                  (json_int_t)hb_cuda_engine_bytes(hb_divided_device(engine)), "sharing", device->sharing,
                  "driver_seconds", device->driver_seconds, "engine_seconds", device->engine_seconds, "check_seconds",
                  device->check_seconds, "ntt_plan", hb_report_text(plan != NULL ? plan : "rules"));
    free(plan);
    return json;
}
