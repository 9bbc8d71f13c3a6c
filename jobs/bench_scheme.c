/* Encoding, keys, encryption, decryption and storage of ciphertexts, a small batch a call as in a job. */
#include <stdlib.h>
#include <string.h>

#include "bench_private.h"
#include "cpu_engine.h"
#include "decrypt.h"
#include "digest.h"
#include "encode.h"
#include "encrypt.h"

enum { COUNT = 4 };

/* Everything that the bodies below work on. */
typedef struct stage {
    const hb_params *params;
    hb_engine *engine;
    hb_encoder *encoder;
    hb_seed root, public_seed, seeds[COUNT];
    int8_t *ternary;
    hb_secret_key secret;
    hb_public_key public;
    hb_encryptor *with_secret, *with_public;
    hb_decryptor *decryptor;
    hb_batch values, plain, c0, c1, phase;
    void *packed, *digests;
    size_t packed_bytes; /* of one polynomial */
    uint64_t number;     /* of the next ciphertext */
} stage;

static hb_status finish(const stage *s)
{
    return hb_finish(s->engine);
}

static hb_status encode(void *argument)
{
    stage *s = argument;
    HB_TRY(hb_encode(s->encoder, s->plain, s->values));
    return finish(s);
}

static hb_status decode(void *argument)
{
    stage *s = argument;
    HB_TRY(hb_decode(s->encoder, s->values, s->plain)); /* leaves some other polynomial in plain: as good */
    return finish(s);
}

static hb_status keygen(void *argument)
{
    stage *s = argument;
    hb_secret_key secret = {0};
    hb_public_key public = {0};
    hb_status st;
    HB_GOTO(hb_secret_draw(s->engine, s->params, &s->root, s->ternary));
    HB_GOTO(hb_secret_key_load(&secret, s->engine, s->params, s->ternary));
    HB_GOTO(hb_public_key_generate(&public, &secret, &s->root, &s->public_seed));
    HB_GOTO(finish(s));
done:
    hb_public_key_clear(&public);
    hb_secret_key_clear(&secret);
    return st;
}

static hb_status encrypt_secret(void *argument)
{
    stage *s = argument;
    HB_TRY(hb_encrypt(s->with_secret, s->c0, s->c1, s->seeds, s->plain, &s->root, s->number));
    s->number += COUNT;
    return finish(s);
}

static hb_status encrypt_public(void *argument)
{
    stage *s = argument;
    HB_TRY(hb_encrypt(s->with_public, s->c0, s->c1, s->seeds, s->plain, &s->root, s->number));
    s->number += COUNT;
    return finish(s);
}

static hb_status decrypt(void *argument)
{
    stage *s = argument;
    HB_TRY(hb_phase_seeded(s->decryptor, s->phase, s->c0, s->seeds));
    HB_TRY(hb_decrypt(s->decryptor, s->plain, s->phase));
    return finish(s);
}

static hb_status decrypt_with_budget(void *argument)
{
    stage *s = argument;
    uint32_t budgets[COUNT];
    HB_TRY(decrypt(s));
    return hb_noise_budget(s->decryptor, budgets, s->phase);
}

static hb_status pack(void *argument)
{
    stage *s = argument;
    HB_TRY(hb_pack(s->engine, (hb_packed){s->packed, s->c0.count, 0}, s->c0));
    return finish(s);
}

static hb_status unpack(void *argument)
{
    stage *s = argument;
    size_t out_of_range;
    return hb_unpack(s->engine, s->c0, (hb_packed){s->packed, s->c0.count, 0}, &out_of_range);
}

static hb_status digest(void *argument)
{
    stage *s = argument;
    HB_TRY(hb_digest_rows(s->engine, s->digests, (hb_packed){s->packed, COUNT, 0}, s->params->ids,
                          s->params->data_limbs));
    return finish(s);
}

static void stage_clear(stage *s)
{
    hb_decryptor_close(s->decryptor);
    hb_encryptor_close(s->with_secret);
    hb_encryptor_close(s->with_public);
    hb_public_key_clear(&s->public);
    hb_secret_key_clear(&s->secret);
    hb_encoder_close(s->encoder);
    if (s->engine != NULL) {
        hb_batch *const batches[] = {&s->values, &s->plain, &s->c0, &s->c1, &s->phase};
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            hb_batch_free(s->engine, batches[i]);
        }
        hb_free(s->engine, s->packed);
        hb_free(s->engine, s->digests);
    }
    hb_engine_close(s->engine);
    free(s->ternary);
}

