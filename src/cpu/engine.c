#include "engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "cpu_private.h"

#define ALIGNMENT 64 /* a cache line, and a vector of AVX-512 */
#define BLOCK_BYTES ((HB_MAX_LIMBS + 1) * HB_CPU_BLOCK_ROW * sizeof(uint64_t))

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

static hb_status cpu_move(hb_engine *e, void *to, const void *from, size_t bytes)
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

static void tables_close(hb_cpu_tables *tables)
{
    if (tables == NULL || atomic_fetch_sub(&tables->users, 1) != 1) {
        return;
    }
    for (uint32_t i = 0; i < tables->moduli; i++) {
        hb_cpu_ntt_clear(&tables->ntt[i]);
    }
    free(tables);
}

static void cpu_close(hb_engine *e)
{
    hb_cpu_engine *cpu = hb_cpu(e);
    tables_close(cpu->tables);
    for (size_t i = 0; i < HB_CPU_SCRATCH; i++) {
        if (cpu->scratch[i] != NULL) {
            hb_wipe(cpu->scratch[i], e->ring->n * sizeof *cpu->scratch[i]);
        }
        cpu_free(e, cpu->scratch[i]);
    }
    if (cpu->block != NULL) {
        hb_wipe(cpu->block, BLOCK_BYTES);
    }
    cpu_free(e, cpu->block);
    free(cpu);
}

static void *cpu_native(hb_engine *e)
{
    (void)e;
    return NULL;
}

/* Transforms limb by limb: all that have a table in common use it while it is in a cache. */
static hb_status cpu_ntt(hb_engine *e, hb_batch x)
{
    for (uint32_t l = 0; l < x.limbs; l++) {
        for (size_t c = 0; c < x.count; c++) {
            hb_cpu_ntt_forward(&hb_cpu(e)->tables->ntt[x.ids[l]], hb_cpu_row(e, x, c, l));
        }
    }
    return HB_OK;
}

/* Limb l of polynomial c; r may be a. Returns it. */
static uint64_t *ntt_row_of(hb_engine *e, hb_batch r, hb_batch a, size_t c, uint32_t l)
{
    uint64_t *row = hb_cpu_row(e, r, c, l);
    memmove(row, hb_cpu_row(e, a, c, l), e->ring->n * sizeof *row);
    hb_cpu_ntt_forward(&hb_cpu(e)->tables->ntt[r.ids[l]], row);
    return row;
}

static hb_status cpu_ntt_of(hb_engine *e, hb_batch r, hb_batch a)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        for (size_t c = 0; c < r.count; c++) {
            (void)ntt_row_of(e, r, a, c, l);
        }
    }
    return HB_OK;
}

static hb_status cpu_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        for (size_t c = 0; c < r.count; c++) {
            uint64_t *row = ntt_row_of(e, r, a, c, l);
            hb_cpu_mul_row(row, row, hb_cpu_row(e, b, b.count == 1 ? 0 : c, l), e->ring->n, hb_cpu_modulus(e, r, l));
        }
    }
    return HB_OK;
}

static hb_status cpu_ntt_spread(hb_engine *e, hb_batch r, hb_batch a)
{
    for (uint32_t l = 0; l < r.limbs; l++) {
        for (size_t c = 0; c < r.count; c++) {
            const uint32_t i = (uint32_t)(c % a.limbs);
            uint64_t *row = hb_cpu_row(e, r, c, l);
            hb_cpu_reduce_row(row, hb_cpu_row(e, a, c / a.limbs, i), e->ring->n, hb_cpu_modulus(e, a, i),
                              hb_cpu_modulus(e, r, l));
            hb_cpu_ntt_forward(&hb_cpu(e)->tables->ntt[r.ids[l]], row);
        }
    }
    return HB_OK;
}

static hb_status cpu_intt(hb_engine *e, hb_batch x, const uint64_t *factors)
{
    for (uint32_t l = 0; l < x.limbs; l++) {
        const uint64_t factor = factors != NULL ? factors[l] : 1;
        for (size_t c = 0; c < x.count; c++) {
            hb_cpu_ntt_inverse_scaled(&hb_cpu(e)->tables->ntt[x.ids[l]], hb_cpu_row(e, x, c, l), factor);
        }
    }
    return HB_OK;
}

static hb_status cpu_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    for (uint32_t l = 0; l < limbs; l++) {
        const size_t bytes = hb_packed_row_bytes(e->ring->n, &e->ring->moduli[ids[l]]);
        for (size_t i = 0; i < rows.rows; i++) {
            hb_digest_row(digests, rows.bytes, bytes);
            digests += HB_DIGEST_BYTES;
            rows.bytes += bytes;
        }
    }
    return HB_OK;
}

static hb_status cpu_fork(hb_engine *e, hb_engine **out);

static const hb_ring_ops cpu_ring_ops = {
    .copy = hb_cpu_copy,
    .clear = hb_cpu_clear,
    .add = hb_cpu_add,
    .sub = hb_cpu_sub,
    .negate = hb_cpu_negate,
    .mul = hb_cpu_mul,
    .scale = hb_cpu_scale,
    .permute = hb_cpu_permute,
    .galois = hb_cpu_galois,
    .count_zeros = hb_cpu_count_zeros,
};

