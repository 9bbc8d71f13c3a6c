#include "encrypt.h"

#include <stdlib.h>

struct hb_encryptor {
    hb_engine *engine;
    const hb_params *params;
    const hb_public_key *public_key; /* NULL: with the secret key */
    hb_distribution errors;
    size_t max_count;
    hb_batch minus_s;    /* secret key: [1][data limbs], NTT form */
    hb_batch u, product; /* public key: [max_count][key limbs] */
};

static hb_status open_secret(hb_encryptor *encryptor, const hb_secret_key *secret)
{
    const hb_params *params = encryptor->params;
    HB_TRY(hb_batch_alloc_locked(encryptor->engine, &encryptor->minus_s, 1, params->data_limbs, params->ids));
    return hb_negate(encryptor->engine, encryptor->minus_s,
                     hb_batch_limbs(encryptor->engine, secret->s, 0, params->data_limbs));
}

static hb_status open_public(hb_encryptor *encryptor)
{
    const hb_params *params = encryptor->params;
    HB_TRY(hb_batch_alloc(encryptor->engine, &encryptor->u, encryptor->max_count, params->key_limbs, params->ids));
    return hb_batch_alloc(encryptor->engine, &encryptor->product, encryptor->max_count, params->key_limbs, params->ids);
}

hb_status hb_encryptor_open(hb_engine *engine, const hb_secret_key *secret, const hb_public_key *public_key,
                            hb_distribution errors, size_t max_count, hb_encryptor **out)
{
    *out = NULL;
    HB_ASSERT((secret == NULL) != (public_key == NULL) && max_count > 0);
    HB_ASSERT(errors == HB_GAUSSIAN || errors == HB_BINOMIAL);
    hb_encryptor *encryptor = calloc(1, sizeof *encryptor);
    if (encryptor == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an encryptor");
    }
    *encryptor = (hb_encryptor){.engine = engine,
                                .params = secret ? secret->params : public_key->params,
                                .public_key = public_key,
                                .errors = errors,
                                .max_count = max_count};
    const hb_status st = secret ? open_secret(encryptor, secret) : open_public(encryptor);
    if (st != HB_OK) {
        hb_encryptor_close(encryptor);
        return st;
    }
    *out = encryptor;
    return HB_OK;
}

void hb_encryptor_close(hb_encryptor *encryptor)
{
    if (encryptor == NULL) {
        return;
    }
    /* What the last batch was masked with would open its ciphertexts. */
    hb_batch *secrets[] = {&encryptor->minus_s, &encryptor->u, &encryptor->product};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        hb_batch_wipe(encryptor->engine, *secrets[i]);
        hb_batch_free(encryptor->engine, secrets[i]);
    }
    free(encryptor);
}

/* c0 = INTT(-a s) - e, a the NTT form that the public seeds expand to. */
static hb_status encrypt_zero_secret(hb_encryptor *encryptor, hb_batch c0, hb_seed *public_seeds, const hb_seed *root,
                                     uint64_t first)
{
    hb_seed_public(public_seeds, c0.count, root, first);
    HB_TRY(hb_mul_uniform(encryptor->engine, c0, public_seeds, encryptor->minus_s));
    HB_TRY(hb_intt(encryptor->engine, c0));
    return hb_add_small(encryptor->engine, c0, encryptor->errors, (hb_draw){root, HB_DRAW_ERROR_0, first}, HB_MINUS);
}

/* c = (pk u + e) / P rounded, one component; u in NTT form. With a single prime there is nothing to divide by. */
static hb_status encrypt_zero_public(hb_encryptor *encryptor, hb_batch c, hb_batch pk, hb_batch u, hb_draw error_draw)
{
    hb_engine *e = encryptor->engine;
    const hb_params *params = encryptor->params;
    const bool divide = hb_params_can_switch(params);
    const hb_batch product = divide ? hb_batch_slice(encryptor->product, 0, c.count) : c;
    HB_TRY(hb_mul(e, product, u, pk));
    HB_TRY(hb_intt(e, product));
    HB_TRY(hb_add_small(e, product, encryptor->errors, error_draw, HB_PLUS));
    if (!divide) {
        return HB_OK;
    }
    const hb_mod_down *down = &params->gadget.levels[params->data_limbs].down;
    return hb_mod_down_apply(e, c, (hb_batch){.data = NULL}, product, c, down, HB_COEFFICIENT_FORM);
}

hb_engine *hb_encryptor_engine(const hb_encryptor *encryptor)
{
    return encryptor->engine;
}

const hb_params *hb_encryptor_params(const hb_encryptor *encryptor)
{
    return encryptor->params;
}

hb_status hb_encrypt_zero(hb_encryptor *encryptor, hb_batch c0, hb_batch c1, hb_seed *public_seeds, const hb_seed *root,
                          uint64_t first)
{
    HB_ASSERT(c0.count <= encryptor->max_count);
    if (c0.count == 0) {
        return HB_OK;
    }
    if (encryptor->public_key == NULL) {
        return encrypt_zero_secret(encryptor, c0, public_seeds, root, first);
    }
    const hb_batch u = hb_batch_slice(encryptor->u, 0, c0.count);
    HB_TRY(hb_sample_small(encryptor->engine, u, HB_TERNARY, (hb_draw){root, HB_DRAW_TERNARY, first}));
    HB_TRY(hb_ntt(encryptor->engine, u));
    const hb_public_key *key = encryptor->public_key;
    HB_TRY(encrypt_zero_public(encryptor, c0, key->b, u, (hb_draw){root, HB_DRAW_ERROR_0, first}));
    return encrypt_zero_public(encryptor, c1, key->a, u, (hb_draw){root, HB_DRAW_ERROR_1, first});
}
