#include "pipeline.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "cli/trace.h"

enum { READ, COMPUTE, WRITE, STAGES = HB_STAGES }; /* a stage; for a buffer the next stage: READ when it is empty */

/* A buffer that a thread is at waits for no stage. */
enum { BUSY = STAGES };

/* The time when a buffer or a thread became ready, and the parts of the time since the beginning of the run, along the
 * longest chain of units in stages that led there. */
typedef struct chain {
    double end, seconds[HB_TIME_KINDS];
} chain;

/* A buffer and its contents. */
typedef struct buffer_state {
    int next;       /* the stage that it waits for, or BUSY */
    uint64_t holds; /* number of the unit that is or was last there */
    chain ready;    /* when its last stage ended */
} buffer_state;

/* The units of one worker. */
typedef struct worker_units {
    uint64_t next;  /* the one that it takes next */
    uint64_t limit; /* from this number on it leaves out units of its own */
} worker_units;

/* One run, in the memory of hb_pipeline_run, shared by its threads. Unit numbers count from 0 within the run; number n
 * is in buffer n mod buffers. */
typedef struct pipeline {
    const hb_pipeline_stages *stages;
    void *context;
    hb_threads threads;
    uint64_t first, count;
    uint32_t buffers; /* how many of `buffer` there are */
    double begun;
    pthread_mutex_t lock;   /* over all that follows */
    pthread_cond_t changed; /* any of that has */
    buffer_state buffer[HB_PIPELINE_MOST_BUFFERS];
    worker_units worker[HB_MOST_WORKERS];
    uint64_t number[STAGES]; /* the unit that readers, or writers, take next */
    uint64_t done;           /* units that are through all stages */
    uint32_t started, gone;  /* threads started; threads ended */
    hb_status status;        /* of the first failure */
    hb_error error, stop;    /* of the first failure; the text of the first HB_ESTOPPED */
    bool stopped;
    double busy[HB_TIME_KINDS], stage[STAGES];
    chain last;     /* the one that ended last */
    double through; /* when the first unit was through; 0: none is */
} pipeline;

/* One thread of the run. The caller's is worker 0, or computes nothing and only tends. */
typedef struct thread {
    pipeline *run;
    int stage;
    uint32_t index; /* among the threads of the stage */
    bool tends;
    chain chain;  /* until its last unit ended, or until the one that it is at began */
    double began; /* when it began that one */
} thread;

/* The schedule: which thread takes which unit in which buffer, and how it waits for that. Its functions are called with
 * the lock held. Functions that take, end and note something of a thread, or tend, take the lock. */

/* Keeps the first failure, tells workers that wait for other ranks, and wakes everyone: they see the status and end. */
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

/* Notes a failure that no stage returned. The caller does not hold the lock. */
static void note_failure(pipeline *p, hb_status status)
{
    pthread_mutex_lock(&p->lock);
    fail(p, status);
    pthread_mutex_unlock(&p->lock);
}

/* Tells whether the worker that the unit belongs to has stopped before it. */
static bool is_left_out(const pipeline *p, uint64_t number)
{
    return number >= p->worker[number % p->threads.workers].limit;
}

/* Makes the worker begin no unit from this number on. Buffers that were read for such units are freed, or readers and
 * writers of other units would wait for them. */
static void limit(pipeline *p, uint32_t worker, uint64_t number)
{
    if (number >= p->worker[worker].limit) {
        return;
    }
    p->worker[worker].limit = number;
    for (uint32_t buffer = 0; buffer < p->buffers; buffer++) {
        if (p->buffer[buffer].next == COMPUTE && is_left_out(p, p->buffer[buffer].holds)) {
            p->buffer[buffer].next = READ;
        }
    }
    pthread_cond_broadcast(&p->changed);
}

/* Notes HB_ESTOPPED, with the last error as its text: the worker leaves out its units from this number on. */
static void stop(pipeline *p, uint32_t worker, uint64_t number)
{
    if (!p->stopped) {
        p->stopped = true;
        p->stop = *hb_last_error();
    }
    limit(p, worker, number);
}

/* Calls the caller's `tend` with the lock open, as that may take its time and talk to other ranks: the caller must
 * check its state again afterwards. */
