/* The kernel of base conversion from many sources (private to convert_many.cu). A warp has 64 coefficients. It puts
 * their sources, scaled, into shared memory, with the overflow as one more source, and multiplies these bytes with
 * those of the weights (convert_mma.cuh). The thread block makes the weights once, or, where not all of them fit, for
 * each slice again. */
#ifndef HB_CUDA_RNS_CONVERT_MANY_CUH
#define HB_CUDA_RNS_CONVERT_MANY_CUH

#include "ring/convert_arith.h"
#include "convert_mma.cuh"
#include "cuda/device/launch.cuh"

#define HB_CONVERT_MANY_WARPS 8u /* of a thread block, at most */
#define HB_CONVERT_MANY_WORDS (2 * HB_CONVERT_PAIRS)
#define HB_CONVERT_MANY_BYTES (20u << 10) /* of the matrix */
#define HB_CONVERT_AT_ONCE 8u             /* loads that are under way together */

/* The constants of a launch, by value in its arguments, so that no copy goes before it. Targets that there is no room
 * for take more launches. */
struct hb_convert_many {
    uint64_t matrix[HB_CONVERT_MANY_BYTES / sizeof(uint64_t)]; /* [targets + overflow_row][columns] */
    hb_convert_target targets[HB_MAX_LIMBS + 1];               /* the last one: the modulus of an overflow */
    struct {
        uint64_t modulus, scale, quotient;
    } from[HB_MAX_LIMBS];
    double inverses[HB_MAX_LIMBS]; /* weights of an overflow that is the nearest integer */
    uint32_t binary[HB_MAX_LIMBS]; /* weights of a binary one, else 0 */
    uint64_t fixed[HB_MAX_LIMBS];  /* weights of one that is rounded */
    uint64_t half;                 /* of the overflow */
    hb_overflow_kind kind;         /* modular where there is none */
    uint32_t columns, steps;       /* sources and the overflow; HB_CONVERT_STEP of them */
    uint32_t chunk;                /* groups whose weights fit shared memory together */
    uint32_t overflow_row;         /* 1: a row that makes the overflow, behind those of the targets */
    bool scaled, kept;
};

/* A group of up to four rows of the matrix, which one set of products makes. */
struct hb_convert_group {
    uint32_t first, rows;
};

/* Returns the groups of `targets` targets. */
static __host__ __device__ inline uint32_t hb_convert_groups_of(uint32_t targets)
{
    return (targets + HB_CONVERT_GROUP - 1) / HB_CONVERT_GROUP;
}

/* Returns the number of groups of this thread block: that of the overflow, and its share of the targets'. Every row of
 * the grid makes the overflow for itself. */
static __device__ __forceinline__ uint32_t hb_convert_count(const hb_convert_many &k, uint32_t targets)
{
    return k.overflow_row + (hb_convert_groups_of(targets) - blockIdx.y + gridDim.y - 1) / gridDim.y;
}

/* Returns group i of this thread block. The overflow's comes first: the targets need it. */
static __device__ __forceinline__ hb_convert_group hb_convert_group_at(uint32_t i, const hb_convert_many &k,
                                                                       uint32_t targets)
{
    if (i < k.overflow_row) {
        return {targets, 1};
    }
    const uint32_t first = HB_CONVERT_GROUP * (blockIdx.y + (i - k.overflow_row) * gridDim.y);
    return {first, min(targets - first, HB_CONVERT_GROUP)};
}

/* Makes the weights of a group in shared memory, 0 where there is no row or column. The whole thread block calls it. */
static __device__ __forceinline__ void hb_convert_fill(uint4 *weights, hb_convert_group group, const hb_convert_many &k)
{
    /* Thread i makes half of the bytes of one weight: of a target, a source of a step. */
    for (uint32_t i = threadIdx.x; i < 32 * k.steps; i += blockDim.x) {
        const uint32_t step = i / 32, row = i / 8 % 4, column = i / 2 % 4, at = step * HB_CONVERT_STEP + column;
        const bool there = row < group.rows && at < k.columns;
        const uint32_t from = group.first + (there ? row : 0);
        hb_convert_expand(reinterpret_cast<uint32_t *>(weights + step * HB_CONVERT_STEP_WEIGHTS),
                          there ? k.matrix[from * k.columns + at] : 0, i % 2, row, column, k.targets[from]);
    }
}

