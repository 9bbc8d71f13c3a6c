/* Loaded into a job that a test strikes (LD_PRELOAD): the process stores the sums of HOLD_AFTER units in the folder
 * HOLD_IN (its last name), and then stops ahead of the next one until there is a file HOLD_UNTIL. So the job is where
 * the test wants it, however fast it runs and whatever else the machine does. The sum of a unit is the one thing of 32
 * bytes that is written to a part-*.h5 at once. With HOLD_HASTE threads that wait on a condition until a time wait a
 * fiftieth of it: a minute is soon over for those that count seconds so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SUM_BYTES = 32, HASTE = 50 };
static const long long billion = 1000000000;

typedef ssize_t write_at(int fd, const void *from, size_t bytes, off_t offset);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long stored; /* with the lock */

/* Whether it goes to FOLDER/part-*. */
static int is_sum(int fd, size_t bytes, const char *folder)
{
    char name[64], path[PATH_MAX];
    if (bytes != SUM_BYTES || folder == NULL) {
        return 0;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(name, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *last = strrchr(path, '/');
    if (last == NULL || strncmp(last, "/part-", 6) != 0) {
        return 0;
    }
    *last = '\0';
    const char *above = strrchr(path, '/');
    return above != NULL && strcmp(above + 1, folder) == 0;
}

/* The words of the environment. They are read once, before there are threads: the launcher's library sets others. */
static const char *hold_after, *hold_until, *hold_in;
static bool hold_haste;

__attribute__((constructor)) static void read_words(void)
{
    hold_after = getenv("HOLD_AFTER");
    hold_until = getenv("HOLD_UNTIL");
    hold_in = getenv("HOLD_IN");
    hold_haste = getenv("HOLD_HASTE") != NULL;
}

/* With the lock, so that no other thread stores meanwhile. */
static void hold(void)
{
    const struct timespec look = {0, 10000000};
    while (hold_after != NULL && hold_until != NULL && stored >= atol(hold_after) && access(hold_until, F_OK) != 0) {
        nanosleep(&look, NULL);
    }
}

static ssize_t forward(const char *name, int fd, const void *from, size_t bytes, off_t offset)
{
    write_at *next;
    *(void **)&next = dlsym(RTLD_NEXT, name); /* as POSIX spells it */
    if (!is_sum(fd, bytes, hold_in)) {
        return next(fd, from, bytes, offset);
    }
    pthread_mutex_lock(&lock);
    hold();
    const ssize_t done = next(fd, from, bytes, offset);
    stored += done == SUM_BYTES;
    pthread_mutex_unlock(&lock);
    return done;
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    return forward("pwrite", fd, from, bytes, offset);
}

ssize_t pwrite64(int fd, const void *from, size_t bytes, off64_t offset)
{
    return forward("pwrite64", fd, from, bytes, offset);
}

/* All that wait until a time here go by the clock that is never set. */
int pthread_cond_timedwait(pthread_cond_t *restrict changed, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until)
{
    int (*next)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    struct timespec sooner = *until, now;
    if (hold_haste) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        const long long from = now.tv_sec * billion + now.tv_nsec, to = until->tv_sec * billion + until->tv_nsec;
        const long long at = from + (to - from) / HASTE;
        sooner = (struct timespec){at / billion, at % billion};
    }
    return next(changed, mutex, &sooner);
}
