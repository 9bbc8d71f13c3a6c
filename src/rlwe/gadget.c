#include "gadget.h"

#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"

static hb_status init_digits(hb_gadget_level *level, const hb_gadget *gadget, const hb_ring *ring)
{
    level->up = calloc(level->digits, sizeof *level->up);
    if (level->up == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the digits of key switching");
    }
    for (uint32_t j = 0; j < level->digits; j++) {
        HB_TRY(hb_mod_up_init(&level->up[j], ring, level->switch_ids, level->switch_limbs, hb_gadget_first(gadget, j),
                              hb_gadget_limbs(gadget, j, level->limbs)));
    }
    return HB_OK;
}

static hb_status init_level(hb_gadget *gadget, uint32_t k, const hb_ring *ring, const hb_gadget_spec *spec)
{
    hb_gadget_level *level = &gadget->levels[k];
    level->limbs = k;
    level->digits = hb_digit_list_at(&gadget->digits, k);
    level->switch_limbs = k + spec->special_limbs;
    memcpy(level->switch_ids, spec->data, k * sizeof *spec->data);
    memcpy(level->switch_ids + k, spec->special, spec->special_limbs * sizeof *spec->special);
    for (uint32_t i = 1; i < level->switch_limbs; i++) {
        HB_ASSERT(level->switch_ids[i - 1] < level->switch_ids[i]);
    }
    HB_TRY(hb_mod_down_init(&level->down, ring, level->switch_ids, k, spec->special_limbs));
    if (spec->special_limbs > 1) {
        HB_TRY(hb_mod_down_init(&level->first, ring, level->switch_ids, k, 1));
    }
    /* Several primes are dropped by the rounded conversion, which takes none of 32 bits. */
    const uint32_t own = spec->level_limbs > 0 ? spec->level_limbs : 1;
    bool long_enough = true;
    for (uint32_t i = k > own ? k - own : 0; i <= k; i++) {
        long_enough = long_enough && ring->moduli[level->switch_ids[i]].value >> 32 != 0;
    }
    if (spec->centred && k > own && long_enough) {
        HB_TRY(hb_mod_down_init(&level->down_rescale, ring, level->switch_ids, k - own, spec->special_limbs + own));
    }
    return spec->centred ? init_digits(level, gadget, ring) : HB_OK;
}

hb_status hb_gadget_init(hb_gadget *gadget, const hb_ring *ring, const hb_gadget_spec *spec)
{
    HB_ASSERT(spec->alpha >= 1 && (spec->alpha == 1 || spec->centred) && spec->data_limbs >= 1);
    HB_ASSERT(spec->special_limbs >= 1 && spec->data_limbs + spec->special_limbs <= HB_MAX_LIMBS);
    *gadget = (hb_gadget){.alpha = spec->alpha,
                          .data_limbs = spec->data_limbs,
                          .special_limbs = spec->special_limbs,
                          .digits = spec->digits,
                          .centred = spec->centred};
    const uint32_t *first = spec->digits.first;
    HB_ASSERT(first[0] == 0 && first[spec->digits.count] == spec->data_limbs);
    for (uint32_t j = 0; j < spec->digits.count; j++) {
        HB_ASSERT(first[j + 1] > first[j] && first[j + 1] - first[j] <= spec->alpha);
    }
    gadget->levels = calloc((size_t)spec->data_limbs + 1, sizeof *gadget->levels);
    if (gadget->levels == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the levels of key switching");
    }
    for (uint32_t k = 1; k <= spec->data_limbs; k++) {
        HB_TRY(init_level(gadget, k, ring, spec));
    }
    return HB_OK;
}

void hb_gadget_clear(hb_gadget *gadget)
{
    for (uint32_t k = 1; gadget->levels != NULL && k <= gadget->data_limbs; k++) {
        hb_gadget_level *level = &gadget->levels[k];
        for (uint32_t j = 0; level->up != NULL && j < level->digits; j++) {
            hb_mod_up_clear(&level->up[j]);
        }
        free(level->up);
        hb_mod_down_clear(&level->down);
        hb_mod_down_clear(&level->first);
        hb_mod_down_clear(&level->down_rescale);
    }
    free(gadget->levels);
    memset(gadget, 0, sizeof *gadget);
}

