/* The threads that bring keys from files to an engine: each takes in turn the next file to read, or the next key that
 * was read to load. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "key_files.h"
#include "key_share_private.h"
#include "key_store_private.h"

/* The next step of a thread. */
typedef enum work_kind { NOTHING, WAIT, FILL, LOAD } work_kind;
typedef struct work {
    work_kind kind;
    uint32_t i;     /* the number of the key */
    uint32_t queue; /* to load it */
} work;

static bool find_queue(const hb_key_target *target, uint32_t *queue)
{
    for (uint32_t q = 0; q < target->queues; q++) {
        if (!target->busy[q]) {
            *queue = q;
            return true;
        }
    }
    return false;
}

/* Keys are loaded before others are read, which makes room. Both go in order of the keys, so that the failure of the
 * first key that has one is found whatever the threads do. Locked. */
static work next_work(hb_key_reader *r)
{
    work w = {.kind = WAIT};
    const bool all_loaded = r->only_read || r->next_load >= r->limit;
    if (r->stopped || (all_loaded && r->next_fill >= r->limit)) {
        w.kind = NOTHING;
    } else if (!all_loaded && hb_key_ring_is_filled(&r->ring, r->next_load) && find_queue(&r->target, &w.queue)) {
        w.kind = LOAD;
        w.i = r->next_load++;
        r->target.busy[w.queue] = true;
    } else if (r->next_fill < r->limit && hb_key_ring_is_free(&r->ring, r->next_fill)) {
        w.kind = FILL;
        w.i = r->next_fill;
        r->next_fill += r->ring.ranks; /* each rank its own */
    } else if (r->target.session == NULL && pthread_equal(pthread_self(), r->owner)) {
        w.kind = NOTHING; /* no thread could be started, and it is this one that brings the session */
    }
    return w;
}

static hb_status fill(hb_key_reader *r, uint32_t i)
{
    const hb_key_wanted *wanted = &r->wanted[i];
    uint8_t *memory = NULL;
    HB_TRY(hb_key_ring_room(&r->ring, i, &memory));
    HB_TRY(hb_switch_key_source_read(wanted->source, wanted->path, memory,
                                     memory + hb_switch_key_source_a_place(wanted->source)));
    hb_key_ring_fill(&r->ring, i, wanted->source->label.sum);
    if (r->only_read) {
        hb_key_ring_take(&r->ring, i);
    }
    return HB_OK;
}

/* Puts the rows of a key on an engine. Names the file where they are no residues: their digests do not tell that. */
static hb_status put(hb_switch_key *key, const hb_key_wanted *wanted, const uint8_t *memory, const hb_params *params,
                     hb_engine *queue)
{
    const hb_packed_key rows = hb_switch_key_source_rows(wanted->source, memory);
    const hb_key_purpose purpose = hb_key_choice_purpose(&params->spec, wanted->choice);
    const hb_status st = hb_switch_key_load_for(key, queue, params, &purpose, &rows);
    return st == HB_EDATA ? HB_FAIL(st, "%s: %.300s", wanted->path, hb_last_error()->text) : st;
}

static hb_status load(hb_key_reader *r, uint32_t i, hb_engine *queue)
{
    const hb_key_wanted *wanted = &r->wanted[i];
    const hb_session *session = r->target.session;
    const uint8_t *memory = hb_key_ring_key(&r->ring, i, wanted->source->label.sum);
    if (memory == NULL) {
        return HB_FAIL(HB_EDATA, "%s: another rank of this host has another file for this key", wanted->path);
    }
    hb_switch_key key;
    HB_TRY(put(&key, wanted, memory, session->params, queue));
    /* The memory of this key is used again: worth the time that locking its pages takes. */
    if (!queue->on_host && i + r->ring.slots < r->count) {
        hb_key_ring_lock(&r->ring, i, queue);
    }
    hb_key_ring_take(&r->ring, i);
    /* Members that share limbs exchange for it, so they wait until each of them has all keys. */
    const hb_status st = session->exchange == NULL ? hb_switch_key_to_integers(&key) : HB_OK;
    if (st != HB_OK) {
        hb_switch_key_clear(&key);
        return st;
    }
    key.engine = session->engine; /* which outlives the queue, and has the same memory */
    memcpy(key.origin, wanted->source->origin, sizeof key.origin);
    r->target.key[i] = key;
    return HB_OK;
}

