#include "ciphertexts.h"

size_t hb_ciphertexts_count(hb_ciphertexts a)
{
    HB_ASSERT(a.size >= 1 && a.all.count % a.size == 0);
    return a.all.count / a.size;
}

hb_batch hb_ciphertexts_component(hb_ciphertexts a, uint32_t i)
{
    const size_t count = hb_ciphertexts_count(a);
    HB_ASSERT(i < a.size);
    return hb_batch_slice(a.all, i * count, count);
}

hb_status hb_ciphertexts_alloc(hb_ciphertexts *a, hb_engine *engine, const hb_params *params, uint32_t size,
                               size_t count, uint32_t limbs)
{
    HB_ASSERT(limbs >= 1 && limbs <= params->key_limbs);
    a->size = size;
    a->form = params->form;
    return hb_batch_alloc(engine, &a->all, size * count, limbs, params->ids);
}

hb_ciphertexts hb_ciphertexts_view(hb_ciphertexts a, const hb_engine *engine, const hb_params *params, uint32_t size,
                                   size_t count, uint32_t limbs)
{
    HB_ASSERT(limbs >= 1 && limbs <= params->key_limbs);
    const hb_batch all = hb_batch_on(engine, a.all.data, size * count, limbs, params->ids);
    HB_ASSERT(all.count * all.stride <= a.all.count * a.all.stride);
    return (hb_ciphertexts){all, size, a.form};
}
