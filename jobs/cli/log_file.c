#include "log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"

typedef struct log_file {
    int fd, rank;
    char *name;
    uint64_t missing;  /* lines since the last that was written */
    uint64_t unread;   /* all that found a pipe full */
    bool warned, torn; /* torn: a part of a line is the last in the file */
    struct log_file *before;
} log_file;

/* The log of the run that began last, of all that are open; NULL: none is. Under the lock, but for looks. */
static log_file *_Atomic newest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether a text begins as every line of a log does: 2024-12-31T23:59:59.999Z rank 0 and a blank. */
static bool begins_as_line(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00.000Z rank ";
    size_t i = 0;
    while (form[i] != '\0' && (form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i])) {
        i++;
    }
    const size_t digits = form[i] == '\0' ? strspn(text + i, "0123456789") : 0;
    return digits > 0 && text[i + digits] == ' ';
}

/* Refuses an existing file that is neither a log, nor empty, nor a pipe, a terminal or the like, nor this process's
 * stderr. fd: it is open for writing. */
static hb_status check_file(const char *path, int fd)
{
    struct stat info, other;
    char head[64] = "";
    if (fstat(fd, &info) != 0) {
        return HB_FAIL(HB_ECREATE, "%s: the log cannot be written there: %s", path, strerror(errno));
    }
    if (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode) || (S_ISREG(info.st_mode) && info.st_size == 0) ||
        (fstat(STDERR_FILENO, &other) == 0 && other.st_dev == info.st_dev && other.st_ino == info.st_ino)) {
        return HB_OK;
    }
    /* A second time, as a pipe must not be open for reading, too. */
    const int again = S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    const bool read = again >= 0 && fstat(again, &other) == 0 && other.st_dev == info.st_dev &&
                      other.st_ino == info.st_ino && pread(again, head, sizeof head - 1, 0) > 0;
    if (again >= 0) {
        close(again);
    }
    return read && begins_as_line(head)
               ? HB_OK
               : HB_FAIL(HB_ECREATE, "%s: exists and is no log of hebatch: choose another name for --log", path);
}

hb_status hb_log_open(const hb_group *group, const char *path)
{
    char *own = NULL;
    if ((group->size > 1 ? asprintf(&own, "%s.%d", path, group->rank) : asprintf(&own, "%s", path)) < 0) {
        return HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    /* O_NONBLOCK: otherwise opening a pipe without a reader, or writing to a full one, would wait for ever. */
    const int fd = open(own, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
    if (fd < 0) {
        const hb_status st = HB_FAIL(HB_ECREATE, "%s: the log cannot be written there: %s", own,
                                     errno == ENXIO ? "nobody reads this pipe" : strerror(errno));
        free(own);
        return st;
    }
    const hb_status st = check_file(own, fd);
    if (st != HB_OK) {
        close(fd);
        free(own);
        return st;
    }
    log_file *log = calloc(1, sizeof *log);
    if (log == NULL) {
        close(fd);
        free(own);
        return HB_FAIL(HB_ENOMEM, "no memory for a log");
    }
    *log = (log_file){.fd = fd, .rank = group->rank, .name = own, .before = atomic_load(&newest)};
    atomic_store(&newest, log);
    return HB_OK;
}

bool hb_log_is_open(void)
{
    return atomic_load(&newest) != NULL;
}

static void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void warn(const char *format, ...)
{
    char text[HB_LINE_BYTES], line[HB_LINE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)!write(STDERR_FILENO, line, hb_escape_line(line, sizeof line, "hebatch: ", text));
}

/* Returns whether the whole line is in the file; errno says why it is not, 0: the file is at its end within it. */
static bool put(log_file *log, const char *line, size_t length)
{
    ssize_t written;
    errno = 0;
    while ((written = write(log->fd, line, length)) < 0 && errno == EINTR) {
    }
    log->torn |= written > 0 && (size_t)written < length;
    return written >= 0 && (size_t)written == length;
}

static void leave_out(log_file *log, int reason)
{
    const bool unread = reason == EAGAIN || reason == EWOULDBLOCK;
    log->missing++;
    log->unread += unread;
    if (!log->warned) {
        warn("warning: the log %s lacks lines from here on: %s", log->name,
             unread ? "nobody reads this pipe, and the job does not wait for it"
                    : strerror(reason != 0 ? reason : ENOSPC));
    }
    log->warned = true;
}

/* Writes a line with one call, and ahead of it in the same one how many are missing. */
static void write_line(log_file *log, const char *prefix, const char *text)
{
    char line[HB_LINE_BYTES];
    size_t length = 0;
    if (log->missing > 0) {
        length = (size_t)snprintf(line, sizeof line, "%s%s%" PRIu64 " line%s missing here\n", log->torn ? "\n" : "",
                                  prefix, log->missing, log->missing == 1 ? " is" : "s are");
    }
    if (put(log, line, length + hb_escape_line(line + length, sizeof line - length, prefix, text))) {
        log->missing = 0;
        log->torn = false;
    } else {
        leave_out(log, errno);
    }
}

void hb_log_line(const char *text)
{
    struct timespec now = {0};
    struct tm utc;
    char prefix[64] = "";
    if (!hb_log_is_open()) {
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now); /* cannot fail on Linux */
    if (gmtime_r(&now.tv_sec, &utc) == NULL) {
        return;
    }
    const size_t length = strftime(prefix, sizeof prefix, "%Y-%m-%dT%H:%M:%S", &utc);
    pthread_mutex_lock(&lock);
    log_file *log = atomic_load(&newest);
    if (log != NULL) {
        snprintf(prefix + length, sizeof prefix - length, ".%03ldZ rank %d ", now.tv_nsec / 1000000, log->rank);
        write_line(log, prefix, text[0] == ' ' ? text + 1 : text);
    }
    pthread_mutex_unlock(&lock);
}

void hb_log_end(void)
{
    pthread_mutex_lock(&lock);
    log_file *log = atomic_load(&newest);
    atomic_store(&newest, log != NULL ? log->before : NULL);
    pthread_mutex_unlock(&lock);
    if (log == NULL) {
        return;
    }
    if (log->unread > 0) {
        warn("warning: the log %s lacks %" PRIu64 " line%s that nobody read in time", log->name, log->unread,
             log->unread == 1 ? "" : "s");
    }
    close(log->fd);
    free(log->name);
    free(log);
}
