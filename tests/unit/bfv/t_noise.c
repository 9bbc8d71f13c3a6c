/* Bounds of the noise against the noise of ciphertexts: never above the worst, and near the expected; ciphertexts made
 * to have the worst come near that too. */
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
#include "ring/galois.h"
#include "scheme/cipher.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"
#include "unit/unit.h"

static const struct {
    size_t n;
    uint32_t bits[8], limbs;
    uint64_t plain;
    uint32_t special, alpha; /* 0: one of each */
} sets[] = {
    {1024, {30, 30, 30, 30}, 4, 2, 0, 0},
    {2048, {45, 45, 45, 45}, 4, 65537, 0, 0},
    {4096, {36, 36, 36, 36, 37}, 5, 1032193, 0, 0},
    {8192, {60, 60, 60, 60}, 4, 1099511480321, 0, 0},
    {1024, {60, 50, 40, 30, 55}, 5, 1 << 16, 0, 0},
    {2048, {40, 41, 42, 43, 45, 45}, 6, 65537, 2, 2},
    {1024, {45, 36, 46, 45, 36, 50, 58, 55}, 8, 12289, 3, 3},
};
enum { SETS = sizeof sets / sizeof *sets, COUNT = 8 };

/* ternary: +1 everywhere, or drawn. */
static void open_fixture(key_pair *f, size_t set, bool ones)
{
    const hb_params_spec spec = {.n = sets[set].n,
                                 .key_limbs = sets[set].limbs,
                                 .special_limbs = sets[set].special,
                                 .digit_limbs = sets[set].alpha,
                                 .bfv.plain = sets[set].plain};
    key_pair_open_spec(f, spec, sets[set].bits, (int)set + 1, ones);
}

static hb_batch random_plain(const key_pair *f, size_t count, uint64_t seed)
{
    hb_batch b = key_pair_batch(f, count, 1, &hb_bfv_of(f->params)->plain_id);
    for (size_t i = 0; i < count * f->params->ring.n; i++) {
        b.data[i] = slow_random(&seed) % f->params->spec.bfv.plain;
    }
    return b;
}

/* Bits of budget of the worst of some phases, which are destroyed. */
static double least_budget(hb_decryptor *decryptor, hb_batch phase)
{
    uint32_t budgets[COUNT];
    assert_in_range(phase.count, 1, COUNT);
    assert_int_equal(hb_decryptor_measure(decryptor, budgets, phase), HB_OK);
    double least = budgets[0];
    for (size_t i = 1; i < phase.count; i++) {
        least = fmin(least, budgets[i]);
    }
    return least;
}

/* The measured budget is no less than by the worst bound, and within `margin` bits of the expected one. */
static void check_bounds(const key_pair *f, uint32_t limbs, hb_quality noise, double measured, double margin)
{
    const double worst = hb_noise_budget_of(f->params, limbs, noise.worst);
    const double expected = hb_noise_budget_of(f->params, limbs, noise.expected);
    if (measured < worst || fabs(measured - expected) > margin) {
        fail_msg("N %zu, t %llu, %u limbs: %g bits measured, %g expected, %g at worst", f->params->spec.n,
                 (unsigned long long)f->params->spec.bfv.plain, (unsigned)limbs, measured, expected, worst);
    }
}

static void fresh_ciphertexts_are_within_bounds(void **state)
{
    (void)state;
    for (size_t set = 0; set < SETS; set++) {
        key_pair f;
        open_fixture(&f, set, false);
        const hb_params *p = f.params;
        hb_batch plain = random_plain(&f, COUNT, 3 + set);
        hb_batch c0 = key_pair_batch(&f, COUNT, p->data_limbs, p->ids),
                 c1 = key_pair_batch(&f, COUNT, p->data_limbs, p->ids);
        hb_batch phase = key_pair_batch(&f, COUNT, p->data_limbs, p->ids);
        hb_decryptor *decryptor;
        assert_int_equal(hb_decryptor_open(f.engine, &f.secret, p->data_limbs, COUNT, &decryptor), HB_OK);
        for (hb_distribution errors = HB_GAUSSIAN; errors <= HB_BINOMIAL; errors++) {
            hb_encryptor *x;
            hb_seed seeds[COUNT];
            assert_int_equal(hb_encryptor_open(f.engine, &f.secret, NULL, errors, COUNT, &x), HB_OK);
            assert_int_equal(hb_encrypt(x, c0, (hb_batch){0}, seeds, plain, &f.root, 1), HB_OK);
            hb_encryptor_close(x);
            assert_int_equal(hb_phase_seeded(decryptor, phase, c0, seeds), HB_OK);
            check_bounds(&f, p->data_limbs, hb_noise_fresh(p, &p->key_shape, false, errors),
                         least_budget(decryptor, phase), 1);

            assert_int_equal(hb_encryptor_open(f.engine, NULL, &f.public_key, errors, COUNT, &x), HB_OK);
            assert_int_equal(hb_encrypt(x, c0, c1, NULL, plain, &f.root, 1), HB_OK);
            hb_encryptor_close(x);
            assert_int_equal(hb_phase(decryptor, phase, c0, c1), HB_OK);
            check_bounds(&f, p->data_limbs, hb_noise_fresh(p, &p->key_shape, true, errors),
                         least_budget(decryptor, phase), 1);
        }
        hb_decryptor_close(decryptor);
        hb_batch_free(f.engine, &plain);
        hb_batch_free(f.engine, &c0);
        hb_batch_free(f.engine, &c1);
        hb_batch_free(f.engine, &phase);
        key_pair_close(&f);
    }
}

