/* Whose turn it is: units in slots, and waiting for them. */
#include <time.h>

#include "pipeline_private.h"

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

void hb_pipeline_fail(pipeline *p, hb_status status)
{
    pthread_mutex_lock(&p->lock);
    fail(p, status);
    pthread_mutex_unlock(&p->lock);
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

bool hb_pipeline_take(hand *h, uint64_t *number)
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

void hb_pipeline_done(const hand *h, uint64_t number, hb_status status, double seconds)
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

void hb_pipeline_tend(pipeline *p)
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
