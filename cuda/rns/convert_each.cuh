/* The kernel of several base conversions at once, each from few sources that are taken as centred: the digits of one
 * ciphertext, of which a single one leaves most of the GPU idle (private to convert.cu). */
#ifndef HB_CUDA_RNS_CONVERT_EACH_CUH
#define HB_CUDA_RNS_CONVERT_EACH_CUH

#include "convert_few.cuh"

#define HB_CONVERT_EACH_BYTES (20u << 10) /* of weights in the arguments of a kernel */
#define HB_CONVERT_EACH_TARGETS 256u      /* of a launch, at most */

/* One conversion of a launch: its sources and its targets among those of all. */
struct hb_convert_part {
    uint16_t first_source, sources, first_target, targets;
};

/* The arguments of a launch, by value. Conversions have up to SOURCES sources, with weights of 0 behind them. */
template <class A, uint32_t SOURCES> struct hb_convert_each {
    static constexpr uint32_t fit = HB_CONVERT_EACH_BYTES / sizeof(typename A::weight) / SOURCES;
    static constexpr uint32_t most = fit < HB_CONVERT_EACH_TARGETS ? fit : HB_CONVERT_EACH_TARGETS;
    typename A::weight matrix[most][SOURCES];
    hb_limb_address to[most], from[HB_MAX_LIMBS];
    uint64_t scale[HB_MAX_LIMBS], quotients[HB_MAX_LIMBS];
    uint16_t to_ids[most], from_ids[HB_MAX_LIMBS];
    hb_convert_part part[HB_MAX_LIMBS];
    uint32_t n;
    bool scaled;
};

/* Loads the sources of this thread's words, and makes their numbers. */
template <class A, uint32_t SOURCES>
__device__ __forceinline__ static void
hb_convert_each_load(typename A::number (&y)[SOURCES][hb_convert_words<A, SOURCES>::count],
                     const hb_convert_each<A, SOURCES> &k, const hb_convert_part &part, hb_slice s, uint32_t j,
                     const hb_modulus *moduli)
{
    constexpr uint32_t count = hb_convert_words<A, SOURCES>::count;
    hb_convert_words<A, SOURCES> x[SOURCES] = {};
#pragma unroll
    for (uint32_t i = 0; i < SOURCES; i++) {
        if (i < part.sources) { /* the same for the whole thread block */
            const hb_limb_address &from = k.from[part.first_source + i];
            x[i] = *reinterpret_cast<const hb_convert_words<A, SOURCES> *>(from.data + s.c * from.stride + j);
        }
    }
#pragma unroll
    for (uint32_t i = 0; i < SOURCES; i++) {
        const uint32_t source = part.first_source + (i < part.sources ? i : 0);
        const hb_modulus m = moduli[k.from_ids[source]];
#pragma unroll
        for (uint32_t w = 0; w < count; w++) {
            const uint64_t word =
                k.scaled ? A::scaled(x[i].of[w], k.scale[source], k.quotients[source], m) : x[i].of[w];
            y[i][w] = A::centred_number_of(word, m);
        }
    }
}

/* The thread blocks of blockIdx.z make the targets of one conversion; for the rest as hb_convert_few_kernel. */
template <class A, uint32_t SOURCES>
static __global__ void __launch_bounds__(HB_CONVERT_THREADS, 4)
    hb_convert_each_kernel(const __grid_constant__ hb_convert_each<A, SOURCES> k, const hb_modulus *moduli)
{
    using pack = hb_convert_words<A, SOURCES>;
    constexpr uint32_t count = pack::count;
    __shared__ typename A::weight matrix[HB_MAX_LIMBS][SOURCES];
    __shared__ hb_modulus targets[HB_MAX_LIMBS];
    const hb_convert_part part = k.part[blockIdx.z];
    for (uint32_t i = threadIdx.x; i < part.targets * SOURCES; i += HB_CONVERT_THREADS) {
        (&matrix[0][0])[i] = (&k.matrix[part.first_target][0])[i];
    }
    for (uint32_t o = threadIdx.x; o < part.targets; o += HB_CONVERT_THREADS) {
        targets[o] = moduli[k.to_ids[part.first_target + o]];
    }
    __syncthreads();
    hb_cuda_begin();
    const hb_slice slice = hb_slice_of(blockIdx.x, k.n, HB_CONVERT_THREADS * count);
    const uint32_t j = slice.first + threadIdx.x * count;
    typename A::number y[SOURCES][count];
    hb_convert_each_load<A, SOURCES>(y, k, part, slice, j, moduli);
#pragma unroll 1
    for (uint32_t o = blockIdx.y; o < part.targets; o += gridDim.y) {
        const hb_limb_address &to = k.to[part.first_target + o];
        typename A::sum s[count];
        pack z;
#pragma unroll
        for (uint32_t w = 0; w < count; w++) {
            s[w] = A::begin(0);
        }
        hb_convert_add_sources<A, SOURCES, count>(s, y, matrix[o]);
#pragma unroll
        for (uint32_t w = 0; w < count; w++) {
            z.of[w] = A::finish(s[w], targets[o]);
        }
        *reinterpret_cast<pack *>(to.data + slice.c * to.stride + j) = z;
    }
}

#endif
