/* The threads that bring keys from files to an engine: each takes in turn the next file to read, or the next key that
 * was read to load. */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "key_files.h"
#include "key_store_private.h"

#define LARGE_PAGE ((size_t)1 << 21) /* bytes, of x86-64 and others */

static void ring_init(hb_key_ring *ring, uint32_t slots, size_t bytes)
{
    HB_ASSERT(slots <= HB_KEY_MOST_SLOTS);
    memset(ring, 0, sizeof *ring);
    for (uint32_t s = 0; s < HB_KEY_MOST_SLOTS; s++) {
        atomic_init(&ring->slot[s].filled, 0);
        atomic_init(&ring->slot[s].taken, 0);
    }
    ring->slots = slots;
    ring->bytes = bytes;
}

static void free_memory(hb_key_ring *ring, uint32_t s, hb_engine *engine)
{
    if (ring->locked[s]) {
        hb_host_free(engine, ring->memory[s]);
    } else {
        free(ring->memory[s]);
    }
    ring->memory[s] = NULL;
    ring->locked[s] = false;
}

static void ring_clear(hb_key_ring *ring, hb_engine *engine)
{
    for (uint32_t s = 0; s < ring->slots; s++) {
        free_memory(ring, s, engine);
    }
    ring->slots = 0;
}

static bool ring_is_free(const hb_key_ring *ring, uint32_t i)
{
    const hb_key_slot *slot = &ring->slot[i % ring->slots];
    const unsigned before = i < ring->slots ? 0 : i - ring->slots + 1;
    return atomic_load(&slot->filled) == before && (before == 0 || atomic_load(&slot->taken) == 1);
}

static bool ring_is_filled(const hb_key_ring *ring, uint32_t i)
{
    return atomic_load(&ring->slot[i % ring->slots].filled) == i + 1;
}

/* In large pages, of which there are fewer to clear and to find. It is advice, which a kernel may refuse. */
static uint8_t *get_memory(size_t bytes)
{
    const size_t rounded = bytes <= SIZE_MAX - LARGE_PAGE ? (bytes / LARGE_PAGE + 1) * LARGE_PAGE : 0;
    uint8_t *memory = rounded > LARGE_PAGE ? aligned_alloc(LARGE_PAGE, rounded) : malloc(bytes);
    if (memory != NULL && rounded > LARGE_PAGE) {
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
    }
    return memory;
}

static hb_status ring_room(hb_key_ring *ring, uint32_t i, uint8_t **memory)
{
    const uint32_t s = i % ring->slots;
    if (ring->memory[s] == NULL) {
        ring->memory[s] = get_memory(ring->bytes);
    }
    *memory = ring->memory[s];
    return *memory != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a key of %zu bytes", ring->bytes);
}

static void ring_fill(hb_key_ring *ring, uint32_t i)
{
    hb_key_slot *slot = &ring->slot[i % ring->slots];
    atomic_store(&slot->taken, 0);
    atomic_store(&slot->filled, i + 1);
}

static void ring_take(hb_key_ring *ring, uint32_t i)
{
    atomic_fetch_add(&ring->slot[i % ring->slots].taken, 1);
}

static const uint8_t *ring_key(const hb_key_ring *ring, uint32_t i)
{
    return ring->memory[i % ring->slots];
}

static void ring_lock(hb_key_ring *ring, uint32_t i, hb_engine *engine)
{
    const uint32_t s = i % ring->slots;
    const hb_error before = *hb_last_error();
    void *memory;
    if (ring->locked[s]) {
        return;
    }
    if (hb_host_alloc(engine, ring->bytes, &memory) == HB_OK) {
        free_memory(ring, s, engine);
        ring->memory[s] = memory;
        ring->locked[s] = true;
    }
    hb_set_error(&before);
}

/* What a thread does next. */
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
    } else if (!all_loaded && ring_is_filled(&r->ring, r->next_load) && find_queue(&r->target, &w.queue)) {
        w.kind = LOAD;
        w.i = r->next_load++;
        r->target.busy[w.queue] = true;
    } else if (r->next_fill < r->limit && ring_is_free(&r->ring, r->next_fill)) {
        w.kind = FILL;
        w.i = r->next_fill++;
    } else if (r->target.session == NULL && pthread_equal(pthread_self(), r->owner)) {
        w.kind = NOTHING; /* no thread could be started, and it is this one that brings the session */
    }
    return w;
}

static hb_status fill(hb_key_reader *r, uint32_t i)
{
    const hb_key_wanted *wanted = &r->wanted[i];
    uint8_t *memory;
    HB_TRY(ring_room(&r->ring, i, &memory));
    HB_TRY(hb_switch_key_source_read(wanted->source, wanted->path, memory));
    ring_fill(&r->ring, i);
    if (r->only_read) {
        ring_take(&r->ring, i);
    }
    return HB_OK;
}