/* *s is zero before; the caller clears it whatever happens. */
static hb_status stage_init(stage *s, const hb_params *p)
{
    s->params = p;
    s->packed_bytes = hb_packed_bytes(&p->ring, p->ids, p->data_limbs);
    hb_seed_random(&s->root);
    hb_seed_random(&s->public_seed);
    s->ternary = malloc(p->spec.n);
    if (s->ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a key");
    }
    HB_TRY(hb_cpu_engine_open(&p->ring, &s->engine));
    HB_TRY(hb_encoder_open(s->engine, p, p->batching ? HB_ENCODE_SLOTS : HB_ENCODE_COEFFICIENTS, &s->encoder));
    HB_TRY(hb_batch_alloc(s->engine, &s->values, COUNT, 1, &p->plain_id));
    HB_TRY(hb_batch_alloc(s->engine, &s->plain, COUNT, 1, &p->plain_id));
    HB_TRY(hb_batch_alloc(s->engine, &s->c0, COUNT, p->data_limbs, p->ids));
    HB_TRY(hb_batch_alloc(s->engine, &s->c1, COUNT, p->data_limbs, p->ids));
    HB_TRY(hb_batch_alloc(s->engine, &s->phase, COUNT, p->data_limbs, p->ids));
    HB_TRY(hb_alloc(s->engine, COUNT * s->packed_bytes, &s->packed));
    HB_TRY(hb_alloc(s->engine, (size_t)COUNT * p->data_limbs * HB_DIGEST_BYTES, &s->digests));
    HB_TRY(hb_secret_draw(s->engine, p, &s->root, s->ternary));
    HB_TRY(hb_secret_key_load(&s->secret, s->engine, p, s->ternary));
    HB_TRY(hb_public_key_generate(&s->public, &s->secret, &s->root, &s->public_seed));
    HB_TRY(hb_encryptor_open(s->engine, &s->secret, NULL, HB_GAUSSIAN, COUNT, &s->with_secret));
    HB_TRY(hb_encryptor_open(s->engine, NULL, &s->public, HB_GAUSSIAN, COUNT, &s->with_public));
    HB_TRY(hb_decryptor_open(s->engine, &s->secret, p->data_limbs, COUNT, &s->decryptor));
    hb_seed seeds[COUNT];
    hb_seed_public(seeds, COUNT, &s->root, 0);
    HB_TRY(hb_sample_uniform(s->engine, s->values, seeds));
    HB_TRY(hb_encode(s->encoder, s->plain, s->values));
    return encrypt_secret(s);
}

hb_status hb_bench_scheme(hb_bench *bench, const hb_params *params)
{
    stage s = {0};
    hb_status st;
    HB_GOTO(stage_init(&s, params));
    const double word = sizeof(uint64_t), n = (double)params->spec.n;
    const double plain = n * word, component = n * params->data_limbs * word, key = 2 * n * params->key_limbs * word;
    const double packed = (double)s.packed_bytes;
    /* In this order each finds operands that are right for it: decrypt needs what encrypt_secret left. */
    const struct {
        const char *kind, *name;
        size_t items;
        double bytes;
        hb_bench_body body;
    } rows[] = {{"encode", "encode", COUNT, plain, encode},
                {"encode", "decode", COUNT, plain, decode},
                {"keygen", "key pair", 1, key, keygen},
                {"encrypt", "encrypt, public key", COUNT, 2 * component, encrypt_public},
                {"encrypt", "encrypt, secret key", COUNT, component, encrypt_secret},
                {"decrypt", "decrypt", COUNT, component, decrypt},
                {"decrypt", "decrypt with noise budget", COUNT, component, decrypt_with_budget},
                {"pack", "pack one component", COUNT, packed, pack},
                {"pack", "unpack one component", COUNT, component, unpack},
                {"digest", "digest of one component", COUNT, packed, digest}};
    HB_GOTO(pack(&s));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (hb_bench_wants(bench, rows[i].kind)) {
            HB_GOTO(
                hb_bench_measure(bench, rows[i].kind, rows[i].name, rows[i].items, rows[i].bytes, rows[i].body, &s));
        }
    }
done:
    stage_clear(&s);
    return st;
}
