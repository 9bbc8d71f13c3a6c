#include "paper.h"

#include <stdlib.h>

#include "base/prime.h"
#include "bench_private.h"
#include "check/stage.h"

/* Al Badawi et al. count no special prime: it comes on top. Ozerk et al. count it, as SEAL does. */
static const struct {
    size_t n;
    uint32_t log_q, limbs, bits; /* bits: of all limbs together */
    uint64_t plain;
} sets[HB_PAPER_SETS] = {
    {1 << 11, 60, 3, 60 + 30, 2},    {1 << 12, 180, 7, 180 + 30, 2},  {1 << 13, 360, 13, 360 + 30, 2},
    {1 << 14, 720, 25, 720 + 30, 2}, {1 << 12, 109, 3, 109, 1 << 10}, {1 << 13, 152, 4, 152, 1 << 10},
    {1 << 14, 237, 5, 237, 1 << 10}, {1 << 15, 496, 9, 496, 1 << 10}, {1 << 15, 880, 16, 880, 1 << 10},
};

typedef struct paper {
    const hb_bench_options *options;
    hb_params *params;
    hb_engine *engine;
    hb_stage stage;
    int8_t *ternary;
    bool evaluation;
    size_t count;       /* ciphertexts of the calls that are measured now ... */
    hb_bench_body body; /* ... one of which this issues */
} paper;

static hb_ciphertexts first(const paper *x, hb_ciphertexts a)
{
    return hb_ciphertexts_view(a, x->engine, x->params, a.size, x->count, a.all.limbs);
}

static hb_status keygen(void *argument)
{
    paper *x = argument;
    const hb_seed *root = &x->stage.root, *seed = &x->stage.public_seed;
    hb_secret_key secret = {0};
    hb_public_key public = {0};
    hb_switch_key relinearization = {0};
    hb_seed seeds[HB_MAX_LIMBS];
    hb_status st;
    hb_seed_public(seeds, x->params->data_limbs, root, 0);
    HB_GOTO(hb_secret_draw(x->engine, x->params, root, x->ternary));
    HB_GOTO(hb_secret_key_load(&secret, x->engine, x->params, x->ternary));
    HB_GOTO(hb_public_key_generate(&public, &secret, root, seed));
    HB_GOTO(x->evaluation ? hb_switch_key_generate(&relinearization, &secret, HB_RELINEARIZATION, root, seeds) : HB_OK);
    st = hb_finish(x->engine);
done:
    hb_switch_key_clear(&relinearization);
    hb_public_key_clear(&public);
    hb_secret_key_clear(&secret);
    return st;
}

static hb_status encrypt(void *argument)
{
    paper *x = argument;
    hb_stage *s = &x->stage;
    return hb_encrypt(s->with_public, hb_batch_slice(s->c0, 0, x->count), hb_batch_slice(s->c1, 0, x->count), NULL,
                      hb_batch_slice(s->plain, 0, x->count), &s->root, 0);
}

/* c1 becomes c1 s: some other polynomial, as good for the next call; so is the plaintext. */
static hb_status decrypt(void *argument)
{
    paper *x = argument;
    hb_stage *s = &x->stage;
    const hb_batch phase = hb_batch_slice(s->phase, 0, x->count);
    HB_TRY(hb_phase(s->decryptor, phase, hb_batch_slice(s->c0, 0, x->count), hb_batch_slice(s->c1, 0, x->count)));
    return hb_decrypt(s->decryptor, hb_batch_slice(s->plain, 0, x->count), phase);
}

static hb_status add(void *argument)
{
    paper *x = argument;
    const hb_stage *s = &x->stage;
    return hb_evaluator_add(s->evaluator, first(x, s->narrow), first(x, s->a), first(x, s->b));
}

