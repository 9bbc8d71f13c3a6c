/* Hybrid key switching (rlwe/gadget.h) on a ring of its own, by its steps and as a whole, and the division that leaves
 * a level: several ciphertexts a call, and one that is waited for. Words are random; no scheme is asked. The chains are
 * those of CKKS at 128 bits: primes of 50 bits, four digits. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/prime.h"
#include "base/seed.h"
#include "bench_private.h"
#include "ring/galois.h"
#include "ring/permutation.h"
#include "rlwe/gadget.h"

enum { BITS = 50, LEAST_LOG_N = 13, MOST_LOG_N = 16, COUNTS = 3 };

/* Limbs by log2 N. */
static const struct {
    uint32_t data, special;
} chains[] = {{4, 1}, {8, 2}, {16, 4}, {28, 8}};

/* Operands, each memory for as many polynomials as the largest call has. */
enum { A, B, R, SUMS, COEFFICIENTS, REMAINDERS, OPERANDS };

typedef struct switching {
    hb_engine *engine; /* its own */
    hb_ring ring;
    uint16_t ids[HB_MAX_LIMBS]; /* of the data, then the special ones */
    uint32_t data, all;
    hb_gadget gadget;
    hb_mod_down rescale[HB_MAX_LIMBS]; /* from that many limbs, of the levels that are measured */
    size_t most;                       /* ciphertexts that there is memory for */
    size_t now;                        /* of the calls that are measured now, .. */
    const hb_gadget_level *level;      /* .. and their level */
    hb_batch operand[OPERANDS];
    hb_batch key; /* [2 digits][all] */
    void *digits;
    hb_permutation phi; /* an automorphism */
} switching;

/* Components of the ciphertexts of a call in the leading limbs of the level. */
static hb_batch some(const switching *x, int operand, size_t components, uint32_t limbs)
{
    return hb_batch_on(x->engine, x->operand[operand].data, components * x->now, limbs, x->level->switch_ids);
}

static hb_digits digits_of(const switching *x)
{
    return hb_digits_on(x->engine, &x->gadget, x->level->limbs, x->digits, x->now);
}

static hb_status invert(void *argument)
{
    const switching *x = argument;
    return hb_intt(x->engine, some(x, COEFFICIENTS, 1, x->level->limbs));
}

/* Their own limbs stay in a. */
static hb_status digits_from(const switching *x, hb_batch a)
{
    hb_digits digits = digits_of(x);
    digits.own = a;
    return hb_digits_make(x->engine, digits, a, some(x, COEFFICIENTS, 1, a.limbs), HB_NTT_FORM);
}

static hb_status make_digits(void *argument)
{
    const switching *x = argument;
    return digits_from(x, some(x, A, 1, x->level->limbs));
}

/* Without the transforms before it and behind. */
static hb_status convert(void *argument)
{
    const switching *x = argument;
    const hb_mod_up_operands operands = {.a = some(x, A, 1, x->level->limbs),
                                         .up = x->level->up,
                                         .digits = x->level->digits,
                                         .scaled = true,
                                         .transformed = true};
    return hb_mod_up_convert(x->engine, digits_of(x).all, &operands);
}

static hb_status transform(void *argument)
{
    const switching *x = argument;
    hb_limb_range own[HB_MAX_LIMBS];
    for (uint32_t j = 0; j < x->level->digits; j++) {
        own[j] = (hb_limb_range){x->level->up[j].first, x->level->up[j].limbs};
    }
    return hb_ntt_except(x->engine, digits_of(x).all, x->level->digits, own);
}

static hb_status multiply(void *argument)
{
    const switching *x = argument;
    hb_digits digits = digits_of(x);
    digits.own = some(x, A, 1, x->level->limbs);
    return hb_digits_multiply(x->engine, some(x, SUMS, 2, x->level->switch_limbs), digits, x->key, NULL, digits.own);
}

/* With the words of A added to the first half: a rotation's. */
static hb_status divide(void *argument)
{
    const switching *x = argument;
    const uint32_t k = x->level->limbs;
    return hb_mod_down_apply(x->engine, some(x, R, 2, k), some(x, A, 1, k), some(x, SUMS, 2, x->level->switch_limbs),
                             some(x, REMAINDERS, 2, k), &x->level->down, HB_NTT_FORM);
}

static hb_status permute(void *argument)
{
    const switching *x = argument;
    return hb_permute(x->engine, some(x, REMAINDERS, 2, x->level->limbs), some(x, R, 2, x->level->limbs), x->phi.map);
}

/* The quotients are stored by the automorphism. */
static hb_status rotate(void *argument)
{
    const switching *x = argument;
    const uint32_t k = x->level->limbs;
    HB_TRY(make_digits(argument));
    HB_TRY(multiply(argument));
    return hb_mod_down_permute(x->engine, some(x, R, 2, k), some(x, A, 1, k), some(x, SUMS, 2, x->level->switch_limbs),
                               some(x, REMAINDERS, 2, k), &x->level->down, &x->phi);
}

