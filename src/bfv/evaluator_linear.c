/* Sums, integer factors, plaintexts and the way down the levels (evaluator.h; semantics.md 6.1, 6.5 to 6.7). */
#include "base/modarith.h"
#include "evaluator_private.h"
#include "level.h"

typedef hb_status (*binary)(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);

/* A component of r where only b has one: 0 + b or 0 - b. b's may be one polynomial for all. */
static hb_status from_zero(hb_evaluator *x, hb_batch r, hb_batch b, binary operation)
{
    HB_TRY(hb_evaluator_copy_batch(x, r, b));
    return operation == hb_add ? HB_OK : hb_negate(x->engine, r, r);
}

static hb_status combine(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b, binary operation)
{
    HB_ASSERT(r.size == (a.size > b.size ? a.size : b.size));
    const size_t count = hb_ciphertexts_count(r);
    HB_ASSERT(hb_ciphertexts_count(a) == count);
    if (a.size == b.size && hb_ciphertexts_count(b) == count) {
        return operation(x->engine, r.all, a.all, b.all);
    }
    for (uint32_t i = 0; i < r.size; i++) {
        const hb_batch to = hb_ciphertexts_component(r, i);
        if (i >= a.size) {
            HB_TRY(from_zero(x, to, hb_ciphertexts_component(b, i), operation));
        } else if (i >= b.size) {
            HB_TRY(hb_evaluator_copy_batch(x, to, hb_ciphertexts_component(a, i)));
        } else {
            HB_TRY(operation(x->engine, to, hb_ciphertexts_component(a, i), hb_ciphertexts_component(b, i)));
        }
    }
    return HB_OK;
}

hb_status hb_evaluator_add(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b)
{
    return combine(x, r, a, b, hb_add);
}

hb_status hb_evaluator_sub(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, hb_ciphertexts b)
{
    return combine(x, r, a, b, hb_sub);
}

hb_status hb_evaluator_copy(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a)
{
    const size_t count = hb_ciphertexts_count(r), a_count = hb_ciphertexts_count(a);
    HB_ASSERT(r.size == a.size && (a_count == count || a_count == 1));
    if (a_count == count) {
        return hb_evaluator_copy_batch(x, r.all, a.all);
    }
    for (uint32_t i = 0; i < r.size; i++) {
        HB_TRY(hb_evaluator_copy_batch(x, hb_ciphertexts_component(r, i), hb_ciphertexts_component(a, i)));
    }
    return HB_OK;
}

hb_status hb_evaluator_negate(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a)
{
    HB_ASSERT(r.size == a.size);
    return hb_negate(x->engine, r.all, a.all);
}

/* Halves are added to each other until one polynomial is left: modular sums do not depend on the order. */
static hb_status sum_component(hb_evaluator *x, hb_batch r, hb_batch a, bool first)
{
    while (a.count > 1) {
        const size_t half = a.count / 2;
        const hb_batch low = hb_batch_slice(a, 0, half);
        HB_TRY(hb_add(x->engine, low, low, hb_batch_slice(a, a.count - half, half)));
        a.count -= half;
    }
    return first ? hb_evaluator_copy_batch(x, r, a) : hb_add(x->engine, r, r, a);
}

hb_status hb_evaluator_sum(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, bool first)
{
    HB_ASSERT(r.size == a.size && hb_ciphertexts_count(r) == 1 && hb_ciphertexts_count(a) >= 1);
    for (uint32_t i = 0; i < a.size; i++) {
        HB_TRY(sum_component(x, hb_ciphertexts_component(r, i), hb_ciphertexts_component(a, i), first));
    }
    return HB_OK;
}

hb_status hb_evaluator_add_plain(hb_evaluator *x, hb_ciphertexts r, hb_batch plain, hb_sign sign)
{
    return hb_add_scaled_plain(x->engine, hb_ciphertexts_component(r, 0), plain,
                               &hb_bfv_level_of(x->params, r.all.limbs)->scale_plain, sign);
}

