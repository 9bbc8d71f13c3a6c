/* The same calls on an engine that has all limbs and on members that share them: the results of the first one are kept,
 * and every member compares its limbs with them. */
#ifndef HB_TESTS_MEMBERS_H
#define HB_TESTS_MEMBERS_H

#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "base/prime.h"
#include "cpu/engine.h"
#include "divided/engine.h"
#include "scheme/params.h"
#include "thread_exchange.h"

/* Starts that cost nothing: every transfer goes in halves. */
static inline const hb_exchange_cost *cost_of_halves(void)
{
    static const hb_exchange_cost cost = {.byte = {1e-9, 1e-9, 1e-9}};
    return &cost;
}

/* Results in the order in which they were made. */
typedef struct record {
    uint64_t **entry;
    size_t *words, entries;
} record;

/* One who computes. */
typedef struct side {
    hb_engine *engine;
    const hb_params *params;
    record *results;
    bool whole; /* fills the record; else compares */
    size_t at;  /* the next entry */
    uint64_t seed;
    void *taken[256]; /* memory, given back in the end */
    size_t takens;
} side;

static inline void record_clear(record *r)
{
    for (size_t i = 0; i < r->entries; i++) {
        free(r->entry[i]);
    }
    free(r->entry);
    free(r->words);
    *r = (record){0};
}

static inline uint64_t scattered(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Words of the host, the same on all sides. */
static inline hb_status expect_words(side *s, const char *what, const uint64_t *words, size_t count)
{
    record *r = s->results;
    if (s->whole) {
        r->entry = realloc(r->entry, (r->entries + 1) * sizeof *r->entry);
        r->words = realloc(r->words, (r->entries + 1) * sizeof *r->words);
        r->entry[r->entries] = malloc(count * sizeof *words + 1);
        memcpy(r->entry[r->entries], words, count * sizeof *words);
        r->words[r->entries++] = count;
        return HB_OK;
    }
    HB_ASSERT(s->at < r->entries && r->words[s->at] == count);
    const uint64_t *expected = r->entry[s->at++];
    for (size_t i = 0; i < count; i++) {
        if (words[i] != expected[i]) {
            return HB_FAIL(HB_DIFFERS, "%s, result %zu: word %zu differs", what, s->at - 1, i);
        }
    }
    return HB_OK;
}

/* Every limb that is here. Memory of the engine is the host's. */
static inline hb_status expect_batch(side *s, const char *what, hb_batch a)
{
    const size_t n = a.n != 0 ? a.n : s->params->ring.n,
                 limb_stride = a.limb_stride != 0 ? a.limb_stride : s->params->ring.n;
    HB_TRY(hb_finish(s->engine));
    uint64_t *all = calloc(a.count * a.limbs * n + 1, sizeof *all);
    if (!s->whole) { /* limbs of other members are taken for right */
        memcpy(all, s->results->entry[s->at], a.count * a.limbs * n * sizeof *all);
    }
    for (size_t c = 0; c < a.count; c++) {
        const uint64_t *row = a.data + c * a.stride;
        for (uint32_t l = 0; l < a.limbs; l++) {
            if (hb_limb_here(s->engine, a.ids[l])) {
                memcpy(all + (c * a.limbs + l) * n, row, n * sizeof *all);
                row += limb_stride;
            }
        }
    }
    const hb_status st = expect_words(s, what, all, a.count * a.limbs * n);
    free(all);
    return st;
}

/* Residues that depend on place and seed alone; one in 64 is 0, one the largest. */
static inline void fill(side *s, hb_batch a)
{
    const size_t n = a.n != 0 ? a.n : s->params->ring.n,
                 limb_stride = a.limb_stride != 0 ? a.limb_stride : s->params->ring.n;
    const uint64_t seed = scattered(++s->seed);
    for (size_t c = 0; c < a.count; c++) {
        uint64_t *row = a.data + c * a.stride;
        for (uint32_t l = 0; l < a.limbs; l++) {
            const uint64_t m = s->params->ring.moduli[a.ids[l]].value;
            for (size_t j = 0; j < n && hb_limb_here(s->engine, a.ids[l]); j++) {
                const uint64_t w = scattered(seed ^ scattered((c * HB_RING_MAX_MODULI + a.ids[l]) * n + j));
                row[j] = w % 64 == 0 ? 0 : w % 64 == 1 ? m - 1 : w % m;
            }
            row += hb_limb_here(s->engine, a.ids[l]) ? limb_stride : 0;
        }
    }
}

static inline void *take_bytes(side *s, size_t bytes)
{
    void *memory = NULL;
    HB_ASSERT(s->takens < sizeof s->taken / sizeof s->taken[0] && hb_alloc(s->engine, bytes, &memory) == HB_OK);
    return s->taken[s->takens++] = memory;
}

/* Polynomials `gap` words apart. */
static inline hb_batch take(side *s, size_t count, uint32_t limbs, const uint16_t *ids, size_t gap)
{
    hb_batch b = hb_batch_on(s->engine, NULL, count, limbs, ids);
    b.stride += gap;
    b.data = take_bytes(s, count * b.stride * sizeof *b.data);
    memset(b.data, 0, count * b.stride * sizeof *b.data);
    return b;
}

static inline hb_batch taken(side *s, size_t count, uint32_t limbs, const uint16_t *ids, size_t gap)
{
    const hb_batch b = take(s, count, limbs, ids, gap);
    fill(s, b);
    return b;
}

/* A view of some limbs of b, in any order, where they stand. */
static inline hb_batch limbs_of(const side *s, hb_batch b, const uint16_t *ids, uint32_t limbs,
                                hb_limb_address *limb_addresses)
{
    uint32_t here = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        if (hb_limb_here(s->engine, ids[l])) {
            limb_addresses[here++] = hb_batch_limb_address(s->engine, b, hb_limbs_here(s->engine, b.ids, ids[l]));
        }
    }
    return (hb_batch){.ids = ids, .limbs = limbs, .count = b.count, .limb_addresses = limb_addresses};
}

