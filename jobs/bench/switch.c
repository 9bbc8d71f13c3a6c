/* Hybrid key switching (rlwe/gadget.h) on a ring of its own, by its steps and as a whole, and the division that leaves
 * a level: several ciphertexts a call, and one that is waited for. Words are random; no scheme is asked. The chains are
 * those of CKKS at 128 bits: primes of 50 bits, four digits. */
#include <stdio.h>
#include <stdlib.h>

#include "base/prime.h"
#include "base/seed.h"
#include "bench_private.h"
#include "rlwe/gadget.h"

enum { BITS = 50, LEAST_LOG_N = 13, MOST_LOG_N = 16, COUNTS = 3 };

/* Limbs by log2 N. */
static const struct {
    uint32_t data, special;
} chains[] = {{4, 1}, {8, 2}, {16, 4}, {28, 8}};

typedef struct switching {
    hb_engine *engine; /* its own */
    hb_ring ring;
    uint16_t ids[HB_MAX_LIMBS]; /* of the data, then the special ones */
    uint32_t data, all;
    hb_gadget gadget;
    hb_mod_down rescale;
    size_t most, now;                 /* ciphertexts that there is memory for, and of the calls that are measured now */
    hb_batch a, b, sums, key;         /* [2 most][data], [3 most][data], [2 most][all], [2 digits][all] */
    hb_batch coefficients, remainder; /* [most][data], [2 most][data] */
    hb_digits digits;
    void *digit_memory;
    uint32_t *map; /* of an automorphism */
} switching;

static hb_batch some(const switching *x, hb_batch a, size_t components)
{
    return hb_batch_slice(a, 0, components * x->now);
}

static hb_digits digits_of(const switching *x)
{
    return hb_digits_on(x->engine, &x->gadget, x->data, x->digit_memory, x->now);
}

static hb_status invert(void *argument)
{
    const switching *x = argument;
    return hb_intt(x->engine, some(x, x->coefficients, 1));
}

static hb_status make_digits(void *argument)
{
    const switching *x = argument;
    return hb_digits_make(x->engine, digits_of(x), some(x, x->a, 1), some(x, x->coefficients, 1), HB_NTT_FORM);
}

static hb_status convert(void *argument)
{
    const switching *x = argument;
    /* In coefficient form, without the transforms behind it; digit j of all polynomials as hb_digits has it. */
    const hb_digits digits = digits_of(x);
    for (uint32_t j = 0; j < digits.level->digits; j++) {
        hb_batch digit = hb_batch_slice(digits.all, j, x->now);
        digit.stride *= digits.level->digits;
        HB_TRY(hb_mod_up_apply(x->engine, digit, some(x, x->a, 1), (hb_batch){.data = NULL}, &digits.level->up[j]));
    }
    return HB_OK;
}

static hb_status transform(void *argument)
{
    const switching *x = argument;
    return hb_ntt(x->engine, digits_of(x).all);
}

static hb_status multiply(void *argument)
{
    const switching *x = argument;
    return hb_key_products(x->engine, some(x, x->sums, 2), digits_of(x).all, x->key, 2, 2);
}

static hb_status divide(void *argument)
{
    const switching *x = argument;
    /* The words of `a` are added to the first half: a rotation's. */
    return hb_mod_down_apply(x->engine, some(x, x->b, 2), some(x, x->a, 1), some(x, x->sums, 2),
                             some(x, x->remainder, 2), &x->gadget.levels[x->data].down, HB_NTT_FORM);
}

static hb_status switch_all(void *argument)
{
    HB_TRY(make_digits(argument));
    HB_TRY(multiply(argument));
    return divide(argument);
}

static hb_status permute(void *argument)
{
    const switching *x = argument;
    return hb_permute(x->engine, some(x, x->b, 2), some(x, x->a, 2), x->map);
}

static hb_status rescale(void *argument)
{
    const switching *x = argument;
    const uint32_t stays = x->rescale.limbs;
    return hb_mod_down_apply(x->engine, hb_batch_limbs(x->engine, some(x, x->b, 2), 0, stays), (hb_batch){.data = NULL},
                             some(x, x->a, 2), hb_batch_limbs(x->engine, some(x, x->remainder, 2), 0, stays),
                             &x->rescale, HB_NTT_FORM);
}

static hb_status tensor(void *argument)
{
    const switching *x = argument;
    return hb_tensor(x->engine, some(x, x->b, 3), some(x, x->a, 2), some(x, x->remainder, 2), 2, 2);
}

static hb_status add(void *argument)
{
    const switching *x = argument;
    return hb_add(x->engine, some(x, x->b, 2), some(x, x->a, 2), some(x, x->remainder, 2));
}

