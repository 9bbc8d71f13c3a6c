/* BFV: encoding, keys, encryption and decryption, a batch a call as in a job; of the last two also one ciphertext that
 * is waited for; and single operations of the engine, on one component of each ciphertext of a batch. */
#include <stdlib.h>

#include "base/digest.h"
#include "bench_private.h"
#include "bfv/behz.h"
#include "bfv/level.h"
#include "bfv/params.h"
#include "check/fixture.h"

/* The operands of the lines: an engine with keys and a batch of everything (check/fixture.h), and its stored rows. */
typedef struct scheme_fixture {
    hb_engine *engine; /* its own */
    hb_fixture scheme; /* on it; count: ciphertexts a call */
    int8_t *ternary;   /* [n] of a secret key */
    hb_batch plain_gamma;
    hb_behz behz; /* of fresh ciphertexts; zeros where they have no products, and then no ... */
    hb_batch auxiliary;
    size_t packed_bytes; /* of one polynomial */
    void *packed, *digests;
    void *host; /* [count] packed polynomials, page-locked */
    size_t now; /* ciphertexts of the calls that are measured now */
} scheme_fixture;

static hb_status allocate(scheme_fixture *s)
{
    const hb_params *p = s->scheme.params;
    const size_t count = s->scheme.count;
    s->ternary = malloc(p->spec.n);
    if (s->ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a secret key of %zu coefficients", p->spec.n);
    }
    HB_TRY(hb_batch_alloc(s->engine, &s->plain_gamma, count, 2, hb_bfv_of(p)->plain_gamma_ids));
    if (p->auxiliary_limbs > 0) {
        HB_TRY(hb_behz_init(&s->behz, p, p->fresh_limbs));
        HB_TRY(hb_batch_alloc(s->engine, &s->auxiliary, count, s->behz.limbs, s->behz.ids));
        HB_TRY(hb_clear(s->engine, s->auxiliary));
    }
    HB_TRY(hb_alloc(s->engine, count * s->packed_bytes, &s->packed));
    HB_TRY(hb_alloc(s->engine, count * p->fresh_limbs * HB_DIGEST_BYTES, &s->digests));
    return hb_host_alloc(s->engine, count * s->packed_bytes, &s->host);
}

/* Opens an engine on the device of the options; keys are drawn anew. *s is zero before; the caller clears it, also
 * after a failure. Afterwards c0 and seeds are ciphertexts of the secret. HB_ENOMEM; failures of the device. */
static hb_status scheme_fixture_init(scheme_fixture *s, const hb_bench_options *options)
{
    const hb_params *p = options->params;
    hb_fixture *scheme = &s->scheme;
    hb_seed root;
    const size_t count = hb_bench_batch(options, &p->ring, p->fresh_limbs, 12);
    s->packed_bytes = hb_packed_bytes(&p->ring, p->ids, p->fresh_limbs);
    HB_TRY(hb_device_open_ring(options->device, &p->ring, &s->engine));
    hb_seed_random(&root);
    const hb_status st = hb_fixture_init(scheme, s->engine, p, &root, count);
    hb_wipe(&root, sizeof root);
    HB_TRY(st);
    HB_TRY(allocate(s));
    hb_seed_public(scheme->seeds, count, &scheme->root, 0);
    HB_TRY(hb_sample_uniform(s->engine, scheme->values, scheme->seeds));
    HB_TRY(hb_sample_uniform(s->engine, scheme->c1, scheme->seeds));
    HB_TRY(hb_encode(scheme->codec, scheme->plain, scheme->values));
    HB_TRY(hb_encrypt(scheme->with_secret, scheme->c0, scheme->c1, scheme->seeds, scheme->plain, &scheme->root, 0));
    HB_TRY(hb_pack(s->engine, (hb_packed){s->packed, count, 0, 1}, scheme->c0));
    s->now = count;
    return hb_finish(s->engine);
}

static void scheme_fixture_clear(scheme_fixture *s)
{
    if (s->engine != NULL) {
        hb_batch_free(s->engine, &s->plain_gamma);
        hb_batch_free(s->engine, &s->auxiliary);
        hb_free(s->engine, s->packed);
        hb_free(s->engine, s->digests);
        hb_host_free(s->engine, s->host);
    }
    hb_behz_clear(&s->behz);
    hb_fixture_clear(&s->scheme);
    hb_engine_close(s->engine);
    if (s->ternary != NULL) {
        hb_wipe(s->ternary, s->scheme.params->spec.n);
    }
    free(s->ternary);
}

