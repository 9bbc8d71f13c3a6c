#include "engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu_private.h"

#define LARGE_PAGE ((size_t)1 << 21) /* bytes, of x86-64 and others */
#define ALIGNMENT 64                 /* a cache line, and a vector of AVX-512 */
#define BLOCK_BYTES (HB_CPU_BLOCK_ROWS * HB_CPU_BLOCK_ROW * sizeof(uint64_t))

/* aligned_alloc wants a multiple of the alignment; 0 bytes take one line. */
static hb_status cpu_alloc(hb_engine *e, size_t bytes, void **memory)
{
    (void)e;
    const bool large = bytes >= 2 * LARGE_PAGE;
    const size_t alignment = large ? LARGE_PAGE : ALIGNMENT;
    const size_t rounded = bytes <= SIZE_MAX - alignment ? (bytes / alignment + 1) * alignment : 0;
    void *block = rounded != 0 ? aligned_alloc(alignment, rounded) : NULL;
    if (block == NULL) {
        return HB_FAIL(
            HB_ENOMEM,
            "no memory for %zu bytes of polynomials: give each rank more, by fewer ranks on a host or a higher limit "
            "(ulimit -v)",
            bytes);
    }
    /* A key is read once for a product: fewer pages are looked up. It is advice, which a kernel may refuse. */
    if (large) {
        (void)madvise(block, rounded, MADV_HUGEPAGE);
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

/* Operations have ended when they return: there is nothing to wait for. */
static hb_status cpu_finish(hb_engine *e)
{
    (void)e;
    return HB_OK;
}

/* Gives up one use of the tables; the last one frees them. NULL is allowed. */
static void tables_close(hb_cpu_tables *tables)
{
    /* The count was 1 before: no other queue uses them. */
    if (tables == NULL || atomic_fetch_sub(&tables->users, 1) != 1) {
        return;
    }
    /* Tables that were never made are zeroed, which clearing allows. */
    for (uint32_t i = 0; i < tables->moduli; i++) {
        hb_cpu_ntt_clear(&tables->ntt[i]);
    }
    free(tables);
}

/* Closes a queue, also one that queue_open left half open. Its memory held keys and plaintexts: it is wiped. */
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

static hb_status cpu_fork(hb_engine *e, hb_engine **out);
static hb_status cpu_beside(hb_engine *e, const hb_ring *ring, hb_engine **out);

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
    .beside = cpu_beside,
    .close = cpu_close,
    .finish = cpu_finish,
    .native = cpu_native,
    .memory = &cpu_memory_ops,
    .ring = &hb_cpu_ring_ops,
    .ntt = &hb_cpu_ntt_ops,
    .sample = &hb_cpu_sample_ops,
    .rns = &hb_cpu_rns_ops,
    .garner = &hb_cpu_garner_ops,
    .products = &hb_cpu_product_ops,
    .rows = &hb_cpu_row_ops,
    .bfv = &hb_cpu_bfv_ops,
    .real = &hb_cpu_real_ops,
};

/* Makes the tables of every modulus that has a root. */
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
        /* A modulus without a root has no transform; its entry stays zeroed. */
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

/* Opens a queue. It takes over the caller's use of the tables, also on failure. */
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
    /* Secrets in this memory may be swapped: hb_batch_alloc_locked asks. */
    cpu->base.on_host = true;
    cpu->tables = tables;
    void *memory = NULL;
    /* Scratch memory is allocated here once, and by no operation. */
    hb_status st = cpu_alloc(&cpu->base, BLOCK_BYTES, &memory);
    cpu->block = memory;
    for (size_t i = 0; i < HB_CPU_SCRATCH && st == HB_OK; i++) {
        memory = NULL;
        st = cpu_alloc(&cpu->base, ring->n * sizeof *cpu->scratch[i], &memory);
        cpu->scratch[i] = memory;
        if (st == HB_OK) {
            hb_lock(memory, ring->n * sizeof *cpu->scratch[i]); /* words that secrets and noise are drawn from */
        }
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
    /* Counted first: queue_open gives this use back where it fails. */
    atomic_fetch_add(&hb_cpu(e)->tables->users, 1);
    return queue_open(e->ring, hb_cpu(e)->tables, out);
}

hb_status hb_cpu_engine_open(const hb_ring *ring, hb_engine **out)
{
    hb_cpu_tables *tables = NULL;
    HB_TRY(tables_open(ring, &tables));
    return queue_open(ring, tables, out);
}

static hb_status cpu_beside(hb_engine *e, const hb_ring *ring, hb_engine **out)
{
    (void)e;
    return hb_cpu_engine_open(ring, out);
}

bool hb_cpu_all_f64(const hb_ring *ring, const uint16_t *ids, uint32_t limbs)
{
    bool all = true;
    for (uint32_t l = 0; l < limbs; l++) {
        all = all && ring->moduli[ids[l]].f64 != 0;
    }
    return all;
}
