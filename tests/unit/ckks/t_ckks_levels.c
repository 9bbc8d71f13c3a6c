/* The operations of CKKS at every level of the presets, with their primes in a small ring: the values of results, and
 * the same words on members that share limbs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ckks/evaluator.h"
#include "ckks/presets.h"
#include "reference/ckks_model.h"
#include "scheme/cipher.h"
#include "scheme/slots.h"
#include "unit/unit.h"

/* The messages in the tests of all levels: polynomials of few terms, times the scale. */
enum { TERMS = 3 };

typedef struct sparse {
    struct {
        double value;
        size_t at;
    } term[2 * TERMS * TERMS];
    size_t terms;
} sparse;

static const sparse first_value = {{{0.5, 0}, {0.25, 1}, {-0.125, MODEL_N - 3}}, TERMS};
static const sparse second_value = {{{-0.75, 3}, {0.125, 0}, {0.0625, MODEL_N / 2}}, TERMS};

/* Adds value X^at, at < 4 N. */
static void add_term(sparse *r, double value, size_t at)
{
    r->term[r->terms].value = at / MODEL_N % 2 == 0 ? value : -value;
    r->term[r->terms++].at = at % MODEL_N;
}

static sparse product_of(sparse a, sparse b)
{
    sparse r = {.terms = 0};
    for (size_t i = 0; i < a.terms; i++) {
        for (size_t j = 0; j < b.terms; j++) {
            add_term(&r, a.term[i].value * b.term[j].value, a.term[i].at + b.term[j].at);
        }
    }
    return r;
}

static sparse automorphism_of(sparse a, size_t element)
{
    sparse r = {.terms = 0};
    for (size_t i = 0; i < a.terms; i++) {
        add_term(&r, a.term[i].value, a.term[i].at * element % (2 * MODEL_N));
    }
    return r;
}

static sparse sum_of(sparse a, sparse b)
{
    for (size_t i = 0; i < b.terms; i++) {
        add_term(&a, b.term[i].value, b.term[i].at);
    }
    return a;
}

static sparse multiple_of(sparse a, double factor)
{
    for (size_t i = 0; i < a.terms; i++) {
        a.term[i].value *= factor;
    }
    return a;
}

/* Everything that a level is tried with. */
typedef struct rig {
    side *s;
    pair keys;
    hb_switch_keys switch_keys;
    hb_evaluator *ev;
} rig;

static hb_status encrypt_value(rig *x, hb_ciphertexts *r, sparse value, uint32_t limbs, uint64_t number)
{
    int64_t integers[MODEL_N] = {0};
    const hb_seed root = {{8}};
    hb_seed seed;
    hb_encryptor *encryptor;
    const double scale = hb_exact_scale_double(hb_ckks_scale(x->s->params, limbs));
    for (size_t i = 0; i < value.terms; i++) {
        integers[value.term[i].at] = (int64_t)(value.term[i].value * scale);
    }
    const hb_batch plain = model_take(x->s, 1, limbs);
    HB_TRY(put_integers(x->s, plain, integers));
    *r = room(x->s, 2, 1, limbs);
    HB_TRY(hb_encryptor_open(x->s->engine, &x->keys.secret, NULL, HB_GAUSSIAN, 1, &encryptor));
    const hb_status st =
        hb_encrypt(encryptor, hb_ciphertexts_component(*r, 0), (hb_batch){.data = NULL}, &seed, plain, &root, number);
    hb_encryptor_close(encryptor);
    HB_TRY(st);
    return hb_sample_uniform(x->s->engine, hb_ciphertexts_component(*r, 1), &seed);
}

