#include "fixture.h"

#include <stdlib.h>

#include "rlwe/sparse_secret.h"
#include "scheme/bootstrap.h"
#include "scheme/slots.h"

/* Makes both keys from a root of their own. */
static hb_status make_keys(hb_fixture *s)
{
    hb_status st;
    hb_seed root; /* not that of the ciphertexts: their first public seed and error would be the key's */
    hb_seed_derive(&root, &s->root, "keys");
    hb_seed_public(&s->public_seed, 1, &root, 0);
    HB_GOTO(hb_secret_key_draw(&s->secret, s->engine, s->params, &root));
    st = hb_public_key_generate(&s->public_key, &s->secret, &root, &s->public_seed);
done:
    hb_wipe(&root, sizeof root);
    return st;
}

/* Allocates the members of hb_fixture_init; hb_fixture_clear frees them, also after a failure halfway. */
static hb_status make_operands(hb_fixture *s)
{
    const hb_params *p = s->params;
    s->seeds = calloc(s->count, sizeof *s->seeds);
    s->budgets = calloc(s->count, sizeof *s->budgets);
    if (s->seeds == NULL || s->budgets == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the seeds of %zu ciphertexts", s->count);
    }
    HB_TRY(hb_values_alloc(&s->values, s->engine, p, s->count));
    HB_TRY(hb_plaintexts_alloc(&s->plain, s->engine, p, p->fresh_limbs, s->count));
    HB_TRY(hb_batch_alloc(s->engine, &s->c0, s->count, p->fresh_limbs, p->ids));
    HB_TRY(hb_batch_alloc(s->engine, &s->c1, s->count, p->fresh_limbs, p->ids));
    return hb_batch_alloc(s->engine, &s->phase, s->count, p->fresh_limbs, p->ids);
}

hb_status hb_fixture_init(hb_fixture *s, hb_engine *engine, const hb_params *params, const hb_seed *root, size_t count)
{
    s->engine = engine;
    s->params = params;
    s->count = count;
    s->root = *root;
    HB_TRY(hb_codec_open(engine, params, hb_params_has_slots(params) ? HB_ENCODE_SLOTS : HB_ENCODE_COEFFICIENTS,
                         &s->codec));
    HB_TRY(make_keys(s));
    HB_TRY(hb_encryptor_open(engine, &s->secret, NULL, HB_GAUSSIAN, count, &s->with_secret));
    HB_TRY(hb_encryptor_open(engine, NULL, &s->public_key, HB_GAUSSIAN, count, &s->with_public));
    HB_TRY(hb_decryptor_open(engine, &s->secret, params->fresh_limbs, count, &s->decryptor));
    return make_operands(s);
}

hb_status hb_fixture_add_key(hb_fixture *s, uint32_t element)
{
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_switch_key key = {0};
    hb_status st;
    hb_switch_key_root(&root, &s->root, &s->params->spec, element);
    hb_seed_public(seeds, s->params->data_limbs, &root, 0);
    HB_GOTO(hb_switch_key_generate(&key, &s->secret, element, &root, seeds));
    st = hb_switch_keys_add(&s->keys, &key);
done:
    hb_wipe(&root, sizeof root);
    hb_switch_key_clear(&key);
    return st;
}

static hb_status add_key_for(hb_fixture *s, const hb_key_purpose *purpose)
{
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_switch_key key = {0};
    hb_status st;
    hb_key_purpose_root(&root, &s->root, purpose);
    hb_seed_public(seeds, HB_MAX_LIMBS, &root, 0);
    HB_GOTO(hb_switch_key_generate_for(&key, &s->secret, purpose, &root, seeds));
    st = hb_switch_keys_add(&s->keys, &key);
done:
    hb_wipe(&root, sizeof root);
    hb_switch_key_clear(&key);
    return st;
}

