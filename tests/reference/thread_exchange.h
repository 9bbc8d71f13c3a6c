/* An exchange between threads of one process, each a member. Transfers move beside the members, as over a network: a
 * thread of each member carries its blocks, in order, maybe late, while the member goes on. So a member that reads or
 * changes a block too early gets wrong words. A member that does not come within a minute fails the others. */
#ifndef HB_TESTS_THREAD_EXCHANGE_H
#define HB_TESTS_THREAD_EXCHANGE_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "divided/exchange.h"

enum { MEETING_TRANSFERS, MEETING_WORDS, MEETING_ROOMS };
enum { MOST_TRANSFERS = 64 }; /* begun and not ended, of a member */

/* Where the members meet: for transfers and, beside them, for words. */
typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint32_t members;
    bool stopped;
    struct {
        uint32_t arrived;
        uint64_t round;
        const void *brought[HB_MOST_MEMBERS]; /* by each, for this round */
    } room[MEETING_ROOMS];
    uint32_t most_delay;   /* microseconds before a transfer moves, at most */
    uint64_t fails_at;     /* ... this transfer of member ... */
    uint32_t fails_member; /* ... this, by HB_ECOMM; 0: none does */
} meeting;

typedef struct thread_exchange {
    hb_exchange base;
    meeting *at;
    pthread_t mover;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    hb_transfer transfer[MOST_TRANSFERS];
    uint64_t begun, ended;
    hb_status status;
    bool closing;
} thread_exchange;

static inline void meeting_init(meeting *m, uint32_t members)
{
    *m = (meeting){.members = members};
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->moved, NULL);
}

static inline void meeting_clear(meeting *m)
{
    pthread_cond_destroy(&m->moved);
    pthread_mutex_destroy(&m->lock);
}

static inline void meeting_stop(meeting *m)
{
    pthread_mutex_lock(&m->lock);
    m->stopped = true;
    pthread_cond_broadcast(&m->moved);
    pthread_mutex_unlock(&m->lock);
}

/* Returns when all are here. certain: all will come, also after a stop, as they have just met. */
static inline hb_status meet(meeting *m, int room, bool certain)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&m->lock);
    const uint64_t round = m->room[room].round;
    if ((certain || !m->stopped) && ++m->room[room].arrived == m->members) {
        m->room[room].arrived = 0;
        m->room[room].round++;
        pthread_cond_broadcast(&m->moved);
    }
    bool late = false;
    while ((certain || !m->stopped) && !late && m->room[room].round == round) {
        late = pthread_cond_timedwait(&m->moved, &m->lock, &until) != 0;
        m->stopped = m->stopped || late;
    }
    const bool met = m->room[room].round != round;
    pthread_mutex_unlock(&m->lock);
    return met ? HB_OK : HB_FAIL(HB_EPEER, "a member of the test left");
}

static inline thread_exchange *thread_exchange_of(hb_exchange *x)
{
    return (thread_exchange *)(void *)x; /* base is the first member */
}

/* Copies the blocks that the others send here, if all of them mean the same transfer. */
static inline hb_status move_blocks(thread_exchange *x, const hb_transfer *t)
{
    meeting *at = x->at;
    const uint32_t me = x->base.member;
    at->room[MEETING_TRANSFERS].brought[me] = t;
    HB_TRY(meet(at, MEETING_TRANSFERS, false));
    hb_status st = HB_OK;
    for (uint32_t other = 0; other < x->base.members; other++) {
        const hb_transfer *from = at->room[MEETING_TRANSFERS].brought[other];
        const bool silent = t->pattern == HB_BROADCAST && other != t->root;
        if (other == me) {
            continue;
        }
        if (from->pattern != t->pattern || from->root != t->root ||
            (!silent && from->send_bytes[me] != t->receive_bytes[other])) {
            st = HB_FAIL(HB_EINTERNAL, "members %u and %u are not at the same transfer", me, other);
        } else if (!silent && t->receive_bytes[other] > 0) {
            /* The place that the other one knows is that where this member takes it. */
            if ((t->window != NULL) != (from->window != NULL) ||
                (t->window != NULL && t->window->memory + from->to[me] != (const uint8_t *)t->receive[other])) {
                st = HB_FAIL(HB_EINTERNAL, "member %u means another place for its block at member %u", other, me);
            }
            memcpy(t->receive[other], from->send[me], t->receive_bytes[other]);
            x->base.stats.received[t->pattern] += t->receive_bytes[other];
        }
    }
    HB_TRY(meet(at, MEETING_TRANSFERS, true)); /* sent blocks may be changed now */
    return st;
}

