/* The end of a job: what it has made goes, or stays and is said. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/report.h"
#include "io/files/durable.h"
#include "job.h"
#include "table/shell_line.h"

static bool is_there(const char *path)
{
    struct stat info;
    return path != NULL && lstat(path, &info) == 0;
}

/* The folder of a dataset, or of keys. */
static void remove_folder(const hb_asked_job *job, const char *path)
{
    if (is_there(path) && hb_remove_folder(path) != HB_OK) {
        hb_console_warn(job->group, "%s", hb_last_error()->text);
        hb_clear_error();
    }
}

/* The file PATH + SUFFIX. */
static void remove_file(const hb_asked_job *job, const char *path, const char *suffix)
{
    char *name = NULL;
    if (hb_path_with(path, suffix, &name) != HB_OK) {
        hb_console_warn(job->group, "%s%s stays: %s", path, suffix, hb_last_error()->text);
        hb_clear_error();
    } else if (unlink(name) != 0 && errno != ENOENT) {
        hb_console_warn(job->group, "%s cannot be removed: %s", name, strerror(errno));
    }
    free(name);
}

static void remove_dataset(const hb_asked_job *job, const char *path)
{
    remove_folder(job, path);
    remove_file(job, path, HB_REPORT_SUFFIX);
    remove_file(job, path, HB_ASKED_FROM);
}

/* Removes what the commands of the job have left half done of the datasets that it makes. */
static void discard_half(const hb_asked_job *job)
{
    const hb_asked_plan *plan = &job->plan;
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        if (!job->there[i]) {
            (void)hb_asked_discard(plan->encrypt[i].output);
        }
    }
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        (void)hb_asked_discard(plan->decrypt[i].words.word[HB_DECRYPT_FROM]);
    }
}

/* Whether the job has made the folder of its keys, or was the first to use it. */
static bool has_own_keys(const hb_asked_job *job)
{
    return !job->keys_there && job->key_files == 0;
}

static void remove_unkept(const hb_asked_job *job)
{
    const hb_asked_plan *plan = &job->plan;
    const hb_asked_stay stay = job->options->stay;
    for (uint32_t i = 0; i < plan->decrypts && stay != HB_ASKED_STAY_ALL; i++) {
        remove_dataset(job, plan->decrypt[i].words.word[HB_DECRYPT_FROM]);
        remove_file(job, plan->decrypt[i].output, "");
        remove_file(job, plan->decrypt[i].output, HB_REPORT_SUFFIX);
    }
    for (uint32_t i = 0; i < plan->encrypts && stay == HB_ASKED_STAY_NONE; i++) {
        if (!job->there[i]) {
            remove_dataset(job, plan->encrypt[i].output);
        }
    }
    if (stay == HB_ASKED_STAY_NONE && has_own_keys(job)) {
        remove_folder(job, plan->keygen.output);
    } else if (stay == HB_ASKED_STAY_NONE && !job->keys_there) {
        hb_console_warn(job->group, "%s stays: files without a public.h5 were in it before", plan->keygen.output);
    }
}

/* Removes the folders that the job has made and left without a file. */
static void remove_empty(const hb_asked_job *job)
{
    if (has_own_keys(job)) {
        (void)rmdir(job->plan.keygen.output);
    }
    if (job->made) {
        (void)rmdir(job->options->dir);
    }
}

/* Writes what the job has left: "its keys and encrypted table stay". */
static void write_left(const hb_asked_job *job, char *to, size_t bytes)
{
    const hb_asked_plan *plan = &job->plan;
    const char *part[3];
    uint32_t parts = 0, tables = 0, answers = 0;
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        tables += !job->there[i] && is_there(plan->encrypt[i].output);
    }
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        answers += is_there(plan->decrypt[i].words.word[HB_DECRYPT_FROM]);
    }
    if (job->keys_left) {
        part[parts++] = job->keys_there ? "added keys" : "keys";
    }
    if (tables > 0) {
        part[parts++] = tables > 1 ? "encrypted tables" : "encrypted table";
    }
    if (answers > 0) {
        part[parts++] = answers > 1 ? "encrypted answers" : "encrypted answer";
    }
    snprintf(to, bytes, "%s", parts == 0 ? "this question has left nothing" : "its ");
    for (uint32_t i = 0; i < parts; i++) {
        const size_t length = strlen(to);
        snprintf(to + length, bytes - length, "%s%s", i == 0 ? "" : i + 1 < parts ? ", " : " and ", part[i]);
    }
    if (parts > 0) {
        const size_t length = strlen(to);
        const bool one = parts == 1 && !job->keys_left && tables + answers == 1;
        snprintf(to + length, bytes - length, " stay%s", one ? "s" : "");
    }
}

