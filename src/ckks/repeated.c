#include "repeated.h"

#include <stdlib.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "ring/local.h"
#include "ring/roots.h"

/* Words of slots that are transformed at a time, at most: enough to fill a GPU. */
static const size_t most_words = (size_t)1 << 19;

struct hb_repeated {
    hb_engine *engine; /* whose memory plaintexts are in */
    hb_engine *on;     /* of the ring in which they are made, without other members: a device */
    const hb_params *params;
    hb_ring ring; /* a subring */
    bool wide;
    hb_slot_tables tables;
    size_t words, most;
    double *slots[2];               /* host, [most][words] and a word: one is filled while the other is encoded */
    hb_batch values, work, nowhere; /* on `on`: [most] slots, their coefficients, residues of a member without limbs */
    uint64_t *refused;              /* on `on`: the word of hb_rounding */
};

static const uint64_t nothing_refused = UINT64_MAX;

static uint32_t log_of(size_t words)
{
    uint32_t log = 0;
    while ((size_t)1 << log < words) {
        log++;
    }
    return log;
}

static size_t slot_bytes(const hb_repeated *x)
{
    return (x->most * x->words + 1) * sizeof *x->slots[0];
}

/* The word behind slots, for what was refused among them. */
static uint64_t *place_of(const hb_repeated *x, uint32_t side)
{
    return (uint64_t *)(void *)(x->slots[side] + x->most * x->words);
}

/* Makes the members behind the engine of the ring. */
static hb_status fill(hb_repeated *x)
{
    const uint16_t *id = &x->params->common_id; /* modulus of reals, which means nothing */
    void *memory = NULL;
    HB_TRY(hb_slot_tables_init(&x->tables, x->on, hb_ckks_generator(&x->params->spec), x->wide));
    for (uint32_t side = 0; side < 2; side++) {
        HB_TRY(hb_host_alloc(x->on, slot_bytes(x), &memory));
        x->slots[side] = memory;
        memory = NULL;
    }
    HB_TRY(hb_alloc(x->on, sizeof *x->refused, &memory));
    x->refused = memory;
    HB_TRY(hb_batch_alloc(x->on, &x->values, x->most, 1, id));
    return hb_batch_alloc(x->on, &x->work, (x->wide ? 2 : 1) * x->most, 1, id);
}

hb_status hb_repeated_open(hb_engine *engine, const hb_params *params, hb_batch like, hb_repeated **out)
{
    const size_t fit = hb_larger(1, most_words / like.n);
    HB_ASSERT(like.n >= 2 && like.n <= params->ring.n && like.count >= 1);
    hb_repeated *x = calloc(1, sizeof *x);
    hb_status st = HB_OK;
    *out = NULL;
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an encoder");
    }
    x->engine = engine;
    x->params = params;
    x->wide = hb_ckks_is_wide(&params->spec);
    x->words = like.n;
    x->most = like.count < fit ? like.count : fit;
    if (x->words < params->ring.n) {
        hb_ring_subring(&x->ring, &params->ring, log_of(x->words), like.ids, like.limbs);
        HB_GOTO(hb_engine_beside(engine, &x->ring, &x->on));
    } else {
        x->on = engine->device != NULL ? engine->device : engine;
    }
    HB_GOTO(fill(x));
    *out = x;
    x = NULL;
done:
    hb_repeated_close(x);
    return st;
}

void hb_repeated_close(hb_repeated *x)
{
    if (x == NULL || x->on == NULL) {
        free(x);
        return;
    }
    hb_batch_wipe(x->on, x->values); /* they may be private */
    hb_batch_wipe(x->on, x->work);
    (void)hb_finish(x->on); /* after a failure copies of slots may be under way */
    for (uint32_t side = 0; side < 2; side++) {
        if (x->slots[side] != NULL) {
            hb_wipe(x->slots[side], slot_bytes(x));
        }
        hb_host_free(x->on, x->slots[side]);
    }
    hb_free(x->on, x->refused);
    hb_batch_free(x->on, &x->values);
    hb_batch_free(x->on, &x->work);
    hb_batch_free(x->on, &x->nowhere);
    hb_slot_tables_clear(&x->tables, x->on);
    if (x->words < x->params->ring.n) {
        hb_engine_close(x->on);
    }
    free(x);
}

