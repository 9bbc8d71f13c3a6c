/* The parameters of bootstrapping in files, which chains without it do not have. */
#include "params_h5_private.h"

enum { OF_REALS = 4, OF_NOISE = 5, NUMBERS = 6 }; /* reals do not have the last two, integers without tables the last */

/* A number: its dataset and its limits. */
typedef struct field {
    const char *name;
    uint64_t least, most;
} field;

static const field fields[NUMBERS] = {{"eval_mod", 1, HB_EVAL_MODS - 1}, {"stc_levels", 1, HB_MAX_LIMBS},
                                      {"cts_levels", 1, HB_MAX_LIMBS},   {"sparse_weight", 1, HB_SPARSE_WEIGHT},
                                      {"noise_scale_bits", 1, 60},       {"table_levels", 1, HB_MAX_LIMBS}};

/* The numbers of a chain, in that order. */
typedef struct number_list {
    uint64_t of[NUMBERS];
    uint32_t count;
} number_list;

static number_list numbers_of(const hb_bootstrapping_spec *spec)
{
    const uint32_t count = spec->scale_bits == 0 ? OF_REALS : spec->table_levels == 0 ? OF_NOISE : NUMBERS;
    return (number_list){
        {spec->eval_mod, spec->stc_levels, spec->cts_levels, spec->sparse_weight, spec->scale_bits, spec->table_levels},
        spec->eval_mod != HB_EVAL_MOD_NONE ? count : 0};
}

uint32_t hb_bootstrapping_datasets(const hb_bootstrapping_spec *spec)
{
    return numbers_of(spec).count;
}

void hb_bootstrapping_add(hb_digest_state *state, const hb_bootstrapping_spec *spec)
{
    const number_list numbers = numbers_of(spec);
    for (uint32_t i = 0; i < numbers.count; i++) {
        hb_digest_add_u64(state, numbers.of[i]);
    }
}

hb_status hb_bootstrapping_put(hid_t group, const hb_bootstrapping_spec *spec)
{
    const number_list numbers = numbers_of(spec);
    for (uint32_t i = 0; i < numbers.count; i++) {
        HB_TRY(hb_h5_put_dataset(group, fields[i].name, hb_h5_vector(H5T_STD_U64LE, 1), &numbers.of[i]));
    }
    return HB_OK;
}

hb_status hb_bootstrapping_get(hid_t group, const char *path, uint64_t file_bytes, hb_bootstrapping_spec *spec)
{
    uint64_t numbers[NUMBERS] = {0};
    bool there, integers, tables;
    HB_TRY(hb_h5_has(group, fields[0].name, path, &there));
    if (!there) {
        return HB_OK;
    }
    HB_TRY(hb_h5_has(group, fields[OF_REALS].name, path, &integers));
    HB_TRY(hb_h5_has(group, fields[OF_NOISE].name, path, &tables));
    for (uint32_t i = 0; i < (tables ? NUMBERS : integers ? OF_NOISE : OF_REALS); i++) {
        const field *f = &fields[i];
        HB_TRY(hb_spec_get_number(group, f->name, path, file_bytes, f->least, f->most, &numbers[i]));
    }
    *spec = (hb_bootstrapping_spec){.eval_mod = (hb_eval_mod)numbers[0],
                                    .stc_levels = (uint32_t)numbers[1],
                                    .cts_levels = (uint32_t)numbers[2],
                                    .sparse_weight = (uint32_t)numbers[3],
                                    .scale_bits = (uint32_t)numbers[4],
                                    .table_levels = (uint32_t)numbers[5]};
    return HB_OK;
}