static hb_status load(hb_key_reader *r, uint32_t i, hb_engine *queue)
{
    const hb_key_wanted *wanted = &r->wanted[i];
    const hb_session *session = r->target.session;
    const hb_key_purpose purpose = hb_key_choice_purpose(&session->params->spec, wanted->choice);
    const hb_packed_key rows = hb_switch_key_source_rows(wanted->source, ring_key(&r->ring, i));
    hb_switch_key key;
    HB_TRY(hb_switch_key_load_for(&key, queue, session->params, &purpose, &rows));
    /* The memory of this key is used again: worth the time that locking its pages takes. */
    if (!queue->on_host && i + r->ring.slots < r->count) {
        ring_lock(&r->ring, i, queue);
    }
    ring_take(&r->ring, i);
    const hb_status st = hb_switch_key_to_integers(&key);
    if (st != HB_OK) {
        hb_switch_key_clear(&key);
        return st;
    }
    key.engine = session->engine; /* which outlives the queue, and has the same memory */
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
    } else if (st == HB_OK && w.kind == LOAD) {
        r->done++;
        r->done_bytes += r->wanted[w.i].source->label.file_bytes;
    }
    pthread_cond_broadcast(&r->changed);
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
            pthread_cond_wait(&r->changed, &r->lock);
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

static void begin(hb_key_reader *reader, hb_key_wanted *wanted, uint32_t count, uint32_t threads, uint64_t most_bytes,
                  bool only_read)
{
    const size_t bytes = most_bytes_of(wanted, count);
    uint64_t slots = bytes > 0 ? most_bytes / bytes : 1;
    slots = slots < HB_KEY_MOST_SLOTS ? slots : HB_KEY_MOST_SLOTS;
    slots = slots < count ? slots : count;
    *reader = (hb_key_reader){
        .wanted = wanted, .count = count, .most_bytes = most_bytes, .limit = count, .only_read = only_read};
    ring_init(&reader->ring, slots > 1 ? (uint32_t)slots : 1, bytes);
    reader->owner = pthread_self();
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->changed, NULL);
    start(reader, threads < count ? threads : count);
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
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    for (uint32_t i = 0; i < reader->threads; i++) {
        (void)hb_background_end(&reader->thread[i]); /* what failed is in the reader's status */
    }
    for (uint32_t q = 1; q < reader->target.queues; q++) {
        hb_engine_close(reader->target.queue[q]);
    }
    ring_clear(&reader->ring, reader->target.queue[0]);
    pthread_cond_destroy(&reader->changed);
    pthread_mutex_destroy(&reader->lock);
    free(reader->wanted);
    memset(reader, 0, sizeof *reader);
    hb_set_error(&before);
}

static bool find_file(const hb_key_files *files, hb_key_name name, uint32_t *i)
{
    for (*i = 0; *i < files->choices.count; ++*i) {
        if (hb_key_name_same(files->choices.key[*i].file, name)) {
            return true;
        }
    }
    return false;
}

/* Lists the wanted keys, which are among the choices, with their files, and closes the other files. The caller frees
 * *list. */
static hb_status list_wanted(hb_key_files *files, hb_key_choices wanted, hb_key_wanted **list)
{
    bool *used = calloc((size_t)files->choices.count + 1, sizeof *used);
    *list = calloc((size_t)wanted.count + 1, sizeof **list);
    if (used == NULL || *list == NULL) {
        free(used);
        free(*list);
        return HB_FAIL(HB_ENOMEM, "no memory for a list of keys");
    }
    for (uint32_t i = 0; i < wanted.count; i++) {
        uint32_t at;
        const bool found = find_file(files, wanted.key[i].file, &at);
        HB_ASSERT(found);
        used[at] = true;
        (*list)[i] = (hb_key_wanted){&files->source[at], files->path[at], wanted.key[i]};
    }
    for (uint32_t i = 0; i < files->choices.count; i++) {
        if (!used[i]) {
            hb_switch_key_source_close(&files->source[i]);
        }
    }
    free(used);
    return HB_OK;
}

hb_status hb_key_files_begin(hb_key_files *files, hb_key_choices wanted, uint32_t threads, uint64_t most_bytes)
{
    hb_key_wanted *list;
    HB_TRY(list_wanted(files, wanted, &list));
    begin(&files->reader, list, wanted.count, threads, most_bytes, false);
    return HB_OK;
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

hb_status hb_key_files_load(hb_key_files *files, hb_switch_keys *keys, const hb_session *session, uint32_t threads,
                            hb_progress *progress)
{
    hb_key_reader *reader = &files->reader;
    const uint32_t count = reader->count;
    hb_switch_key *key = calloc((size_t)count + 1, sizeof *key);
    if (key == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u keys", count);
    }
    for (uint32_t i = 0; progress != NULL && i < count; i++) {
        progress->work.own += reader->wanted[i].source->label.file_bytes;
    }
    hb_status st = bring(reader, session, threads, key, progress);
    hb_key_reader_end(reader);
    st = st == HB_OK ? add(keys, key, count) : st;
    for (uint32_t i = 0; i < count; i++) {
        hb_switch_key_clear(&key[i]);
    }
    free(key);
    return st;
}

hb_status hb_key_files_time(hb_key_files *files, uint32_t threads, double *rate)
{
    const uint64_t most = (uint64_t)256 << 20;
    uint64_t bytes = 0;
    hb_key_choices few = {.key = files->choices.key};
    hb_key_wanted *list;
    HB_ASSERT(files->choices.count > 0);
    while (few.count < files->choices.count && few.count < threads &&
           (few.count == 0 || bytes + files->source[few.count].label.file_bytes <= most)) {
        bytes += files->source[few.count++].label.file_bytes;
    }
    HB_TRY(list_wanted(files, few, &list));
    const double begun = hb_now();
    begin(&files->reader, list, few.count, threads, most, true);
    const hb_status st = finish(&files->reader, NULL);
    hb_key_reader_end(&files->reader);
    *rate = (double)bytes / (hb_now() - begun + 1e-9);
    return st;
}
