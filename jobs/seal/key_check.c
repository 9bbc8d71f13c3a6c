#include "key_check.h"

#include <string.h>

#include "base/modarith.h"
#include "scheme/codec.h"

/* Errors of SEAL are at most 21. All small distributions that SEAL may be built with are below this; a key of another
 * secret is not, except with a chance of 2^9 / q_0 a coefficient. */
enum { LARGEST_ERROR = 255 };

hb_status hb_seal_key_check_init(hb_seal_key_check *check, const hb_secret_key *secret)
{
    const hb_params *params = secret->params;
    *check = (hb_seal_key_check){.secret = secret, .element = UINT32_MAX};
    HB_TRY(hb_batch_alloc(secret->engine, &check->target, 1, params->key_limbs, params->ids));
    HB_TRY(hb_batch_alloc(secret->engine, &check->part, 2, params->key_limbs, params->ids));
    return hb_batch_alloc(secret->engine, &check->error, 1, params->key_limbs, params->ids);
}

void hb_seal_key_check_clear(hb_seal_key_check *check)
{
    if (check->secret != NULL) {
        hb_batch *batches[] = {&check->target, &check->part, &check->error};
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            hb_batch_wipe(check->secret->engine, *batches[i]);
            hb_batch_free(check->secret->engine, batches[i]);
        }
    }
    *check = (hb_seal_key_check){.secret = NULL};
}

/* target = P s', NTT form: s^2, or s(X^g). */
static hb_status find_target(hb_seal_key_check *check, uint32_t element)
{
    const hb_secret_key *secret = check->secret;
    const hb_params *params = secret->params;
    hb_engine *engine = secret->engine;
    const hb_ring *ring = &params->ring;
    uint64_t special[HB_MAX_LIMBS];
    for (uint32_t l = 0; l < params->key_limbs; l++) {
        special[l] = ring->moduli[*hb_params_special_ids(params)].value % ring->moduli[params->ids[l]].value;
    }
    if (element == HB_RELINEARIZATION) {
        HB_TRY(hb_mul(engine, check->target, secret->s, secret->s));
    } else {
        const size_t bytes = params->key_limbs * ring->n * sizeof(uint64_t);
        memcpy(check->error.data, secret->s.data, bytes); /* the engine is the CPU's */
        HB_TRY(hb_intt(engine, check->error));
        HB_TRY(hb_galois(engine, check->target, check->error, element));
        HB_TRY(hb_ntt(engine, check->target));
    }
    HB_TRY(hb_scale(engine, check->target, check->target, special));
    check->element = element;
    return HB_OK;
}

/* The same small integers in all limbs, coefficient form. */
static bool is_error(const hb_params *params, hb_batch x)
{
    const size_t n = params->spec.n;
    uint64_t large = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t e = hb_mod_to_signed(x.data[i], params->spec.primes[0]);
        large |= (uint64_t)(e > LARGEST_ERROR || e < -LARGEST_ERROR);
        for (uint32_t l = 1; l < params->key_limbs; l++) {
            large |= x.data[l * n + i] ^ hb_mod_from_signed(e, params->spec.primes[l]);
        }
    }
    return large == 0;
}

hb_status hb_seal_key_check_part(hb_seal_key_check *check, uint32_t element, uint32_t limb, const uint64_t *words,
                                 const char *path)
{
    const hb_secret_key *secret = check->secret;
    const hb_params *params = secret->params;
    hb_engine *engine = secret->engine;
    const hb_batch b = hb_batch_slice(check->part, 0, 1), a = hb_batch_slice(check->part, 1, 1);
    HB_TRY(hb_key_words(engine, check->part, words));
    HB_TRY(hb_mul(engine, check->error, a, secret->s));
    HB_TRY(hb_add(engine, b, b, check->error));
    if (limb != HB_SEAL_NO_TARGET) {
        if (check->element != element) {
            HB_TRY(find_target(check, element));
        }
        const hb_batch own = hb_batch_limbs(engine, b, limb, 1);
        HB_TRY(hb_sub(engine, own, own, hb_batch_limbs(engine, check->target, limb, 1)));
    }
    HB_TRY(hb_intt(engine, b));
    HB_TRY(hb_finish(engine));
    return is_error(params, b) ? HB_OK
                               : HB_FAIL(HB_EDATA,
                                         "%s: is no key of the secret key beside it: one of them is of "
                                         "another pair, or damaged",
                                         path);
}
