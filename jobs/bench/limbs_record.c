/* An exchange in front of another one: its recorded transfers can be repeated alone, and counted. */
#include <stdlib.h>

#include "limbs_private.h"

struct hb_recorder {
    hb_exchange base;
    hb_exchange *inner;
    bool on, short_of_memory;
    hb_transfer *noted; /* [capacity], `count` of them */
    size_t count, capacity;
};

static hb_recorder *of(hb_exchange *x)
{
    return (hb_recorder *)x;
}

/* A note that does not fit is reported at the end: the exchange itself must go on, as the other members take part in
 * it. */
static void note(hb_recorder *r, const hb_transfer *transfer)
{
    if (r->count == r->capacity) {
        const size_t capacity = r->capacity > 0 ? 2 * r->capacity : 64;
        hb_transfer *noted = realloc(r->noted, capacity * sizeof *noted);
        if (noted == NULL) {
            r->short_of_memory = true;
            return;
        }
        r->noted = noted;
        r->capacity = capacity;
    }
    r->noted[r->count++] = *transfer;
}

/* Notes a transfer, if that is asked for, and hands it on. */
static hb_status start(hb_exchange *x, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket)
{
    hb_recorder *r = of(x);
    if (r->on) {
        note(r, transfer);
    }
    return hb_exchange_start(r->inner, queue, transfer, ticket);
}

static hb_status wait_for(hb_exchange *x, hb_engine *queue, uint64_t ticket)
{
    return hb_exchange_wait(of(x)->inner, queue, ticket);
}

static hb_status settle(hb_exchange *x, uint64_t ticket)
{
    return hb_exchange_settle(of(x)->inner, ticket);
}

static hb_status gather_words(hb_exchange *x, const uint64_t *mine, size_t count, uint64_t *all)
{
    return hb_exchange_gather_words(of(x)->inner, mine, count, all);
}

static hb_status check(hb_exchange *x)
{
    return hb_exchange_check(of(x)->inner);
}

static hb_status open_window(hb_exchange *x, void *memory, size_t bytes, hb_window **out)
{
    return hb_exchange_open_window(of(x)->inner, memory, bytes, out);
}

static void close_window(hb_exchange *x, hb_window *window)
{
    hb_exchange_close_window(of(x)->inner, window);
}

static void interrupt(hb_exchange *x)
{
    hb_exchange_interrupt(of(x)->inner);
}

static void close_both(hb_exchange *x)
{
    hb_recorder *r = of(x);
    hb_exchange_close(r->inner);
    free(r->noted);
    free(r);
}

static const hb_exchange_ops ops = {
    .name = "recorder",
    .start = start,
    .wait = wait_for,
    .settle = settle,
    .gather_words = gather_words,
    .check = check,
    .open_window = open_window,
    .close_window = close_window,
    .interrupt = interrupt,
    .close = close_both,
};

hb_status hb_recorder_open(hb_exchange *inner, hb_recorder **out)
{
    *out = NULL;
    hb_recorder *r = calloc(1, sizeof *r);
    if (r == NULL) {
        hb_exchange_close(inner);
        return HB_FAIL(HB_ENOMEM, "no memory for notes of an exchange");
    }
    r->base = *inner;
    r->base.ops = &ops;
    r->inner = inner;
    *out = r;
    return HB_OK;
}

hb_exchange *hb_recorder_exchange(hb_recorder *r)
{
    return &r->base;
}

void hb_recorder_begin(hb_recorder *r)
{
    r->count = 0;
    r->on = true;
}

hb_status hb_recorder_end(hb_recorder *r)
{
    r->on = false;
    return r->short_of_memory ? HB_FAIL(HB_ENOMEM, "no memory for notes of an exchange") : HB_OK;
}

hb_limb_traffic hb_recorder_traffic(const hb_recorder *r)
{
    hb_limb_traffic traffic = {0};
    for (size_t i = 0; i < r->count; i++) {
        const hb_transfer *t = &r->noted[i];
        traffic.transfers[t->pattern] += 1;
        for (uint32_t m = 0; m < r->base.members; m++) {
            /* Nobody sends to himself, and only the root of a broadcast sends at all. */
            const bool gives = m != r->base.member && (t->pattern != HB_BROADCAST || m == t->root);
            traffic.bytes[t->pattern] += gives ? (double)t->receive_bytes[m] : 0;
        }
    }
    return traffic;
}

hb_status hb_recorder_repeat(hb_recorder *r, hb_engine *queue)
{
    uint64_t ticket = 0;
    for (size_t i = 0; i < r->count; i++) {
        HB_TRY(hb_exchange_start(r->inner, queue, &r->noted[i], &ticket));
        HB_TRY(hb_exchange_wait(r->inner, queue, ticket));
    }
    if (r->count > 0) {
        /* Transfers end in the order in which they were begun, so the last one stands for all. */
        HB_TRY(hb_exchange_settle(r->inner, ticket));
    }
    return hb_finish(queue);
}
