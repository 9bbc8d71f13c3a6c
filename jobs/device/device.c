#include "device.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "checked_file.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "cli/report.h"
#include "cuda/engine/engine.h"
#include "divided/engine.h"
#include "gpu_visibility.h"
#include "machine/machine.h"
#include "machine/thread_limits.h"
#include "ntt_plan_file.h"
#include "prediction.h"

void hb_device_options(hb_option *rows, size_t count, hb_device_choice *choice)
{
    HB_ASSERT(count <= HB_DEVICE_JOB_OPTIONS);
    *choice = (hb_device_choice){.kind = "auto", .plan = "auto", .check = "auto"};
    const hb_option values[] = {
        {"device", 0, HB_OPTION_TEXT, &choice->kind, "KIND",
         "auto (default): the one predicted to end sooner; cpu; gpu"},
        {"gpu-memory", 0, HB_OPTION_SIZE, &choice->memory, "SIZE",
         "most to take of each GPU, as 8G or 80% (default: nearly what is free)"},
        {"share-gpu", 0, HB_OPTION_FLAG, &choice->share, NULL,
         "several ranks may use one GPU, each with its part of the memory"},
        {"ntt-plan", 0, HB_OPTION_TEXT, &choice->plan, "WHICH",
         "kernels of transforms: auto, as `bench ntt --plan` chose; off: by fixed rules"},
        {"gpu-check", 0, HB_OPTION_TEXT, &choice->check, "WHEN",
         "a GPU is compared with the CPU: auto (once a day), always, full"},
        {"queues", 0, HB_OPTION_ABOVE_0, &choice->queues, "COUNT",
         "units computed at the same time by a rank, 1 to 8 (default: GPU 3, CPU 1)"},
        {"io-threads", 0, HB_OPTION_ABOVE_0, &choice->files, "COUNT",
         "threads of a rank that read units, and as many that write, 1 to 8\n(default: one for 4 processors with a "
         "GPU, "
         "up to 4; else 1)"}};
    _Static_assert(sizeof values / sizeof *values == HB_DEVICE_JOB_OPTIONS, "every row is there");
    /* A command without units leaves out the last rows. */
    memcpy(rows, values, count * sizeof values[0]);
}

typedef enum device_kind { AUTO, CPU, GPU } device_kind;

/* Checks the word of an option that has a few choices, which `said` names, and returns its place among them; NULL is
 * the first one. HB_EUSAGE. */
static hb_status choose_word(const char *option, const char *word, const char *const *words, size_t count,
                             const char *said, size_t *place)
{
    *place = word == NULL ? 0 : hb_parse_choice(word, words, count);
    return *place < count ? HB_OK : HB_FAIL(HB_EUSAGE, "%s %s: it is %s", option, word, said);
}

/* Without a GPU, auto computes on the CPU; the reason is told only where the host seems to have one. */
static hb_status no_gpu(hb_device *device, device_kind kind, const char *reason)
{
    if (kind == GPU) {
        return HB_FAIL(HB_EUNAVAILABLE, "--device gpu: %s; " HB_DEVICE_WAY_OUT, reason);
    }
    device->why_not = hb_machine_gpus() > 0 ? reason : NULL;
    return HB_OK;
}

/* Counts the GPUs that the rank sees, or its own alone where that can be told before the driver is opened
 * (gpu_visibility.h). */
static hb_status count_gpus(int place, int *count)
{
    hb_gpu_visibility visibility;
    hb_device_see_one(place, &visibility);
    hb_status st = hb_cuda_device_count(count);
    /* The variable may name a GPU that the driver does not offer: then the rank looks as it would have by itself. */
    if (visibility.narrowed && (st != HB_OK || *count == 0)) {
        hb_device_see_all(&visibility);
        st = hb_cuda_device_count(count);
    }
    hb_gpu_visibility_clear(&visibility);
    return st;
}

