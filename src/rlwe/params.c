#include "params.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/prime.h"
#include "level.h"
#include "params_build.h"

/* Makes the level of ids[limbs], of which it owns the last `own`, 1 or more; several are above 2^32. *level is zeroed
 * before, and stays so where the product of its primes does not exceed `above`. ring and ids are borrowed. The caller
 * clears it, also after a failure. HB_ENOMEM. */
static hb_status level_init(hb_level *level, const hb_ring *ring, const uint16_t *ids, uint32_t limbs, uint32_t own,
                            const hb_natural *above)
{
    HB_TRY(hb_basis_init(&level->basis, ring, ids, limbs));
    if (hb_natural_compare(&level->basis.product, above) <= 0) {
        memset(level, 0, sizeof *level);
        return HB_OK;
    }
    HB_TRY(hb_garner_init(&level->garner, &level->basis));
    return limbs <= own ? HB_OK : hb_mod_down_init(&level->rescale, ring, ids, limbs - own, own);
}

static void level_clear(hb_level *level)
{
    hb_garner_clear(&level->garner);
    hb_mod_down_clear(&level->rescale);
    memset(level, 0, sizeof *level);
}

_Static_assert(HB_MAX_LIMBS <= HB_PRIME_MAX_COUNT, "a whole chain can be made in one call");

bool hb_preset_get(const hb_preset *presets, size_t count, size_t i, const char **name, hb_params_spec *spec)
{
    if (i >= count) {
        return false;
    }
    if (name != NULL) {
        *name = presets[i].name;
    }
    if (spec != NULL) {
        *spec = presets[i].spec;
    }
    return true;
}

void hb_params_make_name(hb_params *params, bool (*preset)(size_t i, const char **name, hb_params_spec *spec),
                         bool (*same)(const hb_params_spec *a, const hb_params_spec *b))
{
    const char *name = "custom", *found;
    hb_params_spec spec;
    for (size_t i = 0; preset(i, &found, &spec); i++) {
        name = same(&spec, &params->spec) ? found : name;
    }
    snprintf(params->name, sizeof params->name, "%s", name);
}

hb_status hb_params_init(hb_params *params, const hb_params_spec *spec, const hb_params_facts *facts)
{
    params->spec = *spec;
    params->spec.insecure = facts->insecure;
    memset(params->spec.primes + spec->key_limbs, 0, (HB_MAX_LIMBS - spec->key_limbs) * sizeof *spec->primes);
    params->key_limbs = spec->key_limbs;
    params->chain_bits = facts->chain_bits;
    params->key_shape = hb_key_shape_of(spec->n, hb_spec_owners(spec));
    HB_TRY(hb_ring_init(&params->ring, (uint32_t)__builtin_ctzll(spec->n)));
    for (uint32_t i = 0; i < spec->key_limbs; i++) {
        HB_TRY(hb_ring_add_modulus(&params->ring, spec->primes[i], &params->ids[i]));
    }
    return HB_OK;
}

hb_status hb_params_init_levels(hb_params *params, const hb_natural *above)
{
    const uint32_t all = params->key_limbs;
    params->levels = calloc((size_t)all + 1, sizeof *params->levels);
    if (params->levels == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the tables of %" PRIu32 " levels", all);
    }
    const uint32_t special = hb_spec_data_limbs(&params->spec) > 0 ? hb_spec_special_limbs(&params->spec) : 0,
                   own = hb_params_level_limbs(params);
    for (uint32_t k = 1; k <= all; k++) {
        const bool data = k + special <= all;
        if (k % own == 0 || !data) {
            HB_TRY(level_init(&params->levels[k], &params->ring, params->ids, k, data ? own : 1, above));
        }
    }
    const bool exists = all > special && params->levels[all - special].basis.limbs != 0;
    if (!exists && special > 1) {
        return HB_FAIL(HB_ECONFIG,
                       "of %" PRIu32 " primes %" PRIu32
                       " are special, and the others are too few for a ciphertext: take "
                       "more primes or fewer special ones",
                       all, special);
    }
    params->special_limbs = exists ? special : 0;
    params->data_limbs = params->fresh_limbs = all - params->special_limbs;
    params->fresh_special = params->special_limbs;
    return HB_OK;
}

hb_status hb_params_init_switching(hb_params *params)
{
    if (!hb_params_can_switch(params)) {
        return hb_params_divide(params, 1);
    }
    const bool like_seal = hb_spec_switches_like_seal(&params->spec);
    const hb_gadget_spec gadget = {.data = params->ids,
                                   .special = hb_params_special_ids(params),
                                   .data_limbs = params->data_limbs,
                                   .special_limbs = params->special_limbs,
                                   .alpha = hb_spec_digit_limbs(&params->spec),
                                   .digits = hb_digit_list_of(&params->spec),
                                   .centred = !like_seal,
                                   .level_limbs = hb_params_level_limbs(params)};
    HB_TRY(hb_gadget_init(&params->gadget, &params->ring, &gadget));
    if (hb_params_can_bootstrap(params)) {
        const hb_gadget_spec sparse = {.data = params->ids,
                                       .special = hb_params_special_ids(params),
                                       .data_limbs = 1,
                                       .special_limbs = 1,
                                       .alpha = 1,
                                       .digits = hb_digit_list_even(1, 1),
                                       .centred = true};
        HB_TRY(hb_gadget_init(&params->sparse_gadget, &params->ring, &sparse));
    }
    return hb_params_divide(params, 1);
}

void hb_params_clear(hb_params *params)
{
    for (uint32_t k = 1; params->levels != NULL && k <= params->key_limbs; k++) {
        level_clear(&params->levels[k]);
    }
    free(params->levels);
    hb_gadget_clear(&params->gadget);
    hb_gadget_clear(&params->sparse_gadget);
    hb_key_switch_integer_clear(&params->key_switch_integer);
}

uint32_t hb_params_most_limbs(const hb_params *params, const uint16_t *ids, uint32_t limbs)
{
    return hb_limb_map_most(&params->map, ids, limbs);
}

bool hb_params_switch_by_integers(const hb_params *params)
{
    return params->key_switch_integer.basis.limbs > 0;
}

bool hb_params_can_switch(const hb_params *params)
{
    return params->special_limbs > 0;
}

uint32_t hb_params_long_digit(const hb_params *params)
{
    uint32_t i = 0;
    if (!hb_params_can_switch(params) || !hb_spec_switches_like_seal(&params->spec)) {
        return params->data_limbs;
    }
    const uint32_t special = params->ring.moduli[hb_params_special_ids(params)[0]].bits;
    while (i < params->data_limbs && params->ring.moduli[params->ids[i]].bits <= special) {
        i++;
    }
    return i;
}

hb_status hb_params_require_switching(const hb_params *params)
{
    return hb_params_can_switch(params)
               ? HB_OK
               : HB_FAIL(
                     HB_ECONFIG,
                     "parameters %s have no special prime, so neither products nor rotations can be switched back to "
                     "the secret key: take a chain with one prime more (presets from bfv-4096 on have it)",
                     params->name);
}

const uint16_t *hb_params_special_ids(const hb_params *params)
{
    return params->ids + params->data_limbs;
}

const hb_level *hb_params_fresh_level(const hb_params *params)
{
    return &params->levels[params->fresh_limbs];
}