static hb_status rescale(void *argument)
{
    const switching *x = argument;
    const uint32_t k = x->level->limbs;
    return hb_mod_down_apply(x->engine, some(x, R, 2, k - 1), (hb_batch){.data = NULL}, some(x, A, 2, k),
                             some(x, REMAINDERS, 2, k - 1), &x->rescale[k], HB_NTT_FORM);
}

static hb_status tensor(void *argument)
{
    const switching *x = argument;
    const uint32_t k = x->level->limbs;
    return hb_tensor(x->engine, some(x, R, 3, k), some(x, A, 2, k), some(x, B, 2, k), 2, 2);
}

/* A product that is relinearized and rescaled at once: its first components times P go to the sums. */
static hb_status multiply_all(void *argument)
{
    const switching *x = argument;
    const uint32_t k = x->level->limbs;
    HB_TRY(tensor(argument));
    const hb_batch product = some(x, R, 3, k), square = hb_batch_slice(product, 2 * x->now, x->now);
    const hb_batch sums = some(x, SUMS, 2, x->level->switch_limbs);
    const hb_batch plus[2] = {hb_batch_slice(product, 0, x->now), hb_batch_slice(product, x->now, x->now)};
    hb_digits digits = digits_of(x);
    digits.own = square;
    HB_TRY(digits_from(x, square));
    HB_TRY(hb_digits_multiply(x->engine, sums, digits, x->key, plus, some(x, REMAINDERS, 1, k)));
    return hb_mod_down_apply(x->engine, some(x, R, 2, k - 1), (hb_batch){.data = NULL}, sums,
                             some(x, REMAINDERS, 2, k - 1), &x->level->down_rescale, HB_NTT_FORM);
}

static hb_status add(void *argument)
{
    const switching *x = argument;
    const uint32_t k = x->level->limbs;
    return hb_add(x->engine, some(x, R, 2, k), some(x, A, 2, k), some(x, B, 2, k));
}

/* Words of one limb that come and go, and transforms, of one ciphertext. */
static hb_rates cost_of(const hb_bench *bench, const switching *x, size_t words, uint32_t transforms)
{
    hb_rates cost = {0};
    hb_floor_words(&cost, words * x->ring.n);
    for (uint32_t i = 0; i < transforms; i++) {
        hb_floor_transform(&cost, bench->options->device, &x->ring, x->ids, 1);
    }
    return cost;
}

static hb_status measure(hb_bench *bench, switching *x, size_t count, uint32_t limbs)
{
    const hb_gadget_level *level = &x->gadget.levels[limbs];
    const uint32_t k = limbs, all = level->switch_limbs, d = level->digits, others = d * all - k;
    const size_t key = 2 * (size_t)d * all / count;
    const struct {
        const char *name;
        hb_rates cost;
        hb_status (*body)(void *argument);
    } rows[] = {
        {"multiply, relinearize, rescale", cost_of(bench, x, 6 * k + key, k + others + 2 * all), multiply_all},
        {"rotate", cost_of(bench, x, 4 * k + key, k + others + 2 * all), rotate},
        {"rescale", cost_of(bench, x, 4 * k - 2, 2 * k), rescale},
        {"add", cost_of(bench, x, 6 * k, 0), add},
        {"tensor", cost_of(bench, x, 7 * k, 0), tensor},
        {"digits", cost_of(bench, x, k + (size_t)d * all, k + others), make_digits},
        {"  inverse transforms", cost_of(bench, x, 2 * k, k), invert},
        {"  conversions", cost_of(bench, x, 2 * k + (size_t)d * all, 0), convert},
        {"  transforms", cost_of(bench, x, 2 * (size_t)others, others), transform},
        {"inner products", cost_of(bench, x, (size_t)d * all + key + 2 * all, 0), multiply},
        {"division by P", cost_of(bench, x, 2 * all + 3 * k, 2 * all), divide},
        {"automorphism", cost_of(bench, x, 4 * k, 0), permute},
    };
    x->now = count;
    x->level = level;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %" PRIu32 " limbs", rows[i].name, k);
        const hb_bench_line line = {"switch", name, count, rows[i].cost, rows[i].body};
        if (count == 1) {
            HB_TRY(hb_bench_alone(bench, x->engine, &line, x, false));
        } else {
            HB_TRY(hb_bench_measure(bench, x->engine, &line, x));
        }
    }
    return HB_OK;
}

static hb_status fill(switching *x, hb_batch r, uint64_t item)
{
    hb_seed root = {{1}}, *seeds = malloc(r.count * sizeof *seeds);
    if (seeds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu seeds", r.count);
    }
    hb_seed_public(seeds, r.count, &root, item);
    const hb_status st = hb_sample_uniform(x->engine, r, seeds);
    free(seeds);
    return st;
}