/* Ciphertexts with the bounds that are claimed for them. */
typedef struct bounded {
    hb_ciphertexts c;
    hb_quality noise;
} bounded;

typedef struct evaluation {
    key_pair f;
    hb_evaluator *x;
    hb_switch_key relinearization, rotation;
} evaluation;

static void open_key(evaluation *e, hb_switch_key *key, uint32_t element, const char *label)
{
    hb_seed root, seeds[HB_MAX_LIMBS];
    hb_seed_derive(&root, &e->f.root, label);
    hb_seed_public(seeds, e->f.params->data_limbs, &root, 0);
    assert_int_equal(hb_switch_key_generate(key, &e->f.secret, element, &root, seeds), HB_OK);
}

static void open_evaluation(evaluation *e, size_t set, bool ones)
{
    open_fixture(&e->f, set, ones);
    const hb_params *p = e->f.params;
    const hb_evaluator_requirements requirements = {
        .limbs = p->data_limbs, .count = COUNT, .size = 2, .switching = true, .plain_factors = true};
    assert_int_equal(hb_evaluator_open(e->f.engine, p, &requirements, &e->x), HB_OK);
    open_key(e, &e->relinearization, HB_RELINEARIZATION, "relinearization");
    open_key(e, &e->rotation, hb_galois_rotation(p->ring.n, 3, 1), "rotation");
}

