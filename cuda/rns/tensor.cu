/* Products of ciphertexts as polynomials in the secret. */
#include "cuda/engine/launch.cuh"
#include "cuda/ntt/pair.cuh"

/* Component i of ciphertext c is polynomial i * count + c; of b, i * b_count + c, or i where one ciphertext serves
 * all. */
struct sizes {
    uint32_t a, b, count, b_count;
};

/* Sums are integers, and one reduction ends each: at most 64 products below 2^122. */
__device__ static hb_pair reduced(const hb_u128 sum[2], const hb_modulus &m)
{
    return {{hb_mod_reduce_wide(sum[0], &m), hb_mod_reduce_wide(sum[1], &m)}};
}

/* Two components each: every word is read once. */
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    tensor_two_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view a,
                      const __grid_constant__ hb_cuda_view b, sizes s, const hb_modulus *moduli)
{
    hb_cuda_begin();
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n), of_b = s.b_count == 1 ? 0 : c;
    const hb_modulus m = moduli[r.ids[l]];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const uint32_t j = hb_pair_place(r.log_n, v);
        const hb_pair a0 = hb_pair_load(hb_cuda_row(a, c, l) + j),
                      a1 = hb_pair_load(hb_cuda_row(a, s.count + c, l) + j);
        const hb_pair b0 = hb_pair_load(hb_cuda_row(b, of_b, l) + j),
                      b1 = hb_pair_load(hb_cuda_row(b, s.b_count + of_b, l) + j);
        hb_u128 sums[3][2];
#pragma unroll
        for (uint32_t i = 0; i < 2; i++) {
            sums[0][i] = (hb_u128)a0.of[i] * b0.of[i];
            sums[1][i] = (hb_u128)a0.of[i] * b1.of[i] + (hb_u128)a1.of[i] * b0.of[i];
            sums[2][i] = (hb_u128)a1.of[i] * b1.of[i];
        }
#pragma unroll
        for (uint32_t k = 0; k < 3; k++) {
            hb_pair_store(hb_cuda_row(r, k * s.count + c, l) + j, reduced(sums[k], m));
        }
    }
}

/* Any sizes: a thread makes all components of its words, and finds those of the factors in the first-level cache. */
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    tensor_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view a,
                  const __grid_constant__ hb_cuda_view b, sizes s, const hb_modulus *moduli)
{
    hb_cuda_begin();
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n), of_b = s.b_count == 1 ? 0 : c;
    const hb_modulus m = moduli[r.ids[l]];
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const uint32_t j = hb_pair_place(r.log_n, v);
        for (uint32_t k = 0; k < s.a + s.b - 1; k++) {
            hb_u128 sum[2] = {};
            for (uint32_t i = k < s.b ? 0 : k - s.b + 1; i <= k && i < s.a; i++) {
                const hb_pair x = hb_pair_load(hb_cuda_row(a, i * s.count + c, l) + j);
                const hb_pair y = hb_pair_load(hb_cuda_row(b, (k - i) * s.b_count + of_b, l) + j);
                sum[0] += (hb_u128)x.of[0] * y.of[0];
                sum[1] += (hb_u128)x.of[1] * y.of[1];
            }
            hb_pair_store(hb_cuda_row(r, k * s.count + c, l) + j, reduced(sum, m));
        }
    }
}

hb_status hb_cuda_tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size)
{
    if (r.count == 0) {
        return HB_OK;
    }
    HB_ASSERT(a_size <= HB_MAX_LIMBS || b_size <= HB_MAX_LIMBS);
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    const sizes s = {a_size, b_size, to.count / (a_size + b_size - 1), static_cast<uint32_t>(b.count) / b_size};
    const auto kernel = a_size == 2 && b_size == 2 ? tensor_two_kernel : tensor_kernel;
    const dim3 tiles(s.count << (to.log_n - HB_TILE_LOG_WORDS), to.limbs);
    return hb_cuda_start(hb_cuda(e), kernel, tiles, HB_PAIR_THREADS, 0, to, hb_cuda_view_of(e, a),
                         hb_cuda_view_of(e, b), s, hb_cuda(e)->gpu->moduli);
}
