/* How a job says to people its commands, and its end. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "job.h"
#include "table/shell_line.h"

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

/* One line for a shell, or a remark that it passes over. */
static void print_line(const hb_asked_job *job, bool results, const hb_words *words, const char *remark)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) {
        return;
    }
    fputs(remark != NULL ? "# " : "", to);
    fputs(remark != NULL ? remark : "", to);
    if (words != NULL && job->options->ranks > 1 && strcmp(words->word[0], "hebatch") == 0) {
        fprintf(to, "mpirun -n %" PRIu64 " ", job->options->ranks);
    }
    if (words != NULL) {
        hb_words_print(words, to);
    }
    if (fclose(to) == 0 && results) {
        hb_console_copy(job->group, job->common, text);
    } else if (text != NULL) {
        hb_console_log(job->group, job->common, "  %s", text);
    }
    free(text);
}

static void print_folder(const hb_asked_job *job, bool results)
{
    hb_words words = {0};
    if (results && hb_words_add(&words, "mkdir") == HB_OK && hb_words_add(&words, "-p") == HB_OK &&
        hb_words_add(&words, "-m") == HB_OK && hb_words_add(&words, "700") == HB_OK &&
        hb_words_add(&words, job->options->dir) == HB_OK) {
        print_line(job, true, &words, NULL);
    }
    hb_words_clear(&words);
}

static void print_commands(const hb_asked_job *job, bool results)
{
    const hb_asked_plan *plan = &job->plan;
    print_line(job, results, NULL, "the owner of the table:");
    print_folder(job, results);
    if (!job->keys_there) {
        print_line(job, results, &plan->keygen.words, NULL);
    }
    for (uint32_t i = 0; i < plan->encrypts; i++) {
        if (!results || !job->there[i]) {
            print_line(job, results, &plan->encrypt[i].words, NULL);
        }
    }
    print_line(job, results, NULL, "the server, which gets the encrypted table, and all keys but secret.h5:");
    print_line(job, results, &plan->eval.words, NULL);
    print_line(job, results, NULL, "the owner, who gets the encrypted answer:");
    for (uint32_t i = 0; i < plan->decrypts; i++) {
        print_line(job, results, &plan->decrypt[i].words, NULL);
    }
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
                           job->options->keep == HB_ASKED_KEEP_ALL ? " (--keep tables leaves no answer there)" : "",
                           job->options->keys != NULL ? "tables and answers" : "keys, tables and answers", word);
        }
        free(word);
    }
}

/* What stays in the folder. */
static void say_places(const hb_asked_job *job)
{
    const hb_asked_plan *plan = &job->plan;
    const hb_asked_keep keep = job->options->keep;
    const bool all = keep == HB_ASKED_KEEP_ALL, none = keep == HB_ASKED_KEEP_NONE;
    hb_console_log(job->group, job->common, "%s",
                   none ? "nothing that this question made stays, but what it added to keys that were there"
                        : "these stay, for the next question too:");
    if (!none) {
        say_place(job, plan->keygen.output, "the keys; secret.h5 is yours alone: it opens everything");
    }
    for (uint32_t i = 0; i < plan->encrypts && !none; i++) {
        say_place(job, plan->encrypt[i].output, "the encrypted table");
    }
    for (uint32_t i = 0; i < plan->decrypts && all; i++) {
        say_place(job, plan->decrypt[i].output, "the answer, readable");
    }
}

void hb_asked_say_end(const hb_asked_job *job)
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
    print_commands(job, false);
}

void hb_asked_say_commands(const hb_asked_job *job)
{
    print_commands(job, true);
}
