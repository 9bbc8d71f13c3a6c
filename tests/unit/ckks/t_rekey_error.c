/* The error that a change of keys adds, slot by slot, against its bounds: with both secrets, and with a public key. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ckks/error.h"
#include "ckks/presets.h"
#include "cpu/engine.h"
#include "reference/slow.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "unit/unit.h"

enum { N = 1024, COUNT = 2 };

typedef struct world {
    hb_params *params;
    hb_engine *engine;
    int8_t ternary[2][N];
    hb_secret_key secret[2]; /* the old one, the new one */
    hb_public_key public_key;
    hb_evaluator *x;
} world;

static void open_world(world *w, const hb_ckks_chain *chain)
{
    hb_params_spec spec = {.n = N, .security = {.level = 128}, .insecure = true};
    const hb_seed roots[2] = {{{1}}, {{2}}}, seed = {{3}};
    assert_int_equal(hb_ckks_find_chain(&spec, chain), HB_OK);
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&w->params->ring, &w->engine), HB_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hb_secret_draw(w->engine, w->params, &roots[i], w->ternary[i]), HB_OK);
        assert_int_equal(hb_secret_key_load(&w->secret[i], w->engine, w->params, w->ternary[i]), HB_OK);
    }
    assert_int_equal(hb_public_key_generate(&w->public_key, &w->secret[1], &roots[1], &seed), HB_OK);
    const hb_evaluator_requirements requirements = {.limbs = w->params->data_limbs, .count = COUNT, .switching = true};
    assert_int_equal(hb_evaluator_open(w->engine, w->params, &requirements, &w->x), HB_OK);
}

static void close_world(world *w)
{
    hb_evaluator_close(w->x);
    hb_public_key_clear(&w->public_key);
    hb_secret_key_clear(&w->secret[0]);
    hb_secret_key_clear(&w->secret[1]);
    hb_engine_close(w->engine);
    hb_params_close(w->params);
}

/* x = the phase of c under a secret, in coefficient form. */
static void take_phase(world *w, hb_batch x, hb_ciphertexts c, int which)
{
    const hb_batch s = hb_batch_limbs(w->engine, w->secret[which].s, 0, x.limbs);
    assert_int_equal(hb_mul(w->engine, x, hb_ciphertexts_component(c, 1), s), HB_OK);
    assert_int_equal(hb_add(w->engine, x, x, hb_ciphertexts_component(c, 0)), HB_OK);
    assert_int_equal(hb_intt(w->engine, x), HB_OK);
}

/* The magnitudes of small polynomials at the roots of X^N + 1: the largest, and the sum of the squares. */
typedef struct sizes {
    double most, squares;
} sizes;

static void add_slots(const world *w, const uint64_t *residues, sizes *all)
{
    const uint64_t q = w->params->spec.primes[0];
    for (size_t k = 0; k < N / 2; k++) {
        double re = 0, im = 0;
        for (size_t j = 0; j < N; j++) {
            const double value = residues[j] > q / 2 ? -(double)(q - residues[j]) : (double)residues[j];
            const double angle = acos(-1) / N * (double)((2 * k + 1) * j % (2 * N));
            re += value * cos(angle);
            im += value * sin(angle);
        }
        all->most = fmax(all->most, hypot(re, im));
        all->squares += re * re + im * im;
    }
}

static sizes measure(world *w, const hb_switch_key *key)
{
    const hb_params *p = w->params;
    const uint32_t limbs = p->data_limbs;
    hb_ciphertexts a, r;
    hb_batch before, after;
    uint64_t random = 1;
    assert_int_equal(hb_ciphertexts_alloc(&a, w->engine, p, 2, COUNT, limbs), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&r, w->engine, p, 2, COUNT, limbs), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &before, COUNT, limbs, p->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &after, COUNT, limbs, p->ids), HB_OK);
    for (size_t i = 0; i < 2 * COUNT * limbs * (size_t)N; i++) {
        a.all.data[i] = slow_random(&random) % p->spec.primes[i / N % limbs];
    }
    assert_int_equal(hb_evaluator_change_key(w->x, r, a, key), HB_OK);
    take_phase(w, before, a, 0);
    take_phase(w, after, r, 1);
    assert_int_equal(hb_sub(w->engine, after, after, before), HB_OK);
    sizes all = {0, 0};
    for (size_t i = 0; i < COUNT; i++) {
        add_slots(w, after.data + i * after.stride, &all);
    }
    hb_batch_free(w->engine, &a.all);
    hb_batch_free(w->engine, &r.all);
    hb_batch_free(w->engine, &before);
    hb_batch_free(w->engine, &after);
    return all;
}

static void check(world *w, const hb_switch_key *key, hb_switch_use use)
{
    const hb_quality error = hb_quality_switch(w->params, w->params->data_limbs, (hb_quality){0}, use);
    const sizes measured = measure(w, key);
    const double mean = log2(measured.squares / (COUNT * N / 2)) / 2 + log2(log(N)) / 2;
    if (log2(measured.most) > error.worst || fabs(mean - error.expected) > 0.5) {
        fail_msg("an error of 2^%.2f, by the mean 2^%.2f, 2^%.2f expected, 2^%.2f at most", log2(measured.most), mean,
                 error.expected, error.worst);
    }
}

static void errors_are_within_bounds(void **state)
{
    (void)state;
    /* Special primes that leave much of the key's errors, and one that leaves the rounding alone. */
    static const hb_ckks_chain chains[] = {{50, 40, 3, 1}, {50, 45, 4, 2}, {50, 80, 1, 1}};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        world w;
        hb_switch_key key;
        hb_seed seeds[HB_MAX_LIMBS];
        const hb_seed root = {{5}};
        open_world(&w, &chains[i]);
        const hb_key_purpose purpose = {.source = HB_FROM_SECRET, .other = &w.secret[0]};
        hb_seed_public(seeds, HB_MAX_LIMBS, &root, 0);
        assert_int_equal(hb_switch_key_generate_for(&key, &w.secret[1], &purpose, &root, seeds), HB_OK);
        check(&w, &key, HB_SWITCH_GALOIS);
        hb_switch_key_clear(&key);
        assert_int_equal(hb_switch_key_encrypt(&key, &w.secret[0], &w.public_key, 0, &root), HB_OK);
        check(&w, &key, HB_SWITCH_REKEY);
        hb_switch_key_clear(&key);
        close_world(&w);
    }
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(rekey_error)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_within_bounds),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