/* Locked. */
static void note(hb_key_reader *r, work w, hb_status st)
{
    if (w.kind == LOAD) {
        r->target.busy[w.queue] = false;
    }
    if (st != HB_OK && w.i < r->limit) {
        r->limit = w.i;
        r->status = st;
        r->error = *hb_last_error();
        atomic_store(&r->ring.state->failed, true);
    } else if (st == HB_OK && w.kind == LOAD) {
        r->done++;
        r->done_bytes += hb_switch_key_source_reads(r->wanted[w.i].source);
    }
    pthread_cond_broadcast(&r->changed);
}

/* Looks whether other ranks still take part in a shared ring. Locked. */
static void look_at_others(hb_key_reader *r)
{
    if (r->stopped || r->group == NULL) {
        return;
    }
    hb_status st = hb_group_check_gone(r->group, hb_group_lost(r->group));
    if (st == HB_OK && atomic_load(&r->ring.state->failed)) {
        st = HB_FAIL(HB_EPEER, "another rank of this host cannot load its keys");
    }
    if (st != HB_OK) {
        if (r->status == HB_OK) {
            r->status = st;
            r->error = *hb_last_error();
        }
        r->stopped = true;
        pthread_cond_broadcast(&r->changed);
    }
}

/* Waits for another thread of this rank. Other ranks cannot wake it: it looks twice a millisecond. Locked. */
static void wait_for_change(hb_key_reader *r)
{
    const long turn = 500 * 1000, second = 1000 * 1000 * 1000; /* nanoseconds */
    struct timespec until;
    if (r->group == NULL || clock_gettime(CLOCK_MONOTONIC, &until) != 0) {
        pthread_cond_wait(&r->changed, &r->lock);
        return;
    }
    until.tv_nsec += turn;
    until.tv_sec += until.tv_nsec / second;
    until.tv_nsec %= second;
    (void)pthread_cond_timedwait(&r->changed, &r->lock, &until);
    look_at_others(r);
}

/* The work of a thread. */
static hb_status work_on(void *context)
{
    hb_key_reader *r = context;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        const work w = next_work(r);
        if (w.kind == NOTHING) {
            break;
        }
        if (w.kind == WAIT) {
            wait_for_change(r);
            continue;
        }
        hb_engine *queue = w.kind == LOAD ? r->target.queue[w.queue] : NULL;
        pthread_mutex_unlock(&r->lock);
        const hb_status st = w.kind == LOAD ? load(r, w.i, queue) : fill(r, w.i);
        pthread_mutex_lock(&r->lock);
        note(r, w, st);
    }
    r->at_work--;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return HB_OK;
}

/* Starts threads until there are so many. */
static void start(hb_key_reader *r, uint32_t threads)
{
    const uint32_t most = threads < HB_KEY_MOST_READERS ? threads : HB_KEY_MOST_READERS;
    while (r->threads < most) {
        pthread_mutex_lock(&r->lock);
        r->at_work++;
        pthread_mutex_unlock(&r->lock);
        hb_background_begin(&r->thread[r->threads++], work_on, r);
    }
}

