/* hebatch doctor: describes the machine and libraries of this program, and their problems; of each rank, where there
 * are several. */
#include <hdf5.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "cuda/device/device.h"
#include "device/ntt_plan_file.h"
#include "doctor_private.h"
#include "io/files/durable.h"
#include "io/h5/h5.h"
#include "io/reader/confine.h"
#include "machine/machine.h"
#include "machine/versions.h"
#include "mpi/exchange/open.h"
#include "mpi/group/launcher.h"

void hb_doctor_finding(hb_doctor *v, const char *name, const char *advice, const char *format, ...)
{
    char value[512];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    hb_console_result(v->group, v->common, "%-4s %-18s %s", advice != NULL ? "WARN" : "ok", name, value);
    if (advice != NULL) {
        hb_console_result(v->group, v->common, "%24s%s", "", advice);
        v->warnings++;
    }
    json_t *row =
        json_pack("{s:s, s:o, s:o}", "name", name, "value", hb_report_text(value), "advice", hb_report_text(advice));
    v->failed |= json_array_append_new(v->findings, row) != 0;
}

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

/* Returns advice on `files` GPUs, which the operating system shows as files; NULL: none is needed. */
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

static void visit_link(hb_doctor *v, const hb_cuda_device *card)
{
    char name[32], speed[64], most_speed[64], width[64], most_width[64];
    snprintf(name, sizeof name, "GPU %d link", card->index);
    hb_doctor_pci(card->bus, "current_link_speed", speed);
    hb_doctor_pci(card->bus, "max_link_speed", most_speed);
    hb_doctor_pci(card->bus, "current_link_width", width);
    hb_doctor_pci(card->bus, "max_link_width", most_width);
    if (width[0] == '\0' || speed[0] == '\0') {
        hb_doctor_finding(v, name, NULL, "unknown: /sys/bus/pci/devices/%s does not say", card->bus);
        return;
    }
    const bool narrow = strtoul(width, NULL, 10) < strtoul(most_width, NULL, 10);
    hb_doctor_finding(
        v, name, narrow ? "fewer lanes than the GPU has: tables and ciphertexts move at a part of its speed" : NULL,
        "%s x%s, at most %s x%s%s", speed, width, most_speed, most_width,
        strcmp(speed, most_speed) != 0 ? "; the speed falls while it is idle" : "");
}

/* Where kernels of transforms are chosen by. */
static void visit_plan(hb_doctor *v, const hb_cuda_device *card)
{
    char name[32], *path = NULL;
    hb_cuda_ntt_plan plan;
    snprintf(name, sizeof name, "GPU %d transforms", card->index);
    if (hb_ntt_plan_path(card, &path) != HB_OK || path == NULL) {
        hb_doctor_finding(v, name, NULL,
                          "by fixed rules: neither HOME nor XDG_CACHE_HOME says where a measured plan could be");
        return;
    }
    const hb_status st = hb_ntt_plan_read(path, card, &plan);
    if (st == HB_OK) {
        hb_doctor_finding(v, name, NULL, "by the plan measured here, %s", path);
    } else if (st == HB_ENOINPUT) {
        hb_doctor_finding(v, name, NULL,
                          "by fixed rules; `hebatch bench ntt --plan` measures what is faster here, once");
    } else {
        hb_doctor_finding(v, name, "`hebatch bench ntt --plan` makes the plan anew", "by fixed rules: %s",
                          hb_last_error()->text);
    }
    free(path);
}

static void visit_gpu(hb_doctor *v, int index)
{
    hb_cuda_device card;
    char name[32];
    snprintf(name, sizeof name, "GPU %d", index);
    if (hb_cuda_device_get(index, &card) != HB_OK) {
        hb_doctor_finding(v, name, "leave it out with CUDA_VISIBLE_DEVICES, or compute with --device cpu", "%s",
                          hb_last_error()->text);
        return;
    }
    hb_doctor_finding(v, name, NULL, "%s at %s, compute capability %d.%d, %d multiprocessors, %s, %s free", card.name,
                      card.bus, card.major, card.minor, card.multiprocessors, hb_human_bytes((double)card.memory).text,
                      hb_human_bytes((double)card.free).text);
    visit_link(v, &card);
    visit_plan(v, &card);
}

