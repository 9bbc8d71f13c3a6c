/* The ranks of a doctor's visit. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/report.h"
#include "cuda/device/device.h"
#include "doctor_private.h"
#include "machine/machine.h"
#include "mpi/group/launcher.h"

/* For one rank, as it is sent to the others: text is always terminated. */
typedef struct place {
    char host[64], processors[256], gpu[320], link[160], program[128], mpi[128], launcher[64];
    uint8_t uuid[HB_CUDA_UUID_BYTES]; /* with has_gpu */
    uint64_t launcher_ranks;          /* 0: it does not say */
    uint32_t processor_count, has_gpu;
} place;

/* Between its GPU and the host, as it is now: GPUs that are idle slow it down, but leave no lane out. */
static void look_at_link(place *p, const char *bus)
{
    char speed[64], width[64];
    hb_doctor_pci(bus, "current_link_speed", speed);
    hb_doctor_pci(bus, "current_link_width", width);
    if (speed[0] != '\0' && width[0] != '\0') {
        snprintf(p->link, sizeof p->link, "%s x%s", speed, width);
    }
}

/* The one that a job would take: the driver is asked for no other. */
static void look_at_gpu(place *p, const hb_group *group)
{
    int count = 0;
    hb_cuda_device card;
    if (hb_cuda_device_count(&count) != HB_OK) {
        snprintf(p->gpu, sizeof p->gpu, "%.300s", hb_last_error()->text);
    } else if (count == 0) {
        snprintf(p->gpu, sizeof p->gpu, "none");
    } else if (hb_cuda_device_get(group->node_rank % count, &card) != HB_OK) {
        snprintf(p->gpu, sizeof p->gpu, "%.300s", hb_last_error()->text);
    } else {
        snprintf(p->gpu, sizeof p->gpu, "%.250s (%s)", card.name, card.bus);
        memcpy(p->uuid, card.uuid, sizeof p->uuid);
        look_at_link(p, card.bus);
        p->has_gpu = 1;
    }
    hb_clear_error(); /* the fault is reported */
}

/* Writes the processors that this thread may run on, as "0-3,8", into text [bytes]; "unknown" where the system does not
 * say. */
