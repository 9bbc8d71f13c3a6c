/* The schedule of a pipeline: which thread takes which unit in which buffer, and how it waits for that. Every static
 * function here is called with the lock held. */
#include <time.h>

#include "base/clock.h"
#include "pipeline_private.h"

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

void hb_pipeline_fail(pipeline *p, hb_status status)
{
    pthread_mutex_lock(&p->lock);
    fail(p, status);
    pthread_mutex_unlock(&p->lock);
}

/* Tells whether the worker that the unit belongs to has stopped before it. */
static bool is_left_out(const pipeline *p, uint64_t number)
{
    return number >= p->limit[number % p->threads.workers];
}

/* Makes the worker begin no unit from this number on; what was read for such units gives its buffer free, or readers
 * and writers of other units would wait for it. */
static void limit(pipeline *p, uint32_t worker, uint64_t number)
{
    if (number >= p->limit[worker]) {
        return;
    }
    p->limit[worker] = number;
    for (uint32_t buffer = 0; buffer < p->buffers; buffer++) {
        if (p->next[buffer] == COMPUTE && is_left_out(p, p->holds[buffer])) {
            p->next[buffer] = READ;
        }
    }
    pthread_cond_broadcast(&p->changed);
}

/* Notes HB_ESTOPPED, with the last error as its text: the worker leaves out what it has from this number on. */
static void stop(pipeline *p, uint32_t worker, uint64_t number)
{
    if (!p->stopped) {
        p->stopped = true;
        p->stop = *hb_last_error();
    }
    limit(p, worker, number);
}

/* Calls the caller's `tend` with the lock open, as that may take its time and talk to other ranks: whatever its caller
 * knew has to be looked at again. */
static void tend(pipeline *p)
{
    if (p->stages->tend == NULL || p->status != HB_OK) {
        return;
    }
    pthread_mutex_unlock(&p->lock);
    const hb_status st = p->stages->tend(p->context);
    pthread_mutex_lock(&p->lock);
    const bool orderly = st == HB_ESTOPPED && p->stages->orderly;
    for (uint32_t w = 0; w < p->threads.workers && orderly; w++) {
        /* A worker goes through with what it has taken. Unit 0 is done in any case, so that each run makes some
         * progress. */
        stop(p, w, p->own[w] > 0 ? p->own[w] : 1); /* the first of all units is gone through with in any case */
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

/* Returns the unit that the thread would take now, past those that are left out; the count of units if there is
 * none. */
static uint64_t wanted_by(const thread *t)
{
    pipeline *p = t->run;
    if (t->stage == COMPUTE) {
        const uint64_t own = p->own[t->index];
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
    return p->next[buffer] == t->stage && (t->stage == READ || p->holds[buffer] == number);
}

/* Takes the unit. The chain that led here is that of the buffer or of the thread, whichever was ready last. */
static void begin(thread *t, uint64_t number)
{
    pipeline *p = t->run;
    const uint64_t buffer = number % p->buffers;
    p->next[buffer] = BUSY;
    p->holds[buffer] = number;
    if (t->stage == COMPUTE) {
        p->own[t->index] += p->threads.workers;
    } else {
        p->number[t->stage]++;
    }
    /* The thread waited for the buffer; otherwise the buffer waited for it. */
    if (p->ready[buffer].end > t->chain.end) {
        t->chain = p->ready[buffer];
    }
    t->began = hb_now();
    t->chain.seconds[HB_TIME_WAIT] += t->began - t->chain.end;
}

bool hb_pipeline_take(thread *t, uint64_t *number)
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

/* Adds what the stage took to the totals and to the thread's chain, which ends now, with thread and buffer ready
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
    /* What is left was spent waiting for the lock. */
    t->chain.seconds[HB_TIME_WAIT] += t->chain.end - t->began - noted; /* for the lock */
    if (t->chain.end > p->last.end) {
        p->last = t->chain;
    }
}

void hb_pipeline_done(thread *t, uint64_t number, hb_status status, const hb_stage_times *times)
{
    pipeline *p = t->run;
    pthread_mutex_lock(&p->lock);
    note_times(t, times);
    const uint64_t buffer = number % p->buffers;
    if (status == HB_OK) {
        const bool last = t->stage == WRITE || (t->stage == COMPUTE && p->stages->write == NULL);
        /* Left out while it was being read: no worker will come for it. */
        const bool unwanted = t->stage == READ && is_left_out(p, number);
        p->next[buffer] = last || unwanted ? READ : t->stage + 1;
        p->ready[buffer] = t->chain;
        p->done += last;
        p->through = last && p->through <= 0 ? t->chain.end : p->through;
        pthread_cond_broadcast(&p->changed);
    } else if (status == HB_ESTOPPED && p->stages->orderly && t->stage == COMPUTE) {
        p->next[buffer] = READ;
        stop(p, t->index, number);
    } else {
        fail(p, status);
    }
    pthread_mutex_unlock(&p->lock);
}

void hb_pipeline_gone(pipeline *p)
{
    pthread_mutex_lock(&p->lock);
    p->gone++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

bool hb_pipeline_left_out(const pipeline *p)
{
    return p->stopped && p->done < p->count;
}

void hb_pipeline_tend(pipeline *p)
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
