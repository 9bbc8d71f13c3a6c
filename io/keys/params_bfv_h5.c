/* What files have of parameters of BFV alone: the plain modulus t. */
#include "params_h5_private.h"

static void add(hb_digest_state *state, const hb_params_spec *spec)
{
    hb_digest_add_u64(state, spec->bfv.plain);
}

static uint32_t datasets(const hb_params_spec *spec)
{
    (void)spec;
    return 1;
}

static hb_status put(hid_t group, const hb_params_spec *spec)
{
    return hb_h5_put_dataset(group, "plain", hb_h5_vector(H5T_STD_U64LE, 1), &spec->bfv.plain);
}

static hb_status get(hid_t group, const char *path, uint64_t file_bytes, hb_params_spec *spec)
{
    return hb_spec_get_number(group, "plain", path, file_bytes, 2, HB_SPEC_MODULUS_END - 1, &spec->bfv.plain);
}

const hb_spec_fields hb_bfv_spec_fields = {
    .is_unnamed = true, .datasets = datasets, .add = add, .put = put, .get = get};
