/* Making switching keys: with the secret that they switch to, and with its public key alone (switch_key.h;
 * semantics.md 7). */
#include "ring/permutation.h"
#include "switch_key_private.h"

/* Whether a key is made with a secret beside s. */
static bool is_between_secrets(hb_key_source source)
{
    return source == HB_FROM_SECRET || source == HB_TO_SPARSE || source == HB_FROM_SPARSE;
}

/* r = s(X^element), or s(X^(1/element)), word by word of the NTT form. Waits. */
static hb_status apply_automorphism(hb_engine *e, hb_batch r, hb_batch s, uint32_t element, bool inverse)
{
    hb_permutation automorphism = {0};
    hb_status st;
    HB_GOTO(hb_permutation_init_galois(&automorphism, e, element));
    HB_GOTO(hb_permute(e, r, s, inverse ? automorphism.inverse : automorphism.map));
    HB_GOTO(hb_finish(e));
done:
    hb_permutation_clear(&automorphism, e);
    return st;
}

/* Copies the limbs of the key out of `all`, one polynomial modulo all K primes, to r, [1][the key's limbs]. */
static hb_status take_limbs(const hb_switch_key *key, hb_batch r, hb_batch all)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        const uint32_t at = r.ids[l]; /* of all K limbs, which are in the order of their ids */
        HB_ASSERT(all.ids[at] == r.ids[l]);
        HB_TRY(hb_copy(key->engine, hb_batch_limbs(key->engine, r, l, 1), hb_batch_limbs(key->engine, all, at, 1)));
    }
    return HB_OK;
}

/* The two secrets of a key: the one it switches from, and the one it switches to. Both and `own` are [1][the key's
 * limbs]. */
static hb_status take_secrets(const hb_switch_key *key, hb_batch from, hb_batch to, hb_batch own,
                              const hb_secret_key *secret, const hb_key_purpose *purpose)
{
    hb_engine *e = key->engine;
    HB_TRY(take_limbs(key, own, secret->s));
    HB_TRY(hb_copy(e, to, own));
    switch (purpose->source) {
    case HB_FROM_SQUARE:
        return hb_mul(e, from, own, own);
    case HB_FROM_AUTOMORPHISM:
        return apply_automorphism(e, from, own, purpose->element, false);
    case HB_TO_AUTOMORPHISM:
        HB_TRY(hb_copy(e, from, own));
        return apply_automorphism(e, to, own, purpose->element, true);
    case HB_TO_SPARSE:
        HB_TRY(hb_copy(e, from, own));
        return take_limbs(key, to, purpose->other->s);
    case HB_FROM_SECRET:
    case HB_FROM_SPARSE:
        break;
    }
    return take_limbs(key, from, purpose->other->s);
}

/* Part J of component 0 gets P s', but only in the limbs of digit J. Destroys `from`. */
static hb_status add_targets(const hb_switch_key *key, hb_batch from)
{
    const hb_batch b = hb_switch_key_component(key, 0);
    uint64_t factors[HB_MAX_LIMBS];
    hb_gadget_factors(key->gadget, &key->params->ring, from.ids, from.limbs, factors);
    HB_TRY(hb_scale(key->engine, from, from, factors));
    for (uint32_t j = 0; j < hb_switch_key_level(key)->digits; j++) {
        const uint32_t first = hb_gadget_first(key->gadget, j), limbs = hb_gadget_limbs(key->gadget, j, key->limbs);
        const hb_batch to = hb_batch_limbs(key->engine, hb_batch_slice(b, j, 1), first, limbs);
        HB_TRY(hb_add(key->engine, to, to, hb_batch_limbs(key->engine, from, first, limbs)));
    }
    return HB_OK;
}

/* Component 0 of a key whose component 1 is there. */
static hb_status complete(hb_switch_key *key, const hb_secret_key *secret, const hb_key_purpose *purpose,
                          const hb_seed *root)
{
    hb_engine *e = secret->engine;
    const hb_gadget_level *level = hb_switch_key_level(key);
    const hb_batch b = hb_switch_key_component(key, 0), a = hb_switch_key_component(key, 1);
    hb_batch secrets = {0};
    hb_status st;
    HB_GOTO(hb_batch_alloc_locked(e, &secrets, 3, level->switch_limbs, level->switch_ids));
    const hb_batch from = hb_batch_slice(secrets, 0, 1), to = hb_batch_slice(secrets, 1, 1);
    HB_GOTO(take_secrets(key, from, to, hb_batch_slice(secrets, 2, 1), secret, purpose));
    HB_GOTO(hb_mul(e, b, a, to));
    HB_GOTO(hb_negate(e, b, b));
    /* Errors join in coefficient form, in place: two transforms more, and no second key's worth of memory for them. */
    HB_GOTO(hb_intt(e, b));
    HB_GOTO(hb_add_small(e, b, HB_GAUSSIAN, (hb_draw){root, HB_DRAW_ERROR_0, 0}, HB_MINUS));
    HB_GOTO(hb_ntt(e, b));
    HB_GOTO(add_targets(key, from));
    HB_GOTO(hb_finish(e));
done:
    hb_batch_wipe(e, secrets);
    hb_batch_free(e, &secrets);
    return st;
}

