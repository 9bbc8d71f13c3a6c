/* Changing the basis: base conversion, and division by the last prime (convert_arith.h). */
#include "pair.cuh"

#include "convert_arith.h"

#define TARGETS 4u /* limbs that one pass over the sources makes */

/* Sums of products are integers on a GPU, for every modulus: one reduction ends a whole sum, where FP64 needs one for
 * each product, and 64 products below 2^122 fit 128 bits. */
__device__ static void convert_pair(hb_cuda_view r, hb_cuda_view a, uint32_t c, uint32_t j, uint32_t first,
                                    const uint64_t *__restrict__ matrix, const hb_modulus *__restrict__ moduli)
{
    const uint32_t targets = min(r.limbs - first, TARGETS);
    hb_u128 sums[TARGETS][2] = {};
#pragma unroll 2
    for (uint32_t i = 0; i < a.limbs; i++) {
        const hb_pair x = hb_pair_load(hb_cuda_row(a, c, i) + j);
#pragma unroll
        for (uint32_t o = 0; o < TARGETS; o++) {
            if (o < targets) {
                const uint64_t weight = matrix[(first + o) * a.limbs + i];
                sums[o][0] += (hb_u128)x.of[0] * weight;
                sums[o][1] += (hb_u128)x.of[1] * weight;
            }
        }
    }
#pragma unroll
    for (uint32_t o = 0; o < TARGETS; o++) {
        if (o < targets) {
            const hb_modulus m = moduli[r.ids[first + o]];
            const hb_pair z = {{hb_mod_reduce_wide(sums[o][0], &m), hb_mod_reduce_wide(sums[o][1], &m)}};
            hb_pair_store(hb_cuda_row(r, c, first + o) + j, z);
        }
    }
}

/* All targets of a coefficient belong to one thread, which finds its sources in the first-level cache again. */
__global__ void __launch_bounds__(HB_PAIR_THREADS)
    base_convert_kernel(hb_cuda_view r, hb_cuda_view a, const uint64_t *__restrict__ matrix,
                        const hb_modulus *__restrict__ moduli)
{
    const uint32_t c = hb_tile_polynomial(r.log_n);
#pragma unroll 1
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
#pragma unroll 1
        for (uint32_t first = 0; first < r.limbs; first += TARGETS) {
            convert_pair(r, a, c, hb_pair_place(r.log_n, v), first, matrix, moduli);
        }
    }
}

hb_status hb_cuda_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    if (r.count == 0) {
        return HB_OK;
    }
    hb_cuda_engine *cuda = hb_cuda(e);
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    void *matrix;
    HB_TRY(hb_cuda_stage(cuda, conversion->matrix, sizeof(uint64_t) * r.limbs * a.limbs, &matrix));
    base_convert_kernel<<<hb_cuda_tiles(to, 1), HB_PAIR_THREADS, 0, cuda->stream>>>(
        to, hb_cuda_view_of(e, a), static_cast<const uint64_t *>(matrix), cuda->gpu->moduli);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

struct division {
    uint64_t half;
    hb_cuda_words inverses, quotients;
};

/* A thread goes through the limbs in order, and reads each before it writes it: r may be the leading limbs of a. */
__global__ void __launch_bounds__(HB_PAIR_THREADS)
    divide_kernel(hb_cuda_view r, hb_cuda_view a, division k, const hb_modulus *moduli, bool fast_f64)
{
    const uint32_t c = hb_tile_polynomial(r.log_n);
    const uint32_t last = a.ids[r.limbs];
    const uint64_t p = moduli[last].value;
    const bool p_f64 = fast_f64 && moduli[last].f64;
    hb_pair remainder[HB_PAIRS];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const hb_pair x = hb_pair_load(hb_cuda_row(a, c, r.limbs) + hb_pair_place(r.log_n, v));
        remainder[v] = {{hb_divide_remainder(x.of[0], k.half, p), hb_divide_remainder(x.of[1], k.half, p)}};
    }
    for (uint32_t l = 0; l < r.limbs; l++) {
        const hb_modulus m = moduli[r.ids[l]];
        const uint64_t inverse = k.inverses.of[l], quotient = k.quotients.of[l], half_mod = hb_mod_reduce(k.half, &m);
        const bool f64 = p_f64 && m.f64;
#pragma unroll
        for (uint32_t v = 0; v < HB_PAIRS; v++) {
            const uint32_t j = hb_pair_place(r.log_n, v);
            hb_pair x = hb_pair_load(hb_cuda_row(a, c, l) + j);
            for (uint32_t i = 0; i < 2; i++) {
                x.of[i] = f64 ? hb_divide_exact_f64(x.of[i], remainder[v].of[i], k.half, inverse, &m)
                              : hb_divide_exact(x.of[i], remainder[v].of[i], half_mod, inverse, quotient, &m);
            }
            hb_pair_store(hb_cuda_row(r, c, l) + j, x);
        }
    }
}

hb_status hb_cuda_divide_round_last(hb_engine *e, hb_batch r, hb_batch a, const hb_drop_last *constants)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    const division k = {constants->half, hb_cuda_words_of(constants->inverse, r.limbs),
                        hb_cuda_quotients_of(e, r, constants->inverse)};
    divide_kernel<<<hb_cuda_tiles(to, 1), HB_PAIR_THREADS, 0, hb_cuda(e)->stream>>>(to, hb_cuda_view_of(e, a), k,
                                                                                    gpu->moduli, gpu->device.fast_f64);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}
