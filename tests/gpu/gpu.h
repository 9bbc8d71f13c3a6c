/* Helpers that the GPU tests share: a GPU or a skip by name, rings with primes of every width, and both engines on one
 * ring. With --small a program does as little as still launches every kernel: for compute-sanitizer. */
#ifndef HB_TESTS_GPU_H
#define HB_TESTS_GPU_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "check/check.h"
#include "cpu/engine.h"
#include "cuda/engine/engine.h"

#define GPU_SKIPPED 77 /* SKIP_RETURN_CODE of the tests */

#define assert_ok(call)                                                                 \
    do {                                                                                \
        const hb_status assert_status = (call);                                         \
        if (assert_status != HB_OK) {                                                   \
            fail_msg("%s: status %d: %s", #call, assert_status, hb_last_error()->text); \
        }                                                                               \
    } while (0)

static bool gpu_small;
static hb_cuda_device gpu_device;

static inline bool gpu_said(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

/* Begins main(). Returns 0 to go on, else the result of main(): skipped without a working GPU, failed where a GPU is
 * required (HEBATCH_GPU_REQUIRED). */
static inline int gpu_begin(int argc, char **argv)
{
    int count = 0;
    gpu_small = argc > 1 && strcmp(argv[1], "--small") == 0;
    hb_status st = hb_seed_start();
    st = st == HB_OK ? hb_cuda_device_count(&count) : st;
    st = st == HB_OK && count > 0 ? hb_cuda_device_get(0, &gpu_device) : st;
    if (st == HB_OK && count > 0) {
        return 0;
    }
    const bool required = gpu_said("HEBATCH_GPU_REQUIRED");
    printf("%s: %s\n", required ? "FAILED" : "skipped", st == HB_OK ? "no GPU" : hb_last_error()->text);
    return required ? EXIT_FAILURE : GPU_SKIPPED;
}

#define GPU_MAIN(...)                                     \
    int main(int argc, char **argv)                       \
    {                                                     \
        const int skipped = gpu_begin(argc, argv);        \
        if (skipped != 0) {                               \
            return skipped;                               \
        }                                                 \
        const struct CMUnitTest tests[] = {__VA_ARGS__};  \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

/* The moduli of gpu_ring, by id. */
enum {
    GPU_W30, /* the largest prime of 30 bits with a root, and so on */
    GPU_W36,
    GPU_W43,
    GPU_W48,
    GPU_W49,
    GPU_W50,
    GPU_W51,
    GPU_W55,
    GPU_W59,
    GPU_W60,
    GPU_W61,
    GPU_L30, /* the least: half of all draws are rejected */
    GPU_L49,
    GPU_L50,
    GPU_L60,
    GPU_GAMMA,      /* another prime of 61 bits */
    GPU_PLAIN,      /* a prime with a root */
    GPU_PLAIN_2,    /* 2 */
    GPU_PLAIN_EVEN, /* 2^16 */
    GPU_PLAIN_WIDE, /* 60 bits, no prime */
    GPU_MODULI
};
static const uint16_t gpu_plains[] = {GPU_PLAIN, GPU_PLAIN_2, GPU_PLAIN_EVEN, GPU_PLAIN_WIDE};
enum { GPU_PLAINS = sizeof gpu_plains / sizeof gpu_plains[0] };

typedef struct gpu_chain {
    uint32_t limbs;
    uint16_t ids[GPU_GAMMA];
} gpu_chain;
static const gpu_chain gpu_chains[] = {
    {1, {GPU_W49}},
    {1, {GPU_W61}},
    {2, {GPU_L60, GPU_W50}},
    {4, {GPU_W51, GPU_W55, GPU_W59, GPU_W60}},
    {6, {GPU_W30, GPU_W36, GPU_W43, GPU_W48, GPU_W49, GPU_L49}},
    {3, {GPU_W50, GPU_L50, GPU_W49}},
    {5, {GPU_W36, GPU_W51, GPU_W55, GPU_W49, GPU_W50}},
    {15,
     {GPU_W30, GPU_W61, GPU_W36, GPU_W60, GPU_W43, GPU_W59, GPU_W48, GPU_W55, GPU_W49, GPU_W51, GPU_W50, GPU_L60,
      GPU_L30, GPU_L50, GPU_L49}},
};
enum { GPU_CHAINS = sizeof gpu_chains / sizeof gpu_chains[0], GPU_CHAIN_PAIR = 2 };

static inline void gpu_add(hb_ring *ring, uint64_t value)
{
    uint16_t id;
    assert_ok(hb_ring_add_modulus(ring, value, &id));
}

static inline uint64_t gpu_largest(const hb_ring *ring, uint32_t bits)
{
    uint64_t prime;
    assert_ok(hb_find_primes(2 * ring->n, bits, 1, &prime));
    return prime;
}

static inline uint64_t gpu_least(const hb_ring *ring, uint32_t bits)
{
    uint64_t prime = ((uint64_t)1 << (bits - 1)) + 1; /* = 1 mod 2N, as 2^(bits - 1) is a multiple */
    while (!hb_is_prime(prime)) {
        prime += 2 * ring->n;
    }
    return prime;
}

static inline void gpu_ring(hb_ring *ring, uint32_t log_n)
{
    static const uint32_t largest[] = {30, 36, 43, 48, 49, 50, 51, 55, 59, 60, 61}, least[] = {30, 49, 50, 60};
    uint64_t wide[2];
    assert_ok(hb_ring_init(ring, log_n));
    for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++) {
        gpu_add(ring, gpu_largest(ring, largest[i]));
    }
    for (size_t i = 0; i < sizeof least / sizeof least[0]; i++) {
        gpu_add(ring, gpu_least(ring, least[i]));
    }
    assert_ok(hb_find_primes(2 * ring->n, 61, 2, wide));
    gpu_add(ring, wide[1]);
    gpu_add(ring, gpu_largest(ring, log_n + 8));
    gpu_add(ring, 2);
    gpu_add(ring, 65536);
    gpu_add(ring, ((uint64_t)1 << 59) + 1);
    assert_int_equal(ring->count, GPU_MODULI);
}

/* Both engines on one ring. */
typedef struct gpu_pair {
    hb_ring ring;
    hb_engine *gpu, *cpu;
} gpu_pair;

static inline void gpu_engines_open(gpu_pair *p)
{
    assert_ok(hb_cuda_engine_open(&p->ring, &gpu_device, gpu_device.free / 2, &p->gpu));
    assert_ok(hb_cpu_engine_open(&p->ring, &p->cpu));
}

static inline void gpu_pair_open(gpu_pair *p, uint32_t log_n)
{
    gpu_ring(&p->ring, log_n);
    gpu_engines_open(p);
}

static inline void gpu_pair_close(gpu_pair *p)
{
    hb_engine_close(p->gpu);
    hb_engine_close(p->cpu);
}

/* Frees with free. */
static inline void *gpu_host(size_t bytes)
{
    void *memory = malloc(bytes);
    assert_non_null(memory);
    return memory;
}

static inline hb_seed *gpu_seeds(size_t count)
{
    const hb_seed root = {{77}};
    hb_seed *seeds = gpu_host(count * sizeof *seeds);
    hb_seed_public(seeds, count, &root, 0);
    return seeds;
}

/* Polynomials first .. first + count of a batch, on either engine, to host memory without gaps. */
static inline void gpu_fetch(hb_engine *e, uint64_t *words, hb_batch from, size_t first, size_t count)
{
    const size_t row = from.limbs * e->ring->n;
    for (size_t c = 0; c < count; c++) {
        assert_ok(hb_download(e, words + c * row, from.data + (first + c) * from.stride, row * sizeof *words));
    }
    assert_ok(hb_finish(e));
}

#endif
