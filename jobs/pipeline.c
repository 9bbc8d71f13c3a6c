#include "pipeline.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "machine.h"

typedef hb_status (*stage_function)(void *context, uint32_t slot, uint64_t unit);

enum { READ, COMPUTE, WRITE, STAGES };

typedef struct pipeline {
    const hb_pipeline_stages *stages;
    void *context;
    uint64_t first, count;
    pthread_mutex_t lock;      /* over what follows */
    pthread_cond_t changed;    /* any of it */
    uint64_t finished[STAGES]; /* units that each stage has done; finished[WRITE] <= [COMPUTE] <= [READ] */
    hb_status status;          /* of the first failure */
    hb_error error;
    double busy[STAGES];
} pipeline;

/* The stage may take unit number finished[stage] when the stage before is done with it; the reader, when a slot is
 * free. */
static bool may_go(const pipeline *p, int stage)
{
    return stage == READ ? p->finished[READ] - p->finished[WRITE] < HB_PIPELINE_SLOTS
                         : p->finished[stage - 1] > p->finished[stage];
}

/* False when there is nothing more to do: all done, or a stage failed. */
static bool next_unit(pipeline *p, int stage, uint64_t *number)
{
    pthread_mutex_lock(&p->lock);
    *number = p->finished[stage];
    while (p->status == HB_OK && *number < p->count && !may_go(p, stage)) {
        pthread_cond_wait(&p->changed, &p->lock);
    }
    const bool go = p->status == HB_OK && *number < p->count;
    pthread_mutex_unlock(&p->lock);
    return go;
}

static void unit_done(pipeline *p, int stage, hb_status status, double seconds)
{
    pthread_mutex_lock(&p->lock);
    p->busy[stage] += seconds;
    if (status == HB_OK) {
        p->finished[stage]++;
        if (stage == COMPUTE && p->stages->write == NULL) {
            p->finished[WRITE]++;
        }
    } else if (p->status == HB_OK) {
        p->status = status;
        p->error = *hb_last_error();
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

static void run_stage(pipeline *p, int stage, stage_function function)
{
    uint64_t number;
    while (next_unit(p, stage, &number)) {
        const double start = hb_now();
        hb_status st = function(p->context, (uint32_t)(number % HB_PIPELINE_SLOTS), p->first + number);
        unit_done(p, stage, st, hb_now() - start);
    }
}

static void *reader(void *argument)
{
    pipeline *p = argument;
    run_stage(p, READ, p->stages->read);
    return NULL;
}

static void *writer(void *argument)
{
    pipeline *p = argument;
    run_stage(p, WRITE, p->stages->write);
    return NULL;
}

/* A thread that takes no signals: they are for the thread that owns the job. */
static bool start(pipeline *p, pthread_t *thread, void *(*body)(void *))
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pthread_create(thread, NULL, body, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        unit_done(p, COMPUTE, HB_FAIL(HB_ENOMEM, "cannot start a thread of the pipeline: %s", strerror(failed)), 0);
    }
    return failed == 0;
}

hb_status hb_pipeline_run(const hb_pipeline_stages *stages, void *context, uint64_t first, uint64_t count,
                          hb_pipeline_times *times)
{
    pipeline p = {.stages = stages,
                  .context = context,
                  .first = first,
                  .count = count,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .changed = PTHREAD_COND_INITIALIZER};
    *times = (hb_pipeline_times){0};
    if (count == 0) {
        return HB_OK;
    }
    pthread_t threads[2];
    const double begun = hb_now();
    const bool reads = start(&p, &threads[0], reader);
    const bool writes = reads && stages->write != NULL && start(&p, &threads[1], writer);
    run_stage(&p, COMPUTE, stages->compute);
    if (reads) {
        pthread_join(threads[0], NULL);
    }
    if (writes) {
        pthread_join(threads[1], NULL);
    }
    pthread_mutex_destroy(&p.lock);
    pthread_cond_destroy(&p.changed);
    *times = (hb_pipeline_times){p.busy[READ], p.busy[COMPUTE], p.busy[WRITE], hb_now() - begun};
    if (p.status != HB_OK) {
        hb_set_error(&p.error);
    }
    return p.status;
}
