#include "pipeline.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "machine.h"

enum { READ, COMPUTE, WRITE, STAGES };

/* Which stage a slot waits for: READ when it is empty. */
enum { BUSY = STAGES };

typedef struct pipeline {
    const hb_pipeline_stages *stages;
    void *context;
    uint64_t first, count;
    uint32_t workers, slots;
    pthread_mutex_t lock;   /* over what follows */
    pthread_cond_t changed; /* any of it */
    int next[HB_PIPELINE_MOST_SLOTS];
    uint64_t holds[HB_PIPELINE_MOST_SLOTS]; /* number of the unit that is or was last there */
    uint64_t computed;
    hb_status status; /* of the first failure */
    hb_error error;
    double busy[STAGES];
} pipeline;

/* One thread of the run: the caller's is worker 0 or only tends. */
typedef struct hand {
    pipeline *run;
    int stage;
    uint32_t worker;
    bool tends;
    uint64_t number; /* of the unit that is next here */
} hand;

uint32_t hb_pipeline_slots(uint32_t workers)
{
    return workers + 2;
}

/* With the lock. */
static void fail(pipeline *p, hb_status status)
{
    if (p->status == HB_OK) {
        p->status = status;
        p->error = *hb_last_error();
        if (p->stages->interrupt != NULL) {
            p->stages->interrupt(p->context);
        }
        pthread_cond_broadcast(&p->changed);
    }
}

/* With the lock, which is open meanwhile: what the caller knew has to be looked at again. */
static void tend(pipeline *p)
{
    if (p->stages->tend == NULL || p->status != HB_OK) {
        return;
    }
    pthread_mutex_unlock(&p->lock);
    const hb_status st = p->stages->tend(p->context);
    pthread_mutex_lock(&p->lock);
    if (st != HB_OK) {
        fail(p, st);
    }
}

/* With the lock. Who tends does not wait for long. */
static void wait_for_change(pipeline *p, bool tends)
{
    static const long most = 50 * 1000 * 1000, second = 1000 * 1000 * 1000; /* nanoseconds */
    if (!tends) {
        pthread_cond_wait(&p->changed, &p->lock);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += most;
    until.tv_sec += until.tv_nsec / second;
    until.tv_nsec %= second;
    pthread_cond_timedwait(&p->changed, &p->lock, &until);
}

/* Takes the hand's next unit once its slot waits for that: slots become ready out of order, units are taken in order.
 * False when there is nothing more to do: all done, or a stage failed. */
static bool take_unit(hand *h, uint64_t *number)
{
    pipeline *p = h->run;
    const uint64_t wanted = h->number, slot = wanted % p->slots;
    bool taken = false;
    pthread_mutex_lock(&p->lock);
    while (p->status == HB_OK && wanted < p->count && !taken) {
        if (h->tends) {
            tend(p);
        }
        /* A slot that waits for a worker may do so with a unit of another one. */
        const bool ready = p->next[slot] == h->stage && (h->stage == READ || p->holds[slot] == wanted);
        taken = p->status == HB_OK && ready;
        if (taken) {
            p->next[slot] = BUSY;
            p->holds[slot] = wanted;
            h->number += h->stage == COMPUTE ? p->workers : 1;
        } else if (p->status == HB_OK) {
            wait_for_change(p, h->tends);
        }
    }
    pthread_mutex_unlock(&p->lock);
    *number = wanted;
    return taken;
}

static void unit_done(const hand *h, uint64_t number, hb_status status, double seconds)
{
    pipeline *p = h->run;
    pthread_mutex_lock(&p->lock);
    p->busy[h->stage] += seconds;
    if (status == HB_OK) {
        const bool last = h->stage == WRITE || (h->stage == COMPUTE && p->stages->write == NULL);
        p->next[number % p->slots] = last ? READ : h->stage + 1;
        p->computed += h->stage == COMPUTE;
        pthread_cond_broadcast(&p->changed);
    } else {
        fail(p, status);
    }
    pthread_mutex_unlock(&p->lock);
}

static hb_status run_unit(const hand *h, uint64_t number)
{
    const pipeline *p = h->run;
    const uint32_t slot = (uint32_t)(number % p->slots);
    const uint64_t unit = p->first + number;
    switch (h->stage) {
    case READ:
        return p->stages->read(p->context, slot, unit);
    case COMPUTE:
        return p->stages->compute(p->context, slot, h->worker, unit);
    default:
        return p->stages->write(p->context, slot, unit);
    }
}

static void leave(const hand *h)
{
    const pipeline *p = h->run;
    if (h->stage == COMPUTE && p->stages->leave != NULL) {
        p->stages->leave(p->context, h->worker);
    }
}

static void *work(void *argument)
{
    hand *h = argument;
    uint64_t number;
    while (take_unit(h, &number)) {
        const double start = hb_now();
        const hb_status st = run_unit(h, number);
        unit_done(h, number, st, hb_now() - start);
    }
    leave(h);
    return NULL;
}

static void tend_until_computed(pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    do {
        const uint64_t seen = p->computed;
        tend(p);
        if (p->status == HB_OK && p->computed == seen && seen < p->count) {
            wait_for_change(p, true);
        }
    } while (p->status == HB_OK && p->computed < p->count);
    pthread_mutex_unlock(&p->lock);
}

/* A thread that takes no signals: they are for the thread that owns the job. */
static bool start(hand *h, pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(thread, NULL, work, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        pipeline *p = h->run;
        pthread_mutex_lock(&p->lock);
        fail(p, HB_FAIL(HB_ENOMEM, "cannot start a thread of the pipeline: %s", strerror(failed)));
        pthread_mutex_unlock(&p->lock);
    }
    return failed == 0;
}

static void init(pipeline *p)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &monotonic); /* on Linux none of these can fail */
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&p->lock, NULL);
}

