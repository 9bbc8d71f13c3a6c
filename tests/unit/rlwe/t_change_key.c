/* Ciphertexts under one secret come under another: by keys made with both secrets, and by keys made with the public key
 * of the other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/digest.h"
#include "reference/hybrid.h"
#include "scheme/evaluator.h"
#include "unit/unit.h"

enum { COUNT = 3 };

static void make_public(fixture *f, hb_public_key *key)
{
    const hb_seed root = {{77}}, seed = {{78}};
    assert_int_equal(hb_public_key_generate(key, &f->secret, &root, &seed), HB_OK);
}

/* From f->other to f->secret. by_public: without the secret that it is to. */
static void make(fixture *f, hb_switch_key *key, bool by_public, uint32_t limbs)
{
    hb_public_key to;
    if (!by_public) {
        make_key(f, key, HB_FROM_SECRET, 0, limbs);
        return;
    }
    make_public(f, &to);
    assert_int_equal(hb_switch_key_encrypt(key, &f->other, &to, limbs, &f->root), HB_OK);
    hb_public_key_clear(&to);
}

/* The limbs of a key out of all K. */
static void take_limbs(hb_batch r, hb_batch all)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        memcpy(r.data + l * N, all.data + r.ids[l] * N, N * sizeof *r.data);
    }
}

/* The magnitude of an integer that has these residues; the same in all limbs. */
static double largest(const fixture *f, hb_batch x)
{
    double most = 0;
    for (size_t j = 0; j < N; j++) {
        int64_t first = 0;
        for (uint32_t l = 0; l < x.limbs; l++) {
            const uint64_t q = f->params->spec.primes[x.ids[l]], word = x.data[l * N + j];
            const int64_t value = word > q / 2 ? -(int64_t)(q - word) : (int64_t)word;
            first = l == 0 ? value : first;
            assert_int_equal(value, first);
        }
        most = fmax(most, fabs((double)first));
    }
    return most;
}

/* b + a s - g s' of part j, [1][the key's limbs]. */
static double error_of_part(fixture *f, const hb_switch_key *key, uint32_t j, hb_batch x, hb_batch from)
{
    const uint32_t first = hb_gadget_first(key->gadget, j), own = hb_gadget_limbs(key->gadget, j, key->limbs);
    uint64_t factors[HB_MAX_LIMBS];
    hb_gadget_factors(key->gadget, &f->params->ring, x.ids, x.limbs, factors);
    take_limbs(x, f->secret.s);
    take_limbs(from, f->other.s);
    assert_int_equal(hb_mul(f->engine, x, x, hb_batch_slice(key->parts, 2 * j + 1, 1)), HB_OK);
    assert_int_equal(hb_add(f->engine, x, x, hb_batch_slice(key->parts, 2 * j, 1)), HB_OK);
    for (uint32_t l = first; l < first + own; l++) {
        const uint64_t q = f->params->spec.primes[x.ids[l]];
        for (size_t i = 0; i < N; i++) {
            const uint64_t g = slow_mul(factors[l], from.data[l * N + i], q);
            uint64_t *word = &x.data[l * N + i];
            *word = *word >= g ? *word - g : *word + (q - g);
        }
    }
    assert_int_equal(hb_intt(f->engine, x), HB_OK);
    return largest(f, x);
}

/* Every part encrypts the old secret, with errors as large as key_shape.h says. */
static void parts_have_their_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        fixture f;
        hb_switch_key key;
        open_fixture(&f, kinds[i / 2]);
        const hb_key_error error = i % 2 ? f.params->key_shape.rekey : f.params->key_shape.galois;
        const uint32_t limbs = i % 4 < 2 ? 0 : f.params->data_limbs - 1;
        make(&f, &key, i % 2, limbs);
        hb_batch x, from;
        assert_int_equal(hb_batch_alloc(f.engine, &x, 1, key.parts.limbs, key.parts.ids), HB_OK);
        assert_int_equal(hb_batch_alloc(f.engine, &from, 1, key.parts.limbs, key.parts.ids), HB_OK);
        double most = 0;
        const uint32_t digits = (uint32_t)key.parts.count / 2;
        for (uint32_t j = 0; j < digits; j++) {
            most = fmax(most, error_of_part(&f, &key, j, x, from));
        }
        const double expected = sqrt(2 * log(2.0 * N * digits) * error.variance);
        if (most > error.worst || fabs(log2(most / expected)) > 1) {
            fail_msg("kind %zu: an error of %g, %g expected, %g at most", i, most, expected, error.worst);
        }
        hb_batch_free(f.engine, &x);
        hb_batch_free(f.engine, &from);
        hb_switch_key_clear(&key);
        close_fixture(&f);
    }
}

static hb_ciphertexts ciphertexts(fixture *f, uint32_t k, hb_form form)
{
    hb_ciphertexts c;
    assert_int_equal(hb_ciphertexts_alloc(&c, f->engine, f->params, 2, COUNT, k), HB_OK);
    c.form = form;
    return c;
}

static void copy(hb_ciphertexts r, hb_ciphertexts a)
{
    memcpy(r.all.data, a.all.data, a.all.count * a.all.stride * sizeof *a.all.data);
}

