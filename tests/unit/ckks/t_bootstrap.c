/* Bootstrapping: the model's words at every stage, whole and with limbs divided; kinds, ranges and batches; values that
 * repeat; errors that are bootstrapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "check/fixture.h"
#include "reference/bootstrap_model.h"
#include "reference/counting_engine.h"
#include "scheme/bootstrap.h"
#include "scheme/params.h"
#include "unit/unit.h"

static int64_t message[MODEL_N];

/* Bootstraps whose stages the model has. */
typedef struct staged {
    const char *chain; /* how digests of it end */
    hb_bootstrap_kind kind;
    uint32_t range_bits;
} staged;

/* Looks at every stage. */
typedef struct watch {
    side *s;
    const staged *play;
    uint32_t seen[HB_BOOTSTRAP_STAGES];
} watch;

/* Ciphertext i of a stage's results. */
static hb_status expect_one(side *s, hb_ciphertexts made, size_t i, const char *what)
{
    const size_t before = s->takens;
    const hb_ciphertexts one = room(s, 2, 1, made.all.limbs);
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_copy(s->engine, hb_ciphertexts_component(one, c),
                       hb_batch_slice(hb_ciphertexts_component(made, c), i, 1)));
    }
    HB_TRY(expect_digest(s, what, one.all, bootstrap_digest_of(what)));
    give_back(s, before);
    return HB_OK;
}

static hb_status expect_of(const watch *w, hb_ciphertexts made, size_t i, const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "%s%s", what, w->play->chain);
    return expect_one(w->s, made, i, name);
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
    const bool joined = stage == HB_BOOTSTRAP_JOIN && w->play->kind == HB_BOOTSTRAP_LOWEST; /* coefficients yet */
    HB_TRY(expect_of(w, made, 0, joined ? "joined" : names[stage][i]));
    return halves ? expect_of(w, made, 1, names[stage][1]) : HB_OK;
}

/* The context of a play. */
typedef struct rig {
    hb_switch_keys keys;
    hb_evaluator *ev;
    hb_bootstrap *bootstrap;
} rig;

static void rig_clear(rig *x)
{
    hb_bootstrap_close(x->bootstrap);
    hb_evaluator_close(x->ev);
    hb_switch_keys_clear(&x->keys);
}

static hb_status rig_init(side *s, rig *x, const hb_bootstrap_spec *spec)
{
    const hb_evaluator_requirements requirements = {
        .limbs = s->params->data_limbs, .count = 2 * spec->count, .switching = true};
    *x = (rig){.ev = NULL};
    HB_TRY(hb_evaluator_open(s->engine, s->params, &requirements, &x->ev));
    HB_TRY(hb_bootstrap_open(s->engine, s->params, spec, &x->bootstrap));
    return model_bootstrap_keys(s, &x->keys, spec->period);
}

/* The leading limbs of the model's input, as often as there is room. */
static hb_status take_input(side *s, const rig *x, hb_ciphertexts a)
{
    hb_ciphertexts in;
    HB_TRY(model_encrypt(s, &in, message, OF_BOOTSTRAP_INPUT));
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < hb_ciphertexts_count(a); i++) {
            HB_TRY(hb_copy(s->engine, hb_batch_slice(hb_ciphertexts_component(a, c), i, 1),
                           hb_batch_limbs(s->engine, hb_ciphertexts_component(in, c), 0, x->bootstrap->limbs)));
        }
    }
    return HB_OK;
}

static hb_status stages(side *s, rig *x, const staged *play)
{
    watch w = {.s = s, .play = play};
    hb_ciphertexts a = room(s, 2, 1, x->bootstrap->limbs), r = room(s, 2, 1, x->bootstrap->result_limbs);
    HB_TRY(take_input(s, x, a));
    HB_TRY(expect_of(&w, a, 0, "input"));
    x->bootstrap->observer = (hb_bootstrap_observer){expect_stage, &w};
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, play->kind, play->range_bits, &r, &a, &x->keys));
    const uint32_t expected[HB_BOOTSTRAP_STAGES] = {s->params->spec.bootstrapping.stc_levels, 1, 3, 1, 1, 1};
    return memcmp(w.seen, expected, sizeof expected) == 0 ? HB_OK : HB_FAIL(HB_DIFFERS, "stages are missing");
}

