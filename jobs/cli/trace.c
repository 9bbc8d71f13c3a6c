#include "trace.h"

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

#include "base/clock.h"
#include "console.h"
#include "run.h"

enum { BUFFER_BYTES = 1 << 16, EVENT_BYTES = 512, THREADS_OF_LANE = 100, NAME_BYTES = 200 };

/* The trace of a run: open while the process has one thread that adds to it. Members behind the lock are under it. */
static struct trace {
    atomic_bool on;
    char *path, *own; /* of the whole trace; of this rank's events */
    int rank;         /* in the group that made it */
    double zero;      /* of this rank's clock when the trace's time is 0 */
    pthread_mutex_t lock;
    int fd;
    int failed;     /* errno of the first write that failed: nothing is added any more; 0 */
    double flushed; /* when the buffer was last written */
    size_t used;
    double last[HB_LANES]; /* when the last span of each lane of several threads ended */
    bool named[HB_LANES][THREADS_OF_LANE];
    char buffer[BUFFER_BYTES];
} trace = {.fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* The lane, index and unit of the calling thread. */
static _Thread_local hb_trace_lane own_lane;
static _Thread_local uint32_t own_index;
static _Thread_local uint64_t own_unit = UINT64_MAX;

/* The beginning of every trace, by which one is recognized. */
static const char first_line[] = "[\n", mark[] = "[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":";

bool hb_trace_is_on(void)
{
    return atomic_load_explicit(&trace.on, memory_order_relaxed);
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t done = write(fd, bytes, count);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        bytes += done > 0 ? done : 0;
        count -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* With the lock. */
static void flush(double now)
{
    if (trace.failed == 0 && !write_all(trace.fd, trace.buffer, trace.used)) {
        trace.failed = errno;
    }
    trace.used = 0;
    trace.flushed = now;
}

/* With the lock: so that little is missing of a job that is killed. */
static void flush_old(double now)
{
    if (now - trace.flushed > 1 && trace.used > 0) {
        flush(now);
    }
}

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* With the lock: adds one event whole. */
static void put(const char *format, ...)
{
    va_list args;
    if (trace.used + EVENT_BYTES > BUFFER_BYTES) {
        flush(hb_now());
    }
    va_start(args, format);
    const int bytes = vsnprintf(trace.buffer + trace.used, EVENT_BYTES, format, args);
    va_end(args);
    trace.used += bytes > 0 && bytes < EVENT_BYTES ? (size_t)bytes : 0;
}

/* With the lock: names a thread as its first event comes. */
static int thread_of(hb_trace_lane lane, uint32_t index)
{
    static const char *const names[HB_LANES] = {"job", "read", "compute", "write", "exchange"};
    const uint32_t at = index < THREADS_OF_LANE ? index : THREADS_OF_LANE - 1;
    const int tid = (int)lane * THREADS_OF_LANE + (int)at;
    if (!trace.named[lane][at]) {
        trace.named[lane][at] = true;
        char number[16] = "";
        if (lane != HB_LANE_JOB && lane != HB_LANE_EXCHANGE) {
            snprintf(number, sizeof number, " %" PRIu32, at);
        }
        put("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s%s\"}},\n", trace.rank,
            tid, names[lane], number);
        put("{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%d,\"args\":{\"sort_index\":%d}},\n",
            trace.rank, tid, tid);
    }
    return tid;
}

/* With the lock. */
static void add(hb_trace_lane lane, uint32_t index, hb_trace_span span)
{
    static const double million = 1e6;
    char unit[48] = "", number[96] = "";
    const int tid = thread_of(lane, index);
    const double begun = span.begun > trace.zero ? span.begun : trace.zero;
    if (own_unit != UINT64_MAX) {
        snprintf(unit, sizeof unit, "\"unit\":%" PRIu64, own_unit);
    }
    if (span.key != NULL) {
        snprintf(number, sizeof number, "%s\"%.48s\":%" PRIu64, unit[0] != '\0' ? "," : "", span.key, span.number);
    }
    put("{\"ph\":\"X\",\"name\":\"%.64s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s%s}},\n",
        span.name, trace.rank, tid, million * (begun - trace.zero),
        million * (span.ended > begun ? span.ended - begun : 0), unit, number);
    flush_old(span.ended);
}

void hb_trace_enter(hb_trace_lane lane, uint32_t index)
{
    own_lane = lane;
    own_index = index;
}

void hb_trace_unit(uint64_t unit)
{
    own_unit = unit;
}

void hb_trace_add(hb_trace_span span)
{
    if (hb_trace_is_on()) {
        pthread_mutex_lock(&trace.lock);
        add(own_lane, own_index, span);
        pthread_mutex_unlock(&trace.lock);
    }
}

void hb_trace_add_to(hb_trace_lane lane, hb_trace_span span)
{
    if (hb_trace_is_on()) {
        pthread_mutex_lock(&trace.lock);
        span.begun = span.begun > trace.last[lane] ? span.begun : trace.last[lane];
        trace.last[lane] = span.ended > span.begun ? span.ended : span.begun;
        add(lane, 0, span);
        pthread_mutex_unlock(&trace.lock);
    }
}

void hb_trace_tend(void)
{
    if (hb_trace_is_on()) {
        pthread_mutex_lock(&trace.lock);
        flush_old(hb_now());
        pthread_mutex_unlock(&trace.lock);
    }
}

/* Opens a file for events. One that is there is replaced if it is a trace, or empty. */
static hb_status open_file(const char *path, int *fd)
{
    char head[sizeof mark] = "";
    struct stat info;
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
    if (*fd < 0 || fstat(*fd, &info) != 0) {
        return HB_FAIL(HB_ECREATE, "%s: the trace cannot be written there: %s", path, strerror(errno));
    }
    const ssize_t bytes = S_ISREG(info.st_mode) ? pread(*fd, head, sizeof mark - 1, 0) : -1;
    if (bytes != 0 && (bytes < 0 || memcmp(head, mark, sizeof mark - 1) != 0)) {
        return HB_FAIL(HB_ECREATE, "%s: exists and is no trace of hebatch", path);
    }
    if (ftruncate(*fd, 0) != 0) {
        return HB_FAIL(HB_ECREATE, "%s: the trace cannot be written there: %s", path, strerror(errno));
    }
    return HB_OK;
}

/* Removes files of an earlier trace of more ranks, which would be taken for parts of this one. */
static hb_status remove_others(const char *path, int first)
{
    for (int rank = first;; rank++) {
        char *other = NULL;
        int fd = -1;
        if (asprintf(&other, "%s.%d", path, rank) < 0) {
            return HB_FAIL(HB_ENOMEM, "no memory for a name");
        }
        const bool there = access(other, F_OK) == 0, removed = there && open_file(other, &fd) == HB_OK;
        if (removed) {
            (void)!unlink(other);
        }
        if (fd >= 0) {
            close(fd);
        }
        free(other);
        if (!removed) {
            hb_clear_error(); /* another file of that name may stay */
            return HB_OK;
        }
    }
}

/* Finds out before the job, and not after it, whether the whole can have its name, which is free until then. */
static hb_status make_room(const hb_group *group, const char *path)
{
    int fd = -1;
    hb_status st = group->size > 1 ? open_file(path, &fd) : HB_OK;
    if (fd >= 0) {
        close(fd);
    }
    HB_TRY(st);
    if (group->size > 1) {
        (void)!unlink(path);
    }
    return remove_others(path, group->size > 1 ? group->size : 0);
}

/* Rank-local: names and files. */
static hb_status open_files(const hb_group *group, const char *path)
{
    trace.path = strdup(path);
    if ((group->size > 1 ? asprintf(&trace.own, "%s.%d", path, group->rank) : asprintf(&trace.own, "%s", path)) < 0) {
        trace.own = NULL;
    }
    if (trace.path == NULL || trace.own == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    if (group->rank == 0) {
        HB_TRY(make_room(group, path));
    }
    return open_file(trace.own, &trace.fd);
}

/* Finds how far this rank's clock is ahead of rank 0's: rank 0 reads its clock after all have read theirs, and all read
 * theirs again when they hear of it. *within: the largest error of that. Collective. */
static hb_status compare_clocks(hb_group *group, double *ahead, double *within)
{
    enum { ROUNDS = 16 };
    *ahead = *within = 0;
    for (int round = 0; round < ROUNDS && group->size > 1; round++) {
        uint64_t all = 1;
        const double before = hb_now();
        HB_TRY(hb_agree(group, hb_group_sum(group, &all, 1)));
        double theirs = hb_now();
        HB_TRY(hb_agree(group, hb_group_broadcast(group, &theirs, sizeof theirs, 0)));
        const double after = hb_now(), error = (after - before) / 2;
        if (group->rank != 0 && (round == 0 || error < *within)) {
            *within = error;
            *ahead = (before + after) / 2 - theirs;
        }
    }
    return HB_OK;
}

/* Letters, digits, points and hyphens, which are all that a name of a host has. */
static void host_name(char name[NAME_BYTES])
{
    name[0] = '\0';
    (void)!gethostname(name, NAME_BYTES - 1);
    name[NAME_BYTES - 1] = '\0';
    for (char *c = name; *c != '\0'; c++) {
        const bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = plain || *c == '.' || *c == '-' ? *c : '_';
    }
}

/* The first events: who this is, and how well its clock is known. */
static void introduce(const hb_group *group, double within)
{
    char host[NAME_BYTES], utc[32] = "";
    struct timespec now = {0};
    struct tm day;
    host_name(host);
    clock_gettime(CLOCK_REALTIME, &now); /* cannot fail on Linux */
    if (gmtime_r(&now.tv_sec, &day) != NULL) {
        strftime(utc, sizeof utc, "%Y-%m-%dT%H:%M:%SZ", &day);
    }
    put("%s{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"rank %d on %s\"}},\n", first_line,
        group->rank, group->rank, host);
    put("{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,\"args\":{\"sort_index\":%d}},\n", group->rank,
        group->rank);
    put("{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":%d,\"args\":{\"labels\":\"process %d, begun %s, clock "
        "within "
        "%.0f us\"}},\n",
        group->rank, (int)getpid(), utc, 1e6 * within);
    flush(hb_now());
}

hb_status hb_trace_open(hb_group *group, const char *path)
{
    if (hb_trace_is_on()) {
        return HB_OK;
    }
    double ahead, within, begun = hb_now() - hb_run_age(group);
    HB_TRY(hb_agree(group, open_files(group, path)));
    HB_TRY(compare_clocks(group, &ahead, &within));
    HB_TRY(hb_agree(group, hb_group_broadcast(group, &begun, sizeof begun, 0)));
    trace.rank = group->rank;
    trace.zero = begun + ahead;
    introduce(group, within);
    atomic_store(&trace.on, true);
    return HB_OK;
}

/* The last event, which says nothing new, behind the last comma. It does not stand at the beginning of its line, so
 * that those of several files that do can be put together. */
static bool write_end(int fd)
{
    char text[EVENT_BYTES];
    const int bytes =
        snprintf(text, sizeof text,
                 " {\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%d,\"args\":{\"sort_index\":%d}}\n]\n",
                 trace.rank, trace.rank);
    return write_all(fd, text, (size_t)bytes);
}

/* One piece of a rank's file on its way to rank 0. */
typedef struct piece {
    int64_t bytes; /* 0: there is no more; -1: it cannot be read */
    char text[BUFFER_BYTES];
} piece;

/* Copies the events of rank `from` behind those of rank 0 in `whole`. Collective. *arrived is false on rank 0 where any
 * of it did not. */
static hb_status gather(hb_group *group, int from, int whole, piece *p, bool *arrived)
{
    /* The array begins in rank 0's file. */
    off_t at = from > 0 ? (off_t)sizeof first_line - 1 : 0;
    hb_status st = HB_OK;
    *arrived = true;
    do {
        if (group->rank == from) {
            p->bytes = pread(trace.fd, p->text, sizeof p->text, at);
            at += p->bytes;
        }
        st = hb_agree(group, hb_group_broadcast(group, p, sizeof *p, from));
        if (st == HB_OK && group->rank == 0) {
            *arrived = *arrived && p->bytes >= 0 && write_all(whole, p->text, (size_t)p->bytes);
        }
    } while (st == HB_OK && p->bytes > 0);
    return st;
}

/* Returns whether it is good on all ranks; false in a broken group. Collective. */
static bool is_good(hb_group *group, bool mine)
{
    uint64_t bad = !mine;
    return hb_agree(group, hb_group_max(group, &bad, 1)) == HB_OK && bad == 0;
}

/* Makes the whole of all ranks' files. Collective; returns the same on all ranks, whether it is complete. */
static bool make_whole(hb_group *group)
{
    piece *p = malloc(sizeof *p);
    int whole = -1;
    if (group->rank == 0) {
        whole = open(trace.path, O_WRONLY | O_EXCL | O_CREAT | O_CLOEXEC, 0644);
    }
    bool good = is_good(group, p != NULL && trace.failed == 0 && (group->rank != 0 || whole >= 0));
    for (int rank = 0; rank < group->size && good; rank++) {
        bool arrived;
        good = gather(group, rank, whole, p, &arrived) == HB_OK;
        good = good && is_good(group, arrived);
    }
    free(p);
    if (whole >= 0) {
        const bool ended = good && write_end(whole);
        good = close(whole) == 0 && ended;
    }
    return !group->broken && is_good(group, good);
}

/* A later run of the process may have a trace of its own. */
static void forget(void)
{
    if (trace.fd >= 0) {
        close(trace.fd);
    }
    free(trace.path);
    free(trace.own);
    trace.path = trace.own = NULL;
    trace.fd = -1;
    trace.failed = 0;
    trace.used = 0;
    memset(trace.last, 0, sizeof trace.last);
    memset(trace.named, 0, sizeof trace.named);
}

void hb_trace_close(hb_group *group)
{
    if (!hb_trace_is_on()) {
        forget(); /* what an attempt to open one left */
        return;
    }
    const hb_error cause = *hb_last_error();
    atomic_store(&trace.on, false);
    flush(hb_now());
    const bool several = group->size > 1, whole = several && !group->broken && make_whole(group);
    if (whole) {
        (void)!unlink(trace.own);
    } else if (trace.failed == 0 && !write_end(trace.fd)) {
        trace.failed = errno;
    }
    if (trace.failed != 0) {
        hb_console_warn(group, "%s: the trace is not complete: %s", trace.own, strerror(trace.failed));
    } else if (several && !whole) {
        hb_console_warn(group, "%s: the trace could not be put together; each rank's is in %s.RANK", trace.path,
                        trace.path);
    }
    forget();
    hb_set_error(&cause);
}
