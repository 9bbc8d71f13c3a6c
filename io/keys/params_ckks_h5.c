/* Parameters in files that CKKS alone has: the scale of the lowest level, whether all is as in SEAL, the number of
 * primes that a level owns (one where the file does not say), and the parameters of bootstrapping, if any. */
#include "ckks/params.h"
#include "params_h5_private.h"

static void add(hb_digest_state *state, const hb_params_spec *spec)
{
    hb_digest_add_u64(state, HB_CKKS_SCHEME_TYPE);
    hb_digest_add_u64(state, spec->ckks.scale_bits);
    hb_digest_add_u64(state, spec->ckks.like_seal);
    if (hb_spec_level_limbs(spec) > 1) {
        hb_digest_add_u64(state, hb_spec_level_limbs(spec));
    }
    hb_bootstrapping_add(state, &spec->bootstrapping);
}

static uint32_t datasets(const hb_params_spec *spec)
{
    return 2u + (hb_spec_level_limbs(spec) > 1) + hb_bootstrapping_datasets(&spec->bootstrapping);
}

static hb_status put(hid_t group, const hb_params_spec *spec)
{
    const uint64_t bits = spec->ckks.scale_bits, like_seal = spec->ckks.like_seal;
    HB_TRY(hb_h5_put_dataset(group, "scale_bits", hb_h5_vector(H5T_STD_U64LE, 1), &bits));
    if (hb_spec_level_limbs(spec) > 1) {
        const uint64_t own = hb_spec_level_limbs(spec);
        HB_TRY(hb_h5_put_dataset(group, "level_primes", hb_h5_vector(H5T_STD_U64LE, 1), &own));
    }
    HB_TRY(hb_bootstrapping_put(group, &spec->bootstrapping));
    return hb_h5_put_dataset(group, "like_seal", hb_h5_vector(H5T_STD_U64LE, 1), &like_seal);
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
    return hb_bootstrapping_get(group, path, file_bytes, &spec->bootstrapping);
}

const hb_spec_fields hb_ckks_spec_fields = {
    .is_unnamed = false, .datasets = datasets, .add = add, .put = put, .get = get};
