#include "machine.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The vector unit of the processor, as the kernels ask for it (cpu/kernels.h), not that of the compiler's options. */
static const char *vector_unit(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        return ", AVX-512";
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return ", AVX2 and FMA";
    }
    return ", no AVX2";
#else
    return "";
#endif
}

void hb_machine_cpu(char *text, size_t bytes)
{
    char line[256], model[96] = "unknown processor";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        /* The line is "model name\t: NAME"; some processors have none. */
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(model, sizeof model, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    snprintf(text, bytes, "%s%s", model, vector_unit());
}

uint32_t hb_machine_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

/* The online processors of this host, 1 or more. */
static uint32_t all_processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

uint32_t hb_machine_processors_each(uint32_t processes)
{
    const uint32_t own = hb_machine_processors(), share = all_processors() / processes;
    const uint32_t fewer = own < share ? own : share;
    return fewer > 0 ? fewer : 1;
}

uint32_t hb_machine_gpus(void)
{
    uint32_t count = 0;
    DIR *devices = opendir("/dev");
    for (struct dirent *entry; devices != NULL && (entry = readdir(devices)) != NULL;) {
        /* nvidiactl and nvidia-uvm are there as well, and are no devices. */
        count += strncmp(entry->d_name, "nvidia", 6) == 0 && entry->d_name[6] >= '0' && entry->d_name[6] <= '9';
    }
    if (devices != NULL) {
        closedir(devices);
    }
    return count;
}

/* Returns the bytes of addresses that this process has taken already: of its libraries, stacks and data; 0: unknown. */
static uint64_t mapped_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r"); /* proc_pid_statm(5): its first number is of pages */
    const long bytes = sysconf(_SC_PAGESIZE);
    unsigned long long pages = 0;
    const bool known = file != NULL && fscanf(file, "%llu", &pages) == 1 && bytes > 0;
    if (file != NULL) {
        fclose(file);
    }
    return known ? (uint64_t)pages * (uint64_t)bytes : 0;
}

/* Returns the limit of the addresses of this process; UINT64_MAX: there is none. */
static uint64_t address_limit(void)
{
    struct rlimit limit;
    const bool bounded = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return bounded ? (uint64_t)limit.rlim_cur : UINT64_MAX;
}

static uint64_t share_of_host(uint32_t processes)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 && processes > 0 ? (uint64_t)pages * (uint64_t)bytes / processes : UINT64_MAX;
}

uint64_t hb_machine_memory_each(uint32_t processes)
{
    const uint64_t share = share_of_host(processes), limit = address_limit();
    return limit < share ? limit : share;
}

uint64_t hb_machine_memory_left(uint32_t processes)
{
    const uint64_t share = share_of_host(processes), limit = address_limit();
    if (limit == UINT64_MAX) {
        return share;
    }
    /* The limit counts all addresses, also those of MPI and of libraries. */
    const uint64_t mapped = mapped_bytes(), left = limit > mapped ? limit - mapped : 0;
    return left < share ? left : share;
}

uint64_t hb_peak_bytes(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0 || usage.ru_maxrss < 0) {
        return 0;
    }
    return (uint64_t)usage.ru_maxrss * 1024; /* Linux counts in KiB */
}

double hb_process_age(void)
{
    /* Field 22 of the line (proc_pid_stat(5)); the name of the program, field 2 in brackets, may hold anything. */
    char line[1024];
    FILE *file = fopen("/proc/self/stat", "r");
    const char *end = file != NULL && fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    unsigned long long began = 0;
    if (file != NULL) {
        fclose(file);
    }
    if (end == NULL ||
        sscanf(end + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &began) !=
            1) {
        return 0;
    }
    /* The start is counted since the system was bootstrapped, in ticks. */
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    const double age = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - (double)began / (double)sysconf(_SC_CLK_TCK);
    return age > 0 ? age : 0;
}

/* Tells whether mpirun was told how to place ranks: it then passes on one of these variables. */
static bool was_asked_for(void)
{
    static const char *const names[] = {"OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_hwloc_base_cpu_list",
                                        "OMPI_MCA_rmaps_base_mapping_policy", "OMPI_MCA_rmaps_base_cpus_per_proc",
                                        "OMPI_MCA_hwloc_base_slot_list",      "OMPI_MCA_rmaps_rank_file_path"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        found = found || getenv(names[i]) != NULL;
    }
    return found;
}

bool hb_core_unbind(void)
{
    enum { CORE = 2 }; /* processors of a core, at most */
    const uint32_t before = hb_machine_processors();
    cpu_set_t all;
    CPU_ZERO(&all);
    /* Bound by another program, to more than a core, or on a host with no more processors: nothing is to be undone. */
    if (getenv("OMPI_MCA_orte_bound_at_launch") == NULL || was_asked_for() || before > CORE ||
        all_processors() <= before) {
        return false;
    }
    for (size_t i = 0; i < CPU_SETSIZE; i++) { /* the system leaves out others */
        CPU_SET(i, &all);
    }
    /* A control group or Slurm may allow no more than before: then nothing has changed, and nothing is reported. */
    return sched_setaffinity(0, sizeof all, &all) == 0 && hb_machine_processors() > before;
}
