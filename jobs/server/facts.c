#include "facts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/report.h"
#include "client/folder.h"

static const char facts_name[] = "facts", facts_partial[] = "facts.partial";

/* --- the file */

void hb_server_facts_write(int folder, hb_server_facts *facts)
{
    memset(facts->build_id, 0, sizeof facts->build_id);
    hb_build_id(facts->build_id);
    const int fd = openat(folder, facts_partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    const bool written = fd >= 0 && write(fd, facts, sizeof *facts) == (ssize_t)sizeof *facts;
    const bool closed = fd >= 0 && close(fd) == 0;
    if (!written || !closed || renameat(folder, facts_partial, folder, facts_name) != 0) {
        hb_server_facts_forget(folder);
    }
}

void hb_server_facts_forget(int folder)
{
    hb_folder_forget(folder, facts_name);
    hb_folder_forget(folder, facts_partial);
}

/* Numbers that a document can state. */
static bool is_held(hb_held all)
{
    return all.count <= INT64_MAX && all.bytes <= INT64_MAX;
}

hb_status hb_server_facts_check(const hb_server_facts *facts, const char *build_id, double now)
{
    if (strncmp(facts->build_id, build_id, sizeof facts->build_id) != 0) {
        return HB_FAIL(HB_ECONFIG, "the server is another build of hebatch than this one");
    }
    const bool text = memchr(facts->running, '\0', sizeof facts->running) != NULL &&
                      (facts->running[0] == '\0' || hb_command_is_served(facts->running));
    const bool times = facts->began > -1e12 && facts->began <= facts->since && facts->since <= now;
    const bool counts = facts->ranks >= 1 && facts->ranks <= INT_MAX && facts->jobs <= INT64_MAX &&
                        facts->failed <= facts->jobs && is_held(facts->keys) && is_held(facts->datasets) &&
                        is_held(facts->weights);
    return text && times && counts ? HB_OK : HB_FAIL(HB_EDATA, "what the server says of itself cannot be right");
}

/* The file, of any build. */
static hb_status read_file(int folder, const char *path, hb_server_facts *facts, size_t *bytes)
{
    struct stat info;
    const int fd = openat(folder, facts_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const ssize_t got = fd >= 0 && fstat(fd, &info) == 0 ? read(fd, facts, sizeof *facts) : -1;
    if (fd >= 0) {
        close(fd);
    }
    if (got < (ssize_t)sizeof facts->build_id) {
        return HB_FAIL(HB_EUNAVAILABLE, "%s: the server there says nothing of itself", path);
    }
    *bytes = (size_t)info.st_size;
    return HB_OK;
}

hb_status hb_server_facts_read(int folder, const char *path, hb_server_facts *facts)
{
    char build_id[HB_BUILD_ID_TEXT];
    size_t bytes = 0;
    memset(facts, 0, sizeof *facts); /* a shorter file is none of this build, or not whole */
    HB_TRY(read_file(folder, path, facts, &bytes));
    hb_build_id(build_id);
    HB_TRY(hb_server_facts_check(facts, build_id, hb_now()));
    return bytes == sizeof *facts ? HB_OK : HB_FAIL(HB_EDATA, "%s/%s: is not as a server writes it", path, facts_name);
}

/* --- for readers */

static json_t *held_json(hb_held all)
{
    return json_pack("{s:I, s:I}", "count", (json_int_t)all.count, "bytes", (json_int_t)all.bytes);
}

/* NULL when out of memory. */
static json_t *facts_json(const char *path, const hb_server_facts *facts, double now)
{
    json_t *running = facts->running[0] == '\0'
                          ? json_null()
                          : json_pack("{s:s, s:f}", "command", facts->running, "seconds", now - facts->since);
    return json_pack("{s:o, s:I, s:f, s:I, s:I, s:o, s:I, s:o, s:o, s:o}", "folder", hb_report_text(path),
                     "server_ranks", (json_int_t)facts->ranks, "server_seconds", now - facts->began, "jobs",
                     (json_int_t)facts->jobs, "jobs_failed", (json_int_t)facts->failed, "running", running,
                     "held_after_jobs", (json_int_t)facts->jobs, "keys", held_json(facts->keys), "datasets",
                     held_json(facts->datasets), "weights", held_json(facts->weights));
}

static hb_status print_facts(hb_group *group, const hb_common *common, const char *path, const hb_server_facts *facts)
{
    const double now = hb_now();
    const struct {
        const char *name, *thing;
        hb_held all;
    } rows[] = {
        {"keys", "key", facts->keys}, {"datasets", "dataset", facts->datasets}, {"weights", "matrix", facts->weights}};
    hb_console_result(group, common, "serves       %s, %s, for %s", path, hb_human_things(facts->ranks, "rank").text,
                      hb_human_seconds(now - facts->began).text);
    hb_console_result(group, common, "jobs         %" PRIu64 " ended, %" PRIu64 " of them not well", facts->jobs,
                      facts->failed);
    if (facts->running[0] != '\0') {
        hb_console_result(group, common, "runs         %s, for %s", facts->running,
                          hb_human_seconds(now - facts->since).text);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hb_console_result(group, common, "%-12s %s, %s%s%s", rows[i].name,
                          hb_human_things(rows[i].all.count, rows[i].thing).text,
                          hb_human_bytes((double)rows[i].all.bytes).text, facts->ranks > 1 ? ", on rank 0" : "",
                          facts->running[0] != '\0' ? ", before this job" : "");
    }
    return common->json ? hb_report_results(group, "serve", facts_json(path, facts, now)) : HB_OK;
}

/* Nothing goes to the server: it takes connections between jobs alone, and its queue has room for few. */
hb_status hb_server_facts_show(hb_group *group, const hb_common *common, const char *path)
{
    int folder;
    hb_server_facts facts;
    HB_TRY(hb_folder_open(path, false, &folder));
    hb_status st = hb_folder_find_server(folder, path);
    st = st == HB_OK ? hb_server_facts_read(folder, path, &facts) : st;
    close(folder);
    return st == HB_OK ? print_facts(group, common, path, &facts) : st;
}