static hb_packed rows_of(const scheme_fixture *s)
{
    return (hb_packed){s->packed, s->scheme.count, 0, 1};
}

static hb_status pack(void *argument)
{
    scheme_fixture *s = argument;
    return hb_pack(s->engine, rows_of(s), s->scheme.c0);
}

static hb_status unpack(void *argument)
{
    scheme_fixture *s = argument;
    size_t out_of_range;
    return hb_unpack(s->engine, s->scheme.c0, rows_of(s), &out_of_range);
}

static hb_status digest(void *argument)
{
    scheme_fixture *s = argument;
    return hb_digest_rows(s->engine, s->digests, rows_of(s), s->scheme.params->ids, s->scheme.params->fresh_limbs);
}

static hb_status sample_uniform(void *argument)
{
    scheme_fixture *s = argument;
    return hb_sample_uniform(s->engine, s->scheme.c1, s->scheme.seeds);
}

static hb_status sample_gaussian(void *argument)
{
    scheme_fixture *s = argument;
    return hb_sample_small(s->engine, s->scheme.c1, HB_GAUSSIAN, (hb_draw){&s->scheme.root, HB_DRAW_ERROR_0, 0});
}

static hb_status add(void *argument)
{
    scheme_fixture *s = argument;
    return hb_add(s->engine, s->scheme.phase, s->scheme.c0, s->scheme.c1);
}

static hb_status multiply(void *argument)
{
    scheme_fixture *s = argument;
    return hb_mul(s->engine, s->scheme.phase, s->scheme.c0, s->scheme.c1);
}

static hb_status base_convert(void *argument)
{
    scheme_fixture *s = argument;
    return hb_base_convert(s->engine, s->plain_gamma, s->scheme.c0,
                           &hb_bfv_level_of(s->scheme.params, s->scheme.params->fresh_limbs)->to_plain_gamma);
}

/* The three of a multiplication (bfv/behz.h). Words in the auxiliary base are canonical, which is all that they
 * need. */
static hb_status lift(void *argument)
{
    scheme_fixture *s = argument;
    return hb_base_convert(s->engine, s->auxiliary, s->scheme.c0, &s->behz.lift);
}

static hb_status floor_quotient(void *argument)
{
    scheme_fixture *s = argument;
    return hb_base_convert(s->engine, s->auxiliary, s->scheme.c0, &s->behz.floor);
}

static hb_status back(void *argument)
{
    scheme_fixture *s = argument;
    return hb_base_convert(s->engine, s->scheme.phase, s->auxiliary, &s->behz.back);
}

static hb_status garner(void *argument)
{
    scheme_fixture *s = argument;
    return hb_garner_digits(s->engine, s->scheme.phase, s->scheme.c0, &hb_params_fresh_level(s->scheme.params)->garner);
}

static hb_status upload(void *argument)
{
    scheme_fixture *s = argument;
    return hb_upload(s->engine, s->packed, s->host, s->scheme.count * s->packed_bytes);
}

static hb_status download(void *argument)
{
    scheme_fixture *s = argument;
    return hb_download(s->engine, s->host, s->packed, s->scheme.count * s->packed_bytes);
}

/* For one polynomial: words and bytes that come and go, and polynomials' worth of keystream. */
static hb_rates cost_of_piece(const scheme_fixture *s, size_t limbs, size_t bytes, size_t draws)
{
    hb_rates cost = {0};
    hb_floor_words(&cost, limbs * s->scheme.params->spec.n);
    hb_floor_bytes(&cost, bytes);
    hb_floor_draw(&cost, &s->scheme.params->ring, draws);
    return cost;
}

static hb_rates digest_cost(const scheme_fixture *s)
{
    const hb_params *p = s->scheme.params;
    hb_rates cost = cost_of_piece(s, 0, s->packed_bytes + p->fresh_limbs * HB_DIGEST_BYTES, 0);
    hb_floor_digest(&cost, &p->ring, p->ids, p->fresh_limbs);
    return cost;
}

static hb_rates link_cost(const hb_bench *bench, const scheme_fixture *s, hb_ceiling way)
{
    hb_rates cost = {0};
    hb_floor_link(&cost, bench->options->device, way, s->packed_bytes);
    return cost;
}

