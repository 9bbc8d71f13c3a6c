#include "encrypt.h"

#include <stdlib.h>

struct hb_encryptor {
    hb_engine *engine;
    const hb_params *params;
    const hb_secret_key *secret; /* exactly one of the two */
    const hb_public_key *public_key;
    hb_distribution errors;
    size_t max_count;
    /* Workspace, [max_count] each. Secret key: mask = a, error over the data limbs. Public key: all over the key limbs.
     */
    hb_batch mask, error, product;
};

hb_status hb_encryptor_open(const hb_secret_key *secret, const hb_public_key *public_key, hb_distribution errors,
                            size_t max_count, hb_encryptor **out)
{
    *out = NULL;
    HB_ASSERT((secret == NULL) != (public_key == NULL) && max_count > 0);
    HB_ASSERT(errors == HB_GAUSSIAN || errors == HB_BINOMIAL);
    hb_encryptor *x = calloc(1, sizeof *x);
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for an encryptor");
    }
    x->engine = secret ? secret->engine : public_key->engine;
    x->params = secret ? secret->params : public_key->params;
    x->secret = secret;
    x->public_key = public_key;
    x->errors = errors;
    x->max_count = max_count;
    const uint32_t limbs = secret ? x->params->data_limbs : x->params->key_limbs;
    hb_status st = HB_OK;
    HB_GOTO(hb_batch_alloc(x->engine, &x->mask, max_count, limbs, x->params->ids));
    HB_GOTO(hb_batch_alloc(x->engine, &x->error, max_count, limbs, x->params->ids));
    if (public_key != NULL) {
        HB_GOTO(hb_batch_alloc(x->engine, &x->product, max_count, limbs, x->params->ids));
    }
    *out = x;
    x = NULL;
done:
    hb_encryptor_close(x);
    return st;
}

void hb_encryptor_close(hb_encryptor *x)
{
    if (x == NULL) {
        return;
    }
    /* The masks and errors of the last batch would open its ciphertexts. */
    hb_batch *work[] = {&x->mask, &x->error, &x->product};
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        hb_batch_wipe(x->engine, *work[i]);
        hb_batch_free(x->engine, work[i]);
    }
    free(x);
}

/* c0 = -(INTT(a s) + e), a the NTT form that the public seeds expand to. */
static hb_status encrypt_zero_secret(hb_encryptor *x, hb_batch c0, hb_seed *public_seeds, const hb_seed *root,
                                     uint64_t first)
{
    hb_engine *e = x->engine;
    const hb_batch a = hb_batch_slice(x->mask, 0, c0.count), error = hb_batch_slice(x->error, 0, c0.count);
    const hb_batch s = hb_batch_limbs(x->secret->s, &x->params->ring, 0, x->params->data_limbs);
    hb_seed_public(public_seeds, c0.count, root, first);
    HB_TRY(hb_sample_uniform(e, a, public_seeds));
    HB_TRY(hb_mul(e, c0, a, s));
    HB_TRY(hb_intt(e, c0));
    HB_TRY(hb_sample_small(e, error, x->errors, (hb_draw){root, HB_DRAW_ERROR_0, first}));
    HB_TRY(hb_add(e, c0, c0, error));
    return hb_negate(e, c0, c0);
}

/* c = (pk u + e) / P rounded, one component; u in NTT form. With a single prime there is nothing to divide by. */
static hb_status encrypt_zero_public(hb_encryptor *x, hb_batch c, hb_batch pk, hb_batch u, hb_draw error_draw)
{
    hb_engine *e = x->engine;
    const hb_params *params = x->params;
    const bool divide = params->key_limbs > params->data_limbs;
    const hb_batch product = divide ? hb_batch_slice(x->product, 0, c.count) : c;
    const hb_batch error = hb_batch_slice(x->error, 0, c.count);
    HB_TRY(hb_mul(e, product, u, pk));
    HB_TRY(hb_intt(e, product));
    HB_TRY(hb_sample_small(e, error, x->errors, error_draw));
    HB_TRY(hb_add(e, product, product, error));
    return divide ? hb_divide_round_last(e, c, product, &params->levels[params->key_limbs].drop_last) : HB_OK;
}

hb_status hb_encrypt(hb_encryptor *x, hb_batch c0, hb_batch c1, hb_seed *public_seeds, hb_batch plain,
                     const hb_seed *root, uint64_t first)
{
    HB_ASSERT(plain.count <= x->max_count && c0.count == plain.count);
    if (plain.count == 0) {
        return HB_OK;
    }
    if (x->secret != NULL) {
        HB_TRY(encrypt_zero_secret(x, c0, public_seeds, root, first));
    } else {
        const hb_batch u = hb_batch_slice(x->mask, 0, plain.count);
        HB_TRY(hb_sample_small(x->engine, u, HB_TERNARY, (hb_draw){root, HB_DRAW_TERNARY, first}));
        HB_TRY(hb_ntt(x->engine, u));
        HB_TRY(encrypt_zero_public(x, c0, x->public_key->b, u, (hb_draw){root, HB_DRAW_ERROR_0, first}));
        HB_TRY(encrypt_zero_public(x, c1, x->public_key->a, u, (hb_draw){root, HB_DRAW_ERROR_1, first}));
    }
    return hb_add_scaled_plain(x->engine, c0, plain, &hb_params_data_level(x->params)->scale_plain);
}
