/* Several automorphisms of one operand (evaluator.h).
 *
 * Digits of c_1, made once, serve all of them. A key that switches before the automorphism (HB_TO_AUTOMORPHISM) takes
 * them as they are. One that switches behind it (HB_FROM_AUTOMORPHISM) wants the digits of phi(c_1). Centred digits
 * commute with phi: those are phi(D_J), and the sums of key switching
 *
 *     sum_J phi(D_J) E_J = phi( sum_J D_J phi^-1(E_J) ):
 *
 * a permutation of the NTT form of digits, or of one key and of two polynomials a ciphertext.
 *
 * SEAL's digit J of phi(c_1) is the coefficients of phi(c_1) mod q_J as integers in [0, q_J): where phi flips the sign
 * of a coefficient d != 0 that is q_J - d. So the digits are phi(D_J) + q_J M, with M the polynomial that is 1 where a
 * flipped coefficient arrives, and the sums have sum_J q_J M E_J besides, a constant of key and level. A coefficient 0
 * stays 0 under phi; where c_1 has any, which is rare unless primes are tiny, the automorphisms are done one by one. So
 * they are over the integers (key_switch_integer.h), where digits are transformed in few primes and all of this costs
 * more than it saves. */
#include "evaluator_private.h"
#include "ring/switch_arith.h"

size_t hb_hoist_words(const hb_params *params, uint32_t k)
{
    const hb_gadget_level *level = &params->gadget.levels[k];
    return hb_words_of(params, (size_t)level->digits + 4, level->switch_ids, level->switch_limbs);
}

size_t hb_hoist_key_words(const hb_params *params, uint32_t k)
{
    return hb_words_of(params, 2 * (size_t)params->gadget.levels[k].digits, params->ids, params->key_limbs);
}

/* phi^-1 of the part of a key that a level uses: the parts of its digits, the level's limbs and those of the special
 * primes. */
static hb_status permute_key(hb_evaluator *ev, hb_batch permuted, const hb_switch_key *key, const hb_hoisted *h,
                             const hb_gadget_level *level)
{
    hb_engine *e = ev->engine;
    const uint32_t k = level->limbs, special = level->switch_limbs - k;
    const hb_batch parts = hb_batch_slice(key->parts, 0, permuted.count);
    HB_TRY(hb_permute(e, hb_batch_limbs(e, permuted, 0, k), hb_batch_limbs(e, parts, 0, k), h->automorphism.inverse));
    return hb_permute(e, hb_batch_limbs(e, permuted, key->limbs, special),
                      hb_batch_limbs(e, parts, key->limbs, special), h->automorphism.inverse);
}

/* Workspace of one batch of ciphertexts. */
typedef struct hoisting {
    const hb_gadget_level *level;
    hb_form form;
    uint64_t *key;     /* memory for one key */
    size_t key_words;  /* of it */
    hb_digits digits;  /* of c_1 */
    hb_batch products; /* [2 * count][switch limbs] */
    hb_batch permuted; /* as products */
} hoisting;

static hoisting take(hb_evaluator *ev, hb_ciphertexts a, size_t count)
{
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const hb_gadget *gadget = &ev->params->gadget;
    const hb_gadget_level *level = &gadget->levels[a.all.limbs];
    hoisting w = {.level = level, .form = a.form, .key = workspace.next};
    (void)hb_workspace_take(&workspace, ev, 2 * (size_t)level->digits, ev->params->key_limbs, ev->params->ids);
    w.key_words = (size_t)(workspace.next - w.key);
    w.digits =
        (hb_digits){gadget,
                    level,
                    count,
                    hb_workspace_take(&workspace, ev, count * level->digits, level->switch_limbs, level->switch_ids),
                    {.data = NULL}};
    w.products = hb_workspace_take(&workspace, ev, 2 * count, level->switch_limbs, level->switch_ids);
    w.permuted = hb_workspace_take(&workspace, ev, 2 * count, level->switch_limbs, level->switch_ids);
    return w;
}

