#include "evaluation.h"

#include "scheme/slots.h"

hb_ciphertexts hb_evaluation_first(const hb_evaluation *x, hb_ciphertexts a)
{
    return hb_ciphertexts_view(a, x->fixture.engine, x->fixture.params, a.size, x->count, a.all.limbs);
}

hb_status hb_evaluation_add(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_add(s->evaluator, hb_evaluation_first(x, s->narrow), hb_evaluation_first(x, s->a),
                            hb_evaluation_first(x, s->b));
}

hb_status hb_evaluation_rotate(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    return hb_evaluator_rotate(s->evaluator, hb_evaluation_first(x, s->narrow), hb_evaluation_first(x, s->a), 1,
                               &s->keys);
}

hb_status hb_evaluation_rotate_hoisted(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    hb_ciphertexts r[HB_BENCH_HOISTED];
    const hb_switch_key *keys[HB_BENCH_HOISTED];
    for (uint32_t i = 0; i < HB_BENCH_HOISTED; i++) {
        r[i] = hb_evaluation_first(x, x->rotated[i]);
        keys[i] = hb_switch_keys_find(&s->keys, hb_slots_rotation(&s->params->spec, (int64_t)1 << i));
    }
    return hb_evaluator_galois_hoisted(s->evaluator, r, hb_evaluation_first(x, s->a), keys, HB_BENCH_HOISTED);
}

hb_status hb_evaluation_combine(void *argument)
{
    const hb_evaluation *x = argument;
    hb_batch a[HB_BENCH_HOISTED];
    const hb_batch r = hb_evaluation_first(x, x->fixture.narrow).all;
    for (uint32_t i = 0; i < HB_BENCH_HOISTED; i++) {
        a[i] = hb_evaluation_first(x, x->rotated[i]).all;
    }
    return hb_evaluator_combine(x->fixture.evaluator, &r, a, &x->sum);
}

hb_status hb_evaluation_combine_several(void *argument)
{
    const hb_evaluation *x = argument;
    hb_batch r[HB_BENCH_SUMS], a[HB_BENCH_SUMS];
    for (uint32_t i = 0; i < HB_BENCH_SUMS; i++) {
        a[i] = hb_evaluation_first(x, x->rotated[i]).all;
        r[i] = hb_evaluation_first(x, x->rotated[HB_BENCH_SUMS + i]).all;
    }
    return hb_evaluator_combine(x->fixture.evaluator, r, a, &x->sums);
}

hb_status hb_evaluation_mod_switch(void *argument)
{
    const hb_evaluation *x = argument;
    return hb_evaluator_mod_switch(x->fixture.evaluator, hb_evaluation_first(x, x->low),
                                   hb_evaluation_first(x, x->fixture.a));
}

hb_status hb_evaluation_open(hb_evaluation *x, const hb_bench_options *options, size_t count)
{
    const hb_params *p = options->params;
    hb_seed root;
    hb_seed_random(&root);
    HB_TRY(hb_device_open_ring(options->device, &p->ring, &x->engine));
    const hb_status st = hb_fixture_init(&x->fixture, x->engine, p, &root, count);
    hb_wipe(&root, sizeof root);
    HB_TRY(st);
    hb_seed_public(x->fixture.seeds, count, &x->fixture.root, 0);
    x->count = count;
    return HB_OK;
}

static hb_status make_weights(hb_evaluation *x)
{
    static const int64_t numbers[HB_BENCH_HOISTED] = {3, -5, 7, 11, -13, 17, 19, -23};
    const hb_params *p = x->fixture.params;
    hb_weight_row rows[HB_BENCH_SUMS];
    for (uint32_t i = 0; i < HB_BENCH_SUMS; i++) {
        rows[i] = (hb_weight_row){.integers = numbers + i};
    }
    HB_TRY(hb_weights_init(&x->sum, x->engine, p, rows, 1, HB_BENCH_HOISTED, p->fresh_limbs));
    return hb_weights_init(&x->sums, x->engine, p, rows, HB_BENCH_SUMS, HB_BENCH_SUMS, p->fresh_limbs);
}

hb_status hb_evaluation_prepare(hb_evaluation *x, uint32_t rotations)
{
    const hb_params *p = x->fixture.params;
    HB_TRY(hb_fixture_evaluate(&x->fixture, rotations));
    HB_TRY(hb_ciphertexts_alloc(&x->low, x->engine, p, 2, x->count, p->fresh_limbs - hb_params_level_limbs(p)));
    for (uint32_t i = 0; i < HB_BENCH_HOISTED; i++) {
        HB_TRY(hb_ciphertexts_alloc(&x->rotated[i], x->engine, p, 2, x->count, p->fresh_limbs));
    }
    return make_weights(x);
}

void hb_evaluation_close(hb_evaluation *x)
{
    if (x->engine != NULL) {
        hb_batch_free(x->engine, &x->low.all);
        hb_weights_clear(&x->sum, x->engine);
        hb_weights_clear(&x->sums, x->engine);
        for (uint32_t i = 0; i < HB_BENCH_HOISTED; i++) {
            hb_batch_free(x->engine, &x->rotated[i].all);
        }
    }
    hb_fixture_clear(&x->fixture);
    hb_engine_close(x->engine);
}
