/* The noise of ciphertexts that came under another key against its bounds, and the errors of that key against theirs: a
 * key of the same person, of another one, and of several owners. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bfv/noise.h"
#include "bfv/params.h"
#include "reference/joint_world.h"
#include "reference/slow.h"
#include "scheme/cipher.h"
#include "scheme/evaluator.h"
#include "scheme/quality.h"
#include "unit/unit.h"

enum { COUNT = 8 };

static const joint_chain chains[] = {
    {1024, {36, 40, 45, 50}, 4, 1032193},
    {2048, {45, 45, 46}, 3, 65537},
    {4096, {36, 36, 36, 36, 37}, 5, 1032193},
};
enum { CHAINS = sizeof chains / sizeof *chains };

/* The old key, beside the joint ones of the world, to which ciphertexts come. */
typedef struct old_key {
    int8_t *ternary;
    hb_secret_key secret;
    hb_batch plain;
    hb_ciphertexts a, r;
    hb_evaluator *x;
} old_key;

static void open_old(joint_world *w, old_key *o)
{
    const hb_params *p = w->params;
    const hb_seed root = {{9, 9}};
    uint64_t random = 5;
    hb_encryptor *encryptor;
    hb_seed seeds[COUNT];
    const hb_evaluator_requirements requirements = {.limbs = p->data_limbs, .count = COUNT, .switching = true};
    o->ternary = malloc(p->spec.n);
    assert_non_null(o->ternary);
    assert_int_equal(hb_secret_draw(w->engine, p, &root, o->ternary), HB_OK);
    assert_int_equal(hb_secret_key_load(&o->secret, w->engine, p, o->ternary), HB_OK);
    assert_int_equal(hb_evaluator_open(w->engine, p, &requirements, &o->x), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&o->a, w->engine, p, 2, COUNT, p->data_limbs), HB_OK);
    assert_int_equal(hb_ciphertexts_alloc(&o->r, w->engine, p, 2, COUNT, p->data_limbs), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &o->plain, COUNT, 1, &hb_bfv_of(p)->plain_id), HB_OK);
    for (size_t i = 0; i < COUNT * p->spec.n; i++) {
        o->plain.data[i] = slow_random(&random) % p->spec.bfv.plain;
    }
    assert_int_equal(hb_encryptor_open(w->engine, &o->secret, NULL, HB_BINOMIAL, COUNT, &encryptor), HB_OK);
    assert_int_equal(hb_encrypt(encryptor, hb_ciphertexts_component(o->a, 0), (hb_batch){0}, seeds, o->plain, &root, 1),
                     HB_OK);
    hb_encryptor_close(encryptor);
    const hb_batch c1 = hb_ciphertexts_component(o->a, 1);
    assert_int_equal(hb_sample_uniform(w->engine, c1, seeds), HB_OK);
    assert_int_equal(hb_intt(w->engine, c1), HB_OK);
}

static void close_old(joint_world *w, old_key *o)
{
    hb_batch_free(w->engine, &o->a.all);
    hb_batch_free(w->engine, &o->r.all);
    hb_batch_free(w->engine, &o->plain);
    hb_evaluator_close(o->x);
    hb_secret_key_clear(&o->secret);
    free(o->ternary);
}

/* r has the plaintexts of a, and the noise of the bounds. */
static void check(joint_world *w, old_key *o, hb_quality noise, size_t set)
{
    const hb_params *p = w->params;
    const uint32_t limbs = p->data_limbs;
    hb_batch phase, decrypted;
    hb_decryptor *decryptor;
    uint32_t budgets[COUNT];
    double least = INFINITY;
    assert_int_equal(hb_batch_alloc(w->engine, &phase, COUNT, limbs, p->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &decrypted, COUNT, 1, &hb_bfv_of(p)->plain_id), HB_OK);
    assert_int_equal(hb_decryptor_open(w->engine, &w->sum, limbs, COUNT, &decryptor), HB_OK);
    assert_int_equal(hb_phase(decryptor, phase, hb_ciphertexts_component(o->r, 0), hb_ciphertexts_component(o->r, 1)),
                     HB_OK);
    assert_int_equal(hb_decrypt(decryptor, decrypted, phase), HB_OK);
    assert_memory_equal(decrypted.data, o->plain.data, COUNT * p->spec.n * sizeof *o->plain.data);
    assert_int_equal(hb_decryptor_measure(decryptor, budgets, phase), HB_OK);
    for (size_t i = 0; i < COUNT; i++) {
        least = fmin(least, budgets[i]);
    }
    const double worst = hb_noise_budget_of(p, limbs, noise.worst),
                 expected = hb_noise_budget_of(p, limbs, noise.expected);
    if (least < worst || fabs(least - expected) > 1) {
        fail_msg("chain %zu, %u owners: %g bits measured, %g expected, %g at worst", set, (unsigned)w->session.owners,
                 least, expected, worst);
    }
    hb_decryptor_close(decryptor);
    hb_batch_free(w->engine, &phase);
    hb_batch_free(w->engine, &decrypted);
}

