/* The constants of one level of a modulus chain (semantics.md 1.6, 4.4, 5, 6.7). */
#include <string.h>

#include "base/modarith.h"
#include "params_private.h"

static const hb_modulus *modulus_of(const hb_level *level, uint32_t i)
{
    return &level->basis.ring->moduli[level->basis.ids[i]];
}

static void init_scale_plain(hb_level *level, const hb_params *params)
{
    const uint64_t t = params->spec.plain;
    hb_natural delta = level->basis.product;
    level->scale_plain.plain_id = params->plain_id;
    level->scale_plain.remainder = hb_natural_div(&delta, t);
    level->scale_plain.half = t / 2 + t % 2;
    hb_basis_decompose(&level->basis, &delta, level->delta);
    level->scale_plain.delta = level->delta;
}

/* t and gamma are coprime to Q and to each other, so no inverse below is missing. */
static hb_status init_decryption(hb_level *level, const hb_params *params)
{
    uint64_t factors[HB_MAX_LIMBS];
    const hb_modulus *t = &params->ring.moduli[params->plain_id];
    const hb_modulus *gamma = &params->ring.moduli[params->gamma_id];
    for (int i = 0; i < 2; i++) {
        const hb_modulus *m = &params->ring.moduli[params->plain_gamma_ids[i]];
        const uint64_t inverse_q = hb_mod_inverse(hb_natural_mod(&level->basis.product, m), m);
        level->gamma_correction.negative_inverse_q[i] = hb_mod_negate(inverse_q, m);
    }
    level->gamma_correction.plain_id = params->plain_id;
    level->gamma_correction.gamma_id = params->gamma_id;
    level->gamma_correction.inverse_gamma = hb_mod_inverse(gamma->value, t);
    for (uint32_t i = 0; i < level->basis.limbs; i++) {
        const hb_modulus *q = modulus_of(level, i);
        factors[i] = hb_mod_mul(t->value, gamma->value, q);
        level->plain_factor[i] = hb_mod_reduce(t->value, q);
    }
    return hb_base_conversion_init(&level->to_plain_gamma, &level->basis, factors, params->plain_gamma_ids, 2);
}

/* semantics.md 6.6: SEAL's fast lift is a property of the level. */
static void init_plain_lift(hb_level *level, const hb_params *params)
{
    const uint64_t t = params->spec.plain;
    level->plain_lift = (hb_plain_lift){params->plain_id, t / 2 + t % 2, true};
    for (uint32_t i = 0; i < level->basis.limbs; i++) {
        level->plain_lift.keep_monomials = level->plain_lift.keep_monomials && modulus_of(level, i)->value > t;
    }
}

static hb_drop_last drop_of(const hb_level *level, uint16_t id, uint32_t limbs, uint64_t *inverse)
{
    const uint64_t p = level->basis.ring->moduli[id].value;
    for (uint32_t i = 0; i < limbs; i++) {
        inverse[i] = hb_mod_inverse(p, modulus_of(level, i));
    }
    return (hb_drop_last){id, p / 2, inverse};
}

/* By the last prime of the level, and by the special prime, which is the last of the chain. */
static void init_divisions(hb_level *level, const hb_params *params)
{
    const uint32_t limbs = level->basis.limbs;
    level->drop_last = drop_of(level, level->basis.ids[limbs - 1], limbs - 1, level->inverse_last);
    if (limbs < params->key_limbs) {
        const uint16_t special = params->ids[params->key_limbs - 1];
        memcpy(level->switch_ids, level->basis.ids, limbs * sizeof *level->switch_ids);
        level->switch_ids[limbs] = special;
        level->drop_special = drop_of(level, special, limbs, level->inverse_special);
    }
}

hb_status hb_level_init(hb_level *level, const hb_params *params, uint32_t limbs)
{
    hb_natural t;
    hb_natural_set(&t, params->spec.plain);
    HB_TRY(hb_basis_init(&level->basis, &params->ring, params->ids, limbs));
    if (hb_natural_compare(&level->basis.product, &t) <= 0) {
        memset(level, 0, sizeof *level);
        return HB_OK;
    }
    HB_TRY(hb_garner_init(&level->garner, &level->basis));
    init_scale_plain(level, params);
    init_plain_lift(level, params);
    init_divisions(level, params);
    return init_decryption(level, params);
}

void hb_level_clear(hb_level *level)
{
    hb_base_conversion_clear(&level->to_plain_gamma);
    hb_garner_clear(&level->garner);
    memset(level, 0, sizeof *level);
}
