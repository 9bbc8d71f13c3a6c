/* Recordings of whole operations on the GPU: the same words as plain calls, at every preset. */
#include "gpu.h"

#include "check/fixture.h"
#include "scheme/params.h"

/* The operands of bodies, and the body. */
typedef struct bench {
    hb_engine *engine;
    hb_fixture s;
    hb_batch decrypted; /* plaintexts, of any scheme */
    int calls;          /* of the body */
} bench;

typedef struct operation {
    const char *name;
    hb_status (*body)(void *argument);
    hb_batch (*result)(const bench *b);
    bool same; /* for any operands, as it is made of seeds */
} operation;

static hb_status multiply(void *argument)
{
    bench *b = argument;
    b->calls++;
    return hb_evaluator_multiply(b->s.evaluator, b->s.wide, b->s.a, b->s.b);
}

static hb_status relinearize(void *argument)
{
    bench *b = argument;
    b->calls++;
    return hb_evaluator_relinearize(b->s.evaluator, b->s.narrow, b->s.wide,
                                    hb_switch_keys_find(&b->s.keys, HB_RELINEARIZATION));
}

static hb_status rotate(void *argument)
{
    bench *b = argument;
    b->calls++;
    return hb_evaluator_rotate(b->s.evaluator, b->s.narrow, b->s.a, 1, &b->s.keys);
}

static hb_status multiply_plain(void *argument)
{
    bench *b = argument;
    b->calls++;
    return hb_evaluator_multiply_plain(b->s.evaluator, b->s.narrow, b->s.a, b->s.plain);
}

static hb_status encrypt(bench *b, hb_encryptor *encryptor)
{
    b->calls++;
    return hb_encrypt(encryptor, b->s.c0, b->s.c1, b->s.seeds, b->s.plain, &b->s.root, 7);
}

static hb_status encrypt_secret(void *argument)
{
    bench *b = argument;
    return encrypt(b, b->s.with_secret);
}

static hb_status encrypt_public(void *argument)
{
    bench *b = argument;
    return encrypt(b, b->s.with_public);
}

/* Decrypts a copy of a: decrypting uses up c_1. */
static hb_status decrypt(void *argument)
{
    bench *b = argument;
    b->calls++;
    HB_TRY(hb_copy(b->engine, b->s.c1, hb_ciphertexts_component(b->s.a, 1)));
    HB_TRY(hb_phase(b->s.decryptor, b->s.phase, hb_ciphertexts_component(b->s.a, 0), b->s.c1));
    return hb_decrypt(b->s.decryptor, b->decrypted, b->s.phase);
}

static hb_status decrypt_seeded(void *argument)
{
    bench *b = argument;
    b->calls++;
    HB_TRY(hb_phase_seeded(b->s.decryptor, b->s.phase, hb_ciphertexts_component(b->s.a, 0), b->s.seeds));
    return hb_decrypt(b->s.decryptor, b->decrypted, b->s.phase);
}

static hb_batch wide(const bench *b)
{
    return b->s.wide.all;
}

static hb_batch narrow(const bench *b)
{
    return b->s.narrow.all;
}

static hb_batch c0(const bench *b)
{
    return b->s.c0;
}

static hb_batch c1(const bench *b)
{
    return b->s.c1;
}

static hb_batch decrypted(const bench *b)
{
    return b->decrypted;
}

static const operation operations[] = {
    {"multiply", multiply, wide, false},
    {"relinearize", relinearize, narrow, false},
    {"rotate", rotate, narrow, false},
    {"multiply by a plaintext", multiply_plain, narrow, false},
    {"encrypt, secret key", encrypt_secret, c0, false},
    {"encrypt, public key", encrypt_public, c0, false},
    {"encrypt, public key", encrypt_public, c1, true},
    {"decrypt", decrypt, decrypted, false},
    {"decrypt, seeded", decrypt_seeded, decrypted, false},
};