/* Every thread is waited for: a stage that has begun a unit uses what the caller is about to free. */
static void run_threads(pipeline *p)
{
    hand hands[HB_PIPELINE_MOST_WORKERS + 2];
    pthread_t threads[HB_PIPELINE_MOST_WORKERS + 2];
    uint32_t wanted = 0, started = 0;
    hands[wanted++] = (hand){.run = p, .stage = READ};
    if (p->stages->write != NULL) {
        hands[wanted++] = (hand){.run = p, .stage = WRITE};
    }
    for (uint32_t w = 0; p->workers > 1 && w < p->workers; w++) {
        hands[wanted++] = (hand){.run = p, .stage = COMPUTE, .worker = w, .number = w};
    }
    while (started < wanted && start(&hands[started], &threads[started])) {
        started++;
    }
    if (p->workers > 1) {
        tend_until_computed(p);
    } else {
        work(&(hand){.run = p, .stage = COMPUTE, .tends = true});
    }
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = started; i < wanted; i++) {
        leave(&hands[i]);
    }
}

hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, uint32_t workers, uint64_t first,
                          uint64_t count, hb_pipeline_times *times)
{
    HB_ASSERT(workers >= 1 && workers <= HB_PIPELINE_MOST_WORKERS);
    pipeline p = {.stages = stages,
                  .context = context,
                  .first = first,
                  .count = count,
                  .workers = workers,
                  .slots = hb_pipeline_slots(workers)};
    *times = (hb_pipeline_times){0};
    if (count == 0) {
        return HB_OK;
    }
    init(&p);
    const double begun = hb_now();
    run_threads(&p);
    pthread_mutex_destroy(&p.lock);
    pthread_cond_destroy(&p.changed);
    *times = (hb_pipeline_times){p.busy[READ], p.busy[COMPUTE] / (double)workers, p.busy[WRITE], hb_now() - begun};
    if (p.status != HB_OK) {
        hb_set_error(&p.error);
    }
    return p.status;
}
