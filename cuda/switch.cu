/* Automorphisms, and the two steps of key switching around the transforms (switch_arith.h). */
#include <algorithm>

#include "pair.cuh"

#include "switch_arith.h"

/* As gather_kernel: reads are scattered within a row, writes in order. */
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    galois_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view a, uint32_t inverse,
                  const hb_modulus *moduli)
{
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
    galois_kernel<<<hb_cuda_tiles(to, to.limbs), HB_PAIR_THREADS, 0, hb_cuda(e)->stream>>>(
        to, hb_cuda_view_of(e, a), hb_galois_inverse(element, e->ring->n), hb_cuda(e)->gpu->moduli);
    HB_CUDA_LAUNCHED();
    return HB_OK;
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

#define PRODUCTS_LOG_THREADS 7
#define PRODUCTS_THREADS (1u << PRODUCTS_LOG_THREADS)
#define PRODUCTS_LOG_BLOCK (PRODUCTS_LOG_THREADS + 1) /* words of a thread block: a pair a thread */

struct inner_products {
    uint32_t count, digits;        /* ciphertexts; digits of each */
    uint32_t groups;               /* of SHARE ciphertexts */
    uint16_t of_key[HB_MAX_LIMBS]; /* the key's limb for each of r */
};

/* A thread has the same pair of words of SHARE ciphertexts, for which it reads a word of the key once; groups of
 * ciphertexts come one after the other, so that the next one finds it in the second-level cache. Sums are integers: at
 * most 64 products below 2^122. */
template <uint32_t SHARE>
static __global__ void __launch_bounds__(PRODUCTS_THREADS, 4)
    key_products_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view digits,
                        const __grid_constant__ hb_cuda_view key, const __grid_constant__ inner_products s,
                        const hb_modulus *moduli)
{
    const uint32_t l = blockIdx.y, of_key = s.of_key[l], first = blockIdx.x % s.groups * SHARE;
    const uint32_t j = (blockIdx.x / s.groups << PRODUCTS_LOG_BLOCK) + 2 * threadIdx.x;
    hb_u128 sums[SHARE][2][2] = {}; /* of a ciphertext, a component, a word */
    for (uint32_t i = 0; i < s.digits; i++) {
        const hb_pair k[2] = {hb_pair_load_shared(hb_cuda_row(key, 2 * i, of_key) + j),
                              hb_pair_load_shared(hb_cuda_row(key, 2 * i + 1, of_key) + j)};
#pragma unroll
        for (uint32_t of = 0; of < SHARE; of++) {
            const size_t c = min(first + of, s.count - 1); /* the last one again, where there are no more */
            const hb_pair x = hb_pair_load(hb_cuda_row(digits, c * s.digits + i, l) + j);
#pragma unroll
            for (uint32_t at = 0; at < 4; at++) {
                sums[of][at / 2][at % 2] += (hb_u128)x.of[at % 2] * k[at / 2].of[at % 2];
            }
        }
    }
    const hb_modulus m = moduli[r.ids[l]];
#pragma unroll
    for (uint32_t at = 0; at < 2 * SHARE; at++) {
        const uint32_t c = first + at / 2;
        if (c < s.count) {
            const hb_u128 *sum = sums[at / 2][at % 2];
            const hb_pair z = {{hb_mod_reduce_wide(sum[0], &m), hb_mod_reduce_wide(sum[1], &m)}};
            hb_pair_store(hb_cuda_row(r, at % 2 * s.count + c, l) + j, z);
        }
    }
}

template <uint32_t SHARE>
static void start_products(const hb_cuda_engine *e, const hb_cuda_view &r, const hb_cuda_view &digits,
                           const hb_cuda_view &key, inner_products s)
{
    s.groups = (s.count + SHARE - 1) / SHARE;
    const dim3 blocks(s.groups << (r.log_n - PRODUCTS_LOG_BLOCK), r.limbs);
    key_products_kernel<SHARE><<<blocks, PRODUCTS_THREADS, 0, e->stream>>>(r, digits, key, s, e->gpu->moduli);
}

hb_status hb_cuda_key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_engine *cuda = hb_cuda(e);
    const hb_cuda_view to = hb_cuda_view_of(e, r), of = hb_cuda_view_of(e, digits), by = hb_cuda_view_of(e, key);
    inner_products s = {to.count / 2, of.count / (to.count / 2), 0, {}};
    for (uint32_t l = 0, at = 0; l < r.limbs; l++) {
        while (key.ids[at] != r.ids[l]) {
            at++; /* both ascend */
        }
        s.of_key[l] = static_cast<uint16_t>(at);
    }
    /* Sharing makes fewer blocks: it waits until there are enough of them. */
    const uint64_t blocks = (uint64_t)s.count * to.limbs << (to.log_n - PRODUCTS_LOG_BLOCK);
    const uint64_t share = blocks / (16 * (uint64_t)cuda->gpu->device.multiprocessors);
    if (s.count >= 4 && share >= 4) {
        start_products<4>(cuda, to, of, by, s);
    } else if (s.count >= 2 && share >= 2) {
        start_products<2>(cuda, to, of, by, s);
    } else {
        start_products<1>(cuda, to, of, by, s);
    }
    HB_CUDA_LAUNCHED();
    return HB_OK;
}
