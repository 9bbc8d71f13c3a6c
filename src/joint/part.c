#include "part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rlwe/exact_flood.h"

void hb_part_c1_digest(uint8_t digest[HB_DIGEST_BYTES], uint32_t limbs, const uint8_t *rows)
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch c1");
    hb_digest_add_u64(&state, limbs);
    hb_digest_add(&state, rows, (size_t)limbs * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

void hb_part_context(uint8_t context[HB_DIGEST_BYTES], const hb_part_request *request,
                     const uint8_t c1_digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch part");
    hb_digest_add(&state, request->session_id, HB_DIGEST_BYTES);
    hb_digest_add(&state, c1_digest, HB_DIGEST_BYTES);
    hb_digest_add_u64(&state, request->count);
    for (uint32_t i = 0; i < request->count; i++) {
        const size_t length = strnlen(request->owners[i].name, sizeof request->owners[i].name);
        hb_digest_add_u64(&state, length);
        hb_digest_add(&state, request->owners[i].name, length);
    }
    hb_digest_add_u64(&state, request->plan.u);
    hb_digest_add_u64(&state, request->plan.w);
    hb_digest_add(&state, request->cells, sizeof request->cells);
    hb_digest_add(&state, request->receiver, sizeof request->receiver);
    hb_digest_end(&state, context);
}

void hb_part_seed(hb_seed *seed, const hb_seed *own, const uint8_t context[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch flood");
    hb_digest_add(&state, own->bytes, sizeof own->bytes);
    hb_digest_add(&state, context, HB_DIGEST_BYTES);
    hb_digest_end(&state, seed->bytes);
    hb_wipe(&state, sizeof state);
}

struct hb_part_maker {
    hb_engine *engine;
    uint32_t limbs;
    size_t max_count;
    hb_batch s; /* view: the level's limbs of the secret */
    hb_exact_flooder *flooder;
};

hb_status hb_part_maker_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, const hb_part_plan *plan,
                             size_t max_count, hb_part_maker **out)
{
    const hb_params *params = secret->params;
    *out = NULL;
    HB_ASSERT(limbs >= 1 && limbs <= params->data_limbs && max_count > 0);
    if (params->levels[limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "these parameters have no level of %" PRIu32 " limbs", limbs);
    }
    hb_part_maker *maker = calloc(1, sizeof *maker);
    if (maker == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for parts");
    }
    *maker = (hb_part_maker){
        .engine = engine, .limbs = limbs, .max_count = max_count, .s = hb_batch_limbs(engine, secret->s, 0, limbs)};
    const hb_exact_flood flood = {plan->u, plan->w};
    const hb_status st = hb_exact_flooder_open(engine, params, limbs, flood, max_count, &maker->flooder);
    if (st != HB_OK) {
        hb_part_maker_close(maker);
        return st;
    }
    *out = maker;
    return HB_OK;
}

void hb_part_maker_close(hb_part_maker *maker)
{
    if (maker != NULL) {
        hb_exact_flooder_close(maker->flooder);
    }
    free(maker);
}

uint64_t hb_part_maker_bytes(const hb_params *params, uint32_t limbs, size_t max_count)
{
    return hb_exact_flooder_bytes(params, limbs, max_count);
}

hb_status hb_part_make(hb_part_maker *maker, hb_batch h, hb_batch c1, const hb_seed *seeds)
{
    hb_engine *e = maker->engine;
    HB_ASSERT(h.limbs == maker->limbs && c1.count == h.count && h.count <= maker->max_count);
    if (h.count == 0) {
        return HB_OK;
    }
    hb_status st;
    HB_GOTO(hb_ntt_mul(e, h, c1, maker->s));
    HB_GOTO(hb_intt(e, h));
    st = hb_exact_flooder_add(maker->flooder, h, seeds);
done:
    if (st != HB_OK) {
        hb_batch_wipe(e, h);
    }
    return st;
}
