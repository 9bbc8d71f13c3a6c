#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_engine.h"
#include "decrypt.h"
#include "encode.h"
#include "encrypt.h"
#include "modarith.h"
#include "selftest.h"

enum { COUNT = 2 }; /* ciphertexts a call */

/* Everything of one run. */
typedef struct stage {
    hb_params *params;
    hb_engine *engine;
    hb_encoder *encoder;
    hb_secret_key secret;
    hb_public_key public;
    hb_decryptor *decryptor;
    hb_batch values, plain, c0, c1, phase;
    size_t words;             /* of COUNT plaintexts */
    uint64_t *wanted, *found; /* [words] each */
} stage;

static void stage_clear(stage *s)
{
    hb_decryptor_close(s->decryptor);
    hb_public_key_clear(&s->public);
    hb_secret_key_clear(&s->secret);
    hb_encoder_close(s->encoder);
    if (s->engine != NULL) {
        hb_batch *const batches[] = {&s->values, &s->plain, &s->c0, &s->c1, &s->phase};
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            hb_batch_free(s->engine, batches[i]);
        }
    }
    hb_engine_close(s->engine);
    hb_params_close(s->params);
    free(s->wanted);
    free(s->found);
}

/* *s is zero before; the caller clears it whatever happens. */
static hb_status stage_init(stage *s, const hb_seed *root)
{
    hb_params_spec spec;
    hb_seed public_seed;
    HB_TRY(hb_params_preset("bfv-4096", &spec));
    HB_TRY(hb_params_open(&spec, &s->params));
    const hb_params *p = s->params;
    s->words = COUNT * spec.n;
    s->wanted = calloc(s->words, sizeof *s->wanted);
    s->found = calloc(s->words, sizeof *s->found);
    int8_t *ternary = malloc(spec.n);
    hb_status st = HB_OK;
    if (s->wanted == NULL || s->found == NULL || ternary == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the self-test"));
    }
    HB_GOTO(hb_cpu_engine_open(&p->ring, &s->engine));
    HB_GOTO(hb_encoder_open(s->engine, p, HB_ENCODE_SLOTS, &s->encoder));
    HB_GOTO(hb_batch_alloc(s->engine, &s->values, COUNT, 1, &p->plain_id));
    HB_GOTO(hb_batch_alloc(s->engine, &s->plain, COUNT, 1, &p->plain_id));
    HB_GOTO(hb_batch_alloc(s->engine, &s->c0, COUNT, p->data_limbs, p->ids));
    HB_GOTO(hb_batch_alloc(s->engine, &s->c1, COUNT, p->data_limbs, p->ids));
    HB_GOTO(hb_batch_alloc(s->engine, &s->phase, COUNT, p->data_limbs, p->ids));
    HB_GOTO(hb_secret_draw(s->engine, p, root, ternary));
    HB_GOTO(hb_secret_key_load(&s->secret, s->engine, p, ternary));
    hb_seed_public(&public_seed, 1, root, 0);
    HB_GOTO(hb_public_key_generate(&s->public, &s->secret, root, &public_seed));
    HB_GOTO(hb_decryptor_open(s->engine, &s->secret, p->data_limbs, COUNT, &s->decryptor));
    for (size_t i = 0; i < s->words; i++) {
        s->wanted[i] = hb_mod_pow(i, 65537, &p->ring.moduli[p->plain_id]); /* 0, 1, then the whole range */
    }
    s->wanted[2] = spec.plain - 1;
    HB_GOTO(hb_upload(s->engine, s->values.data, s->wanted, s->words * sizeof *s->wanted));
    HB_GOTO(hb_encode(s->encoder, s->plain, s->values));
done:
    free(ternary);
    return st;
}

static hb_status expect_words(const stage *s, const char *what)
{
    for (size_t i = 0; i < s->words; i++) {
        if (s->found[i] != s->wanted[i]) {
            return HB_FAIL(HB_EINTERNAL, "%s, value %zu: %" PRIu64 ", expected %" PRIu64, what, i, s->found[i],
                           s->wanted[i]);
        }
    }
    return HB_OK;
}

