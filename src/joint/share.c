#include "share.h"

#include <string.h>

#include "base/modarith.h"

/* Returns the product of j / (j - point) modulo one prime. */
static uint64_t lagrange(const hb_modulus *q, const uint32_t *points, uint32_t count, uint32_t point)
{
    uint64_t over = 1, under = 1;
    bool among = false;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t j = points[i];
        if (j == point) {
            HB_ASSERT(!among);
            among = true;
            continue;
        }
        over = hb_mod_mul(over, j, q);
        under = hb_mod_mul(under, hb_mod_sub(j, point, q), q);
    }
    HB_ASSERT(among);
    return hb_mod_mul(over, hb_mod_pow(under, q->value - 2, q), q);
}

void hb_lagrange_factors(uint64_t *factors, const hb_params *params, uint32_t limbs, const uint32_t *points,
                         uint32_t count, uint32_t point)
{
    for (uint32_t l = 0; l < limbs; l++) {
        factors[l] = lagrange(&params->ring.moduli[params->ids[l]], points, count, point);
    }
}

/* Packed rows take no more than the words that they are of. */
static hb_status alloc_staging(hb_batch *staging, hb_engine *engine, hb_batch of)
{
    return hb_batch_alloc_locked(engine, staging, 1, of.limbs, of.ids);
}

static void free_staging(hb_batch *staging, hb_engine *engine)
{
    hb_batch_wipe(engine, *staging);
    hb_batch_free(engine, staging);
}

hb_status hb_share_pack(hb_engine *engine, const hb_params *params, uint8_t *packed, hb_batch share)
{
    hb_batch staging = {0};
    hb_status st;
    HB_GOTO(alloc_staging(&staging, engine, share));
    HB_GOTO(hb_pack(engine, (hb_packed){(uint8_t *)staging.data, 1, 0, 1}, share));
    HB_GOTO(hb_download(engine, packed, staging.data, hb_packed_bytes(&params->ring, share.ids, share.limbs)));
    st = hb_finish(engine);
done:
    free_staging(&staging, engine);
    return st;
}

hb_status hb_share_unpack(hb_engine *engine, hb_batch share, const uint8_t *packed, const char *what)
{
    hb_batch staging = {0};
    hb_status st;
    HB_GOTO(alloc_staging(&staging, engine, share));
    HB_GOTO(hb_key_unpack(engine, share, packed, false, staging.data, what));
    st = hb_finish(engine);
done:
    free_staging(&staging, engine);
    return st;
}

hb_status hb_share_load(hb_secret_key *key, hb_engine *engine, const hb_params *params, const uint8_t *packed,
                        const uint64_t *factors)
{
    hb_status st;
    *key = (hb_secret_key){engine, params, {0}};
    HB_GOTO(hb_batch_alloc_locked(engine, &key->s, 1, params->key_limbs, params->ids));
    HB_GOTO(hb_share_unpack(engine, key->s, packed, "the share of the secret"));
    HB_GOTO(hb_scale(engine, key->s, key->s, factors));
    HB_GOTO(hb_finish(engine));
done:
    if (st != HB_OK) {
        hb_secret_key_clear(key);
    }
    return st;
}