static void tend(pipeline *p)
{
    if (p->stages->tend == NULL || p->status != HB_OK) {
        return;
    }
    pthread_mutex_unlock(&p->lock);
    const hb_status st = p->stages->tend(p->context);
    pthread_mutex_lock(&p->lock);
    /* Anything else that `tend` returns is a failure like any other. */
    const bool orderly = st == HB_ESTOPPED && p->stages->orderly;
    for (uint32_t w = 0; w < p->threads.workers && orderly; w++) {
        /* A worker finishes the unit that it has taken. Unit 0 is done in any case, so that each run makes some
         * progress. */
        stop(p, w, p->worker[w].next > 0 ? p->worker[w].next : 1);
    }
    if (st != HB_OK && !orderly) {
        fail(p, st);
    }
}

/* Waits until something has changed; who tends waits 50 ms at most, so that signals and other ranks are looked
 * after. */
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

/* Returns the unit that the thread would take now, past units that are left out; the count of units if there is
 * none. */
static uint64_t wanted_by(const thread *t)
{
    pipeline *p = t->run;
    if (t->stage == COMPUTE) {
        const uint64_t own = p->worker[t->index].next;
        return own < p->count && !is_left_out(p, own) ? own : p->count;
    }
    uint64_t *next = &p->number[t->stage];
    while (*next < p->count && is_left_out(p, *next)) {
        ++*next;
    }
    return *next;
}

/* Tells whether the unit's buffer waits for the thread's stage with this unit. It may wait for a worker or writer with
 * a unit that used the buffer before. */
static bool is_ready(const thread *t, uint64_t number)
{
    const pipeline *p = t->run;
    const uint64_t buffer = number % p->buffers;
    return p->buffer[buffer].next == t->stage && (t->stage == READ || p->buffer[buffer].holds == number);
}

/* Takes the unit. The chain that led here is that of the buffer or of the thread, whichever was ready last. */
static void begin(thread *t, uint64_t number)
{
    pipeline *p = t->run;
    const uint64_t buffer = number % p->buffers;
    p->buffer[buffer].next = BUSY;
    p->buffer[buffer].holds = number;
    /* Numbers go up as units are taken, so no unit is taken twice. */
    if (t->stage == COMPUTE) {
        p->worker[t->index].next += p->threads.workers;
    } else {
        p->number[t->stage]++;
    }
    /* The thread waited for the buffer; otherwise the buffer waited for it. */
    if (p->buffer[buffer].ready.end > t->chain.end) {
        t->chain = p->buffer[buffer].ready;
    }
    t->began = hb_now();
    t->chain.seconds[HB_TIME_WAIT] += t->began - t->chain.end;
}

/* Takes the next unit of the thread's stage, or the worker's own next unit, waiting until its buffer waits for that
 * stage: buffers become ready out of order, units are taken in order. Returns false when there is nothing more to do,
 * as all units are taken or left out, or a stage failed. */