/* Finds the GPU of the rank that is number `place` on its host; sets device->gpu. */
static hb_status find(hb_device *device, device_kind kind, int place)
{
    if (kind == CPU) {
        return HB_OK;
    }
    /* Told apart from a GPU that is missing: the way out is another one. */
    if (!hb_cuda_built()) {
        return no_gpu(device, kind, "the program was built without CUDA");
    }
    int count = 0;
    hb_status st = count_gpus(place, &count);
    if (st == HB_OK && count == 0) {
        return no_gpu(device, kind, "no NVIDIA GPU that this process may use, or no driver (CUDA_VISIBLE_DEVICES?)");
    }
    st = st == HB_OK ? hb_cuda_device_get(place % count, &device->card) : st;
    device->gpu = st == HB_OK;
    /* A driver that fails is an error even with auto: silently computing on the CPU could take many times as long. */
    return st == HB_OK ? HB_OK : HB_FAIL(st, "%s; " HB_DEVICE_WAY_OUT, hb_last_error()->text);
}

/* The message of a rank to the others. All members are words, and every rank fills its own place of an array of zeros,
 * so that the sum over the ranks is everyone's. */
typedef struct notice {
    uint64_t gpu, by_itself; /* flags; by_itself: --device auto */
    uint64_t uuid[2];
    uint64_t free;  /* bytes */
    uint64_t files; /* threads for them */
} notice;
enum { NOTICE_WORDS = sizeof(notice) / sizeof(uint64_t) };

/* Collective. Returns in *notices the messages of all ranks, [group->size], which the caller frees, also after a
 * failure. */
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

/* A mixture of CPUs and GPUs is fine only where every rank was told which it is: the slowest rank sets the pace, so one
 * that did not find its GPU would hold up all the others. */
static hb_status check_kinds(const hb_group *group, const notice *notices)
{
    bool by_itself = false;
    int other = group->rank;
    for (int r = 0; r < group->size; r++) {
        by_itself = by_itself || notices[r].by_itself != 0;
        /* The first rank that differs from this one, or this one itself. */
        other = notices[r].gpu != notices[group->rank].gpu && other == group->rank ? r : other;
    }
    if (other == group->rank || !by_itself) {
        return HB_OK;
    }
    return HB_FAIL(HB_ECONFIG, "%s; give every rank a GPU, or --device cpu to all",
                   notices[group->rank].gpu != 0 ? "a GPU here, but another rank has none"
                                                 : "no GPU here, but another rank has one");
}

/* Counts the ranks whose GPU has the same UUID: places in CUDA_VISIBLE_DEVICES say nothing about that. */
static hb_status check_sharing(hb_device *device, const hb_group *group, const notice *notices, bool allowed)
{
    const notice *own = &notices[group->rank];
    for (int r = 0; r < group->size; r++) {
        if (notices[r].gpu == 0 || memcmp(notices[r].uuid, own->uuid, sizeof own->uuid) != 0) {
            continue;
        }
        device->sharing++;
        /* The smallest number is of the rank that looked last, when all of them had their contexts there. */
        device->card.free = notices[r].free < device->card.free ? notices[r].free : device->card.free;
        /* Two ranks that share by accident would each take all free memory. */
        if (r != group->rank && !allowed) {
            return HB_FAIL(HB_ECONFIG,
                           "%s is also the GPU of rank %d: start one rank for each GPU, or let them share it with "
                           "--share-gpu",
                           hb_device_name_of(device).text, r);
        }
    }
    return HB_OK;
}

/* Leaves a reserve to the driver, to other processes, and to a context's memory beside the engine's. */
static uint64_t without_reserve(uint64_t bytes)
{
    const uint64_t reserve = ((uint64_t)256 << 20) + bytes / 16;
    return bytes > reserve ? bytes - reserve : 0;
}