static size_t most_bytes_of(const hb_key_wanted *wanted, uint32_t count)
{
    size_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        const size_t bytes = hb_switch_key_source_bytes(wanted[i].source);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Returns how many slots are used in so much memory. */
static uint32_t slots_of(const hb_key_reader *r, uint64_t most_bytes)
{
    uint64_t slots = r->ring.bytes > 0 ? most_bytes / r->ring.bytes : 1;
    slots = slots < HB_KEY_MOST_SLOTS ? slots : HB_KEY_MOST_SLOTS;
    slots = slots < r->count ? slots : r->count;
    return slots > 1 ? (uint32_t)slots : 1;
}

/* Takes the list over. */
static void init(hb_key_reader *r, hb_key_wanted *wanted, uint32_t count, uint64_t most_bytes)
{
    pthread_condattr_t steady;
    *r = (hb_key_reader){.wanted = wanted, .count = count, .most_bytes = most_bytes, .limit = count};
    hb_key_ring_init(&r->ring, 1, most_bytes_of(wanted, count));
    r->ring.slots = slots_of(r, most_bytes);
    r->owner = pthread_self();
    pthread_mutex_init(&r->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &steady);
    pthread_condattr_destroy(&steady);
}

/* Waits for the threads, or works in the place of those that could not be started. */
static hb_status finish(hb_key_reader *r, hb_progress *progress)
{
    pthread_mutex_lock(&r->lock);
    while (r->at_work > 0) {
        const uint32_t done = r->done;
        const uint64_t bytes = r->done_bytes;
        pthread_mutex_unlock(&r->lock);
        if (progress != NULL) {
            hb_progress_set(progress, done, bytes);
        }
        pthread_mutex_lock(&r->lock);
        if (r->at_work > 0 && r->done == done) {
            pthread_cond_wait(&r->changed, &r->lock);
        }
    }
    const bool left = !r->stopped && (r->next_fill < r->limit || (!r->only_read && r->next_load < r->limit));
    r->at_work += left;
    pthread_mutex_unlock(&r->lock);
    if (left) {
        (void)work_on(r);
    }
    if (progress != NULL) {
        hb_progress_set(progress, r->done, r->done_bytes);
    }
    if (r->status != HB_OK) {
        hb_set_error(&r->error);
    }
    return r->status;
}

/* On the host each thread loads with a queue of its own, as far as there is memory for what becomes integers. A GPU is
 * faster than all threads with one queue; and queues of divided limbs take turns. */
static void open_queues(hb_key_target *target, uint32_t threads, uint64_t most_bytes)
{
    hb_engine *engine = target->session->engine;
    uint64_t taken = 0;
    target->queue[0] = engine;
    target->queues = 1;
    if (!engine->on_host || target->session->exchange != NULL) {
        return;
    }
    const hb_error before = *hb_last_error();
    while (target->queues < threads && target->queues < HB_KEY_MOST_READERS &&
           (taken += hb_switch_key_preparing_bytes(target->session->params)) <= most_bytes &&
           hb_engine_fork(engine, &target->queue[target->queues]) == HB_OK) {
        target->queues++;
    }
    hb_set_error(&before);
}

static hb_status bring(hb_key_reader *reader, const hb_session *session, uint32_t threads, hb_switch_key *key,
                       hb_progress *progress)
{
    hb_key_target target = {.session = session, .key = key};
    threads = threads < reader->count ? threads : reader->count;
    open_queues(&target, threads > reader->threads ? threads : reader->threads, reader->most_bytes);
    pthread_mutex_lock(&reader->lock);
    reader->target = target;
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    start(reader, threads);
    return finish(reader, progress);
}

void hb_key_reader_end(hb_key_reader *reader)
{
    if (reader->wanted == NULL) {
        return;
    }
    const hb_error before = *hb_last_error();
    pthread_mutex_lock(&reader->lock);
    reader->stopped = true;
    if (reader->done < reader->count) {
        atomic_store(&reader->ring.state->failed, true);
    }
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    for (uint32_t i = 0; i < reader->threads; i++) {
        (void)hb_background_end(&reader->thread[i]); /* what failed is in the reader's status */
    }
    for (uint32_t q = 1; q < reader->target.queues; q++) {
        hb_engine_close(reader->target.queue[q]);
    }
    hb_key_ring_clear(&reader->ring, reader->target.queue[0]);
    pthread_cond_destroy(&reader->changed);
    pthread_mutex_destroy(&reader->lock);
    free(reader->wanted);
    memset(reader, 0, sizeof *reader);
    hb_set_error(&before);
}

/* Makes the ring one of all ranks of a group on this host. Collective. */
static hb_status share_ring(hb_key_reader *r, hb_group *group)
{
    const uint64_t most = (uint64_t)2 << 30, all = r->most_bytes * (uint64_t)group->node_size;
    const uint32_t own = r->ring.slots;
    hb_shared shared;
    r->ring.slots = slots_of(r, all < most ? all : most);
    HB_TRY(hb_group_share(group, r->count > 0 ? hb_key_ring_shared_bytes(&r->ring) : 0, &shared));
    if (shared.memory == NULL) {
        r->ring.slots = own;
        return HB_OK;
    }
    r->group = group;
    r->next_fill = (uint32_t)group->node_rank;
    return hb_key_ring_share(&r->ring, &shared, (uint32_t)group->node_size, (uint32_t)group->node_rank);
}

hb_status hb_key_files_begin(hb_key_files *files, hb_group *group, hb_key_share share, uint32_t threads,
                             uint64_t most_bytes)
{
    hb_key_reader *reader = &files->reader;
    hb_key_wanted *list;
    uint32_t count;
    hb_status st = group->size > 1 && share.held != NULL ? hb_key_share_same(files, group, share) : HB_OK;
    HB_TRY(st);
    st = hb_key_share_list(files, share, &list, &count);
    init(reader, list, count, most_bytes);
    if (group->size > 1) {
        const hb_status shared = share_ring(reader, group);
        st = st == HB_OK ? shared : st;
    }
    if (st == HB_OK) {
        start(reader, threads < count ? threads : count);
    }
    return st;
}

/* Adds all loaded keys, for which there is memory by then, or none. */
static hb_status add(hb_switch_keys *keys, hb_switch_key *key, uint32_t count)
{
    const uint32_t before = keys->count;
    for (uint32_t i = 0; i < count; i++) {
        const hb_status st = hb_switch_keys_add(keys, &key[i]);
        if (st != HB_OK) {
            while (keys->count > before) {
                hb_switch_key_clear(&keys->key[--keys->count]);
            }
            return st;
        }
    }
    return HB_OK;
}

hb_status hb_key_files_load(hb_key_files *files, hb_switch_keys *keys, hb_switch_keys *resting,
                            const hb_session *session, uint32_t threads, hb_progress *progress)
{
    hb_key_reader *reader = &files->reader;
    const uint32_t count = reader->count;
    hb_switch_key *key = calloc((size_t)count + 1, sizeof *key);
    hb_status st = hb_key_share_take(files, keys, resting, session);
    for (uint32_t i = 0; progress != NULL && i < count; i++) {
        progress->work.own += hb_switch_key_source_reads(reader->wanted[i].source);
    }
    if (st == HB_OK) {
        st = key != NULL ? bring(reader, session, threads, key, progress)
                         : HB_FAIL(HB_ENOMEM, "no memory for %u keys", count);
    }
    hb_key_reader_end(reader); /* for which other ranks wait */
    if (session->exchange != NULL) {
        st = hb_agree(session->grid.all, st);
    }
    st = st == HB_OK ? add(keys, key, count) : st;
    for (uint32_t i = 0; key != NULL && i < count; i++) {
        hb_switch_key_clear(&key[i]);
    }
    free(key);
    return st;
}

hb_status hb_key_files_time(hb_key_files *files, hb_key_share share, uint32_t threads, double *rate)
{
    const uint64_t most = (uint64_t)256 << 20;
    hb_key_reader *reader = &files->reader;
    hb_key_wanted *list;
    uint64_t bytes = 0;
    uint32_t count, few = 0;
    HB_TRY(hb_key_share_list(files, share, &list, &count));
    while (few < count && few < threads && (few == 0 || bytes + hb_switch_key_source_reads(list[few].source) <= most)) {
        bytes += hb_switch_key_source_reads(list[few++].source);
    }
    const double begun = hb_now();
    init(reader, list, count, most);
    reader->limit = few;
    reader->only_read = true;
    start(reader, few);
    const hb_status st = finish(reader, NULL);
    hb_key_reader_end(reader);
    *rate = (double)bytes / (hb_now() - begun + 1e-9);
    return st;
}
