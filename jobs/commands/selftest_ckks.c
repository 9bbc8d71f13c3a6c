#include "selftest.h"

#include <math.h>
#include <stdlib.h>

#include "base/seed.h"
#include "check/bootstrap_fixture.h"
#include "ckks/params.h"
#include "cpu/engine.h"
#include "ring/real_arith.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "scheme/slots.h"

enum { EVERY = 128 }; /* direct evaluation of more slots would take seconds */

/* Everything of one run, with one ciphertext. */
typedef struct trial {
    hb_params *params;
    hb_engine *engine;
    hb_fixture fixture;
    size_t n;
    uint64_t *words; /* [N] */
    double *wanted;  /* [N] real parts of slots, then imaginary ones */
} trial;

static void trial_clear(trial *r)
{
    hb_fixture_clear(&r->fixture);
    hb_engine_close(r->engine);
    hb_params_close(r->params);
    free(r->words);
    free(r->wanted);
}

/* *r is zero before; the caller clears it, also after a failure. Afterwards the fixture's values are encoded: any reals
 * in [-1, 1). */
static hb_status trial_init(trial *r, const char *preset, const hb_seed *root)
{
    hb_params_spec spec;
    HB_TRY(hb_params_preset(preset, &spec));
    HB_TRY(hb_params_open(&spec, &r->params));
    HB_TRY(hb_cpu_engine_open(&r->params->ring, &r->engine));
    HB_TRY(hb_fixture_init(&r->fixture, r->engine, r->params, root, 1));
    r->n = spec.n;
    r->words = calloc(r->n, sizeof *r->words);
    r->wanted = calloc(r->n, sizeof *r->wanted);
    if (r->words == NULL || r->wanted == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the self-test");
    }
    for (size_t i = 0; i < r->n / 2; i++) {
        r->wanted[i] = (double)(i * i % 509) / 256 - 1; /* 509: a prime */
        r->words[i] = hb_real_word(r->wanted[i]);
    }
    const hb_fixture *s = &r->fixture;
    HB_TRY(hb_upload(s->engine, s->values.data, r->words, r->n * sizeof *r->words));
    HB_TRY(hb_finish(s->engine));
    return hb_encode(s->codec, s->plain, s->values);
}

/* Compares the fixture's values with the wanted ones. */
static hb_status expect_values(const trial *r, const char *what, double most)
{
    const hb_fixture *s = &r->fixture;
    HB_TRY(hb_download(r->engine, r->words, s->values.data, r->n * sizeof *r->words));
    HB_TRY(hb_finish(r->engine));
    for (size_t i = 0; i < r->n; i++) {
        const double found = hb_real_of(r->words[i]);
        if (!(fabs(found - r->wanted[i]) <= most)) {
            return HB_FAIL(HB_EINTERNAL, "%s, %s part of slot %zu: %.12g, expected %.12g within 2^%.1f", what,
                           i < r->n / 2 ? "real" : "imaginary", i % (r->n / 2), found, r->wanted[i], log2(most));
        }
    }
    return HB_OK;
}

/* The coefficients of the plaintext as doubles, from its first prime alone: it is much smaller. */
static hb_status coefficients(const trial *r, double *to)
{
    hb_engine *e = r->engine;
    const hb_batch first = hb_batch_limbs(e, r->fixture.plain, 0, 1);
    const uint64_t q = r->params->spec.primes[0];
    HB_TRY(hb_intt(e, first));
    HB_TRY(hb_download(e, r->words, first.data, r->n * sizeof *r->words));
    HB_TRY(hb_ntt(e, first));
    HB_TRY(hb_finish(e));
    for (size_t j = 0; j < r->n; j++) {
        to[j] = (double)(int64_t)r->words[j] - (r->words[j] > q / 2 ? (double)q : 0);
    }
    return HB_OK;
}

