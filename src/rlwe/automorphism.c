/* Automorphisms of polynomials, and the kept forms of their keys (evaluator_private.h). */
#include <stdlib.h>

#include "evaluator_private.h"
#include "ring/switch_arith.h"

uint64_t hb_evaluator_automorphism_bytes(const hb_params *params)
{
    return params->ring.n * 2 * sizeof(uint32_t);
}

uint64_t hb_evaluator_hoisted_bytes(const hb_params *params, uint32_t limbs)
{
    if (!hb_params_can_switch(params) || params->gadget.centred) {
        return 0; /* asked by who adds up the memory of any program */
    }
    const hb_gadget_level *level = &params->gadget.levels[limbs];
    return hb_evaluator_automorphism_bytes(params) +
           hb_words_of(params, 2, level->switch_ids, level->switch_limbs) * sizeof(uint64_t);
}

void hb_hoisted_clear(hb_evaluator *ev)
{
    for (uint32_t i = 0; i < ev->hoisted_count; i++) {
        hb_permutation_clear(&ev->hoisted[i].automorphism, ev->engine);
        hb_batch_free(ev->engine, &ev->hoisted[i].flips);
    }
    free(ev->hoisted);
}

/* M in every limb of `to`, one polynomial. */
static hb_status upload_flipped(hb_evaluator *ev, hb_batch to, uint32_t element)
{
    const size_t n = ev->params->ring.n;
    uint64_t *flipped = calloc(n, sizeof *flipped);
    if (flipped == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the automorphism X -> X^%u", element);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at = i * element & (2 * n - 1);
        flipped[at & (n - 1)] = at >= n;
    }
    hb_status st = HB_OK;
    for (uint32_t l = 0; l < hb_limbs_here(ev->engine, to.ids, to.limbs); l++) {
        HB_GOTO(hb_upload(ev->engine, to.data + l * n, flipped, n * sizeof *flipped));
    }
    st = hb_finish(ev->engine);
done:
    free(flipped);
    return st;
}

/* sum_J q_J M E_J: the product of the key with a ciphertext whose digits are q_J M. */
static hb_status make_flips(hb_evaluator *ev, hb_hoisted *h, const hb_switch_key *key, const hb_gadget_level *level)
{
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const hb_batch made = hb_workspace_take(&workspace, ev, level->digits, level->switch_limbs, level->switch_ids);
    const hb_batch flipped = hb_workspace_take(&workspace, ev, 1, level->switch_limbs, level->switch_ids);
    const hb_digits digits = {key->gadget, level, 1, made, {.data = NULL}};
    HB_TRY(upload_flipped(ev, flipped, key->element));
    HB_TRY(hb_ntt(ev->engine, flipped));
    for (uint32_t j = 0; j < level->digits; j++) {
        uint64_t factors[HB_MAX_LIMBS];
        for (uint32_t l = 0; l < level->switch_limbs; l++) {
            factors[l] = ev->params->spec.primes[j] % ev->params->ring.moduli[level->switch_ids[l]].value;
        }
        HB_TRY(hb_scale(ev->engine, hb_batch_slice(made, j, 1), flipped, factors));
    }
    HB_TRY(hb_batch_alloc(ev->engine, &h->flips, 2, level->switch_limbs, level->switch_ids));
    return hb_switch_key_multiply(ev->engine, h->flips, digits, key);
}

const hb_hoisted *hb_hoisted_find(const hb_evaluator *ev, const hb_switch_key *key, uint32_t limbs)
{
    for (uint32_t i = 0; i < ev->hoisted_count; i++) {
        const hb_hoisted *h = &ev->hoisted[i];
        if (h->serial == key->serial && (limbs == 0 || h->limbs == limbs)) {
            return h;
        }
    }
    return NULL;
}

hb_status hb_hoisted_prepare(hb_evaluator *ev, const hb_switch_key *key, uint32_t limbs)
{
    if (hb_hoisted_find(ev, key, limbs) != NULL) {
        return HB_OK;
    }
    hb_hoisted *longer = realloc(ev->hoisted, ((size_t)ev->hoisted_count + 1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u prepared keys", ev->hoisted_count + 1);
    }
    ev->hoisted = longer;
    hb_hoisted *h = &ev->hoisted[ev->hoisted_count];
    *h = (hb_hoisted){.serial = key->serial, .limbs = limbs};
    hb_status st;
    HB_GOTO(hb_permutation_init_galois(&h->automorphism, ev->engine, key->element));
    if (limbs > 0) {
        HB_GOTO(make_flips(ev, h, key, hb_gadget_level_of(ev, limbs)));
    }
    ev->hoisted_count++;
done:
    if (st != HB_OK) {
        hb_permutation_clear(&h->automorphism, ev->engine);
        hb_batch_free(ev->engine, &h->flips);
    }
    return st;
}

hb_status hb_key_automorphism(hb_evaluator *ev, hb_batch r, hb_batch a, const hb_switch_key *key, hb_form form)
{
    if (form == HB_COEFFICIENT_FORM) {
        return hb_galois(ev->engine, r, a, key->element);
    }
    HB_TRY(hb_hoisted_prepare(ev, key, 0));
    return hb_permute(ev->engine, r, a, hb_hoisted_find(ev, key, 0)->automorphism.map);
}
