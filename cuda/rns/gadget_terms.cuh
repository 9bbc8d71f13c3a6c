/* Operands of inner products of digits with keys, and the optional terms of hb_gadget_products: own limbs of digits
 * that stand elsewhere, and the starts of sums (private to products.cu). Kernels without these terms are compiled
 * apart. */
#ifndef HB_CUDA_RNS_GADGET_TERMS_CUH
#define HB_CUDA_RNS_GADGET_TERMS_CUH

#include "cuda/device/pair.cuh"
#include "term_sums.cuh"

/* The sizes of the inner products, as ring/rns_ops.h has them. */
struct hb_inner_products {
    uint32_t count, digits;        /* ciphertexts; digits of each */
    uint32_t groups;               /* groups of SHARE ciphertexts */
    uint32_t outputs, row;         /* outputs of each, and rows of the key for each digit */
    uint16_t of_key[HB_MAX_LIMBS]; /* the key's limb for each of r */
};

/* The optional terms of hb_gadget_products; no limbs of `own` or of `plus`: none. */
struct hb_gadget_terms {
    hb_cuda_view own, plus[2];
    hb_cuda_words factors;
    uint8_t first[HB_MAX_LIMBS], limbs[HB_MAX_LIMBS]; /* of a digit's own limbs */
};
struct hb_no_gadget_terms {
};

/* Returns where the pair j of digit i of ciphertext c stands. */
__device__ static __forceinline__ const uint64_t *hb_digit_row(const hb_cuda_view &digits, const hb_inner_products &s,
                                                               size_t c, uint32_t i, uint32_t l,
                                                               const hb_no_gadget_terms &)
{
    return hb_cuda_row(digits, c * s.digits + i, l);
}
__device__ static __forceinline__ const uint64_t *hb_digit_row(const hb_cuda_view &digits, const hb_inner_products &s,
                                                               size_t c, uint32_t i, uint32_t l,
                                                               const hb_gadget_terms &x)
{
    /* The same for the whole thread block. */
    const bool own = l < x.own.limbs && l - x.first[i] < x.limbs[i];
    return own ? hb_cuda_row(x.own, c, l) : hb_cuda_row(digits, c * s.digits + i, l);
}

/* Returns the starts of the sums of outputs o and o + 1, for a pair of words. */
__device__ static __forceinline__ void hb_begin_sums(hb_u128 (&)[2][2], size_t, uint32_t, uint32_t,
                                                     const hb_no_gadget_terms &)
{
}
__device__ static __forceinline__ void hb_begin_sums(hb_u128 (&sums)[2][2], size_t c, uint32_t l, uint32_t j,
                                                     const hb_gadget_terms &x)
{
    if (l < x.plus[0].limbs) {
#pragma unroll
        for (uint32_t o = 0; o < 2; o++) {
            const hb_pair y = hb_pair_load(hb_cuda_row(x.plus[o], c, l) + j);
            sums[o][0] = (hb_u128)y.of[0] * x.factors.of[l];
            sums[o][1] = (hb_u128)y.of[1] * x.factors.of[l];
        }
    }
}

/* Begins the same sums in FP64, of few digits, and returns how many more products go to `low` before it is folded. */
template <uint32_t SHARE>
__device__ static __forceinline__ uint32_t hb_begin_exact(hb_exact_sum<50> (&)[SHARE][2][2], const hb_inner_products &,
                                                          uint32_t, uint32_t, uint32_t, const hb_no_gadget_terms &,
                                                          const hb_modulus &)
{
    return hb_exact_sum<50>::first;
}
template <uint32_t SHARE>
__device__ static __forceinline__ uint32_t hb_begin_exact(hb_exact_sum<50> (&sums)[SHARE][2][2],
                                                          const hb_inner_products &s, uint32_t first, uint32_t l,
                                                          uint32_t j, const hb_gadget_terms &x, const hb_modulus &m)
{
    if (l >= x.plus[0].limbs) {
        return hb_exact_sum<50>::first;
    }
    const double factor = hb_balanced(x.factors.of[l], m);
#pragma unroll
    for (uint32_t of = 0; of < SHARE; of++) {
#pragma unroll
        for (uint32_t o = 0; o < 2; o++) {
            const hb_pair y = hb_pair_load(hb_cuda_row(x.plus[o], min(first + of, s.count - 1), l) + j);
            sums[of][o][0].add(hb_balanced(y.of[0], m), factor);
            sums[of][o][1].add(hb_balanced(y.of[1], m), factor);
        }
    }
    return hb_exact_sum<50>::first - 1;
}

/* The same for sums of few digits, whose start is one product more. */
template <uint32_t SHARE>
__device__ static __forceinline__ void hb_begin_few(hb_exact_terms::sum (&)[SHARE][2][2], const hb_inner_products &,
                                                    uint32_t, uint32_t, uint32_t, const hb_no_gadget_terms &,
                                                    const hb_exact_terms::prime &)
{
}
template <uint32_t SHARE>
__device__ static __forceinline__ void hb_begin_few(hb_exact_terms::sum (&sums)[SHARE][2][2],
                                                    const hb_inner_products &s, uint32_t first, uint32_t l, uint32_t j,
                                                    const hb_gadget_terms &x, const hb_exact_terms::prime &p)
{
    if (l >= x.plus[0].limbs) { /* the same for the whole thread block */
        return;
    }
    const double factor = hb_exact_terms::canonical(x.factors.of[l]);
#pragma unroll
    for (uint32_t i = 0; i < 2 * SHARE; i++) {
        const hb_pair y = hb_pair_load(hb_cuda_row(x.plus[i % 2], min(first + i / 2, s.count - 1), l) + j);
        hb_exact_terms::add(sums[i / 2][i % 2][0], hb_exact_terms::balanced(y.of[0], p), factor);
        hb_exact_terms::add(sums[i / 2][i % 2][1], hb_exact_terms::balanced(y.of[1], p), factor);
    }
}

#endif
