/* The kernel of base conversion from few sources on FP64 tensor cores (private to convert.cu), in the arithmetic of
 * hb_sums_f64: products of pieces are exact and sums stay within 2^53, so these are the same in any order.
 *
 * mma.m16n8k8 of doubles, lane = 4 g + t: of A, registers 0 and 1 are column t of rows g and g + 8, registers 2 and 3
 * column t + 4 of the same; of B, registers 0 and 1 are rows t and t + 4 of column g; of C, 0 and 1 are columns 2t and
 * 2t + 1 of row g, 2 and 3 of row g + 8. Rows are coefficients, of which g and g + 8 are neighbours; columns of A are
 * sources, and columns of B targets. */
#ifndef HB_CUDA_RNS_CONVERT_F64_MMA_CUH
#define HB_CUDA_RNS_CONVERT_F64_MMA_CUH

#include "convert_few.cuh"
#include "cuda/device/pair.cuh"

#define HB_CONVERT_MMA_SOURCES 8u /* of a product; those beyond are multiplied one by one */
#define HB_CONVERT_MMA_TARGETS 8u
#define HB_CONVERT_MMA_TILES 2u /* of 16 coefficients, that a warp has */

/* Computes c += a b for one tile. */
static __device__ __forceinline__ void hb_convert_f64_multiply(double (&c)[4], const double (&a)[4],
                                                               const double (&b)[2])
{
    HB_CUDA_SM90("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

/* What the targets of a launch need, in shared memory: the pieces of weights as lanes take them, then the others. */
template <uint32_t SOURCES> struct hb_convert_f64_shared {
    using number = hb_sums_f64::number;
    static constexpr uint32_t targets = hb_convert_targets<hb_sums_f64, SOURCES>;
    static constexpr uint32_t groups = (targets + HB_CONVERT_MMA_TARGETS - 1) / HB_CONVERT_MMA_TARGETS;
    static constexpr int extra = SOURCES > HB_CONVERT_MMA_SOURCES ? SOURCES - HB_CONVERT_MMA_SOURCES : 0;
    double2 high[groups][32], low[groups][32];
    number factors[targets], others[targets][extra > 0 ? extra : 1];
    double start[targets];

    /* Copies it from the arguments; the whole thread block calls it. */
    __device__ __forceinline__ void fill(const hb_convert_few<hb_sums_f64, SOURCES> &k, uint32_t count)
    {
        const uint32_t lanes = (count + HB_CONVERT_MMA_TARGETS - 1) / HB_CONVERT_MMA_TARGETS * 32;
        for (uint32_t i = threadIdx.x; i < lanes; i += HB_CONVERT_THREADS) {
            const uint32_t lane = i % 32, o = i / 32 * HB_CONVERT_MMA_TARGETS + lane / 4, t = lane % 4;
            /* Targets and sources that there are not have weights of 0. */
            const number none = {0, 0};
            const number first = o < count && t < SOURCES ? k.matrix[o][t] : none;
            const number second = o < count && t + 4 < SOURCES ? k.matrix[o][t + 4] : none;
            high[i / 32][lane] = make_double2(first.high, second.high);
            low[i / 32][lane] = make_double2(first.low, second.low);
        }
        for (uint32_t o = threadIdx.x; o < count; o += HB_CONVERT_THREADS) {
            factors[o] = k.factors[o];
            start[o] = k.start[o];
            for (int i = 0; i < extra; i++) {
                others[o][i] = k.matrix[o][HB_CONVERT_MMA_SOURCES + i];
            }
        }
        __syncthreads();
    }
};

/* The sources of a lane: of each tile two coefficients, which are neighbours, each of sources t and t + 4 as A has
 * them, of those beyond, and the overflow. */
template <uint32_t SOURCES> struct hb_convert_f64_words {
    using number = hb_sums_f64::number;
    static constexpr int extra = hb_convert_f64_shared<SOURCES>::extra;
    double high[HB_CONVERT_MMA_TILES][4], low[HB_CONVERT_MMA_TILES][4];
    number others[HB_CONVERT_MMA_TILES][extra > 0 ? extra : 1][2], overflow[HB_CONVERT_MMA_TILES][2];

    /* Loads a pair of coefficients of source i, scaled, and adds to the fixed-point sums of the overflow. */
    static __device__ __forceinline__ hb_pair take(const hb_cuda_scattered &a, uint32_t c, uint32_t i, uint32_t j,
                                                   const hb_convert_few<hb_sums_f64, SOURCES> &k,
                                                   const hb_modulus *moduli, uint64_t (&sums)[2])
    {
        const hb_modulus m = moduli[a.ids[i]];
        hb_pair x = hb_pair_load(hb_cuda_row(a, c, i) + j);
#pragma unroll
        for (uint32_t w = 0; w < 2; w++) {
            if (k.scaled) {
                x.of[w] = hb_sums_f64::scaled(x.of[w], k.scale[i], 0, m);
            }
            if (k.overflow) {
                sums[w] += k.kind == HB_OVERFLOW_ROUNDED ? hb_overflow_rounded(x.of[w], m.value, k.fixed[i])
                                                         : hb_overflow_centred(x.of[w], m.value);
            }
        }
        return x;
    }

    /* Loads all; the whole warp calls it. `first` is where its coefficients begin. */
    __device__ __forceinline__ void load(const hb_cuda_scattered &a, uint32_t c, uint32_t first,
                                         const hb_convert_few<hb_sums_f64, SOURCES> &k, const hb_modulus *moduli)
    {
        const uint32_t g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
        for (uint32_t tile = 0; tile < HB_CONVERT_MMA_TILES; tile++) {
            const uint32_t j = first + 16 * tile + 2 * g;
            uint64_t sums[2] = {0, 0};
#pragma unroll
            for (uint32_t half = 0; half < 2; half++) {
                const uint32_t i = t + 4 * half;
                number y[2] = {{0, 0}, {0, 0}};
                if (i < SOURCES) {
                    const hb_pair x = take(a, c, i, j, k, moduli, sums);
                    y[0] = hb_sums_f64::number_of(x.of[0]);
                    y[1] = hb_sums_f64::number_of(x.of[1]);
                }
#pragma unroll
                for (uint32_t w = 0; w < 2; w++) {
                    high[tile][2 * half + w] = y[w].high;
                    low[tile][2 * half + w] = y[w].low;
                }
            }
#pragma unroll
            for (uint32_t w = 0; w < 2; w++) {
                /* The lanes of a coefficient have two sources each. */
                sums[w] += __shfl_xor_sync(~0u, sums[w], 1);
                sums[w] += __shfl_xor_sync(~0u, sums[w], 2);
            }
#pragma unroll
            for (int i = 0; i < extra; i++) {
                const hb_pair x = take(a, c, HB_CONVERT_MMA_SOURCES + i, j, k, moduli, sums);
                others[tile][i][0] = hb_sums_f64::number_of(x.of[0]);
                others[tile][i][1] = hb_sums_f64::number_of(x.of[1]);
            }
#pragma unroll
            for (uint32_t w = 0; w < 2; w++) {
                overflow[tile][w] = hb_sums_f64::number_of(k.overflow ? hb_overflow_of_fixed(sums[w], k.half) : 0);
            }
        }
    }
};

/* Makes a group of targets of one tile: two targets and two coefficients a lane. */
template <uint32_t SOURCES>
__device__ __forceinline__ static void
hb_convert_f64_make(const hb_cuda_scattered &r, uint32_t c, uint32_t j, uint32_t group,
                    const hb_convert_f64_words<SOURCES> &y, uint32_t tile, const hb_convert_f64_shared<SOURCES> &shared,
                    const hb_convert_few<hb_sums_f64, SOURCES> &k, const hb_modulus (&m)[2])
{
    const uint32_t lane = threadIdx.x % 32, first = group * HB_CONVERT_MMA_TARGETS + 2 * (lane % 4);
    double high[4], middle[4], low[4];
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
        /* The last group may have fewer targets; its other columns are not stored. */
        const uint32_t o = min(first + i % 2, r.limbs - 1);
        hb_sums_f64::sum s = hb_sums_f64::begin(shared.start[o]);
        if (k.overflow) {
            hb_sums_f64::add(s, y.overflow[tile][i / 2], shared.factors[o]);
        }
#pragma unroll
        for (int e = 0; e < hb_convert_f64_shared<SOURCES>::extra; e++) {
            hb_sums_f64::add(s, y.others[tile][e][i / 2], shared.others[o][e]);
        }
        high[i] = s.high;
        middle[i] = s.middle;
        low[i] = s.low;
    }
    const double2 wh = shared.high[group][lane], wl = shared.low[group][lane];
    const double bh[2] = {wh.x, wh.y}, bl[2] = {wl.x, wl.y};
    hb_convert_f64_multiply(high, y.high[tile], bh);
    hb_convert_f64_multiply(middle, y.high[tile], bl);
    hb_convert_f64_multiply(low, y.low[tile], bl);
    hb_convert_f64_multiply(middle, y.low[tile], bh);
#pragma unroll
    for (uint32_t of = 0; of < 2; of++) {
        if (first + of < r.limbs) {
            hb_pair_store(hb_cuda_row(r, c, first + of) + j,
                          {{hb_sums_f64::finish({high[of], middle[of], low[of]}, m[of]),
                            hb_sums_f64::finish({high[2 + of], middle[2 + of], low[2 + of]}, m[of])}});
        }
    }
}

/* Converts a slice of all limbs of a polynomial, without limbs that are kept and with an overflow of centred sources or
 * none. A warp has the sources of its coefficients in registers, and goes through the groups of targets of its row of
 * the grid. */
template <uint32_t SOURCES>
static __global__ void __launch_bounds__(HB_CONVERT_THREADS, 4)
    hb_convert_f64_kernel(const __grid_constant__ hb_cuda_scattered r, const __grid_constant__ hb_cuda_scattered a,
                          const __grid_constant__ hb_convert_few<hb_sums_f64, SOURCES> k, const hb_modulus *moduli)
{
    constexpr uint32_t each = 16 * HB_CONVERT_MMA_TILES; /* coefficients of a warp */
    __shared__ hb_convert_f64_shared<SOURCES> shared;
    /* Nothing that a launch before may write. */
    shared.fill(k, r.limbs);
    hb_cuda_begin();
    const hb_slice slice = hb_slice_of(blockIdx.x, r.n, HB_CONVERT_THREADS / 32 * each);
    const uint32_t mine = slice.first + threadIdx.x / 32 * each, lane = threadIdx.x % 32;
    hb_convert_f64_words<SOURCES> y;
    y.load(a, slice.c, mine, k, moduli);
#pragma unroll 1
    for (uint32_t group = blockIdx.y; group * HB_CONVERT_MMA_TARGETS < r.limbs; group += gridDim.y) {
        const uint32_t first = group * HB_CONVERT_MMA_TARGETS + 2 * (lane % 4);
        const hb_modulus m[2] = {moduli[r.ids[min(first, r.limbs - 1)]], moduli[r.ids[min(first + 1, r.limbs - 1)]]};
#pragma unroll
        for (uint32_t tile = 0; tile < HB_CONVERT_MMA_TILES; tile++) {
            hb_convert_f64_make<SOURCES>(r, slice.c, mine + 16 * tile + lane / 4 * 2, group, y, tile, shared, k, m);
        }
    }
}

#endif
