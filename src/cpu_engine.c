#include "cpu_engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_private.h"
#include "digest.h"

#define ALIGNMENT 64 /* a cache line, and a vector of AVX-512 */

static hb_status cpu_alloc(hb_engine *e, size_t bytes, void **memory)
{
    (void)e;
    size_t rounded = bytes <= SIZE_MAX - ALIGNMENT ? (bytes / ALIGNMENT + 1) * ALIGNMENT : 0;
    void *block = rounded != 0 ? aligned_alloc(ALIGNMENT, rounded) : NULL;
    if (block == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu bytes of polynomials: use fewer ranks per host", bytes);
    }
    *memory = block;
    return HB_OK;
}

static void cpu_free(hb_engine *e, void *memory)
{
    (void)e;
    free(memory);
}

static hb_status cpu_copy(hb_engine *e, void *to, const void *from, size_t bytes)
{
    (void)e;
    memmove(to, from, bytes); /* host and engine are the same memory, and may be the same place */
    return HB_OK;
}

static hb_status cpu_finish(hb_engine *e)
{
    (void)e;
    return HB_OK;
}

static void cpu_close(hb_engine *e)
{
    hb_cpu_engine *cpu = hb_cpu(e);
    for (uint32_t i = 0; cpu->ntt != NULL && i < cpu->moduli; i++) {
        hb_cpu_ntt_clear(&cpu->ntt[i]);
    }
    free(cpu->ntt);
    for (size_t i = 0; i < HB_CPU_SCRATCH; i++) {
        if (cpu->scratch[i] != NULL) {
            hb_wipe(cpu->scratch[i], e->ring->n * sizeof *cpu->scratch[i]);
        }
        cpu_free(e, cpu->scratch[i]);
    }
    free(cpu);
}

static hb_status cpu_ntt(hb_engine *e, hb_batch x)
{
    double *work = (double *)(void *)hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < x.count; c++) {
        for (uint32_t l = 0; l < x.limbs; l++) {
            hb_cpu_ntt_forward(&hb_cpu(e)->ntt[x.ids[l]], hb_cpu_row(e, x, c, l), work);
        }
    }
    return HB_OK;
}

static hb_status cpu_intt(hb_engine *e, hb_batch x)
{
    double *work = (double *)(void *)hb_cpu(e)->scratch[0];
    for (size_t c = 0; c < x.count; c++) {
        for (uint32_t l = 0; l < x.limbs; l++) {
            hb_cpu_ntt_inverse(&hb_cpu(e)->ntt[x.ids[l]], hb_cpu_row(e, x, c, l), work);
        }
    }
    return HB_OK;
}

static hb_status cpu_digest(hb_engine *e, uint8_t *digests, const uint8_t *rows, size_t count, size_t row_bytes)
{
    (void)e;
    for (size_t i = 0; i < count; i++) {
        hb_digest_row(digests + i * HB_DIGEST_BYTES, rows + i * row_bytes, row_bytes);
    }
    return HB_OK;
}

static const hb_engine_ops cpu_ops = {
    .name = "cpu",
    .close = cpu_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .upload = cpu_copy,
    .download = cpu_copy,
    .finish = cpu_finish,
    .ntt = cpu_ntt,
    .intt = cpu_intt,
    .add = hb_cpu_add,
    .sub = hb_cpu_sub,
    .negate = hb_cpu_negate,
    .mul = hb_cpu_mul,
    .scale = hb_cpu_scale,
    .sample_uniform = hb_cpu_sample_uniform,
    .sample_small = hb_cpu_sample_small,
    .gather = hb_cpu_gather,
    .add_scaled_plain = hb_cpu_add_scaled_plain,
    .base_convert = hb_cpu_base_convert,
    .gamma_correct = hb_cpu_gamma_correct,
    .divide_round_last = hb_cpu_divide_round_last,
    .garner_digits = hb_cpu_garner_digits,
    .infinity_norm = hb_cpu_infinity_norm,
    .pack = hb_cpu_pack,
    .unpack = hb_cpu_unpack,
    .digest = cpu_digest,
};

static hb_status open_tables(hb_cpu_engine *cpu, const hb_ring *ring)
{
    for (size_t i = 0; i < HB_CPU_SCRATCH; i++) {
        void *memory = NULL;
        HB_TRY(cpu_alloc(&cpu->base, ring->n * sizeof *cpu->scratch[i], &memory));
        cpu->scratch[i] = memory;
    }
    cpu->ntt = calloc((size_t)ring->count + 1, sizeof *cpu->ntt); /* + 1: a ring without moduli is no failure */
    if (cpu->ntt == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the tables of %" PRIu32 " moduli", ring->count);
    }
    for (uint32_t i = 0; i < ring->count; i++) {
        if (ring->psi[i] != 0) {
            HB_TRY(hb_cpu_ntt_init(&cpu->ntt[i], &ring->moduli[i], ring->log_n, ring->psi[i]));
        }
    }
    return HB_OK;
}

hb_status hb_cpu_engine_open(const hb_ring *ring, hb_engine **out)
{
    hb_cpu_engine *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the CPU engine");
    }
    cpu->base.ops = &cpu_ops;
    cpu->base.ring = ring;
    cpu->moduli = ring->count;
    hb_status st = open_tables(cpu, ring);
    if (st != HB_OK) {
        cpu_close(&cpu->base);
        return st;
    }
    *out = &cpu->base;
    return HB_OK;
}

bool hb_cpu_all_f64(const hb_ring *ring, const uint16_t *ids, uint32_t limbs)
{
    bool all = true;
    for (uint32_t l = 0; l < limbs; l++) {
        all = all && ring->moduli[ids[l]].f64 != 0;
    }
    return all;
}
