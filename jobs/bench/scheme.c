/* Encoding, keys, encryption and decryption, a batch a call as in a job; of the last two also one ciphertext that is
 * waited for. */
#include "stage.h"

static hb_status encode(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_encode(s->scheme.encoder, s->scheme.plain, s->scheme.values);
}

static hb_status decode(void *argument)
{
    hb_bench_stage *s = argument;
    return hb_decode(s->scheme.encoder, s->scheme.values,
                     s->scheme.plain); /* leaves some other polynomial in plain: as good */
}

static hb_status keygen(void *argument)
{
    hb_bench_stage *s = argument;
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

/* Those of a call. */
static hb_batch some(const hb_bench_stage *s, hb_batch a)
{
    return hb_batch_slice(a, 0, s->now);
}

/* The same ciphertexts at every call: of a recording they are that anyway. */
static hb_status encrypt(hb_bench_stage *s, hb_encryptor *encryptor)
{
    return hb_encrypt(encryptor, some(s, s->scheme.c0), some(s, s->scheme.c1), s->scheme.seeds,
                      some(s, s->scheme.plain), &s->scheme.root, 0);
}

static hb_status encrypt_secret(void *argument)
{
    hb_bench_stage *s = argument;
    return encrypt(s, s->scheme.with_secret);
}

static hb_status encrypt_public(void *argument)
{
    hb_bench_stage *s = argument;
    return encrypt(s, s->scheme.with_public);
}

static hb_status decrypt_seeded(void *argument)
{
    hb_bench_stage *s = argument;
    HB_TRY(hb_phase_seeded(s->scheme.decryptor, some(s, s->scheme.phase), some(s, s->scheme.c0), s->scheme.seeds));
    return hb_decrypt(s->scheme.decryptor, some(s, s->scheme.plain), some(s, s->scheme.phase));
}

/* c1 becomes c1 s: some other polynomial, as good for the next call. */
static hb_status decrypt_both(void *argument)
{
    hb_bench_stage *s = argument;
    HB_TRY(hb_phase(s->scheme.decryptor, some(s, s->scheme.phase), some(s, s->scheme.c0), some(s, s->scheme.c1)));
    return hb_decrypt(s->scheme.decryptor, some(s, s->scheme.plain), some(s, s->scheme.phase));
}

static hb_status decrypt_with_budget(void *argument)
{
    hb_bench_stage *s = argument;
    HB_TRY(decrypt_seeded(s));
    return hb_noise_budget(s->scheme.decryptor, s->scheme.budgets, some(s, s->scheme.phase));
}

/* Of one operation: polynomials that come and go, in words of one limb; transforms of `limbs` limbs, `times` times, or
 * of the plaintext where limbs = 0; and polynomials' worth of keystream. */
static hb_rates cost_of(const hb_bench *bench, size_t words, uint32_t limbs, uint32_t times, size_t draws)
{
    const hb_params *p = bench->options->params;
    hb_rates cost = {0};
    hb_cost_words(&cost, words * p->spec.n);
    for (uint32_t i = 0; i < times; i++) {
        hb_cost_transform(&cost, bench->options->device, &p->ring, limbs > 0 ? p->ids : &hb_bfv_of(p)->plain_id,
                          limbs > 0 ? limbs : 1);
    }
    hb_cost_draw(&cost, &p->ring, draws);
    return cost;
}

/* The same lines on one ciphertext, those of encryption and decryption that can be recorded. */
static hb_status measure_alone(hb_bench *bench, hb_bench_stage *s, const hb_bench_line *lines, size_t count)
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

hb_status hb_bench_scheme(hb_bench *bench)
{
    const hb_params *p = bench->options->params;
    const uint32_t data = p->data_limbs, key = p->key_limbs, slots = hb_bfv_of(p)->batching ? 1 : 0;
    hb_bench_stage s = {0};
    hb_status st;
    HB_GOTO(hb_bench_stage_init(&s, bench->options));
    /* In this order each finds operands that are right for it: decrypt needs what encrypt_secret left. */
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
    st = hb_bench_pieces(bench, &s);
done:
    hb_bench_stage_clear(&s);
    return st;
}