static hb_status play_stages(side *s, const void *with)
{
    const staged *play = with;
    const hb_bootstrap_spec spec = {
        .count = 1, .range_bits = &play->range_bits, .ranges = 1, .lowest = play->kind == HB_BOOTSTRAP_LOWEST};
    rig x;
    hb_status st = rig_init(s, &x, &spec);
    st = st == HB_OK ? stages(s, &x, play) : st;
    rig_clear(&x);
    return st;
}

static void test_model(void **state)
{
    (void)state;
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    for (uint32_t members = 2; members <= 3; members++) { /* and whole before */
        expect_play(&spec, play_stages, &(staged){.chain = ""}, members);
    }
}

/* In fewer maps: the one map of all stages has 512 diagonals, and so 32 baby steps. */
static void test_fewer_maps(void **state)
{
    (void)state;
    hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    for (uint32_t maps = 1; maps <= 2; maps++) {
        spec.bootstrapping.stc_levels = maps;
        expect_play(&spec, play_stages, &(staged){.chain = maps == 1 ? "_of_one" : "_of_two"}, 2);
    }
}

/* The modulus is raised first; values of the smaller range are multiplied by 4. */
static void test_lowest(void **state)
{
    (void)state;
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    expect_play(&spec, play_stages, &(staged){"_from_lowest", HB_BOOTSTRAP_LOWEST, 0}, 2);
    expect_play(&spec, play_stages, &(staged){"_from_lowest_2", HB_BOOTSTRAP_LOWEST, 2}, 2);
}

/* A chain of boot-16-deeper, whose digits have 8, 9, 8 and 7 primes. */
static void test_uneven_digits(void **state)
{
    (void)state;
    hb_params_spec spec;
    assert_int_equal(hb_params_preset("boot-16-deeper", &spec), HB_OK);
    spec.n = MODEL_N;
    spec.insecure = true;
    expect_play(&spec, play_stages, &(staged){.chain = "_of_uneven"}, 3);
}

/* --- kinds and batches */

/* Three times the same, two at a time: each is the model's. */
static hb_status batches(side *s, rig *x)
{
    hb_ciphertexts a = room(s, 2, 3, x->bootstrap->limbs), r = room(s, 2, 3, x->bootstrap->result_limbs);
    HB_TRY(take_input(s, x, a));
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_COMPLEX, 0, &r, &a, &x->keys));
    for (size_t i = 0; i < 3; i++) {
        HB_TRY(expect_one(s, r, i, "result"));
    }
    return HB_OK;
}

/* A second queue, which has the maps of the first. */
static hb_status second_queue(side *s, rig *x, const hb_bootstrap_spec *spec)
{
    const hb_evaluator_requirements requirements = {.limbs = s->params->data_limbs, .count = 1, .switching = true};
    hb_bootstrap_spec beside = *spec;
    hb_ciphertexts a = room(s, 2, 1, x->bootstrap->limbs), r = room(s, 2, 1, x->bootstrap->result_limbs);
    hb_engine *fork;
    hb_evaluator *ev = NULL;
    hb_bootstrap *bootstrap = NULL;
    hb_status st;
    beside.of = x->bootstrap;
    HB_TRY(take_input(s, x, a));
    HB_TRY(hb_finish(s->engine));
    HB_TRY(hb_engine_fork(s->engine, &fork));
    HB_GOTO(hb_evaluator_open(fork, s->params, &requirements, &ev));
    HB_GOTO(hb_bootstrap_open(fork, s->params, &beside, &bootstrap));
    HB_GOTO(hb_bootstrap_apply(ev, bootstrap, HB_BOOTSTRAP_COMPLEX, 0, &r, &a, &x->keys));
    HB_GOTO(hb_finish(fork));
    st = expect_one(s, r, 0, "result");
done:
    hb_bootstrap_close(bootstrap);
    hb_evaluator_close(ev);
    hb_engine_close(fork);
    return st;
}