/* Bytes of a file, or of all files in a folder and in those of it, by the name in an open folder. */
static double bytes_at(int at, const char *name)
{
    struct stat info;
    double bytes = 0;
    const int fd = fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode)
                       ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                       : -1;
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        return fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) ? (double)info.st_size : 0;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const bool self = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        bytes += self ? 0 : bytes_at(fd, entry->d_name);
    }
    closedir(folder);
    return bytes;
}

static double bytes_of(const char *path)
{
    return bytes_at(AT_FDCWD, path);
}

static void say_place(const hb_asked_job *job, const char *path, const char *what)
{
    hb_console_log(job->group, job->common, "  %-28s %10s  %s", path, hb_human_bytes(bytes_of(path)).text, what);
}

/* Says how much disk the folder takes, and the command that removes it. */
static void say_folder(const hb_asked_job *job)
{
    const char *dir = job->options->dir;
    char *word = NULL;
    size_t size;
    FILE *to = open_memstream(&word, &size);
    if (to != NULL) {
        fputs(dir[0] == '-' ? "./" : "", to);
        hb_shell_word(dir, to);
        if (fclose(to) == 0) {
            hb_console_log(job->group, job->common,
                           "%s takes %s of disk with all questions so far%s; to remove it, with the %s in it: rm -r %s",
                           dir, hb_human_bytes(bytes_of(dir)).text,
                           job->options->stay == HB_ASKED_STAY_ALL ? " (--leave tables leaves no answer there)" : "",
                           job->options->keys != NULL ? "tables and answers" : "keys, tables and answers", word);
        }
        free(word);
    }
}

static void say_nothing_stays(const hb_asked_job *job)
{
    hb_console_log(job->group, job->common, "this question leaves no keys, tables or answers");
    if (job->keys_there && job->options->keys == NULL) {
        hb_console_log(job->group, job->common, "keys that were there stay%s",
                       job->keys_left ? ", with those that it added" : "");
    }
}

/* Says which files stay, and where. */
static void say_places(const hb_asked_job *job)
{
    const hb_asked_plan *plan = &job->plan;
    const bool all = job->options->stay == HB_ASKED_STAY_ALL;
    if (job->options->stay == HB_ASKED_STAY_NONE) {
        say_nothing_stays(job);
        return;
    }
    hb_console_log(job->group, job->common, "these stay, for the next question too:");
    say_place(job, plan->keygen.output, "the keys; secret.h5 is yours alone: it opens everything");
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        say_place(job, plan->encrypt[i].output, "the encrypted table");
    }
    for (uint32_t i = 0; i < plan->decrypts && all; i++) {
        say_place(job, plan->decrypt[i].output, "the answer, readable");
    }
}

static void say_end(const hb_asked_job *job)
{
    const hb_asked_times *t = &job->times;
    const double all = t->search + t->keys + t->encrypt + t->eval + t->decrypt;
    hb_asked_say_precision(job);
    hb_console_log(job->group, job->common, "took %s: search %s, keys %s, encrypting %s, computing %s, decrypting %s",
                   hb_human_seconds(all).text, hb_human_seconds(t->search).text, hb_human_seconds(t->keys).text,
                   hb_human_seconds(t->encrypt).text, hb_human_seconds(t->eval).text,
                   hb_human_seconds(t->decrypt).text);
    say_places(job);
    if (job->options->out != NULL) {
        say_place(job, job->options->out, "the answer, where --out says");
    }
    if (access(job->options->dir, F_OK) == 0) {
        say_folder(job);
    }
    hb_console_log(job->group, job->common, "the same in separate steps:");
    hb_asked_say_commands(job, false);
}

hb_status hb_asked_leave(hb_asked_job *job, hb_status st)
{
    const hb_error cause = *hb_last_error();
    char left[128];
    if (st != HB_OK) {
        discard_half(job);
    }
    remove_unkept(job);
    remove_empty(job);
    job->keys_left = hb_asked_count_files(job->plan.keygen.output) > job->key_files;
    if (st == HB_OK) {
        say_end(job);
        return HB_OK;
    }
    write_left(job, left, sizeof left);
    return HB_FAIL(st, "%.400s; %s", cause.text, left);
}