/* The phase of r under the new secret is that of a under the old one, but for a small error. Destroys both. */
static void compare_phases(fixture *f, hb_ciphertexts r, hb_ciphertexts a, double bound)
{
    hb_batch before = polynomials(f, COUNT, a.all.limbs), after = polynomials(f, COUNT, a.all.limbs);
    if (a.form == HB_COEFFICIENT_FORM) {
        assert_int_equal(hb_ntt(f->engine, a.all), HB_OK);
        assert_int_equal(hb_ntt(f->engine, r.all), HB_OK);
    }
    take_phase(f, before, a.all, &f->other);
    take_phase(f, after, r.all, &f->secret);
    assert_int_equal(hb_sub(f->engine, after, after, before), HB_OK);
    check_small(f, after, bound);
    hb_batch_free(f->engine, &before);
    hb_batch_free(f->engine, &after);
}

static void check_level(fixture *f, hb_evaluator *x, const hb_switch_key *key, uint32_t k, hb_form form, double error)
{
    hb_ciphertexts a = ciphertexts(f, k, form), r = ciphertexts(f, k, form), same = ciphertexts(f, k, form);
    fill(f, a.all);
    copy(same, a);
    assert_int_equal(hb_evaluator_change_key(x, r, a, key), HB_OK);
    assert_memory_equal(a.all.data, same.all.data, a.all.count * a.all.stride * sizeof *a.all.data);
    assert_int_equal(hb_evaluator_change_key(x, same, same, key), HB_OK);
    assert_memory_equal(r.all.data, same.all.data, r.all.count * r.all.stride * sizeof *r.all.data);
    compare_phases(f, r, a, noise_bound(f->params, k) * error / 19 + N);
    hb_batch_free(f->engine, &a.all);
    hb_batch_free(f->engine, &r.all);
    hb_batch_free(f->engine, &same.all);
}

static void phases_stay(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * KINDS; i++) {
        fixture f;
        hb_switch_key key;
        hb_evaluator *x;
        open_fixture(&f, kinds[i / 2]);
        const uint32_t data = f.params->data_limbs;
        const hb_key_error error = i % 2 ? f.params->key_shape.rekey : f.params->key_shape.galois;
        const hb_evaluator_requirements requirements = {.limbs = data, .count = 2, .switching = true};
        assert_int_equal(hb_evaluator_open(f.engine, f.params, &requirements, &x), HB_OK);
        make(&f, &key, i % 2, 0);
        for (uint32_t k = 1; k <= data; k++) {
            check_level(&f, x, &key, k, HB_COEFFICIENT_FORM, error.worst);
            check_level(&f, x, &key, k, HB_NTT_FORM, error.worst);
        }
        hb_switch_key_clear(&key);
        hb_evaluator_close(x);
        close_fixture(&f);
    }
}

/* Changes by a key over the integers have the words of the same key modulo each prime. */
static void integers_change_nothing(void **state)
{
    (void)state;
    fixture f;
    hb_switch_key key;
    hb_evaluator *x;
    open_fixture(&f, kinds[0]);
    const uint32_t data = f.params->data_limbs;
    const hb_evaluator_requirements requirements = {.limbs = data, .count = COUNT, .switching = true};
    assert_int_equal(hb_evaluator_open(f.engine, f.params, &requirements, &x), HB_OK);
    make(&f, &key, false, 0);
    hb_ciphertexts a = ciphertexts(&f, data, HB_COEFFICIENT_FORM), r[2] = {a, a};
    fill(&f, a.all);
    for (int i = 0; i < 2; i++) {
        r[i] = ciphertexts(&f, data, HB_COEFFICIENT_FORM);
        assert_int_equal(hb_evaluator_change_key(x, r[i], a, &key), HB_OK);
        assert_int_equal(hb_switch_key_to_integers(&key), HB_OK);
    }
    assert_int_equal(key.integers.data != NULL, hb_params_switch_by_integers(f.params));
    assert_memory_equal(r[0].all.data, r[1].all.data, a.all.count * a.all.stride * sizeof *a.all.data);
    hb_batch_free(f.engine, &a.all);
    hb_batch_free(f.engine, &r[0].all);
    hb_batch_free(f.engine, &r[1].all);
    hb_switch_key_clear(&key);
    hb_evaluator_close(x);
    close_fixture(&f);
}

/* The words of keys to a public key, for SEAL's digits and for digits of two primes: a key that is made again is the
 * same, on any engine. */
static void words_are_fixed(void **state)
{
    (void)state;
    static const uint64_t want[] = {0x43364282fc3784d6, 0x7ae215819323d7af};
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        hb_switch_key key;
        open_fixture(&f, kinds[i]);
        make(&f, &key, true, 0);
        uint8_t digest[HB_DIGEST_BYTES];
        hb_digest_state d;
        hb_digest_begin(&d, "words");
        hb_digest_add(&d, key.parts.data, key.parts.count * key.parts.stride * sizeof *key.parts.data);
        hb_digest_end(&d, digest);
        uint64_t word = 0;
        memcpy(&word, digest, sizeof word);
        if (word != want[i]) {
            fail_msg("kind %zu: 0x%016llx", i, (unsigned long long)word);
        }
        hb_switch_key_clear(&key);
        close_fixture(&f);
    }
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(change_key)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_their_errors),
        cmocka_unit_test(phases_stay),
        cmocka_unit_test(integers_change_nothing),
        cmocka_unit_test(words_are_fixed),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
