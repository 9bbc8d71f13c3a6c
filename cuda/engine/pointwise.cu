/* Word-by-word operations: all are bound by memory, so each word is read once and written once. */
#include "launch.cuh"
#include "cuda/ntt/pair.cuh"

/* An operation is constructed once a thread for its limb, and then applied to word after word. */
struct no_constants {
};

struct add_words {
    using constants = no_constants;
    hb_modulus m;
    __device__ add_words(const constants &, uint32_t, const hb_modulus &modulus, bool) : m(modulus)
    {
    }
    __device__ uint64_t operator()(uint64_t a, uint64_t b) const
    {
        return hb_mod_add(a, b, &m);
    }
};

struct sub_words : add_words {
    using add_words::add_words;
    __device__ uint64_t operator()(uint64_t a, uint64_t b) const
    {
        return hb_mod_sub(a, b, &m);
    }
};

struct negate_words : add_words {
    using add_words::add_words;
    __device__ uint64_t operator()(uint64_t a, uint64_t) const
    {
        return hb_mod_negate(a, &m);
    }
};

struct mul_words {
    using constants = no_constants;
    hb_modulus m;
    bool f64;
    __device__ mul_words(const constants &, uint32_t, const hb_modulus &modulus, bool fast_f64)
        : m(modulus), f64(fast_f64 && modulus.f64)
    {
    }
    __device__ uint64_t operator()(uint64_t a, uint64_t b) const
    {
        return f64 ? hb_f64_mod_mul(a, b, &m) : hb_mod_mul(a, b, &m);
    }
};

struct scale_words {
    struct constants {
        hb_cuda_words factors, quotients;
    };
    hb_modulus m;
    bool f64;
    uint64_t factor, quotient;
    __device__ scale_words(const constants &k, uint32_t l, const hb_modulus &modulus, bool fast_f64)
        : m(modulus), f64(fast_f64 && modulus.f64), factor(k.factors.of[l]), quotient(k.quotients.of[l])
    {
    }
    __device__ uint64_t operator()(uint64_t a, uint64_t) const
    {
        return f64 ? hb_f64_mod_mul(a, factor, &m) : hb_mul_shoup(a, factor, quotient, m.value);
    }
};

/* The loads stand before the stores, which could change what they read, as far as the compiler can see. Where an
 * operation takes no b, its loads vanish. */
template <typename operation>
__global__ void __launch_bounds__(HB_PAIR_THREADS)
    pointwise_kernel(hb_cuda_view r, hb_cuda_view a, hb_cuda_view b, typename operation::constants constants,
                     const hb_modulus *moduli, bool fast_f64)
{
    hb_cuda_begin();
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n);
    const operation apply(constants, l, moduli[r.ids[l]], fast_f64);
    hb_pair x[HB_PAIRS], y[HB_PAIRS];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        x[v] = hb_pair_load(hb_cuda_row(a, c, l) + hb_pair_place(r.log_n, v));
        y[v] = hb_pair_load(hb_cuda_row(b, c, l) + hb_pair_place(r.log_n, v));
    }
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const hb_pair z = {{apply(x[v].of[0], y[v].of[0]), apply(x[v].of[1], y[v].of[1])}};
        hb_pair_store(hb_cuda_row(r, c, l) + hb_pair_place(r.log_n, v), z);
    }
}

template <typename operation>
static hb_status pointwise(hb_engine *e, hb_batch r, hb_batch a, hb_batch b,
                           const typename operation::constants &constants = {})
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    return hb_cuda_start(hb_cuda(e), pointwise_kernel<operation>, hb_cuda_tiles(to, to.limbs), HB_PAIR_THREADS, 0, to,
                         hb_cuda_view_of(e, a), hb_cuda_view_for_all(e, b), constants, gpu->moduli,
                         gpu->device.fast_f64);
}

hb_status hb_cuda_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return pointwise<add_words>(e, r, a, b);
}

hb_status hb_cuda_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return pointwise<sub_words>(e, r, a, b);
}

hb_status hb_cuda_negate(hb_engine *e, hb_batch r, hb_batch a)
{
    return pointwise<negate_words>(e, r, a, a);
}

hb_status hb_cuda_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return pointwise<mul_words>(e, r, a, b);
}

hb_status hb_cuda_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    const scale_words::constants constants = {hb_cuda_words_of(factors, r.limbs), hb_cuda_quotients_of(e, r, factors)};
    return pointwise<scale_words>(e, r, a, a, constants);
}

/* Reads are scattered, but within a row, which the second-level cache holds; writes are in order. */
__global__ void __launch_bounds__(HB_PAIR_THREADS) permute_kernel(hb_cuda_view r, hb_cuda_view a, const uint32_t *map)
{
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n);
    const uint64_t *from = hb_cuda_row(a, c, l);
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const uint32_t j = hb_pair_place(r.log_n, v);
        const uint2 places = *reinterpret_cast<const uint2 *>(map + j);
        const hb_pair z = {{from[places.x], from[places.y]}};
        hb_pair_store(hb_cuda_row(r, c, l) + j, z);
    }
}

hb_status hb_cuda_permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map)
{
    HB_ASSERT(reinterpret_cast<uintptr_t>(map) % sizeof(uint2) == 0);
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    permute_kernel<<<hb_cuda_tiles(to, to.limbs), HB_PAIR_THREADS, 0, hb_cuda(e)->stream>>>(to, hb_cuda_view_of(e, a),
                                                                                           map);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}
