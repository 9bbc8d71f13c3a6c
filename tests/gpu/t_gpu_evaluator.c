/* Whole evaluator operations on the GPU: SEAL's vectors, and the CPU engine's results at every preset. */
#include "gpu.h"
#include "reference/seal_ops.h"
#include "reference/slow.h"
#include "scheme/codec.h"
#include "scheme/params.h"

static hb_status open_gpu(const hb_ring *ring, hb_engine **out)
{
    return hb_cuda_engine_open(ring, &gpu_device, gpu_device.free / 2, out);
}

static void test_seal(void **state)
{
    (void)state;
    seal_check_ops(HB_TESTS_VECTORS "/n1024", open_gpu);
    if (!gpu_small) {
        seal_check_ops(HB_TESTS_VECTORS "/n4096", open_gpu);
    }
}

/* The same words and keys on one engine. */
typedef struct side {
    hb_engine *engine;
    hb_evaluator *x;
    hb_ciphertexts a, b, r;
    hb_batch plain;
    hb_switch_key relinearization, rotation;
} side;

enum { COUNT = 5, ELEMENT = 3 };

/* Any residues are a ciphertext. */
static void upload_random(const side *s, const hb_params *p, hb_batch to, uint64_t seed)
{
    const size_t words = to.limbs * p->ring.n;
    uint64_t *host = gpu_host(words * sizeof *host);
    for (size_t c = 0; c < to.count; c++) {
        for (size_t j = 0; j < words; j++) {
            const uint64_t m = p->ring.moduli[to.ids[j / p->ring.n]].value, w = slow_random(&seed);
            host[j] = w % 16 == 0 ? m - 1 - w / 16 % 2 : w % m;
        }
        assert_ok(hb_upload(s->engine, to.data + c * to.stride, host, words * sizeof *host));
        assert_ok(hb_finish(s->engine));
    }
    free(host);
}

static void side_open(side *s, const hb_params *p, uint32_t limbs)
{
    const hb_seed root = {{11}};
    const hb_evaluator_requirements requirements = {
        .limbs = limbs, .count = COUNT, .size = 2, .switching = true, .hoisting = true, .plain_factors = true};
    hb_seed *seeds = gpu_seeds(p->data_limbs);
    int8_t *ternary = gpu_host(p->ring.n);
    hb_secret_key secret;
    assert_ok(hb_evaluator_open(s->engine, p, &requirements, &s->x));
    assert_ok(hb_ciphertexts_alloc(&s->a, s->engine, p, 2, COUNT, limbs));
    assert_ok(hb_ciphertexts_alloc(&s->b, s->engine, p, 2, COUNT, limbs));
    assert_ok(hb_ciphertexts_alloc(&s->r, s->engine, p, 3, COUNT, limbs));
    assert_ok(hb_plaintexts_alloc(&s->plain, s->engine, p, limbs, COUNT));
    assert_ok(hb_secret_draw(s->engine, p, &root, ternary));
    assert_ok(hb_secret_key_load(&secret, s->engine, p, ternary));
    assert_ok(hb_switch_key_generate(&s->relinearization, &secret, HB_RELINEARIZATION, &root, seeds));
    assert_ok(hb_switch_key_generate(&s->rotation, &secret, ELEMENT, &root, seeds));
    upload_random(s, p, s->a.all, 1);
    upload_random(s, p, s->b.all, 2);
    upload_random(s, p, s->plain, 3);
    hb_secret_key_clear(&secret);
    free(ternary);
    free(seeds);
}

static void side_close(side *s)
{
    hb_switch_key_clear(&s->relinearization);
    hb_switch_key_clear(&s->rotation);
    hb_batch_free(s->engine, &s->plain);
    hb_batch_free(s->engine, &s->r.all);
    hb_batch_free(s->engine, &s->b.all);
    hb_batch_free(s->engine, &s->a.all);
    hb_evaluator_close(s->x);
    hb_engine_close(s->engine);
}

typedef struct operation {
    const char *name;
    uint32_t size, dropped; /* of the result: components, limbs less */
    hb_status (*run)(side *s, hb_ciphertexts r);
} operation;

static hb_status add(side *s, hb_ciphertexts r)
{
    return hb_evaluator_add(s->x, r, s->a, s->b);
}

static hb_status subtract_plain(side *s, hb_ciphertexts r)
{
    HB_TRY(hb_evaluator_negate(s->x, r, s->a));
    return hb_evaluator_add_plain(s->x, r, s->plain, HB_MINUS);
}

static hb_status multiply_plain(side *s, hb_ciphertexts r)
{
    return hb_evaluator_multiply_plain(s->x, r, s->a, s->plain);
}

static hb_status multiply(side *s, hb_ciphertexts r)
{
    return hb_evaluator_multiply(s->x, r, s->a, s->b);
}

static hb_status square(side *s, hb_ciphertexts r)
{
    return hb_evaluator_multiply(s->x, r, s->a, s->a);
}

/* In place. */
static hb_status multiply_relinearize(side *s, hb_ciphertexts r)
{
    HB_TRY(hb_evaluator_multiply(s->x, s->r, s->a, s->b));
    return hb_evaluator_relinearize(s->x, r, s->r, &s->relinearization);
}

static hb_status rotate(side *s, hb_ciphertexts r)
{
    return hb_evaluator_galois(s->x, r, s->a, &s->rotation);
}

static hb_status rotate_and_add(side *s, hb_ciphertexts r)
{
    HB_TRY(hb_evaluator_copy(s->x, r, s->b));
    return hb_evaluator_galois_add(s->x, r, s->a, &s->rotation);
}

