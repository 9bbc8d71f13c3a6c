#include "matrix.h"

#include "scheme_ops.h"

static const hb_matrix_ops *ops_of(const hb_params_spec *spec)
{
    return &hb_scheme_ops_of(spec->scheme)->matrix;
}

bool hb_params_have_matrices(const hb_params_spec *spec)
{
    return ops_of(spec)->open != NULL && ops_of(spec)->there(spec);
}

static hb_status require(const hb_params_spec *spec)
{
    return hb_params_have_matrices(spec)
               ? HB_OK
               : HB_FAIL(HB_ECONFIG, "%s with these parameters has no products with a matrix within slots",
                         hb_scheme_ops_of(spec->scheme)->name);
}

hb_status hb_matrix_outline(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                            hb_block_outline *out)
{
    HB_TRY(require(spec));
    return ops_of(spec)->outline(spec, matrix, rows, out);
}

hb_status hb_matrix_outline_values(const hb_params_spec *spec, const hb_block_matrix *matrix, const hb_block_sums *rows,
                                   hb_block_outline *outline)
{
    HB_TRY(require(spec));
    return ops_of(spec)->outline_values(spec, matrix, rows, outline);
}

hb_status hb_matrix_steps(const hb_params_spec *spec, hb_block_pair *of, hb_block_outline *outline, int64_t **steps,
                          uint32_t *map_count, uint32_t *count)
{
    *steps = NULL;
    HB_TRY(require(spec));
    return ops_of(spec)->steps(spec, of, outline, steps, map_count, count);
}

void hb_matrix_memory(const hb_params *params, const hb_block_outline *outline, uint32_t limbs, uint64_t *bytes,
                      size_t *words)
{
    ops_of(&params->spec)->memory(params, outline, limbs, bytes, words);
}

hb_status hb_block_maps_open(hb_engine *engine, const hb_params *params, hb_block_map_wanted *wanted, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        wanted[i].map = NULL;
    }
    HB_TRY(require(&params->spec));
    return ops_of(&params->spec)->open(engine, params, wanted, count);
}

void hb_block_map_close(hb_block_map *map)
{
    if (map != NULL) {
        ops_of(&map->params->spec)->close(map);
    }
}

void hb_block_map_use(hb_block_map *map, const hb_params *params)
{
    ops_of(&params->spec)->use(map, params);
}

hb_status hb_evaluator_matrix(hb_evaluator *ev, hb_ciphertexts r, const hb_ciphertexts *a, const hb_block_map *map,
                              const hb_switch_keys *keys, hb_workspace work)
{
    return ops_of(&map->params->spec)->apply(ev, r, a, map, keys, work);
}

hb_quality hb_quality_matrix(const hb_params *params, const hb_block_matrix *matrix, const hb_block_outline *outline,
                             uint32_t limbs, hb_quality_factor a)
{
    HB_ASSERT(hb_params_have_matrices(&params->spec));
    return ops_of(&params->spec)->quality(params, matrix, outline, limbs, a);
}
