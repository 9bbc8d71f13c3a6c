#include "unit_older.h"

#include <string.h>

#include "scheme/params.h"

uint64_t hb_unit_older_bytes(const hb_params *params, const hb_header *header)
{
    const uint64_t limbs = hb_params_most_limbs(params, params->ids, header->limbs);
    return hb_unit_rows_bytes(params, header) + limbs * params->spec.n * sizeof(uint64_t);
}

hb_status hb_unit_older_init(hb_unit_older *x, hb_engine *engine, const hb_params *params, hb_dataset *dataset,
                             const hb_growth *growth)
{
    const hb_header *header = hb_dataset_header(dataset);
    *x = (hb_unit_older){.dataset = dataset, .growth = *growth};
    HB_TRY(hb_unit_rows_init(&x->rows, engine, params, header));
    HB_TRY(hb_rows_alloc(&x->host, engine, header));
    return hb_batch_alloc(engine, &x->c, 1, header->limbs, params->ids);
}

void hb_unit_older_clear(hb_unit_older *x)
{
    hb_engine *engine = x->rows.engine;
    if (engine != NULL) {
        hb_batch_free(engine, &x->c);
        hb_rows_free(&x->host, engine);
    }
    hb_unit_rows_clear(&x->rows);
    memset(x, 0, sizeof *x);
}

hb_status hb_unit_older_load(hb_unit_older *x, uint64_t u)
{
    x->loaded = x->dataset != NULL && u < hb_header_units(hb_dataset_header(x->dataset));
    if (!x->loaded) {
        return HB_OK;
    }
    uint64_t count;
    hb_header_unit_range(hb_dataset_header(x->dataset), u, &x->first, &count);
    HB_TRY(hb_dataset_read(x->dataset, u, &x->host));
    return hb_unit_rows_check(&x->rows, u, &x->host, x->dataset);
}

/* Copies ciphertext `at` of the loaded ones into component c, one polynomial, or adds it. */
static hb_status join_component(hb_unit_older *x, size_t at, uint32_t component, hb_batch c, bool stays)
{
    HB_TRY(hb_unit_rows_unpack(&x->rows, component, x->c, (hb_unit_rows_view){at, 1, (size_t)x->host.count}));
    return stays ? hb_copy(x->rows.engine, c, x->c) : hb_add(x->rows.engine, c, c, x->c);
}

hb_status hb_unit_older_join(hb_unit_older *x, uint64_t first, hb_batch c0, hb_batch c1, hb_seed *seeds)
{
    for (size_t i = 0; x->loaded && i < c0.count && first + i < x->first + x->host.count; i++) {
        const size_t at = (size_t)(first + i - x->first);
        const bool stays = first + i < x->growth.kept;
        HB_ASSERT(stays || c1.data != NULL); /* sums have no seeds */
        HB_TRY(join_component(x, at, 0, hb_batch_slice(c0, i, 1), stays));
        if (c1.data != NULL) {
            HB_TRY(join_component(x, at, 1, hb_batch_slice(c1, i, 1), stays));
        } else {
            seeds[i] = x->host.seeds[at];
        }
    }
    return HB_OK;
}
