#include "resume.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "durable.h"
#include "report.h"
#include "versions.h"

enum { VERSION = 1 };
static const size_t most_bytes = (size_t)1 << 16;         /* of job.json: a path or two and some numbers */
static const json_int_t most_ranks = (json_int_t)1 << 20; /* a damaged count must not cost hours */

/* What lays out shards: their marks can only be set by the same. */
typedef struct tool_text {
    char text[96];
} tool_text;

static tool_text this_tool(void)
{
    hb_versions versions;
    hb_versions_get(&versions);
    tool_text tool;
    snprintf(tool.text, sizeof tool.text, "hebatch %.40s, HDF5 %.30s", versions.program, versions.hdf5);
    return tool;
}

static const char *errors_text(hb_distribution errors)
{
    return errors == HB_BINOMIAL ? "binomial" : "gaussian";
}

static hb_status job_path(const char *output, char **path)
{
    return hb_path_with(output, ".partial/" HB_JOB_NAME, path);
}

hb_status hb_resume_describe(hb_resume *job, const char *table, const hb_header *header, hb_distribution errors,
                             uint32_t ranks)
{
    char *file = NULL, *dataset = NULL;
    struct stat info;
    HB_TRY(hb_table_name_split(table, &file, &dataset));
    hb_status st = HB_OK;
    if (stat(file, &info) < 0) {
        st = HB_FAIL(HB_ENOINPUT, "%s: cannot look at it: %s", file, strerror(errno));
    } else {
        const uint64_t second = 1000 * 1000 * 1000; /* 10^9 ns */
        *job = (hb_resume){.table = table,
                           .dataset = dataset != NULL ? table + strlen(file) + 1 : "",
                           .table_bytes = (uint64_t)info.st_size,
                           .table_time = (uint64_t)info.st_mtim.tv_sec * second + (uint64_t)info.st_mtim.tv_nsec,
                           .errors = errors,
                           .ranks = ranks};
        hb_header_digest(job->header, header);
    }
    free(file);
    free(dataset);
    return st;
}

hb_status hb_resume_write(const hb_resume *job, const char *output)
{
    char digest[2 * HB_DIGEST_BYTES + 1], *path = NULL, *text = NULL;
    hb_hex(digest, job->header, sizeof job->header);
    json_t *document =
        json_pack("{s:i, s:s, s:s, s:I, s:o, s:o, s:I, s:I, s:s}", "job_version", VERSION, "tool", this_tool().text,
                  "header_digest", digest, "ranks", (json_int_t)job->ranks, "table", hb_report_text(job->table),
                  "dataset", hb_report_text(job->dataset), "table_bytes", (json_int_t)job->table_bytes, "table_time",
                  (json_int_t)job->table_time, "errors", errors_text(job->errors));
    hb_status st = HB_OK;
    text = document != NULL ? json_dumps(document, JSON_INDENT(2)) : NULL;
    if (text == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the description of the job that makes %s", output));
    }
    HB_GOTO(job_path(output, &path));
    size_t length = strlen(text);
    text[length] = '\n'; /* in the place of the final zero */
    st = hb_write_file(path, text, length + 1, 0666, true);
done:
    free(path);
    free(text);
    json_decref(document);
    return st;
}

/* What job.json says, borrowed from the document. */
typedef struct saved {
    const char *tool, *digest, *dataset, *errors;
    json_int_t version, ranks, bytes, time;
} saved;

static hb_status compare(const hb_resume *job, const saved *old, const char *path)
{
    char digest[2 * HB_DIGEST_BYTES + 1];
    hb_hex(digest, job->header, sizeof job->header);
    const char *difference = NULL;
    if (strcmp(old->digest, digest) != 0) {
        difference = "the key, the parameters, the packing or the shape of the table";
    } else if ((uint64_t)old->bytes != job->table_bytes) {
        difference = "the size of the table's file";
    } else if ((uint64_t)old->time != job->table_time) {
        difference = "the time at which the table's file was last changed";
    } else if (strcmp(old->dataset, job->dataset) != 0) {
        difference = "the dataset in the table's file";
    } else if (strcmp(old->errors, errors_text(job->errors)) != 0) {
        difference = "the distribution of errors";
    } else if (strcmp(old->tool, this_tool().text) != 0) {
        return HB_FAIL(HB_EDATA, "%s: was begun by %.80s: continue it with that, or start again with --force", path,
                       old->tool);
    }
    return difference == NULL ? HB_OK
                              : HB_FAIL(HB_EDATA,
                                        "%s: cannot be continued: %s is not what it was; --force without "
                                        "--resume starts again",
                                        path, difference);
}

static hb_status take(hb_resume *job, const char *path, json_t *document)
{
    saved old;
    if (document == NULL ||
        json_unpack(document, "{s:I, s:s, s:s, s:I, s:s, s:I, s:I, s:s}", "job_version", &old.version, "tool",
                    &old.tool, "header_digest", &old.digest, "ranks", &old.ranks, "dataset", &old.dataset,
                    "table_bytes", &old.bytes, "table_time", &old.time, "errors", &old.errors) != 0 ||
        old.version != VERSION || old.ranks < 1 || old.ranks > most_ranks) {
        return HB_FAIL(HB_EDATA,
                       "%s: does not describe a job that this version can continue; --force without "
                       "--resume starts again",
                       path);
    }
    HB_TRY(compare(job, &old, path));
    job->ranks = (uint32_t)old.ranks;
    return HB_OK;
}

static bool is_there(const char *output, const char *suffix)
{
    char *path;
    struct stat info;
    if (hb_path_with(output, suffix, &path) != HB_OK) {
        return false;
    }
    const bool there = lstat(path, &info) == 0;
    free(path);
    return there;
}

hb_status hb_resume_find(hb_resume *job, const char *output, bool force, bool *found)
{
    *found = false;
    if (!is_there(output, ".partial")) {
        return HB_OK;
    }
    if (!is_there(output, ".partial/" HB_JOB_NAME)) {
        return force ? HB_OK
                     : HB_FAIL(HB_ECREATE,
                               "%s.partial: has no " HB_JOB_NAME ", so it cannot be continued; --force "
                               "starts again",
                               output);
    }
    char *path;
    uint8_t *text = NULL;
    size_t bytes = 0;
    mode_t mode;
    HB_TRY(job_path(output, &path));
    hb_status st = hb_read_file(path, most_bytes, &text, &bytes, &mode);
    if (st == HB_OK) {
        json_t *document = json_loadb((const char *)text, bytes, 0, NULL);
        st = take(job, path, document);
        json_decref(document);
        *found = st == HB_OK;
    }
    free(text);
    free(path);
    return st;
}

hb_status hb_resume_lock(const char *output, int *lock)
{
    char *path;
    HB_TRY(job_path(output, &path));
    hb_status st = HB_OK;
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        st = HB_FAIL(errno == ENOENT ? HB_ENOINPUT : HB_EIO, "%s: cannot open: %s", path, strerror(errno));
    } else if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        close(fd);
        st = HB_FAIL(HB_ECREATE, "%s.partial: another job is writing it", output);
    } else {
        *lock = fd;
    }
    free(path);
    return st;
}
