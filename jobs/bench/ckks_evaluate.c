/* CKKS at the level of fresh ciphertexts: a few ciphertexts a call, more of them, and one that is waited for. */
#include <stdlib.h>

#include "base/cell.h"
#include "ckks_bootstrap.h"
#include "ckks_circuits.h"

enum { CALLS = 3 };

typedef struct evaluation {
    hb_evaluation any;
    hb_batch decrypted;
} evaluation;

static hb_batch some(const hb_evaluation *x, hb_batch a)
{
    return hb_batch_slice(a, 0, x->count);
}

/* And rescaled at once. */
static hb_status multiply(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    HB_TRY(hb_evaluator_multiply(s->evaluator, hb_evaluation_first(x, s->wide), hb_evaluation_first(x, s->a),
                                 hb_evaluation_first(x, s->b)));
    return hb_evaluator_relinearize_rescale(s->evaluator, hb_evaluation_first(x, x->low),
                                            hb_evaluation_first(x, s->wide),
                                            hb_switch_keys_find(&s->keys, HB_RELINEARIZATION));
}

static hb_status multiply_plain(void *argument)
{
    const hb_evaluation *x = argument;
    const hb_fixture *s = &x->fixture;
    HB_TRY(hb_evaluator_multiply_plain(s->evaluator, hb_evaluation_first(x, s->narrow), hb_evaluation_first(x, s->a),
                                       some(x, s->plain)));
    return hb_evaluator_mod_switch(s->evaluator, hb_evaluation_first(x, x->low), hb_evaluation_first(x, s->narrow));
}

static hb_status encode(void *argument)
{
    const hb_evaluation *x = argument;
    return hb_encode(x->fixture.codec, some(x, x->fixture.plain), some(x, x->fixture.values));
}

/* Leaves other values: as good. */
static hb_status decode(void *argument)
{
    const evaluation *x = argument;
    const hb_fixture *s = &x->any.fixture;
    return hb_decode(s->codec, some(&x->any, s->values), some(&x->any, x->decrypted));
}

/* The same ciphertexts at every call: of a recording they are that anyway. */
static hb_status encrypt(const hb_evaluation *x, hb_encryptor *encryptor)
{
    const hb_fixture *s = &x->fixture;
    return hb_encrypt(encryptor, some(x, s->c0), some(x, s->c1), s->seeds, some(x, s->plain), &s->root, 0);
}

static hb_status encrypt_public(void *argument)
{
    const hb_evaluation *x = argument;
    return encrypt(x, x->fixture.with_public);
}

static hb_status encrypt_secret(void *argument)
{
    const hb_evaluation *x = argument;
    return encrypt(x, x->fixture.with_secret);
}

static hb_status decrypt_seeded(void *argument)
{
    const evaluation *x = argument;
    const hb_fixture *s = &x->any.fixture;
    HB_TRY(hb_phase_seeded(s->decryptor, some(&x->any, s->phase), some(&x->any, s->c0), s->seeds));
    return hb_decrypt(s->decryptor, some(&x->any, x->decrypted), some(&x->any, s->phase));
}

/* c1 becomes c1 s: some other polynomial, as good for the next call. */
static hb_status decrypt(void *argument)
{
    const evaluation *x = argument;
    const hb_fixture *s = &x->any.fixture;
    HB_TRY(hb_phase(s->decryptor, some(&x->any, s->phase), some(&x->any, s->c0), some(&x->any, s->c1)));
    return hb_decrypt(s->decryptor, some(&x->any, x->decrypted), some(&x->any, s->phase));
}

/* The cost of one ciphertext: words of one limb that are read or written, transforms of one limb, polynomials' worth of
 * keystream. */
