/* Passes over integers at work in tests: what they take, and the model's words behind every stage (int_vectors.h). */
#ifndef HB_TESTS_INT_STAGES_H
#define HB_TESTS_INT_STAGES_H

#include <stdlib.h>

#include "reference/bootstrap_model.h"
#include "reference/int_products.h"
#include "scheme/bootstrap.h"

/* Looks at every stage. */
typedef struct watch {
    side *s;
    const int_case *c;
    uint32_t seen[HB_BOOTSTRAP_STAGES];
} watch;

static inline hb_status expect_one(const watch *w, const char *item, hb_ciphertexts made, size_t i)
{
    side *s = w->s;
    const size_t before = s->takens;
    const hb_ciphertexts one = room(s, 2, 1, made.all.limbs);
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(s->engine, hb_ciphertexts_component(one, c),
                       hb_batch_slice(hb_ciphertexts_component(made, c), i, 1)));
    }
    HB_TRY(int_expect(s, w->c, item, one.all));
    give_back(s, before);
    return HB_OK;
}

static inline hb_status see(void *with, hb_bootstrap_stage stage, hb_ciphertexts made)
{
    watch *w = with;
    const hb_bootstrapping_spec *chain = &w->s->params->spec.bootstrapping;
    const uint32_t seen = ++w->seen[stage];
    switch (stage) {
    case HB_BOOTSTRAP_RAISE:
        return expect_one(w, "raised", made, 0);
    case HB_BOOTSTRAP_CTS:
        return seen == chain->cts_levels ? expect_one(w, "cts", made, 0) : HB_OK;
    case HB_BOOTSTRAP_SPLIT:
        return expect_one(w, "split", made, 0);
    case HB_BOOTSTRAP_EVAL_MOD:
        HB_TRY(expect_one(w, "evalmod_re", made, 0));
        return expect_one(w, "evalmod_im", made, 1);
    case HB_BOOTSTRAP_STC:
        return seen == chain->stc_levels ? expect_one(w, "stc", made, 0) : HB_OK;
    default:
        return HB_OK;
    }
}

static inline hb_status expect_stages(const watch *w)
{
    const hb_bootstrapping_spec *chain = &w->s->params->spec.bootstrapping;
    const uint32_t expected[HB_BOOTSTRAP_STAGES] = {[HB_BOOTSTRAP_STC] = chain->stc_levels,
                                                    [HB_BOOTSTRAP_RAISE] = 1,
                                                    [HB_BOOTSTRAP_CTS] = chain->cts_levels,
                                                    [HB_BOOTSTRAP_SPLIT] = 1,
                                                    [HB_BOOTSTRAP_EVAL_MOD] = 1,
                                                    [HB_BOOTSTRAP_JOIN] = 1};
    return memcmp(w->seen, expected, sizeof expected) == 0 ? HB_OK : HB_FAIL(HB_DIFFERS, "stages are missing");
}

/* The context of a play. */
typedef struct rig {
    hb_switch_keys products, keys;
    hb_evaluator *ev;
    hb_bootstrap *bootstrap;
} rig;

static inline void rig_clear(rig *x)
{
    hb_bootstrap_close(x->bootstrap);
    hb_evaluator_close(x->ev);
    hb_switch_keys_clear(&x->keys);
    hb_switch_keys_clear(&x->products);
}

static inline hb_status refresh_keys(side *s, hb_switch_keys *keys)
{
    hb_key_purpose *list;
    uint32_t count;
    HB_TRY(hb_bootstrap_key_purposes(s->params, &list, &count));
    const hb_status st = model_keys_for(s, keys, list, count);
    free(list);
    return st;
}

/* table: NULL: none is opened. */
static inline hb_status rig_init(side *s, rig *x, const hb_bootstrap_table *table)
{
    const uint32_t limbs = s->params->fresh_limbs;
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = 1, .size = 2, .switching = true};
    *x = (rig){.ev = NULL};
    HB_TRY(hb_evaluator_open(s->engine, s->params, &requirements, &x->ev));
    HB_TRY(hb_bootstrap_open(s->engine, s->params,
                             &(hb_bootstrap_spec){.count = 1, .tables = table, .table_count = table != NULL},
                             &x->bootstrap));
    HB_TRY(model_switch_key(s, &x->products, HB_RELINEARIZATION));
    HB_TRY(model_switch_key_at(s, &x->products, HB_RELINEARIZATION, limbs));
    return refresh_keys(s, &x->keys);
}

#endif