static hb_status open_memory(switching *x)
{
    const hb_gadget_level *level = &x->gadget.levels[x->data];
    static const size_t components[OPERANDS] = {
        [A] = 2, [B] = 2, [R] = 3, [SUMS] = 2, [COEFFICIENTS] = 1, [REMAINDERS] = 2};
    for (int i = 0; i < OPERANDS; i++) {
        HB_TRY(
            hb_batch_alloc(x->engine, &x->operand[i], components[i] * x->most, i == SUMS ? x->all : x->data, x->ids));
        HB_TRY(fill(x, x->operand[i], (uint64_t)i));
    }
    HB_TRY(hb_batch_alloc(x->engine, &x->key, 2 * (size_t)level->digits, x->all, x->ids));
    HB_TRY(fill(x, x->key, OPERANDS));
    HB_TRY(hb_alloc(x->engine, x->most * level->digits * x->all * x->ring.n * sizeof(uint64_t), &x->digits));
    x->now = x->most;
    x->level = level;
    HB_TRY(fill(x, digits_of(x).all, OPERANDS + 1));
    return hb_permutation_init_galois(&x->phi, x->engine, hb_galois_rotation(x->ring.n, 5, 1));
}

static hb_status open_switching(switching *x, const hb_bench_options *options, uint32_t log_n)
{
    uint64_t primes[HB_MAX_LIMBS];
    x->data = chains[log_n - LEAST_LOG_N].data;
    x->all = x->data + chains[log_n - LEAST_LOG_N].special;
    HB_TRY(hb_ring_init(&x->ring, log_n));
    HB_TRY(hb_find_primes(2 * x->ring.n, BITS, x->all, primes));
    for (uint32_t i = 0; i < x->all; i++) {
        HB_TRY(hb_ring_add_modulus(&x->ring, primes[i], &x->ids[i]));
    }
    const hb_gadget_spec spec = {.data = x->ids,
                                 .special = x->ids + x->data,
                                 .data_limbs = x->data,
                                 .special_limbs = x->all - x->data,
                                 .alpha = x->all - x->data,
                                 .digits = hb_digit_list_even(x->data, x->all - x->data),
                                 .centred = true};
    HB_TRY(hb_gadget_init(&x->gadget, &x->ring, &spec));
    for (uint32_t k = 2; k <= x->data; k++) {
        HB_TRY(hb_mod_down_init(&x->rescale[k], &x->ring, x->ids, k - 1, 1));
    }
    HB_TRY(hb_device_open_ring(options->device, &x->ring, &x->engine));
    return open_memory(x);
}

static void close_switching(switching *x)
{
    if (x->engine != NULL) {
        for (int i = 0; i < OPERANDS; i++) {
            hb_batch_free(x->engine, &x->operand[i]);
        }
        hb_batch_free(x->engine, &x->key);
        hb_free(x->engine, x->digits);
        hb_free(x->engine, x->phi.map);
    }
    for (uint32_t k = 2; k <= x->data; k++) {
        hb_mod_down_clear(&x->rescale[k]);
    }
    hb_gadget_clear(&x->gadget);
    hb_engine_close(x->engine);
}

hb_status hb_bench_switch(hb_bench *bench)
{
    const hb_bench_options *options = bench->options;
    const uint32_t own = options->params->ring.log_n, log_n = options->log_n != 0 ? options->log_n : own;
    /* As many as share a key, and enough to hide launches. */
    const size_t counts[COUNTS] = {1,
                                   options->batch > 0     ? options->batch
                                   : options->device->gpu ? 8
                                                          : 2,
                                   options->batch == 0 && options->device->gpu ? 32 : 0};
    if (log_n < LEAST_LOG_N || log_n > MOST_LOG_N) {
        hb_bench_leave_out(bench, "switch", "key switching of digits at N = 2^%u; it is from 2^%d to 2^%d",
                           (unsigned)log_n, LEAST_LOG_N, MOST_LOG_N);
        return HB_OK;
    }
    switching *x = calloc(1, sizeof *x); /* a ring is too large for a stack */
    if (x == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a ring");
    }
    hb_status st;
    for (uint32_t i = 0; i < COUNTS; i++) {
        x->most = counts[i] > x->most ? counts[i] : x->most;
    }
    HB_GOTO(open_switching(x, options, log_n));
    for (uint32_t i = 0; i < COUNTS; i++) {
        if (counts[i] > 0 && (i == 0 || counts[i] > 1)) {
            HB_GOTO(measure(bench, x, counts[i], x->data));
            HB_GOTO(x->data > 4 ? measure(bench, x, counts[i], (x->data + 4) / 2) : HB_OK);
        }
    }
done:
    close_switching(x);
    free(x);
    return st;
}
