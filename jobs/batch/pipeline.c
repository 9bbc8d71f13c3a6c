#include "pipeline.h"

#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "pipeline_private.h"

enum { MOST_HANDS = HB_PIPELINE_MOST_BUFFERS };

uint32_t hb_pipeline_buffers(hb_crew crew)
{
    return crew.readers + crew.workers + crew.writers;
}

static void leave(const hand *h)
{
    const pipeline *p = h->run;
    if (h->stage == COMPUTE && p->stages->leave != NULL) {
        p->stages->leave(p->context, h->index);
    }
}

static void *work(void *argument)
{
    static const hb_time_kind rest[STAGES] = {HB_TIME_READ, HB_TIME_COMPUTE, HB_TIME_WRITE};
    hand *h = argument;
    const pipeline *p = h->run;
    const hb_pipeline_stage stages[STAGES] = {p->stages->read, p->stages->compute, p->stages->write};
    uint64_t number;
    while (hb_pipeline_take(h, &number)) {
        hb_stage_times times;
        hb_stage_times_take(&times);
        const hb_status st = stages[h->stage](p->context, (uint32_t)(number % p->buffers), h->index, p->first + number);
        hb_stage_times_note(rest[h->stage]);
        hb_stage_times_take(NULL);
        hb_pipeline_done(h, number, st, &times);
    }
    leave(h);
    if (!h->tends) {
        hb_pipeline_gone(h->run);
    }
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
    p->begun = hb_now();
    p->last.end = p->begun;
    for (uint32_t i = 0; i < p->buffers; i++) {
        p->ready[i].end = p->begun;
    }
    for (uint32_t w = 0; w < p->crew.workers; w++) {
        p->own[w] = w;
        p->limit[w] = p->count;
    }
}

/* `count` hands of one stage, from hands[0] on. */
static uint32_t add_hands(hand *hands, pipeline *p, int stage, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hands[i] = (hand){.run = p, .stage = stage, .index = i, .chain = {.end = p->begun}};
    }
    return count;
}

/* Every thread is waited for: a stage that has begun a unit uses what the caller is about to free. */
static void run_threads(pipeline *p)
{
    hand hands[MOST_HANDS], own = {.run = p, .stage = COMPUTE, .tends = true, .chain = {.end = p->begun}};
    pthread_t threads[MOST_HANDS];
    const bool alone = p->crew.workers == 1;
    uint32_t wanted = add_hands(hands, p, READ, p->crew.readers), started = 0;
    wanted += add_hands(hands + wanted, p, WRITE, p->crew.writers);
    wanted += add_hands(hands + wanted, p, COMPUTE, alone ? 0 : p->crew.workers);
    while (started < wanted && start(&hands[started], &threads[started])) {
        started++;
    }
    p->threads = started; /* of this thread only */
    if (alone) {
        work(&own);
    }
    hb_pipeline_tend(p);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = started; i < wanted; i++) {
        leave(&hands[i]);
    }
}

/* The last unit came through before the threads were joined. */
static void sum_up(const pipeline *p, hb_pipeline_times *times)
{
    const double now = hb_now();
    *times = (hb_pipeline_times){.crew = p->crew, .units = p->done, .wall = now - p->begun};
    times->first = p->through > 0 ? p->through - p->begun : 0;
    memcpy(times->busy, p->busy, sizeof times->busy);
    memcpy(times->stage, p->stage, sizeof times->stage);
    memcpy(times->critical, p->last.seconds, sizeof times->critical);
    times->critical[HB_TIME_WAIT] += now - p->last.end;
}

hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, hb_crew crew, uint64_t first, uint64_t count,
                          hb_pipeline_times *times)
{
    HB_ASSERT(crew.workers >= 1 && crew.workers <= HB_MOST_WORKERS);
    HB_ASSERT(crew.readers >= 1 && crew.readers <= HB_MOST_FILE_THREADS && crew.writers <= HB_MOST_FILE_THREADS);
    HB_ASSERT((crew.writers > 0) == (stages->write != NULL));
    pipeline p = {.stages = stages,
                  .context = context,
                  .crew = crew,
                  .first = first,
                  .count = count,
                  .buffers = hb_pipeline_buffers(crew)};
    *times = (hb_pipeline_times){.crew = crew};
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