/* The coefficients of some plaintexts. */
static hb_batch work_of(const hb_repeated *x, size_t count)
{
    return hb_batch_slice(x->work, 0, (x->wide ? 2 : 1) * count);
}

/* Rounds coefficients to residues of the limbs that are here. A member that has none of them looks for refused values
 * all the same: members go on or stop together. */
static hb_status make_residues(hb_repeated *x, hb_batch *plain, hb_exact_scale scale)
{
    const hb_rounding rounding = {{hb_exact_scale_dd(scale), {0, 0}, x->wide}, x->refused, 0};
    const hb_batch work = work_of(x, plain->count);
    plain->n = plain->limb_stride = 0;
    if (plain->limbs > 0) {
        return hb_round_reals(x->on, *plain, work, &rounding);
    }
    if (x->nowhere.data == NULL) {
        HB_TRY(hb_batch_alloc(x->on, &x->nowhere, x->most, 1, &x->params->common_id));
    }
    return hb_round_reals(x->on, hb_batch_slice(x->nowhere, 0, plain->count), work, &rounding);
}

/* Has the slots on one side encoded, without waiting for it. */
static hb_status encode(hb_repeated *x, hb_batch plain, hb_exact_scale scale, uint32_t side)
{
    const hb_batch values = hb_batch_slice(x->values, 0, plain.count);
    hb_local here;
    (void)hb_local_of(&here, x->engine, plain);
    hb_batch own = hb_local_view(&here, plain);
    HB_TRY(hb_upload(x->on, values.data, x->slots[side], plain.count * x->words * sizeof *x->slots[side]));
    HB_TRY(hb_upload(x->on, x->refused, &nothing_refused, sizeof nothing_refused));
    HB_TRY(hb_slots_to_coefficients(x->on, work_of(x, plain.count), values, &x->tables));
    HB_TRY(make_residues(x, &own, scale));
    if (own.limbs > 0) {
        HB_TRY(hb_ntt(x->on, own));
    }
    return hb_download(x->on, place_of(x, side), x->refused, sizeof *x->refused);
}

/* Plaintexts that are being encoded: none, or some of one side. */
typedef struct under_way {
    hb_chunk chunk;
    uint32_t side;
    bool any;
} under_way;

/* Waits for them, and lowers *refused to the first of them that is refused. */
static hb_status wait_for(hb_repeated *x, under_way *some, size_t *refused)
{
    if (!some->any) {
        return HB_OK;
    }
    some->any = false;
    HB_TRY(hb_finish(x->on));
    const uint64_t place = *place_of(x, some->side);
    if (place != nothing_refused) {
        *refused = some->chunk.first + (size_t)(place / x->words);
    }
    return HB_OK;
}

hb_status hb_repeated_encode(hb_repeated *x, hb_batch plain, hb_exact_scale scale, hb_repeated_put put,
                             const void *context, size_t *refused)
{
    under_way before = {.any = false};
    HB_ASSERT(plain.limb_stride == plain.n && plain.n == x->words);
    *refused = plain.count;
    for (hb_chunk c = hb_chunks(plain.count, x->most); hb_chunk_next(&c);) {
        const uint32_t side = 1 - before.side;
        for (size_t i = 0; i < c.count; i++) {
            put(context, c.first + i, x->slots[side] + i * x->words);
        }
        HB_TRY(wait_for(x, &before, refused));
        if (*refused < plain.count) {
            return HB_OK;
        }
        HB_TRY(encode(x, hb_batch_slice(plain, c.first, c.count), scale, side));
        before = (under_way){c, side, true};
    }
    return wait_for(x, &before, refused);
}