/* The same words on all sides, and there the value at the scale of its level. */
static hb_status expect_sparse(rig *x, const char *what, hb_ciphertexts a, sparse value)
{
    const uint32_t limbs = a.all.limbs;
    double expected[MODEL_N] = {0};
    int64_t phase[MODEL_N];
    HB_TRY(expect_batch(x->s, what, a.all));
    if (!x->s->whole) {
        return HB_OK;
    }
    hb_decryptor *decryptor;
    const hb_batch sum = model_take(x->s, 1, limbs), c1 = model_take(x->s, 1, limbs);
    HB_TRY(hb_decryptor_open(x->s->engine, &x->keys.secret, limbs, 1, &decryptor));
    HB_TRY(hb_copy(x->s->engine, c1, hb_ciphertexts_component(a, 1)));
    HB_TRY(hb_phase(decryptor, sum, hb_ciphertexts_component(a, 0), c1));
    hb_decryptor_close(decryptor);
    HB_TRY(coefficients_of(x->s, phase, sum));
    for (size_t i = 0; i < value.terms; i++) {
        expected[value.term[i].at] += value.term[i].value;
    }
    /* With one scale for all levels, products are as far from it as primes are. */
    const double scale = hb_exact_scale_double(hb_ckks_scale(x->s->params, limbs)),
                 most = x->s->params->spec.ckks.like_seal ? 0x1p-12 : 0x1p-24;
    for (size_t j = 0; j < MODEL_N; j++) {
        const double error = (double)phase[j] / scale - expected[j];
        if (!(error < most && error > -most)) {
            return HB_FAIL(HB_DIFFERS, "%s at %u limbs: coefficient %zu is %g, not %g", what, limbs, j,
                           (double)phase[j] / scale, expected[j]);
        }
    }
    return HB_OK;
}

static hb_status play_level_alone(rig *x, uint32_t limbs)
{
    const size_t element = hb_slots_rotation(&x->s->params->spec, 1), back = 2 * MODEL_N - 1;
    const sparse value = first_value, one = {{{0.3, 0}}, 1};
    const hb_ciphertexts r = room(x->s, 2, 1, limbs), hoisted[] = {room(x->s, 2, 1, limbs), room(x->s, 2, 1, limbs)};
    const hb_switch_key *both[] = {hb_switch_keys_find(&x->switch_keys, (uint32_t)element),
                                   hb_switch_keys_find(&x->switch_keys, (uint32_t)back)};
    hb_ciphertexts a;
    HB_TRY(encrypt_value(x, &a, value, limbs, 2 * limbs));
    HB_TRY(hb_evaluator_add_number(x->ev, r, a, 0.3));
    HB_TRY(expect_sparse(x, "plus a number", r, sum_of(value, one)));
    if (!x->s->params->spec.ckks.like_seal) {
        HB_TRY(hb_ckks_multiply_i(x->ev, r, a, HB_MINUS));
        HB_TRY(expect_sparse(x, "times -i", r, product_of(value, (sparse){{{-1, MODEL_N / 2}}, 1})));
    } else if (hb_ckks_multiply_i(x->ev, r, a, HB_MINUS) != HB_ECONFIG) {
        return HB_FAIL(HB_DIFFERS, "times -i was not refused");
    }
    HB_TRY(hb_evaluator_galois_hoisted(x->ev, hoisted, a, both, 2));
    HB_TRY(hb_evaluator_rotate(x->ev, r, a, 1, &x->switch_keys));
    HB_TRY(expect_sparse(x, "rotation", r, automorphism_of(value, element)));
    HB_TRY(expect_equal(x->s, "hoisted rotation", r.all, hoisted[0].all));
    HB_TRY(hb_evaluator_conjugate(x->ev, r, a, &x->switch_keys));
    HB_TRY(expect_sparse(x, "conjugate", r, automorphism_of(value, back)));
    HB_TRY(expect_equal(x->s, "hoisted conjugate", r.all, hoisted[1].all));
    const hb_ciphertexts lowest = room(x->s, 2, 1, 1);
    HB_TRY(hb_evaluator_adjust(x->ev, lowest, a));
    return expect_sparse(x, "at the lowest level", lowest, value);
}

