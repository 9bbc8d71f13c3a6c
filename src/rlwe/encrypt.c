#include "encrypt.h"

#include <stdlib.h>

struct hb_encryptor {
    hb_engine *engine;
    const hb_params *params;
    const hb_public_key *public_key; /* NULL: with the secret key */
    hb_distribution errors;
    size_t max_count;
    hb_batch minus_s; /* secret key: [1][fresh limbs], NTT form */
    hb_batch u;       /* public key: [max_count][fresh limbs, and the special primes of the division] */
    hb_batch
        product; /* public key: the same; secret key, where ciphertexts are in NTT form: [max_count][fresh limbs] */
};

static hb_status open_secret(hb_encryptor *encryptor, const hb_secret_key *secret)
{
    hb_engine *e = encryptor->engine;
    const hb_params *params = encryptor->params;
    HB_TRY(hb_batch_alloc_locked(e, &encryptor->minus_s, 1, params->fresh_limbs, params->ids));
    HB_TRY(hb_negate(e, encryptor->minus_s, hb_batch_limbs(e, secret->s, 0, params->fresh_limbs)));
    return params->form == HB_NTT_FORM
               ? hb_batch_alloc(e, &encryptor->product, encryptor->max_count, params->fresh_limbs, params->ids)
               : HB_OK;
}

/* Returns the primes of a level and the special ones behind them. */
static const uint16_t *public_ids(const hb_params *params, uint32_t limbs)
{
    return params->fresh_special > 0 ? params->gadget.levels[limbs].switch_ids : params->ids;
}

static hb_status open_public(hb_encryptor *encryptor)
{
    const hb_params *params = encryptor->params;
    const uint32_t limbs = params->fresh_limbs + params->fresh_special;
    const uint16_t *ids = public_ids(params, params->fresh_limbs);
    HB_ASSERT(params->fresh_special <= 1 || params->fresh_special == params->special_limbs);
    HB_TRY(hb_batch_alloc(encryptor->engine, &encryptor->u, encryptor->max_count, limbs, ids));
    return hb_batch_alloc(encryptor->engine, &encryptor->product, encryptor->max_count, limbs, ids);
}

uint64_t hb_encryptor_bytes(const hb_params *params, bool public_key, size_t max_count)
{
    const uint64_t data = hb_params_most_limbs(params, params->ids, params->fresh_limbs);
    const uint64_t fresh = hb_params_most_limbs(params, public_ids(params, params->fresh_limbs),
                                                params->fresh_limbs + params->fresh_special);
    const uint64_t each = public_key ? 2 * fresh : params->form == HB_NTT_FORM ? data : 0;
    return (max_count * each + (public_key ? 0 : data)) * params->spec.n * sizeof(uint64_t);
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
    /* The masks of the last batch would open its ciphertexts. */
    hb_batch *secrets[] = {&encryptor->minus_s, &encryptor->u, &encryptor->product};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        hb_batch_wipe(encryptor->engine, *secrets[i]);
        hb_batch_free(encryptor->engine, secrets[i]);
    }
    free(encryptor);
}

/* c0 = -a s and an error, a the NTT form that the public seeds expand to. SEAL subtracts the error. */
static hb_status encrypt_zero_secret(hb_encryptor *encryptor, hb_batch c0, hb_seed *public_seeds, const hb_seed *root,
                                     uint64_t first)
{
    hb_engine *e = encryptor->engine;
    const hb_batch minus_s = hb_batch_limbs(e, encryptor->minus_s, 0, c0.limbs);
    const hb_draw error_draw = {root, HB_DRAW_ERROR_0, first};
    hb_seed_public(public_seeds, c0.count, root, first);
    if (encryptor->params->form == HB_COEFFICIENT_FORM) {
        HB_TRY(hb_mul_uniform(e, c0, public_seeds, minus_s));
        HB_TRY(hb_intt(e, c0));
        return hb_add_small(e, c0, encryptor->errors, error_draw, HB_MINUS);
    }
    /* The error alone is transformed: one transform, as there. */
    const hb_batch product = hb_batch_on(e, encryptor->product.data, c0.count, c0.limbs, c0.ids);
    HB_TRY(hb_sample_small(e, c0, encryptor->errors, error_draw));
    HB_TRY(hb_ntt(e, c0));
    HB_TRY(hb_mul_uniform(e, product, public_seeds, minus_s));
    return hb_add(e, c0, c0, product);
}

/* r = pk u, modulo primes of a level and special ones: the key has those of the highest level. */
static hb_status multiply_key(const hb_encryptor *encryptor, hb_batch r, hb_batch pk, hb_batch u, uint32_t level)
{
    hb_engine *e = encryptor->engine;
    const uint32_t special = r.limbs - level;
    HB_TRY(hb_mul(e, hb_batch_limbs(e, r, 0, level), hb_batch_limbs(e, u, 0, level), hb_batch_limbs(e, pk, 0, level)));
    if (special == 0) {
        return HB_OK;
    }
    return hb_mul(e, hb_batch_limbs(e, r, level, special), hb_batch_limbs(e, u, level, special),
                  hb_batch_limbs(e, pk, encryptor->params->data_limbs, special));
}

/* c = (pk u + e) divided by special primes and rounded, one component; u in NTT form. Without any there is nothing to
 * divide by. */
static hb_status encrypt_zero_public(hb_encryptor *encryptor, hb_batch c, hb_batch pk, hb_batch u, hb_draw error_draw)
{
    hb_engine *e = encryptor->engine;
    const hb_params *params = encryptor->params;
    const uint32_t special = params->fresh_special;
    const hb_batch product = special > 0 ? hb_batch_on(e, encryptor->product.data, c.count, u.limbs, u.ids) : c;
    HB_TRY(multiply_key(encryptor, product, pk, u, c.limbs));
    HB_TRY(hb_intt(e, product));
    HB_TRY(hb_add_small(e, product, encryptor->errors, error_draw, HB_PLUS));
    if (special > 0) {
        const hb_gadget_level *level = &params->gadget.levels[c.limbs];
        HB_TRY(hb_mod_down_apply(e, c, (hb_batch){.data = NULL}, product, c,
                                 special == params->special_limbs ? &level->down : &level->first, HB_COEFFICIENT_FORM));
    }
    return params->form == HB_NTT_FORM ? hb_ntt(e, c) : HB_OK;
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
    const hb_params *params = encryptor->params;
    const uint32_t limbs = c0.limbs;
    HB_ASSERT(c0.count <= encryptor->max_count && limbs >= 1 && limbs <= params->fresh_limbs);
    HB_ASSERT(params->levels[limbs].basis.limbs == limbs);
    if (c0.count == 0) {
        return HB_OK;
    }
    if (encryptor->public_key == NULL) {
        return encrypt_zero_secret(encryptor, c0, public_seeds, root, first);
    }
    const hb_batch u = hb_batch_on(encryptor->engine, encryptor->u.data, c0.count, limbs + params->fresh_special,
                                   public_ids(params, limbs));
    HB_TRY(hb_sample_small(encryptor->engine, u, HB_TERNARY, (hb_draw){root, HB_DRAW_TERNARY, first}));
    HB_TRY(hb_ntt(encryptor->engine, u));
    const hb_public_key *key = encryptor->public_key;
    HB_TRY(encrypt_zero_public(encryptor, c0, key->b, u, (hb_draw){root, HB_DRAW_ERROR_0, first}));
    return encrypt_zero_public(encryptor, c1, key->a, u, (hb_draw){root, HB_DRAW_ERROR_1, first});
}