static void close_evaluation(evaluation *e)
{
    hb_switch_key_clear(&e->relinearization);
    hb_switch_key_clear(&e->rotation);
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

static bounded encrypted(const evaluation *e, uint64_t first)
{
    const hb_params *p = e->f.params;
    hb_batch plain = random_plain(&e->f, COUNT, first);
    bounded r = {ciphertexts(e, 2, p->data_limbs), hb_noise_fresh(p, &p->key_shape, true, HB_GAUSSIAN)};
    hb_encryptor *x;
    assert_int_equal(hb_encryptor_open(e->f.engine, NULL, &e->f.public_key, HB_GAUSSIAN, COUNT, &x), HB_OK);
    assert_int_equal(hb_encrypt(x, hb_ciphertexts_component(r.c, 0), hb_ciphertexts_component(r.c, 1), NULL, plain,
                                &e->f.root, first * COUNT),
                     HB_OK);
    hb_encryptor_close(x);
    hb_batch_free(e->f.engine, &plain);
    return r;
}

static double budget(const evaluation *e, hb_ciphertexts c)
{
    const uint32_t limbs = c.all.limbs;
    hb_batch phase = key_pair_batch(&e->f, COUNT, limbs, e->f.params->ids),
             destroyed = key_pair_batch(&e->f, COUNT, limbs, e->f.params->ids);
    hb_decryptor *decryptor;
    assert_int_equal(hb_decryptor_open(e->f.engine, &e->f.secret, limbs, COUNT, &decryptor), HB_OK);
    const size_t bytes = COUNT * phase.stride * sizeof *phase.data;
    memcpy(phase.data, hb_ciphertexts_component(c, c.size - 1).data, bytes);
    for (uint32_t i = c.size - 1; i-- > 0;) { /* Horner's rule */
        memcpy(destroyed.data, phase.data, bytes);
        assert_int_equal(hb_phase(decryptor, phase, hb_ciphertexts_component(c, i), destroyed), HB_OK);
    }
    const double least = least_budget(decryptor, phase);
    hb_decryptor_close(decryptor);
    hb_batch_free(e->f.engine, &phase);
    hb_batch_free(e->f.engine, &destroyed);
    return least;
}

static void check(const evaluation *e, const bounded *a, double margin)
{
    check_bounds(&e->f, a->c.all.limbs, a->noise, budget(e, a->c), margin);
}

/* Their product, relinearized, one level down; checked on the way. Bounds that have nothing left say nothing. */
static void multiply(const evaluation *e, bounded *r, const bounded *a, const bounded *b)
{
    const hb_params *p = e->f.params;
    const uint32_t limbs = a->c.all.limbs;
    const hb_quality product = hb_noise_multiply(p, &p->key_shape, limbs, a->noise, 2, b->noise, 2);
    bounded wide = {ciphertexts(e, 3, limbs), product};
    assert_int_equal(hb_evaluator_multiply(e->x, wide.c, a->c, b->c), HB_OK);
    check(e, &wide, 3);
    bounded low = {ciphertexts(e, 3, limbs - 1), hb_noise_mod_switch(p, &p->key_shape, limbs, product, 3)};
    assert_int_equal(hb_evaluator_mod_switch(e->x, low.c, wide.c), HB_OK);
    check(e, &low, 3);
    bounded narrow = {ciphertexts(e, 2, limbs), hb_noise_switch(p, &p->key_shape, limbs, product, p->key_shape.relin)};
    assert_int_equal(hb_evaluator_relinearize(e->x, narrow.c, wide.c, &e->relinearization), HB_OK);
    check(e, &narrow, 3);
    *r = (bounded){ciphertexts(e, 2, limbs - 1), hb_noise_mod_switch(p, &p->key_shape, limbs, narrow.noise, 2)};
    assert_int_equal(hb_evaluator_mod_switch(e->x, r->c, narrow.c), HB_OK);
    check(e, r, 3);
    release(e, &wide.c);
    release(e, &low.c);
    release(e, &narrow.c);
}

static void operations_are_within_bounds(void **state)
{
    (void)state;
    for (size_t set = 0; set < SETS; set++) {
        evaluation e;
        open_evaluation(&e, set, false);
        const hb_params *p = e.f.params;
        bounded a = encrypted(&e, 1), b = encrypted(&e, 2);
        bounded r = {ciphertexts(&e, 2, p->data_limbs), hb_noise_add(p, a.noise, b.noise)};
        assert_int_equal(hb_evaluator_add(e.x, r.c, a.c, b.c), HB_OK);
        check(&e, &r, 1);
        hb_batch plain = random_plain(&e.f, COUNT, 9);
        r.noise = hb_noise_add_plain(p, r.noise);
        assert_int_equal(hb_evaluator_add_plain(e.x, r.c, plain, HB_MINUS), HB_OK);
        check(&e, &r, 1);
        r.noise = hb_noise_multiply_integer(a.noise, -77);
        assert_int_equal(hb_evaluator_multiply_integer(e.x, r.c, a.c, -77), HB_OK);
        check(&e, &r, 1);
        r.noise = hb_noise_switch(p, &p->key_shape, p->data_limbs, a.noise, p->key_shape.galois);
        assert_int_equal(hb_evaluator_galois(e.x, r.c, a.c, &e.rotation), HB_OK);
        check(&e, &r, 1);
        r.noise = hb_noise_multiply_plain(p, a.noise, (double)p->spec.bfv.plain / 2, (double)p->ring.n);
        assert_int_equal(hb_evaluator_multiply_plain(e.x, r.c, a.c, plain), HB_OK);
        check(&e, &r, 3);
        bounded product;
        multiply(&e, &product, &a, &b);
        if (hb_noise_budget_of(p, p->data_limbs - 1, product.noise.expected) > 60) {
            bounded square;
            multiply(&e, &square, &product, &product);
            release(&e, &square.c);
        }
        release(&e, &product.c);
        hb_batch_free(e.f.engine, &plain);
        release(&e, &a.c);
        release(&e, &b.c);
        release(&e, &r.c);
        close_evaluation(&e);
    }
}

/* Limb l of every polynomial of the batch is x mod q_l, everywhere, times +1 or -1 by `signs` (NULL: +1). */
static void set_all(const evaluation *e, hb_batch a, int64_t x, const int8_t *signs)
{
    const size_t n = e->f.params->ring.n;
    for (size_t i = 0; i < a.count * a.limbs * n; i++) {
        const int64_t q = (int64_t)e->f.params->ring.moduli[a.ids[i / n % a.limbs]].value;
        const int64_t value = signs != NULL && signs[i % n] < 0 ? -x % q : x % q;
        a.data[i] = (uint64_t)(value < 0 ? value + q : value);
    }
}

/* With s = 1 + X + X^2 + ... and every coefficient (p + 1) / 2, all that rounding adds is (p - 1) / 2 of the same sign.
 */
static void the_worst_of_mod_switch_is_reached(void **state)
{
    (void)state;
    for (size_t set = 0; set < SETS; set++) {
        evaluation e;
        open_evaluation(&e, set, true);
        const hb_params *p = e.f.params;
        const uint32_t limbs = p->data_limbs;
        const double n = (double)p->ring.n, t = (double)p->spec.bfv.plain, last = (double)p->spec.primes[limbs - 1];
        hb_ciphertexts a = ciphertexts(&e, 2, limbs), r = ciphertexts(&e, 2, limbs - 1);
        set_all(&e, a.all, (int64_t)((p->spec.primes[limbs - 1] + 1) / 2), NULL);
        const double noise = log2(t * (last + 1) / 2 * (n + 1));
        assert_true(noise < hb_natural_bits(&p->levels[limbs].basis.product) - 2);
        const double worst = hb_noise_mod_switch(p, &p->key_shape, limbs,
                                                 (hb_quality){.worst = noise, .expected = noise, .powers = 1}, 2)
                                 .worst;
        assert_int_equal(hb_evaluator_mod_switch(e.x, r, a), HB_OK);
        assert_true(budget(&e, r) == hb_noise_budget_of(p, limbs - 1, log2(t * (n + 1))));
        assert_true(worst >= log2(t * (n + 1)) && worst < log2(t * (n + 1)) + 0.001);
        release(&e, &a);
        release(&e, &r);
        close_evaluation(&e);
    }
}

/* With the same s: b = (0, (Q - 1) / 2 everywhere), so b s = (i + 1 - N / 2) (Q - 1) at X^i and k_b = t (i + 1 - N /
 * 2); a = (E everywhere with the signs that add up in coefficient N - 1, 0). Half of the bound, whose k_b is largest
 * everywhere. */
static void the_worst_of_multiply_is_nearly_reached(void **state)
{
    (void)state;
    for (size_t set = 0; set < SETS; set++) {
        evaluation e;
        open_evaluation(&e, set, true);
        const hb_params *p = e.f.params;
        const size_t n = p->ring.n;
        const double t = (double)p->spec.bfv.plain, error = 1 << 20;
        hb_ciphertexts a = ciphertexts(&e, 2, p->data_limbs), b = ciphertexts(&e, 2, p->data_limbs);
        bounded r = {.c = ciphertexts(&e, 3, p->data_limbs)};
        int8_t *signs = malloc(n);
        for (size_t j = 0; j < n; j++) {
            signs[j] = n - 1 - j + 1 < n / 2 ? -1 : 1;
        }
        set_all(&e, a.all, 0, NULL);
        set_all(&e, hb_ciphertexts_component(a, 0), 1 << 20, signs);
        set_all(&e, b.all, 0, NULL);
        const hb_batch b1 = hb_ciphertexts_component(b, 1);
        for (size_t i = 0; i < b1.count * b1.stride; i++) {
            b1.data[i] = (p->ring.moduli[b1.ids[i / n % b1.limbs]].value - 1) / 2;
        }
        const hb_quality va = {.worst = log2(t * error), .expected = log2(t * error), .powers = 1},
                         vb = {.worst = log2(t * (double)n / 2), .expected = log2(t * (double)n / 2), .powers = 1};
        r.noise = hb_noise_multiply(p, &p->key_shape, p->data_limbs, va, 2, vb, 2);
        r.noise.expected = r.noise.worst; /* to be near that */
        assert_int_equal(hb_evaluator_multiply(e.x, r.c, a, b), HB_OK);
        check(&e, &r, 2);
        free(signs);
        release(&e, &a);
        release(&e, &b);
        release(&e, &r.c);
        close_evaluation(&e);
    }
}

static void sums_and_files_round_up(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *p;
    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &p), HB_OK);
    const hb_quality a = {.worst = 20, .expected = 10, .powers = 1}, b = {.worst = 20, .expected = 10, .powers = 1},
                     sum = hb_noise_add(p, a, b);
    assert_true(sum.worst > 21 && sum.worst < 21.001);
    assert_true(sum.expected > 10.5 && sum.expected < 10.501);
    assert_true(hb_noise_sum(p, a, 8).worst > 23 && hb_noise_sum(p, a, 8).worst < 23.001);
    assert_true(hb_noise_multiply_integer(a, -3).worst > 21.58 && hb_noise_multiply_integer(a, -3).worst < 21.59);
    assert_true(hb_quality_from_file(hb_quality_to_file(20.3)) >= 20.3);
    hb_params_close(p);
    assert_true(hb_quality_from_file(hb_quality_to_file(20.3)) < 20.301);
    assert_int_equal(hb_quality_to_file(-1), 0);
}

HB_UNIT(noise)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_ciphertexts_are_within_bounds),
        cmocka_unit_test(operations_are_within_bounds),
        cmocka_unit_test(the_worst_of_mod_switch_is_reached),
        cmocka_unit_test(the_worst_of_multiply_is_nearly_reached),
        cmocka_unit_test(sums_and_files_round_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
