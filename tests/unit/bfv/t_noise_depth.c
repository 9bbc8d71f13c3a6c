/* Expected noise against the noise of ciphertexts where products stand upon products: with fixed seeds, measured noise
 * is at most HB_NOISE_MARGIN bits more than expected, and not so much less that the expectation is useless. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bfv/noise.h"
#include "bfv/params.h"
#include "reference/key_pair.h"
#include "reference/slow.h"
#include "scheme/cipher.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { COUNT = 4, LOOSE = 7, DEPTH = 6 };

static const struct {
    size_t n;
    uint32_t bits, limbs;
    uint64_t plain;
} sets[] = {{1024, 50, 8, 1040407}, {1024, 49, 8, 65537}, {2048, 48, 8, 786433}, {4096, 49, 9, 1032193}};

typedef struct evaluation {
    key_pair f;
    hb_evaluator *x;
    hb_switch_key relinearization;
    bool public_key;
    uint64_t next; /* of plaintexts and ciphertexts */
} evaluation;

/* Ciphertexts with the noise that is expected of them. */
typedef struct expected {
    hb_ciphertexts c;
    hb_quality noise;
} expected;

static void open_evaluation(evaluation *e, size_t set, int seed, bool public_key)
{
    uint32_t bits[HB_MAX_LIMBS];
    for (uint32_t i = 0; i < sets[set].limbs; i++) {
        bits[i] = sets[set].bits;
    }
    *e = (evaluation){.public_key = public_key, .next = 1};
    key_pair_open(&e->f, sets[set].n, bits, sets[set].limbs, sets[set].plain, seed, false);
    const hb_params *p = e->f.params;
    const hb_evaluator_requirements requirements = {
        .limbs = p->data_limbs, .count = COUNT, .size = 2, .switching = true, .plain_factors = true};
    assert_int_equal(hb_evaluator_open(e->f.engine, p, &requirements, &e->x), HB_OK);
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_seed_derive(&root, &e->f.root, "relinearization");
    hb_seed_public(seeds, p->data_limbs, &root, 0);
    assert_int_equal(hb_switch_key_generate(&e->relinearization, &e->f.secret, HB_RELINEARIZATION, &root, seeds),
                     HB_OK);
}

static void close_evaluation(evaluation *e)
{
    hb_switch_key_clear(&e->relinearization);
    hb_evaluator_close(e->x);
    key_pair_close(&e->f);
}

static hb_ciphertexts ciphertexts(const evaluation *e, uint32_t size, uint32_t limbs)
{
    hb_ciphertexts c;
    assert_int_equal(hb_ciphertexts_alloc(&c, e->f.engine, e->f.params, size, COUNT, limbs), HB_OK);
    return c;
}

static void release(const evaluation *e, hb_ciphertexts *c)
{
    hb_batch_free(e->f.engine, &c->all);
}

static hb_batch random_plain(evaluation *e)
{
    hb_batch b = key_pair_batch(&e->f, COUNT, 1, &hb_bfv_of(e->f.params)->plain_id);
    uint64_t seed = e->next++;
    for (size_t i = 0; i < COUNT * e->f.params->ring.n; i++) {
        b.data[i] = slow_random(&seed) % e->f.params->spec.bfv.plain;
    }
    return b;
}

static expected encrypted(evaluation *e)
{
    const hb_params *p = e->f.params;
    hb_batch plain = random_plain(e);
    expected r = {ciphertexts(e, 2, p->data_limbs), hb_noise_fresh(p, &p->key_shape, e->public_key, HB_BINOMIAL)};
    const hb_batch c0 = hb_ciphertexts_component(r.c, 0), c1 = hb_ciphertexts_component(r.c, 1);
    hb_encryptor *x;
    hb_seed seeds[COUNT];
    assert_int_equal(hb_encryptor_open(e->f.engine, e->public_key ? NULL : &e->f.secret,
                                       e->public_key ? &e->f.public_key : NULL, HB_BINOMIAL, COUNT, &x),
                     HB_OK);
    assert_int_equal(hb_encrypt(x, c0, e->public_key ? c1 : (hb_batch){0}, e->public_key ? NULL : seeds, plain,
                                &e->f.root, COUNT * e->next++),
                     HB_OK);
    if (!e->public_key) {
        assert_int_equal(hb_sample_uniform(e->f.engine, c1, seeds), HB_OK);
        assert_int_equal(hb_intt(e->f.engine, c1), HB_OK);
    }
    hb_encryptor_close(x);
    hb_batch_free(e->f.engine, &plain);
    return r;
}

/* Bits of budget of the worst of them. */
static double measured(const evaluation *e, hb_ciphertexts c)
{
    const uint32_t limbs = c.all.limbs;
    hb_batch phase = key_pair_batch(&e->f, COUNT, limbs, e->f.params->ids),
             rest = key_pair_batch(&e->f, COUNT, limbs, e->f.params->ids);
    hb_decryptor *decryptor;
    uint32_t budgets[COUNT];
    assert_int_equal(hb_decryptor_open(e->f.engine, &e->f.secret, limbs, COUNT, &decryptor), HB_OK);
    memcpy(rest.data, hb_ciphertexts_component(c, 1).data, COUNT * rest.stride * sizeof *rest.data);
    assert_int_equal(hb_phase(decryptor, phase, hb_ciphertexts_component(c, 0), rest), HB_OK);
    assert_int_equal(hb_decryptor_measure(decryptor, budgets, phase), HB_OK);
    double least = budgets[0];
    for (size_t i = 1; i < COUNT; i++) {
        least = fmin(least, budgets[i]);
    }
    hb_decryptor_close(decryptor);
    hb_batch_free(e->f.engine, &phase);
    hb_batch_free(e->f.engine, &rest);
    return least;
}

