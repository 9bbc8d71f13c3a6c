/* The constants of one level of a modulus chain (semantics.md 1.6, 4.4, 5, 6.7). */
#include <string.h>

#include "modarith.h"
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
static void init_decryption(hb_level *level, const hb_params *params)
{
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
        const uint64_t scale = hb_mod_mul(t->value, gamma->value, q);
        level->decrypt_factor[i] = hb_mod_mul(scale, level->basis.inverse_punctured[i], q);
        level->plain_factor[i] = hb_mod_reduce(t->value, q);
    }
}

static void init_drop_last(hb_level *level)
{
    const uint32_t last = level->basis.limbs - 1;
    const uint64_t p = modulus_of(level, last)->value;
    level->drop_last.last_id = level->basis.ids[last];
    level->drop_last.half = p / 2;
    for (uint32_t i = 0; i < last; i++) {
        level->inverse_last[i] = hb_mod_inverse(p, modulus_of(level, i));
    }
    level->drop_last.inverse = level->inverse_last;
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
    HB_TRY(hb_base_conversion_init(&level->to_plain_gamma, &level->basis, params->plain_gamma_ids, 2));
    init_scale_plain(level, params);
    init_decryption(level, params);
    init_drop_last(level);
    return HB_OK;
}

void hb_level_clear(hb_level *level)
{
    hb_base_conversion_clear(&level->to_plain_gamma);
    hb_garner_clear(&level->garner);
    memset(level, 0, sizeof *level);
}
