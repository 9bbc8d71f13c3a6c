#include "mod_down.h"

#include <string.h>

#include "base/modarith.h"
#include "shape.h"

/* Makes the conversion that divides in one step, from words that stand as they are and are kept: (a - R) / D = a / D -
 * sum_i y_i (D / d_i) / D + k. For one prime y is the residue itself, and k says whether y is above its half. */
static hb_status init_quotient(hb_mod_down *down, const hb_ring *ring)
{
    const hb_base_conversion *r = &down->remainder;
    hb_base_conversion *c = &down->quotient;
    HB_TRY(hb_base_conversion_alloc(c, r->from_ids, r->from_limbs, r->to_ids, r->to_limbs, true, true));
    /* Coefficients are not scaled before: the conversion does it. */
    memcpy(c->scale, down->scale, down->dropped * sizeof *c->scale);
    c->overflow->kind = r->overflow->kind;
    c->overflow->half = r->overflow->half;
    memcpy(c->overflow->weights, r->overflow->weights, down->dropped * sizeof *c->overflow->weights);
    for (uint32_t o = 0; o < down->limbs; o++) {
        const hb_modulus *q = &ring->moduli[down->ids[o]];
        c->keep[o] = down->inverse[o];
        c->overflow->factors[o] = 1;
        for (uint32_t i = 0; i < down->dropped; i++) {
            const size_t at = (size_t)o * down->dropped + i;
            c->matrix[at] = hb_mod_negate(hb_mod_mul(r->matrix[at], down->inverse[o], q), q);
        }
    }
    return HB_OK;
}

hb_status hb_mod_down_init(hb_mod_down *down, const hb_ring *ring, const uint16_t *ids, uint32_t limbs,
                           uint32_t dropped)
{
    hb_basis from;
    HB_ASSERT(limbs >= 1 && dropped >= 1 && limbs + dropped <= HB_MAX_LIMBS);
    *down = (hb_mod_down){.limbs = limbs, .dropped = dropped, .ids = ids};
    HB_TRY(hb_basis_init(&from, ring, ids + limbs, dropped));
    /* The centre of one residue is its own nearest value; several need the rounded sum. */
    const hb_overflow_kind kind = dropped == 1 ? HB_OVERFLOW_CENTRED : HB_OVERFLOW_ROUNDED;
    HB_TRY(hb_base_conversion_init_centred(&down->remainder, &from, kind, ids, limbs));
    /* `from` ends with this function: the conversion borrows the caller's list instead. */
    down->remainder.from_ids = ids + limbs;
    memcpy(down->scale, down->remainder.scale, dropped * sizeof *down->scale);
    /* In NTT form the scale goes into the inverse transform. */
    hb_base_conversion_unscale(&down->remainder);
    for (uint32_t o = 0; o < limbs; o++) {
        const hb_modulus *q = &ring->moduli[ids[o]];
        down->inverse[o] = hb_mod_inverse(hb_natural_mod(&from.product, q), q);
        /* Different primes have inverses modulo each other; hb_basis_init looked at the dropped ones only. */
        HB_ASSERT(down->inverse[o] != 0);
    }
    /* hb_divide_round_last takes it; several primes are divided by another way. */
    down->half = dropped == 1 ? from.product.word[0] / 2 : 0;
    return init_quotient(down, ring);
}

void hb_mod_down_clear(hb_mod_down *down)
{
    hb_base_conversion_clear(&down->remainder);
    hb_base_conversion_clear(&down->quotient);
    memset(down, 0, sizeof *down);
}

hb_drop_last hb_mod_down_last(const hb_mod_down *down)
{
    HB_ASSERT(down->dropped == 1);
    return (hb_drop_last){down->ids[down->limbs], down->half, down->inverse};
}

/* In coefficient form the words of the dropped limbs are at hand: one conversion does all, in a's own memory. */
static hb_status divide_coefficients(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, const hb_mod_down *down)
{
    if (down->dropped == 1) {
        const hb_drop_last last = hb_mod_down_last(down);
        return b.data == NULL ? hb_divide_round_last(e, r, a, &last) : hb_divide_round_add(e, r, b, a, &last);
    }
    const hb_batch stays = hb_batch_limbs(e, a, 0, down->limbs);
    HB_TRY(hb_base_convert(e, stays, hb_batch_limbs(e, a, down->limbs, down->dropped), &down->quotient));
    return hb_add_leading(e, r, stays, b);
}

