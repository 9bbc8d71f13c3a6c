#include "decrypt.h"

#include <stdlib.h>

hb_status hb_ckks_decryptor_open(hb_engine *engine, const hb_secret_key *secret, uint32_t limbs, size_t max_count,
                                 hb_decryptor **out)
{
    *out = NULL;
    hb_decryptor *decryptor = calloc(1, sizeof *decryptor);
    if (decryptor == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a decryptor");
    }
    const hb_status st = hb_decryptor_init(decryptor, engine, secret, limbs, max_count);
    if (st != HB_OK) {
        hb_ckks_decryptor_close(decryptor);
        return st;
    }
    *out = decryptor;
    return HB_OK;
}

void hb_ckks_decryptor_close(hb_decryptor *decryptor)
{
    if (decryptor != NULL) {
        hb_decryptor_clear(decryptor);
        free(decryptor);
    }
}

uint64_t hb_ckks_decryptor_bytes(const hb_params *params, uint32_t limbs, size_t max_count)
{
    return max_count * (uint64_t)hb_params_most_limbs(params, params->ids, limbs) * params->spec.n * sizeof(uint64_t);
}

hb_status hb_ckks_decrypt(hb_decryptor *decryptor, hb_batch plain, hb_batch phase)
{
    HB_ASSERT(plain.count == phase.count && plain.limbs == phase.limbs);
    return hb_copy(decryptor->engine, plain, phase);
}
