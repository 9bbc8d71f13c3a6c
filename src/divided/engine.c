/* The life of a queue of the divided engine, its memory, and the turns of its queues (engine.h). */
#include "engine.h"

#include <stdlib.h>

#include "base/chunk.h"
#include "divided_private.h"
#include "ring/real_ops.h"

/* --- reals: every member has all, of integers whose limbs are divided */

/* The operands of a composition of gathered limbs. */
typedef struct composing {
    hb_batch r;
    const hb_composition *composition;
    const hb_real_scale *scale;
} composing;

static hb_status compose_piece(hb_divided *div, const void *context, hb_batch all, size_t first)
{
    const composing *x = context;
    const size_t rows = x->scale->wide ? 2 : 1;
    return hb_compose_reals(div->base.device, hb_batch_slice(x->r, rows * first, rows * all.count), all, x->composition,
                            x->scale);
}

/* An integer needs all of its limbs, and every member wants all reals. */
static hb_status compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition,
                               const hb_real_scale *scale)
{
    hb_divided *div = hb_divided_of(e);
    const composing x = {r, composition, scale};
    return hb_is_divided(div, a.ids, a.limbs) ? hb_divided_gather(div, a, compose_piece, &x)
                                              : compose_piece(div, &x, a, 0);
}

/* words.c */
static const hb_real_ops divided_real_ops = {
    .compose_reals = compose_reals,
};

/* A half of the workspace has room for some polynomials, so that transfers are few and large, but within bounds: the
 * links of GPUs are near their best from some ten megabytes on. On an engine that works on smaller batches, as many of
 * these in both halves. */
#define HALF_POLYNOMIALS 16
#define HALF_LEAST ((size_t)16 << 20)
#define HALF_MOST ((size_t)256 << 20)
#define WORK_BATCHES 8
#define SHARE 64 /* of the memory that there is, a half takes no more than this part: keys and ciphertexts come first */

/* Returns the words of a half in which any operation finds room for one polynomial: for all of its limbs, for the most
 * that hb_divided_slices_each returns, and for the sums modulo t and gamma of every member, and its own. */
static size_t least_words(const hb_limb_map *map, size_t n)
{
    const size_t k = map->members, limbs = map->most_limbs, most = (limbs + k - 1) / k;
    const size_t slice = (n / HB_SLICE_WORDS + k - 1) / k * HB_SLICE_WORDS;
    const size_t gather = limbs * n, slices = 3 * most * n + 3 * limbs * slice, sums = 2 * (k + 1) * n;
    return hb_larger(gather, hb_larger(slices, sums));
}

/* Returns the words of each half of the workspace; 0 where nothing is divided. batch_bytes is that of the device's
 * engine. All members find the same number, as they pass the same. */
static size_t half_words_of(const hb_limb_map *map, size_t n, size_t batch_bytes, uint64_t memory)
{
    const size_t least = least_words(map, n);
    size_t bytes = hb_larger(least * HALF_POLYNOMIALS * sizeof(uint64_t), HALF_LEAST);
    bytes = bytes < HALF_MOST ? bytes : HALF_MOST;
    if (batch_bytes > 0 && batch_bytes * WORK_BATCHES / 2 < bytes) {
        bytes = batch_bytes * WORK_BATCHES / 2;
    }
    if (memory > 0 && memory / SHARE < bytes) {
        bytes = (size_t)(memory / SHARE);
    }
    /* One polynomial fits under every bound. Whole rows, so that it can be wiped as a batch. */
    const size_t words = hb_larger(least, bytes / sizeof(uint64_t));
    return map->members == 1 ? 0 : (words + n - 1) / n * n;
}

uint64_t hb_divided_queue_bytes(const hb_limb_map *map, size_t n, size_t batch_bytes, uint64_t memory)
{
    return half_words_of(map, n, batch_bytes, memory) * 2 * sizeof(uint64_t);
}

/* Settles where memory is given back: nothing may arrive there any more, and giving it back may wait for the queue. A
 * failure is not the caller's, and the exchange fails again at its next call. */
static void settle_quietly(hb_divided *div)
{
    const hb_error before = *hb_last_error();
    hb_status ignored = hb_divided_settle(div);
    (void)ignored;
    hb_set_error(&before);
}

/* Closes a queue, also one that queue_open left half open. */
static void divided_close(hb_engine *e)
{
    hb_divided *div = hb_divided_of(e);
    const uint32_t members = div->base.map->members;
    settle_quietly(div);
    /* Others must not wait for the turn of a queue that is gone. */
    hb_turns_leave(div->turns, div);
    hb_exchange_close_window(div->exchange, div->window);
    if (div->work != NULL) {    /* parts of phases and plaintexts */
        const uint16_t any = 0; /* wiping does not depend on the modulus */
        hb_batch_wipe(div->base.device,
                      hb_batch_on(div->base.device, div->work, 2 * div->half_words / e->ring->n, 1, &any));
        hb_free(div->base.device, div->work);
    }
    if (div->words != NULL) {
        hb_wipe(div->words, members * HB_DIVIDED_WORDS * sizeof *div->words);
    }
    free(div->words);
    /* Its device was taken over with it. */
    hb_engine_close(div->base.device);
    hb_turns_close(div->turns);
    free(div);
}

static hb_status divided_fork(hb_engine *e, hb_engine **out);

static hb_status divided_alloc(hb_engine *e, size_t bytes, void **memory)
{
    return hb_alloc(e->device, bytes, memory);
}

static void divided_free(hb_engine *e, void *memory)
{
    settle_quietly(hb_divided_of(e));
    hb_free(e->device, memory);
}

static hb_status divided_host_alloc(hb_engine *e, size_t bytes, void **memory)
{
    return hb_host_alloc(e->device, bytes, memory);
}