/* The real part alone; and both parts of x + i 0. */
static hb_status parts(side *s, rig *x)
{
    hb_ciphertexts a[2], r[2];
    for (int i = 0; i < 2; i++) {
        a[i] = room(s, 2, 1, x->bootstrap->limbs);
        r[i] = room(s, 2, 1, x->bootstrap->result_limbs);
    }
    HB_TRY(take_input(s, x, a[0]));
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_REAL, 0, r, a, &x->keys));
    HB_TRY(expect_one(s, r[0], 0, "eval_mod_re"));
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_PAIR, 0, r, a, &x->keys));
    HB_TRY(expect_one(s, r[0], 0, "eval_mod_re"));
    HB_TRY(expect_one(s, r[1], 0, "eval_mod_im"));
    /* 0 + i x is x turned by a quarter: halves change places, but for signs and roundings. */
    hb_ciphertexts turned = room(s, 2, 1, x->bootstrap->limbs), joined = room(s, 2, 1, x->bootstrap->result_limbs);
    const hb_ciphertexts swap[2] = {a[1], a[0]};
    HB_TRY(hb_evaluator_multiply_i(x->ev, turned, a[0], HB_PLUS));
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_COMPLEX, 0, &joined, &turned, &x->keys));
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_PAIR, 0, r, (hb_ciphertexts *)swap, &x->keys));
    HB_TRY(hb_evaluator_multiply_i(x->ev, r[1], r[1], HB_PLUS));
    HB_TRY(hb_evaluator_add(x->ev, r[0], r[0], r[1]));
    return expect_equal(s, "a pair", joined.all, r[0].all);
}

/* Five in a row: two pairs, of which one at a time has room or both, and one that is alone. */
static hb_status neighbours(side *s, rig *x)
{
    const uint32_t limbs = x->bootstrap->limbs, made = x->bootstrap->result_limbs;
    const hb_ciphertexts one = room(s, 2, 1, limbs);
    hb_ciphertexts a[2], r[2], all = room(s, 2, 5, limbs), results = room(s, 2, 5, made);
    HB_TRY(take_input(s, x, one));
    for (int i = 0; i < 2; i++) {
        a[i] = room(s, 2, 1, limbs);
        r[i] = room(s, 2, 1, made);
    }
    for (uint32_t i = 0; i < 5; i++) {
        HB_TRY(hb_evaluator_multiply_integer(x->ev, a[0], one, i + 1));
        for (uint32_t c = 0; c < 2; c++) {
            HB_TRY(hb_copy(s->engine, hb_batch_slice(hb_ciphertexts_component(all, c), i, 1),
                           hb_ciphertexts_component(a[0], c)));
        }
    }
    HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, HB_BOOTSTRAP_NEIGHBOURS, 0, &results, &all, &x->keys));
    for (uint32_t i = 0; i < 5; i += 2) {
        const uint32_t together = i < 4 ? 2 : 1;
        for (uint32_t k = 0; k < together; k++) {
            HB_TRY(hb_evaluator_multiply_integer(x->ev, a[k], one, i + k + 1));
        }
        HB_TRY(hb_bootstrap_apply(x->ev, x->bootstrap, together > 1 ? HB_BOOTSTRAP_PAIR : HB_BOOTSTRAP_REAL, 0, r, a,
                                  &x->keys));
        for (uint32_t k = 0; k < 2 * together; k++) {
            HB_TRY(expect_equal(s, "neighbours", hb_batch_slice(hb_ciphertexts_component(results, k % 2), i + k / 2, 1),
                                hb_ciphertexts_component(r[k / 2], k % 2)));
        }
    }
    return HB_OK;
}

/* --- values */

typedef struct ranged {
    side *s;
    rig x;
    hb_ciphertexts a, r;
    uint32_t range_bits;
} ranged;

static hb_status body(void *with)
{
    ranged *t = with;
    return hb_bootstrap_apply(t->x.ev, t->x.bootstrap, HB_BOOTSTRAP_COMPLEX, t->range_bits, &t->r, &t->a, &t->x.keys);
}