/* In NTT form only the dropped limbs are transformed back, and the remainder forth: the quotient is (a - R) / D word by
 * word. */
static hb_status divide_transformed(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch remainder,
                                    const hb_mod_down *down, const hb_permutation *by)
{
    const hb_batch stays = hb_batch_limbs(e, a, 0, down->limbs),
                   goes = hb_batch_limbs(e, a, down->limbs, down->dropped);
    HB_TRY(hb_intt_scaled(e, goes, down->scale));
    HB_TRY(hb_base_convert(e, remainder, goes, &down->remainder));
    return hb_ntt_quotient(e, r, b, stays, remainder, down->inverse, by);
}

hb_status hb_mod_down_apply(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch remainder,
                            const hb_mod_down *down, hb_form form)
{
    HB_ASSERT(r.limbs == down->limbs && a.limbs == down->limbs + down->dropped && r.count == a.count);
    return form == HB_NTT_FORM ? divide_transformed(e, r, b, a, remainder, down, NULL)
                               : divide_coefficients(e, r, b, a, down);
}

hb_status hb_mod_down_permute(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch remainder,
                              const hb_mod_down *down, const hb_permutation *by)
{
    HB_ASSERT(r.limbs == down->limbs && a.limbs == down->limbs + down->dropped && r.count == a.count);
    return divide_transformed(e, r, b, a, remainder, down, by);
}

hb_status hb_mod_down_kept(hb_engine *e, hb_batch r, hb_batch a, hb_batch dropped, const hb_mod_down *down)
{
    HB_ASSERT(r.limbs == down->limbs && a.limbs == down->limbs + down->dropped && r.count == a.count);
    HB_TRY(hb_intt_of(e, dropped, hb_batch_limbs(e, a, down->limbs, down->dropped), down->scale));
    HB_TRY(hb_base_convert(e, r, dropped, &down->remainder));
    return hb_ntt_quotient(e, r, (hb_batch){.data = NULL}, hb_batch_limbs(e, a, 0, down->limbs), r, down->inverse,
                           NULL);
}

/* Every block has limbs of the list that is the dropped one and then r's, in its order. */
static void check_blocks(const hb_engine *e, hb_batch r, const hb_block_operands *x)
{
    uint32_t at = 0;
    hb_require_same_slices(e, r, x->dropped);
    HB_ASSERT(x->dropped.limbs == 1 && x->blocks >= 1 && x->blocks <= HB_MAX_LIMBS);
    for (uint32_t b = 0; b < x->blocks; b++) {
        const hb_base_conversion *c = &x->conversion[b];
        hb_require_same_slices(e, r, x->sums[b]);
        hb_require_ids(x->sums[b].ids, c->from_ids, c->from_limbs);
        HB_ASSERT(x->sums[b].limbs == c->from_limbs && c->to_limbs >= 1 && c->to_limbs <= r.limbs + 1 - at);
        for (uint32_t o = 0; o < c->to_limbs; o++, at++) {
            HB_ASSERT(c->to_ids[o] == (at == 0 ? x->dropped.ids[0] : r.ids[at - 1]));
        }
    }
    HB_ASSERT(at == r.limbs + 1);
}

hb_status hb_divide_blocks(hb_engine *e, hb_batch r, const hb_block_operands *x)
{
    hb_limb_address limb_addresses[HB_MAX_LIMBS + 1];
    check_blocks(e, r, x);
    if (e->ops->rns->divide_blocks != NULL) {
        return e->ops->rns->divide_blocks(e, r, x);
    }
    /* The limbs of a block may stand in both batches: conversions write them where they belong. */
    limb_addresses[0] = hb_batch_limb_address(e, x->dropped, 0);
    for (uint32_t l = 0; l < r.limbs; l++) {
        limb_addresses[l + 1] = hb_batch_limb_address(e, r, l);
    }
    for (uint32_t b = 0, at = 0; b < x->blocks; at += x->conversion[b++].to_limbs) {
        const hb_batch to = {.ids = x->conversion[b].to_ids,
                             .limbs = x->conversion[b].to_limbs,
                             .count = r.count,
                             .n = r.n,
                             .limb_addresses = limb_addresses + at};
        HB_TRY(hb_base_convert(e, to, x->sums[b], &x->conversion[b]));
    }
    return hb_base_convert(e, r, x->dropped, x->quotient);
}