/* "0: 1 2; 1: 0 2; 2: 0 1": which memories each can read directly. */
static void visit_peers(hb_doctor *v, int count)
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
    hb_doctor_finding(v, "GPU peers", NULL, "%s", text);
}

/* CUDA, the GPUs, their links to the host and to each other. */
static void visit_gpus(hb_doctor *v, const hb_versions *versions)
{
    hb_cuda_versions cuda;
    hb_cuda_versions_get(&cuda);
    const uint32_t files = hb_machine_gpus();
    hb_doctor_finding(v, "CUDA", advice_on_cuda(&cuda, files), "%s; runtime %s, driver %s", versions->cuda,
                      version_of(cuda.runtime).text, version_of(cuda.driver).text);
    hb_doctor_finding(v, "NCCL", NULL, "%s; ranks that share limbs exchange them over %s", versions->nccl,
                      hb_exchange_nccl_version() != NULL ? "it where each has a GPU of its own, else MPI" : "MPI");
    int count = 0;
    const bool answers = hb_cuda_device_count(&count) == HB_OK;
    const char *chosen = getenv("CUDA_VISIBLE_DEVICES");
    const char *advice = NULL;
    if (!answers) {
        advice = hb_last_error()->text;
    } else if (hb_cuda_built() && cuda.driver > 0 && count == 0 && files > 0 && chosen == NULL) {
        advice = "the driver shows none of them to this process";
    }
    hb_doctor_finding(v, "GPUs", advice, "%d for this process, %" PRIu32 " NVIDIA device file%s%s%s", count, files,
                      files == 1 ? "" : "s", chosen != NULL ? ", CUDA_VISIBLE_DEVICES=" : "",
                      chosen != NULL ? chosen : "");
    for (int i = 0; i < count; i++) {
        visit_gpu(v, i);
    }
    if (count > 1) {
        visit_peers(v, count);
    }
}

static void visit_build(hb_doctor *v, const hb_versions *versions)
{
    hb_doctor_finding(v, "hebatch", NULL, "%s, %s", versions->program, versions->compiler);
    hb_doctor_finding(v, "libsodium", NULL, "%s, random source works",
                      versions->sodium); /* or main would have refused */
    hb_doctor_finding(v, "jansson", NULL, "%s", versions->jansson);
    hb_doctor_finding(v, "MPFR", NULL, "%s", versions->mpfr);
}

static void visit_machine(hb_doctor *v)
{
    char cpu[128];
    hb_machine_cpu(cpu, sizeof cpu);
    hb_doctor_finding(v, "processor", NULL, "%s, %" PRIu32 " for this process; huge pages are not needed", cpu,
                      hb_machine_processors());
    struct sysinfo memory;
    if (sysinfo(&memory) == 0) {
        const double least = 1024.0 * 1024 * 1024;
        double total = (double)memory.totalram * memory.mem_unit;
        hb_doctor_finding(v, "memory", total < least ? "a rank may need up to 1 GiB" : NULL, "%s",
                          hb_human_bytes(total).text);
    }
    uint64_t space;
    if (hb_free_bytes(".", &space) == HB_OK) {
        hb_doctor_finding(v, "working directory", NULL, "%s free", hb_human_bytes((double)space).text);
    } else {
        hb_doctor_finding(v, "working directory", "it cannot be examined", "%s", hb_last_error()->text);
    }
}

static void visit_mpi(hb_doctor *v, const hb_versions *versions)
{
    hb_doctor_finding(v, "MPI", NULL, "%s", versions->mpi);
    const hb_launcher launcher = hb_launcher_detect();
    if (launcher.variable == NULL) {
        hb_doctor_finding(v, "launcher", NULL, "none seen: commands run as one process");
    } else if (launcher.ranks > 1 && v->group->size == 1) {
        hb_doctor_finding(
            v, "launcher",
            "ranks do not find one another, and jobs refuse to start: use the mpirun of the program's MPI, or srun "
            "--mpi=pmix",
            "%s says %" PRIu64 " ranks, but MPI sees one", launcher.variable, launcher.ranks);
    } else {
        hb_doctor_finding(v, "launcher", NULL, "%s is set: one of %" PRIu64 " ranks", launcher.variable,
                          launcher.ranks);
    }
}