/* Storage, arithmetic, sampling and the link (pieces.c). */
static hb_status measure_pieces(hb_bench *bench, scheme_fixture *s)
{
    const size_t count = s->scheme.count, limbs = s->scheme.params->fresh_limbs, packed = s->packed_bytes;
    const size_t auxiliary = s->behz.limbs;
    /* A download finds packed rows, an upload brings them back, so that unpacking stays in range. */
    const hb_bench_line lines[] = {
        {"pack", "pack", count, cost_of_piece(s, limbs, packed, 0), pack},
        {"pack", "unpack", count, cost_of_piece(s, limbs, packed, 0), unpack},
        {"digest", "digest", count, digest_cost(s), digest},
        {"link", "download, packed", count, link_cost(bench, s, HB_CEILING_DOWNLOAD), download},
        {"link", "upload, packed", count, link_cost(bench, s, HB_CEILING_UPLOAD), upload},
        {"sample", "sample, Gaussian", count, cost_of_piece(s, limbs, 0, 1), sample_gaussian},
        {"sample", "sample, uniform", count, cost_of_piece(s, limbs, 0, limbs), sample_uniform},
        {"pointwise", "add", count, cost_of_piece(s, 3 * limbs, 0, 0), add},
        {"pointwise", "multiply", count, cost_of_piece(s, 3 * limbs, 0, 0), multiply},
        {"convert", "base conversion, to t, gamma", count, cost_of_piece(s, limbs + 2, 0, 0), base_convert},
        {"convert", "Garner digits", count, cost_of_piece(s, 2 * limbs, 0, 0), garner},
        {"convert", "base conversion, lift", count, cost_of_piece(s, limbs + auxiliary, 0, 0), lift},
        {"convert", "base conversion, floor", count, cost_of_piece(s, limbs + 2 * auxiliary, 0, 0), floor_quotient},
        {"convert", "base conversion, back", count, cost_of_piece(s, limbs + auxiliary, 0, 0), back}};
    const size_t all = sizeof lines / sizeof lines[0];
    for (size_t i = 0; i < (auxiliary > 0 ? all : all - 3); i++) { /* the last ones are of a multiplication */
        HB_TRY(hb_bench_measure(bench, s->engine, &lines[i], s));
    }
    return HB_OK;
}

static hb_status encode(void *argument)
{
    scheme_fixture *s = argument;
    return hb_encode(s->scheme.codec, s->scheme.plain, s->scheme.values);
}

static hb_status decode(void *argument)
{
    scheme_fixture *s = argument;
    return hb_decode(s->scheme.codec, s->scheme.values,
                     s->scheme.plain); /* leaves some other polynomial in plain: as good */
}

static hb_status keygen(void *argument)
{
    scheme_fixture *s = argument;
    hb_secret_key secret = {0};
    hb_public_key public = {0};
    hb_status st;
    HB_GOTO(hb_secret_draw(s->engine, s->scheme.params, &s->scheme.root, s->ternary));
    HB_GOTO(hb_secret_key_load(&secret, s->engine, s->scheme.params, s->ternary));
    HB_GOTO(hb_public_key_generate(&public, &secret, &s->scheme.root, &s->scheme.public_seed));
    st = hb_finish(s->engine);
done:
    hb_public_key_clear(&public);
    hb_secret_key_clear(&secret);
    return st;
}

/* Returns the ciphertexts of a call. */
static hb_batch some(const scheme_fixture *s, hb_batch a)
{
    return hb_batch_slice(a, 0, s->now);
}

/* The same ciphertexts at every call: of a recording they are that anyway. */
static hb_status encrypt(scheme_fixture *s, hb_encryptor *encryptor)
{
    return hb_encrypt(encryptor, some(s, s->scheme.c0), some(s, s->scheme.c1), s->scheme.seeds,
                      some(s, s->scheme.plain), &s->scheme.root, 0);
}

static hb_status encrypt_secret(void *argument)
{
    scheme_fixture *s = argument;
    return encrypt(s, s->scheme.with_secret);
}

static hb_status encrypt_public(void *argument)
{
    scheme_fixture *s = argument;
    return encrypt(s, s->scheme.with_public);
}