/* a's ciphertexts first .. first + count, transformed, times their plaintexts or the only one of all; r in NTT form. */
static hb_status multiply_lifted(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain, size_t first,
                                 size_t count)
{
    const hb_bfv_level *level = hb_bfv_level_of(x->params, r.all.limbs);
    hb_room room = hb_evaluator_room(x);
    const hb_batch lifted = hb_room_take(&room, x, plain.count, r.all.limbs, r.all.ids);
    HB_TRY(hb_lift_plain(x->engine, lifted, plain, &level->plain_lift));
    HB_TRY(hb_ntt(x->engine, lifted));
    if (lifted.count == 1 && count == hb_ciphertexts_count(r)) {
        return hb_ntt_mul(x->engine, r.all, a.all, lifted);
    }
    for (uint32_t i = 0; i < r.size; i++) {
        HB_TRY(hb_ntt_mul(x->engine, hb_component_slice(r, i, first, count), hb_component_slice(a, i, first, count),
                          lifted));
    }
    return HB_OK;
}

hb_status hb_evaluator_multiply_plain(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, hb_batch plain)
{
    const size_t count = hb_ciphertexts_count(r);
    HB_ASSERT(r.size == a.size && (plain.count == count || plain.count == 1) && x->needs.plain_factors);
    const size_t fit = hb_evaluator_fit(x, 0, hb_words_of(x->params, 1, r.all.ids, r.all.limbs), count);
    const size_t step = plain.count == 1 ? count : fit;
    for (size_t first = 0; first < count; first += step) {
        const size_t now = count - first < step ? count - first : step;
        const hb_batch factors = plain.count == 1 ? plain : hb_batch_slice(plain, first, now);
        HB_TRY(multiply_lifted(x, r, a, factors, first, now));
    }
    return hb_intt(x->engine, r.all);
}

hb_status hb_evaluator_scale(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, int64_t factor)
{
    uint64_t factors[HB_MAX_LIMBS];
    const uint64_t magnitude = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
    for (uint32_t l = 0; l < a.all.limbs; l++) {
        const hb_modulus *q = &x->params->ring.moduli[a.all.ids[l]];
        const uint64_t residue = hb_mod_reduce(magnitude, q);
        factors[l] = factor < 0 ? hb_mod_negate(residue, q) : residue;
    }
    HB_ASSERT(r.size == a.size);
    return hb_scale(x->engine, r.all, a.all, factors);
}

/* Where r begins as a does, its shorter rows would be written over polynomials that other threads of a device still
 * read: quotients pass through the workspace, batch after batch, each to where only polynomials already divided
 * stood. */
static hb_status mod_switch_in_place(hb_evaluator *x, hb_batch r, hb_batch a, const hb_drop_last *constants)
{
    const size_t step = hb_evaluator_fit(x, 0, hb_words_of(x->params, 1, r.ids, r.limbs), r.count);
    for (size_t first = 0; first < r.count; first += step) {
        const size_t now = r.count - first < step ? r.count - first : step;
        hb_room room = hb_evaluator_room(x);
        const hb_batch quotients = hb_room_take(&room, x, now, r.limbs, r.ids);
        HB_TRY(hb_divide_round_last(x->engine, quotients, hb_batch_slice(a, first, now), constants));
        HB_TRY(hb_evaluator_copy_batch(x, hb_batch_slice(r, first, now), quotients));
    }
    return HB_OK;
}

hb_status hb_evaluator_mod_switch(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a)
{
    const hb_level *level = hb_level_of(x, a);
    HB_ASSERT(r.size == a.size && r.all.limbs + 1 == a.all.limbs);
    if (r.all.data == a.all.data) {
        return mod_switch_in_place(x, r.all, a.all, &level->drop_last);
    }
    return hb_divide_round_last(x->engine, r.all, a.all, &level->drop_last);
}