/* Slot i is the value at exp(i pi 5^i / N) (semantics.md 9.7). */
static hb_status compare_slots(const trial *r, const double *polynomial)
{
    const size_t n = r->n;
    const double scale = hb_exact_scale_double(hb_ckks_scale(r->params, r->params->fresh_limbs));
    uint64_t exponent = 1;
    for (size_t i = 0; i < n / 2; i++, exponent = 5 * exponent % (2 * n)) {
        double re = 0, im = 0;
        for (size_t j = 0; i % EVERY == 0 && j < n; j++) {
            const double angle = M_PI * (double)(exponent * j % (2 * n)) / (double)n;
            re += polynomial[j] * cos(angle);
            im += polynomial[j] * sin(angle);
        }
        if (i % EVERY == 0 && !(hypot(re / scale - r->wanted[i], im / scale) < 0x1p-28)) {
            return HB_FAIL(HB_EINTERNAL, "slot %zu: %.12g + %.3g i, expected %.12g", i, re / scale, im / scale,
                           r->wanted[i]);
        }
    }
    return HB_OK;
}

static hb_status test_slots(void)
{
    const hb_seed root = {{1}};
    trial r = {0};
    double *polynomial = NULL;
    hb_status st;
    HB_GOTO(trial_init(&r, "ckks-13", &root));
    polynomial = calloc(r.n, sizeof *polynomial);
    if (polynomial == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the self-test"));
    }
    HB_GOTO(coefficients(&r, polynomial));
    HB_GOTO(compare_slots(&r, polynomial));
    HB_GOTO(hb_decode(r.fixture.codec, r.fixture.values, r.fixture.plain));
    st = expect_values(&r, "decoding", 0x1p-28);
done:
    free(polynomial);
    trial_clear(&r);
    return st;
}

/* Decrypts a ciphertext at any level, and compares. */
static hb_status expect(trial *r, const char *what, hb_ciphertexts a, double most)
{
    hb_engine *e = r->engine;
    const uint32_t limbs = a.all.limbs;
    hb_decryptor *decryptor = NULL;
    hb_batch plain = {0}, phase = {0};
    hb_status st;
    HB_GOTO(hb_decryptor_open(e, &r->fixture.secret, limbs, 1, &decryptor));
    HB_GOTO(hb_plaintexts_alloc(&plain, e, r->params, limbs, 1));
    HB_GOTO(hb_batch_alloc(e, &phase, 1, limbs, r->params->ids));
    HB_GOTO(hb_phase(decryptor, phase, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1)));
    HB_GOTO(hb_decrypt(decryptor, plain, phase));
    HB_GOTO(hb_decode(r->fixture.codec, r->fixture.values, plain));
    st = expect_values(r, what, most);
done:
    hb_decryptor_close(decryptor);
    hb_batch_free(e, &plain);
    hb_batch_free(e, &phase);
    return st;
}

/* The error that is proven of a fresh ciphertext, and of its coding. */
static double fresh_error(const trial *r, bool public_key)
{
    const hb_quality fresh = hb_quality_fresh(r->params, public_key, HB_GAUSSIAN);
    return exp2(-hb_quality_bits(r->params, r->params->fresh_limbs, fresh.worst)) + 0x1p-28;
}

static hb_status test_round_trip(void)
{
    const hb_seed root = {{2}};
    trial r = {0};
    hb_status st;
    HB_GOTO(trial_init(&r, "ckks-13", &root));
    hb_fixture *s = &r.fixture;
    HB_GOTO(hb_encrypt(s->with_secret, s->c0, s->c1, s->seeds, s->plain, &s->root, 0));
    HB_GOTO(hb_phase_seeded(s->decryptor, s->phase, s->c0, s->seeds));
    HB_GOTO(hb_decrypt(s->decryptor, s->plain, s->phase));
    HB_GOTO(hb_decode(s->codec, s->values, s->plain));
    HB_GOTO(expect_values(&r, "round trip with the secret key", fresh_error(&r, false)));
    HB_GOTO(hb_upload(s->engine, s->values.data, r.wanted, r.n * sizeof *r.wanted));
    HB_GOTO(hb_encode(s->codec, s->plain, s->values));
    HB_GOTO(hb_encrypt(s->with_public, s->c0, s->c1, NULL, s->plain, &s->root, 1));
    HB_GOTO(hb_phase(s->decryptor, s->phase, s->c0, s->c1));
    HB_GOTO(hb_decrypt(s->decryptor, s->plain, s->phase));
    HB_GOTO(hb_decode(s->codec, s->values, s->plain));
    st = expect_values(&r, "round trip with the public key", fresh_error(&r, true));
done:
    trial_clear(&r);
    return st;
}

