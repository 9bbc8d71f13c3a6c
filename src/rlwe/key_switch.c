/* Key switching: relinearization and automorphisms (evaluator.h; semantics.md 6.8, 6.9). */
#include "evaluator_private.h"

/* How the inner products of key switching are had: modulo each prime of the level and the special one, or over the
 * integers (key_switch_integer.h). */
typedef struct switch_form {
    bool integers;
    const uint16_t *ids; /* [limbs], in which digits are transformed and multiplied */
    uint32_t limbs;
    uint32_t outputs, row; /* of hb_key_products with the key */
} switch_form;

static switch_form form_of(const hb_params *params, uint32_t k, bool integers)
{
    const hb_key_switch_integer *base = &params->key_switch_integer;
    return integers ? (switch_form){true, base->basis.ids, base->basis.limbs, 2 * hb_key_switch_blocks(base, k),
                                    2 * base->blocks}
                    : (switch_form){false, params->levels[k].switch_ids, k + 1, 2, 2};
}

/* Digits, and `sums` times the outputs. */
static size_t form_words(const hb_params *params, uint32_t k, bool integers, uint32_t sums)
{
    const switch_form form = form_of(params, k, integers);
    return hb_words_of(params, k + (size_t)sums * form.outputs, form.ids, form.limbs);
}

size_t hb_switch_words(const hb_params *params, uint32_t k)
{
    const size_t classic = form_words(params, k, false, 0);
    const size_t integers = hb_params_switch_by_integers(params) ? form_words(params, k, true, 1) : 0;
    const size_t most = integers > classic ? integers : classic;
    return most + hb_words_of(params, 2, params->levels[k].switch_ids, k + 1) + hb_words_of(params, 1, params->ids, k);
}

/* The workspace of one batch of ciphertexts: digits [count * k] and sums [outputs * count] in the limbs of the form,
 * products [2 * count][k + 1], permuted components [2 * count][k]. Sums modulo each prime are the products. The first
 * of these has a place of its own, the second stands where the products come: by then its digits are made. */
typedef struct switching {
    switch_form form;
    hb_batch digits, sums, products, permuted;
} switching;

static switching take(hb_evaluator *ev, const hb_level *level, const hb_switch_key *key, size_t count)
{
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const uint32_t k = level->basis.limbs;
    switching s = {.form = form_of(ev->params, k, hb_key_integers(key))};
    const switch_form *f = &s.form;
    s.digits = hb_workspace_take(&workspace, ev, count * k, f->limbs, f->ids);
    s.sums = hb_workspace_take(&workspace, ev, f->integers ? f->outputs * count : 0, f->limbs, f->ids);
    hb_workspace behind = workspace;
    s.permuted = hb_workspace_take(&behind, ev, 2 * count, k, level->basis.ids);
    (void)hb_workspace_take(&workspace, ev, count, k, level->basis.ids);
    s.products = hb_workspace_take(&workspace, ev, 2 * count, k + 1, level->switch_ids);
    s.sums = f->integers ? s.sums : s.products;
    return s;
}

/* Brings the NTT-form `sums` to coefficient form in `products`, [2 * count][k + 1]. Modulo each prime both name the
 * same memory. Destroys `sums`. */
static hb_status finish(hb_evaluator *ev, const switch_form *form, hb_batch products, hb_batch sums)
{
    if (!form->integers) {
        HB_ASSERT(sums.data == products.data);
        return hb_intt(ev->engine, sums);
    }
    const hb_key_switch_integer *base = &ev->params->key_switch_integer;
    HB_TRY(hb_intt_scaled(ev->engine, sums, base->basis.inverse_punctured));
    for (uint32_t b = 0; b < form->outputs / 2; b++) {
        hb_limb_address limb_addresses[HB_MAX_LIMBS];
        const hb_batch to = hb_key_switch_block_view(ev->engine, base, b, products, limb_addresses);
        hb_base_conversion conversion = base->block[b].from_base;
        conversion.to_limbs = to.limbs; /* the last block of a lower level has fewer */
        HB_TRY(hb_base_convert(ev->engine, to, hb_batch_slice(sums, b * to.count, to.count), &conversion));
    }
    return HB_OK;
}