static hb_status multiply(void *argument)
{
    paper *x = argument;
    const hb_stage *s = &x->stage;
    HB_TRY(hb_evaluator_multiply(s->evaluator, first(x, s->wide), first(x, s->a), first(x, s->b)));
    return hb_evaluator_relinearize(s->evaluator, first(x, s->narrow), first(x, s->wide),
                                    hb_key_ring_find(&s->keys, HB_RELINEARIZATION));
}

static hb_status issue_and_wait(void *argument)
{
    paper *x = argument;
    HB_TRY(x->body(x));
    return hb_finish(x->engine);
}

static hb_status measure(paper *x, hb_paper_times *times)
{
    static const hb_bench_body bodies[HB_PRIMITIVES] = {keygen, encrypt, decrypt, add, multiply};
    const hb_bench_options *o = x->options;
    const hb_bench_pace pace = hb_bench_pace_of(o);
    const size_t batch = times->count;
    for (int i = 0; i < (x->evaluation ? HB_PRIMITIVES : HB_PRIMITIVE_ADD); i++) {
        hb_timing timing;
        x->body = bodies[i];
        x->count = batch;
        HB_TRY(hb_bench_time(pace, x->engine, x->body, x, &timing));
        times->amortised[i] = timing.median / (double)(i == HB_PRIMITIVE_KEYGEN ? 1 : batch);
        x->count = 1;
        HB_TRY(hb_bench_time(pace, x->engine, issue_and_wait, x, &timing));
        times->alone[i] = timing.median;
    }
    return HB_OK;
}

static hb_status open_set(paper *x, size_t i, hb_paper_times *times)
{
    uint32_t bits[HB_MAX_LIMBS];
    const uint32_t limbs = sets[i].limbs;
    hb_params_spec spec = {.n = sets[i].n,
                           .key_limbs = limbs,
                           .plain = sets[i].plain,
                           .security = hb_security_default(),
                           .insecure = true};
    for (uint32_t l = 0; l < limbs; l++) {
        bits[l] = sets[i].bits / limbs + (l >= limbs - sets[i].bits % limbs);
    }
    HB_TRY(hb_create_primes(spec.n, bits, limbs, spec.primes));
    HB_TRY(hb_params_open(&spec, &x->params));
    HB_TRY(hb_device_open_ring(x->options->device, &x->params->ring, &x->engine));
    x->evaluation = i < HB_PAPER_TABLE_5;
    x->ternary = malloc(spec.n);
    if (x->ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a secret key of %zu coefficients", spec.n);
    }
    const uint32_t operands = 14; /* polynomials of the stage */
    *times = (hb_paper_times){.n = spec.n, .log_q = sets[i].log_q, .limbs = limbs, .plain = spec.plain};
    times->count = hb_bench_batch(x->options, &x->params->ring, x->params->data_limbs, operands);
    hb_seed root;
    hb_seed_random(&root);
    const hb_status st = hb_stage_init(&x->stage, x->engine, x->params, &root, times->count);
    hb_wipe(&root, sizeof root);
    HB_TRY(st);
    hb_seed_public(x->stage.seeds, times->count, &x->stage.root, 0);
    HB_TRY(hb_sample_uniform(x->engine, x->stage.plain, x->stage.seeds));
    return x->evaluation ? hb_stage_evaluate(&x->stage, 0) : HB_OK;
}

static void close_set(paper *x)
{
    hb_stage_clear(&x->stage);
    hb_engine_close(x->engine);
    if (x->ternary != NULL) {
        hb_wipe(x->ternary, x->params->spec.n);
    }
    free(x->ternary);
    hb_params_close(x->params);
}

hb_status hb_bench_paper(const hb_bench_options *options, hb_paper_times times[HB_PAPER_SETS])
{
    for (size_t i = 0; i < HB_PAPER_SETS; i++) {
        paper x = {.options = options};
        hb_status st = open_set(&x, i, &times[i]);
        if (st == HB_OK) {
            st = measure(&x, &times[i]);
        }
        close_set(&x);
        HB_TRY(st);
    }
    return HB_OK;
}
