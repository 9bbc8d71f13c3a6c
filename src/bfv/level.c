/* BFV's constants of one level of a modulus chain (level.h; semantics.md 1.6, 4.4, 5, 6.6). */
#include "level.h"

#include <string.h>

#include "base/modarith.h"

/* delta = floor(Q / t) modulo each prime, and the remainder of the division (semantics.md 4.4). */
static void init_scale_plain(hb_bfv_level *level, const hb_bfv_params *params, const hb_basis *basis)
{
    const uint64_t t = params->rlwe.spec.bfv.plain;
    hb_natural delta = basis->product;
    level->scale_plain.plain_id = params->plain_id;
    level->scale_plain.remainder = hb_natural_div(&delta, t);
    level->scale_plain.half = t / 2 + t % 2;
    hb_basis_decompose(basis, &delta, level->delta);
    level->scale_plain.delta = level->delta;
}

/* Makes the constants of decryption. t and gamma are coprime to Q and to each other, so no inverse below is missing. */
static hb_status init_decryption(hb_bfv_level *level, const hb_bfv_params *params, const hb_basis *basis)
{
    uint64_t factors[HB_MAX_LIMBS];
    const hb_ring *ring = &params->rlwe.ring;
    const hb_modulus *t = &ring->moduli[params->plain_id];
    const hb_modulus *gamma = &ring->moduli[params->gamma_id];
    for (int i = 0; i < 2; i++) {
        const hb_modulus *m = &ring->moduli[params->plain_gamma_ids[i]];
        const uint64_t inverse_q = hb_mod_inverse(hb_natural_mod(&basis->product, m), m);
        level->gamma_correction.negative_inverse_q[i] = hb_mod_negate(inverse_q, m);
    }
    level->gamma_correction.plain_id = params->plain_id;
    level->gamma_correction.gamma_id = params->gamma_id;
    level->gamma_correction.inverse_gamma = hb_mod_inverse(gamma->value, t);
    for (uint32_t i = 0; i < basis->limbs; i++) {
        const hb_modulus *q = hb_basis_modulus(basis, i);
        /* The conversion begins with t gamma a, so its scale has the factor t gamma. */
        factors[i] = hb_mod_mul(t->value, gamma->value, q);
        level->plain_factor[i] = hb_mod_reduce(t->value, q);
    }
    return hb_base_conversion_init(&level->to_plain_gamma, basis, factors, params->plain_gamma_ids, 2);
}

/* Makes the constants of lifting plaintexts; SEAL's fast lift is a property of the level (semantics.md 6.6). */
static void init_plain_lift(hb_bfv_level *level, const hb_bfv_params *params, const hb_basis *basis)
{
    const uint64_t t = params->rlwe.spec.bfv.plain;
    level->plain_lift = (hb_plain_lift){params->plain_id, t / 2 + t % 2, true};
    for (uint32_t i = 0; i < basis->limbs; i++) {
        level->plain_lift.keep_monomials = level->plain_lift.keep_monomials && hb_basis_modulus(basis, i)->value > t;
    }
}

hb_status hb_bfv_level_init(hb_bfv_level *level, const hb_bfv_params *params, uint32_t limbs)
{
    const hb_basis *basis = &params->rlwe.levels[limbs].basis;
    HB_ASSERT(basis->limbs == limbs);
    init_scale_plain(level, params, basis);
    init_plain_lift(level, params, basis);
    return init_decryption(level, params, basis);
}

void hb_bfv_level_clear(hb_bfv_level *level)
{
    hb_base_conversion_clear(&level->to_plain_gamma);
    memset(level, 0, sizeof *level);
}

const hb_bfv_level *hb_bfv_level_of(const hb_params *params, uint32_t limbs)
{
    HB_ASSERT(params->levels[limbs].basis.limbs == limbs);
    return &hb_bfv_of(params)->levels[limbs];
}