static bool take_unit(thread *t, uint64_t *number)
{
    pipeline *p = t->run;
    bool taken = false;
    pthread_mutex_lock(&p->lock);
    while (p->status == HB_OK && wanted_by(t) < p->count && !taken) {
        if (t->tends) {
            tend(p);
        }
        *number = wanted_by(t);
        if (*number == p->count) {
            break;
        }
        /* Asked again after `tend`, which has had the lock open. */
        taken = p->status == HB_OK && is_ready(t, *number);
        if (taken) {
            begin(t, *number);
        } else if (p->status == HB_OK) {
            wait_for_change(p, t->tends);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return taken;
}

/* Adds the stage's times to the totals and to the thread's chain, which ends now, with thread and buffer ready
 * again. */
static void note_times(thread *t, const hb_stage_times *times)
{
    pipeline *p = t->run;
    double noted = 0;
    for (int k = 0; k < HB_TIME_KINDS; k++) {
        p->busy[k] += times->seconds[k];
        t->chain.seconds[k] += times->seconds[k];
        noted += times->seconds[k];
    }
    t->chain.end = hb_now();
    p->stage[t->stage] += noted;
    /* The rest of the time was spent waiting for the lock. */
    t->chain.seconds[HB_TIME_WAIT] += t->chain.end - t->began - noted;
    if (t->chain.end > p->last.end) {
        p->last = t->chain;
    }
}

/* Notes that the unit that was taken has been through the thread's stage, which returned `status`, with the last error
 * behind it, and took `times`. */
static void end_unit(thread *t, uint64_t number, hb_status status, const hb_stage_times *times)
{
    pipeline *p = t->run;
    pthread_mutex_lock(&p->lock);
    note_times(t, times);
    const uint64_t buffer = number % p->buffers;
    if (status == HB_OK) {
        const bool last = t->stage == WRITE || (t->stage == COMPUTE && p->stages->write == NULL);
        /* Left out while it was being read: no worker will come for it. */
        const bool unwanted = t->stage == READ && is_left_out(p, number);
        p->buffer[buffer].next = last || unwanted ? READ : t->stage + 1;
        p->buffer[buffer].ready = t->chain;
        p->done += last;
        p->through = last && p->through <= 0 ? t->chain.end : p->through;
        pthread_cond_broadcast(&p->changed);
    } else if (status == HB_ESTOPPED && p->stages->orderly && t->stage == COMPUTE) {
        p->buffer[buffer].next = READ;
        stop(p, t->index, number);
    } else {
        fail(p, status);
    }
    pthread_mutex_unlock(&p->lock);
}

/* Notes that a thread of the run ends. The caller does not hold the lock. */
static void note_gone(pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    p->gone++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* Returns, after all threads have ended, whether the run was stopped before its last unit. */
static bool was_cut_short(const pipeline *p)
{
    return p->stopped && p->done < p->count;
}

/* Tends until all threads have ended or a stage failed: for the calling thread once it computes nothing any more. */
static void tend_to_end(pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    do {
        /* Calls `tend` after every unit, or often while none is through, until the last thread has ended. */
        const uint64_t seen = p->done;
        tend(p);
        if (p->status == HB_OK && p->done == seen && p->gone < p->started) {
            wait_for_change(p, true);
        }
    } while (p->status == HB_OK && p->gone < p->started);
    pthread_mutex_unlock(&p->lock);
}

enum { MOST_THREADS = HB_PIPELINE_MOST_BUFFERS };

uint32_t hb_pipeline_buffers(hb_threads threads, uint64_t units)
{
    const uint32_t most = threads.readers + threads.workers + threads.writers;
    const uint64_t needed = units > 0 ? units : 1;
    return needed < most ? (uint32_t)needed : most;
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
    static const hb_trace_lane lanes[STAGES] = {HB_LANE_READ, HB_LANE_COMPUTE, HB_LANE_WRITE};
    thread *t = argument;
    const pipeline *p = t->run;
    const hb_pipeline_stage stages[STAGES] = {p->stages->read, p->stages->compute, p->stages->write};
    uint64_t number;
    hb_trace_enter(lanes[t->stage], t->index);
    while (take_unit(t, &number)) {
        hb_stage_times times;
        hb_stage_times_take(&times);
        /* Without the lock: a stage may take seconds. */
        const hb_status st = stages[t->stage](p->context, (uint32_t)(number % p->buffers), t->index, p->first + number);
        /* Time that the stage has not noted is of its main kind. Notes stop here: taking the lock is counted as
         * waiting. */
        hb_stage_times_note(rest[t->stage]);
        hb_stage_times_take(NULL);
        hb_trace_add((hb_trace_span){.name = "unit", .begun = t->began, .ended = hb_now()});
        hb_trace_unit(UINT64_MAX);
        end_unit(t, number, st, &times);
    }
    leave(t);
    if (!t->tends) {
        note_gone(t->run);
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
        note_failure(t->run, HB_FAIL(HB_ENOMEM, "cannot start a thread of the pipeline: %s", strerror(failed)));
    }
    return failed == 0;
}

/* Everything that the threads find when they start: all buffers empty, worker w at unit w. */
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
        p->buffer[i].ready.end = p->begun;
    }
    for (uint32_t w = 0; w < p->threads.workers; w++) {
        p->worker[w].next = w;
        p->worker[w].limit = p->count;
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

/* Starts the threads and waits for every one of them, also after a failure: a stage that has begun a unit uses memory
 * that the caller is about to free. */
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
    p->started = started;
    if (alone) {
        work(&own);
    }
    tend_to_end(p);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(handles[i], NULL);
    }
    /* Other ranks may wait for exchanges of a worker's queue. */
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
                  .buffers = hb_pipeline_buffers(threads, count)};
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
    /* Errors are kept by thread: the caller gets the text of the one that failed. */
    if (p.status != HB_OK) {
        hb_set_error(&p.error);
    } else if (was_cut_short(&p)) {
        hb_set_error(&p.stop);
        return HB_ESTOPPED;
    }
    return p.status;
}