static void divided_host_free(hb_engine *e, void *memory)
{
    settle_quietly(hb_divided_of(e));
    hb_host_free(e->device, memory);
}

/* Copies may wait for earlier operations, depending on the host's memory. */
static hb_status divided_upload(hb_engine *e, void *to, const void *from_host, size_t bytes)
{
    HB_TRY(hb_divided_settle(hb_divided_of(e)));
    return hb_upload(e->device, to, from_host, bytes);
}

static hb_status divided_download(hb_engine *e, void *to_host, const void *from, size_t bytes)
{
    HB_TRY(hb_divided_settle(hb_divided_of(e)));
    return hb_download(e->device, to_host, from, bytes);
}

/* The device's queue may wait for a transfer: the host waits for that first, where a deadline applies. */
static hb_status divided_finish(hb_engine *e)
{
    hb_divided *div = hb_divided_of(e);
    HB_TRY(hb_divided_settle(div));
    HB_TRY(hb_finish(e->device));
    return hb_exchange_check(div->exchange);
}

static void *divided_native(hb_engine *e)
{
    return hb_engine_native(e->device);
}

static void divided_enter(hb_engine *e)
{
    hb_turns_enter(hb_divided_of(e)->turns, hb_divided_of(e));
}

static void divided_leave(hb_engine *e)
{
    hb_turns_leave(hb_divided_of(e)->turns, hb_divided_of(e));
}

static void divided_interrupt(hb_engine *e)
{
    /* Both places where a thread of this engine may wait for others. */
    hb_exchange_interrupt(hb_divided_of(e)->exchange);
    hb_turns_interrupt(hb_divided_of(e)->turns);
}

static const hb_memory_ops divided_memory_ops = {
    .host_alloc = divided_host_alloc,
    .host_free = divided_host_free,
    .alloc = divided_alloc,
    .free = divided_free,
    .upload = divided_upload,
    .download = divided_download,
};

static const hb_engine_ops divided_ops = {
    .name = "divided",
    .fork = divided_fork,
    .close = divided_close,
    .finish = divided_finish,
    .native = divided_native,
    .enter = divided_enter,
    .leave = divided_leave,
    .interrupt = divided_interrupt,
    .memory = &divided_memory_ops,
    .ring = &hb_divided_ring_ops,
    .ntt = &hb_divided_ntt_ops,
    .rns = &hb_divided_rns_ops,
    .garner = &hb_divided_garner_ops,
    .products = &hb_divided_product_ops,
    .rows = &hb_divided_row_ops,
    .real = &divided_real_ops,
};

/* Opens a queue. It takes over device and turns, also on failure. */
static hb_status queue_open(hb_engine *device, const hb_limb_map *map, hb_exchange *exchange, hb_division division,
                            uint64_t memory, hb_turns *turns, hb_engine **out)
{
    const uint32_t members = map->members;
    hb_divided *div = calloc(1, sizeof *div);
    if (div == NULL) {
        hb_engine_close(device);
        hb_turns_close(turns);
        return HB_FAIL(HB_ENOMEM, "no memory for an engine of divided limbs");
    }
    /* A member works on its share of a batch only: a whole one may be `members` times as large. */
    div->base = (hb_engine){.ops = &divided_ops,
                            .ring = device->ring,
                            .map = map,
                            .member = exchange->member,
                            .device = device,
                            .batch_bytes = device->batch_bytes * members,
                            .on_host = device->on_host};
    div->exchange = exchange;
    div->division = division;
    div->memory = memory;
    div->turns = turns;
    /* The same on all members, which cut batches into the same pieces. */
    div->half_words = half_words_of(map, device->ring->n, device->batch_bytes, memory);
    void *work = NULL;
    hb_status st = HB_OK;
    div->words = calloc(members * HB_DIVIDED_WORDS, sizeof *div->words);
    if (div->words == NULL) {
        st = HB_FAIL(HB_ENOMEM, "no memory for an engine of divided limbs");
    }
    if (div->half_words > 0) {
        const size_t bytes = div->half_words * 2 * sizeof *div->work;
        st = st == HB_OK ? hb_alloc(device, bytes, &work) : st;
        div->work = work;
        /* Also a member without memory shares: others wait for it there. */
        const hb_error why = *hb_last_error();
        const hb_status shared = hb_exchange_open_window(exchange, div->work, bytes, &div->window);
        if (st != HB_OK) {
            hb_set_error(&why);
        }
        st = st == HB_OK ? shared : st;
    }
    if (st != HB_OK) {
        divided_close(&div->base);
        return st;
    }
    *out = &div->base;
    return HB_OK;
}

static hb_status divided_fork(hb_engine *e, hb_engine **out)
{
    hb_divided *div = hb_divided_of(e);
    hb_engine *device;
    /* Each queue has a queue of the device, and its own workspace. */
    HB_TRY(hb_engine_fork(div->base.device, &device));
    return queue_open(device, div->base.map, div->exchange, div->division, div->memory, hb_turns_share(div->turns),
                      out);
}

hb_status hb_divided_engine_open(hb_engine *device, const hb_limb_map *map, hb_exchange *exchange, hb_division division,
                                 uint64_t memory, hb_engine **out)
{
    *out = NULL;
    HB_ASSERT(device->map == NULL);
    HB_ASSERT(exchange->members == map->members && exchange->member < exchange->members);
    hb_turns *turns = NULL;
    const hb_status st = hb_turns_open(&turns);
    if (st != HB_OK) {
        hb_engine_close(device);
        return st;
    }
    return queue_open(device, map, exchange, division, memory, turns, out);
}

hb_engine *hb_divided_device(hb_engine *e)
{
    return e->device != NULL ? e->device : e;
}
