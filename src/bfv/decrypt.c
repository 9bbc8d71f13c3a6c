#include "decrypt.h"

#include <stdlib.h>

#include "level.h"

/* A decryptor with the workspace of both functions; it holds parts of plaintexts and of the noise. */
typedef struct bfv_decryptor {
    hb_decryptor rlwe;
    hb_batch plain_gamma; /* [max_count][2] */
    uint64_t *digits;     /* host, [max_count][limbs] */
} bfv_decryptor;

static bfv_decryptor *bfv_of(hb_decryptor *decryptor)
{
    return (bfv_decryptor *)decryptor; /* a struct begins where its first member does */
}

hb_status hb_bfv_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                                hb_decryptor **out)
{
    *out = NULL;
    bfv_decryptor *decryptor = calloc(1, sizeof *decryptor);
    if (decryptor == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a decryptor");
    }
    hb_status st = HB_OK;
    HB_GOTO(hb_decryptor_init(&decryptor->rlwe, engine, secret, limbs, max_count));
    HB_GOTO(hb_batch_alloc(engine, &decryptor->plain_gamma, max_count, 2, hb_bfv_of(secret->params)->plain_gamma_ids));
    /* The norm's digits come to the host, limb by limb. */
    decryptor->digits = calloc(max_count * limbs, sizeof *decryptor->digits);
    if (decryptor->digits == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the noise of %zu ciphertexts", max_count));
    }
    *out = &decryptor->rlwe;
    return HB_OK;
done:
    hb_bfv_decryptor_close(&decryptor->rlwe);
    return st;
}

uint64_t hb_bfv_decryptor_bytes(const hb_params *params, uint32_t limbs, size_t max_count)
{
    const uint64_t own = hb_params_most_limbs(params, params->ids, limbs); /* of work; and t and gamma */
    return max_count * (own + 2) * params->spec.n * sizeof(uint64_t);
}

void hb_bfv_decryptor_close(hb_decryptor *rlwe)
{
    bfv_decryptor *decryptor = bfv_of(rlwe);
    if (decryptor == NULL) {
        return;
    }
    /* Without an engine hb_decryptor_init has failed, and there is nothing on it. */
    if (rlwe->engine != NULL) {
        hb_batch_wipe(rlwe->engine, decryptor->plain_gamma);
        hb_batch_free(rlwe->engine, &decryptor->plain_gamma);
    }
    if (decryptor->digits != NULL) {
        hb_wipe(decryptor->digits, rlwe->max_count * rlwe->level->basis.limbs * sizeof *decryptor->digits);
    }
    free(decryptor->digits);
    hb_decryptor_clear(rlwe);
    free(decryptor);
}

hb_status hb_bfv_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase)
{
    if (phase.count == 0) {
        return HB_OK;
    }
    const hb_bfv_level *level = hb_bfv_level_of(decryptor->params, decryptor->level->basis.limbs);
    const hb_batch plain_gamma = hb_batch_slice(bfv_of(decryptor)->plain_gamma, 0, phase.count);
    /* t gamma x is converted from Q to t and gamma; gamma corrects the overflow of this conversion. */
    HB_TRY(hb_base_convert(decryptor->engine, plain_gamma, phase, &level->to_plain_gamma));
    return hb_gamma_correct(decryptor->engine, plain, plain_gamma, &level->gamma_correction);
}

hb_status hb_bfv_noise_budget(hb_decryptor *decryptor, uint32_t *budgets, hb_batch phase)
{
    if (phase.count == 0) {
        return HB_OK;
    }
    hb_engine *engine = decryptor->engine;
    const hb_basis *basis = &decryptor->level->basis;
    const hb_garner *garner = &decryptor->level->garner;
    uint64_t *digits = bfv_of(decryptor)->digits;
    /* The noise is t x mod Q, centred: its largest coefficient is found by mixed-radix digits. */
    HB_TRY(hb_scale(engine, phase, phase, hb_bfv_level_of(decryptor->params, basis->limbs)->plain_factor));
    HB_TRY(hb_garner_digits(engine, phase, phase, garner));
    HB_TRY(hb_infinity_norm(engine, digits, phase, garner));
    const uint32_t total = hb_natural_bits(&basis->product);
    for (size_t c = 0; c < phase.count; c++) {
        hb_natural widest;
        hb_garner_compose(garner, digits + c * basis->limbs, &widest);
        /* The budget is bits(Q) - bits(|v|) - 1, and never negative. */
        const uint32_t used = hb_natural_bits(&widest) + 1;
        budgets[c] = used < total ? total - used : 0;
    }
    return HB_OK;
}
