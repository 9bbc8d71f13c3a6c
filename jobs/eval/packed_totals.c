#include "packed_totals.h"

#include <stdlib.h>

#include "base/bits.h"
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

/* --- blocks */

static uint64_t block_count(const hb_output *output, uint64_t columns)
{
    return merges(output) && columns > 0 ? hb_divide_up(output->schema.columns, columns) : 0;
}

static hb_status open_blocks(hb_packed_totals *x, uint64_t columns)
{
    const uint64_t count = block_count(x->output, columns);
    x->own.columns = columns;
    x->own.block = calloc(count + 1, sizeof *x->own.block);
    if (x->own.block == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the totals of %s", x->output->name);
    }
    for (; x->own.count < count; x->own.count++) {
        hb_ciphertexts *block = &x->own.block[x->own.count];
        HB_TRY(hb_ciphertexts_alloc(block, x->engine, x->params, 2, 1, x->output->summed_limbs));
        HB_TRY(hb_clear(x->engine, block->all));
    }
    return hb_finish(x->engine); /* other queues fill them */
}

/* --- opening */

static bool is_divided(const hb_packed_totals *x)
{
    return x->blocks->columns > 0;
}

/* The ciphertexts that merge before a block or, without blocks, all of them are there. */
static uint64_t merged_together(const hb_packed_totals *x)
{
    const uint64_t columns = x->output->schema.columns;
    return is_divided(x) && x->blocks->columns < columns ? x->blocks->columns : columns;
}

static hb_status open_merged(hb_packed_totals *x, const hb_switch_keys *keys)
{
    const hb_output *output = x->output;
    if (goes_down(output)) {
        HB_TRY(hb_ciphertexts_alloc(&x->merged.lower, x->engine, x->params, 2, 1, output->summed_limbs));
    }
    return hb_merger_open(x->engine, x->params, output->summed_limbs, merged_together(x), keys, &x->merged.merger);
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
                                const hb_output *output, const hb_switch_keys *keys, uint64_t columns,
                                const hb_packed_totals *of)
{
    const hb_evaluator_requirements wanted = requirements_of(output);
    *x = (hb_packed_totals){.engine = engine, .params = params, .output = output};
    x->blocks = of != NULL ? of->blocks : &x->own;
    if (of == NULL) {
        HB_TRY(open_blocks(x, columns));
    }
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
        for (uint64_t b = 0; b < x->own.count; b++) {
            hb_batch_free(x->engine, &x->own.block[b].all);
        }
    }
    free(x->own.block);
    free(x->shifted.words);
    *x = (hb_packed_totals){.engine = NULL};
}

uint64_t hb_packed_totals_bytes(const hb_params *params, const hb_output *output, uint64_t columns)
{
    if (!output->packed) {
        return 0;
    }
    const hb_evaluator_requirements wanted = requirements_of(output);
    const uint64_t polynomial = params->spec.n * sizeof(uint64_t);
    uint64_t bytes = hb_evaluator_bytes(params, &wanted) + 2 * output->limbs * polynomial;
    bytes += block_count(output, columns) * 2 * output->summed_limbs * polynomial;
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

/* Adds a total to its block, and leaves the block where it is whole. */
static hb_status add_to_block(hb_packed_totals *x, uint32_t column, hb_ciphertexts total)
{
    const uint64_t own = x->blocks->columns;
    const hb_ciphertexts to = x->blocks->block[column / own];
    if (own == 1) {
        return hb_copy(x->engine, to.all, total.all);
    }
    HB_TRY(hb_merger_add(x->merged.merger, total, 1));
    if ((column + 1) % own != 0 && column + 1 != x->output->schema.columns) {
        return HB_OK;
    }
    hb_ciphertexts block;
    HB_TRY(hb_merger_take(x->merged.merger, own, &block));
    return hb_copy(x->engine, to.all, block.all);
}

/* They come in the order of their columns: they are stored so. */
static hb_status add_merged(hb_packed_totals *x, uint32_t column, hb_ciphertexts total)
{
    HB_ASSERT(column == x->added || is_divided(x));
    if (goes_down(x->output)) {
        HB_TRY(hb_evaluator_adjust(x->evaluator, x->merged.lower, total));
        total = x->merged.lower;
    }
    return is_divided(x) ? add_to_block(x, column, total) : hb_merger_add(x->merged.merger, total, 1);
}

/* Merges all blocks, in a merger for the whole output. */
static hb_status merge_blocks(hb_packed_totals *x, const hb_switch_keys *keys, hb_ciphertexts *all)
{
    const hb_packed_blocks *blocks = x->blocks;
    const uint64_t columns = x->output->schema.columns, whole = columns / blocks->columns;
    hb_merger_close(x->merged.merger);
    x->merged.merger = NULL;
    HB_TRY(hb_merger_open(x->engine, x->params, x->output->summed_limbs, columns, keys, &x->merged.merger));
    for (uint64_t b = 0; b < whole; b++) {
        HB_TRY(hb_merger_add(x->merged.merger, blocks->block[b], blocks->columns));
    }
    const hb_ciphertexts *rest = whole < blocks->count ? &blocks->block[whole] : NULL;
    return hb_merger_finish(x->merged.merger, rest, blocks->columns, all);
}

/* Gives the ciphertext that is stored. */
static hb_status finish(hb_packed_totals *x, const hb_switch_keys *keys, hb_ciphertexts *out)
{
    hb_ciphertexts all = x->shifted.sum;
    if (merges(x->output) && is_divided(x)) {
        HB_TRY(merge_blocks(x, keys, &all));
    } else if (merges(x->output)) {
        HB_TRY(hb_merger_finish(x->merged.merger, NULL, 0, &all));
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
    return ++x->added == x->output->schema.columns && !is_divided(x) ? finish(x, NULL, all) : HB_OK;
}

hb_status hb_packed_totals_finish(hb_packed_totals *x, const hb_switch_keys *keys, hb_ciphertexts *all)
{
    HB_ASSERT(is_divided(x) && x->blocks == &x->own);
    return finish(x, keys, all);
}
