/* Parameters in files that CKKS alone has: the scale of the lowest level, whether all is as in SEAL, the number of
 * primes that a level owns (one where the file does not say), and the parameters of bootstrapping, if any. */
#include <string.h>

#include "ckks/params.h"
#include "params_h5_private.h"

enum { BOOTSTRAPPING = 4 };

/* A number of bootstrapping: its dataset and its limits. */
typedef struct field {
    const char *name;
    uint64_t least, most;
} field;

static const field fields[BOOTSTRAPPING] = {{"eval_mod", 1, HB_EVAL_MODS - 1},
                                            {"stc_levels", 1, HB_MAX_LIMBS},
                                            {"cts_levels", 1, HB_MAX_LIMBS},
                                            {"sparse_weight", 1, HB_SPARSE_WEIGHT}};

/* Sets the numbers of a literal, in that order. */
static void numbers_of(uint64_t numbers[BOOTSTRAPPING], const hb_bootstrapping_spec *spec)
{
    const uint64_t all[BOOTSTRAPPING] = {spec->eval_mod, spec->stc_levels, spec->cts_levels, spec->sparse_weight};
    memcpy(numbers, all, sizeof all);
}

static void add(hb_digest_state *state, const hb_params_spec *spec)
{
    uint64_t numbers[BOOTSTRAPPING];
    hb_digest_add_u64(state, HB_CKKS_SCHEME_TYPE);
    hb_digest_add_u64(state, spec->ckks.scale_bits);
    hb_digest_add_u64(state, spec->ckks.like_seal);
    if (hb_spec_level_limbs(spec) > 1) {
        hb_digest_add_u64(state, hb_spec_level_limbs(spec));
    }
    numbers_of(numbers, &spec->ckks.bootstrapping);
    for (size_t i = 0; hb_spec_can_bootstrap(spec) && i < BOOTSTRAPPING; i++) {
        hb_digest_add_u64(state, numbers[i]);
    }
}

static uint32_t datasets(const hb_params_spec *spec)
{
    return 2u + (hb_spec_level_limbs(spec) > 1) + (hb_spec_can_bootstrap(spec) ? BOOTSTRAPPING : 0u);
}

static hb_status put(hid_t group, const hb_params_spec *spec)
{
    const uint64_t bits = spec->ckks.scale_bits, like_seal = spec->ckks.like_seal;
    uint64_t numbers[BOOTSTRAPPING];
    HB_TRY(hb_h5_put_dataset(group, "scale_bits", hb_h5_vector(H5T_STD_U64LE, 1), &bits));
    if (hb_spec_level_limbs(spec) > 1) {
        const uint64_t own = hb_spec_level_limbs(spec);
        HB_TRY(hb_h5_put_dataset(group, "level_primes", hb_h5_vector(H5T_STD_U64LE, 1), &own));
    }
    numbers_of(numbers, &spec->ckks.bootstrapping);
    for (size_t i = 0; hb_spec_can_bootstrap(spec) && i < BOOTSTRAPPING; i++) {
        HB_TRY(hb_h5_put_dataset(group, fields[i].name, hb_h5_vector(H5T_STD_U64LE, 1), &numbers[i]));
    }
    return hb_h5_put_dataset(group, "like_seal", hb_h5_vector(H5T_STD_U64LE, 1), &like_seal);
}

static hb_status get_bootstrapping(hid_t group, const char *path, uint64_t file_bytes, hb_bootstrapping_spec *spec)
{
    uint64_t numbers[BOOTSTRAPPING];
    bool there;
    HB_TRY(hb_h5_has(group, fields[0].name, path, &there));
    if (!there) {
        return HB_OK;
    }
    for (size_t i = 0; i < BOOTSTRAPPING; i++) {
        const field *f = &fields[i];
        HB_TRY(hb_spec_get_number(group, f->name, path, file_bytes, f->least, f->most, &numbers[i]));
    }
    *spec = (hb_bootstrapping_spec){.eval_mod = (hb_eval_mod)numbers[0],
                                    .stc_levels = (uint32_t)numbers[1],
                                    .cts_levels = (uint32_t)numbers[2],
                                    .sparse_weight = (uint32_t)numbers[3]};
    return HB_OK;
}

static hb_status get(hid_t group, const char *path, uint64_t file_bytes, hb_params_spec *spec)
{
    uint64_t bits = 0, like_seal = 0, own = 0;
    bool there;
    HB_TRY(hb_spec_get_number(group, "scale_bits", path, file_bytes, HB_CKKS_LEAST_SCALE_BITS,
                              HB_CKKS_MOST_WIDE_SCALE_BITS, &bits));
    HB_TRY(hb_h5_has(group, "level_primes", path, &there));
    if (there) {
        HB_TRY(hb_spec_get_number(group, "level_primes", path, file_bytes, 2, HB_CKKS_MOST_LEVEL_PRIMES, &own));
    }
    HB_TRY(hb_spec_get_number(group, "like_seal", path, file_bytes, 0, 1, &like_seal));
    spec->ckks =
        (hb_ckks_spec){.scale_bits = (uint32_t)bits, .like_seal = like_seal != 0, .level_primes = (uint32_t)own};
    return get_bootstrapping(group, path, file_bytes, &spec->ckks.bootstrapping);
}

const hb_spec_fields hb_ckks_spec_fields = {
    .is_unnamed = false, .datasets = datasets, .add = add, .put = put, .get = get};
