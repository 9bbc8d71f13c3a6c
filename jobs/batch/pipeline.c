#include "pipeline.h"

#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "pipeline_private.h"

enum { MOST_THREADS = HB_PIPELINE_MOST_BUFFERS };

uint32_t hb_pipeline_buffers(hb_threads threads)
{
    return threads.readers + threads.workers + threads.writers;
}

/* In the thread itself, or in the caller's for one that was never started. */
static void leave(const thread *t)
{
    const pipeline *p = t->run;
    if (t->stage == COMPUTE && p->stages->leave != NULL) {
        p->stages->leave(p->context, t->index);
    }
}

/* The body of every thread of the run, and of the caller's where that is the only worker. */
static void *work(void *argument)
{
    static const hb_time_kind rest[STAGES] = {HB_TIME_READ, HB_TIME_COMPUTE, HB_TIME_WRITE};
    thread *t = argument;
    const pipeline *p = t->run;
    const hb_pipeline_stage stages[STAGES] = {p->stages->read, p->stages->compute, p->stages->write};
    uint64_t number;
    while (hb_pipeline_take(t, &number)) {
        hb_stage_times times;
        hb_stage_times_take(&times);
        const hb_status st = stages[t->stage](p->context, (uint32_t)(number % p->buffers), t->index, p->first + number);
        /* What the stage has not noted is of its main kind. Notes stop here: taking the lock is counted as waiting. */
        hb_stage_times_note(rest[t->stage]);
        hb_stage_times_take(NULL);
        hb_pipeline_done(t, number, st, &times);
    }
    leave(t);
    if (!t->tends) {
        hb_pipeline_gone(t->run);
    }
    return NULL;
}

/* Starts a thread that takes no signals: they are for the thread that owns the job. A failure stops the run. */
static bool start(thread *t, pthread_t *handle)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(handle, NULL, work, t);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        hb_pipeline_fail(t->run, HB_FAIL(HB_ENOMEM, "cannot start a thread of the pipeline: %s", strerror(failed)));
    }
    return failed == 0;
}

static void init(pipeline *p)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    /* Waiting with a limit must not depend on the clock that an administrator may set. */
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &monotonic); /* on Linux none of these can fail */
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&p->lock, NULL);
    p->begun = hb_now();
    p->last.end = p->begun;
    for (uint32_t i = 0; i < p->buffers; i++) {
        p->ready[i].end = p->begun;
    }
    for (uint32_t w = 0; w < p->threads.workers; w++) {
        p->own[w] = w;
        p->limit[w] = p->count;
    }
}

/* Prepares `count` threads of one stage, from threads[0] on. */
static uint32_t add_threads(thread *threads, pipeline *p, int stage, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        threads[i] = (thread){.run = p, .stage = stage, .index = i, .chain = {.end = p->begun}};
    }
    return count;
}

/* Starts the threads and waits for every one of them, whatever fails: a stage that has begun a unit uses memory that
 * the caller is about to free. */
static void run_threads(pipeline *p)
{
    thread threads[MOST_THREADS], own = {.run = p, .stage = COMPUTE, .tends = true, .chain = {.end = p->begun}};
    pthread_t handles[MOST_THREADS];
    /* A single worker needs no thread: the caller's would only wait for it. */
    const bool alone = p->threads.workers == 1;
    uint32_t wanted = add_threads(threads, p, READ, p->threads.readers), started = 0;
    wanted += add_threads(threads + wanted, p, WRITE, p->threads.writers);
    wanted += add_threads(threads + wanted, p, COMPUTE, alone ? 0 : p->threads.workers);
    while (started < wanted && start(&threads[started], &handles[started])) {
        started++;
    }
    /* Read and written by this thread alone, so it needs no lock. */
    p->started = started; /* of this thread only */
    if (alone) {
        work(&own);
    }
    hb_pipeline_tend(p);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(handles[i], NULL);
    }
    /* Other ranks may wait for what a worker's queue would have exchanged. */
    for (uint32_t i = started; i < wanted; i++) {
        leave(&threads[i]);
    }
}

/* Turns times of day into times since the run began. Between the end of the last stage and now the threads were
 * joined. */
static void sum_up(const pipeline *p, hb_pipeline_times *times)
{
    const double now = hb_now();
    *times = (hb_pipeline_times){.threads = p->threads, .units = p->done, .wall = now - p->begun};
    times->first = p->through > 0 ? p->through - p->begun : 0;
    memcpy(times->busy, p->busy, sizeof times->busy);
    memcpy(times->stage, p->stage, sizeof times->stage);
    memcpy(times->critical, p->last.seconds, sizeof times->critical);
    times->critical[HB_TIME_WAIT] += now - p->last.end;
}

hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, hb_threads threads, uint64_t first,
                          uint64_t count, hb_pipeline_times *times)
{
    HB_ASSERT(threads.workers >= 1 && threads.workers <= HB_MOST_WORKERS);
    HB_ASSERT(threads.readers >= 1 && threads.readers <= HB_MOST_FILE_THREADS &&
              threads.writers <= HB_MOST_FILE_THREADS);
    HB_ASSERT((threads.writers > 0) == (stages->write != NULL));
    pipeline p = {.stages = stages,
                  .context = context,
                  .threads = threads,
                  .first = first,
                  .count = count,
                  .buffers = hb_pipeline_buffers(threads)};
    /* A rank without units still has times to add up. */
    *times = (hb_pipeline_times){.threads = threads};
    if (count == 0) {
        return HB_OK;
    }
    init(&p);
    run_threads(&p);
    pthread_mutex_destroy(&p.lock);
    pthread_cond_destroy(&p.changed);
    sum_up(&p, times);
    if (p.status != HB_OK) {
        hb_set_error(&p.error);
    } else if (hb_pipeline_left_out(&p)) {
        hb_set_error(&p.stop);
        return HB_ESTOPPED;
    }
    return p.status;
}
