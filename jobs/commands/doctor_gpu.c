#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"
#include "cuda/engine/device.h"
#include "device/ntt_plan_file.h"
#include "doctor.h"
#include "machine/machine.h"
#include "mpi/exchange/open.h"

typedef struct version_text {
    char text[16];
} version_text;

/* 13000 is 13.0. */
static version_text version_of(int number)
{
    version_text version = {"none"};
    if (number > 0) {
        snprintf(version.text, sizeof version.text, "%d.%d", number / 1000, number % 1000 / 10);
    }
    return version;
}

/* Of the GPUs that the operating system shows as files. */
static const char *advice_on_cuda(const hb_cuda_versions *cuda, uint32_t files)
{
    if (files == 0) {
        return NULL;
    }
    if (!hb_cuda_built()) {
        return "GPUs are here, and every command computes on the CPU: build hebatch where nvcc is";
    }
    if (cuda->driver == 0) {
        return "GPUs are here, but no driver library (libcuda.so.1): install it, or pass it into the container";
    }
    /* Within a major version older drivers do; they only cannot compile for GPUs that the program has no code for. */
    return cuda->driver / 1000 < cuda->runtime / 1000 ? "the driver is of an older major version than the program's "
                                                        "CUDA: update it, or build with an older CUDA"
                                                      : NULL;
}

/* A line of a PCI device's file; "" where there is none. */
static void read_line(const char *bus, const char *name, char line[64])
{
    char path[128];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", bus, name);
    FILE *file = fopen(path, "r");
    line[0] = '\0';
    if (file != NULL) {
        if (fgets(line, 64, file) == NULL) {
            line[0] = '\0';
        }
        fclose(file);
    }
    line[strcspn(line, "\n")] = '\0';
}

static void visit_link(hb_visit *v, const hb_cuda_device *card)
{
    char name[32], speed[64], most_speed[64], width[64], most_width[64];
    snprintf(name, sizeof name, "GPU %d link", card->index);
    read_line(card->bus, "current_link_speed", speed);
    read_line(card->bus, "max_link_speed", most_speed);
    read_line(card->bus, "current_link_width", width);
    read_line(card->bus, "max_link_width", most_width);
    if (width[0] == '\0' || speed[0] == '\0') {
        hb_finding(v, name, NULL, "unknown: /sys/bus/pci/devices/%s does not say", card->bus);
        return;
    }
    const bool narrow = strtoul(width, NULL, 10) < strtoul(most_width, NULL, 10);
    hb_finding(v, name,
               narrow ? "fewer lanes than the GPU has: tables and ciphertexts move at a part of its speed" : NULL,
               "%s x%s, at most %s x%s%s", speed, width, most_speed, most_width,
               strcmp(speed, most_speed) != 0 ? "; the speed falls while it is idle" : "");
}

/* Where kernels of transforms are chosen by. */
static void visit_plan(hb_visit *v, const hb_cuda_device *card)
{
    char name[32], *path = NULL;
    hb_cuda_ntt_plan plan;
    snprintf(name, sizeof name, "GPU %d transforms", card->index);
    if (hb_ntt_plan_path(card, &path) != HB_OK || path == NULL) {
        hb_finding(v, name, NULL,
                   "by fixed rules: neither HOME nor XDG_CACHE_HOME says where a measured plan could be");
        return;
    }
    const hb_status st = hb_ntt_plan_read(path, card, &plan);
    if (st == HB_OK) {
        hb_finding(v, name, NULL, "by the plan measured here, %s", path);
    } else if (st == HB_ENOINPUT) {
        hb_finding(v, name, NULL, "by fixed rules; `hebatch bench ntt --plan` measures what is faster here, once");
    } else {
        hb_finding(v, name, "`hebatch bench ntt --plan` makes the plan anew", "by fixed rules: %s",
                   hb_last_error()->text);
    }
    free(path);
}

static void visit_gpu(hb_visit *v, int index)
{
    hb_cuda_device card;
    char name[32];
    snprintf(name, sizeof name, "GPU %d", index);
    if (hb_cuda_device_get(index, &card) != HB_OK) {
        hb_finding(v, name, "leave it out with CUDA_VISIBLE_DEVICES, or compute with --device cpu", "%s",
                   hb_last_error()->text);
        return;
    }
    hb_finding(v, name, NULL, "%s at %s, compute capability %d.%d, %d multiprocessors, %s, %s free", card.name,
               card.bus, card.major, card.minor, card.multiprocessors, hb_human_bytes((double)card.memory).text,
               hb_human_bytes((double)card.free).text);
    visit_link(v, &card);
    visit_plan(v, &card);
}

/* "0: 1 2; 1: 0 2; 2: 0 1": which memories each can read directly. */
static void visit_peers(hb_visit *v, int count)
{
    char text[512] = "";
    size_t end = 0;
    for (int a = 0; a < count && end < sizeof text; a++) {
        end += (size_t)snprintf(text + end, sizeof text - end, "%s%d:", a > 0 ? "; " : "", a);
        bool any = false;
        for (int b = 0; b < count && end < sizeof text; b++) {
            if (a != b && hb_cuda_device_peers(a, b)) {
                end += (size_t)snprintf(text + end, sizeof text - end, " %d", b);
                any = true;
            }
        }
        if (!any && end < sizeof text) {
            end += (size_t)snprintf(text + end, sizeof text - end, " none");
        }
    }
    hb_finding(v, "GPU peers", NULL, "%s", text);
}

void hb_visit_gpus(hb_visit *v, const hb_versions *versions)
{
    hb_cuda_versions cuda;
    hb_cuda_versions_get(&cuda);
    const uint32_t files = hb_machine_gpus();
    hb_finding(v, "CUDA", advice_on_cuda(&cuda, files), "%s; runtime %s, driver %s", versions->cuda,
               version_of(cuda.runtime).text, version_of(cuda.driver).text);
    hb_finding(v, "NCCL", NULL, "%s; ranks that share limbs exchange them over %s", versions->nccl,
               hb_exchange_nccl_version() != NULL ? "it where each has a GPU of its own, else MPI" : "MPI");
    int count = 0;
    const bool answers = hb_cuda_device_count(&count) == HB_OK;
    const char *chosen = getenv("CUDA_VISIBLE_DEVICES");
    const char *advice = !answers ? hb_last_error()->text
                         : hb_cuda_built() && cuda.driver > 0 && count == 0 && files > 0 && chosen == NULL
                             ? "the driver shows none of them to this process"
                             : NULL;
    hb_finding(v, "GPUs", advice, "%d for this process, %" PRIu32 " NVIDIA device file%s%s%s", count, files,
               files == 1 ? "" : "s", chosen != NULL ? ", CUDA_VISIBLE_DEVICES=" : "", chosen != NULL ? chosen : "");
    for (int i = 0; i < count; i++) {
        visit_gpu(v, i);
    }
    if (count > 1) {
        visit_peers(v, count);
    }
}
