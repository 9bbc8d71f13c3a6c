#include "cipher.h"

#include <math.h>
#include <stdlib.h>

#include "base/cell.h"

hb_status hb_ckks_encrypt(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                          const hb_seed *root, uint64_t first)
{
    HB_ASSERT(c0.count == plain.count && c0.limbs == plain.limbs);
    if (plain.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_encrypt_zero(encryptor, c0, c1, public_seeds, root, first));
    return hb_add(hb_encryptor_engine(encryptor), c0, c0, plain);
}

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

void hb_ckks_precision(const hb_params_spec *spec, const uint64_t *values, hb_filled_slots filled,
                       hb_precision *precision)
{
    const size_t slots = spec->n / 2;
    HB_ASSERT(filled.rows == 0 || (filled.rows - 1) * filled.stride + filled.columns <= slots);
    hb_precision found = {.count = filled.rows * filled.columns};
    for (size_t i = 0; i < found.count; i++) {
        const size_t slot = i / filled.columns * filled.stride + i % filled.columns;
        const double part = hb_real_of(values[slots + slot]), error = isfinite(part) ? fabs(part) : INFINITY;
        found.largest = fmax(found.largest, error);
        found.squares += error * error;
    }
    hb_precision_add(precision, &found);
}