static hb_status rotate_hoisted(side *s, hb_ciphertexts r)
{
    const hb_switch_key *const key = &s->rotation;
    return hb_evaluator_galois_hoisted(s->x, &r, s->a, &key, 1);
}

static hb_status mod_switch(side *s, hb_ciphertexts r)
{
    return hb_evaluator_mod_switch(s->x, r, s->a);
}

/* Only in NTT form. */
static hb_status multiply_rescale(side *s, hb_ciphertexts r)
{
    const hb_params *p = hb_evaluator_params(s->x);
    hb_ciphertexts product;
    HB_TRY(hb_ciphertexts_alloc(&product, s->engine, p, 3, COUNT, s->a.all.limbs));
    hb_status st = hb_evaluator_multiply(s->x, product, s->a, s->b);
    if (st == HB_OK && r.form == HB_NTT_FORM) {
        st = hb_evaluator_relinearize_rescale(s->x, r, product, &s->relinearization);
    } else if (st == HB_OK) {
        st = hb_evaluator_mod_switch(s->x, r, s->a);
    }
    hb_batch_free(s->engine, &product.all);
    return st;
}

static hb_status add_number(side *s, hb_ciphertexts r)
{
    return hb_evaluator_add_number(s->x, r, s->a, -7);
}

static hb_status multiply_number(side *s, hb_ciphertexts r)
{
    return hb_evaluator_multiply_number(s->x, r, s->a, 3);
}

static hb_status adjust(side *s, hb_ciphertexts r)
{
    return hb_evaluator_adjust(s->x, r, s->a);
}

/* Down a level, and up again. */
static hb_status extend(side *s, hb_ciphertexts r)
{
    const hb_params *p = hb_evaluator_params(s->x);
    const uint32_t own = hb_params_level_limbs(p), limbs = s->a.all.limbs;
    hb_ciphertexts low;
    if (limbs <= own || p->levels[limbs - own].basis.limbs == 0) {
        return hb_evaluator_extend(s->x, r, s->a);
    }
    HB_TRY(hb_ciphertexts_alloc(&low, s->engine, p, 2, COUNT, limbs - own));
    hb_status st = hb_evaluator_mod_switch(s->x, low, s->a);
    st = st == HB_OK ? hb_evaluator_extend(s->x, r, low) : st;
    st = st == HB_OK ? hb_finish(s->engine) : st;
    hb_batch_free(s->engine, &low.all);
    return st;
}

static const operation operations[] = {
    {"add", 2, 0, add},
    {"subtract plain", 2, 0, subtract_plain},
    {"multiply plain", 2, 0, multiply_plain},
    {"multiply", 3, 0, multiply},
    {"square", 3, 0, square},
    {"multiply and relinearize", 2, 0, multiply_relinearize},
    {"rotate", 2, 0, rotate},
    {"rotate and add", 2, 0, rotate_and_add},
    {"rotate, hoisted", 2, 0, rotate_hoisted},
    {"switch the modulus", 2, 1, mod_switch},
    {"multiply, relinearize and rescale", 2, 1, multiply_rescale},
    {"add a number", 2, 0, add_number},
    {"multiply by a number", 2, 0, multiply_number},
    {"adjust", 2, 1, adjust},
    {"extend", 2, 0, extend},
};

static void compare(side *sides, const hb_params *p, const operation *o, uint32_t limbs)
{
    if (o->dropped == limbs || p->levels[limbs - o->dropped].basis.limbs == 0) {
        return;
    }
    uint64_t *words[2];
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        side *s = &sides[i];
        const hb_ciphertexts r = hb_ciphertexts_view(s->r, s->engine, p, o->size, COUNT, limbs - o->dropped);
        const hb_status st = o->run(s, r);
        if (st != HB_OK) {
            fail_msg("%s, %s, %u limbs: status %d: %s", p->name, o->name, limbs, st, hb_last_error()->text);
        }
        count = r.all.count * r.all.stride;
        words[i] = gpu_host(count * sizeof *words[i]);
        gpu_fetch(s->engine, words[i], r.all, 0, r.all.count);
    }
    for (size_t j = 0; j < count; j++) {
        if (words[0][j] != words[1][j]) {
            fail_msg("%s, %s, %u limbs: the GPU differs at word %zu of %zu", p->name, o->name, limbs, j, count);
        }
    }
    free(words[0]);
    free(words[1]);
}

static void check_level(const hb_params *p, uint32_t limbs)
{
    side sides[2] = {0};
    assert_ok(open_gpu(&p->ring, &sides[0].engine));
    assert_ok(hb_cpu_engine_open(&p->ring, &sides[1].engine));
    side_open(&sides[0], p, limbs);
    side_open(&sides[1], p, limbs);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        compare(sides, p, &operations[i], limbs);
    }
    side_close(&sides[0]);
    side_close(&sides[1]);
}

/* At the top of the chain, and one level down. */
static void test_presets(void **state)
{
    (void)state;
    const char *name;
    for (size_t i = 0; (name = hb_params_chain_name(i)) != NULL && i < (gpu_small ? 1 : SIZE_MAX); i++) {
        hb_params_spec spec;
        hb_params *p;
        assert_ok(hb_params_preset(name, &spec));
        assert_ok(hb_params_open(&spec, &p));
        check_level(p, p->fresh_limbs);
        if (p->fresh_limbs > 1 && p->levels[p->fresh_limbs - 1].basis.limbs > 0) {
            check_level(p, p->fresh_limbs - 1);
        }
        hb_params_close(p);
    }
}

GPU_MAIN(cmocka_unit_test(test_seal), cmocka_unit_test(test_presets))
