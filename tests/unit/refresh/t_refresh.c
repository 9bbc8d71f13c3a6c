/* A pass over the noise of integers: noise of one coefficient alone, batches that go in parts, every kind of plain
 * modulus, operands brought up from lower levels, noise that is larger than its k says, and keys that are missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check/bootstrap_fixture.h"
#include "cpu/engine.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { N = 1024, COUNT = 3, TOGETHER = 2, RATIO_BITS = 5 /* of int-test */ };

/* Three ciphertexts of int-test with messages of their own, two at a time. */
typedef struct world {
    hb_params *params;
    hb_engine *engine;
    hb_fixture fixture;
    hb_bootstrap_fixture bootstrap;
    uint64_t message[COUNT * N];
} world;

static uint64_t scattered(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 31);
}

static void world_open(world *w, uint64_t plain)
{
    const hb_seed root = {{29}};
    hb_params_spec spec;
    memset(w, 0, sizeof *w);
    assert_int_equal(hb_params_preset("int-test", &spec), HB_OK);
    spec.bfv.plain = plain;
    assert_int_equal(hb_params_open(&spec, &w->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&w->params->ring, &w->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&w->fixture, w->engine, w->params, &root, COUNT), HB_OK);
    for (size_t i = 0; i < COUNT * N; i++) {
        w->message[i] = w->fixture.plain.data[i] = scattered(i + 1) % plain;
    }
    assert_int_equal(hb_bootstrap_fixture_init(&w->bootstrap, &w->fixture, &(hb_bootstrap_spec){.count = TOGETHER}),
                     HB_OK);
}

static void world_close(world *w)
{
    hb_bootstrap_fixture_clear(&w->bootstrap);
    hb_fixture_clear(&w->fixture);
    hb_engine_close(w->engine);
    hb_params_close(w->params);
}

/* Adds noise of 2^-bits, in units of invariant noise, to coefficient j of ciphertext i; minus where `negative`. */
static void add_noise(world *w, size_t i, size_t j, uint32_t bits, bool negative)
{
    const hb_basis *users = &hb_params_fresh_level(w->params)->basis;
    const hb_batch c0 = hb_batch_slice(hb_ciphertexts_component(w->bootstrap.a[0], 0), i, 1);
    uint64_t residues[HB_MAX_LIMBS];
    hb_natural e = users->product;
    (void)hb_natural_div(&e, w->params->spec.bfv.plain);
    for (; bits > 0; bits -= bits < 32 ? bits : 32) {
        (void)hb_natural_div(&e, UINT64_C(1) << (bits < 32 ? bits : 32));
    }
    hb_basis_decompose(users, &e, residues);
    for (uint32_t l = 0; l < c0.limbs; l++) {
        const uint64_t q = hb_basis_modulus(users, l)->value, r = residues[l];
        uint64_t *word = &c0.data[l * N + j];
        *word = (*word + (negative && r > 0 ? q - r : r)) % q;
    }
}

/* The budget of every ciphertext, each of which decrypts to its message. */
static void measure(world *w, hb_ciphertexts from, uint32_t budget[COUNT])
{
    hb_fixture *f = &w->fixture;
    hb_batch c = {0}, plain = {0};
    assert_int_equal(hb_batch_alloc(w->engine, &c, 2 * COUNT, from.all.limbs, w->params->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &plain, COUNT, 1, f->plain.ids), HB_OK);
    assert_int_equal(hb_copy(w->engine, c, from.all), HB_OK);
    assert_int_equal(hb_phase(f->decryptor, f->phase, hb_batch_slice(c, 0, COUNT), hb_batch_slice(c, COUNT, COUNT)),
                     HB_OK);
    assert_int_equal(hb_decrypt(f->decryptor, plain, f->phase), HB_OK);
    assert_int_equal(hb_decryptor_measure(f->decryptor, budget, f->phase), HB_OK);
    assert_int_equal(hb_finish(w->engine), HB_OK);
    assert_memory_equal(plain.data, w->message, sizeof w->message);
    hb_batch_free(w->engine, &plain);
    hb_batch_free(w->engine, &c);
}

static void pass(world *w, uint32_t k)
{
    assert_int_equal(hb_bootstrap_fixture_apply(&w->bootstrap, HB_BOOTSTRAP_NOISE, k), HB_OK);
    assert_int_equal(hb_finish(w->engine), HB_OK);
}

/* Noise at the ends of both halves of the coefficients, of both signs: wrong order, halves or signs cost a bit, where a
 * pass gives more than twenty. */
static void noise_of_one_coefficient_vanishes(void **state)
{
    (void)state;
    static const size_t places[] = {0, 1, N / 2 - 1, N / 2, N - 1};
    world w;
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        uint32_t before[COUNT], after[COUNT];
        world_open(&w, 786433);
        for (size_t i = 0; i < COUNT; i++) {
            add_noise(&w, i, (places[p] + i * 5) % N, 40, i % 2 == 1);
        }
        measure(&w, w.bootstrap.a[0], before);
        pass(&w, 40 - RATIO_BITS - 1);
        measure(&w, w.bootstrap.r[0], after);
        for (size_t i = 0; i < COUNT; i++) {
            assert_in_range(before[i], 38, 39);
            assert_in_range(after[i], before[i] + 20, before[i] + 32);
        }
        world_close(&w);
    }
}

