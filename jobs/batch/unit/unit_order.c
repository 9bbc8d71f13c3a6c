#include "unit_order.h"

#include <stdlib.h>

#include "scheme/merge.h"

hb_status hb_unit_order_open(hb_unit_order *order, hb_engine *engine, const hb_params *params, uint32_t limbs)
{
    const uint32_t n = (uint32_t)params->spec.n;
    uint32_t *words = malloc(2 * (size_t)n * sizeof *words);
    *order = (hb_unit_order){.engine = engine, .ntt = params->form == HB_NTT_FORM};
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the order of coefficients");
    }
    for (uint32_t i = 0; i < n; i++) {
        words[i] = hb_merged_coefficient(&params->spec, i);
    }
    const hb_status st = hb_permutation_init(&order->permutation, engine, words);
    free(words);
    return st == HB_OK ? hb_batch_alloc(engine, &order->room, 1, limbs, params->ids) : st;
}

void hb_unit_order_close(hb_unit_order *order)
{
    if (order->engine != NULL) {
        hb_permutation_clear(&order->permutation, order->engine);
        hb_batch_wipe(order->engine, order->room);
        hb_batch_free(order->engine, &order->room);
    }
    *order = (hb_unit_order){.engine = NULL};
}

uint64_t hb_unit_order_bytes(const hb_params *params, uint32_t limbs)
{
    return params->spec.n * (2 * sizeof(uint32_t) + limbs * sizeof(uint64_t));
}

static hb_status apply(const hb_unit_order *order, hb_batch c, const uint32_t *map)
{
    if (order->ntt) {
        HB_TRY(hb_intt(order->engine, c));
    }
    for (size_t i = 0; i < c.count; i++) {
        const hb_batch one = hb_batch_slice(c, i, 1);
        HB_TRY(hb_copy(order->engine, order->room, one));
        HB_TRY(hb_permute(order->engine, one, order->room, map));
    }
    return order->ntt ? hb_ntt(order->engine, c) : HB_OK;
}

hb_status hb_unit_order_to_file(const hb_unit_order *order, hb_batch c)
{
    return apply(order, c, order->permutation.map);
}

hb_status hb_unit_order_to_ring(const hb_unit_order *order, hb_batch c)
{
    return apply(order, c, order->permutation.inverse);
}