/* Slot i of row 0 is the plaintext at psi^(3^i), slot N/2 + i at psi^-(3^i) (semantics.md 3). */
static hb_status compare_slots(const stage *s, const uint64_t *polynomial)
{
    const hb_params *p = s->params;
    const hb_modulus *t = &p->ring.moduli[p->plain_id];
    size_t n = p->ring.n;
    uint64_t exponent = 1;
    for (size_t i = 0; i < n / 2; i++, exponent = 3 * exponent % (2 * n)) {
        if (i % 64 != 0) { /* the rest would take seconds */
            continue;
        }
        for (size_t row = 0; row < 2; row++) {
            uint64_t point = hb_mod_pow(p->ring.psi[p->plain_id], row == 0 ? exponent : 2 * n - exponent, t), sum = 0;
            for (size_t j = n; j-- > 0;) {
                sum = hb_mod_add(hb_mod_mul(sum, point, t), polynomial[j], t);
            }
            if (sum != s->wanted[row * n / 2 + i]) {
                return HB_FAIL(HB_EINTERNAL, "slot %zu: %" PRIu64 ", expected %" PRIu64, row * n / 2 + i, sum,
                               s->wanted[row * n / 2 + i]);
            }
        }
    }
    return HB_OK;
}

hb_status hb_selftest_slots(void)
{
    const hb_seed root = {{1}};
    stage s = {0};
    hb_status st;
    HB_GOTO(stage_init(&s, &root));
    HB_GOTO(hb_download(s.engine, s.found, s.plain.data, s.words * sizeof *s.found));
    HB_GOTO(hb_finish(s.engine));
    HB_GOTO(compare_slots(&s, s.found));
    HB_GOTO(hb_decode(s.encoder, s.values, s.plain));
    HB_GOTO(hb_download(s.engine, s.found, s.values.data, s.words * sizeof *s.found));
    HB_GOTO(hb_finish(s.engine));
    HB_GOTO(expect_words(&s, "decoding"));
done:
    stage_clear(&s);
    return st;
}

/* Encrypts with one of the keys, decrypts, compares, and looks for noise budget that is left. */
static hb_status round_trip(stage *s, const hb_seed *root, bool with_secret, hb_encryptor *encryptor, hb_batch plain)
{
    const char *what = with_secret ? "round trip with the secret key" : "round trip with the public key";
    hb_seed seeds[COUNT];
    uint32_t budgets[COUNT];
    HB_TRY(hb_encrypt(encryptor, s->c0, s->c1, seeds, s->plain, root, 0));
    HB_TRY(with_secret ? hb_phase_seeded(s->decryptor, s->phase, s->c0, seeds)
                       : hb_phase(s->decryptor, s->phase, s->c0, s->c1));
    HB_TRY(hb_decrypt(s->decryptor, plain, s->phase));
    HB_TRY(hb_noise_budget(s->decryptor, budgets, s->phase));
    HB_TRY(hb_decode(s->encoder, s->values, plain));
    HB_TRY(hb_download(s->engine, s->found, s->values.data, s->words * sizeof *s->found));
    HB_TRY(hb_finish(s->engine));
    HB_TRY(expect_words(s, what));
    for (size_t i = 0; i < COUNT; i++) {
        if (budgets[i] == 0) {
            return HB_FAIL(HB_EINTERNAL, "%s: no noise budget is left", what);
        }
    }
    return HB_OK;
}

hb_status hb_selftest_scheme(void)
{
    const hb_seed root = {{2}};
    stage s = {0};
    hb_batch decrypted = {0};
    hb_encryptor *encryptor = NULL;
    hb_status st;
    HB_GOTO(stage_init(&s, &root));
    HB_GOTO(hb_batch_alloc(s.engine, &decrypted, COUNT, 1, &s.params->plain_id));
    HB_GOTO(hb_encryptor_open(s.engine, &s.secret, NULL, HB_GAUSSIAN, COUNT, &encryptor));
    HB_GOTO(round_trip(&s, &root, true, encryptor, decrypted));
    hb_encryptor_close(encryptor);
    encryptor = NULL;
    HB_GOTO(hb_encryptor_open(s.engine, NULL, &s.public, HB_GAUSSIAN, COUNT, &encryptor));
    HB_GOTO(round_trip(&s, &root, false, encryptor, decrypted));
done:
    hb_encryptor_close(encryptor);
    if (s.engine != NULL) {
        hb_batch_free(s.engine, &decrypted);
    }
    stage_clear(&s);
    return st;
}