static void bench_open(bench *b, const hb_params *p, size_t count)
{
    const hb_seed root = {{23}};
    *b = (bench){.engine = NULL};
    assert_ok(hb_cuda_engine_open(&p->ring, &gpu_device, gpu_device.free / 2, &b->engine));
    assert_ok(hb_fixture_init(&b->s, b->engine, p, &root, count));
    assert_ok(hb_plaintexts_alloc(&b->decrypted, b->engine, p, p->fresh_limbs, count));
    hb_seed_public(b->s.seeds, count, &root, 0);
    assert_ok(hb_sample_uniform(b->engine, b->s.plain, b->s.seeds));
    assert_ok(hb_fixture_evaluate(&b->s, 1));
    assert_ok(hb_evaluator_multiply(b->s.evaluator, b->s.wide, b->s.a, b->s.b));
    assert_ok(hb_finish(b->engine));
}

static void bench_close(bench *b)
{
    hb_batch_free(b->engine, &b->decrypted);
    hb_fixture_clear(&b->s);
    hb_engine_close(b->engine);
}

/* A copy on the host, for free. */
static uint64_t *fetch(const bench *b, hb_batch from, size_t *bytes)
{
    *bytes = from.count * from.stride * sizeof(uint64_t);
    uint64_t *words = gpu_host(*bytes);
    gpu_fetch(b->engine, words, from, 0, from.count);
    return words;
}

/* The result is that of a plain call (`called`), or all zeros. */
static void assert_result(const bench *b, const operation *o, const uint64_t *called)
{
    size_t bytes;
    uint64_t *words = fetch(b, o->result(b), &bytes);
    for (size_t j = 0; j < bytes / sizeof *words; j++) {
        if (words[j] != (called != NULL ? called[j] : 0)) {
            fail_msg("%s, %s: differs at word %zu", b->s.params->name, o->name, j);
        }
    }
    free(words);
}

/* Other operands in the same places. */
static void change(bench *b)
{
    assert_ok(hb_evaluator_add(b->s.evaluator, b->s.a, b->s.a, b->s.b));
    assert_ok(hb_negate(b->engine, b->s.wide.all, b->s.wide.all));
    assert_ok(hb_negate(b->engine, b->s.plain, b->s.plain));
}

static void check(bench *b, const operation *o)
{
    size_t bytes;
    hb_recording *r = NULL;
    const hb_batch result = o->result(b);
    assert_ok(o->body(b));
    uint64_t *called = fetch(b, result, &bytes);
    const uint64_t held = hb_cuda_engine_bytes(b->engine);

    assert_ok(hb_clear(b->engine, result));
    b->calls = 0;
    assert_ok(hb_record(b->engine, o->body, b, &r));
    assert_result(b, o, NULL);
    for (int times = 0; times < 2; times++) {
        assert_ok(hb_clear(b->engine, result));
        assert_ok(hb_replay(r));
        assert_result(b, o, called);
    }
    assert_int_equal(b->calls, 1); /* else nothing was recorded */

    change(b);
    assert_ok(o->body(b));
    uint64_t *changed = fetch(b, result, &bytes);
    assert_true(o->same == (memcmp(changed, called, bytes) == 0));
    assert_ok(hb_clear(b->engine, result));
    assert_ok(hb_replay(r));
    assert_result(b, o, changed);
    hb_recording_free(r);
    assert_int_equal(hb_cuda_engine_bytes(b->engine), held);
    free(changed);
    free(called);
}

static void test_presets(void **state)
{
    (void)state;
    const char *name;
    for (size_t i = 0; (name = hb_params_chain_name(i)) != NULL && i < (gpu_small ? 1 : SIZE_MAX); i++) {
        hb_params_spec spec;
        hb_params *p;
        assert_ok(hb_params_preset(name, &spec));
        assert_ok(hb_params_open(&spec, &p));
        for (size_t count = 1; count <= (gpu_small ? 1 : 3) && hb_params_can_switch(p); count += 2) {
            bench b;
            bench_open(&b, p, count);
            for (size_t o = 0; o < sizeof operations / sizeof operations[0]; o++) {
                check(&b, &operations[o]);
            }
            bench_close(&b);
        }
        hb_params_close(p);
    }
}

GPU_MAIN(cmocka_unit_test(test_presets))