/* Values up to 2^range_bits, as a recording, which neither waits nor allocates: the error is as many times larger. */
static hb_status values(ranged *t, const model_plain_side *in, const model_plain_side *out)
{
    side *s = t->s;
    static double before[MODEL_N], after[MODEL_N];
    t->a = room(s, 2, 1, t->x.bootstrap->limbs);
    t->r = room(s, 2, 1, t->x.bootstrap->result_limbs);
    HB_TRY(take_input(s, &t->x, t->a));
    HB_TRY(hb_evaluator_multiply_integer(t->x.ev, t->a, t->a, (int64_t)1 << t->range_bits));
    HB_TRY(model_decrypt(s, in, t->a, before));
    hb_recording *recording;
    HB_TRY(hb_record(s->engine, body, t, &recording));
    count_on(s->engine);
    const hb_status st = hb_replay(recording);
    count_off(s->engine);
    HB_ASSERT(st != HB_OK || counted.bytes == 0);
    hb_recording_free(recording);
    HB_TRY(st);
    HB_TRY(model_decrypt(s, out, t->r, after));
    const double most = ldexp(1, (int)t->range_bits - 23);
    double largest = 0, size = 0;
    for (size_t i = 0; i < MODEL_N; i++) {
        largest = fmax(largest, fabs(before[i] - after[i]));
        size = fmax(size, fabs(before[i]));
    }
    return largest < most && size > 0.9 * ldexp(1, (int)t->range_bits)
               ? HB_OK
               : HB_FAIL(HB_DIFFERS, "range 2^%u: off by %g, values up to %g", t->range_bits, largest, size);
}

/* Where keys are missing it says so. */
static hb_status lacks(const ranged *t)
{
    ranged other = *t;
    other.x.keys.count--; /* a rotation */
    HB_ASSERT(body(&other) == HB_EDATA);
    other.x.keys.count = 3; /* all rotations, and that back from the sparse secret */
    HB_ASSERT(body(&other) == HB_EDATA && strstr(hb_last_error()->text, "sparse") != NULL);
    other.x.keys.count = 0;
    HB_ASSERT(body(&other) == HB_EDATA && strstr(hb_last_error()->text, "relinearize") != NULL);
    return HB_OK;
}

static hb_status play_uses(side *s, const void *with)
{
    const hb_bootstrap_spec *spec = with;
    ranged t = {.s = s};
    model_plain_side in, out;
    HB_TRY(rig_init(s, &t.x, spec));
    model_open_plain(s, &in, t.x.bootstrap->limbs);
    model_open_plain(s, &out, t.x.bootstrap->result_limbs);
    hb_status st = HB_OK;
    for (size_t i = 0; st == HB_OK && i < spec->ranges; i++) {
        t.range_bits = spec->range_bits[i];
        st = values(&t, &in, &out);
    }
    if (spec->count > 1) { /* where the model's words are known */
        st = st == HB_OK ? batches(s, &t.x) : st;
        st = st == HB_OK ? second_queue(s, &t.x, spec) : st;
        st = st == HB_OK ? parts(s, &t.x) : st;
        st = st == HB_OK ? neighbours(s, &t.x) : st;
        st = st == HB_OK ? lacks(&t) : st;
    }
    model_close_plain(&in);
    model_close_plain(&out);
    rig_clear(&t.x);
    return st;
}

static void test_uses(void **state)
{
    static const uint32_t range_bits[] = {3, 0};
    (void)state;
    const hb_params_spec cubic = bootstrap_spec(HB_EVAL_MOD_CUBIC), sure = bootstrap_spec(HB_EVAL_MOD_SURE);
    expect_play(&cubic, play_uses, &(hb_bootstrap_spec){.count = 2, .range_bits = range_bits, .ranges = 2}, 1);
    expect_play(&sure, play_uses, &(hb_bootstrap_spec){.count = 1, .range_bits = range_bits, .ranges = 1}, 1);
}

/* --- values that repeat */

enum { PERIOD = 32 };