static inline void *thread_mover(void *argument)
{
    thread_exchange *x = argument;
    uint64_t state = x->base.member + 1;
    pthread_mutex_lock(&x->lock);
    for (;;) {
        while (!x->closing && x->begun == x->ended) {
            pthread_cond_wait(&x->changed, &x->lock);
        }
        if (x->closing) {
            break;
        }
        const hb_transfer t = x->transfer[x->ended % MOST_TRANSFERS];
        pthread_mutex_unlock(&x->lock);
        if (x->at->most_delay > 0) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            usleep((useconds_t)((state >> 33) % x->at->most_delay));
        }
        const hb_status st = move_blocks(x, &t);
        pthread_mutex_lock(&x->lock);
        x->status = x->status == HB_OK ? st : x->status;
        x->ended++;
        pthread_cond_broadcast(&x->changed);
    }
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

static inline hb_status thread_start(hb_exchange *base, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket)
{
    thread_exchange *x = thread_exchange_of(base);
    HB_TRY(hb_finish(queue));
    pthread_mutex_lock(&x->lock);
    const bool fails = x->begun + 1 == x->at->fails_at && base->member == x->at->fails_member;
    const bool full = x->begun - x->ended == MOST_TRANSFERS;
    const hb_status st = x->status;
    if (!fails && !full && st == HB_OK) {
        x->transfer[x->begun++ % MOST_TRANSFERS] = *transfer;
        base->stats.transfers[transfer->pattern]++;
        pthread_cond_broadcast(&x->changed);
    }
    *ticket = x->begun;
    pthread_mutex_unlock(&x->lock);
    HB_ASSERT(!full);
    HB_TRY(st == HB_OK ? HB_OK : HB_FAIL(st, "transfers do not move any more"));
    return fails ? HB_FAIL(HB_ECOMM, "the cable broke") : HB_OK;
}

static inline hb_status thread_end(thread_exchange *x, uint64_t ticket)
{
    pthread_mutex_lock(&x->lock);
    while (x->ended < ticket && x->status == HB_OK) {
        pthread_cond_wait(&x->changed, &x->lock);
    }
    const hb_status st = x->status;
    pthread_mutex_unlock(&x->lock);
    return st == HB_OK ? HB_OK : HB_FAIL(st, "a transfer did not end");
}

static inline hb_status thread_wait(hb_exchange *x, hb_engine *queue, uint64_t ticket)
{
    (void)queue;
    return thread_end(thread_exchange_of(x), ticket);
}

static inline hb_status thread_settle(hb_exchange *x, uint64_t ticket)
{
    return thread_end(thread_exchange_of(x), ticket);
}

static inline hb_status thread_gather_words(hb_exchange *x, const uint64_t *mine, size_t count, uint64_t *all)
{
    meeting *at = thread_exchange_of(x)->at;
    at->room[MEETING_WORDS].brought[x->member] = mine;
    HB_TRY(meet(at, MEETING_WORDS, false));
    for (uint32_t other = 0; other < x->members; other++) {
        memcpy(all + other * count, at->room[MEETING_WORDS].brought[other], count * sizeof *all);
    }
    return meet(at, MEETING_WORDS, true);
}

