/* Reals, which every member has, of integers whose limbs are divided. */
#include "divided_private.h"
#include "ring/real_ops.h"

/* What a composition of gathered limbs makes. */
typedef struct composing {
    hb_batch r;
    const hb_composition *composition;
    const hb_real_scale *scale;
} composing;

static hb_status compose_piece(hb_divided *div, const void *context, hb_batch all, size_t first)
{
    const composing *x = context;
    const size_t rows = x->scale->wide ? 2 : 1;
    return hb_compose_reals(div->base.device, hb_batch_slice(x->r, rows * first, rows * all.count), all, x->composition,
                            x->scale);
}

/* An integer needs all of its limbs, and every member wants all reals. */
static hb_status compose_reals(hb_engine *e, hb_batch r, hb_batch a, const hb_composition *composition,
                               const hb_real_scale *scale)
{
    hb_divided *div = hb_divided_of(e);
    const composing x = {r, composition, scale};
    return hb_is_divided(div, a.ids, a.limbs) ? hb_divided_gather(div, a, compose_piece, &x)
                                              : compose_piece(div, &x, a, 0);
}

const hb_real_ops hb_divided_real_ops = {
    .compose_reals = compose_reals,
};
