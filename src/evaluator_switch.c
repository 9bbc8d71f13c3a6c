/* Key switching: relinearization and automorphisms (evaluator.h; semantics.md 6.8, 6.9). */
#include "evaluator_private.h"

/* The workspace of one batch of ciphertexts: digits [count * k][k + 1], products [2 * count][k + 1]. */
typedef struct switching {
    hb_batch digits, products;
} switching;

static switching take(hb_evaluator *x, const hb_level *level, size_t count)
{
    hb_room room = hb_evaluator_room(x);
    const uint32_t k = level->basis.limbs;
    const hb_batch digits = hb_room_take(&room, x, count * k, k + 1, level->switch_ids);
    return (switching){digits, hb_room_take(&room, x, 2 * count, k + 1, level->switch_ids)};
}

/* The memory of a workspace's batch, as polynomials of the level. */
static hb_batch reuse(hb_batch a, const hb_evaluator *x, const hb_level *level, size_t count)
{
    hb_room room = {a.data, a.count * a.stride};
    return hb_room_take(&room, x, count, level->basis.limbs, level->basis.ids);
}

/* Component c of the products times 1/P, rounded (step 3). */
static hb_status divide(hb_evaluator *x, hb_batch r, hb_batch products, uint32_t c, const hb_level *level)
{
    return hb_divide_round_last(x->engine, r, hb_batch_slice(products, c * r.count, r.count), &level->drop_special);
}

/* Steps 1 and 2: products, in coefficient form, of the digits of `target` and the key. */
static hb_status switch_key(hb_evaluator *x, switching s, hb_batch target, const hb_switch_key *key)
{
    HB_TRY(hb_ntt_spread(x->engine, s.digits, target));
    HB_TRY(hb_key_products(x->engine, s.products, s.digits, key->parts));
    return hb_intt(x->engine, s.products);
}

/* r = a + products / P, rounded. */
static hb_status add_quotient(hb_evaluator *x, hb_batch r, hb_batch a, hb_batch products, uint32_t c,
                              const hb_level *level)
{
    return hb_divide_round_add(x->engine, r, a, hb_batch_slice(products, c * r.count, r.count), &level->drop_special);
}

hb_status hb_evaluator_relinearize(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    const hb_level *level = hb_level_of(x, a);
    const size_t count = hb_ciphertexts_count(a);
    HB_ASSERT(a.size == 3 && r.size == 2 && hb_ciphertexts_count(r) == count && x->needs.switching);
    HB_ASSERT(key->element == HB_RELINEARIZATION);
    const size_t step = hb_evaluator_fit(x, 0, hb_switch_words(x->params, a.all.limbs), count);
    for (size_t first = 0; first < count; first += step) {
        const size_t now = count - first < step ? count - first : step;
        const switching s = take(x, level, now);
        HB_TRY(switch_key(x, s, hb_component_slice(a, 2, first, now), key));
        for (uint32_t c = 0; c < 2; c++) {
            HB_TRY(add_quotient(x, hb_component_slice(r, c, first, now), hb_component_slice(a, c, first, now),
                                s.products, c, level));
        }
    }
    return HB_OK;
}

/* (phi(c_0) + d_0, d_1) with d of phi(c_1): turned components stand in workspace that is free at that moment. */
static hb_status automorphism_batch(hb_evaluator *x, hb_batch r[2], hb_batch a[2], const hb_switch_key *key, bool add,
                                    const hb_level *level)
{
    const size_t count = r[0].count;
    const switching s = take(x, level, count);
    const hb_batch c1 = reuse(s.products, x, level, count), c0 = reuse(s.digits, x, level, count);
    HB_TRY(hb_galois(x->engine, c1, a[1], key->element));
    HB_TRY(switch_key(x, s, c1, key));
    HB_TRY(hb_galois(x->engine, c0, a[0], key->element));
    if (add) {
        HB_TRY(hb_add(x->engine, r[0], r[0], c0));
        HB_TRY(add_quotient(x, r[0], r[0], s.products, 0, level));
        return add_quotient(x, r[1], r[1], s.products, 1, level);
    }
    HB_TRY(add_quotient(x, r[0], c0, s.products, 0, level));
    return divide(x, r[1], s.products, 1, level);
}

hb_status hb_evaluator_automorphism(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key,
                                    bool add)
{
    const hb_level *level = hb_level_of(x, a);
    const size_t count = hb_ciphertexts_count(a);
    HB_ASSERT(a.size == 2 && r.size == 2 && hb_ciphertexts_count(r) == count && x->needs.switching);
    HB_ASSERT(key->element != HB_RELINEARIZATION);
    const size_t step = hb_evaluator_fit(x, 0, hb_switch_words(x->params, a.all.limbs), count);
    for (size_t first = 0; first < count; first += step) {
        const size_t now = count - first < step ? count - first : step;
        hb_batch to[2], from[2];
        for (uint32_t c = 0; c < 2; c++) {
            to[c] = hb_component_slice(r, c, first, now);
            from[c] = hb_component_slice(a, c, first, now);
        }
        HB_TRY(automorphism_batch(x, to, from, key, add, level));
    }
    return HB_OK;
}

hb_status hb_evaluator_galois(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    return hb_evaluator_automorphism(x, r, a, key, false);
}
