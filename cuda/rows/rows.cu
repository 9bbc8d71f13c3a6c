/* Rows of residues as bit streams, and back: a thread block converts one tile in shared memory, whose fields fill whole
 * words. Checksums of packed rows (base/digest.h): a thread makes the digest of one leaf, then one makes that of a
 * row. */
#include <algorithm>

#include "bit_fields.h"
#include "blake2b.h"
#include "packed.cuh"
#include "cuda/device/tile.cuh"

extern "C" {
#include "base/digest.h"
}

#define PACK_THREADS 256
#define WORDS_PER_BIT (HB_TILE_WORDS / 64) /* packed words of a tile, for each bit of its fields */

/* Packed memory is read and written by words. */
static void check_aligned(hb_packed p)
{
    HB_ASSERT(reinterpret_cast<uintptr_t>(p.bytes) % sizeof(uint64_t) == 0);
}

/* Packs the tile of limb blockIdx.y. Residues go to shared memory first: a packed word has bits of several of them,
 * which other threads load. */
static __global__ void __launch_bounds__(PACK_THREADS)
    pack_kernel(const __grid_constant__ hb_cuda_packed to, const __grid_constant__ hb_cuda_view a)
{
    __shared__ uint64_t fields[HB_TILE_WORDS];
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(a.log_n), first = hb_tile_first(a.log_n);
    const uint64_t *from = hb_cuda_row(a, c, l) + first;
    HB_UNROLL
    for (uint32_t i = 0; i < HB_TILE_WORDS; i += PACK_THREADS) {
        fields[i + threadIdx.x] = from[i + threadIdx.x];
    }
    __syncthreads();
    const uint32_t bits = to.bits[l];
    /* A tile of 2^10 fields is 16 words for each bit of a field: tiles never share a word. */
    uint64_t *words = hb_cuda_packed_row(to, c, l) + first / 64 * bits;
    for (uint32_t k = threadIdx.x; k < WORDS_PER_BIT * bits; k += PACK_THREADS) {
        words[k] = hb_word_of_fields(fields, bits, k);
    }
}

/* Unpacks the tile of limb blockIdx.y, and adds the number of words that are not below their modulus to *out_of_range.
 * Words come from files, so this checks the GPU's input. */
static __global__ void __launch_bounds__(PACK_THREADS)
    unpack_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_packed from,
                  const hb_modulus *moduli, unsigned long long *out_of_range)
{
    __shared__ uint64_t words[WORDS_PER_BIT * HB_MODULUS_MAX_BITS];
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n), first = hb_tile_first(r.log_n);
    const uint32_t bits = from.bits[l], count = WORDS_PER_BIT * bits;
    const uint64_t *packed = hb_cuda_packed_row(from, c, l) + first / 64 * bits;
    /* Packed words first: a field may lie in two of them. */
    for (uint32_t k = threadIdx.x; k < count; k += PACK_THREADS) {
        words[k] = packed[k];
    }
    __syncthreads();
    const uint64_t m = moduli[r.ids[l]].value;
    uint64_t *to = hb_cuda_row(r, c, l) + first;
    uint32_t wrong = 0;
    HB_UNROLL
    for (uint32_t i = 0; i < HB_TILE_WORDS; i += PACK_THREADS) {
        const uint64_t x = hb_field_of_words(words, count - 1, bits, i + threadIdx.x);
        to[i + threadIdx.x] = x;
        wrong += x >= m;
    }
    wrong = __reduce_add_sync(UINT32_MAX, wrong);
    /* A warp adds once, and only if it must: valid data makes no atomic operations. */
    if (wrong != 0 && threadIdx.x % 32 == 0) {
        atomicAdd(out_of_range, wrong);
    }
}

static hb_status pack(hb_engine *e, hb_packed to, hb_batch a)
{
    if (a.count == 0) {
        return HB_OK;
    }
    check_aligned(to);
    const hb_cuda_view from = hb_cuda_view_of(e, a);
    pack_kernel<<<hb_cuda_tiles(from, a.limbs), PACK_THREADS, 0, hb_cuda(e)->stream>>>(
        hb_cuda_packed_of(e, to, a.ids, a.limbs), from);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

/* Unpacks and waits, as the count decides whether the data may be used. */
static hb_status unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    if (r.count == 0) {
        *out_of_range = 0;
        return hb_cuda_wait(hb_cuda(e));
    }
    check_aligned(from);
    hb_cuda_engine *cuda = hb_cuda(e);
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    unsigned long long wrong;
    void *host, *there;
    HB_TRY(hb_cuda_staging(cuda, sizeof wrong, &host, &there));
    HB_CUDA(cudaMemsetAsync(there, 0, sizeof wrong, cuda->stream));
    unpack_kernel<<<hb_cuda_tiles(to, r.limbs), PACK_THREADS, 0, cuda->stream>>>(
        to, hb_cuda_packed_of(e, from, r.ids, r.limbs), cuda->gpu->moduli, static_cast<unsigned long long *>(there));
    HB_CUDA_LAUNCHED();
    /* One word comes back; the residues stay on the GPU. */
    HB_CUDA(cudaMemcpyAsync(host, there, sizeof wrong, cudaMemcpyDeviceToHost, cuda->stream));
    HB_TRY(hb_cuda_wait(cuda));
    memcpy(&wrong, host, sizeof wrong);
    *out_of_range = wrong;
    return HB_OK;
}

#define DIGEST_THREADS 32 /* one warp: a few thousand leaves spread over all multiprocessors */
#define LEAVES_AT_ONCE (HB_CUDA_LEAF_BYTES / HB_DIGEST_BYTES)

