/* Automorphisms, and the digits of key switching (ring/switch_arith.h). */
#include "cuda/engine/launch.cuh"
#include "cuda/ntt/pair.cuh"

#include "ring/switch_arith.h"

/* As permute_kernel: reads are scattered within a row, writes in order. */
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    galois_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view a, uint32_t inverse,
                  const hb_modulus *moduli)
{
    hb_cuda_begin();
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n), n = 1u << r.log_n;
    const uint64_t m = moduli[r.ids[l]].value;
    const uint64_t *row = hb_cuda_row(a, c, l);
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const uint32_t j = hb_pair_place(r.log_n, v);
        hb_pair z;
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t from = hb_galois_from(j + i, inverse, n);
            z.of[i] = hb_galois_sign(row[from & (n - 1)], from, n, m);
        }
        hb_pair_store(hb_cuda_row(r, c, l) + j, z);
    }
}

hb_status hb_cuda_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    return hb_cuda_start(hb_cuda(e), galois_kernel, hb_cuda_tiles(to, to.limbs), HB_PAIR_THREADS, 0, to,
                         hb_cuda_view_of(e, a), hb_galois_inverse(element, e->ring->n), hb_cuda(e)->gpu->moduli);
}

/* blockIdx.y: the limb of a. A digit is read once and reduced for every limb of r. */
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    spread_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_scattered a,
                  const hb_modulus *moduli)
{
    const uint32_t c = hb_tile_polynomial(a.log_n), digit = blockIdx.y;
    hb_pair x[HB_PAIRS];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        x[v] = hb_pair_load(hb_cuda_row(a, c, digit) + hb_pair_place(a.log_n, v));
    }
    for (uint32_t l = 0; l < r.limbs; l++) {
        const hb_modulus m = moduli[r.ids[l]];
        uint64_t *to = hb_cuda_row(r, (size_t)c * a.limbs + digit, l);
#pragma unroll
        for (uint32_t v = 0; v < HB_PAIRS; v++) {
            const hb_pair z = {{hb_mod_reduce(x[v].of[0], &m), hb_mod_reduce(x[v].of[1], &m)}};
            hb_pair_store(to + hb_pair_place(a.log_n, v), z);
        }
    }
}

hb_status hb_cuda_spread(hb_engine *e, hb_batch r, hb_batch a)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_scattered from = hb_cuda_scattered_of(e, a);
    spread_kernel<<<hb_cuda_tiles(from, from.limbs), HB_PAIR_THREADS, 0, hb_cuda(e)->stream>>>(
        hb_cuda_view_of(e, r), from, hb_cuda(e)->gpu->moduli);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}
