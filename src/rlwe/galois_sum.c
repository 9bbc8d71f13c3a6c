/* A ciphertext plus several automorphisms of it (evaluator.h): its digits serve all, and their products with the keys
 * are added up, times P, before the one division. */
#include "evaluator_private.h"

_Static_assert(HB_GALOIS_SUM_MOST < HB_ROTATION_TERMS, "the ciphertext itself is a term too");

/* Workspace of one batch of ciphertexts. */
typedef struct summing {
    hb_digits digits; /* of c_1, whose own limbs stay there */
    hb_batch total;   /* [2 * count][switch limbs] */
    hb_batch coefficients;
} summing;

static summing take(hb_evaluator *ev, hb_batch c1)
{
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const hb_gadget_level *level = hb_gadget_level_of(ev, c1.limbs);
    const hb_batch digits =
        hb_workspace_take(&workspace, ev, c1.count * level->digits, level->switch_limbs, level->switch_ids);
    summing s = {.digits = hb_digits_on(ev->engine, &ev->params->gadget, c1.limbs, digits.data, c1.count)};
    s.digits.own = c1;
    s.total = hb_workspace_take(&workspace, ev, 2 * c1.count, level->switch_limbs, level->switch_ids);
    s.coefficients = hb_workspace_take(&workspace, ev, c1.count, c1.limbs, c1.ids);
    return s;
}

/* Sets s->total to P times the ciphertexts plus the products of keys and digits, each after its automorphism. */
static hb_status add_up(hb_evaluator *ev, const summing *s, const hb_batch c[2], const hb_switch_key *const *keys,
                        uint32_t count)
{
    uint64_t factors[HB_MAX_LIMBS];
    hb_limb_range ranges[HB_MAX_LIMBS];
    hb_rotation_term terms[HB_GALOIS_SUM_MOST + 1] = {{.plus = {c[0], c[1]}}};
    for (uint32_t i = 0; i < count; i++) {
        terms[1 + i] = (hb_rotation_term){.by = &hb_hoisted_find(ev, keys[i], 0)->automorphism,
                                          .digits = s->digits.all,
                                          .own = s->digits.own,
                                          .key = keys[i]->parts,
                                          .plus[0] = c[0]};
    }
    hb_gadget_factors(&ev->params->gadget, &ev->params->ring, c[0].ids, c[0].limbs, factors);
    hb_gadget_own_limbs(s->digits.level, ranges);
    const hb_rotation_sum sum = {.terms = terms, .count = 1 + count, .ranges = ranges, .factors = factors};
    return hb_rotation_sums(ev->engine, s->total, 1, &sum);
}

bool hb_evaluator_galois_sums(const hb_evaluator *ev, const hb_switch_key *key, hb_form form)
{
    return form == HB_NTT_FORM && hb_key_switches_first(key) && key->gadget == &ev->params->gadget &&
           key->gadget->centred && key->parts.data != NULL;
}

hb_status hb_evaluator_galois_sum(hb_evaluator *ev, hb_ciphertexts r, const hb_switch_key *const *keys, uint32_t count)
{
    (void)hb_level_of(ev, r);
    HB_ASSERT(r.size == 2 && ev->requirements.switching && count >= 1 && count <= HB_GALOIS_SUM_MOST);
    for (uint32_t i = 0; i < count; i++) {
        HB_ASSERT(hb_evaluator_galois_sums(ev, keys[i], r.form) && keys[i]->limbs >= r.all.limbs);
        HB_TRY(hb_hoisted_prepare(ev, keys[i], 0));
    }
    const size_t all = hb_ciphertexts_count(r);
    const size_t step = hb_evaluator_fit(ev, 0, hb_switch_words(ev->params, r.all.limbs), all);
    for (hb_chunk at = hb_chunks(all, step); hb_chunk_next(&at);) {
        const hb_batch c[2] = {hb_component_slice(r, 0, at.first, at.count),
                               hb_component_slice(r, 1, at.first, at.count)};
        const summing s = take(ev, c[1]);
        HB_TRY(hb_digits_make(ev->engine, s.digits, c[1], s.coefficients, HB_NTT_FORM));
        HB_TRY(add_up(ev, &s, c, keys, count));
        /* Their values are in the total by now. */
        HB_TRY(hb_evaluator_divide_total(ev, r, at.first, s.total, &s.digits.level->down));
    }
    return HB_OK;
}