static hb_rates cost_of(const hb_bench *bench, size_t words, size_t transforms, size_t draws)
{
    const hb_params *p = bench->options->params;
    hb_rates cost = {0};
    hb_floor_words(&cost, words * p->spec.n);
    for (size_t i = 0; i < transforms; i++) {
        hb_floor_transform(&cost, bench->options->device, &p->ring, p->ids, 1);
    }
    hb_floor_draw(&cost, &p->ring, draws);
    return cost;
}

/* `times` key switches of one ciphertext, and those costs, for each of `by`. */
static hb_rates switched(const hb_bench *bench, hb_rates cost, uint32_t times, size_t count, double by)
{
    const hb_params *p = bench->options->params;
    hb_floor_switch(&cost, bench->options->device, p, p->fresh_limbs, times, 1, count);
    for (int i = 0; i < HB_CEILINGS; i++) {
        cost.of[i] /= by;
    }
    return cost;
}

static hb_status measure(hb_bench *bench, evaluation *x, size_t count)
{
    const hb_params *p = bench->options->params;
    const size_t k = p->fresh_limbs, gone = 2 * hb_params_level_limbs(p);
    const struct {
        const char *kind, *name;
        hb_rates cost;
        hb_bench_body body;
        size_t each;
    } rows[] = {
        {"ckks", "add", cost_of(bench, 6 * k, 0, 0), hb_evaluation_add, 1},
        {"ckks", "multiply, relinearize, rescale", switched(bench, cost_of(bench, 6 * k, 0, 0), 1, count, 1), multiply,
         1},
        {"ckks", "rotate", switched(bench, cost_of(bench, 4 * k, 0, 0), 1, count, 1), hb_evaluation_rotate, 1},
        {"ckks", "rotate, one of 8 hoisted",
         switched(bench, cost_of(bench, 2 * k + HB_BENCH_HOISTED * 2 * k, 0, 0), HB_BENCH_HOISTED, count,
                  HB_BENCH_HOISTED),
         hb_evaluation_rotate_hoisted, HB_BENCH_HOISTED},
        {"ckks", "rescale", cost_of(bench, 4 * k - gone, 2 * k, 0), hb_evaluation_mod_switch, 1},
        {"ckks", "multiply by a plaintext, rescale", cost_of(bench, 5 * k - gone, 2 * k, 0), multiply_plain, 1},
        {"encode", "encode", cost_of(bench, 1 + k, k, 0), encode, 1},
        {"encrypt", "encrypt, public key", cost_of(bench, 3 * k, 3 * (k + 1), 3), encrypt_public, 1},
        {"encrypt", "encrypt, secret key", cost_of(bench, 2 * k, k, k + 1), encrypt_secret, 1},
        {"decrypt", "decrypt, seeded", cost_of(bench, 2 * k, 0, k), decrypt_seeded, 1},
        {"decrypt", "decrypt, two components", cost_of(bench, 3 * k, 0, 0), decrypt, 1},
        {"encode", "decode", cost_of(bench, 3, 2, 0), decode, 1},
    };
    x->any.count = count;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const hb_bench_line line = {rows[i].kind, rows[i].name, count * rows[i].each, rows[i].cost, rows[i].body};
        if (count == 1) {
            HB_TRY(hb_bench_alone(bench, x->any.engine, &line, x, false));
        } else {
            HB_TRY(hb_bench_measure(bench, x->any.engine, &line, x));
        }
    }
    return HB_OK;
}

/* Reals in [-1, 1] in every slot, the same for each ciphertext. */
static hb_status fill_values(evaluation *x)
{
    const hb_fixture *s = &x->any.fixture;
    const size_t words = hb_values_words(&s->params->spec);
    uint64_t *host = calloc(words, sizeof *host);
    if (host == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu values", words);
    }
    for (size_t j = 0; j < words / 2; j++) {
        host[j] = hb_real_word((double)(j * 2654435761u % 2001) / 1000 - 1);
    }
    hb_status st = HB_OK;
    for (size_t c = 0; c < s->values.count; c++) {
        HB_GOTO(hb_upload(x->any.engine, s->values.data + c * s->values.stride, host, words * sizeof *host));
    }
    st = hb_finish(x->any.engine);
done:
    free(host);
    return st;
}