static void list_processors(char *text, size_t bytes)
{
    static const char key[] = "Cpus_allowed_list:";
    char line[1024];
    FILE *file = fopen("/proc/self/status", "r");
    snprintf(text, bytes, "unknown");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, sizeof key - 1) == 0) {
            /* The value stands behind a tab. */
            const char *list = line + sizeof key - 1 + strspn(line + sizeof key - 1, " \t");
            snprintf(text, bytes, "%.*s", (int)strcspn(list, "\n"), list);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void look(place *p, const hb_group *group, const hb_versions *versions)
{
    memset(p, 0, sizeof *p); /* all of it is sent */
    if (gethostname(p->host, sizeof p->host - 1) != 0) {
        snprintf(p->host, sizeof p->host, "unknown");
    }
    list_processors(p->processors, sizeof p->processors);
    p->processor_count = hb_machine_processors();
    look_at_gpu(p, group);
    snprintf(p->program, sizeof p->program, "%s", versions->program);
    snprintf(p->mpi, sizeof p->mpi, "%s", versions->mpi);
    const hb_launcher launcher = hb_launcher_detect();
    snprintf(p->launcher, sizeof p->launcher, "%s", launcher.variable != NULL ? launcher.variable : "none");
    p->launcher_ranks = launcher.ranks;
}

/* Ranks of its host with the same processors, and with the same GPU, itself included. */
static void count_beside(const place *all, int size, const place *p, uint32_t *same_processors, uint32_t *same_gpu)
{
    *same_processors = *same_gpu = 0;
    for (int i = 0; i < size; i++) {
        const bool here = strcmp(all[i].host, p->host) == 0;
        *same_processors += here && strcmp(all[i].processors, p->processors) == 0;
        *same_gpu += p->has_gpu && all[i].has_gpu && memcmp(all[i].uuid, p->uuid, sizeof p->uuid) == 0;
    }
}

typedef struct advice_text {
    char text[256]; /* "": all is well with the rank */
} advice_text;

/* NULL: all is well with its processors. */
static const char *advice_on_processors(const place *p, uint32_t same_processors)
{
    if (same_processors > p->processor_count) {
        return "more ranks than processors that they may run on: start fewer, or bind them otherwise";
    }
    return p->has_gpu && p->processor_count == 1
               ? "all threads of it are on one processor: mpirun --bind-to none, or more of --cpus-per-task"
               : NULL;
}

/* A rank can lack a GPU of its own and processors at once: both are said. */
static advice_text advice_on(const place *all, int size, const place *p)
{
    advice_text advice = {""};
    uint32_t same_processors, same_gpu;
    count_beside(all, size, p, &same_processors, &same_gpu);
    if (p->launcher_ranks > 0 && p->launcher_ranks != (uint64_t)size) {
        snprintf(advice.text, sizeof advice.text, "%s",
                 "the launcher speaks of another number of ranks than MPI: is it that MPI's mpirun, or srun "
                 "--mpi=pmix?");
        return advice;
    }
    if (strcmp(p->program, all[0].program) != 0 || strcmp(p->mpi, all[0].mpi) != 0) {
        snprintf(advice.text, sizeof advice.text, "%s",
                 "not the program, or not the MPI, that rank 0 has: which PATH and LD_LIBRARY_PATH has its host?");
        return advice;
    }
    const char *gpu = same_gpu > 1 ? "its GPU is another rank's too: one rank a GPU, or --share-gpu" : "";
    const char *processors = advice_on_processors(p, same_processors);
    snprintf(advice.text, sizeof advice.text, "%s%s%s", gpu, gpu[0] != '\0' && processors != NULL ? "; " : "",
             processors != NULL ? processors : "");
    return advice;
}

static json_t *json_of(const place *p, int rank)
{
    return json_pack("{s:i, s:o, s:o, s:I, s:o, s:b, s:o, s:o, s:I, s:o, s:o}", "rank", rank, "host",
                     hb_report_text(p->host), "processors", hb_report_text(p->processors), "processor_count",
                     (json_int_t)p->processor_count, "gpu", hb_report_text(p->gpu), "has_gpu", (int)p->has_gpu,
                     "gpu_link", hb_report_text(p->link[0] != '\0' ? p->link : NULL), "launcher",
                     hb_report_text(p->launcher), "launcher_ranks", (json_int_t)p->launcher_ranks, "program",
                     hb_report_text(p->program), "mpi", hb_report_text(p->mpi));
}

static void tell(hb_doctor *v, const place *all, int size, json_t *ranks)
{
    for (int rank = 0; rank < size; rank++) {
        const place *p = &all[rank];
        char name[32], says[32] = "";
        snprintf(name, sizeof name, "rank %d", rank);
        if (p->launcher_ranks > 0) {
            snprintf(says, sizeof says, " %" PRIu64, p->launcher_ranks);
        }
        const advice_text advice = advice_on(all, size, p);
        hb_doctor_finding(v, name, advice.text[0] != '\0' ? advice.text : NULL,
                          "%s, processors %s (%" PRIu32 "), GPU %s%s%s, %s%s", p->host, p->processors,
                          p->processor_count, p->gpu, p->link[0] != '\0' ? ", link " : "", p->link, p->launcher, says);
        v->failed |= json_array_append_new(ranks, json_of(p, rank)) != 0;
    }
}

/* How many hosts they are on. */
static int hosts_of(const place *all, int size)
{
    int hosts = 0;
    for (int rank = 0; rank < size; rank++) {
        bool known = false;
        for (int before = 0; before < rank && !known; before++) {
            known = strcmp(all[before].host, all[rank].host) == 0;
        }
        hosts += !known;
    }
    return hosts;
}

/* The seconds for all ranks to agree, and for a byte of a block from rank 0: the best of several. Collective. */
static hb_status time_talk(hb_group *group, double *agreement, double *byte)
{
    enum { ROUNDS = 16, BLOCKS = 4, BLOCK_BYTES = 1 << 24 };
    uint8_t *block = calloc(1, BLOCK_BYTES);
    hb_status st;
    HB_GOTO(hb_agree(group, block != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a block to send")));
    *agreement = *byte = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double begun = hb_now();
        HB_GOTO(hb_agree(group, HB_OK));
        *agreement = fmin(*agreement, hb_now() - begun);
    }
    for (int round = 0; round < BLOCKS; round++) {
        const double begun = hb_now();
        /* Rank 0 may be done with it before others have it; with the agreement it is not. */
        HB_GOTO(hb_agree(group, hb_group_broadcast(group, block, BLOCK_BYTES, 0)));
        *byte = fmin(*byte, (hb_now() - begun) / BLOCK_BYTES);
    }
done:
    free(block);
    return st;
}

static void tell_talk(hb_doctor *v, int hosts, double agreement, double byte)
{
    hb_doctor_finding(v, "ranks talk", NULL, "on %d host%s: agreeing takes %.3g us, 16 MiB from rank 0 to all %s/s",
                      hosts, hosts == 1 ? "" : "s", 1e6 * agreement, hb_human_bytes(1 / byte).text);
}

hb_status hb_doctor_ranks(hb_doctor *v, hb_group *group, const hb_versions *versions, json_t **ranks)
{
    place *all = calloc((size_t)group->size, sizeof *all);
    *ranks = json_array();
    hb_status st =
        hb_agree(group, all != NULL && *ranks != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the ranks"));
    if (st == HB_OK) {
        look(&all[group->rank], group, versions);
    }
    for (int rank = 0; st == HB_OK && rank < group->size; rank++) {
        st = hb_agree(group, hb_group_broadcast(group, &all[rank], sizeof *all, rank));
    }
    double agreement = 0, byte = 0;
    st = st == HB_OK ? time_talk(group, &agreement, &byte) : st;
    if (st == HB_OK) {
        tell(v, all, group->size, *ranks);
        tell_talk(v, hosts_of(all, group->size), agreement, byte);
    } else {
        json_decref(*ranks);
        *ranks = NULL;
    }
    free(all);
    return st;
}