/* Words of one limb that come and go, and transforms, of one ciphertext. */
static hb_rates cost_of(const hb_bench *bench, const switching *x, size_t words, uint32_t transforms)
{
    hb_rates cost = {0};
    hb_cost_words(&cost, words * x->ring.n);
    for (uint32_t i = 0; i < transforms; i++) {
        hb_cost_transform(&cost, bench->options->device, &x->ring, x->ids, 1);
    }
    return cost;
}

static hb_status measure(hb_bench *bench, switching *x, size_t count)
{
    const hb_gadget_level *level = &x->gadget.levels[x->data];
    const uint32_t k = x->data, all = x->all, d = level->digits, special = all - k, others = d * all - k;
    const size_t key = 2 * (size_t)d * all / count;
    const struct {
        const char *name;
        hb_rates cost;
        hb_status (*body)(void *argument);
    } rows[] = {
        {"digits", cost_of(bench, x, k + (size_t)d * all, k + others), make_digits},
        {"  inverse transforms", cost_of(bench, x, 2 * k, k), invert},
        {"  conversions", cost_of(bench, x, 2 * k + (size_t)d * all, 0), convert},
        {"  transforms, own limbs too", cost_of(bench, x, 2 * (size_t)d * all, d * all), transform},
        {"inner products", cost_of(bench, x, (size_t)d * all + key + 2 * all, 0), multiply},
        {"division by P", cost_of(bench, x, 2 * all + 3 * k, 2 * all), divide},
        {"key switch", cost_of(bench, x, 4 * k + key, k + others + 2 * (k + special)), switch_all},
        {"automorphism", cost_of(bench, x, 4 * k, 0), permute},
        {"rescale", cost_of(bench, x, 4 * k - 2, 2 * k), rescale},
        {"tensor", cost_of(bench, x, 7 * k, 0), tensor},
        {"add", cost_of(bench, x, 6 * k, 0), add},
    };
    x->now = count;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const hb_bench_line line = {"switch", rows[i].name, count, rows[i].cost, rows[i].body};
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

/* The map of an automorphism in NTT form is some permutation within rows; this one reads as such a map does. */
static hb_status open_map(switching *x)
{
    const size_t n = x->ring.n;
    void *map;
    uint32_t *host = malloc(n * sizeof *host);
    if (host == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a permutation");
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t j = 0, g;
        for (uint32_t b = 0; b < x->ring.log_n; b++) {
            j |= (uint32_t)(i >> b & 1) << (x->ring.log_n - 1 - b);
        }
        g = (5 * (2 * j + 1) & (uint32_t)(2 * n - 1)) / 2;
        for (uint32_t b = host[i] = 0; b < x->ring.log_n; b++) {
            host[i] |= (g >> b & 1) << (x->ring.log_n - 1 - b);
        }
    }
    hb_status st;
    HB_GOTO(hb_alloc(x->engine, n * sizeof *host, &map));
    x->map = map;
    HB_GOTO(hb_upload(x->engine, x->map, host, n * sizeof *host));
    st = hb_finish(x->engine);
done:
    free(host);
    return st;
}

static hb_status open_memory(switching *x)
{
    const hb_gadget_level *level = &x->gadget.levels[x->data];
    const size_t most = x->most, row = x->ring.n * sizeof(uint64_t);
    hb_batch *const batches[] = {&x->a, &x->b, &x->sums, &x->key, &x->coefficients, &x->remainder};
    const size_t counts[] = {2 * most, 3 * most, 2 * most, 2 * (size_t)level->digits, most, 2 * most};
    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        const bool wide = batches[i] == &x->sums || batches[i] == &x->key;
        HB_TRY(hb_batch_alloc(x->engine, batches[i], counts[i], wide ? x->all : x->data, x->ids));
        HB_TRY(fill(x, *batches[i], i));
    }
    HB_TRY(hb_alloc(x->engine, most * level->digits * level->switch_limbs * row, &x->digit_memory));
    x->now = most;
    HB_TRY(fill(x, digits_of(x).all, sizeof batches / sizeof batches[0]));
    return open_map(x);
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
                                 .centred = true};
    HB_TRY(hb_gadget_init(&x->gadget, &x->ring, &spec));
    HB_TRY(hb_mod_down_init(&x->rescale, &x->ring, x->ids, x->data - 1, 1));
    HB_TRY(hb_device_open_ring(options->device, &x->ring, &x->engine));
    return open_memory(x);
}

static void close_switching(switching *x)
{
    if (x->engine != NULL) {
        hb_batch *const batches[] = {&x->a, &x->b, &x->sums, &x->key, &x->coefficients, &x->remainder};
        for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
            hb_batch_free(x->engine, batches[i]);
        }
        hb_free(x->engine, x->digit_memory);
        hb_free(x->engine, x->map);
    }
    hb_mod_down_clear(&x->rescale);
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
            HB_GOTO(measure(bench, x, counts[i]));
        }
    }
done:
    close_switching(x);
    free(x);
    return st;
}
