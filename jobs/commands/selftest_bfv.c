#include "selftest.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/modarith.h"
#include "base/seed.h"
#include "bfv/params.h"
#include "check/fixture.h"
#include "cpu/engine.h"
#include "scheme/params.h"

enum { COUNT = 2 }; /* ciphertexts a call */

/* Everything of one run. */
typedef struct trial {
    hb_params *params;
    hb_engine *engine;
    hb_fixture fixture;
    size_t words;             /* of COUNT plaintexts */
    uint64_t *wanted, *found; /* [words] each */
} trial;

static void trial_clear(trial *r)
{
    hb_fixture_clear(&r->fixture);
    hb_engine_close(r->engine);
    hb_params_close(r->params);
    free(r->wanted);
    free(r->found);
}

/* *r is zero before; the caller clears it, also after a failure. Afterwards the fixture's values are encoded. */
static hb_status trial_init(trial *r, const char *preset, const hb_seed *root)
{
    hb_params_spec spec;
    HB_TRY(hb_params_preset(preset, &spec));
    HB_TRY(hb_params_open(&spec, &r->params));
    HB_TRY(hb_cpu_engine_open(&r->params->ring, &r->engine));
    HB_TRY(hb_fixture_init(&r->fixture, r->engine, r->params, root, COUNT));
    r->words = COUNT * spec.n;
    r->wanted = calloc(r->words, sizeof *r->wanted);
    r->found = calloc(r->words, sizeof *r->found);
    if (r->wanted == NULL || r->found == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the self-test");
    }
    for (size_t i = 0; i < r->words; i++) {
        r->wanted[i] =
            hb_mod_pow(i, 65537, &r->params->ring.moduli[hb_bfv_of(r->params)->plain_id]); /* 0, 1, then any residue */
    }
    r->wanted[2] = spec.bfv.plain - 1;
    const hb_fixture *s = &r->fixture;
    HB_TRY(hb_upload(s->engine, s->values.data, r->wanted, r->words * sizeof *r->wanted));
    return hb_encode(s->codec, s->plain, s->values);
}

/* A polynomial or values, to `found`. */
static hb_status fetch(trial *r, hb_batch from)
{
    HB_TRY(hb_download(r->engine, r->found, from.data, r->words * sizeof *r->found));
    return hb_finish(r->engine);
}

static hb_status expect_words(const trial *r, const char *what)
{
    for (size_t i = 0; i < r->words; i++) {
        if (r->found[i] != r->wanted[i]) {
            return HB_FAIL(HB_EINTERNAL, "%s, value %zu: %" PRIu64 ", expected %" PRIu64, what, i, r->found[i],
                           r->wanted[i]);
        }
    }
    return HB_OK;
}

/* Slot i of row 0 is the plaintext at psi^(3^i), slot N/2 + i at psi^-(3^i) (semantics.md 3). */
static hb_status compare_slots(const trial *r, const uint64_t *polynomial)
{
    const hb_params *p = r->params;
    const hb_modulus *t = &p->ring.moduli[hb_bfv_of(p)->plain_id];
    size_t n = p->ring.n;
    uint64_t exponent = 1;
    for (size_t i = 0; i < n / 2; i++, exponent = 3 * exponent % (2 * n)) {
        if (i % 64 != 0) { /* the rest would take seconds */
            continue;
        }
        for (size_t row = 0; row < 2; row++) {
            uint64_t point = hb_mod_pow(p->ring.psi[hb_bfv_of(p)->plain_id], row == 0 ? exponent : 2 * n - exponent, t),
                     sum = 0;
            for (size_t j = n; j-- > 0;) {
                sum = hb_mod_add(hb_mod_mul(sum, point, t), polynomial[j], t);
            }
            if (sum != r->wanted[row * n / 2 + i]) {
                return HB_FAIL(HB_EINTERNAL, "slot %zu: %" PRIu64 ", expected %" PRIu64, row * n / 2 + i, sum,
                               r->wanted[row * n / 2 + i]);
            }
        }
    }
    return HB_OK;
}

static hb_status test_slots(void)
{
    const hb_seed root = {{1}};
    trial r = {0};
    hb_status st;
    HB_GOTO(trial_init(&r, "bfv-4096", &root));
    HB_GOTO(fetch(&r, r.fixture.plain));
    HB_GOTO(compare_slots(&r, r.found));
    HB_GOTO(hb_decode(r.fixture.codec, r.fixture.values, r.fixture.plain));
    HB_GOTO(fetch(&r, r.fixture.values));
    st = expect_words(&r, "decoding");
done:
    trial_clear(&r);
    return st;
}

/* Encrypts with one of the keys, decrypts, compares, and looks for noise budget that is left. The plaintext that comes
 * back takes the place of the one that went in. */
