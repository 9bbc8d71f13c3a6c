/* Numbers as operands, and levels below (evaluator.h; semantics.md 6.5, 6.7). */
#include <math.h>

#include "evaluator.h"
#include "params.h"
#include "rlwe/evaluator_build.h"

/* Numbers of this magnitude and below are integers that a double tells apart. */
#define MOST_NUMBER 9007199254740992.0 /* 2^53 */

static hb_status require_integer(double number)
{
    return fabs(number) <= MOST_NUMBER && number == rint(number)
               ? HB_OK
               : HB_FAIL(HB_EDATA, "BFV computes with integers: %.17g is none, or none of 53 bits", number);
}

hb_status hb_bfv_add_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number)
{
    const hb_bfv_params *params = hb_bfv_of(ev->params);
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const hb_batch plain = hb_workspace_take(&workspace, ev, 1, 1, &params->plain_id);
    HB_TRY(require_integer(number));
    const int64_t t = (int64_t)ev->params->spec.bfv.plain, rest = (int64_t)number % t;
    const uint64_t residue = (uint64_t)(rest < 0 ? rest + t : rest);
    HB_TRY(hb_evaluator_copy(ev, r, a));
    HB_TRY(hb_clear(ev->engine, plain));
    HB_TRY(hb_upload(ev->engine, plain.data, &residue, sizeof residue));
    /* The word ends with this function. */
    HB_TRY(hb_finish(ev->engine));
    return hb_bfv_add_plain(ev, r, plain, HB_PLUS);
}

hb_status hb_bfv_multiply_number(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, double number)
{
    HB_TRY(require_integer(number));
    return hb_evaluator_multiply_integer(ev, r, a, (int64_t)number);
}

/* The levels between stand in the workspace, in the leading limbs of their dividends. */
static hb_status switch_some(hb_evaluator *ev, hb_batch r, hb_batch a)
{
    hb_workspace workspace = hb_evaluator_workspace(ev);
    hb_batch dividend = hb_workspace_take(&workspace, ev, a.count, a.limbs, a.ids);
    HB_TRY(hb_copy(ev->engine, dividend, a));
    while (dividend.limbs > r.limbs) {
        const hb_drop_last last = hb_mod_down_last(&ev->params->levels[dividend.limbs].rescale);
        const hb_batch quotient = hb_batch_limbs(ev->engine, dividend, 0, dividend.limbs - 1);
        HB_TRY(hb_divide_round_last(ev->engine, quotient, dividend, &last));
        dividend = quotient;
    }
    return hb_copy(ev->engine, r, dividend);
}

hb_status hb_bfv_adjust(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a)
{
    (void)hb_level_of(ev, a);
    (void)hb_level_of(ev, r);
    HB_ASSERT(r.size == a.size && r.all.limbs <= a.all.limbs && r.all.count == a.all.count);
    const size_t each = hb_words_of(ev->params, 1, a.all.ids, a.all.limbs);
    const size_t step = hb_evaluator_fit(ev, 0, each, a.all.count);
    for (hb_chunk c = hb_chunks(a.all.count, step); hb_chunk_next(&c);) {
        HB_TRY(switch_some(ev, hb_batch_slice(r.all, c.first, c.count), hb_batch_slice(a.all, c.first, c.count)));
    }
    return HB_OK;
}