/* On the memory of a batch that is not needed any more. */
static hb_batch reuse(const hb_evaluator *ev, hb_batch b, size_t count, uint32_t limbs, const uint16_t *ids)
{
    hb_workspace workspace = {b.data, b.count * b.stride};
    return hb_workspace_take(&workspace, ev, count, limbs, ids);
}

/* The sums phi( sum_J D_J phi^-1(E_J) ) in w->permuted. For one ciphertext or two it is less to permute the digits;
 * those stand where the key would. */
static hb_status permuted_products(hb_evaluator *ev, const hoisting *w, const hb_switch_key *key, const hb_hoisted *h)
{
    hb_workspace workspace = {w->key, w->key_words};
    const hb_batch all = w->digits.all;
    if (all.count <= 2 * (size_t)w->level->digits) {
        hb_digits digits = w->digits;
        digits.all = hb_workspace_take(&workspace, ev, all.count, all.limbs, all.ids);
        HB_TRY(hb_permute(ev->engine, digits.all, all, h->automorphism.map));
        return hb_switch_key_multiply(ev->engine, w->permuted, digits, key);
    }
    hb_switch_key permuted = *key;
    permuted.parts = hb_workspace_take(&workspace, ev, 2 * (size_t)w->level->digits, key->parts.limbs, key->parts.ids);
    HB_TRY(permute_key(ev, permuted.parts, key, h, w->level));
    HB_TRY(hb_switch_key_multiply(ev->engine, w->products, w->digits, &permuted));
    return hb_permute(ev->engine, w->permuted, w->products, h->automorphism.map);
}

/* One automorphism of a batch whose digits are there, the switch behind it. */
static hb_status automorphism_first(hb_evaluator *ev, const hoisting *w, hb_batch r[2], hb_batch c0,
                                    const hb_switch_key *key)
{
    hb_engine *e = ev->engine;
    const hb_hoisted *h = hb_hoisted_find(ev, key, hb_key_needs_flips(key) ? w->level->limbs : 0);
    const size_t count = c0.count;
    HB_TRY(permuted_products(ev, w, key, h));
    for (uint32_t c = 0; hb_key_needs_flips(key) && c < 2; c++) {
        const hb_batch half = hb_batch_slice(w->permuted, c * count, count);
        HB_TRY(hb_add(e, half, half, hb_batch_slice(h->flips, c, 1)));
    }
    if (w->form == HB_COEFFICIENT_FORM) {
        HB_TRY(hb_intt(e, w->permuted));
    }
    const hb_batch remainder = reuse(ev, w->products, count, c0.limbs, c0.ids);
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_mod_down_apply(e, r[c], (hb_batch){.data = NULL}, hb_batch_slice(w->permuted, c * count, count),
                                 remainder, &w->level->down, w->form));
    }
    const hb_batch permuted_c0 = reuse(ev, w->products, count, c0.limbs, c0.ids);
    HB_TRY(hb_key_automorphism(ev, permuted_c0, c0, key, w->form));
    return hb_add(e, r[0], r[0], permuted_c0);
}

/* The switch first, into ciphertexts first .. of r. In NTT form the quotients are stored by the automorphism, of both
 * components at once where these stand together; else they stand in the leading limbs of the products before. */
static hb_status automorphism_last(hb_evaluator *ev, const hoisting *w, hb_ciphertexts r, size_t first, hb_batch c0,
                                   const hb_switch_key *key)
{
    hb_engine *e = ev->engine;
    const uint32_t runs = hb_component_runs(r, c0.count);
    const size_t length = 2 * c0.count / runs;
    const hb_batch quotients = hb_batch_limbs(e, w->products, 0, c0.limbs);
    const hb_batch remainders = reuse(ev, w->permuted, 2 * c0.count, c0.limbs, c0.ids);
    HB_TRY(hb_switch_key_multiply(e, w->products, w->digits, key));
    if (w->form == HB_NTT_FORM) {
        const hb_permutation *phi = &hb_hoisted_find(ev, key, 0)->automorphism;
        for (uint32_t i = 0; i < runs; i++) {
            HB_TRY(hb_mod_down_permute(e, hb_component_run(r, i, first, c0.count),
                                       i == 0 ? c0 : (hb_batch){.data = NULL},
                                       hb_batch_slice(w->products, i * length, length),
                                       hb_batch_slice(remainders, i * length, length), &w->level->down, phi));
        }
        return HB_OK;
    }
    HB_TRY(hb_intt(e, w->products));
    HB_TRY(hb_mod_down_apply(e, quotients, c0, w->products, remainders, &w->level->down, w->form));
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_key_automorphism(ev, hb_component_slice(r, c, first, c0.count),
                                   hb_batch_slice(quotients, c * c0.count, c0.count), key, w->form));
    }
    return HB_OK;
}

