/* High radix in registers (Kim et al., section V): a kernel for each pass over device memory, in which a thread makes a
 * transform of 2^LOG_E points. One body for residues and complex numbers. */
#ifndef HB_BENCH_KIM_REGISTER_CUH
#define HB_BENCH_KIM_REGISTER_CUH

#include "kim_pass.cuh"

/* Data and tables as the kernels take them. */
template <class A> struct hb_kim_view {
    typename A::word *data;                   /* [limbs][2^log_n] */
    const typename A::constants *constants;   /* [moduli] */
    const typename A::factor *table, *digits; /* [moduli][table_stride], [moduli][1024 + 2^log_n / 1024] or NULL */
    uint32_t table_stride, moduli, limbs;
    int log_n;
};

/* For residues, without data and digits. */
template <class A, class M> hb_kim_view<A> hb_kim_view_of(const hb_design_case *c, const hb_tables<M> &tables)
{
    const uint32_t limbs = (uint32_t)(c->count * c->moduli);
    return {nullptr, tables.constants, tables.twiddles, nullptr, 1u << c->log_n, c->moduli, limbs, (int)c->log_n};
}

template <class A> __device__ hb_kim_factors<A> hb_kim_factors_of(const hb_kim_view<A> &v, uint32_t modulus)
{
    const int shift = v.log_n > HB_KIM_LOG_BASE ? v.log_n - HB_KIM_LOG_BASE : 0;
    const uint32_t digits = (1u << HB_KIM_LOG_BASE) + (1u << shift);
    return {v.table + (size_t)modulus * v.table_stride, v.digits + (size_t)modulus * digits, shift};
}

#define HB_KIM_LOG_BLOCK 8 /* threads of a block, where a limb has so many */

/* Words that are adjacent in memory go in pairs: 16 bytes at once. */
template <class A> struct alignas(16) hb_kim_pair {
    typename A::word of[2];
};

template <class A, int E>
__device__ __forceinline__ void hb_kim_load(typename A::word (&x)[E], const typename A::word *from, int log_stride)
{
    if (log_stride == 0) {
#pragma unroll
        for (int i = 0; i < E; i += 2) {
            const hb_kim_pair<A> pair = *reinterpret_cast<const hb_kim_pair<A> *>(from + i);
            x[i] = pair.of[0];
            x[i + 1] = pair.of[1];
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < E; i++) {
        x[i] = from[(uint32_t)i << log_stride];
    }
}

template <class A, int E>
__device__ __forceinline__ void hb_kim_store(typename A::word *to, const typename A::word (&x)[E], int log_stride)
{
    if (log_stride == 0) {
#pragma unroll
        for (int i = 0; i < E; i += 2) {
            *reinterpret_cast<hb_kim_pair<A> *>(to + i) = {{x[i], x[i + 1]}};
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < E; i++) {
        to[(uint32_t)i << log_stride] = x[i];
    }
}

/* Stages stage .. stage + LOG_E - 1. A thread's words are N / 2^(stage + LOG_E) apart. */
template <class A, int LOG_E>
__global__ __launch_bounds__(1 << HB_KIM_LOG_BLOCK) void hb_kim_register(const hb_kim_view<A> v, const int stage)
{
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int log_threads = v.log_n - LOG_E, log_stride = log_threads - stage;
    const uint32_t limb = thread >> log_threads, within = thread & ((1u << log_threads) - 1);
    const uint32_t group = within >> log_stride, offset = within & ((1u << log_stride) - 1);
    typename A::word *words = v.data + ((size_t)limb << v.log_n) + ((size_t)group << (v.log_n - stage)) + offset;
    const uint32_t modulus = limb % v.moduli;
    const typename A::constants c = v.constants[modulus];
    typename A::word x[1 << LOG_E];
    hb_kim_load<A>(x, words, log_stride);
    hb_kim_pass<A, LOG_E, 0>(x, 0, stage, group, hb_kim_factors_of(v, modulus), c);
    if (log_stride == 0) {
#pragma unroll
        for (int i = 0; i < 1 << LOG_E; i++) {
            x[i] = A::result(x[i], c);
        }
    }
    hb_kim_store<A>(words, x, log_stride);
}

template <class A, int MOST> auto hb_kim_register_kernel(int log_e) -> void (*)(hb_kim_view<A>, int)
{
    if constexpr (MOST > 1) {
        if (log_e < MOST) {
            return hb_kim_register_kernel<A, MOST - 1>(log_e);
        }
    }
    return hb_kim_register<A, MOST>;
}

/* All stages, log_radix <= MOST of them a kernel and the rest in the last one. */
template <class A, int MOST>
hb_status hb_kim_register_launch(const hb_kim_view<A> &view, int log_radix, cudaStream_t stream)
{
    for (int stage = 0, log_e; stage < view.log_n; stage += log_e) {
        log_e = log_radix < view.log_n - stage ? log_radix : view.log_n - stage;
        const int log_threads = view.log_n - log_e;
        const int log_block = log_threads < HB_KIM_LOG_BLOCK ? log_threads : HB_KIM_LOG_BLOCK;
        const auto kernel = hb_kim_register_kernel<A, MOST>(log_e);
        kernel<<<view.limbs << (log_threads - log_block), 1u << log_block, 0, stream>>>(view, stage);
        HB_CUDA_LAUNCHED();
    }
    return HB_OK;
}

#endif
