/* The exchange that moves nothing: of one member, or of one of several whose words mean nothing (exchange.h). */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"

typedef struct alone {
    hb_exchange base;
    atomic_bool interrupted;
} alone;

/* Fails once interrupted, as every exchange does. */
static hb_status go_on(hb_exchange *x)
{
    alone *self = (alone *)(void *)x; /* base is the first member */
    return atomic_load(&self->interrupted) ? HB_FAIL(HB_EPEER, "the exchange of limbs was stopped") : HB_OK;
}

static hb_status alone_start(hb_exchange *x, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket)
{
    (void)queue;
    /* Nothing moves, so nothing but the transfers is counted. */
    x->stats.transfers[transfer->pattern]++;
    /* No transfer is ever under way. */
    *ticket = 0;
    return go_on(x);
}

static hb_status alone_wait(hb_exchange *x, hb_engine *queue, uint64_t ticket)
{
    (void)queue;
    (void)ticket;
    return go_on(x);
}

static hb_status alone_settle(hb_exchange *x, uint64_t ticket)
{
    (void)ticket;
    return go_on(x);
}

/* The own words stand for those of every member. */
static hb_status alone_gather_words(hb_exchange *x, const uint64_t *mine, size_t count, uint64_t *all)
{
    for (uint32_t m = 0; m < x->members && count > 0; m++) {
        memcpy(all + m * count, mine, count * sizeof *all);
    }
    return go_on(x);
}

static void alone_interrupt(hb_exchange *x)
{
    alone *self = (alone *)(void *)x;
    atomic_store(&self->interrupted, true);
}

static void alone_close(hb_exchange *x)
{
    free(x);
}

hb_status hb_exchange_open_alone(uint32_t member, uint32_t members, hb_exchange **out)
{
    static const hb_exchange_ops ops = {
        .name = "alone",
        .start = alone_start,
        .wait = alone_wait,
        .settle = alone_settle,
        .gather_words = alone_gather_words,
        .interrupt = alone_interrupt,
        .close = alone_close,
    };
    *out = NULL;
    /* Transfers have entries for so many members only. */
    HB_ASSERT(member < members && members <= HB_MOST_MEMBERS);
    alone *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an exchange of limbs");
    }
    x->base = (hb_exchange){.ops = &ops, .members = members, .member = member, .cost.visible = HB_VISIBLE_MPI};
    atomic_init(&x->interrupted, false);
    *out = &x->base;
    return HB_OK;
}
