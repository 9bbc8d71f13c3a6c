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

static void leave(const thread *t)
{
    const pipeline *p = t->run;
    if (t->stage == COMPUTE && p->stages->leave != NULL) {
        p->stages->leave(p->context, t->index);
    }
}

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

/* A thread that takes no signals: they are for the thread that owns the job. */
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

/* `count` threads of one stage, from threads[0] on. */
static uint32_t add_threads(thread *threads, pipeline *p, int stage, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        threads[i] = (thread){.run = p, .stage = stage, .index = i, .chain = {.end = p->begun}};
    }
    return count;
}

/* Every thread is waited for: a stage that has begun a unit uses what the caller is about to free. */
static void run_threads(pipeline *p)
{
    thread threads[MOST_THREADS], own = {.run = p, .stage = COMPUTE, .tends = true, .chain = {.end = p->begun}};
    pthread_t handles[MOST_THREADS];
    const bool alone = p->threads.workers == 1;
    uint32_t wanted = add_threads(threads, p, READ, p->threads.readers), started = 0;
    wanted += add_threads(threads + wanted, p, WRITE, p->threads.writers);
    wanted += add_threads(threads + wanted, p, COMPUTE, alone ? 0 : p->threads.workers);
    while (started < wanted && start(&threads[started], &handles[started])) {
        started++;
    }
    p->started = started; /* of this thread only */
    if (alone) {
        work(&own);
    }
    hb_pipeline_tend(p);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(handles[i], NULL);
    }
    for (uint32_t i = started; i < wanted; i++) {
        leave(&threads[i]);
    }
}

/* The last unit came through before the threads were joined. */
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
