#include "repeated.h"

#include <stdlib.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "ring/local.h"
#include "ring/roots.h"

/* Words of slots that are transformed at a time, at most: enough to fill a GPU. */
static const size_t most_words = (size_t)1 << 19;

typedef struct encoder {
    hb_engine *engine; /* whose memory plaintexts are in */
    hb_engine *on;     /* of the ring in which they are made, without other members: a device */
    const hb_params *params;
    hb_ring ring; /* a subring */
    hb_real_scale scale;
    hb_slot_tables tables;
    size_t words, most;
    double *slots;                  /* host, [most][words] */
    hb_batch values, work, nowhere; /* on `on`: [most] slots, their coefficients, residues of a member without limbs */
    uint64_t *refused;              /* on `on`: the word of hb_rounding */
} encoder;

static const uint64_t nothing_refused = UINT64_MAX;

static uint32_t log_of(size_t words)
{
    uint32_t log = 0;
    while ((size_t)1 << log < words) {
        log++;
    }
    return log;
}

/* Makes the members behind the engine of the ring. */
static hb_status fill(encoder *x)
{
    const bool wide = hb_ckks_is_wide(&x->params->spec);
    const uint16_t *id = &x->params->common_id; /* modulus of reals, which means nothing */
    void *memory = NULL;
    HB_TRY(hb_slot_tables_init(&x->tables, x->on, hb_ckks_generator(&x->params->spec), wide));
    HB_TRY(hb_host_alloc(x->on, x->most * x->words * sizeof *x->slots, &memory));
    x->slots = memory;
    memory = NULL;
    HB_TRY(hb_alloc(x->on, sizeof *x->refused, &memory));
    x->refused = memory;
    HB_TRY(hb_batch_alloc(x->on, &x->values, x->most, 1, id));
    return hb_batch_alloc(x->on, &x->work, (wide ? 2 : 1) * x->most, 1, id);
}

/* Opens an encoder of such plaintexts, for some at a time. *x is zero before; the caller clears it. */
static hb_status encoder_init(encoder *x, hb_engine *engine, const hb_params *params, hb_batch plain,
                              hb_exact_scale scale)
{
    const size_t fit = hb_larger(1, most_words / plain.n);
    x->engine = engine;
    x->params = params;
    x->scale = (hb_real_scale){hb_exact_scale_dd(scale), {0, 0}, hb_ckks_is_wide(&params->spec)};
    x->words = plain.n;
    x->most = plain.count < fit ? plain.count : fit;
    if (x->words < params->ring.n) {
        hb_ring_subring(&x->ring, &params->ring, log_of(x->words), plain.ids, plain.limbs);
        HB_TRY(hb_engine_beside(engine, &x->ring, &x->on));
    } else {
        x->on = engine->device != NULL ? engine->device : engine;
    }
    return fill(x);
}

static void encoder_clear(encoder *x)
{
    if (x->on == NULL) {
        return;
    }
    hb_batch_wipe(x->on, x->values); /* they may be private */
    hb_batch_wipe(x->on, x->work);
    if (x->slots != NULL) {
        hb_wipe(x->slots, x->most * x->words * sizeof *x->slots);
    }
    hb_host_free(x->on, x->slots);
    hb_free(x->on, x->refused);
    hb_batch_free(x->on, &x->values);
    hb_batch_free(x->on, &x->work);
    hb_batch_free(x->on, &x->nowhere);
    hb_slot_tables_clear(&x->tables, x->on);
    if (x->words < x->params->ring.n) {
        hb_engine_close(x->on);
    }
}

/* Rounds coefficients to residues of the limbs that are here. A member that has none of them looks for refused values
 * all the same: members go on or stop together. */
static hb_status make_residues(encoder *x, hb_batch *plain)
{
    const hb_rounding rounding = {x->scale, x->refused, 0};
    const hb_batch work = hb_batch_slice(x->work, 0, (x->scale.wide ? 2 : 1) * plain->count);
    plain->n = plain->limb_stride = 0;
    if (plain->limbs > 0) {
        return hb_round_reals(x->on, *plain, work, &rounding);
    }
    if (x->nowhere.data == NULL) {
        HB_TRY(hb_batch_alloc(x->on, &x->nowhere, x->most, 1, &x->params->common_id));
    }
    return hb_round_reals(x->on, hb_batch_slice(x->nowhere, 0, plain->count), work, &rounding);
}

/* Encodes the slots that stand in the host's memory. */
static hb_status encode(encoder *x, hb_batch plain, size_t *refused)
{
    const hb_batch values = hb_batch_slice(x->values, 0, plain.count);
    const hb_batch work = hb_batch_slice(x->work, 0, (x->scale.wide ? 2 : 1) * plain.count);
    hb_local here;
    uint64_t place;
    (void)hb_local_of(&here, x->engine, plain);
    hb_batch own = hb_local_view(&here, plain);
    HB_TRY(hb_upload(x->on, values.data, x->slots, plain.count * x->words * sizeof *x->slots));
    HB_TRY(hb_upload(x->on, x->refused, &nothing_refused, sizeof nothing_refused));
    HB_TRY(hb_slots_to_coefficients(x->on, work, values, &x->tables));
    HB_TRY(make_residues(x, &own));
    if (own.limbs > 0) {
        HB_TRY(hb_ntt(x->on, own));
    }
    HB_TRY(hb_download(x->on, &place, x->refused, sizeof place));
    HB_TRY(hb_finish(x->on));
    *refused = place == nothing_refused ? plain.count : (size_t)(place / x->words);
    return HB_OK;
}

hb_status hb_repeated_encode(hb_engine *engine, const hb_params *params, hb_batch plain, hb_exact_scale scale,
                             hb_repeated_put put, const void *context, size_t *refused)
{
    HB_ASSERT(plain.limb_stride == plain.n && plain.n >= 2 && plain.n <= params->ring.n);
    encoder *x = calloc(1, sizeof *x);
    hb_status st;
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an encoder");
    }
    *refused = plain.count;
    HB_GOTO(encoder_init(x, engine, params, plain, scale));
    for (hb_chunk c = hb_chunks(plain.count, x->most); *refused == plain.count && hb_chunk_next(&c);) {
        size_t first;
        for (size_t i = 0; i < c.count; i++) {
            put(context, c.first + i, x->slots + i * x->words);
        }
        HB_GOTO(encode(x, hb_batch_slice(plain, c.first, c.count), &first));
        *refused = first < c.count ? c.first + first : plain.count;
    }
done:
    encoder_clear(x);
    free(x);
    return st;
}
