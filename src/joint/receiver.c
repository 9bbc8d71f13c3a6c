#include "receiver.h"

#include <stdlib.h>

struct hb_receiver {
    hb_engine *engine;
    const hb_params *params;
    hb_batch b, a; /* views: the level's limbs of the key */
    hb_batch work; /* [max_count][limbs] */
};

hb_status hb_receiver_open(hb_engine *engine, const hb_public_key *key, uint32_t limbs, size_t max_count,
                           hb_receiver **out)
{
    *out = NULL;
    HB_ASSERT(max_count > 0 && limbs >= 1 && limbs <= key->params->data_limbs);
    hb_receiver *receiver = calloc(1, sizeof *receiver);
    if (receiver == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for parts that are for somebody else");
    }
    *receiver = (hb_receiver){.engine = engine,
                              .params = key->params,
                              .b = hb_batch_limbs(engine, key->b, 0, limbs),
                              .a = hb_batch_limbs(engine, key->a, 0, limbs)};
    const hb_status st = hb_batch_alloc_locked(engine, &receiver->work, max_count, limbs, key->params->ids);
    if (st != HB_OK) {
        hb_receiver_close(receiver);
        return st;
    }
    *out = receiver;
    return HB_OK;
}

void hb_receiver_close(hb_receiver *receiver)
{
    if (receiver == NULL) {
        return;
    }
    hb_batch_wipe(receiver->engine, receiver->work);
    hb_batch_free(receiver->engine, &receiver->work);
    free(receiver);
}

uint64_t hb_receiver_bytes(const hb_params *params, uint32_t limbs, size_t max_count)
{
    return max_count * hb_params_most_limbs(params, params->ids, limbs) * params->spec.n * sizeof(uint64_t);
}

/* Draws one small polynomial of each seed, or adds it. */
static hb_status draw(hb_receiver *receiver, hb_batch r, hb_purpose purpose, const hb_seed *seeds)
{
    for (size_t c = 0; c < r.count; c++) {
        const hb_batch one = hb_batch_slice(r, c, 1);
        const hb_draw from = {&seeds[c], purpose, 0};
        const hb_status st = purpose == HB_DRAW_TERNARY
                                 ? hb_sample_small(receiver->engine, one, HB_TERNARY, from)
                                 : hb_add_small(receiver->engine, one, HB_GAUSSIAN, from, HB_PLUS);
        HB_TRY(st);
    }
    return HB_OK;
}

static hb_status turn(hb_receiver *receiver, hb_batch h0, hb_batch h1, const hb_seed *seeds)
{
    hb_engine *e = receiver->engine;
    const hb_batch ub = hb_batch_slice(receiver->work, 0, h0.count);
    HB_TRY(draw(receiver, h1, HB_DRAW_TERNARY, seeds));
    HB_TRY(hb_ntt(e, h1));
    HB_TRY(hb_mul(e, ub, h1, receiver->b));
    HB_TRY(hb_intt(e, ub));
    HB_TRY(hb_add(e, h0, h0, ub));
    HB_TRY(hb_mul(e, h1, h1, receiver->a));
    HB_TRY(hb_intt(e, h1));
    return draw(receiver, h1, HB_DRAW_ERROR_1, seeds);
}

hb_status hb_receiver_turn(hb_receiver *receiver, hb_batch h0, hb_batch h1, const hb_seed *seeds)
{
    HB_ASSERT(h0.count == h1.count && h0.limbs == receiver->work.limbs && h1.limbs == h0.limbs);
    HB_ASSERT(h0.count <= receiver->work.count);
    if (h0.count == 0) {
        return HB_OK;
    }
    const hb_status st = turn(receiver, h0, h1, seeds);
    if (st != HB_OK) {
        hb_batch_wipe(receiver->engine, h0);
        hb_batch_wipe(receiver->engine, h1);
    }
    return st;
}