/* The largest error of a key: of b + a s - g s' in every part, modulo its first prime and its last, s the sum of all
 * new secrets. */
static double largest_error(const joint_world *w, const old_key *o, const hb_switch_key *key)
{
    const hb_params *p = w->params;
    const uint32_t all = key->parts.limbs, digits = (uint32_t)key->parts.count / 2;
    const size_t n = p->spec.n;
    uint64_t factors[HB_MAX_LIMBS];
    hb_batch x;
    double most = 0;
    assert_int_equal(hb_batch_alloc(w->engine, &x, 1, all, key->parts.ids), HB_OK);
    hb_gadget_factors(key->gadget, &p->ring, x.ids, x.limbs, factors);
    for (uint32_t j = 0; j < digits; j++) {
        const uint32_t first = hb_gadget_first(key->gadget, j);
        assert_int_equal(hb_mul(w->engine, x, hb_batch_slice(key->parts, 2 * j + 1, 1), w->sum.s), HB_OK);
        assert_int_equal(hb_add(w->engine, x, x, hb_batch_slice(key->parts, 2 * j, 1)), HB_OK);
        for (uint32_t l = first; l < first + hb_gadget_limbs(key->gadget, j, key->limbs); l++) {
            const uint64_t q = p->spec.primes[l];
            for (size_t i = 0; i < n; i++) {
                const uint64_t g = slow_mul(factors[l], o->secret.s.data[l * n + i], q), had = x.data[l * n + i];
                x.data[l * n + i] = had >= g ? had - g : had + (q - g);
            }
        }
        assert_int_equal(hb_intt(w->engine, x), HB_OK);
        for (size_t i = 0; i < 2 * n; i++) {
            const uint32_t l = i < n ? first : all - 1;
            const uint64_t q = p->spec.primes[x.ids[l]], word = x.data[l * n + i % n];
            most = fmax(most, (double)(word > q / 2 ? q - word : word));
        }
    }
    hb_batch_free(w->engine, &x);
    return most;
}

/* Errors of a key made with the public key, as key_shape.h has them, and as its file states them. */
static void check_errors(const joint_world *w, const old_key *o, const hb_switch_key *key)
{
    const hb_key_error error = w->params->key_shape.rekey;
    const double most = largest_error(w, o, key),
                 expected = sqrt(2 * log((double)key->parts.count * (double)w->params->spec.n) * error.variance);
    if (most > error.worst || fabs(log2(most / expected)) > 1) {
        fail_msg("%u owners: an error of %g, %g expected, %g at most", (unsigned)w->session.owners, most, expected,
                 error.worst);
    }
}

static void noise_is_within_bounds(void **state)
{
    (void)state;
    static const uint32_t owners[] = {1, 2, 5};
    for (size_t i = 0; i < CHAINS * 3; i++) {
        joint_world w;
        old_key old;
        hb_switch_key key;
        joint_world_open(&w, &chains[i / 3], owners[i % 3], (int)i + 1);
        joint_make_keys(&w);
        open_old(&w, &old);
        const hb_params *p = w.params;
        const hb_quality fresh = hb_quality_fresh(p, false, HB_BINOMIAL);
        const hb_seed root = {{4}};
        assert_int_equal(hb_switch_key_encrypt(&key, &old.secret, &w.public_key, 0, &root), HB_OK);
        check_errors(&w, &old, &key);
        assert_int_equal(hb_evaluator_change_key(old.x, old.r, old.a, &key), HB_OK);
        check(&w, &old, hb_quality_switch(p, p->data_limbs, fresh, HB_SWITCH_REKEY), i / 3);
        hb_switch_key_clear(&key);
        if (owners[i % 3] == 1) {
            const hb_key_purpose purpose = {.source = HB_FROM_SECRET, .other = &old.secret};
            hb_seed seeds[HB_MAX_LIMBS];
            hb_seed_public(seeds, HB_MAX_LIMBS, &root, 0);
            assert_int_equal(hb_switch_key_generate_for(&key, &w.sum, &purpose, &root, seeds), HB_OK);
            assert_int_equal(hb_evaluator_change_key(old.x, old.r, old.a, &key), HB_OK);
            check(&w, &old, hb_quality_switch(p, p->data_limbs, fresh, HB_SWITCH_GALOIS), i / 3);
            hb_switch_key_clear(&key);
        }
        close_old(&w, &old);
        joint_world_close(&w);
    }
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(noise_rekey)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_within_bounds),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
