/* Division by a prime with rounding (ring/convert_arith.h). */
#include "cuda/engine/launch.cuh"
#include "cuda/ntt/pair.cuh"

#include "ring/convert_arith.h"

struct division {
    uint64_t half;
    hb_cuda_words inverses, quotients;
};

/* r = b + the quotient, in the polynomials of b, else the quotient. A thread reads each of its words before it writes
 * it, and nobody writes `last`: r may be a. */
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    divide_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view b,
                  const __grid_constant__ hb_cuda_view a, const __grid_constant__ hb_cuda_view last,
                  const __grid_constant__ division k, const hb_modulus *moduli, bool fast_f64)
{
    hb_cuda_begin();
    const uint32_t c = hb_tile_polynomial(r.log_n);
    const bool plus = c < b.count;
    const uint64_t p = moduli[last.ids[0]].value;
    const bool p_f64 = fast_f64 && moduli[last.ids[0]].f64;
    hb_pair remainder[HB_PAIRS];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const hb_pair x = hb_pair_load(hb_cuda_row(last, c, 0) + hb_pair_place(r.log_n, v));
        remainder[v] = {{hb_divide_remainder(x.of[0], k.half, p), hb_divide_remainder(x.of[1], k.half, p)}};
    }
    for (uint32_t l = blockIdx.y; l < r.limbs; l += gridDim.y) {
        const hb_modulus m = moduli[r.ids[l]];
        const uint64_t inverse = k.inverses.of[l], quotient = k.quotients.of[l], half_mod = hb_mod_reduce(k.half, &m);
        const bool f64 = p_f64 && m.f64;
#pragma unroll
        for (uint32_t v = 0; v < HB_PAIRS; v++) {
            const uint32_t j = hb_pair_place(r.log_n, v);
            hb_pair x = hb_pair_load(hb_cuda_row(a, c, l) + j);
            const hb_pair y = plus ? hb_pair_load(hb_cuda_row(b, c, l) + j) : hb_pair{};
            for (uint32_t i = 0; i < 2; i++) {
                x.of[i] = f64 ? hb_divide_exact_f64(x.of[i], remainder[v].of[i], k.half, inverse, &m)
                              : hb_divide_exact(x.of[i], remainder[v].of[i], half_mod, inverse, quotient, &m);
                x.of[i] = hb_mod_add(x.of[i], y.of[i], &m);
            }
            hb_pair_store(hb_cuda_row(r, c, l) + j, x);
        }
    }
}

hb_status hb_cuda_divide_round(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                               const hb_drop_last *constants)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    const hb_cuda_view to = hb_cuda_view_of(e, r), plus = b.data != NULL ? hb_cuda_view_of(e, b) : hb_cuda_view();
    const division k = {constants->half, hb_cuda_words_of(constants->inverse, r.limbs),
                        hb_cuda_quotients_of(e, r, constants->inverse)};
    const dim3 blocks = hb_cuda_share_limbs(hb_cuda(e), hb_cuda_tiles(to, 1).x, to.limbs);
    return hb_cuda_start(hb_cuda(e), divide_kernel, blocks, HB_PAIR_THREADS, 0, to, plus, hb_cuda_view_of(e, a),
                         hb_cuda_view_of(e, last), k, gpu->moduli, gpu->device.fast_f64);
}
