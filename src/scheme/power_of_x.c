#include "power_of_x.h"

#include <stdlib.h>
#include <string.h>

#include "ring/ring_ops.h"
#include "ring/rns_ops.h"

/* In coefficient form coefficient j comes from j - exponent, and those that go over the end are negated. */
static hb_status make_shift(hb_power *x, hb_engine *engine, uint32_t exponent, uint32_t *map)
{
    const uint32_t n = (uint32_t)engine->ring->n;
    for (uint32_t j = 0; j < n; j++) {
        map[j] = (j + n - exponent) % n;
    }
    return hb_permutation_init(&x->shift, engine, map);
}

hb_status hb_power_of_x(hb_engine *engine, hb_batch to, uint32_t exponent, uint64_t *words)
{
    const size_t n = engine->ring->n;
    const uint32_t limbs = hb_limbs_here(engine, to.ids, to.limbs);
    memset(words, 0, n * sizeof *words);
    words[exponent] = 1;
    for (uint32_t l = 0; l < limbs; l++) {
        HB_TRY(hb_upload(engine, to.data + l * n, words, n * sizeof *words));
    }
    HB_TRY(hb_finish(engine)); /* the caller fills `words` again */
    return hb_ntt(engine, to);
}

/* Uploads -1 for coefficients that went over the end, and 1 for others. */
static hb_status upload_signs(hb_power *x, hb_engine *engine, uint32_t exponent, uint64_t *words)
{
    const size_t n = engine->ring->n;
    uint64_t *to = x->factor.data;
    for (uint32_t l = 0; l < x->factor.limbs; l++) {
        if (!hb_limb_here(engine, x->factor.ids[l])) {
            continue;
        }
        const uint64_t minus = engine->ring->moduli[x->factor.ids[l]].value - 1;
        for (size_t j = 0; j < n; j++) {
            words[j] = j < exponent ? minus : 1;
        }
        HB_TRY(hb_upload(engine, to, words, n * sizeof *words));
        HB_TRY(hb_finish(engine)); /* `words` are filled again */
        to += n;
    }
    return HB_OK;
}

hb_status hb_power_init(hb_power *x, hb_engine *engine, const hb_params *params, uint32_t exponent, uint32_t limbs)
{
    const size_t n = engine->ring->n;
    const bool ntt = params->form == HB_NTT_FORM;
    *x = (hb_power){.factor = {0}};
    uint32_t *map = malloc(2 * n * sizeof *map);
    uint64_t *words = malloc(n * sizeof *words);
    hb_status st = map != NULL && words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a power of X");
    if (st == HB_OK && !ntt) {
        st = make_shift(x, engine, exponent, map);
    }
    st = st == HB_OK ? hb_batch_alloc(engine, &x->factor, 1, limbs, params->ids) : st;
    if (st == HB_OK) {
        st = ntt ? hb_power_of_x(engine, x->factor, exponent, words) : upload_signs(x, engine, exponent, words);
    }
    free(map);
    free(words);
    return st;
}

void hb_power_clear(hb_power *x, hb_engine *engine)
{
    hb_permutation_clear(&x->shift, engine);
    hb_batch_free(engine, &x->factor);
}

uint64_t hb_power_bytes(const hb_params *params, uint32_t limbs)
{
    const uint64_t shift = params->form == HB_NTT_FORM ? 0 : 2 * params->spec.n * sizeof(uint32_t);
    return (uint64_t)limbs * params->spec.n * sizeof(uint64_t) + shift;
}

hb_status hb_power_times(hb_engine *engine, const hb_power *by, hb_ciphertexts r, hb_ciphertexts a)
{
    const hb_batch factor = hb_batch_limbs(engine, by->factor, 0, a.all.limbs);
    if (by->shift.map == NULL) {
        return hb_mul(engine, r.all, a.all, factor);
    }
    HB_TRY(hb_permute(engine, r.all, a.all, by->shift.map));
    return hb_mul(engine, r.all, r.all, factor);
}