static void visit_hdf5(hb_doctor *v, const hb_versions *versions)
{
    if (hb_h5_begin() != HB_OK) {
        hb_doctor_finding(v, "HDF5", hb_last_error()->text, "cannot start");
        return;
    }
    hbool_t thread_safe = false;
    const char *threads = "thread safety unknown";
    if (H5is_library_threadsafe(&thread_safe) >= 0) {
        threads = thread_safe ? "thread-safe" : "one thread at a time";
    }
#ifdef H5_HAVE_PARALLEL
    const char *build = "parallel";
#else
    const char *build = "serial";
#endif
    hb_doctor_finding(v, "HDF5", NULL, "%s, %s build, %s, deflate %s", versions->hdf5, build, threads,
                      H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 ? "available" : "missing");
    const char *locking = getenv("HDF5_USE_FILE_LOCKING");
    hb_doctor_finding(v, "HDF5 file locking", NULL, "HDF5_USE_FILE_LOCKING %s%s%s",
                      locking != NULL ? "= " : "is not set", locking != NULL ? locking : "",
                      "; set it to FALSE where opening a file fails on Lustre or NFS");
}

static void visit_limits(hb_doctor *v)
{
    hb_doctor_finding(v, "core dumps", NULL,
                      "off in every command"); /* main() runs none where it cannot turn them off */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        hb_doctor_finding(v, "open files", NULL,
                          "%" PRIu64 "; a command needs some 20, however many shards a dataset has",
                          (uint64_t)limit.rlim_cur);
    }
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
        hb_doctor_finding(v, "page-locked memory", NULL,
                          "%s; keys are kept out of swap as far as it goes; buffers for a GPU do not count, "
                          "those of InfiniBand do",
                          limit.rlim_cur == RLIM_INFINITY ? "unlimited" : hb_human_bytes((double)limit.rlim_cur).text);
    }
}

/* How much a table that was made to harm can reach. */
static void visit_reader(hb_doctor *v)
{
    const hb_confinement has = hb_h5_process_confinement();
    hb_doctor_finding(
        v, "tables of others",
        has.files && has.calls ? NULL : "accept HDF5 tables and models only from people who may read all your files",
        "the process that reads HDF5 %s; %s",
        has.files ? "opens no file but the table (Landlock)" : "may open any file: the kernel has no Landlock",
        has.calls ? "makes no system calls but to read it (seccomp)" : "may make any system call: there is no seccomp");
}

/* This process, or the machine of rank 0; then all ranks, where there are several. */
static hb_status visit_all(hb_doctor *v, hb_group *group, json_t **ranks)
{
    hb_versions versions;
    hb_versions_get(&versions);
    visit_build(v, &versions);
    visit_machine(v);
    if (group->rank == 0) { /* it starts a context on each GPU */
        visit_gpus(v, &versions);
    }
    visit_mpi(v, &versions);
    visit_hdf5(v, &versions);
    visit_reader(v);
    visit_limits(v);
    if (group->size > 1) {
        HB_TRY(hb_doctor_ranks(v, group, &versions, ranks));
    }
    hb_console_result(group, v->common, "%s",
                      v->warnings == 0 ? "nothing to worry about" : "see the lines marked WARN");
    return HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_parsed parsed;
    const hb_usage usage = {.command = &hb_command_doctor, .least = 0, .most = 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    hb_doctor v = {.group = group, .common = &parsed.common, .findings = json_array()};
    json_t *ranks = NULL;
    const hb_status st = visit_all(&v, group, &ranks);
    if (st != HB_OK || v.failed) {
        json_decref(v.findings);
        json_decref(ranks);
        return hb_agree(group, st != HB_OK ? st : HB_FAIL(HB_ENOMEM, "out of memory for the findings"));
    }
    json_t *results = json_pack("{s:i, s:o}", "warnings", v.warnings, "findings", v.findings);
    if (ranks != NULL && (results == NULL || json_object_set_new(results, "by_rank", ranks) != 0)) {
        json_decref(results);
        results = NULL;
    }
    if (parsed.common.json) {
        return hb_agree(group, hb_report_results(group, "doctor", results));
    }
    json_decref(results);
    return hb_agree(group, HB_OK);
}

const hb_command hb_command_doctor = {.name = "doctor",
                                      .arguments = "[OPTIONS]",
                                      .summary =
                                          "look at this machine and the libraries: versions, limits, GPUs, ranks",
                                      .ranks = true,
                                      .apart = true,
                                      .run = run};
