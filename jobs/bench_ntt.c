/* References to compare with, and the transform by size of prime. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_private.h"
#include "cpu_engine.h"
#include "digest.h"
#include "prime.h"

enum { MIB = 1 << 20 };

typedef struct buffers {
    uint8_t *from, *to;
    hb_seed seed;
} buffers;

static hb_status copy(void *argument)
{
    buffers *b = argument;
    memcpy(b->to, b->from, MIB);
    __asm__ volatile("" : : "r"(b->to) : "memory"); /* or the compiler may see that nobody reads it */
    return HB_OK;
}

static hb_status keystream(void *argument)
{
    buffers *b = argument;
    hb_keystream(b->to, MIB, (hb_draw){&b->seed, HB_DRAW_UNIFORM, 0}, 0);
    return HB_OK;
}

static hb_status blake2b(void *argument)
{
    buffers *b = argument;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch bench");
    hb_digest_add(&state, b->from, MIB);
    hb_digest_end(&state, digest);
    return HB_OK;
}

hb_status hb_bench_references(hb_bench *bench)
{
    buffers b = {.from = malloc(MIB), .to = malloc(MIB)};
    hb_status st = HB_OK;
    if (b.from == NULL || b.to == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the references"));
    }
    memset(b.from, 1, MIB);
    memset(b.to, 2, MIB);
    HB_GOTO(hb_bench_measure(bench, "reference", "copy of 1 MiB", 1, MIB, copy, &b));
    HB_GOTO(hb_bench_measure(bench, "reference", "ChaCha20 of 1 MiB", 1, MIB, keystream, &b));
    HB_GOTO(hb_bench_measure(bench, "reference", "BLAKE2b of 1 MiB", 1, MIB, blake2b, &b));
done:
    free(b.from);
    free(b.to);
    return st;
}

typedef struct transform {
    hb_engine *engine;
    hb_batch x;
} transform;

static hb_status forward(void *argument)
{
    transform *t = argument;
    HB_TRY(hb_ntt(t->engine, t->x));
    return hb_finish(t->engine);
}

static hb_status inverse(void *argument)
{
    transform *t = argument;
    HB_TRY(hb_intt(t->engine, t->x));
    return hb_finish(t->engine);
}

static hb_status measure_transforms(hb_bench *bench, transform *t, const hb_ring *ring, uint16_t id)
{
    enum { COUNT = 4 };
    const hb_seed seeds[COUNT] = {{{1}}, {{2}}, {{3}}, {{4}}};
    char name[64];
    double bytes = (double)(ring->n * sizeof(uint64_t));
    HB_TRY(hb_batch_alloc(t->engine, &t->x, COUNT, 1, &id));
    hb_status st = HB_OK;
    HB_GOTO(hb_sample_uniform(t->engine, t->x, seeds));
    snprintf(name, sizeof name, "NTT, %u-bit prime", ring->moduli[id].bits);
    HB_GOTO(hb_bench_measure(bench, "ntt", name, COUNT, bytes, forward, t));
    snprintf(name, sizeof name, "inverse NTT, %u-bit prime", ring->moduli[id].bits);
    HB_GOTO(hb_bench_measure(bench, "ntt", name, COUNT, bytes, inverse, t));
done:
    hb_batch_free(t->engine, &t->x);
    return st;
}

hb_status hb_bench_ntt(hb_bench *bench, const hb_params *params)
{
    static const uint32_t bits[] = {36, 43, 48, 55};
    enum { SIZES = sizeof bits / sizeof bits[0] };
    hb_ring *ring = malloc(sizeof *ring);
    transform t = {0};
    uint16_t ids[SIZES];
    hb_status st = HB_OK;
    if (ring == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for a ring"));
    }
    HB_GOTO(hb_ring_init(ring, params->ring.log_n));
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t prime;
        HB_GOTO(hb_find_primes(2 * params->ring.n, bits[i], 1, &prime));
        HB_GOTO(hb_ring_add_modulus(ring, prime, &ids[i]));
    }
    HB_GOTO(hb_cpu_engine_open(ring, &t.engine));
    for (size_t i = 0; i < SIZES; i++) {
        HB_GOTO(measure_transforms(bench, &t, ring, ids[i]));
    }
done:
    hb_engine_close(t.engine);
    free(ring);
    return st;
}
