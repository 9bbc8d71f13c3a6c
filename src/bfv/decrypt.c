#include "decrypt.h"

#include <stdlib.h>

#include "level.h"

struct hb_decryptor {
    hb_engine *engine;
    const hb_params *params;
    const hb_secret_key *secret;
    const hb_level *level;
    hb_batch s;           /* view: the level's limbs of the secret */
    hb_batch work;        /* [max_count][limbs]; of seeded ciphertexts */
    bool seeded;          /* there were some */
    hb_batch plain_gamma; /* [max_count][2] */
    uint64_t *digits;     /* host, [max_count][limbs] */
    size_t max_count;
};

hb_status hb_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                            hb_decryptor **out)
{
    *out = NULL;
    const hb_params *params = secret->params;
    HB_ASSERT(limbs >= 1 && limbs <= params->key_limbs && max_count > 0);
    const hb_level *level = &params->levels[limbs];
    if (level->basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "these parameters have no level of %u limbs", limbs);
    }
    hb_decryptor *d = calloc(1, sizeof *d);
    if (d == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a decryptor");
    }
    d->engine = engine;
    d->params = params;
    d->secret = secret;
    d->level = level;
    d->s = hb_batch_limbs(engine, secret->s, 0, limbs);
    d->max_count = max_count;
    hb_status st = HB_OK;
    HB_GOTO(hb_batch_alloc(d->engine, &d->work, max_count, limbs, params->ids));
    HB_GOTO(hb_batch_alloc(d->engine, &d->plain_gamma, max_count, 2, hb_bfv_of(params)->plain_gamma_ids));
    d->digits = calloc(max_count * limbs, sizeof *d->digits);
    if (d->digits == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the noise of %zu ciphertexts", max_count));
    }
    *out = d;
    d = NULL;
done:
    hb_decryptor_close(d);
    return st;
}

void hb_decryptor_close(hb_decryptor *d)
{
    if (d == NULL) {
        return;
    }
    if (d->seeded) { /* else it was never written */
        hb_batch_wipe(d->engine, d->work);
    }
    hb_batch_wipe(d->engine, d->plain_gamma);
    hb_batch_free(d->engine, &d->work);
    hb_batch_free(d->engine, &d->plain_gamma);
    if (d->digits != NULL) {
        hb_wipe(d->digits, d->max_count * d->level->basis.limbs * sizeof *d->digits);
    }
    free(d->digits);
    free(d);
}

/* phase = c0 + INTT(product). */
static hb_status add_product(hb_decryptor *d, hb_batch phase, hb_batch c0, hb_batch product)
{
    HB_TRY(hb_intt(d->engine, product));
    return hb_add(d->engine, phase, c0, product);
}

hb_status hb_phase(hb_decryptor *d, hb_batch phase, hb_batch c0, hb_batch c1)
{
    if (c0.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_ntt_mul(d->engine, c1, c1, d->s));
    return add_product(d, phase, c0, c1);
}

hb_status hb_phase_seeded(hb_decryptor *d, hb_batch phase, hb_batch c0, const hb_seed *public_seeds)
{
    if (c0.count == 0) {
        return HB_OK;
    }
    d->seeded = true;
    const hb_batch product = hb_batch_slice(d->work, 0, c0.count);
    HB_TRY(hb_mul_uniform(d->engine, product, public_seeds, d->s));
    return add_product(d, phase, c0, product);
}

hb_status hb_decrypt(hb_decryptor *d, hb_batch plain, hb_batch phase)
{
    if (phase.count == 0) {
        return HB_OK;
    }
    const hb_bfv_level *level = hb_bfv_level_of(d->params, d->level->basis.limbs);
    const hb_batch plain_gamma = hb_batch_slice(d->plain_gamma, 0, phase.count);
    HB_TRY(hb_base_convert(d->engine, plain_gamma, phase, &level->to_plain_gamma));
    return hb_gamma_correct(d->engine, plain, plain_gamma, &level->gamma_correction);
}

hb_status hb_noise_budget(hb_decryptor *d, uint32_t *budgets, hb_batch phase)
{
    if (phase.count == 0) {
        return HB_OK;
    }
    const hb_basis *basis = &d->level->basis;
    HB_TRY(hb_scale(d->engine, phase, phase, hb_bfv_level_of(d->params, basis->limbs)->plain_factor));
    HB_TRY(hb_garner_digits(d->engine, phase, phase, &d->level->garner));
    HB_TRY(hb_infinity_norm(d->engine, d->digits, phase, &d->level->garner));
    const uint32_t total = hb_natural_bits(&basis->product);
    for (size_t c = 0; c < phase.count; c++) {
        hb_natural widest;
        hb_garner_compose(&d->level->garner, d->digits + c * basis->limbs, &widest);
        const uint32_t used = hb_natural_bits(&widest) + 1;
        budgets[c] = used < total ? total - used : 0;
    }
    return HB_OK;
}
