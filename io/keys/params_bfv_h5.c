/* Parameters in files that BFV alone has: the plain modulus t, and the list of several. */
#include <inttypes.h>

#include "params_h5_private.h"

/* Which of several plain moduli is t follows from the list and t. */
static void add(hb_digest_state *state, const hb_params_spec *spec)
{
    hb_digest_add_u64(state, spec->bfv.plain);
    for (uint32_t i = 0; i < spec->bfv.plain_count; i++) {
        hb_digest_add_u64(state, spec->bfv.plains[i]);
    }
    hb_bootstrapping_add(state, &spec->bootstrapping);
}

static uint32_t datasets(const hb_params_spec *spec)
{
    return 1u + (hb_spec_residues(spec) > 1) + hb_bootstrapping_datasets(&spec->bootstrapping);
}

static hb_status put(hid_t group, const hb_params_spec *spec)
{
    HB_TRY(hb_h5_put_dataset(group, "plain", hb_h5_vector(H5T_STD_U64LE, 1), &spec->bfv.plain));
    HB_TRY(hb_bootstrapping_put(group, &spec->bootstrapping));
    if (hb_spec_residues(spec) == 1) {
        return HB_OK;
    }
    return hb_h5_put_dataset(group, "plains", hb_h5_vector(H5T_STD_U64LE, spec->bfv.plain_count), spec->bfv.plains);
}

/* The list of several plain moduli, different ones, of which t is one. */
static hb_status get_plains(hid_t group, const char *path, uint64_t file_bytes, hb_bfv_spec *bfv)
{
    uint64_t count;
    size_t element;
    HB_TRY(hb_h5_extent(group, "plains", path, file_bytes, &count, &element));
    if (count < 2 || count > HB_MOST_RESIDUES) {
        return HB_FAIL(HB_EDATA, "%s: a list of %" PRIu64 " plain moduli, of which there are 2 to %d", path, count,
                       HB_MOST_RESIDUES);
    }
    HB_TRY(hb_h5_get_dataset(group, "plains", path, hb_h5_vector(H5T_STD_U64LE, count), file_bytes, bfv->plains));
    bfv->plain_count = (uint32_t)count;
    bfv->residue = bfv->plain_count;
    for (uint32_t i = 0; i < bfv->plain_count; i++) {
        const uint64_t plain = bfv->plains[i];
        bool good = plain >= 2 && plain < HB_SPEC_MODULUS_END;
        for (uint32_t j = 0; j < i; j++) {
            good = good && bfv->plains[j] != plain;
        }
        if (!good) {
            return HB_FAIL(HB_EDATA, "%s: %" PRIu64 " cannot be one of several plain moduli", path, plain);
        }
        bfv->residue = plain == bfv->plain ? i : bfv->residue;
    }
    return bfv->residue < bfv->plain_count
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: its plain modulus is none of the list that it has", path);
}

static hb_status get(hid_t group, const char *path, uint64_t file_bytes, hb_params_spec *spec)
{
    bool several;
    HB_TRY(hb_spec_get_number(group, "plain", path, file_bytes, 2, HB_SPEC_MODULUS_END - 1, &spec->bfv.plain));
    HB_TRY(hb_bootstrapping_get(group, path, file_bytes, &spec->bootstrapping));
    HB_TRY(hb_h5_has(group, "plains", path, &several));
    return several ? get_plains(group, path, file_bytes, &spec->bfv) : HB_OK;
}

const hb_spec_fields hb_bfv_spec_fields = {
    .is_unnamed = true, .datasets = datasets, .add = add, .put = put, .get = get};