static const hb_ntt_ops cpu_ntt_ops = {
    .ntt = cpu_ntt,
    .intt = cpu_intt,
    .ntt_of = cpu_ntt_of,
    .ntt_mul = cpu_ntt_mul,
    .ntt_spread = cpu_ntt_spread,
};

static const hb_sample_ops cpu_sample_ops = {
    .sample_uniform = hb_cpu_sample_uniform,
    .mul_uniform = hb_cpu_mul_uniform,
    .sample_small = hb_cpu_sample_small,
    .add_small = hb_cpu_add_small,
};

static const hb_rns_ops cpu_rns_ops = {
    .base_convert = hb_cpu_base_convert,
    .divide_round = hb_cpu_divide_round,
};

static const hb_garner_ops cpu_garner_ops = {
    .garner_digits = hb_cpu_garner_digits,
    .infinity_norm = hb_cpu_infinity_norm,
};

static const hb_product_ops cpu_product_ops = {
    .tensor = hb_cpu_tensor,
    .spread = hb_cpu_spread,
    .key_products = hb_cpu_key_products,
};

static const hb_row_ops cpu_row_ops = {
    .pack = hb_cpu_pack,
    .unpack = hb_cpu_unpack,
    .digest_rows = cpu_digest_rows,
};

static const hb_bfv_ops cpu_bfv_ops = {
    .add_scaled_plain = hb_cpu_add_scaled_plain,
    .lift_plain = hb_cpu_lift_plain,
    .gamma_correct = hb_cpu_gamma_correct,
};

static const hb_memory_ops cpu_memory_ops = {
    .host_alloc = cpu_alloc,
    .host_free = cpu_free,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .upload = cpu_move,
    .download = cpu_move,
};

static const hb_engine_ops cpu_ops = {
    .name = "cpu",
    .fork = cpu_fork,
    .close = cpu_close,
    .finish = cpu_finish,
    .native = cpu_native,
    .ring = &cpu_ring_ops,
    .ntt = &cpu_ntt_ops,
    .sample = &cpu_sample_ops,
    .rns = &cpu_rns_ops,
    .garner = &cpu_garner_ops,
    .products = &cpu_product_ops,
    .rows = &cpu_row_ops,
    .bfv = &cpu_bfv_ops,
    .memory = &cpu_memory_ops,
};

static hb_status tables_open(const hb_ring *ring, hb_cpu_tables **out)
{
    hb_cpu_tables *tables = calloc(1, sizeof *tables + ring->count * sizeof tables->ntt[0]);
    if (tables == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the tables of %" PRIu32 " moduli", ring->count);
    }
    tables->moduli = ring->count;
    atomic_init(&tables->users, 1);
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < ring->count && st == HB_OK; i++) {
        if (ring->psi[i] != 0) {
            st = hb_cpu_ntt_init(&tables->ntt[i], hb_cpu_kernels_at(0), &ring->moduli[i], ring->log_n, ring->psi[i]);
        }
    }
    if (st != HB_OK) {
        tables_close(tables);
        return st;
    }
    *out = tables;
    return HB_OK;
}

/* Takes over the caller's use of the tables, also on failure. */
static hb_status queue_open(const hb_ring *ring, hb_cpu_tables *tables, hb_engine **out)
{
    hb_cpu_engine *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL) {
        tables_close(tables);
        return HB_FAIL(HB_ENOMEM, "no memory for the CPU engine");
    }
    cpu->base.ops = &cpu_ops;
    cpu->base.ring = ring;
    cpu->base.batch_bytes = HB_CPU_BATCH_BYTES;
    cpu->base.on_host = true;
    cpu->tables = tables;
    void *memory = NULL;
    hb_status st = cpu_alloc(&cpu->base, BLOCK_BYTES, &memory);
    cpu->block = memory;
    for (size_t i = 0; i < HB_CPU_SCRATCH && st == HB_OK; i++) {
        memory = NULL;
        st = cpu_alloc(&cpu->base, ring->n * sizeof *cpu->scratch[i], &memory);
        cpu->scratch[i] = memory;
    }
    if (st != HB_OK) {
        cpu_close(&cpu->base);
        return st;
    }
    *out = &cpu->base;
    return HB_OK;
}

static hb_status cpu_fork(hb_engine *e, hb_engine **out)
{
    atomic_fetch_add(&hb_cpu(e)->tables->users, 1);
    return queue_open(e->ring, hb_cpu(e)->tables, out);
}

hb_status hb_cpu_engine_open(const hb_ring *ring, hb_engine **out)
{
    hb_cpu_tables *tables = NULL;
    HB_TRY(tables_open(ring, &tables));
    return queue_open(ring, tables, out);
}

bool hb_cpu_all_f64(const hb_ring *ring, const uint16_t *ids, uint32_t limbs)
{
    bool all = true;
    for (uint32_t l = 0; l < limbs; l++) {
        all = all && ring->moduli[ids[l]].f64 != 0;
    }
    return all;
}