/* Steps 1 and 2: products, in coefficient form, of the digits of `target` and the key. */
static hb_status switch_key(hb_evaluator *ev, switching s, hb_batch target, const hb_switch_key *key)
{
    HB_TRY(hb_ntt_decompose(ev->engine, s.digits, target));
    HB_TRY(hb_key_products(ev->engine, s.sums, s.digits, hb_key_integers(key) ? key->integers : key->parts,
                           s.form.outputs, s.form.row));
    return finish(ev, &s.form, s.products, s.sums);
}

/* r = b + products / P, rounded (step 3), in ciphertexts first .. first + count of r. b: those of a batch like r, or
 * `count` ciphertexts; where it has but one component, the other one of r is the quotient. */
static hb_status add_quotients(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts b, switching s, size_t first,
                               size_t count)
{
    const hb_drop_last *drop = &hb_level_of(ev, r)->drop_special;
    const uint32_t runs = hb_component_runs(r, count);
    const size_t length = 2 * count / runs, b_first = hb_ciphertexts_count(b) == count ? 0 : first;
    for (uint32_t i = 0; i < runs; i++) {
        const hb_batch to = hb_component_run(r, i, first, count),
                       products = hb_batch_slice(s.products, i * length, length);
        const hb_batch plus = runs == 1    ? b.all
                              : i < b.size ? hb_component_slice(b, i, b_first, count)
                                           : hb_batch_slice(to, 0, 0);
        HB_TRY(hb_divide_round_add(ev->engine, to, plus, products, drop));
    }
    return HB_OK;
}

hb_status hb_evaluator_relinearize(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    const hb_level *level = hb_level_of(ev, a);
    const size_t count = hb_ciphertexts_count(a);
    HB_ASSERT(a.size == 3 && r.size == 2 && hb_ciphertexts_count(r) == count && ev->requirements.switching);
    HB_ASSERT(key->element == HB_RELINEARIZATION);
    const hb_ciphertexts a01 = {hb_batch_slice(a.all, 0, 2 * count), 2};
    const size_t step = hb_evaluator_fit(ev, 0, hb_switch_words(ev->params, a.all.limbs), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const switching s = take(ev, level, key, c.count);
        HB_TRY(switch_key(ev, s, hb_component_slice(a, 2, c.first, c.count), key));
        HB_TRY(add_quotients(ev, r, a01, s, c.first, c.count));
    }
    return HB_OK;
}

/* (phi(c_0) + d_0, d_1), d of phi(c_1), of ciphertexts first .. first + count. */
static hb_status automorphism_batch(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key,
                                    bool add, size_t first, size_t count)
{
    const hb_level *level = hb_level_of(ev, a);
    const switching s = take(ev, level, key, count);
    const uint32_t runs = hb_component_runs(a, count);
    const size_t length = 2 * count / runs;
    for (uint32_t i = 0; i < runs; i++) {
        HB_TRY(hb_galois(ev->engine, hb_batch_slice(s.permuted, i * length, length),
                         hb_component_run(a, i, first, count), key->element));
    }
    HB_TRY(switch_key(ev, s, hb_batch_slice(s.permuted, count, count), key));
    const hb_ciphertexts c0 = {hb_batch_slice(s.permuted, 0, count), 1};
    if (!add) {
        return add_quotients(ev, r, c0, s, first, count);
    }
    const hb_batch r0 = hb_component_slice(r, 0, first, count);
    HB_TRY(hb_add(ev->engine, r0, r0, c0.all));
    return add_quotients(ev, r, r, s, first, count);
}

static hb_status automorphism(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key, bool add)
{
    const size_t count = hb_ciphertexts_count(a);
    HB_ASSERT(a.size == 2 && r.size == 2 && hb_ciphertexts_count(r) == count && ev->requirements.switching);
    HB_ASSERT(key->element != HB_RELINEARIZATION && r.all.limbs == a.all.limbs);
    const size_t step = hb_evaluator_fit(ev, 0, hb_switch_words(ev->params, a.all.limbs), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        HB_TRY(automorphism_batch(ev, r, a, key, add, c.first, c.count));
    }
    return HB_OK;
}

hb_status hb_evaluator_galois(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    return automorphism(ev, r, a, key, false);
}

hb_status hb_evaluator_galois_add(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key)
{
    return automorphism(ev, r, a, key, true);
}
