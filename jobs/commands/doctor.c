/* hebatch doctor: what this program runs on, and what of it makes trouble. */
#include <hdf5.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "doctor.h"
#include "io/base/durable.h"
#include "machine/machine.h"
#include "machine/versions.h"
#include "mpi/group/launcher.h"

void hb_finding(hb_visit *v, const char *name, const char *advice, const char *format, ...)
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

static void visit_build(hb_visit *v, const hb_versions *versions)
{
    hb_finding(v, "hebatch", NULL, "%s, %s", versions->program, versions->compiler);
    hb_finding(v, "libsodium", NULL, "%s, random source works", versions->sodium); /* or main would have refused */
    hb_finding(v, "jansson", NULL, "%s", versions->jansson);
}

static void visit_machine(hb_visit *v)
{
    char cpu[128];
    hb_machine_cpu(cpu, sizeof cpu);
    hb_finding(v, "processor", NULL, "%s, %" PRIu32 " for this process; huge pages are not needed", cpu,
               hb_machine_processors());
    struct sysinfo memory;
    if (sysinfo(&memory) == 0) {
        const double least = 1024.0 * 1024 * 1024;
        double total = (double)memory.totalram * memory.mem_unit;
        hb_finding(v, "memory", total < least ? "a rank may need up to 1 GiB" : NULL, "%s", hb_human_bytes(total).text);
    }
    uint64_t space;
    if (hb_free_bytes(".", &space) == HB_OK) {
        hb_finding(v, "working directory", NULL, "%s free", hb_human_bytes((double)space).text);
    } else {
        hb_finding(v, "working directory", "it cannot be examined", "%s", hb_last_error()->text);
    }
}

static void visit_mpi(hb_visit *v, const hb_versions *versions)
{
    hb_finding(v, "MPI", NULL, "%s", versions->mpi);
    const hb_launcher launcher = hb_launcher_detect();
    if (launcher.variable == NULL) {
        hb_finding(v, "launcher", NULL, "none seen: commands run as one process");
    } else if (launcher.ranks > 1 && v->group->size == 1) {
        hb_finding(
            v, "launcher",
            "ranks do not find one another, and jobs refuse to start: use the mpirun of the program's MPI, or srun "
            "--mpi=pmix",
            "%s says %" PRIu64 " ranks, but MPI sees one", launcher.variable, launcher.ranks);
    } else {
        hb_finding(v, "launcher", NULL, "%s is set: one of %" PRIu64 " ranks", launcher.variable, launcher.ranks);
    }
}

static void visit_hdf5(hb_visit *v, const hb_versions *versions)
{
    hbool_t thread_safe = false;
    bool known = H5is_library_threadsafe(&thread_safe) >= 0;
#ifdef H5_HAVE_PARALLEL
    const char *build = "parallel";
#else
    const char *build = "serial";
#endif
    hb_finding(v, "HDF5", NULL, "%s, %s build, %s, deflate %s", versions->hdf5, build,
               !known        ? "thread safety unknown"
               : thread_safe ? "thread-safe"
                             : "one thread at a time",
               H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 ? "available" : "missing");
    const char *locking = getenv("HDF5_USE_FILE_LOCKING");
    hb_finding(v, "HDF5 file locking", NULL, "HDF5_USE_FILE_LOCKING %s%s%s", locking != NULL ? "= " : "is not set",
               locking != NULL ? locking : "", "; set it to FALSE where opening a file fails on Lustre or NFS");
}

static void visit_limits(hb_visit *v)
{
    hb_finding(v, "core dumps", NULL, "off in every command"); /* main() runs none where it cannot turn them off */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        hb_finding(v, "open files", NULL, "%" PRIu64 "; a command needs some 20, however many shards a dataset has",
                   (uint64_t)limit.rlim_cur);
    }
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
        hb_finding(v, "page-locked memory", NULL,
                   "%s; keys are kept out of swap as far as it goes; buffers for a GPU do not count, "
                   "those of InfiniBand do",
                   limit.rlim_cur == RLIM_INFINITY ? "unlimited" : hb_human_bytes((double)limit.rlim_cur).text);
    }
}

/* This process, or the machine of rank 0; then all ranks, where there are several. */
static hb_status visit_all(hb_visit *v, hb_group *group, json_t **ranks)
{
    hb_versions versions;
    hb_versions_get(&versions);
    visit_build(v, &versions);
    visit_machine(v);
    if (group->rank == 0) { /* it starts a context on each GPU */
        hb_visit_gpus(v, &versions);
    }
    visit_mpi(v, &versions);
    visit_hdf5(v, &versions);
    visit_limits(v);
    HB_TRY(group->size > 1 ? hb_visit_ranks(v, group, &versions, ranks) : HB_OK);
    hb_console_result(group, v->common, "%s",
                      v->warnings == 0 ? "nothing to worry about" : "see the lines marked WARN");
    return HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_parsed parsed;
    HB_TRY(hb_options_parse(&hb_command_doctor, group, NULL, 0, 0, 0, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    hb_visit v = {.group = group, .common = &parsed.common, .findings = json_array()};
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