static hb_status decrypt_seeded(void *argument)
{
    scheme_fixture *s = argument;
    HB_TRY(hb_phase_seeded(s->scheme.decryptor, some(s, s->scheme.phase), some(s, s->scheme.c0), s->scheme.seeds));
    return hb_decrypt(s->scheme.decryptor, some(s, s->scheme.plain), some(s, s->scheme.phase));
}

/* c1 becomes c1 s: some other polynomial, as good for the next call. */
static hb_status decrypt_both(void *argument)
{
    scheme_fixture *s = argument;
    HB_TRY(hb_phase(s->scheme.decryptor, some(s, s->scheme.phase), some(s, s->scheme.c0), some(s, s->scheme.c1)));
    return hb_decrypt(s->scheme.decryptor, some(s, s->scheme.plain), some(s, s->scheme.phase));
}

static hb_status decrypt_with_budget(void *argument)
{
    scheme_fixture *s = argument;
    HB_TRY(decrypt_seeded(s));
    return hb_decryptor_measure(s->scheme.decryptor, s->scheme.budgets, some(s, s->scheme.phase));
}

/* For one operation: polynomials that come and go, in words of one limb; transforms of `limbs` limbs, `times` times, or
 * of the plaintext where limbs = 0; and polynomials' worth of keystream. */
static hb_rates cost_of(const hb_bench *bench, size_t words, uint32_t limbs, uint32_t times, size_t draws)
{
    const hb_params *p = bench->options->params;
    hb_rates cost = {0};
    hb_floor_words(&cost, words * p->spec.n);
    for (uint32_t i = 0; i < times; i++) {
        hb_floor_transform(&cost, bench->options->device, &p->ring, limbs > 0 ? p->ids : &hb_bfv_of(p)->plain_id,
                           limbs > 0 ? limbs : 1);
    }
    hb_floor_draw(&cost, &p->ring, draws);
    return cost;
}

/* The same lines on one ciphertext, those of encryption and decryption that can be recorded. */
static hb_status measure_alone(hb_bench *bench, scheme_fixture *s, const hb_bench_line *lines, size_t count)
{
    s->now = 1;
    for (size_t i = 0; i < count; i++) {
        hb_bench_line line = lines[i];
        line.items = 1;
        const bool encrypts = line.body == encrypt_public || line.body == encrypt_secret;
        if (encrypts || line.body == decrypt_seeded || line.body == decrypt_both) {
            HB_TRY(hb_bench_alone(bench, s->engine, &line, s, false));
        }
    }
    s->now = s->scheme.count;
    return HB_OK;
}

hb_status hb_bench_bfv_pieces(hb_bench *bench)
{
    const hb_params *p = bench->options->params;
    const uint32_t data = p->fresh_limbs, key = p->key_limbs, slots = hb_bfv_of(p)->batching ? 1 : 0;
    scheme_fixture s = {0};
    hb_status st;
    HB_GOTO(scheme_fixture_init(&s, bench->options));
    /* In this order each finds the right operands: decrypt needs the result of encrypt_secret. */
    const hb_bench_line lines[] = {
        {"encode", "encode", s.scheme.count, cost_of(bench, 2, 0, slots, 0), encode},
        {"encode", "decode", s.scheme.count, cost_of(bench, 2, 0, slots, 0), decode},
        {"keygen", "key pair", 1, cost_of(bench, 3 * key, key, 2, key + 2), keygen},
        {"encrypt", "encrypt, public key", s.scheme.count, cost_of(bench, 1 + 2 * data, key, 3, 3), encrypt_public},
        {"encrypt", "encrypt, secret key", s.scheme.count, cost_of(bench, 1 + data, data, 1, data + 1), encrypt_secret},
        {"decrypt", "decrypt, seeded", s.scheme.count, cost_of(bench, data + 1, data, 1, data), decrypt_seeded},
        {"decrypt", "decrypt, seeded, and budget", s.scheme.count, cost_of(bench, data + 1, data, 1, data),
         decrypt_with_budget},
        {"decrypt", "decrypt, two components", s.scheme.count, cost_of(bench, 2 * data + 1, data, 2, 0), decrypt_both}};
    const size_t count = sizeof lines / sizeof lines[0];
    for (size_t i = 0; i < count; i++) {
        HB_GOTO(hb_bench_measure(bench, s.engine, &lines[i], &s));
    }
    HB_GOTO(measure_alone(bench, &s, lines, count));
    st = measure_pieces(bench, &s);
done:
    scheme_fixture_clear(&s);
    return st;
}
