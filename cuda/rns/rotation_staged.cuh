/* The kernel of sums of rotated inner products for several ciphertexts at a time (private to rotation_sums.cu). */
#ifndef HB_CUDA_RNS_ROTATION_STAGED_CUH
#define HB_CUDA_RNS_ROTATION_STAGED_CUH

#include "rotation_terms.cuh"

/* The operands of a term for a thread block whose warps are at the same words of different ciphertexts: rows of the key
 * and of plaintexts, which all warps read, and the digits and addends of each ciphertext. */
template <uint32_t OUTPUTS, uint32_t DIGITS> struct rotation_stage {
    static constexpr uint32_t shared_rows = 2 * DIGITS + OUTPUTS, own_rows = DIGITS + 2;
    ulonglong2 shared[shared_rows][32], own[ROTATION_WARPS][own_rows][32];
};

/* Starts to copy 16 bytes of device memory to shared memory. */
__device__ static __forceinline__ void copy_ahead(ulonglong2 *to, const uint64_t *from)
{
    const uint32_t there = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(from) : "memory");
}

/* Starts to fetch the operands of term t; each warp fetches a part of the common ones. */
template <uint32_t OUTPUTS, uint32_t DIGITS>
__device__ static __forceinline__ void fetch_term(rotation_stage<OUTPUTS, DIGITS> &stage, const rotation_args &x,
                                                  uint32_t t, uint32_t c, uint32_t l, uint32_t j)
{
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t place = rotation_from(x, t, j) & ~1u;
    const size_t limb = (size_t)l << x.log_n;
    if (x.term[t].digits != NULL) { /* the same for all threads, as most that is asked here */
        const digit_rows rows = rows_of(x, t, c, l, place);
#pragma unroll
        for (uint32_t i = 0; i < DIGITS; i++) {
            copy_ahead(&stage.own[warp][i][lane], i == rows.owner ? rows.own : rows.digit + i * rows.digit_stride);
        }
#pragma unroll
        for (uint32_t i = 0; i < 2 * DIGITS; i++) {
            if (i % ROTATION_WARPS == warp) {
                copy_ahead(&stage.shared[i][lane], rows.key + i * rows.key_stride);
            }
        }
    }
#pragma unroll
    for (uint32_t k = 0; k < 2; k++) {
        if (x.term[t].plus[k] != NULL && l < x.plus_limbs) {
            copy_ahead(&stage.own[warp][DIGITS + k][lane], x.term[t].plus[k] + c * x.plus_stride + limb + place);
        }
    }
#pragma unroll
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        if (o % ROTATION_WARPS == warp && x.which[o][t] != HB_ROTATION_NONE) {
            /* A pair of words, of which both or one are the factors of the thread's two. */
            const uint64_t *at = plain_word(x, x.which[o][t], l, 0);
            copy_ahead(&stage.shared[2 * DIGITS + o][lane], at + (j >> x.plain_shift & ~1u));
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Adds term t, which has been fetched, to the sums. */
template <uint32_t OUTPUTS, uint32_t DIGITS>
__device__ static __forceinline__ void add_fetched(hb_exact_terms::sum (&sums)[OUTPUTS][2][2],
                                                   const rotation_stage<OUTPUTS, DIGITS> &stage, const rotation_args &x,
                                                   uint32_t t, uint32_t l, uint32_t j, const hb_exact_terms::prime &p)
{
    using A = hb_exact_terms;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const double factor = A::canonical(x.factors.of[l]);
    A::sum products[2][2];
#pragma unroll
    for (uint32_t k = 0; k < 2; k++) {
        products[k][0] = products[k][1] = A::zero();
        if (x.term[t].plus[k] != NULL && l < x.plus_limbs) {
            const ulonglong2 plus = stage.own[warp][DIGITS + k][lane];
            A::add(products[k][0], A::balanced(plus.x, p), factor);
            A::add(products[k][1], A::balanced(plus.y, p), factor);
        }
    }
#pragma unroll
    for (uint32_t i = 0; i < DIGITS && x.term[t].digits != NULL; i++) {
        const ulonglong2 digit = stage.own[warp][i][lane];
        const double a[2] = {A::balanced(digit.x, p), A::balanced(digit.y, p)};
#pragma unroll
        for (uint32_t k = 0; k < 2; k++) {
            const ulonglong2 key = stage.shared[2 * i + k][lane];
            A::add(products[k][0], a[0], A::canonical(key.x));
            A::add(products[k][1], a[1], A::canonical(key.y));
        }
    }
    rotation_words<2> plain[OUTPUTS];
#pragma unroll
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        plain[o] = {};
        if (x.which[o][t] != HB_ROTATION_NONE) {
            const ulonglong2 words = stage.shared[2 * DIGITS + o][lane];
            const uint64_t one = (j >> x.plain_shift & 1) != 0 ? words.y : words.x;
            plain[o] = x.plain_shift == 0 ? rotation_words<2>{{words.x, words.y}} : rotation_words<2>{{one, one}};
        }
    }
    /* Sums are reduced before every `few` terms but the first. */
    const bool fold = t > 0 && t % A::few == 0, swapped = (rotation_from(x, t, j) & 1) != 0;
#pragma unroll
    for (uint32_t k = 0; k < 2; k++) {
        add_term<A, OUTPUTS, 2>(sums, k, products[k], plain, swapped, fold, p);
    }
}

/* The same in FP64 where a thread block has as many ciphertexts as warps, and there are plaintexts: the operands of the
 * next term come to shared memory while one term is added. So keys and plaintexts come once for the ciphertexts of a
 * block, and threads have registers for nothing but sums. */
template <uint32_t OUTPUTS, uint32_t DIGITS>
static __global__ void __launch_bounds__(ROTATION_THREADS, 4)
    staged_sums_kernel(const __grid_constant__ rotation_args x, const hb_modulus *moduli)
{
    using A = hb_exact_terms;
    __shared__ rotation_stage<OUTPUTS, DIGITS> stages[2];
    const uint32_t l = blockIdx.y, c = blockIdx.x % x.groups * ROTATION_WARPS + threadIdx.x / 32;
    const uint32_t j = (blockIdx.x / x.groups * 32 + threadIdx.x % 32) * 2;
    const A::prime p = A::prime_of(moduli[x.ids[l]]);
    A::sum sums[OUTPUTS][2][2];
#pragma unroll
    for (uint32_t i = 0; i < OUTPUTS * 4; i++) {
        sums[i / 4][i / 2 % 2][i % 2] = A::zero();
    }
    hb_cuda_begin();
    fetch_term(stages[0], x, 0, c, l, j);
#pragma unroll 1
    for (uint32_t t = 0; t < x.terms; t++) {
        if (t + 1 < x.terms) {
            fetch_term(stages[(t + 1) % 2], x, t + 1, c, l, j);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        /* Each warp has fetched a part; and none fetches into a stage that another still reads. */
        __syncthreads();
        add_fetched(sums, stages[t % 2], x, t, l, j, p);
        __syncthreads();
    }
    store_sums<A, OUTPUTS, 2>(sums, x, c, ((size_t)l << x.log_n) + j, p);
}

#endif