/* The running sums of which an overflow is made, for the pair of coefficients of a lane. */
struct hb_convert_overflow {
    uint32_t binary[2];
    double nearest[2];
    uint64_t fixed[2];
};

/* Scales the pair x of source i, adds it to the sums of the overflow, and puts it into shared memory. */
static __device__ __forceinline__ void hb_convert_take(uint4 *words, hb_convert_overflow &sums, hb_pair x, uint32_t i,
                                                       const hb_convert_many &k)
{
#pragma unroll
    for (uint32_t w = 0; w < 2; w++) {
        if (k.scaled) {
            x.of[w] = hb_mul_shoup(x.of[w], k.from[i].scale, k.from[i].quotient, k.from[i].modulus);
        }
        /* Added for every kind: the weights are 0 unless it is binary. */
        sums.binary[w] += (uint32_t)x.of[w] * k.binary[i];
        if (k.kind == HB_OVERFLOW_NEAREST) {
            sums.nearest[w] += hb_f64_from_word(x.of[w]) * k.inverses[i];
        } else if (k.kind == HB_OVERFLOW_ROUNDED) {
            sums.fixed[w] += hb_overflow_rounded(x.of[w], k.from[i].modulus, k.fixed[i]);
        } else if (k.kind == HB_OVERFLOW_CENTRED) {
            sums.fixed[w] += hb_overflow_centred(x.of[w], k.from[i].modulus);
        }
    }
    hb_convert_put(words, i, threadIdx.x % 32, x);
}

/* Takes all sources of a warp's slice, and puts the overflow behind them where that needs no product. */
static __device__ __forceinline__ void hb_convert_take_all(uint4 *words, const hb_cuda_scattered &a, hb_slice slice,
                                                           const hb_convert_many &k)
{
    const uint32_t lane = threadIdx.x % 32;
    hb_convert_overflow sums = {};
#pragma unroll 1
    for (uint32_t first = 0; first < a.limbs; first += HB_CONVERT_AT_ONCE) {
        /* Eight loads are under way together before the first of them is needed. */
        hb_pair x[HB_CONVERT_AT_ONCE] = {};
#pragma unroll
        for (uint32_t i = 0; i < HB_CONVERT_AT_ONCE; i++) {
            if (first + i < a.limbs) {
                x[i] = hb_pair_load(hb_cuda_row(a, slice.c, first + i) + slice.first + 2 * lane);
            }
        }
#pragma unroll
        for (uint32_t i = 0; i < HB_CONVERT_AT_ONCE; i++) {
            if (first + i < a.limbs) {
                hb_convert_take(words, sums, x[i], first + i, k);
            }
        }
    }
    if (k.kind == HB_OVERFLOW_NEAREST) {
        hb_convert_put(words, a.limbs, lane, {{hb_f64_to_word(sums.nearest[0]), hb_f64_to_word(sums.nearest[1])}});
    } else if (k.kind == HB_OVERFLOW_BINARY) {
        hb_convert_put(words, a.limbs, lane,
                       {{hb_overflow_shifted(sums.binary[0], k.half, HB_OVERFLOW_WORD),
                         hb_overflow_shifted(sums.binary[1], k.half, HB_OVERFLOW_WORD)}});
    } else if (k.kind == HB_OVERFLOW_CENTRED || k.kind == HB_OVERFLOW_ROUNDED) {
        hb_convert_put(words, a.limbs, lane,
                       {{hb_overflow_of_fixed(sums.fixed[0], k.half), hb_overflow_of_fixed(sums.fixed[1], k.half)}});
    }
}

/* Makes a modular overflow: first one more target, then a source. Its own weight is 0, so the old contents of its place
 * do not matter. */
static __device__ __forceinline__ void hb_convert_make_overflow(uint4 *words, const uint4 *weights, uint32_t row,
                                                                const hb_convert_many &k)
{
    uint32_t s[HB_CONVERT_TILES][4][4];
    const uint32_t lane = threadIdx.x % 32;
    const hb_convert_target &m = k.targets[row];
    hb_convert_sum(s, words, weights, k.steps);
    /* Lane t of four has target t of the group, and this group has one target. */
    if (lane % 4 == 0) {
#pragma unroll
        for (uint32_t tile = 0; tile < HB_CONVERT_TILES; tile++) {
            hb_convert_put(words, k.columns - 1, 8 * tile + lane / 4,
                           {{hb_overflow_shifted(hb_convert_residue(s[tile], 0, 0, m), k.half, m.modulus),
                             hb_overflow_shifted(hb_convert_residue(s[tile], 1, 0, m), k.half, m.modulus)}});
        }
    }
}

