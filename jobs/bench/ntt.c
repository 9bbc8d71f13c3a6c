/* Measures the transform by size of prime, on one N or on all. An item is one limb; a call has several moduli. */
#include <stdio.h>
#include <stdlib.h>

#include "base/prime.h"
#include "base/seed.h"
#include "bench_private.h"

enum { MOST_SIZES = 6, MOST_MODULI = 8 /* of one size */ };

typedef struct transform {
    hb_engine *engine;
    hb_batch x;
} transform;

static hb_status forward(void *argument)
{
    transform *t = argument;
    return hb_ntt(t->engine, t->x);
}

static hb_status inverse(void *argument)
{
    transform *t = argument;
    return hb_intt(t->engine, t->x);
}

/* Fills the batch with random residues. */
static hb_status fill(transform *t)
{
    hb_seed root = {{1}}, *seeds = malloc(t->x.count * sizeof *seeds);
    if (seeds == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu seeds", t->x.count);
    }
    hb_seed_public(seeds, t->x.count, &root, 0);
    const hb_status st = hb_sample_uniform(t->engine, t->x, seeds);
    free(seeds);
    return st;
}

/* Measures both directions for primes of one size. */
static hb_status measure_transforms(hb_bench *bench, transform *t, const uint16_t *ids, uint32_t moduli)
{
    const hb_ring *ring = t->engine->ring;
    const hb_bench_options *options = bench->options;
    char name[40], inverse_name[64];
    snprintf(name, sizeof name, "NTT, N = %zu, %u-bit primes", ring->n, ring->moduli[ids[0]].bits);
    snprintf(inverse_name, sizeof inverse_name, "inverse %s", name);
    HB_TRY(hb_batch_alloc(t->engine, &t->x, hb_bench_batch(options, ring, moduli, 1), moduli, ids));
    const size_t limbs = t->x.count * moduli;
    hb_rates cost = {0};
    /* Read once and written once. */
    hb_floor_words(&cost, 2 * ring->n);
    hb_floor_transform(&cost, options->device, ring, ids, 1);
    hb_status st = HB_OK;
    HB_GOTO(fill(t));
    HB_GOTO(hb_bench_measure(bench, t->engine, &(hb_bench_line){"ntt", name, limbs, cost, forward}, t));
    st = hb_bench_measure(bench, t->engine, &(hb_bench_line){"ntt", inverse_name, limbs, cost, inverse}, t);
done:
    hb_batch_free(t->engine, &t->x);
    return st;
}

/* Measures one N, with primes of all sizes on one ring. */
static hb_status measure_ring(hb_bench *bench, hb_ring *ring, const uint32_t *bits, size_t sizes)
{
    const hb_device *device = bench->options->device;
    /* On a GPU several moduli share a launch as in a ciphertext; --batch 1 asks for one limb alone. */
    const uint32_t moduli = device->gpu && bench->options->batch != 1 ? MOST_MODULI : 1;
    uint16_t ids[MOST_SIZES][MOST_MODULI];
    transform t = {0};
    for (size_t s = 0; s < sizes; s++) {
        uint64_t primes[MOST_MODULI];
        HB_TRY(hb_find_primes(2 * ring->n, bits[s], moduli, primes));
        for (uint32_t i = 0; i < moduli; i++) {
            HB_TRY(hb_ring_add_modulus(ring, primes[i], &ids[s][i]));
        }
    }
    HB_TRY(hb_device_open_ring(device, ring, &t.engine));
    hb_status st = HB_OK;
    for (size_t s = 0; s < sizes; s++) {
        HB_GOTO(measure_transforms(bench, &t, ids[s], moduli));
    }
done:
    hb_engine_close(t.engine);
    return st;
}

hb_status hb_bench_ntt(hb_bench *bench)
{
    static const uint32_t usual[MOST_SIZES] = {36, 43, 48, 50, 55, 60}, wide[] = {48, 50, 55, 60};
    const bool all = bench->options->all_sizes;
    const uint32_t own = bench->options->params->ring.log_n;
    /* Tables of many moduli: too large for a stack. */
    hb_ring *ring = malloc(sizeof *ring);
    if (ring == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a ring");
    }
    hb_status st = HB_OK;
    for (uint32_t log_n = all ? HB_MIN_LOG_N : own; log_n <= (all ? HB_RING_MAX_LOG_N : own); log_n++) {
        HB_GOTO(hb_ring_init(ring, log_n));
        HB_GOTO(measure_ring(bench, ring, all ? wide : usual, all ? sizeof wide / sizeof wide[0] : MOST_SIZES));
    }
done:
    free(ring);
    return st;
}
