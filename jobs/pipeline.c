#include <signal.h>
#include <string.h>

#include "machine.h"
#include "pipeline_private.h"

uint32_t hb_pipeline_slots(uint32_t workers)
{
    return workers + 2;
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
    while (hb_pipeline_take(h, &number)) {
        const double start = hb_now();
        const hb_status st = run_unit(h, number);
        hb_pipeline_done(h, number, st, hb_now() - start);
    }
    leave(h);
    return NULL;
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
        hb_pipeline_fail(h->run, HB_FAIL(HB_ENOMEM, "cannot start a thread of the pipeline: %s", strerror(failed)));
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
        hb_pipeline_tend(p);
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
