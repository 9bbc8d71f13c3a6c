#include "bootstrap_fixture.h"

#include "bootstrapping/chain.h"

/* Adds the keys, unless they have been added before. */
static hb_status add_keys(hb_fixture *s)
{
    if (hb_switch_keys_find_at(&s->keys, HB_TO_SPARSE, 0, 1) == NULL) {
        HB_TRY(hb_fixture_add_bootstrap_keys(s));
    }
    return hb_finish(s->engine);
}

/* Encrypts the plaintexts, each time with draws of its own, and goes down to the level of operands. */
static hb_status encrypt(hb_bootstrap_fixture *x)
{
    const hb_fixture *s = x->s;
    hb_ciphertexts fresh = {.size = 2};
    hb_status st;
    HB_GOTO(hb_ciphertexts_alloc(&fresh, s->engine, s->params, 2, s->count, s->params->fresh_limbs));
    for (uint64_t i = 0; i < 2; i++) {
        HB_GOTO(hb_encrypt(s->with_public, hb_ciphertexts_component(fresh, 0), hb_ciphertexts_component(fresh, 1), NULL,
                           s->plain, &s->root, (2 + i) << 32));
        HB_GOTO(hb_evaluator_adjust(x->evaluator, x->a[i], fresh));
    }
    st = hb_finish(s->engine);
done:
    hb_batch_free(s->engine, &fresh.all);
    return st;
}

hb_status hb_bootstrap_fixture_init(hb_bootstrap_fixture *x, hb_fixture *s, const hb_bootstrap_spec *spec)
{
    /* Real and imaginary parts are reduced together. Passes over integers have an evaluator of their own. */
    const bool integers = hb_bootstrapping_of_integers(&s->params->spec.bootstrapping);
    const hb_evaluator_requirements requirements = {.limbs = integers ? s->params->fresh_limbs : s->params->data_limbs,
                                                    .count = 2 * spec->count,
                                                    .switching = true};
    x->s = s;
    HB_TRY(hb_bootstrap_open(s->engine, s->params, spec, &x->bootstrap));
    HB_TRY(hb_evaluator_open(s->engine, s->params, &requirements, &x->evaluator));
    for (int i = 0; i < 2; i++) {
        HB_TRY(hb_ciphertexts_alloc(&x->a[i], s->engine, s->params, 2, s->count, x->bootstrap->limbs));
        HB_TRY(hb_ciphertexts_alloc(&x->r[i], s->engine, s->params, 2, s->count, x->bootstrap->result_limbs));
    }
    HB_TRY(add_keys(s));
    return encrypt(x);
}

hb_status hb_bootstrap_fixture_apply(hb_bootstrap_fixture *x, hb_bootstrap_kind kind, uint32_t range_bits)
{
    return hb_bootstrap_apply(x->evaluator, x->bootstrap, kind, range_bits, x->r, x->a, &x->s->keys);
}

void hb_bootstrap_fixture_clear(hb_bootstrap_fixture *x)
{
    if (x->s == NULL) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        hb_batch_free(x->s->engine, &x->a[i].all);
        hb_batch_free(x->s->engine, &x->r[i].all);
    }
    hb_evaluator_close(x->evaluator);
    hb_bootstrap_close(x->bootstrap);
}
