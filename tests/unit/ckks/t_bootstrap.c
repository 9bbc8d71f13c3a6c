/* Bootstrapping: the model's words at every stage, whole and with limbs divided; kinds, ranges and batches; what it
 * takes of memory; what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/fixture.h"
#include "reference/boot_model.h"
#include "reference/counting_engine.h"
#include "scheme/bootstrap.h"

static int64_t message[MODEL_N];

/* Looks at every stage. */
typedef struct watch {
    side *s;
    uint32_t seen[HB_BOOTSTRAP_STAGES];
} watch;

/* Ciphertext i of those that a stage has made. */
static hb_status expect_one(side *s, hb_ciphertexts made, size_t i, const char *what)
{
    const size_t before = s->takens;
    const hb_ciphertexts one = room(s, 2, 1, made.all.limbs);
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(s->engine, hb_ciphertexts_component(one, c),
                       hb_batch_slice(hb_ciphertexts_component(made, c), i, 1)));
    }
    HB_TRY(expect_digest(s, what, one.all, boot_digest_of(what)));
    give_back(s, before);
    return HB_OK;
}

static hb_status expect_stage(void *with, hb_bootstrap_stage stage, hb_ciphertexts made)
{
    static const char *const names[HB_BOOTSTRAP_STAGES][3] = {{"stc_0", "stc_1", "stc_2"},    {"raised"},
                                                              {"cts_0", "cts_1", "cts_2"},    {"re", "im"},
                                                              {"eval_mod_re", "eval_mod_im"}, {"result"}};
    watch *w = with;
    const bool halves = stage == HB_BOOTSTRAP_SPLIT || stage == HB_BOOTSTRAP_EVAL_MOD;
    const uint32_t i = w->seen[stage]++;
    HB_ASSERT(hb_ciphertexts_count(made) == (halves ? 2 : 1));
    HB_TRY(expect_one(w->s, made, 0, names[stage][i]));
    return halves ? expect_one(w->s, made, 1, names[stage][1]) : HB_OK;
}

/* Whatever a play needs. */
typedef struct rig {
    hb_switch_keys keys;
    hb_evaluator *ev;
    hb_bootstrap *boot;
} rig;

static void rig_clear(rig *x)
{
    hb_bootstrap_close(x->boot);
    hb_evaluator_close(x->ev);
    hb_switch_keys_clear(&x->keys);
}

static hb_status rig_init(side *s, rig *x, const hb_bootstrap_spec *spec)
{
    const hb_evaluator_requirements requirements = {
        .limbs = s->params->data_limbs, .count = 2 * spec->count, .switching = true};
    *x = (rig){.ev = NULL};
    HB_TRY(hb_evaluator_open(s->engine, s->params, &requirements, &x->ev));
    HB_TRY(hb_bootstrap_open(s->engine, s->params, spec, &x->boot));
    return model_boot_keys(s, &x->keys);
}

/* The leading limbs of the model's input, as often as there is room. */
static hb_status take_input(side *s, const rig *x, hb_ciphertexts a)
{
    hb_ciphertexts in;
    HB_TRY(model_encrypt(s, &in, message, OF_BOOT_INPUT));
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < hb_ciphertexts_count(a); i++) {
            HB_TRY(hb_copy(s->engine, hb_batch_slice(hb_ciphertexts_component(a, c), i, 1),
                           hb_batch_limbs(s->engine, hb_ciphertexts_component(in, c), 0, x->boot->limbs)));
        }
    }
    return HB_OK;
}

static hb_status stages(side *s, rig *x)
{
    watch w = {.s = s};
    hb_ciphertexts a = room(s, 2, 1, x->boot->limbs), r = room(s, 2, 1, x->boot->result_limbs);
    HB_TRY(take_input(s, x, a));
    HB_TRY(expect_one(s, a, 0, "input"));
    x->boot->observer = (hb_bootstrap_observer){expect_stage, &w};
    HB_TRY(hb_bootstrap_apply(x->ev, x->boot, HB_BOOTSTRAP_COMPLEX, 0, &r, &a, &x->keys));
    const uint32_t expected[HB_BOOTSTRAP_STAGES] = {3, 1, 3, 1, 1, 1};
    return memcmp(w.seen, expected, sizeof expected) == 0 ? HB_OK : HB_FAIL(HB_DIFFERS, "stages are missing");
}

static hb_status play_stages(side *s, const void *with)
{
    const uint32_t range_bits = 0;
    rig x;
    (void)with;
    hb_status st = rig_init(s, &x, &(hb_bootstrap_spec){1, &range_bits, 1});
    st = st == HB_OK ? stages(s, &x) : st;
    rig_clear(&x);
    return st;
}

static void test_model(void **state)
{
    (void)state;
    const hb_params_spec spec = boot_spec(HB_EVAL_MOD_CUBIC);
    for (uint32_t members = 1; members <= 3; members++) {
        expect_play(&spec, play_stages, NULL, members);
    }
}

static int start(void **state)
{
    (void)state;
    return read_file(message, sizeof message, "boot/message.i64") ? hb_seed_start() != HB_OK : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