hb_status hb_fixture_add_bootstrap_keys(hb_fixture *s)
{
    hb_secret_key sparse = {0};
    hb_key_purpose *list = NULL;
    uint32_t count = 0;
    hb_status st;
    HB_GOTO(hb_bootstrap_key_purposes(s->params, &list, &count));
    HB_GOTO(hb_sparse_secret_open(&sparse, s->engine, s->params, &s->root));
    for (uint32_t i = 0; i < count; i++) {
        const bool between = list[i].source == HB_TO_SPARSE || list[i].source == HB_FROM_SPARSE;
        list[i].other = between ? &sparse : NULL;
        HB_GOTO(add_key_for(s, &list[i]));
    }
done:
    hb_secret_key_clear(&sparse);
    free(list);
    return st;
}

/* Adds the keys that hb_fixture_evaluate promises. */
static hb_status add_keys(hb_fixture *s, uint32_t rotations)
{
    const hb_params_spec *spec = &s->params->spec;
    int64_t steps[HB_GALOIS_MOST_STEPS];
    const uint32_t all = hb_slots_sum_steps(spec, steps);
    HB_TRY(hb_fixture_add_key(s, HB_RELINEARIZATION));
    for (uint32_t i = 0; i < rotations && i < all; i++) {
        HB_TRY(hb_fixture_add_key(s, hb_slots_rotation(spec, steps[i])));
    }
    return rotations >= all ? hb_fixture_add_key(s, hb_slots_swap(spec)) : HB_OK;
}

hb_status hb_fixture_evaluate(hb_fixture *s, uint32_t rotations)
{
    const hb_params *p = s->params;
    const bool switching = hb_params_can_switch(p);
    /* The requirements of the measurements and checks; lower levels take the same workspace. */
    const hb_evaluator_requirements requirements = {.limbs = p->fresh_limbs,
                                                    .count = s->count,
                                                    .size = 2,
                                                    .switching = switching,
                                                    .hoisting = switching && rotations > 1,
                                                    .plain_factors = true};
    /* numbers of the second operands: no two ciphertexts draw the same words */
    const uint64_t second = (uint64_t)1 << 32;
    if (switching) {
        HB_TRY(add_keys(s, rotations));
    }
    HB_TRY(hb_evaluator_open(s->engine, p, &requirements, &s->evaluator));
    HB_TRY(hb_ciphertexts_alloc(&s->a, s->engine, p, 2, s->count, p->fresh_limbs));
    HB_TRY(hb_ciphertexts_alloc(&s->b, s->engine, p, 2, s->count, p->fresh_limbs));
    HB_TRY(hb_ciphertexts_alloc(&s->wide, s->engine, p, 3, s->count, p->fresh_limbs));
    HB_TRY(hb_ciphertexts_alloc(&s->narrow, s->engine, p, 2, s->count, p->fresh_limbs));
    HB_TRY(hb_encrypt(s->with_public, hb_ciphertexts_component(s->a, 0), hb_ciphertexts_component(s->a, 1), NULL,
                      s->plain, &s->root, 0));
    return hb_encrypt(s->with_public, hb_ciphertexts_component(s->b, 0), hb_ciphertexts_component(s->b, 1), NULL,
                      s->plain, &s->root, second);
}

void hb_fixture_clear(hb_fixture *s)
{
    /* Nothing was opened. */
    if (s->engine == NULL) {
        return;
    }
    hb_batch *const batches[] = {&s->values, &s->plain, &s->c0,       &s->c1,        &s->phase,
                                 &s->a.all,  &s->b.all, &s->wide.all, &s->narrow.all};
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        hb_batch_free(s->engine, batches[i]);
    }
    hb_evaluator_close(s->evaluator);
    hb_switch_keys_clear(&s->keys);
    hb_decryptor_close(s->decryptor);
    hb_encryptor_close(s->with_secret);
    hb_encryptor_close(s->with_public);
    hb_public_key_clear(&s->public_key);
    hb_secret_key_clear(&s->secret);
    hb_codec_close(s->codec);
    hb_wipe(&s->root, sizeof s->root);
    free(s->budgets);
    free(s->seeds);
}