/* Only the place is checked: threads have one another's memory anyway. An even number of members has no windows, so
 * that both ways are tried. */
static inline hb_status thread_open_window(hb_exchange *x, void *memory, size_t bytes, hb_window **out)
{
    if (x->members % 2 == 0) {
        return HB_OK;
    }
    *out = calloc(1, sizeof **out);
    HB_ASSERT(*out != NULL);
    **out = (hb_window){memory, bytes};
    return HB_OK;
}

static inline void thread_close_window(hb_exchange *x, hb_window *window)
{
    (void)x;
    free(window);
}

/* All of a test's members stop together. */
static inline void thread_interrupt(hb_exchange *x)
{
    meeting_stop(thread_exchange_of(x)->at);
}

static inline void thread_close(hb_exchange *base)
{
    thread_exchange *x = thread_exchange_of(base);
    pthread_mutex_lock(&x->lock);
    x->closing = true;
    pthread_cond_broadcast(&x->changed);
    pthread_mutex_unlock(&x->lock);
    pthread_join(x->mover, NULL);
    pthread_cond_destroy(&x->changed);
    pthread_mutex_destroy(&x->lock);
    free(x);
}

static inline hb_status thread_exchange_open(meeting *at, uint32_t member, hb_exchange **out)
{
    static const hb_exchange_ops ops = {.name = "threads",
                                        .start = thread_start,
                                        .wait = thread_wait,
                                        .settle = thread_settle,
                                        .gather_words = thread_gather_words,
                                        .open_window = thread_open_window,
                                        .close_window = thread_close_window,
                                        .interrupt = thread_interrupt,
                                        .close = thread_close};
    thread_exchange *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an exchange of threads");
    }
    x->base = (hb_exchange){.ops = &ops, .members = at->members, .member = member};
    x->at = at;
    pthread_mutex_init(&x->lock, NULL);
    pthread_cond_init(&x->changed, NULL);
    HB_ASSERT(pthread_create(&x->mover, NULL, thread_mover, x) == 0);
    *out = &x->base;
    return HB_OK;
}

/* Runs all members, each in a thread; of the first one that failed the status. A member that fails stops the others. */
typedef struct member_thread {
    hb_status (*run)(void *context, uint32_t member, meeting *at);
    void *context;
    uint32_t member;
    meeting *at;
    hb_status status;
    hb_error error;
} member_thread;

static inline void *member_main(void *argument)
{
    member_thread *t = argument;
    t->status = t->run(t->context, t->member, t->at);
    if (t->status != HB_OK) {
        t->error = *hb_last_error();
        meeting_stop(t->at);
    }
    return NULL;
}

/* At a meeting that was prepared; statuses (NULL: not wanted) of each. */
static inline hb_status run_members_at(meeting *at, hb_status (*work)(void *, uint32_t, meeting *), void *context,
                                       hb_status *statuses)
{
    pthread_t thread[HB_MOST_MEMBERS];
    member_thread state[HB_MOST_MEMBERS];
    hb_status st = HB_OK;
    for (uint32_t m = 0; m < at->members; m++) {
        state[m] = (member_thread){.run = work, .context = context, .member = m, .at = at};
        HB_ASSERT(pthread_create(&thread[m], NULL, member_main, &state[m]) == 0);
    }
    for (uint32_t m = 0; m < at->members; m++) {
        pthread_join(thread[m], NULL);
        if (state[m].status != HB_OK && (st == HB_OK || st == HB_EPEER)) {
            st = state[m].status;
            hb_set_error(&state[m].error);
        }
        if (statuses != NULL) {
            statuses[m] = state[m].status;
        }
    }
    return st;
}

static inline hb_status run_members(uint32_t members, hb_status (*work)(void *, uint32_t, meeting *), void *context)
{
    meeting at;
    meeting_init(&at, members);
    const hb_status st = run_members_at(&at, work, context, NULL);
    meeting_clear(&at);
    return st;
}

#endif
