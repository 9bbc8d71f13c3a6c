/* Checksums of packed rows (base/digest.h): a thread makes the digest of one leaf, then one of a row. */
#include <algorithm>

#include "blake2b.h"
#include "packed.cuh"

extern "C" {
#include "base/digest.h"
}

#define THREADS 32 /* one warp: a few thousand leaves spread over all multiprocessors */
#define LEAVES_AT_ONCE (HB_CUDA_LEAF_BYTES / HB_DIGEST_BYTES)

static_assert(sizeof(hb_u64x2[2]) == HB_DIGEST_BYTES, "a digest is two pairs of words");
static_assert(HB_MAX_LIMBS * (((size_t)HB_MODULUS_MAX_BITS << HB_RING_MAX_LOG_N) / 8 / HB_DIGEST_LEAF + 1) <=
                  LEAVES_AT_ONCE,
              "the leaves of one row of every limb are made at once");

namespace
{
/* Rows first .. first + rows - 1 of every limb. The leaves of limb l are leaves[2 * rows * before[l]] and following,
 * row after row. */
struct chunk {
    hb_cuda_packed packed;
    uint32_t before[HB_MAX_LIMBS + 1]; /* leaves of one row of each earlier limb, together */
    uint32_t rows;
    size_t first;
    hb_u64x2 *leaves;
};
} /* namespace */

static __global__ void __launch_bounds__(THREADS) leaf_kernel(const __grid_constant__ chunk k, hb_u64x2 person)
{
    const uint32_t l = blockIdx.y, i = blockIdx.x * THREADS + threadIdx.x;
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

/* digests: [limbs][rows_of_limb]. */
static __global__ void __launch_bounds__(THREADS)
    row_kernel(hb_u64x2 *digests, size_t rows_of_limb, const __grid_constant__ chunk k, hb_u64x2 person)
{
    const uint32_t l = blockIdx.y, i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= k.rows) {
        return;
    }
    const uint32_t per_row = k.before[l + 1] - k.before[l];
    hb_blake2b_256(digests + 2 * (l * rows_of_limb + k.first + i), person,
                   k.leaves + 2 * (k.rows * k.before[l] + i * per_row), 2 * per_row);
}

static hb_u64x2 person_of(const char *name)
{
    hb_u64x2 person = {0, 0};
    memcpy(&person, name, std::min(strlen(name), sizeof person));
    return person;
}

static uint32_t blocks_for(size_t threads)
{
    return (uint32_t)((threads + THREADS - 1) / THREADS);
}

hb_status hb_cuda_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids, uint32_t limbs)
{
    HB_ASSERT(reinterpret_cast<uintptr_t>(rows.bytes) % sizeof(hb_u64x2) == 0);
    HB_ASSERT(reinterpret_cast<uintptr_t>(digests) % sizeof(hb_u64x2) == 0);
    hb_cuda_engine *cuda = hb_cuda(e);
    rows.first = 0;
    rows.step = 1; /* every row */
    chunk k = {};
    k.packed = hb_cuda_packed_of(e, rows, ids, limbs);
    k.leaves = reinterpret_cast<hb_u64x2 *>(cuda->leaves);
    uint32_t most = 0;
    for (uint32_t l = 0; l < limbs; l++) {
        const size_t bytes = hb_packed_row_bytes(e->ring->n, &e->ring->moduli[ids[l]]);
        const uint32_t per_row = (uint32_t)((bytes + HB_DIGEST_LEAF - 1) / HB_DIGEST_LEAF);
        k.before[l + 1] = k.before[l] + per_row;
        most = std::max(most, per_row);
    }
    for (; k.first < rows.rows; k.first += k.rows) {
        k.rows = (uint32_t)std::min(rows.rows - k.first, LEAVES_AT_ONCE / k.before[limbs]);
        leaf_kernel<<<dim3(blocks_for((size_t)k.rows * most), limbs), THREADS, 0, cuda->stream>>>(
            k, person_of(HB_DIGEST_LEAF_PERSON));
        HB_CUDA_LAUNCHED();
        row_kernel<<<dim3(blocks_for(k.rows), limbs), THREADS, 0, cuda->stream>>>(
            reinterpret_cast<hb_u64x2 *>(digests), rows.rows, k, person_of(HB_DIGEST_ROW_PERSON));
        HB_CUDA_LAUNCHED();
    }
    return HB_OK;
}
