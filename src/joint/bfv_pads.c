#include "bfv_pads.h"

#include <stdlib.h>

#include "bfv/level.h"

struct hb_pads {
    hb_engine *engine;
    const hb_params *params;
    uint32_t limbs;
    size_t max_count;
    hb_codec *codec;
    hb_batch values, plain; /* [max_count] */
    hb_seed *seeds;         /* [max_count] */
};

hb_status hb_pads_open(hb_engine *engine, const hb_params *params, uint32_t limbs, hb_encoding encoding,
                       size_t max_count, hb_pads **out)
{
    hb_status st;
    *out = NULL;
    const uint16_t *plain_id = &hb_bfv_of(params)->plain_id; /* values and plaintexts are modulo t */
    HB_ASSERT(max_count > 0 && limbs >= 1 && limbs <= params->data_limbs);
    hb_pads *pads = calloc(1, sizeof *pads);
    if (pads == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for values in slots that are no cell");
    }
    *pads = (hb_pads){.engine = engine, .params = params, .limbs = limbs, .max_count = max_count};
    HB_GOTO(hb_codec_open(engine, params, encoding, &pads->codec));
    HB_GOTO(hb_batch_alloc_locked(engine, &pads->values, max_count, 1, plain_id));
    HB_GOTO(hb_batch_alloc_locked(engine, &pads->plain, max_count, 1, plain_id));
    pads->seeds = calloc(max_count, sizeof *pads->seeds);
    HB_GOTO(pads->seeds != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for values in slots that are no cell"));
    hb_lock(pads->seeds, max_count * sizeof *pads->seeds);
    *out = pads;
    return HB_OK;
done:
    hb_pads_close(pads);
    return st;
}

void hb_pads_close(hb_pads *pads)
{
    if (pads == NULL) {
        return;
    }
    hb_batch *const secrets[] = {&pads->values, &pads->plain};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        hb_batch_wipe(pads->engine, *secrets[i]);
        hb_batch_free(pads->engine, secrets[i]);
    }
    if (pads->seeds != NULL) {
        hb_wipe(pads->seeds, pads->max_count * sizeof *pads->seeds);
    }
    free(pads->seeds);
    if (pads->codec != NULL) {
        hb_codec_close(pads->codec);
    }
    free(pads);
}

uint64_t hb_pads_bytes(const hb_params *params, size_t max_count)
{
    return 2 * max_count * params->spec.n * sizeof(uint64_t);
}

static hb_status add(hb_pads *pads, hb_batch h, hb_batch strays)
{
    hb_engine *e = pads->engine;
    const hb_batch values = hb_batch_slice(pads->values, 0, h.count), plain = hb_batch_slice(pads->plain, 0, h.count);
    HB_TRY(hb_sample_uniform(e, values, pads->seeds));
    HB_TRY(hb_mul(e, values, values, strays));
    HB_TRY(hb_encode(pads->codec, plain, values));
    return hb_add_scaled_plain(e, h, plain, &hb_bfv_level_of(pads->params, pads->limbs)->scale_plain, HB_PLUS);
}

hb_status hb_pads_add(hb_pads *pads, hb_batch h, hb_batch strays, const hb_seed *seeds)
{
    HB_ASSERT(h.limbs == pads->limbs && h.count <= pads->max_count);
    HB_ASSERT(strays.count == 1 || strays.count == h.count);
    if (h.count == 0) {
        return HB_OK;
    }
    for (size_t c = 0; c < h.count; c++) {
        hb_seed_derive(&pads->seeds[c], &seeds[c], "pad");
    }
    const hb_status st = add(pads, h, strays);
    if (st != HB_OK) {
        hb_batch_wipe(pads->engine, h);
    }
    return st;
}