static hb_status round_trip(trial *r, hb_encryptor *encryptor)
{
    hb_fixture *s = &r->fixture;
    const bool with_secret = encryptor == s->with_secret;
    const char *what = with_secret ? "round trip with the secret key" : "round trip with the public key";
    HB_TRY(hb_encode(s->codec, s->plain, s->values));
    HB_TRY(hb_encrypt(encryptor, s->c0, s->c1, s->seeds, s->plain, &s->root, 0));
    hb_batch_wipe(s->engine, s->plain);
    if (with_secret) {
        HB_TRY(hb_phase_seeded(s->decryptor, s->phase, s->c0, s->seeds));
    } else {
        HB_TRY(hb_phase(s->decryptor, s->phase, s->c0, s->c1));
    }
    HB_TRY(hb_decrypt(s->decryptor, s->plain, s->phase));
    HB_TRY(hb_decryptor_measure(s->decryptor, s->budgets, s->phase));
    HB_TRY(hb_decode(s->codec, s->values, s->plain));
    HB_TRY(fetch(r, s->values));
    HB_TRY(expect_words(r, what));
    for (size_t i = 0; i < COUNT; i++) {
        if (s->budgets[i] == 0) {
            return HB_FAIL(HB_EINTERNAL, "%s: no noise budget is left", what);
        }
    }
    return HB_OK;
}

/* Encryption with either key, and decryption. */
static hb_status round_trips(const char *preset)
{
    const hb_seed root = {{2}};
    trial r = {0};
    hb_status st;
    HB_GOTO(trial_init(&r, preset, &root));
    HB_GOTO(round_trip(&r, r.fixture.with_secret));
    st = round_trip(&r, r.fixture.with_public);
done:
    trial_clear(&r);
    return st;
}

static hb_status test_round_trip(void)
{
    return round_trips("bfv-4096");
}

/* Fresh ciphertexts have the users' primes alone. */
static hb_status test_bootstrapping_chain(void)
{
    return round_trips("int-test");
}

/* Decrypts ciphertexts of any level, and compares. Their component 1 is destroyed. */
static hb_status expect_decrypted(trial *r, hb_ciphertexts a, const char *what)
{
    const hb_fixture *s = &r->fixture;
    hb_decryptor *decryptor = NULL;
    hb_batch phase = {.data = NULL};
    hb_status st;
    HB_GOTO(hb_decryptor_open(s->engine, &s->secret, a.all.limbs, COUNT, &decryptor));
    HB_GOTO(hb_batch_alloc(s->engine, &phase, COUNT, a.all.limbs, r->params->ids));
    HB_GOTO(hb_phase(decryptor, phase, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1)));
    HB_GOTO(hb_decrypt(decryptor, s->plain, phase));
    HB_GOTO(hb_decode(s->codec, s->values, s->plain));
    HB_GOTO(fetch(r, s->values));
    st = expect_words(r, what);
done:
    hb_batch_free(s->engine, &phase);
    hb_decryptor_close(decryptor);
    return st;
}

/* Squares, relinearized, rotated by one, down to half of the limbs and up again. */
static hb_status evaluate(trial *r)
{
    hb_fixture *s = &r->fixture;
    const hb_params *p = r->params;
    const hb_modulus *t = &p->ring.moduli[hb_bfv_of(p)->plain_id];
    const size_t n = p->ring.n, row = n / 2;
    const uint32_t low = p->fresh_limbs / 2;
    HB_TRY(hb_fixture_evaluate(s, 1));
    HB_TRY(hb_evaluator_multiply(s->evaluator, s->wide, s->a, s->a));
    HB_TRY(hb_evaluator_relinearize(s->evaluator, s->narrow, s->wide, hb_switch_keys_find(&s->keys, 0)));
    HB_TRY(hb_evaluator_rotate(s->evaluator, s->a, s->narrow, 1, &s->keys));
    const hb_ciphertexts down = hb_ciphertexts_view(s->narrow, s->engine, p, 2, COUNT, low);
    HB_TRY(hb_evaluator_adjust(s->evaluator, down, s->a));
    HB_TRY(hb_evaluator_extend(s->evaluator, s->b, down));
    for (size_t i = 0; i < r->words; i++) {
        r->found[i] = hb_mod_mul(r->wanted[i], r->wanted[i], t);
    }
    for (size_t i = 0; i < r->words; i++) {
        r->wanted[i] = r->found[i / row * row + (i + 1) % row];
    }
    return expect_decrypted(r, s->b, "the square, rotated, a level down and up");
}

static hb_status test_leveled(void)
{
    const hb_seed root = {{4}};
    trial r = {0};
    hb_status st;
    HB_GOTO(trial_init(&r, "int-test", &root));
    st = evaluate(&r);
done:
    trial_clear(&r);
    return st;
}

const hb_selftest hb_selftests_bfv[] = {
    /* against evaluation of the polynomial, and decoding */
    {"slots against direct evaluation", test_slots},
    {"encrypt and decrypt, public and secret key", test_round_trip},
    {"the same on a chain that bootstraps", test_bootstrapping_chain},
    {"product and rotation on a chain that bootstraps", test_leveled},
    {NULL, NULL}};