/* a = x; the product -0.5 x (x + 0.25), one slot to the left. */
static hb_status compute(trial *r, hb_ciphertexts *result)
{
    hb_fixture *s = &r->fixture;
    const uint32_t limbs = s->a.all.limbs;
    const hb_switch_key *key = hb_switch_keys_find(&s->keys, HB_RELINEARIZATION);
    const hb_ciphertexts lower = hb_ciphertexts_view(s->b, r->engine, r->params, 2, 1, limbs - 1),
                         low = hb_ciphertexts_view(s->narrow, r->engine, r->params, 2, 1, limbs - 1),
                         lowest = hb_ciphertexts_view(s->a, r->engine, r->params, 2, 1, limbs - 2);
    HB_TRY(hb_evaluator_add_number(s->evaluator, s->narrow, s->a, 0.25));
    HB_TRY(hb_evaluator_multiply(s->evaluator, s->wide, s->a, s->narrow));
    HB_TRY(hb_evaluator_relinearize_rescale(s->evaluator, lower, s->wide, key));
    HB_TRY(hb_evaluator_rotate(s->evaluator, low, lower, 1, &s->keys));
    HB_TRY(hb_evaluator_multiply_number(s->evaluator, lower, low, -0.5));
    HB_TRY(hb_evaluator_mod_switch(s->evaluator, lowest, lower));
    *result = lowest;
    return HB_OK;
}

static hb_status test_arithmetic(void)
{
    const hb_seed root = {{3}};
    trial r = {0};
    hb_ciphertexts result;
    hb_status st;
    HB_GOTO(trial_init(&r, "ckks-13", &root));
    HB_GOTO(hb_fixture_evaluate(&r.fixture, 1));
    HB_GOTO(compute(&r, &result));
    const size_t slots = r.n / 2;
    const double first = r.wanted[0];
    for (size_t i = 0; i < slots; i++) {
        const double x = i + 1 < slots ? r.wanted[i + 1] : first;
        r.wanted[i] = -0.5 * x * (x + 0.25);
    }
    st = expect(&r, "product, rotation and numbers", result, 0x1p-18);
done:
    trial_clear(&r);
    return st;
}

static hb_status test_bootstrap(void)
{
    const hb_seed root = {{4}};
    const uint32_t range_bits = 0;
    trial r = {0};
    hb_bootstrap_fixture bootstrap = {.s = NULL};
    hb_status st;
    HB_GOTO(trial_init(&r, "boot-test", &root));
    HB_GOTO(hb_bootstrap_fixture_init(&bootstrap, &r.fixture,
                                      &(hb_bootstrap_spec){.count = 1, .range_bits = &range_bits, .ranges = 1}));
    HB_GOTO(hb_bootstrap_fixture_apply(&bootstrap, HB_BOOTSTRAP_COMPLEX, range_bits));
    st = expect(&r, "bootstrapping", bootstrap.r[0], 0x1p-20);
done:
    hb_bootstrap_fixture_clear(&bootstrap);
    trial_clear(&r);
    return st;
}

const hb_selftest hb_selftests_ckks[] = {
    /* against evaluation of the polynomial at complex roots, and decoding */
    {"slots of reals against direct evaluation", test_slots},
    {"encrypt and decrypt reals, public and secret key", test_round_trip}, /* within the proven error */
    {"arithmetic of encrypted reals", test_arithmetic},                    /* against that of doubles */
    {"bootstrapping of encrypted reals", test_bootstrap},
    {NULL, NULL}};