static hb_status open_evaluation(evaluation *x, const hb_bench_options *options, size_t most)
{
    const hb_params *p = options->params;
    HB_TRY(hb_evaluation_open(&x->any, options, most));
    HB_TRY(fill_values(x));
    HB_TRY(encode(x));
    HB_TRY(hb_evaluation_prepare(&x->any, HB_BENCH_HOISTED));
    HB_TRY(hb_plaintexts_alloc(&x->decrypted, x->any.engine, p, p->fresh_limbs, most));
    /* Operands that lines take from earlier ones. */
    HB_TRY(encrypt_public(x));
    HB_TRY(decrypt(x));
    return hb_finish(x->any.engine);
}

static void close_evaluation(evaluation *x)
{
    if (x->any.engine != NULL) {
        hb_batch_free(x->any.engine, &x->decrypted);
    }
    hb_evaluation_close(&x->any);
}

/* Whether there is room for so many: operands, and about as much that operations work in. */
static bool fits(const hb_bench_options *options, size_t count)
{
    const hb_params *p = options->params;
    const uint64_t polynomials = 2 * (15 + 2 * HB_BENCH_HOISTED + (uint64_t)p->gadget.digits.count * 2);
    return !options->device->gpu ||
           polynomials * count * p->key_limbs * p->spec.n * sizeof(uint64_t) < options->device->memory / 2;
}

/* Returns how many ciphertexts a call works on: as many as are wanted, or fewer, and says so. */
static size_t find_count(hb_bench *bench, size_t wanted)
{
    static const char *const kinds[] = {"ckks", "encode", "encrypt", "decrypt"};
    size_t count = wanted;
    while (count > 1 && !fits(bench->options, count)) {
        count /= 2;
    }
    for (size_t i = 0; count < wanted && i < sizeof kinds / sizeof kinds[0]; i++) {
        hb_bench_leave_out(bench, kinds[i], "%zu ciphertexts a call, which this GPU's memory has no room for; %zu are",
                           wanted, count);
    }
    return count;
}

hb_status hb_bench_ckks(hb_bench *bench)
{
    const hb_bench_options *options = bench->options;
    const bool gpu = options->device->gpu;
    /* Alone; as many as share a key; as many as hide launches. */
    const size_t wanted[CALLS] = {1,
                                  options->batch > 0 ? options->batch
                                  : gpu              ? 8
                                                     : 2,
                                  options->batch == 0 && gpu ? 32 : 1};
    size_t counts[CALLS];
    size_t most = 1;
    evaluation x = {0};
    hb_status st;
    if (!hb_params_can_switch(options->params) || hb_params_level(options->params, options->params->fresh_limbs) < 1) {
        return HB_FAIL(HB_ECONFIG, "%s has no products to measure", options->params->name);
    }
    for (uint32_t i = 0; i < CALLS; i++) {
        counts[i] = find_count(bench, wanted[i]);
        most = counts[i] > most ? counts[i] : most;
    }
    HB_GOTO(open_evaluation(&x, options, most));
    for (uint32_t i = 0; i < CALLS; i++) {
        if (i == 0 || (counts[i] > 1 && counts[i] != counts[i - 1])) {
            HB_GOTO(measure(bench, &x, counts[i]));
        }
    }
    for (uint32_t i = 0; i < CALLS && hb_bench_selects(bench, "circuits"); i++) {
        if (i == 0 || (counts[i] > 1 && counts[i] != counts[i - 1])) {
            x.any.count = counts[i];
            HB_GOTO(hb_bench_ckks_circuits(bench, &x.any));
            HB_GOTO(hb_bench_ckks_bootstrap(bench, &x.any));
        }
    }
done:
    close_evaluation(&x);
    return st;
}
