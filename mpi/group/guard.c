#include "guard.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* No cleanup: exit handlers could hang in the same library. dprintf needs no lock that another thread may hold. */
static void end_process(const char *reason)
{
    dprintf(STDERR_FILENO, "hebatch: %s; the process could not end by itself\n", reason);
    _exit((int)HB_ECOMM);
}

typedef struct guard {
    unsigned seconds;
    hb_error reason;
} guard;

/* sleep returns early when a signal comes: the rest is slept again. */
static void *wait_for_end(void *context)
{
    const guard *g = context;
    unsigned left = g->seconds;
    while (left > 0) {
        left = sleep(left);
    }
    /* The process did not end by itself. */
    end_process(g->reason.text);
    return NULL;
}

void hb_guard_start(unsigned seconds, const char *reason)
{
    pthread_t thread;
    guard *g = malloc(sizeof *g); /* until the process ends */
    if (g == NULL) {
        return;
    }
    g->seconds = seconds;
    snprintf(g->reason.text, sizeof g->reason.text, "%s", reason);
    if (pthread_create(&thread, NULL, wait_for_end, g) == 0) {
        pthread_detach(thread);
    } else {
        free(g);
    }
}

struct hb_watch {
    atomic_uint calls; /* counts both entering and leaving: odd while a call is under way */
    double seconds;
    hb_watch_action *late;
    void *context;
    hb_error reason; /* of a watch that ends the process */
    pthread_t thread;
    pthread_mutex_t lock; /* of closing */
    pthread_cond_t changed;
    bool closing;
};

/* The thread of a watch. It counts its own looks, one a second, at one and the same call: a clock would also count the
 * time during which the process was stopped. */
static void *watch(void *context)
{
    hb_watch *w = context;
    unsigned seen = 0;
    double looks = 0;
    pthread_mutex_lock(&w->lock);
    while (!w->closing) {
        const unsigned now = atomic_load(&w->calls);
        looks = now % 2 == 1 && now == seen ? looks + 1 : 0;
        seen = now;
        /* A call that came and went between two looks has changed the count, and starts again. */
        if (looks > w->seconds) {
            w->late(w->context, looks);
        }
        struct timespec next;
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec++;
        /* The wait ends without a timeout when closing is signalled, or for no reason at all. */
        while (!w->closing && pthread_cond_timedwait(&w->changed, &w->lock, &next) == 0) {
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Starts the thread of a watch, or frees the watch; NULL: there was no memory for it. */
static hb_status start(hb_watch *w, hb_watch **out)
{
    pthread_condattr_t monotonic;
    *out = NULL;
    if (w == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory to watch over calls");
    }
    atomic_init(&w->calls, 0);
    pthread_mutex_init(&w->lock, NULL); /* on Linux none of these can fail */
    pthread_condattr_init(&monotonic);
    /* The wall clock may be set while the thread waits. */
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&w->thread, NULL, watch, w) != 0) {
        pthread_cond_destroy(&w->changed);
        pthread_mutex_destroy(&w->lock);
        free(w);
        return HB_FAIL(HB_ENOMEM, "the system has no thread left");
    }
    *out = w;
    return HB_OK;
}

hb_status hb_watch_open_for(double seconds, hb_watch_action *late, void *context, hb_watch **out)
{
    hb_watch *w = calloc(1, sizeof *w);
    if (w != NULL) {
        w->seconds = seconds;
        w->late = late;
        w->context = context;
    }
    return start(w, out);
}

static void end_late(void *context, double seconds)
{
    const hb_watch *w = context;
    (void)seconds;
    end_process(w->reason.text);
}

hb_status hb_watch_open(double seconds, const char *reason, hb_watch **out)
{
    hb_watch *w = calloc(1, sizeof *w);
    if (w != NULL) {
        w->seconds = seconds;
        w->late = end_late;
        w->context = w;
        snprintf(w->reason.text, sizeof w->reason.text, "%s", reason);
    }
    return start(w, out);
}

void hb_watch_close(hb_watch *w)
{
    if (w == NULL) {
        return;
    }
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void hb_watch_enter(hb_watch *w)
{
    if (w != NULL) {
        /* Entering makes it odd, leaving even again: one counter says both whether and which call. */
        atomic_fetch_add(&w->calls, 1);
    }
}

void hb_watch_leave(hb_watch *w)
{
    hb_watch_enter(w);
}
