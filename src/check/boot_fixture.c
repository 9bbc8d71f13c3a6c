#include "boot_fixture.h"

#include <stdlib.h>

#include "rlwe/sparse_secret.h"

static hb_status add_key(hb_boot_fixture *x, hb_key_purpose purpose, const hb_secret_key *sparse)
{
    const hb_fixture *s = x->s;
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_switch_key key = {0};
    hb_status st;
    if (purpose.source == HB_TO_SPARSE || purpose.source == HB_FROM_SPARSE) {
        purpose.other = sparse;
    }
    hb_key_purpose_root(&root, &s->root, &purpose);
    hb_seed_public(seeds, s->params->data_limbs, &root, 0);
    HB_GOTO(hb_switch_key_generate_for(&key, &s->secret, &purpose, &root, seeds));
    st = hb_switch_keys_add(&x->keys, &key);
done:
    hb_wipe(&root, sizeof root);
    hb_switch_key_clear(&key);
    return st;
}

static hb_status add_keys(hb_boot_fixture *x)
{
    const hb_fixture *s = x->s;
    hb_secret_key sparse = {0};
    uint32_t count;
    hb_status st;
    HB_TRY(hb_bootstrap_key_purposes(s->params, NULL, 0, &count));
    hb_key_purpose *list = calloc(count, sizeof *list);
    if (list == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a list of %u keys", count);
    }
    HB_GOTO(hb_bootstrap_key_purposes(s->params, list, count, &count));
    HB_GOTO(hb_sparse_secret_open(&sparse, s->engine, s->params, &s->root));
    for (uint32_t i = 0; i < count; i++) {
        HB_GOTO(add_key(x, list[i], &sparse));
    }
    st = hb_finish(s->engine);
done:
    hb_secret_key_clear(&sparse);
    free(list);
    return st;
}

/* Encrypts the plaintexts, each time with draws of its own, and goes down to the level of operands. */
static hb_status encrypt(hb_boot_fixture *x)
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

hb_status hb_boot_fixture_init(hb_boot_fixture *x, const hb_fixture *s, const hb_bootstrap_spec *spec)
{
    /* Real and imaginary parts are reduced together. */
    const hb_evaluator_requirements requirements = {
        .limbs = s->params->data_limbs, .count = 2 * spec->count, .switching = true};
    x->s = s;
    HB_TRY(hb_bootstrap_open(s->engine, s->params, spec, &x->boot));
    HB_TRY(hb_evaluator_open(s->engine, s->params, &requirements, &x->evaluator));
    for (int i = 0; i < 2; i++) {
        HB_TRY(hb_ciphertexts_alloc(&x->a[i], s->engine, s->params, 2, s->count, x->boot->limbs));
        HB_TRY(hb_ciphertexts_alloc(&x->r[i], s->engine, s->params, 2, s->count, x->boot->result_limbs));
    }
    HB_TRY(add_keys(x));
    return encrypt(x);
}

hb_status hb_boot_fixture_apply(hb_boot_fixture *x, hb_bootstrap_kind kind, uint32_t range_bits)
{
    return hb_bootstrap_apply(x->evaluator, x->boot, kind, range_bits, x->r, x->a, &x->keys);
}

void hb_boot_fixture_clear(hb_boot_fixture *x)
{
    if (x->s == NULL) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        hb_batch_free(x->s->engine, &x->a[i].all);
        hb_batch_free(x->s->engine, &x->r[i].all);
    }
    hb_switch_keys_clear(&x->keys);
    hb_evaluator_close(x->evaluator);
    hb_bootstrap_close(x->boot);
}