/* --gpu-memory is for the GPU: the ranks that share it divide it evenly. */
static hb_status take_memory(hb_device *device, const hb_size *wanted)
{
    const hb_cuda_device *card = &device->card;
    uint64_t bytes = without_reserve(card->free);
    if (wanted->amount > 0) {
        /* A share is one of the whole memory, of which others may have taken some: then the check below refuses. */
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

/* All ranks take as many threads as the rank with fewest: ranks that share limbs must go through units in the same
 * order, which follows from this number. */
static void level_files(hb_device *device, const hb_group *group, const notice *notices)
{
    for (int r = 0; r < group->size; r++) {
        device->files = notices[r].files < device->files ? (uint32_t)notices[r].files : device->files;
    }
}

/* Decides from the notices alone, without talking: every rank has the same, and the caller agrees on the result. */
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

/* Takes one for every four of the processors that are the rank's: the pipeline's other threads take some, and the
 * system's threads for files others. Where the CPU computes, one is enough, as computing takes longer than files. */
static uint32_t suitable_files(const hb_device *device, const hb_group *group)
{
    enum { EACH = 4, MOST = 4 };
    const uint32_t files = hb_machine_processors_each((uint32_t)group->node_size) / EACH;
    if (!device->gpu || files < 1) {
        return 1;
    }
    if (files > MOST) {
        return MOST;
    }
    return files;
}

/* Rank-local; all options are checked before any of them has an effect. */
static hb_status check_choice(const hb_device_choice *choice, device_kind *kind)
{
    static const char *const kinds[] = {[AUTO] = "auto", [CPU] = "cpu", [GPU] = "gpu"};
    static const char *const plans[] = {"auto", "off"}, *const checks[] = {"auto", "always", "full"};
    size_t place;
    HB_TRY(choose_word("--device", choice->kind, kinds, 3, "auto, cpu or gpu", &place));
    *kind = (device_kind)place;
    HB_TRY(choose_word("--ntt-plan", choice->plan, plans, 2, "auto or off", &place));
    HB_TRY(choose_word("--gpu-check", choice->check, checks, 3, "auto, always or full", &place));
    if (choice->queues > HB_MOST_WORKERS) {
        return HB_FAIL(HB_EUSAGE, "--queues %" PRIu64 ": %d at most", choice->queues, HB_MOST_WORKERS);
    }
    if (choice->files > HB_MOST_FILE_THREADS) {
        return HB_FAIL(HB_EUSAGE, "--io-threads %" PRIu64 ": %d at most", choice->files, HB_MOST_FILE_THREADS);
    }
    return HB_OK;
}

/* A rank's share in the choice between CPU and GPU; all are words, to be added up over the ranks. */
typedef struct opinion {
    uint64_t insists, unknown; /* flags: it insists on a GPU; its work is unknown */
    uint64_t cpu, gpu;         /* predicted, microseconds */
} opinion;

/* Without what is over by then, on either device. */
static double total_of(const hb_work *work, const hb_speed *speed)
{
    const hb_prediction prediction = hb_predict(work, speed, (hb_spent){0});
    return hb_prediction_total(&prediction);
}

/* Predicts the job on both devices, before any driver is asked: a GPU is as the last job found its own. */
static void predict_both(const hb_device *device, const hb_work *work, hb_device_times *times)
{
    const double unknown = 0.3; /* seconds of a driver */
    const hb_checked_past past = hb_checked_look(work->params);
    hb_speed gpu = device->core;
    gpu.driver = past.driver_seconds > 0 ? past.driver_seconds : unknown;
    hb_speed_of_gpu(work->params, &past.card, !past.recently, &gpu);
    times->cpu = total_of(work, &device->core);
    times->gpu = total_of(work, &gpu);
}

/* Measures the core, for predictions; the device is weighed only where the answer can matter: with --device cpu or gpu,
 * or without CUDA, it is given. */
static hb_status predict(hb_device *device, const hb_group *group, const hb_device_choice *choice, device_kind kind,
                         const hb_work *work, opinion *own)
{
    *own = (opinion){.insists = kind == GPU, .unknown = work == NULL};
    if (work == NULL) {
        return HB_OK;
    }
    const hb_speed_share share = {choice->queues, (uint32_t)choice->files, (uint32_t)group->node_size};
    HB_TRY(hb_speed_of_core(work->params, share, &device->core));
    if (kind != AUTO || !hb_cuda_built()) {
        return HB_OK;
    }
    const double most = 1e12; /* microseconds: that ranks add up in 64 bits */
    hb_device_times times;
    predict_both(device, work, &times);
    /* Both shrink where one is above: which is the larger has to remain. */
    const double scale = fmin(1e6, most / fmax(times.cpu, times.gpu));
    own->cpu = (uint64_t)(times.cpu * scale);
    own->gpu = (uint64_t)(times.gpu * scale);
    return HB_OK;
}

/* Makes *kind CPU where no rank insists on a GPU and all know their work, which on average is too little for one.
 * Collective: each rank measured its own times, so all must go by the same sums. */
static hb_status weigh(hb_device *device, hb_group *group, const opinion *own, device_kind *kind)
{
    opinion all = *own;
    HB_TRY(hb_agree(group, hb_group_sum(group, (uint64_t *)&all, sizeof all / sizeof(uint64_t))));
    if (*kind != AUTO || !hb_cuda_built() || all.insists > 0 || all.unknown > 0) {
        return HB_OK;
    }
    device->predicted = true;
    device->times.cpu = (double)all.cpu / 1e6 / group->size;
    device->times.gpu = (double)all.gpu / 1e6 / group->size;
    *kind = all.cpu <= all.gpu ? CPU : AUTO;
    return HB_OK;
}

/* The steps of a rank by itself before the ranks compare. */
static hb_status look(hb_device *device, const hb_group *group, const hb_device_choice *choice, device_kind kind)
{
    const double start = hb_now();
    device->queues = choice->queues;
    device->check_full = choice->check != NULL && strcmp(choice->check, "full") == 0;
    device->check_always = device->check_full || (choice->check != NULL && strcmp(choice->check, "always") == 0);
    HB_TRY(find(device, kind, group->node_rank));
    device->driver_seconds = device->gpu ? hb_now() - start : 0;
    /* Threads that are started from here on inherit it. */
    device->unbound = device->gpu && hb_core_unbind();
    device->files = choice->files > 0 ? (uint32_t)choice->files : suitable_files(device, group);
    return HB_OK;
}

hb_status hb_device_choose(hb_device *device, hb_group *group, const hb_device_choice *choice, const hb_work *work)
{
    device_kind kind = AUTO;
    opinion own = {0};
    notice *notices = NULL;
    hb_status st;
    *device = (hb_device){0};
    /* From here on no rank returns between two agreements: each waits in them for all others. */
    HB_GOTO(hb_agree(group, check_choice(choice, &kind)));
    HB_GOTO(hb_agree(group, predict(device, group, choice, kind, work, &own)));
    HB_GOTO(weigh(device, group, &own, &kind));
    HB_GOTO(hb_agree(group, look(device, group, choice, kind)));
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

/* The path of the plan is asked for again, as it is only kept as measured or not. */
static json_t *gpu_json(const hb_device *device, hb_engine *engine)
{
    const hb_cuda_device *card = &device->card;
    char uuid[2 * HB_CUDA_UUID_BYTES + 1], *plan = NULL;
    hb_hex(uuid, card->uuid, sizeof card->uuid);
    if (device->measured && hb_ntt_plan_path(card, &plan) != HB_OK) {
        return NULL;
    }
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:f, s:f, s:f, s:s, s:o}", "kind", "gpu", "name", card->name, "bus",
        card->bus, "uuid", uuid, "memory_limit", (json_int_t)device->memory, "memory_held",
        (json_int_t)hb_cuda_engine_bytes(hb_divided_device(engine)), "sharing", device->sharing, "driver_seconds",
        device->driver_seconds, "engine_seconds", device->engine_seconds, "check_seconds", device->check_seconds,
        "check", device->remembered ? "remembered" : "now", "ntt_plan", hb_report_text(plan != NULL ? plan : "rules"));
    free(plan);
    return json;
}

json_t *hb_device_json(const hb_device *device, hb_engine *engine)
{
    json_t *json = device->gpu ? gpu_json(device, engine) : json_pack("{s:s}", "kind", "cpu");
    if (json != NULL && device->predicted &&
        json_object_set_new(
            json, "predicted",
            json_pack("{s:f, s:f}", "cpu_seconds", device->times.cpu, "gpu_seconds", device->times.gpu)) != 0) {
        json_decref(json);
        return NULL;
    }
    return json;
}
