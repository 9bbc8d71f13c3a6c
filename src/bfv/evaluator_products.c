/* The two forms of the inner products of key switching (evaluator_private.h). */
#include "evaluator_private.h"

hb_switch_form hb_switch_form_of(const hb_params *params, uint32_t k, bool integers)
{
    const hb_key_switch_integer *base = &params->key_switch_integer;
    return integers ? (hb_switch_form){true, base->basis.ids, base->basis.limbs, 2 * hb_key_switch_blocks(base, k),
                                       2 * base->blocks}
                    : (hb_switch_form){false, params->levels[k].switch_ids, k + 1, 2, 2};
}

hb_status hb_switch_finish(hb_evaluator *x, const hb_switch_form *form, hb_batch products, hb_batch sums)
{
    if (!form->integers) {
        HB_ASSERT(sums.data == products.data);
        return hb_intt(x->engine, sums);
    }
    const hb_key_switch_integer *base = &x->params->key_switch_integer;
    HB_TRY(hb_intt_scaled(x->engine, sums, base->basis.inverse_punctured));
    for (uint32_t b = 0; b < form->outputs / 2; b++) {
        hb_limb_place places[HB_MAX_LIMBS];
        const hb_batch to = hb_key_switch_block_view(x->engine, base, b, products, places);
        hb_base_conversion conversion = base->block[b].from_base;
        conversion.to_limbs = to.limbs; /* the last block of a lower level has fewer */
        HB_TRY(hb_base_convert(x->engine, to, hb_batch_slice(sums, b * to.count, to.count), &conversion));
    }
    return HB_OK;
}

/* Digits, and `sums` times the outputs. */
static size_t form_words(const hb_params *params, uint32_t k, bool integers, uint32_t sums)
{
    const hb_switch_form form = hb_switch_form_of(params, k, integers);
    return hb_words_of(params, k + (size_t)sums * form.outputs, form.ids, form.limbs);
}

size_t hb_switch_words(const hb_params *params, uint32_t k)
{
    const size_t classic = form_words(params, k, false, 0);
    const size_t most =
        hb_params_switch_by_integers(params) ? hb_larger(classic, form_words(params, k, true, 1)) : classic;
    return most + hb_words_of(params, 2, params->levels[k].switch_ids, k + 1) + hb_words_of(params, 1, params->ids, k);
}

size_t hb_hoist_words(const hb_params *params, uint32_t k)
{
    return hb_words_of(params, k + 4, params->levels[k].switch_ids, k + 1);
}

size_t hb_hoist_key_words(const hb_params *params, uint32_t k)
{
    return hb_words_of(params, 2 * (size_t)k, params->ids, params->key_limbs);
}
