#include "encrypt.h"

#include <stdlib.h>

#include "level.h"

struct hb_encryptor {
    hb_engine *engine;
    const hb_params *params;
    const hb_public_key *public_key; /* NULL: with the secret key */
    hb_distribution errors;
    size_t max_count;
    hb_batch minus_s;    /* secret key: [1][data limbs], NTT form */
    hb_batch u, product; /* public key: [max_count][key limbs] */
};

static hb_status open_secret(hb_encryptor *x, const hb_secret_key *secret)
{
    const hb_params *params = x->params;
    HB_TRY(hb_batch_alloc_locked(x->engine, &x->minus_s, 1, params->data_limbs, params->ids));
    return hb_negate(x->engine, x->minus_s, hb_batch_limbs(x->engine, secret->s, 0, params->data_limbs));
}

static hb_status open_public(hb_encryptor *x)
{
    const hb_params *params = x->params;
    HB_TRY(hb_batch_alloc(x->engine, &x->u, x->max_count, params->key_limbs, params->ids));
    return hb_batch_alloc(x->engine, &x->product, x->max_count, params->key_limbs, params->ids);
}

hb_status hb_encryptor_open(hb_engine *engine, const hb_secret_key *secret, const hb_public_key *public_key,
                            hb_distribution errors, size_t max_count, hb_encryptor **out)
{
    *out = NULL;
    HB_ASSERT((secret == NULL) != (public_key == NULL) && max_count > 0);
    HB_ASSERT(errors == HB_GAUSSIAN || errors == HB_BINOMIAL);
    hb_encryptor *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an encryptor");
    }
    *x = (hb_encryptor){.engine = engine,
                        .params = secret ? secret->params : public_key->params,
                        .public_key = public_key,
                        .errors = errors,
                        .max_count = max_count};
    const hb_status st = secret ? open_secret(x, secret) : open_public(x);
    if (st != HB_OK) {
        hb_encryptor_close(x);
        return st;
    }
    *out = x;
    return HB_OK;
}

void hb_encryptor_close(hb_encryptor *x)
{
    if (x == NULL) {
        return;
    }
    /* What the last batch was masked with would open its ciphertexts. */
    hb_batch *secrets[] = {&x->minus_s, &x->u, &x->product};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        hb_batch_wipe(x->engine, *secrets[i]);
        hb_batch_free(x->engine, secrets[i]);
    }
    free(x);
}

/* c0 = INTT(-a s) - e, a the NTT form that the public seeds expand to. */
static hb_status encrypt_zero_secret(hb_encryptor *x, hb_batch c0, hb_seed *public_seeds, const hb_seed *root,
                                     uint64_t first)
{
    hb_seed_public(public_seeds, c0.count, root, first);
    HB_TRY(hb_mul_uniform(x->engine, c0, public_seeds, x->minus_s));
    HB_TRY(hb_intt(x->engine, c0));
    return hb_add_small(x->engine, c0, x->errors, (hb_draw){root, HB_DRAW_ERROR_0, first}, HB_MINUS);
}

/* c = (pk u + e) / P rounded, one component; u in NTT form. With a single prime there is nothing to divide by. */
static hb_status encrypt_zero_public(hb_encryptor *x, hb_batch c, hb_batch pk, hb_batch u, hb_draw error_draw)
{
    hb_engine *e = x->engine;
    const hb_params *params = x->params;
    const bool divide = hb_params_can_switch(params);
    const hb_batch product = divide ? hb_batch_slice(x->product, 0, c.count) : c;
    HB_TRY(hb_mul(e, product, u, pk));
    HB_TRY(hb_intt(e, product));
    HB_TRY(hb_add_small(e, product, x->errors, error_draw, HB_PLUS));
    return divide ? hb_divide_round_last(e, c, product, &params->levels[params->key_limbs].drop_last) : HB_OK;
}

hb_status hb_encrypt(hb_encryptor *x, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                     const hb_seed *root, uint64_t first)
{
    HB_ASSERT(plain.count <= x->max_count && c0.count == plain.count);
    if (plain.count == 0) {
        return HB_OK;
    }
    if (x->public_key == NULL) {
        HB_TRY(encrypt_zero_secret(x, c0, public_seeds, root, first));
    } else {
        const hb_batch u = hb_batch_slice(x->u, 0, plain.count);
        HB_TRY(hb_sample_small(x->engine, u, HB_TERNARY, (hb_draw){root, HB_DRAW_TERNARY, first}));
        HB_TRY(hb_ntt(x->engine, u));
        HB_TRY(encrypt_zero_public(x, c0, x->public_key->b, u, (hb_draw){root, HB_DRAW_ERROR_0, first}));
        HB_TRY(encrypt_zero_public(x, c1, x->public_key->a, u, (hb_draw){root, HB_DRAW_ERROR_1, first}));
    }
    return hb_add_scaled_plain(x->engine, c0, plain, &hb_bfv_level_of(x->params, x->params->data_limbs)->scale_plain,
                               HB_PLUS);
}
