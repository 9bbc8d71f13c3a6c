#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "console.h"
#include "escape.h"
#include "io/files/durable.h"
#include "io/files/pending.h"
#include "machine/versions.h"
#include "params_options.h"
#include "run.h"

static json_t *library_versions(const hb_versions *versions)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "compiler", versions->compiler, "mpi",
                     versions->mpi, "hdf5", versions->hdf5, "libsodium", versions->sodium, "jansson", versions->jansson,
                     "mpfr", versions->mpfr, "zlib", versions->zlib, "zstd", versions->zstd, "cuda", versions->cuda,
                     "nccl", versions->nccl);
}

/* Who started the run, and how often it was put into the queue again before; null without Slurm. */
static json_t *slurm_job(void)
{
    const char *job = getenv("SLURM_JOB_ID"), *restarts = getenv("SLURM_RESTART_COUNT");
    if (job == NULL || job[0] == '\0') {
        return json_null();
    }
    const long count = restarts != NULL ? strtol(restarts, NULL, 10) : 0;
    return json_pack("{s:o, s:I}", "job_id", hb_report_text(job), "restarts", (json_int_t)count);
}

/* The warnings of this run; NULL when out of memory. */
static json_t *warnings_so_far(const hb_group *group)
{
    static const char word[] = "warning: ";
    const hb_run *run = hb_run_of(group);
    json_t *list = json_array();
    for (uint32_t i = 0; list != NULL && run != NULL && i < run->warnings; i++) {
        const char *text = run->warning[i];
        text += strncmp(text, word, sizeof word - 1) == 0 ? sizeof word - 1 : 0;
        if (json_array_append_new(list, hb_report_text(text)) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *report_new(const hb_group *group, const char *command)
{
    hb_versions versions;
    hb_versions_get(&versions);
    char host[256] = "unknown", started[32] = "unknown";
    if (gethostname(host, sizeof host) == 0) {
        host[sizeof host - 1] = '\0';
    }
    /* Reports are composed as a run ends. */
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now); /* cannot fail on Linux */
    const time_t began = (time_t)((double)now.tv_sec + 1e-9 * (double)now.tv_nsec - hb_run_age(group));
    struct tm utc;
    if (gmtime_r(&began, &utc) != NULL) {
        strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    return json_pack("{s:i, s:s, s:s, s:o, s:s, s:i, s:o, s:s, s:o}", "report_version", 1, "command", command,
                     "version", versions.program, "libraries", library_versions(&versions), "host", host, "ranks",
                     group->size, "slurm", slurm_job(), "started", started, "warnings", warnings_so_far(group));
}

/* Adds the owners of joint keys to an object. */
static bool add_owners(json_t *object, const hb_joint_spec *joint)
{
    char session[2 * HB_DIGEST_BYTES + 1];
    hb_hex(session, joint->session, sizeof joint->session);
    json_t *owners = json_pack("{s:i, s:i, s:I, s:s}", "owners", (int)joint->owners, "threshold", (int)joint->threshold,
                               "results", (json_int_t)joint->results, "session", session);
    return owners != NULL && json_object_set_new(object, "joint", owners) == 0;
}

json_t *hb_report_params(const hb_params *params)
{
    const hb_params_spec *spec = &params->spec;
    json_t *primes = json_array(), *bits = json_array();
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        char text[32];
        snprintf(text, sizeof text, "0x%" PRIx64, spec->primes[i]);
        if (json_array_append_new(primes, json_string(text)) != 0 ||
            json_array_append_new(bits, json_integer(params->ring.moduli[params->ids[i]].bits)) != 0) {
            json_decref(primes);
            json_decref(bits);
            return NULL;
        }
    }
    /* json_pack takes both arrays over, and fails when either is NULL. */
    json_t *rest = json_pack("{s:o, s:o, s:i, s:i, s:s, s:b}", "primes", primes, "bits", bits, "security",
                             (int)spec->security.level, "security_table", (int)hb_security_year(spec->security.table),
                             "security_model", hb_security_model(spec->security), "insecure", (int)spec->insecure);
    const uint32_t special = hb_spec_data_limbs(spec) > 0 ? hb_spec_special_limbs(spec) : 0;
    if (!hb_spec_switches_like_seal(spec) && rest != NULL &&
        (json_object_set_new(rest, "special_primes", json_integer(special)) != 0 ||
         json_object_set_new(rest, "digit_primes", json_integer(hb_spec_digit_limbs(spec))) != 0)) {
        json_decref(rest);
        rest = NULL;
    }
    if (hb_spec_owners(spec) > 1 && rest != NULL && !add_owners(rest, &spec->joint)) {
        json_decref(rest);
        rest = NULL;
    }
    return hb_report_joined(json_pack("{s:s, s:I}", "name", params->name, "n", (json_int_t)spec->n),
                            hb_params_words_of(spec)->json(spec), rest);
}

hb_status hb_report_finish(json_t *report, hb_status status, double seconds, uint64_t peak_bytes)
{
    json_t *reason = hb_report_text(status == HB_OK ? "" : hb_last_error()->text);
    json_t *end = json_pack("{s:i, s:o, s:f, s:I}", "exit_code", (int)status, "reason", reason, "seconds", seconds,
                            "peak_host_bytes", (json_int_t)peak_bytes);
    int failed = end == NULL || json_object_update(report, end) != 0;
    json_decref(end);
    return failed ? HB_FAIL(HB_ENOMEM, "out of memory for the report") : HB_OK;
}

json_t *hb_report_compose(const hb_group *group, const char *command, json_t *description, json_t *results)
{
    return hb_report_joined(report_new(group, command), description, results);
}

json_t *hb_report_beside(const char *output, const char *suffix, time_t *changed)
{
    const size_t most_bytes = (size_t)1 << 24; /* such files hold texts and some numbers */
    char *path = NULL;
    uint8_t *text = NULL;
    size_t bytes = 0;
    mode_t mode;
    struct stat info;
    json_t *document = NULL;
    if (hb_path_with(output, suffix, &path) == HB_OK && hb_read_file(path, most_bytes, &text, &bytes, &mode) == HB_OK &&
        stat(path, &info) == 0) {
        document = json_loadb((const char *)text, bytes, 0, NULL);
        if (changed != NULL) {
            *changed = info.st_mtime;
        }
    }
    hb_clear_error();
    free(text);
    free(path);
    if (!json_is_object(document)) {
        json_decref(document);
        document = NULL;
    }
    return document;
}

hb_status hb_report_probe(const char *output)
{
    char *path;
    HB_TRY(hb_path_with(output, HB_REPORT_SUFFIX, &path));
    bool there;
    hb_status st = hb_path_is_there(path, &there);
    json_t *report = st == HB_OK && there ? hb_report_beside(output, HB_REPORT_SUFFIX, NULL) : NULL;
    if (st == HB_OK && there && !json_is_integer(json_object_get(report, "report_version"))) {
        st = HB_FAIL(HB_ECREATE, "%s: exists and is no report of hebatch", path);
    }
    json_decref(report);
    free(path);
    return st;
}

/* Returns a report in short; NULL when out of memory. */
static json_t *in_short(const json_t *report)
{
    static const char *const kept[] = {"started", "host",    "ranks",     "slurm",
                                       "version", "seconds", "exit_code", "reason"};
    json_t *run = json_object();
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        json_t *value = json_object_get(report, kept[i]);
        if (value != NULL && json_object_set(run, kept[i], value) != 0) {
            json_decref(run);
            return NULL;
        }
    }
    return run;
}

hb_status hb_report_remember(json_t *report, const char *output, bool resume)
{
    enum { MOST_RUNS = 100 };
    json_t *runs = json_array(), *before = resume ? hb_report_beside(output, HB_REPORT_SUFFIX, NULL) : NULL;
    bool failed = runs == NULL;
    if (!failed && json_integer_value(json_object_get(before, "exit_code")) != 0) {
        const json_t *older = json_object_get(before, "runs_before");
        const size_t count = json_array_size(older);
        for (size_t i = count < MOST_RUNS ? 0 : count - MOST_RUNS + 1; i < count; i++) {
            failed |= json_array_append(runs, json_array_get(older, i)) != 0;
        }
        failed |= json_array_append_new(runs, in_short(before)) != 0;
    }
    json_decref(before);
    failed |= json_object_set_new(report, "runs_before", runs) != 0;
    return failed ? HB_FAIL(HB_ENOMEM, "out of memory for the report of %s", output) : HB_OK;
}

char *hb_report_dump(const json_t *document)
{
    char *text = json_dumps(document, JSON_INDENT(2)), *shown = text != NULL ? hb_escape_json(text) : NULL;
    free(text);
    return shown;
}

hb_status hb_report_write(const json_t *report, const char *output)
{
    hb_status st = HB_OK;
    char *path = NULL;
    char *text = hb_report_dump(report);
    if (text == NULL) {
        st = HB_FAIL(HB_ENOMEM, "out of memory for the report of %s", output);
        goto done;
    }
    size_t length = strlen(text);
    text[length] = '\n'; /* in the place of the final zero */
    HB_GOTO(hb_path_with(output, HB_REPORT_SUFFIX, &path));
    HB_GOTO(hb_write_file(path, text, length + 1, 0644, true));
done:
    free(path);
    free(text);
    return st;
}

void hb_report_sweep(const char *output)
{
    char *partial;
    bool busy;
    if (hb_path_with(output, HB_REPORT_SUFFIX ".partial", &partial) == HB_OK) {
        (void)!hb_pending_sweep(partial, &busy); /* it harms nobody */
        free(partial);
    }
}

void hb_report_print(const json_t *report)
{
    char *text = hb_report_dump(report);
    puts(text != NULL ? text : "null"); /* a failure stays in stdout's error flag: hb_console_finish */
    free(text);
}

hb_status hb_report_results(const hb_group *group, const char *command, json_t *results)
{
    json_t *report = report_new(group, command);
    bool failed = report == NULL || results == NULL || json_object_update(report, results) != 0;
    if (!failed && group->rank == 0) {
        hb_report_print(report);
    }
    json_decref(results);
    json_decref(report);
    return failed ? HB_FAIL(HB_ENOMEM, "out of memory for the results of %s", command) : HB_OK;
}