/* Encrypts reals and imaginary parts that repeat, at the level of operands. */
static hb_status take_repeated(side *s, const ranged *t, double values[MODEL_N])
{
    const uint32_t limbs = t->x.bootstrap->limbs;
    const hb_batch slots = take(s, 1, 1, &s->params->common_id, 0), plain = model_take(s, 1, limbs);
    hb_codec *codec;
    for (size_t i = 0; i < MODEL_N; i++) {
        const size_t place = i / (MODEL_N / 2) * PERIOD + i % PERIOD;
        values[i] = (double)(int64_t)stream_word(31, place) / 0x1p63;
        slots.data[i] = hb_real_word(values[i]);
    }
    HB_TRY(hb_codec_open(s->engine, s->params, HB_ENCODE_SLOTS, &codec));
    hb_status st;
    HB_GOTO(hb_encode(codec, plain, slots));
    HB_GOTO(take_input(s, &t->x, t->a)); /* c_0 + c_1 s = e + m', of which m' is replaced */
    const hb_ciphertexts in = t->a;
    const hb_batch old = model_take(s, 1, limbs), c0 = hb_ciphertexts_component(in, 0);
    HB_GOTO(put_integers(s, old, message));
    HB_GOTO(hb_sub(s->engine, c0, c0, old));
    st = hb_add(s->engine, c0, c0, plain);
done:
    hb_codec_close(codec);
    return st;
}

static hb_status play_repeated(side *s, const void *with)
{
    static double before[MODEL_N], after[MODEL_N];
    const hb_bootstrap_spec *spec = with;
    ranged t = {.s = s};
    model_plain_side out;
    hb_status st;
    HB_GOTO(rig_init(s, &t.x, spec));
    t.a = room(s, 2, 1, t.x.bootstrap->limbs);
    t.r = room(s, 2, 1, t.x.bootstrap->result_limbs);
    HB_GOTO(take_repeated(s, &t, before));
    HB_GOTO(body(&t));
    HB_GOTO(expect_batch(s, "values that repeat", t.r.all));
    if (s->whole) {
        model_open_plain(s, &out, t.x.bootstrap->result_limbs);
        st = model_decrypt(s, &out, t.r, after);
        for (size_t i = 0; st == HB_OK && i < MODEL_N; i++) {
            st = fabs(before[i] - after[i]) < 0x1p-22
                     ? HB_OK
                     : HB_FAIL(HB_DIFFERS, "value %zu is %g, not %g", i, after[i], before[i]);
        }
        model_close_plain(&out);
    }
    if (st == HB_OK) { /* without the last key, of the trace or of a map */
        t.x.keys.count--;
        HB_ASSERT(body(&t) == HB_EDATA);
        t.x.keys.count++;
    }
done:
    rig_clear(&t.x);
    return st;
}

/* Fewer stages, the trace, and keys for both. */
static void test_repeated(void **state)
{
    (void)state;
    static const uint32_t range_bits = 0;
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    const hb_bootstrap_spec repeated = {.count = 1, .range_bits = &range_bits, .ranges = 1, .period = PERIOD};
    expect_play(&spec, play_repeated, &repeated, 2);
}

/* Errors bootstrapped themselves have the same words with limbs divided. */
static hb_status play_twice(side *s, const void *with)
{
    ranged t = {.s = s};
    (void)with;
    hb_status st =
        rig_init(s, &t.x, &(hb_bootstrap_spec){.count = 1, .range_bits = &t.range_bits, .ranges = 1, .twice = true});
    if (st == HB_OK) {
        t.a = room(s, 2, 1, t.x.bootstrap->limbs);
        t.r = room(s, 2, 1, t.x.bootstrap->result_limbs);
        HB_GOTO(take_input(s, &t.x, t.a));
        HB_GOTO(body(&t));
        HB_GOTO(expect_batch(s, "a bootstrap and that of its error", t.r.all));
        HB_GOTO(neighbours(s, &t.x));
    }
done:
    rig_clear(&t.x);
    return st;
}

static void test_twice(void **state)
{
    (void)state;
    const hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    expect_play(&spec, play_twice, NULL, 2);
}

static int start(void **state)
{
    (void)state;
    return read_file(message, sizeof message, "bootstrap/message.i64") ? hb_seed_start() != HB_OK : 1;
}

HB_UNIT(bootstrap)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),         cmocka_unit_test(test_uses),   cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_twice),         cmocka_unit_test(test_lowest), cmocka_unit_test(test_fewer_maps),
        cmocka_unit_test(test_uneven_digits),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
