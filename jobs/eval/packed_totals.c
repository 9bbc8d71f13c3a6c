#include "packed_totals.h"

#include <stdlib.h>

#include "scheme/evaluator.h"

/* The evaluator switches moduli alone: the merger has its own. */
static hb_evaluator_requirements requirements_of(const hb_output *output)
{
    return (hb_evaluator_requirements){.limbs = output->computed_limbs, .count = 1};
}

static bool merges(const hb_output *output)
{
    return output->summed_limbs > 0;
}

/* Whether totals are brought to another level before they merge. */
static bool goes_down(const hb_output *output)
{
    return merges(output) && output->summed_limbs < output->computed_limbs;
}

/* --- opening */

static hb_status open_merged(hb_packed_totals *x, const hb_switch_keys *keys)
{
    const hb_output *output = x->output;
    if (goes_down(output)) {
        HB_TRY(hb_ciphertexts_alloc(&x->merged.lower, x->engine, x->params, 2, 1, output->summed_limbs));
    }
    return hb_merger_open(x->engine, x->params, output->summed_limbs, output->schema.columns, keys, &x->merged.merger);
}

static hb_status open_shifted(hb_packed_totals *x)
{
    const uint32_t computed = x->output->computed_limbs;
    hb_shifted_totals *shifted = &x->shifted;
    HB_TRY(hb_ciphertexts_alloc(&shifted->sum, x->engine, x->params, 2, 1, computed));
    HB_TRY(hb_ciphertexts_alloc(&shifted->part, x->engine, x->params, 2, 1, computed));
    HB_TRY(hb_batch_alloc(x->engine, &shifted->power, 1, computed, shifted->sum.all.ids));
    shifted->words = calloc(x->engine->ring->n, sizeof *shifted->words);
    if (shifted->words == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a polynomial");
    }
    return hb_clear(x->engine, shifted->sum.all);
}

hb_status hb_packed_totals_open(hb_packed_totals *x, hb_engine *engine, const hb_params *params,
                                const hb_output *output, const hb_switch_keys *keys)
{
    const hb_evaluator_requirements wanted = requirements_of(output);
    *x = (hb_packed_totals){.engine = engine, .params = params, .output = output};
    HB_TRY(hb_evaluator_open(engine, params, &wanted, &x->evaluator));
    HB_TRY(hb_ciphertexts_alloc(&x->stored, engine, params, 2, 1, output->limbs));
    if (output->reversed) {
        HB_TRY(hb_unit_order_open(&x->order, engine, params, output->limbs));
    }
    return merges(output) ? open_merged(x, keys) : open_shifted(x);
}

void hb_packed_totals_close(hb_packed_totals *x)
{
    if (x->engine != NULL) {
        hb_evaluator_close(x->evaluator);
        hb_merger_close(x->merged.merger);
        hb_batch_free(x->engine, &x->merged.lower.all);
        hb_batch_free(x->engine, &x->shifted.sum.all);
        hb_batch_free(x->engine, &x->shifted.part.all);
        hb_batch_free(x->engine, &x->shifted.power);
        hb_batch_free(x->engine, &x->stored.all);
        hb_unit_order_close(&x->order);
    }
    free(x->shifted.words);
    *x = (hb_packed_totals){.engine = NULL};
}

uint64_t hb_packed_totals_bytes(const hb_params *params, const hb_output *output)
{
    if (!output->packed) {
        return 0;
    }
    const hb_evaluator_requirements wanted = requirements_of(output);
    const uint64_t polynomial = params->spec.n * sizeof(uint64_t);
    uint64_t bytes = hb_evaluator_bytes(params, &wanted) + 2 * output->limbs * polynomial;
    bytes += output->reversed ? hb_unit_order_bytes(params, output->limbs) : 0;
    if (merges(output)) {
        bytes += goes_down(output) ? 2 * output->summed_limbs * polynomial : 0;
        return bytes + hb_merger_bytes(params, output->summed_limbs, output->schema.columns);
    }
    return bytes + 5 * output->computed_limbs * polynomial; /* sum, part and power */
}

/* --- adding */

static hb_status add_shifted(hb_packed_totals *x, uint32_t column, hb_ciphertexts total)
{
    const hb_shifted_totals *shifted = &x->shifted;
    const uint32_t exponent = x->output->reversed ? hb_merged_coefficient(&x->params->spec, column) : column;
    HB_ASSERT(total.size == 2 && total.all.count == 2 && total.all.limbs == shifted->sum.all.limbs);
    HB_TRY(hb_power_of_x(x->engine, shifted->power, exponent, shifted->words));
    if (x->params->form == HB_NTT_FORM) {
        HB_TRY(hb_mul(x->engine, shifted->part.all, total.all, shifted->power));
    } else {
        HB_TRY(hb_ntt_mul(x->engine, shifted->part.all, total.all, shifted->power));
    }
    return hb_add(x->engine, shifted->sum.all, shifted->sum.all, shifted->part.all);
}

/* They come in the order of their columns: they are stored so. */
static hb_status add_merged(hb_packed_totals *x, uint32_t column, hb_ciphertexts total)
{
    HB_ASSERT(column == x->added);
    if (!goes_down(x->output)) {
        return hb_merger_add(x->merged.merger, total);
    }
    HB_TRY(hb_evaluator_adjust(x->evaluator, x->merged.lower, total));
    return hb_merger_add(x->merged.merger, x->merged.lower);
}

/* Gives the ciphertext that is stored. */
static hb_status finish(hb_packed_totals *x, hb_ciphertexts *out)
{
    hb_ciphertexts all = x->shifted.sum;
    if (merges(x->output)) {
        HB_TRY(hb_merger_finish(x->merged.merger, &all));
    } else if (x->params->form != HB_NTT_FORM) {
        HB_TRY(hb_intt(x->engine, all.all));
    }
    *out = x->stored.all.limbs < all.all.limbs ? x->stored : all;
    if (out->all.limbs < all.all.limbs) {
        HB_TRY(hb_evaluator_adjust(x->evaluator, *out, all));
    }
    return x->output->reversed ? hb_unit_order_to_file(&x->order, hb_ciphertexts_component(*out, 0)) : HB_OK;
}

hb_status hb_packed_totals_add(hb_packed_totals *x, uint32_t column, hb_ciphertexts total, hb_ciphertexts *all)
{
    *all = (hb_ciphertexts){.size = 0};
    if (merges(x->output)) {
        HB_TRY(add_merged(x, column, total));
    } else {
        HB_TRY(add_shifted(x, column, total));
    }
    return ++x->added == x->output->schema.columns ? finish(x, all) : HB_OK;
}