/* Under 2 bits of budget nothing can be told. */
static void check(const evaluation *e, const char *what, int depth, const expected *a)
{
    const double bits = hb_noise_budget_of(e->f.params, a->c.all.limbs, a->noise.expected), is = measured(e, a->c);
    if (is > 1 && (is < bits - HB_NOISE_MARGIN || is > bits + LOOSE)) {
        fail_msg("%s, depth %d, N %zu, t %llu, %s: %g bits measured, %g expected", what, depth, e->f.params->spec.n,
                 (unsigned long long)e->f.params->spec.bfv.plain, e->public_key ? "public" : "secret", is, bits);
    }
}

/* *a = a b relinearized; `again`: how often b is in a already. */
static void multiply(evaluation *e, expected *a, const expected *b, uint32_t again)
{
    const hb_params *p = e->f.params;
    const uint32_t limbs = a->c.all.limbs;
    const hb_quality left = hb_noise_again(p, a->noise, again);
    hb_ciphertexts wide = ciphertexts(e, 3, limbs);
    assert_int_equal(hb_evaluator_multiply(e->x, wide, a->c, b->c), HB_OK);
    const hb_quality product = hb_noise_multiply(p, &p->key_shape, limbs, left, 2, b->noise, 2);
    a->noise = hb_noise_switch(p, &p->key_shape, limbs, product, p->key_shape.relin);
    assert_int_equal(hb_evaluator_relinearize(e->x, a->c, wide, &e->relinearization), HB_OK);
    release(e, &wide);
}

static void mod_switch(evaluation *e, expected *a)
{
    const uint32_t limbs = a->c.all.limbs;
    expected low = {ciphertexts(e, 2, limbs - 1),
                    hb_noise_mod_switch(e->f.params, &e->f.params->key_shape, limbs, a->noise, 2)};
    assert_int_equal(hb_evaluator_mod_switch(e->x, low.c, a->c), HB_OK);
    release(e, &a->c);
    *a = low;
}

static void squares_of_squares(evaluation *e)
{
    expected a = encrypted(e);
    check(e, "fresh", 0, &a);
    for (int depth = 1; depth <= DEPTH; depth++) {
        multiply(e, &a, &a, 0);
        check(e, "square", depth, &a);
    }
    release(e, &a.c);
}

static void squares_on_the_way_down(evaluation *e)
{
    expected a = encrypted(e);
    for (int depth = 1; depth <= DEPTH && a.c.all.limbs > 2; depth++) {
        multiply(e, &a, &a, 0);
        mod_switch(e, &a);
        check(e, "square, switched down", depth, &a);
    }
    release(e, &a.c);
}

static void the_same_factor_again(evaluation *e)
{
    expected x = encrypted(e), a = {ciphertexts(e, 2, x.c.all.limbs), x.noise};
    assert_int_equal(hb_evaluator_copy(e->x, a.c, x.c), HB_OK);
    for (int depth = 1; depth <= DEPTH; depth++) {
        multiply(e, &a, &x, (uint32_t)depth - 1);
        check(e, "times x", depth, &a);
    }
    release(e, &a.c);
    release(e, &x.c);
}

static void other_factors(evaluation *e)
{
    expected a = encrypted(e);
    for (int depth = 1; depth <= DEPTH; depth++) {
        expected b = encrypted(e);
        multiply(e, &a, &b, 0);
        check(e, "times another", depth, &a);
        release(e, &b.c);
    }
    release(e, &a.c);
}

static void the_same_plaintext_again(evaluation *e)
{
    const hb_params *p = e->f.params;
    expected a = encrypted(e);
    hb_batch plain = random_plain(e);
    for (uint32_t i = 0; i < DEPTH; i++) {
        a.noise =
            hb_noise_multiply_plain(p, hb_noise_again(p, a.noise, i), (double)p->spec.bfv.plain / 2, (double)p->ring.n);
        assert_int_equal(hb_evaluator_multiply_plain(e->x, a.c, a.c, plain), HB_OK);
        check(e, "times a plaintext", (int)i + 1, &a);
    }
    hb_batch_free(e->f.engine, &plain);
    release(e, &a.c);
}

static void measured_noise_is_as_expected_at_any_depth(void **state)
{
    (void)state;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        for (int seed = 1; seed <= (sets[set].n > 2048 ? 2 : 4); seed++) {
            evaluation e;
            open_evaluation(&e, set, seed, seed % 2 == 0);
            squares_of_squares(&e);
            squares_on_the_way_down(&e);
            the_same_factor_again(&e);
            other_factors(&e);
            the_same_plaintext_again(&e);
            close_evaluation(&e);
        }
    }
}

HB_UNIT(noise_depth)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(measured_noise_is_as_expected_at_any_depth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