void hb_gadget_factors(const hb_gadget *gadget, const hb_ring *ring, const uint16_t *ids, uint32_t limbs,
                       uint64_t *factors)
{
    const hb_gadget_level *top = &gadget->levels[gadget->data_limbs];
    for (uint32_t l = 0; l < limbs; l++) {
        const hb_modulus *q = &ring->moduli[ids[l]];
        factors[l] = 1;
        for (uint32_t i = top->limbs; i < top->switch_limbs; i++) {
            factors[l] = hb_mod_mul(factors[l], hb_mod_reduce(ring->moduli[top->switch_ids[i]].value, q), q);
        }
    }
}

hb_digits hb_digits_on(const hb_engine *e, const hb_gadget *gadget, uint32_t limbs, uint64_t *memory, size_t count)
{
    HB_ASSERT(limbs >= 1 && limbs <= gadget->data_limbs);
    const hb_gadget_level *level = &gadget->levels[limbs];
    return (hb_digits){gadget,
                       level,
                       count,
                       hb_batch_on(e, memory, count * level->digits, level->switch_limbs, level->switch_ids),
                       {.data = NULL}};
}

void hb_gadget_own_limbs(const hb_gadget_level *level, hb_limb_range own[HB_MAX_LIMBS])
{
    hb_mod_up_own(level->up, level->digits, own);
}

/* Returns the scales of all digits' conversions, for each limb of the level. */
static const uint64_t *scale_of(const hb_gadget_level *level, uint64_t scale[HB_MAX_LIMBS])
{
    for (uint32_t j = 0; j < level->digits; j++) {
        memcpy(scale + level->up[j].first, level->up[j].conversion.scale, level->up[j].limbs * sizeof *scale);
    }
    return scale;
}

hb_status hb_digits_make(hb_engine *e, hb_digits digits, hb_batch a, hb_batch coefficients, hb_form form)
{
    const hb_gadget_level *level = digits.level;
    HB_ASSERT(a.count == digits.count && a.limbs == level->limbs);
    HB_ASSERT(digits.own.data == NULL || (digits.own.data == a.data && form == HB_NTT_FORM && level->up != NULL));
    const hb_batch known = a, words = digits.own.data == NULL ? a : (hb_batch){.data = NULL};
    if (form == HB_NTT_FORM) {
        /* The scale of the digits costs nothing beside the transform: their own words are not taken from it. */
        uint64_t scale[HB_MAX_LIMBS];
        HB_TRY(hb_intt_of(e, coefficients, a, level->up != NULL ? scale_of(level, scale) : NULL));
        a = coefficients;
    }
    if (level->up == NULL) {
        return form == HB_NTT_FORM ? hb_ntt_decompose_known(e, digits.all, a, known)
                                   : hb_ntt_decompose(e, digits.all, a);
    }
    const hb_mod_up_operands x = {.a = a,
                                  .own = words,
                                  .up = level->up,
                                  .digits = level->digits,
                                  .scaled = form == HB_NTT_FORM,
                                  .transformed = form == HB_NTT_FORM};
    return hb_mod_up_digits(e, digits.all, &x);
}

hb_status hb_digits_multiply(hb_engine *e, hb_batch r, hb_digits digits, hb_batch parts, const hb_batch plus[2],
                             hb_batch scratch)
{
    hb_limb_range own[HB_MAX_LIMBS];
    uint64_t factors[HB_MAX_LIMBS];
    hb_gadget_operands x = {.digits = digits.all, .key = parts, .scratch = scratch};
    if (digits.own.data != NULL) {
        hb_gadget_own_limbs(digits.level, own);
        x.own = digits.own;
        x.ranges = own;
    }
    if (plus != NULL) {
        hb_gadget_factors(digits.gadget, e->ring, digits.level->switch_ids, digits.level->limbs, factors);
        x.plus[0] = plus[0];
        x.plus[1] = plus[1];
        x.factors = factors;
    }
    return hb_gadget_products(e, r, &x);
}