/* Wipes and frees an incomplete key: it may hold products of secrets without their errors. */
static void discard(hb_switch_key *key)
{
    hb_batch_wipe(key->engine, key->parts);
    hb_switch_key_clear(key);
}

hb_status hb_switch_key_generate_for(hb_switch_key *key, const hb_secret_key *secret, const hb_key_purpose *purpose,
                                     const hb_seed *root, const hb_seed *public_seeds)
{
    hb_status st;
    HB_ASSERT(is_between_secrets(purpose->source) == (purpose->other != NULL));
    HB_GOTO(hb_switch_key_alloc(key, secret->engine, secret->params, purpose));
    HB_GOTO(hb_sample_uniform(secret->engine, hb_switch_key_component(key, 1), public_seeds));
    st = complete(key, secret, purpose, root);
done:
    if (st != HB_OK) {
        discard(key);
    }
    return st;
}

hb_status hb_switch_key_generate(hb_switch_key *key, const hb_secret_key *secret, uint32_t element, const hb_seed *root,
                                 const hb_seed *public_seeds)
{
    const hb_key_purpose purpose = hb_key_purpose_of(&secret->params->spec, element);
    return hb_switch_key_generate_for(key, secret, &purpose, root, public_seeds);
}

hb_status hb_switch_key_generate_words(hb_switch_key *key, const hb_secret_key *secret, uint32_t element,
                                       const hb_seed *root, const uint64_t *words)
{
    const size_t polynomial = secret->params->key_limbs * secret->params->ring.n;
    const hb_key_purpose purpose = hb_key_purpose_of(&secret->params->spec, element);
    hb_status st;
    HB_GOTO(hb_switch_key_alloc(key, secret->engine, secret->params, &purpose));
    for (size_t i = 1; i < key->parts.count; i += 2) {
        HB_GOTO(hb_key_words(secret->engine, hb_batch_slice(key->parts, i, 1), words + i * polynomial));
    }
    st = complete(key, secret, &purpose, root);
done:
    if (st != HB_OK) {
        discard(key);
    }
    return st;
}

/* --- by a public key */

/* Polynomials that are wiped: s' of the key's limbs, a component of the public key, and u of all parts. */
typedef struct drafts {
    hb_batch from, public_part, u;
} drafts;

static hb_status alloc_drafts(drafts *d, const hb_switch_key *key)
{
    const hb_batch parts = key->parts;
    HB_TRY(hb_batch_alloc_locked(key->engine, &d->from, 1, parts.limbs, parts.ids));
    HB_TRY(hb_batch_alloc(key->engine, &d->public_part, 1, parts.limbs, parts.ids));
    return hb_batch_alloc_locked(key->engine, &d->u, parts.count / 2, parts.limbs, parts.ids);
}

static void clear_drafts(drafts *d, hb_engine *e)
{
    hb_batch *const all[] = {&d->from, &d->public_part, &d->u};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_wipe(e, *all[i]);
        hb_batch_free(e, all[i]);
    }
}

/* Component c of all parts: u times that of the public key, and an error, which joins in coefficient form. */
static hb_status encrypt_component(const hb_switch_key *key, const drafts *d, size_t c, hb_batch public_all,
                                   hb_draw error)
{
    hb_engine *e = key->engine;
    const hb_batch r = hb_switch_key_component(key, c);
    HB_TRY(take_limbs(key, d->public_part, public_all));
    HB_TRY(hb_mul(e, r, d->u, d->public_part));
    HB_TRY(hb_intt(e, r));
    HB_TRY(hb_add_small(e, r, HB_GAUSSIAN, error, HB_PLUS));
    return hb_ntt(e, r);
}

hb_status hb_switch_key_encrypt(hb_switch_key *key, const hb_secret_key *from, const hb_public_key *to, uint32_t limbs,
                                const hb_seed *root)
{
    hb_engine *e = from->engine;
    const hb_key_purpose purpose = {.limbs = limbs, .source = HB_FROM_SECRET};
    drafts d = {.from = {.data = NULL}};
    hb_status st;
    HB_ASSERT(to->engine == e && to->params == from->params);
    HB_GOTO(hb_switch_key_alloc(key, e, from->params, &purpose));
    HB_GOTO(alloc_drafts(&d, key));
    HB_GOTO(hb_sample_small(e, d.u, HB_TERNARY, (hb_draw){root, HB_DRAW_TERNARY, 0}));
    HB_GOTO(hb_ntt(e, d.u));
    HB_GOTO(encrypt_component(key, &d, 0, to->b, (hb_draw){root, HB_DRAW_ERROR_0, 0}));
    HB_GOTO(encrypt_component(key, &d, 1, to->a, (hb_draw){root, HB_DRAW_ERROR_1, 0}));
    HB_GOTO(take_limbs(key, d.from, from->s));
    HB_GOTO(add_targets(key, d.from));
    HB_GOTO(hb_finish(e));
done:
    clear_drafts(&d, e);
    if (st != HB_OK) {
        discard(key);
    }
    return st;
}
