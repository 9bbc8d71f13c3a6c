/* The front end of exchanges: transfers are checked here (HB_ASSERT), once for all implementations. */
#include "exchange.h"

/* Return whether member m gives something to, or takes something from, this one in such a transfer. */
static bool gives(const hb_exchange *x, const hb_transfer *t, uint32_t m)
{
    return m != x->member && (t->pattern != HB_BROADCAST || m == t->root);
}

static bool takes(const hb_exchange *x, const hb_transfer *t, uint32_t m)
{
    return m != x->member && (t->pattern != HB_BROADCAST || x->member == t->root);
}

/* Blocks are whole words: libraries underneath move them as such. */
static void check_block(const void *block, size_t bytes)
{
    HB_ASSERT(bytes % sizeof(uint64_t) == 0 && (uintptr_t)block % sizeof(uint64_t) == 0);
    HB_ASSERT(block != NULL || bytes == 0);
}

/* Received blocks lie in the window, sent ones go to those of others. */
static void check_window(const hb_exchange *x, const hb_transfer *t)
{
    const hb_window *w = t->window;
    for (uint32_t m = 0; w != NULL && m < x->members; m++) {
        const uint8_t *receive = t->receive[m];
        if (gives(x, t, m) && t->receive_bytes[m] > 0) {
            HB_ASSERT(receive >= w->memory && (size_t)(receive - w->memory) <= w->bytes &&
                      t->receive_bytes[m] <= w->bytes - (size_t)(receive - w->memory));
        }
        if (takes(x, t, m) && t->send_bytes[m] > 0) {
            HB_ASSERT(t->to[m] <= w->bytes && t->send_bytes[m] <= w->bytes - t->to[m]);
            HB_ASSERT(t->to[m] % sizeof(uint64_t) == 0);
        }
    }
}

static void check_transfer(const hb_exchange *x, const hb_transfer *t)
{
    uint32_t one = HB_MOST_MEMBERS; /* any member that takes something */
    HB_ASSERT(t->pattern >= HB_ALL_GATHER && t->pattern < HB_PATTERNS);
    HB_ASSERT(t->pattern != HB_BROADCAST || t->root < x->members);
    for (uint32_t m = 0; m < x->members; m++) {
        if (takes(x, t, m)) {
            check_block(t->send[m], t->send_bytes[m]);
            one = one == HB_MOST_MEMBERS ? m : one;
            /* All get the same block, unless the transfer is all-to-all. */
            HB_ASSERT(t->pattern == HB_ALL_TO_ALL ||
                      (t->send[m] == t->send[one] && t->send_bytes[m] == t->send_bytes[one]));
        }
        if (gives(x, t, m)) {
            check_block(t->receive[m], t->receive_bytes[m]);
        }
    }
}

hb_status hb_exchange_start(hb_exchange *x, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket)
{
    HB_ASSERT(queue->map == NULL);
    check_transfer(x, transfer);
    check_window(x, transfer);
    return x->ops->start(x, queue, transfer, ticket);
}

hb_status hb_exchange_wait(hb_exchange *x, hb_engine *queue, uint64_t ticket)
{
    return x->ops->wait(x, queue, ticket);
}

hb_status hb_exchange_settle(hb_exchange *x, uint64_t ticket)
{
    return x->ops->settle(x, ticket);
}

hb_status hb_exchange_check(hb_exchange *x)
{
    return x->ops->check != NULL ? x->ops->check(x) : HB_OK;
}

hb_status hb_exchange_gather_words(hb_exchange *x, const uint64_t *mine, size_t count, uint64_t *all)
{
    HB_ASSERT((mine != NULL && all != NULL) || count == 0);
    return x->ops->gather_words(x, mine, count, all);
}

hb_status hb_exchange_open_window(hb_exchange *x, void *memory, size_t bytes, hb_window **out)
{
    *out = NULL;
    return x->ops->open_window != NULL ? x->ops->open_window(x, memory, bytes, out) : HB_OK;
}

void hb_exchange_close_window(hb_exchange *x, hb_window *window)
{
    if (window != NULL) {
        x->ops->close_window(x, window);
    }
}

void hb_exchange_interrupt(hb_exchange *x)
{
    x->ops->interrupt(x);
}

void hb_exchange_close(hb_exchange *x)
{
    if (x != NULL) {
        x->ops->close(x);
    }
}
