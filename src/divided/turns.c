#include "turns.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* `next` is the place in `queue` of the one whose turn it is; `held` says that the turn has been taken. */
struct hb_turns {
    pthread_mutex_t lock;   /* protects everything below */
    pthread_cond_t changed; /* signalled whenever a queue that waits could go on */
    uint32_t users;
    const void *queue[HB_MOST_QUEUES];
    uint32_t queues, next; /* how many queues; the place of the next turn, below that unless it is 0 */
    bool held, interrupted;
};

hb_status hb_turns_open(hb_turns **out)
{
    *out = NULL;
    hb_turns *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the turns of queues");
    }
    /* The queue that is being opened; forks add themselves. */
    t->users = 1;
    if (pthread_mutex_init(&t->lock, NULL) != 0) {
        free(t);
        return HB_FAIL(HB_ENOMEM, "the system has no lock left");
    }
    if (pthread_cond_init(&t->changed, NULL) != 0) {
        pthread_mutex_destroy(&t->lock);
        free(t);
        return HB_FAIL(HB_ENOMEM, "the system has no condition variable left");
    }
    *out = t;
    return HB_OK;
}

hb_turns *hb_turns_share(hb_turns *t)
{
    pthread_mutex_lock(&t->lock);
    t->users++;
    pthread_mutex_unlock(&t->lock);
    return t;
}

void hb_turns_close(hb_turns *t)
{
    if (t == NULL) {
        return;
    }
    pthread_mutex_lock(&t->lock);
    /* Users are counted under the lock; the last one frees it outside of it. */
    const bool last = --t->users == 0;
    pthread_mutex_unlock(&t->lock);
    if (last) {
        pthread_cond_destroy(&t->changed);
        pthread_mutex_destroy(&t->lock);
        free(t);
    }
}

/* Returns the place of a queue; t->queues if it has none. */
static uint32_t place_of(const hb_turns *t, const void *queue)
{
    uint32_t i = 0;
    while (i < t->queues && t->queue[i] != queue) {
        i++;
    }
    return i;
}

void hb_turns_enter(hb_turns *t, const void *queue)
{
    pthread_mutex_lock(&t->lock);
    HB_ASSERT(t->queues < HB_MOST_QUEUES && place_of(t, queue) == t->queues);
    t->queue[t->queues++] = queue;
    pthread_mutex_unlock(&t->lock);
}

void hb_turns_leave(hb_turns *t, const void *queue)
{
    pthread_mutex_lock(&t->lock);
    const uint32_t place = place_of(t, queue);
    if (place < t->queues) {
        t->queues--;
        for (uint32_t i = place; i < t->queues; i++) {
            t->queue[i] = t->queue[i + 1];
        }
        /* Queues behind move up; the turn stays with the same queue, or goes to the one behind the leaver. */
        t->next -= place < t->next;
        t->next = t->next == t->queues ? 0 : t->next;
        pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
}

hb_status hb_turns_take(hb_turns *t, const void *queue)
{
    pthread_mutex_lock(&t->lock);
    /* A queue that never entered would wait for ever. */
    HB_ASSERT(t->interrupted || t->queues == 0 || place_of(t, queue) < t->queues);
    /* All who wait look again after each change: only the one whose turn it is goes on. */
    while (!t->interrupted && (t->held || (t->queues > 0 && t->queue[t->next] != queue))) {
        pthread_cond_wait(&t->changed, &t->lock);
    }
    /* Read under the lock: the turn is taken if and only if no interrupt came first. */
    const bool interrupted = t->interrupted;
    t->held = t->held || !interrupted;
    pthread_mutex_unlock(&t->lock);
    return interrupted ? HB_FAIL(HB_EPEER, "stopped because of another rank, or of another queue of this one") : HB_OK;
}

void hb_turns_pass(hb_turns *t, const void *queue)
{
    pthread_mutex_lock(&t->lock);
    HB_ASSERT(t->held && (t->queues == 0 || t->queue[t->next] == queue));
    t->held = false;
    t->next = t->queues == 0 ? 0 : (t->next + 1) % t->queues;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

void hb_turns_interrupt(hb_turns *t)
{
    pthread_mutex_lock(&t->lock);
    /* It stays: an engine that was interrupted is closed next. */
    t->interrupted = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}