static hb_status hoist(hb_evaluator *ev, const hb_ciphertexts *r, hb_ciphertexts a, const hb_switch_key *const *keys,
                       uint32_t key_count)
{
    const size_t count = hb_ciphertexts_count(a);
    const uint32_t k = a.all.limbs;
    const size_t step = hb_evaluator_fit(ev, hb_hoist_key_words(ev->params, k), hb_hoist_words(ev->params, k), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const hoisting w = take(ev, a, c.count);
        const hb_batch c0 = hb_component_slice(a, 0, c.first, c.count);
        const hb_batch c1 = hb_component_slice(a, 1, c.first, c.count);
        HB_TRY(hb_digits_make(ev->engine, w.digits, c1, reuse(ev, w.products, c1.count, c1.limbs, c1.ids), w.form));
        for (uint32_t i = 0; i < key_count; i++) {
            if (hb_key_switches_first(keys[i])) {
                HB_TRY(automorphism_last(ev, &w, r[i], c.first, c0, keys[i]));
            } else {
                hb_batch to[2] = {hb_component_slice(r[i], 0, c.first, c.count),
                                  hb_component_slice(r[i], 1, c.first, c.count)};
                HB_TRY(automorphism_first(ev, &w, to, c0, keys[i]));
            }
        }
    }
    return HB_OK;
}

static hb_status one_by_one(hb_evaluator *ev, const hb_ciphertexts *r, hb_ciphertexts a,
                            const hb_switch_key *const *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_evaluator_galois(ev, r[i], a, keys[i]));
    }
    return HB_OK;
}

hb_status hb_evaluator_prepare_hoisting(hb_evaluator *ev, uint32_t limbs, const hb_switch_key *const *keys,
                                        uint32_t count)
{
    HB_ASSERT(limbs <= ev->requirements.limbs && ev->params->levels[limbs].basis.limbs == limbs);
    for (uint32_t i = 0; i < count; i++) {
        const bool flips = hb_key_needs_flips(keys[i]);
        HB_ASSERT(ev->requirements.hoisting || !flips);
        if (!hb_key_integers(keys[i])) {
            HB_TRY(hb_hoisted_prepare(ev, keys[i], flips ? limbs : 0));
        }
    }
    return HB_OK;
}

hb_status hb_evaluator_galois_hoisted(hb_evaluator *ev, const hb_ciphertexts *r, hb_ciphertexts a,
                                      const hb_switch_key *const *keys, uint32_t count)
{
    (void)hb_level_of(ev, a);
    HB_ASSERT(a.size == 2 && ev->requirements.hoisting);
    if (hb_key_integers(keys[0])) {
        return one_by_one(ev, r, a, keys, count);
    }
    bool flips = false;
    for (uint32_t i = 0; i < count; i++) {
        HB_ASSERT(keys[i]->gadget == &ev->params->gadget && keys[i]->limbs >= a.all.limbs && r[i].form == a.form);
        flips = flips || hb_key_needs_flips(keys[i]);
    }
    if (flips && a.form == HB_NTT_FORM) { /* where coefficients that are 0 are not seen */
        return one_by_one(ev, r, a, keys, count);
    }
    uint64_t zeros = 0;
    if (flips) {
        HB_TRY(hb_count_zeros(ev->engine, &zeros, hb_ciphertexts_component(a, 1)));
    }
    HB_TRY(hb_evaluator_prepare_hoisting(ev, a.all.limbs, keys, count));
    return zeros > 0 ? one_by_one(ev, r, a, keys, count) : hoist(ev, r, a, keys, count);
}