static_assert(sizeof(hb_u64x2[2]) == HB_DIGEST_BYTES, "a digest is two pairs of words");
/* Memory for leaves is fixed when the queue opens: at least one row of every limb must fit. */
static_assert(HB_MAX_LIMBS * (((size_t)HB_MODULUS_MAX_BITS << HB_RING_MAX_LOG_N) / 8 / HB_DIGEST_LEAF + 1) <=
                  LEAVES_AT_ONCE,
              "the leaves of one row of every limb are made at once");

namespace
{
/* Rows first .. first + rows - 1 of every limb, whose digests are made together. The leaves of limb l follow those of
 * rows * before[l] others, row after row; a digest is two pairs of words. */
struct chunk {
    hb_cuda_packed packed;
    uint32_t before[HB_MAX_LIMBS + 1]; /* leaves of one row of each earlier limb, together */
    uint32_t rows;
    size_t first;
    hb_u64x2 *leaves;
};
} /* namespace */

/* Makes the digest of leaf i of limb blockIdx.y, a thread a leaf. Limbs have different numbers of leaves: threads
 * beyond the last one have nothing to do. */
static __global__ void __launch_bounds__(DIGEST_THREADS) leaf_kernel(const __grid_constant__ chunk k, hb_u64x2 person)
{
    const uint32_t l = blockIdx.y, i = blockIdx.x * DIGEST_THREADS + threadIdx.x;
    const uint32_t per_row = k.before[l + 1] - k.before[l];
    if (i >= k.rows * per_row) {
        return;
    }
    const uint32_t row_pairs = (uint32_t)k.packed.bits[l] << (k.packed.log_n - 3 - 4); /* 2^3 bits, 2^4 bytes */
    const uint32_t leaf_pairs = HB_DIGEST_LEAF / sizeof(hb_u64x2), at = i % per_row * leaf_pairs;
    const uint64_t *row = hb_cuda_packed_row(k.packed, k.first + i / per_row, l);
    hb_blake2b_256(k.leaves + 2 * (k.rows * k.before[l] + i), person, reinterpret_cast<const hb_u64x2 *>(row) + at,
                   min(leaf_pairs, row_pairs - at));
}

/* Makes the digest of row i of limb blockIdx.y from its leaves, a thread a row. digests is [limbs][rows_of_limb]. */
static __global__ void __launch_bounds__(DIGEST_THREADS)
    row_kernel(hb_u64x2 *digests, size_t rows_of_limb, const __grid_constant__ chunk k, hb_u64x2 person)
{
    const uint32_t l = blockIdx.y, i = blockIdx.x * DIGEST_THREADS + threadIdx.x;
    if (i >= k.rows) {
        return;
    }
    const uint32_t per_row = k.before[l + 1] - k.before[l];
    hb_blake2b_256(digests + 2 * (l * rows_of_limb + k.first + i), person,
                   k.leaves + 2 * (k.rows * k.before[l] + i * per_row), 2 * per_row);
}

/* Returns a person of at most 16 characters as two words, padded with zeros. */
static hb_u64x2 person_of(const char *name)
{
    hb_u64x2 person = {0, 0};
    memcpy(&person, name, std::min(strlen(name), sizeof person));
    return person;
}

static uint32_t blocks_for(size_t threads)
{
    return (uint32_t)((threads + DIGEST_THREADS - 1) / DIGEST_THREADS);
}

/* Makes the digests of all rows, as many rows at a time as the queue's memory for leaves holds. */
static hb_status digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    HB_ASSERT(reinterpret_cast<uintptr_t>(rows.bytes) % sizeof(hb_u64x2) == 0);
    HB_ASSERT(reinterpret_cast<uintptr_t>(digests) % sizeof(hb_u64x2) == 0);
    hb_cuda_engine *cuda = hb_cuda(e);
    rows.first = 0;
    rows.stride = 1; /* every row */
    chunk k = {};
    k.packed = hb_cuda_packed_of(e, rows, ids, limbs);
    k.leaves = reinterpret_cast<hb_u64x2 *>(cuda->leaves);
    uint32_t most = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        const size_t bytes = hb_packed_row_bytes(e->ring->n, &e->ring->moduli[ids[l]]);
        /* The last leaf of a row may be shorter. */
        const uint32_t per_row = (uint32_t)((bytes + HB_DIGEST_LEAF - 1) / HB_DIGEST_LEAF);
        k.before[l + 1] = k.before[l] + per_row;
        most = std::max(most, per_row);
    }
    /* The second kernel reads the output of the first: both are plain launches, in the order of the stream. */
    for (; k.first < rows.rows; k.first += k.rows) {
        /* As many rows at a time as have room for their leaves. */
        k.rows = (uint32_t)std::min(rows.rows - k.first, LEAVES_AT_ONCE / k.before[limbs]);
        leaf_kernel<<<dim3(blocks_for((size_t)k.rows * most), limbs), DIGEST_THREADS, 0, cuda->stream>>>(
            k, person_of(HB_DIGEST_LEAF_PERSON));
        HB_CUDA_LAUNCHED();
        row_kernel<<<dim3(blocks_for(k.rows), limbs), DIGEST_THREADS, 0, cuda->stream>>>(
            reinterpret_cast<hb_u64x2 *>(digests), rows.rows, k, person_of(HB_DIGEST_ROW_PERSON));
        HB_CUDA_LAUNCHED();
    }
    return HB_OK;
}

static constexpr hb_row_ops make_ops()
{
    hb_row_ops ops = {};
    ops.pack = hb_on_gpu<pack>::call;
    ops.unpack = hb_on_gpu<unpack>::call;
    ops.digest_rows = hb_on_gpu<digest_rows>::call;
    return ops;
}

constexpr hb_row_ops hb_cuda_row_ops = make_ops();