/* Makes a group of targets for a slice. */
static __device__ __forceinline__ void hb_convert_make(const hb_cuda_scattered &r, hb_slice slice, const uint4 *words,
                                                       const uint4 *weights, hb_convert_group group,
                                                       const hb_convert_many &k)
{
    uint32_t s[HB_CONVERT_TILES][4][4];
    const uint32_t lane = threadIdx.x % 32, o = group.first + min(lane % 4, group.rows - 1);
    const hb_convert_target &p = k.targets[o];
    uint64_t *to = hb_cuda_row(r, slice.c, o) + slice.first + lane / 4 * 2;
    /* A group may have fewer than four targets: its other lanes compute with weights of 0 and store nothing. */
    const bool mine = lane % 4 < group.rows;
    hb_pair kept[HB_CONVERT_TILES] = {};
#pragma unroll
    for (uint32_t tile = 0; tile < HB_CONVERT_TILES; tile++) {
        if (k.kept && mine) {
            /* Loaded before the products, whose time covers the loads. */
            kept[tile] = hb_pair_load(to + 16 * tile);
        }
    }
    hb_convert_sum(s, words, weights, k.steps);
    if (k.kept) {
#pragma unroll
        for (uint32_t i = 0; i < 2 * HB_CONVERT_TILES; i++) {
            uint64_t &x = kept[i / 2].of[i % 2];
            x = hb_mul_shoup_lazy(x, p.keep, p.keep_quotient, p.modulus);
        }
    }
    if (mine) {
#pragma unroll
        for (uint32_t tile = 0; tile < HB_CONVERT_TILES; tile++) {
            hb_pair_store(to + 16 * tile, {{hb_convert_residue(s[tile], 0, p.start + kept[tile].of[0], p),
                                            hb_convert_residue(s[tile], 1, p.start + kept[tile].of[1], p)}});
        }
    }
}

/* The kernel. Its shared memory has the weights of a chunk of groups, then the words of each warp. Warps beyond the
 * last slice are not active, but they help to make weights and meet the others at the barriers. */
static __global__ void __launch_bounds__(32 * HB_CONVERT_MANY_WARPS, 2)
    hb_convert_many_kernel(const __grid_constant__ hb_cuda_scattered r, const __grid_constant__ hb_cuda_scattered a,
                           const __grid_constant__ hb_convert_many k)
{
    extern __shared__ uint4 hb_convert_shared[];
    hb_cuda_begin();
    const uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32, groups = hb_convert_count(k, r.limbs);
    const uint32_t size = k.steps * HB_CONVERT_STEP_WEIGHTS, all = r.count * (r.n / HB_CONVERT_MANY_WORDS);
    uint4 *const weights = hb_convert_shared;
    /* Each warp has words of its own, so warps do not wait for each other between slices. */
    uint4 *const words = weights + k.chunk * size + warp * k.steps * HB_CONVERT_STEP * HB_CONVERT_PAIRS;
    for (uint32_t first = blockIdx.x * warps; first < all; first += gridDim.x * warps) {
        const bool active = first + warp < all;
        const hb_slice slice = hb_slice_of(first + warp, r.n, HB_CONVERT_MANY_WORDS);
        if (active) {
            hb_convert_take_all(words, a, slice, k);
        }
        for (uint32_t begin = 0; begin < groups; begin += k.chunk) {
            const uint32_t end = min(begin + k.chunk, groups);
            /* Weights that all fit are made for the first slice and stay. */
            if (first == blockIdx.x * warps || groups > k.chunk) {
                /* The first barrier is for warps that still multiply by the old weights, the second one for warps
                 * that use the new ones. */
                __syncthreads();
                for (uint32_t i = begin; i < end; i++) {
                    hb_convert_fill(weights + (i - begin) * size, hb_convert_group_at(i, k, r.limbs), k);
                }
                __syncthreads();
            }
            for (uint32_t i = begin; i < end && active; i++) {
                const hb_convert_group group = hb_convert_group_at(i, k, r.limbs);
                if (i < k.overflow_row) {
                    hb_convert_make_overflow(words, weights + (i - begin) * size, group.first, k);
                } else {
                    hb_convert_make(r, slice, words, weights + (i - begin) * size, group, k);
                }
            }
        }
    }
}

#endif
