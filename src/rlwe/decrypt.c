#include "decrypt.h"

hb_status hb_decryptor_init(hb_decryptor *decryptor, hb_engine *engine, const hb_secret_key *secret, uint32_t limbs,
                            size_t max_count)
{
    const hb_params *params = secret->params;
    HB_ASSERT(limbs >= 1 && limbs <= params->key_limbs && max_count > 0);
    const hb_level *level = &params->levels[limbs];
    if (level->basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "these parameters have no level of %u limbs", limbs);
    }
    *decryptor = (hb_decryptor){.engine = engine,
                                .params = params,
                                .level = level,
                                .max_count = max_count,
                                .s = secret->s.limbs > 0 ? hb_batch_limbs(engine, secret->s, 0, limbs) : secret->s};
    return hb_batch_alloc(engine, &decryptor->work, max_count, limbs, params->ids);
}

void hb_decryptor_clear(hb_decryptor *decryptor)
{
    if (decryptor->seeded) { /* else it was never written */
        hb_batch_wipe(decryptor->engine, decryptor->work);
    }
    if (decryptor->engine != NULL) {
        hb_batch_free(decryptor->engine, &decryptor->work);
    }
}

/* phase = c0 + product, which is in NTT form, in the form of ciphertexts. */
static hb_status add_product(hb_decryptor *decryptor, hb_batch phase, hb_batch c0, hb_batch product)
{
    if (decryptor->params->form == HB_COEFFICIENT_FORM) {
        HB_TRY(hb_intt(decryptor->engine, product));
    }
    return hb_add(decryptor->engine, phase, c0, product);
}

hb_status hb_phase(hb_decryptor *decryptor, hb_batch phase, hb_batch c0, hb_batch c1)
{
    if (c0.count == 0) {
        return HB_OK;
    }
    HB_TRY(decryptor->params->form == HB_NTT_FORM ? hb_mul(decryptor->engine, c1, c1, decryptor->s)
                                                  : hb_ntt_mul(decryptor->engine, c1, c1, decryptor->s));
    return add_product(decryptor, phase, c0, c1);
}

hb_status hb_phase_seeded(hb_decryptor *decryptor, hb_batch phase, hb_batch c0, const hb_seed *public_seeds)
{
    if (c0.count == 0) {
        return HB_OK;
    }
    decryptor->seeded = true;
    const hb_batch product = hb_batch_slice(decryptor->work, 0, c0.count);
    HB_TRY(hb_mul_uniform(decryptor->engine, product, public_seeds, decryptor->s));
    return add_product(decryptor, phase, c0, product);
}
