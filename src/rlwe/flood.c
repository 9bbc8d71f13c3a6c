#include "flood.h"

#include <stdlib.h>

#include "base/gaussian.h"
#include "base/modarith.h"
#include "ring/ring_ops.h"

struct hb_flooder {
    hb_engine *engine;
    const hb_params *params;
    double sigma;
    uint32_t limbs;
    hb_batch noise;     /* [1][limbs] */
    int64_t *drawn;     /* [n] */
    uint64_t *residues; /* host, [limbs that are here][n] */
    size_t words;       /* of them */
};

hb_status hb_flooder_open(hb_engine *engine, const hb_params *params, uint32_t limbs, const hb_flood *flood,
                          hb_flooder **out)
{
    *out = NULL;
    hb_flooder *flooder = calloc(1, sizeof *flooder);
    if (flooder == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for noise");
    }
    hb_status st = HB_OK;
    void *memory = NULL;
    *flooder = (hb_flooder){.engine = engine, .params = params, .sigma = flood->sigma, .limbs = limbs};
    flooder->words = hb_limbs_here(engine, params->ids, limbs) * params->spec.n;
    flooder->drawn = calloc(params->spec.n, sizeof *flooder->drawn);
    if (flooder->drawn == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for noise"));
    }
    HB_GOTO(hb_host_alloc(engine, flooder->words * sizeof *flooder->residues, &memory));
    flooder->residues = memory;
    HB_GOTO(hb_batch_alloc(engine, &flooder->noise, 1, limbs, params->ids));
    *out = flooder;
    return HB_OK;
done:
    hb_flooder_close(flooder);
    return st;
}

void hb_flooder_close(hb_flooder *flooder)
{
    if (flooder == NULL) {
        return;
    }
    if (flooder->drawn != NULL) {
        hb_wipe(flooder->drawn, flooder->params->spec.n * sizeof *flooder->drawn);
    }
    if (flooder->residues != NULL) {
        hb_wipe(flooder->residues, flooder->words * sizeof *flooder->residues);
    }
    hb_batch_wipe(flooder->engine, flooder->noise);
    hb_batch_free(flooder->engine, &flooder->noise);
    hb_host_free(flooder->engine, flooder->residues);
    free(flooder->drawn);
    free(flooder);
}

/* Draws the noise of an item and brings it to the engine, in NTT form. */
static hb_status draw(hb_flooder *flooder, const hb_seed *root, uint64_t item)
{
    const hb_params *params = flooder->params;
    const size_t n = params->spec.n;
    uint64_t *row = flooder->residues;
    hb_wide_gaussian(flooder->drawn, n, flooder->sigma, (hb_draw){root, HB_DRAW_FLOOD, item});
    for (uint32_t l = 0; l < flooder->limbs; l++) {
        const hb_modulus *q = &params->ring.moduli[params->ids[l]];
        for (size_t i = 0; i < n && hb_limb_here(flooder->engine, params->ids[l]); i++) {
            *row++ = hb_mod_reduce_signed(flooder->drawn[i], q);
        }
    }
    HB_TRY(
        hb_upload(flooder->engine, flooder->noise.data, flooder->residues, flooder->words * sizeof *flooder->residues));
    HB_TRY(hb_ntt(flooder->engine, flooder->noise));
    return hb_finish(flooder->engine);
}

hb_status hb_flooder_add(hb_flooder *flooder, hb_batch plain, const hb_seed *root, uint64_t first)
{
    HB_ASSERT(plain.limbs == flooder->limbs);
    for (size_t c = 0; c < plain.count; c++) {
        const hb_batch one = hb_batch_slice(plain, c, 1);
        HB_TRY(draw(flooder, root, first + c));
        HB_TRY(hb_add(flooder->engine, one, one, flooder->noise));
    }
    return hb_finish(flooder->engine);
}