static hb_status play_level_down(rig *x, uint32_t limbs)
{
    const hb_ciphertexts r = room(x->s, 2, 1, limbs), lower = room(x->s, 2, 1, limbs - 1),
                         wide = room(x->s, 3, 1, limbs), sum = room(x->s, 3, 1, limbs);
    const hb_switch_key *key = hb_switch_keys_find(&x->switch_keys, HB_RELINEARIZATION);
    const sparse cross = product_of(first_value, second_value), square = product_of(second_value, second_value);
    hb_ciphertexts a, b;
    HB_TRY(encrypt_value(x, &a, first_value, limbs, 2 * limbs));
    HB_TRY(encrypt_value(x, &b, second_value, limbs, 2 * limbs + 1));
    HB_TRY(hb_evaluator_multiply(x->ev, sum, a, b));
    HB_TRY(hb_evaluator_multiply(x->ev, wide, b, b));
    HB_TRY(hb_evaluator_relinearize_rescale(x->ev, lower, sum, key));
    HB_TRY(expect_sparse(x, "product", lower, cross));
    HB_TRY(hb_evaluator_relinearize(x->ev, r, sum, key));
    HB_TRY(hb_evaluator_mod_switch(x->ev, lower, r));
    HB_TRY(expect_sparse(x, "product in two steps", lower, cross));
    HB_TRY(hb_evaluator_add(x->ev, sum, sum, wide));
    HB_TRY(hb_evaluator_relinearize_rescale(x->ev, lower, sum, key));
    HB_TRY(expect_sparse(x, "sum of products", lower, sum_of(cross, square)));
    HB_TRY(hb_evaluator_multiply_number(x->ev, r, a, -0.7));
    HB_TRY(hb_evaluator_mod_switch(x->ev, lower, r));
    HB_TRY(expect_sparse(x, "times a number", lower, multiple_of(first_value, -0.7)));
    HB_TRY(hb_evaluator_adjust(x->ev, lower, b));
    HB_TRY(expect_sparse(x, "adjusted", lower, second_value));
    const hb_ciphertexts in_place = {hb_batch_on(x->s->engine, b.all.data, 2, limbs - 1, b.all.ids), 2, b.form};
    HB_TRY(hb_evaluator_adjust(x->ev, in_place, b));
    return expect_equal(x->s, "adjusted in place", in_place.all, lower.all);
}

static hb_status draw_key(rig *x, uint32_t element)
{
    const hb_params_spec *spec = &x->s->params->spec;
    const hb_seed root = {{9}};
    hb_seed own, seeds[HB_MAX_LIMBS];
    hb_switch_key key;
    hb_switch_key_root(&own, &root, spec, element);
    hb_seed_public(seeds, HB_MAX_LIMBS, &own, 0);
    HB_TRY(hb_switch_key_generate(&key, &x->keys.secret, element, &own, seeds));
    return hb_switch_keys_add(&x->switch_keys, &key);
}

static hb_status play_levels(side *s, const void *with)
{
    rig x = {.s = s};
    const hb_evaluator_requirements requirements = {
        .limbs = s->params->fresh_limbs, .count = 1, .size = 2, .switching = true, .hoisting = true};
    hb_status st;
    (void)with;
    HB_GOTO(draw_pair(s, &x.keys));
    HB_GOTO(draw_key(&x, HB_RELINEARIZATION));
    HB_GOTO(draw_key(&x, hb_slots_rotation(&s->params->spec, 1)));
    HB_GOTO(draw_key(&x, 2 * MODEL_N - 1));
    HB_GOTO(hb_evaluator_open(s->engine, s->params, &requirements, &x.ev));
    for (uint32_t limbs = s->params->fresh_limbs; limbs >= 1; limbs--) {
        HB_GOTO(play_level_alone(&x, limbs));
        HB_GOTO(limbs > 1 ? play_level_down(&x, limbs) : HB_OK);
        give_back_all(s);
    }
    st = HB_OK;
done:
    hb_evaluator_close(x.ev);
    hb_switch_keys_clear(&x.switch_keys);
    clear_pair(&x.keys);
    return st;
}

/* Every level of every preset, with its own primes. */
static void test_levels(void **state)
{
    (void)state;
    const char *name;
    hb_params_spec spec;
    size_t presets = 0;
    for (; hb_ckks_preset(presets, &name, &spec); presets++) {
        spec.n = MODEL_N;
        spec.insecure = true;
        expect_play(&spec, play_levels, NULL, 3);
    }
    assert_true(presets >= 4);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(ckks_levels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
