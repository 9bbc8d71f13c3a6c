/* The kernel of inner products with few digits, in FP64 (private to products.cu). */
#ifndef HB_CUDA_RNS_FEW_PRODUCTS_CUH
#define HB_CUDA_RNS_FEW_PRODUCTS_CUH

#include "cuda/device/launch.cuh"
#include "gadget_terms.cuh"

#define PRODUCTS_LOG_THREADS 7
#define PRODUCTS_THREADS (1u << PRODUCTS_LOG_THREADS)
#define PRODUCTS_LOG_BLOCK (PRODUCTS_LOG_THREADS + 1) /* words of a thread block: a pair a thread */

/* Inner products of few digits, with two outputs: everything that a thread reads of some digits is on its way before
 * any of it is used, and nothing is reduced but the sums. */
template <uint32_t SHARE, uint32_t DIGITS, class GADGET>
static __global__ void __launch_bounds__(PRODUCTS_THREADS, 4)
    few_products_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view digits,
                        const __grid_constant__ hb_cuda_view key, const __grid_constant__ hb_inner_products s,
                        const __grid_constant__ GADGET gadget, const hb_modulus *moduli)
{
    using A = hb_exact_terms;
    /* At a time, as many as registers hold. */
    constexpr uint32_t loaded = SHARE <= 2 ? DIGITS : DIGITS % 2 == 0 ? 2 : 1;
    static_assert(DIGITS < A::most, "sums have room for the value that they begin with besides");
    const uint32_t l = blockIdx.y, of_key = s.of_key[l], first = blockIdx.x % s.groups * SHARE, o = 2 * blockIdx.z;
    const uint32_t j = (blockIdx.x / s.groups << PRODUCTS_LOG_BLOCK) + 2 * threadIdx.x;
    const A::prime p = A::prime_of(moduli[r.ids[l]]);
    hb_cuda_begin();
    A::sum sums[SHARE][2][2]; /* of a ciphertext, an output, a word */
#pragma unroll
    for (uint32_t at = 0; at < 4 * SHARE; at++) {
        sums[at / 4][at / 2 % 2][at % 2] = A::zero();
    }
    hb_begin_few<SHARE>(sums, s, first, l, j, gadget, p);
#pragma unroll
    for (uint32_t begin = 0; begin < DIGITS; begin += loaded) {
        hb_pair k[loaded][2], x[loaded][SHARE];
#pragma unroll
        for (uint32_t v = 0; v < loaded; v++) {
            const uint32_t i = begin + v;
            k[v][0] = hb_pair_load_shared(hb_cuda_row(key, s.row * i + o, of_key) + j);
            k[v][1] = hb_pair_load_shared(hb_cuda_row(key, s.row * i + o + 1, of_key) + j);
#pragma unroll
            for (uint32_t of = 0; of < SHARE; of++) {
                const size_t c = min(first + of, s.count - 1); /* the last one again, where there are no more */
                x[v][of] = hb_pair_load(hb_digit_row(digits, s, c, i, l, gadget) + j);
            }
        }
#pragma unroll
        for (uint32_t at = 0; at < loaded * 4; at++) {
            /* One word of the key serves SHARE ciphertexts. */
            const uint32_t v = at / 4, output = at / 2 % 2, w = at % 2;
            const double y = A::balanced(k[v][output].of[w], p);
#pragma unroll
            for (uint32_t of = 0; of < SHARE; of++) {
                A::add(sums[of][output][w], y, A::canonical(x[v][of].of[w]));
            }
        }
    }
#pragma unroll
    for (uint32_t at = 0; at < 2 * SHARE; at++) {
        const uint32_t c = first + at / 2;
        if (c < s.count) {
            const A::sum *sum = sums[at / 2][at % 2];
            hb_pair_store(hb_cuda_row(r, (size_t)(o + at % 2) * s.count + c, l) + j,
                          {{A::residue(sum[0], p), A::residue(sum[1], p)}});
        }
    }
}

#endif