/* No modulus is too small or of another kind: 2, a power of two, primes with slots and without, 45 bits. */
static void any_plain_modulus(void **state)
{
    (void)state;
    static const uint64_t plains[] = {2, 3, 65536, 65537, 1000003, UINT64_C(35184372088777)};
    for (size_t t = 0; t < sizeof plains / sizeof *plains; t++) {
        uint32_t before[COUNT], after[COUNT];
        world w;
        world_open(&w, plains[t]);
        for (size_t i = 0; i < COUNT; i++) {
            add_noise(&w, i, 7 * i, 30, i == 0);
        }
        measure(&w, w.bootstrap.a[0], before);
        pass(&w, 30 - RATIO_BITS - 1);
        measure(&w, w.bootstrap.r[0], after);
        for (size_t i = 0; i < COUNT; i++) {
            assert_in_range(after[i], before[i] + 20, before[i] + 32);
        }
        world_close(&w);
    }
}

/* A second pass reads what the first one left, in place. */
static void passes_add_up(void **state)
{
    (void)state;
    uint32_t budget[4][COUNT];
    world w;
    world_open(&w, 786433);
    add_noise(&w, 0, 0, 20, false);
    add_noise(&w, 1, 5, 20, true);
    add_noise(&w, 2, 9, 20, true);
    measure(&w, w.bootstrap.a[0], budget[0]);
    for (uint32_t i = 1; i < 4; i++) {
        pass(&w, budget[i - 1][0] - RATIO_BITS - 2);
        measure(&w, w.bootstrap.r[0], budget[i]);
        for (size_t c = 0; c < COUNT; c++) {
            assert_true(budget[i][c] >= budget[i - 1][c] + 18);
        }
        assert_int_equal(hb_copy(w.engine, w.bootstrap.a[0].all, w.bootstrap.r[0].all), HB_OK);
    }
    world_close(&w);
}

/* At two limbs, brought up without an error. */
static void from_a_lower_level(void **state)
{
    (void)state;
    uint32_t after[COUNT];
    world w;
    world_open(&w, 786433);
    hb_ciphertexts low = {.size = 2};
    assert_int_equal(hb_ciphertexts_alloc(&low, w.engine, w.params, 2, COUNT, 2), HB_OK);
    assert_int_equal(hb_evaluator_adjust(w.bootstrap.evaluator, low, w.bootstrap.a[0]), HB_OK);
    assert_int_equal(hb_evaluator_extend(w.bootstrap.evaluator, w.bootstrap.a[0], low), HB_OK);
    uint32_t before[COUNT];
    measure(&w, w.bootstrap.a[0], before);
    pass(&w, before[0] - RATIO_BITS - 2);
    measure(&w, w.bootstrap.r[0], after);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(before[i] < 80 && after[i] >= before[i] + 18);
    }
    hb_batch_free(w.engine, &low.all);
    world_close(&w);
}

/* Noise that k takes for smaller than it is: the message stays, and nothing is gained that a bound could promise. */
static void too_large_a_k(void **state)
{
    (void)state;
    uint32_t before[COUNT], after[COUNT];
    world w;
    world_open(&w, 786433);
    for (size_t i = 0; i < COUNT; i++) {
        add_noise(&w, i, i, 40, false);
    }
    measure(&w, w.bootstrap.a[0], before);
    pass(&w, 40 - RATIO_BITS + 4); /* z = 16 */
    measure(&w, w.bootstrap.r[0], after);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(after[i] < before[i] + 18);
    }
    world_close(&w);
}

static bool is_not_relinearization(const void *context, const hb_switch_key *key)
{
    (void)context;
    return key->source != HB_FROM_SQUARE;
}

static bool is_not_of_maps(const void *context, const hb_switch_key *key)
{
    (void)context;
    return key->source != HB_TO_AUTOMORPHISM || key->element == 2 * N - 1;
}

static void missing_keys_are_named(void **state)
{
    (void)state;
    world w;
    world_open(&w, 786433);
    hb_switch_keys_filter(&w.fixture.keys, is_not_of_maps, NULL);
    assert_int_equal(hb_bootstrap_fixture_apply(&w.bootstrap, HB_BOOTSTRAP_NOISE, 10), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "no key to rotate by"));
    hb_switch_keys_filter(&w.fixture.keys, is_not_relinearization, NULL);
    assert_int_equal(hb_bootstrap_fixture_apply(&w.bootstrap, HB_BOOTSTRAP_NOISE, 10), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "a key to relinearize"));
    /* A k that leaves nothing to gain is refused before anything is done. */
    assert_int_equal(hb_bootstrap_fixture_apply(&w.bootstrap, HB_BOOTSTRAP_NOISE, 250), HB_ECONFIG);
    world_close(&w);
}

HB_UNIT(refresh)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_of_one_coefficient_vanishes),
        cmocka_unit_test(any_plain_modulus),
        cmocka_unit_test(passes_add_up),
        cmocka_unit_test(from_a_lower_level),
        cmocka_unit_test(too_large_a_k),
        cmocka_unit_test(missing_keys_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