/* All that was taken since there were so many. */
static inline void give_back(side *s, size_t takens)
{
    while (s->takens > takens) {
        hb_free(s->engine, s->taken[--s->takens]);
    }
}

static inline void give_back_all(side *s)
{
    give_back(s, 0);
}

/* Parameters of primes of these bits, undivided; the special one last. */
static inline hb_params *members_params(size_t n, const uint32_t *bits, uint32_t limbs, uint64_t plain)
{
    hb_params_spec spec = {
        .n = n, .key_limbs = limbs, .bfv.plain = plain, .security = {.level = 128}, .insecure = true};
    hb_params *params = NULL;
    HB_ASSERT(hb_create_primes(n, bits, limbs, spec.primes) == HB_OK);
    HB_ASSERT(hb_params_open(&spec, &params) == HB_OK);
    return params;
}

/* 5 data limbs and the special prime, of both arithmetics. */
static inline hb_params *six_primes(void)
{
    return members_params(1024, (uint32_t[]){40, 36, 60, 45, 36, 59}, 6, 65537);
}

typedef hb_status (*script)(side *s, const void *with);

/* The task of the members. */
typedef struct performance {
    const hb_params_spec *spec;
    script play;
    const void *with;
    uint32_t members, queues; /* queues: of each member, in turn, each the whole script */
    hb_division division;
    hb_limb_order order;          /* in which limbs are dealt */
    bool measure;                 /* first */
    const hb_exchange_cost *cost; /* as if it had been measured; NULL: as it is */
    size_t batch_bytes;           /* of the device, as if it had a cache of this size; 0: as it is */
    record *results;
} performance;

static inline hb_status play_whole(const performance *p)
{
    hb_params *params = NULL;
    side s = {.results = p->results, .whole = true};
    HB_TRY(hb_params_open(p->spec, &params));
    hb_status st = hb_cpu_engine_open(&params->ring, &s.engine);
    s.params = params;
    st = st == HB_OK ? p->play(&s, p->with) : st;
    give_back_all(&s);
    hb_engine_close(s.engine);
    hb_params_close(params);
    return st;
}

typedef struct queue_run {
    const performance *p;
    side s;
    hb_status status;
    hb_error error;
} queue_run;

static inline void *play_queue(void *argument)
{
    queue_run *l = argument;
    l->status = l->p->play(&l->s, l->p->with);
    if (l->status != HB_OK) {
        l->error = *hb_last_error();
        hb_engine_interrupt(l->s.engine);
    }
    hb_engine_leave(l->s.engine);
    give_back_all(&l->s);
    return NULL;
}

/* The first failure that is not another's. */
static inline hb_status play_queues(const performance *p, hb_engine *engine, const hb_params *params)
{
    queue_run queues[8] = {{0}};
    pthread_t thread[8];
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < p->queues && st == HB_OK; i++) {
        queues[i] = (queue_run){.p = p, .s = {.engine = engine, .params = params, .results = p->results}};
        st = i == 0 ? HB_OK : hb_engine_fork(engine, &queues[i].s.engine);
        if (p->queues > 1) {
            hb_engine_enter(queues[i].s.engine);
        }
    }
    HB_ASSERT(st == HB_OK);
    for (uint32_t i = 0; i < p->queues; i++) {
        HB_ASSERT(pthread_create(&thread[i], NULL, play_queue, &queues[i]) == 0);
    }
    for (uint32_t i = 0; i < p->queues; i++) {
        pthread_join(thread[i], NULL);
        if (queues[i].status != HB_OK && (st == HB_OK || st == HB_EPEER)) {
            st = queues[i].status;
            hb_set_error(&queues[i].error);
        }
        if (i > 0) {
            hb_engine_close(queues[i].s.engine);
        }
    }
    return st;
}

static inline hb_status play_member(void *context, uint32_t member, meeting *at)
{
    const performance *p = context;
    hb_params *params = NULL;
    hb_engine *device = NULL, *engine = NULL;
    hb_exchange *exchange = NULL;
    hb_status st;
    HB_GOTO(hb_params_open(p->spec, &params));
    HB_GOTO(hb_params_divide_as(params, &(hb_params_division){p->members, HB_USUAL_TRAVEL, p->order}));
    HB_GOTO(p->members == 1 ? hb_exchange_open_alone(0, 1, &exchange) : thread_exchange_open(at, member, &exchange));
    HB_GOTO(hb_cpu_engine_open(&params->ring, &device));
    device->batch_bytes = p->batch_bytes > 0 ? p->batch_bytes : device->batch_bytes;
    HB_GOTO(p->measure ? hb_exchange_measure(exchange, device) : HB_OK);
    exchange->cost = p->cost != NULL ? *p->cost : exchange->cost;
    HB_GOTO(hb_divided_engine_open(device, &params->map, exchange, p->division, 0, &engine));
    st = play_queues(p, engine, params);
done:
    if (engine == NULL) {
        hb_engine_close(device);
    }
    hb_engine_close(engine);
    hb_exchange_close(exchange);
    hb_params_close(params);
    return st;
}

/* Whole, then divided. statuses: of each member, or NULL. */
static inline hb_status perform(performance *p, meeting *at, hb_status *statuses)
{
    record results = {0};
    p->results = &results;
    hb_status st = play_whole(p);
    if (st == HB_OK) {
        st = run_members_at(at, play_member, p, statuses);
    }
    record_clear(&results);
    return st;
}

#endif
