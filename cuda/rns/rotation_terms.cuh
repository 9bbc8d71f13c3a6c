/* Terms of sums of rotated inner products as kernels take them, and a thread's work on one (private to
 * rotation_sums.cu). */
#ifndef HB_CUDA_RNS_ROTATION_TERMS_CUH
#define HB_CUDA_RNS_ROTATION_TERMS_CUH

#include "cuda/device/launch.cuh"
#include "cuda/device/pair.cuh"
#include "term_sums.cuh"

extern "C" {
#include "ring/permutation.h"
}

#define ROTATION_THREADS 128u
#define ROTATION_WARPS (ROTATION_THREADS / 32)
#define MOST_OUTPUTS 8u /* whose sums a thread holds */
#define NOBODY UINT8_MAX

namespace
{
/* A term as kernels take it; NULL: no digits, nothing to add. */
struct rotation_term {
    const uint64_t *digits, *key, *own, *plus[2];
    size_t key_stride;
    uint32_t element; /* of the automorphism; 1: none */
};

/* The arguments of a launch: outputs of r from `first` on, of `all`; strides are from one polynomial to the next. */
struct rotation_args {
    uint64_t *r;
    const uint64_t *plain; /* NULL: ones */
    size_t stride, digits_stride, own_stride, plus_stride, plain_stride, plain_limb_stride;
    uint32_t plain_shift;          /* log2 of the words that one of `plain` stands for */
    uint32_t terms, digits, count; /* digits of a ciphertext; ciphertexts */
    uint32_t outputs, first, all;
    uint32_t plus_limbs, log_n, log_share, groups; /* ciphertexts of a thread block, and groups of so many */
    bool add;
    rotation_term term[HB_ROTATION_TERMS];
    uint32_t which[MOST_OUTPUTS][HB_ROTATION_TERMS];   /* polynomials of `plain` */
    uint8_t key_limb[HB_ROTATION_TERMS][HB_MAX_LIMBS]; /* the key's limb for each of r */
    uint8_t owner[HB_MAX_LIMBS]; /* the digit whose own limb this is, which stands apart; NOBODY: none */
    hb_cuda_words factors;
    uint16_t ids[HB_MAX_LIMBS];
};

/* The words that a thread has of every row: neighbours. */
template <uint32_t WORDS> struct alignas(8 * WORDS) rotation_words {
    uint64_t of[WORDS];
};

template <uint32_t WORDS> __device__ __forceinline__ rotation_words<WORDS> load(const uint64_t *at)
{
    if constexpr (WORDS == 2) {
        const ulonglong2 x = __ldg(reinterpret_cast<const ulonglong2 *>(at));
        return {{x.x, x.y}};
    } else {
        return {{__ldg(reinterpret_cast<const unsigned long long *>(at))}};
    }
}
} /* namespace */

/* Returns where word j of a term comes from (ring/galois.c), by reversed bits from the top down. */
__device__ static __forceinline__ uint32_t rotation_from(const rotation_args &x, uint32_t t, uint32_t j)
{
    const uint32_t element = x.term[t].element, turned = ((element - 1) / 2) << (32 - x.log_n);
    return __brev(__brev(j) * element + turned);
}

/* Where a thread's words of a term stand: of the first digit and the next ones, of the one that is `own` apart, and of
 * the key. */
struct digit_rows {
    const uint64_t *digit, *own, *key;
    size_t digit_stride, key_stride;
    uint32_t count, owner;
};

/* Returns the rows of a term for the words from `place` on in limb l. */
__device__ static __forceinline__ digit_rows rows_of(const rotation_args &x, uint32_t t, uint32_t c, uint32_t l,
                                                     uint32_t place)
{
    const rotation_term &term = x.term[t];
    const size_t limb = (size_t)l << x.log_n;
    digit_rows rows = {term.digits + (size_t)c * x.digits * x.digits_stride + limb + place,
                       NULL,
                       term.key + ((size_t)x.key_limb[t][l] << x.log_n) + place,
                       x.digits_stride,
                       term.key_stride,
                       x.digits,
                       NOBODY};
    if (term.own != NULL && x.owner[l] != NOBODY) { /* the same for all threads */
        rows.own = term.own + c * x.own_stride + limb + place;
        rows.owner = x.owner[l];
    }
    return rows;
}

/* Adds the products of digits with a key to two sums for each word. For few digits all are loaded before any is
 * used. */
template <class A, uint32_t WORDS, uint32_t DIGITS>
__device__ static __forceinline__ void add_digits(typename A::sum (&sums)[2][WORDS], const digit_rows &rows,
                                                  const typename A::prime &p)
{
    constexpr uint32_t loaded = DIGITS > 0 ? DIGITS : 1;
    for (uint32_t begin = 0; begin < (DIGITS > 0 ? 1 : rows.count); begin++) {
        rotation_words<WORDS> d[loaded], k[loaded][2];
#pragma unroll
        for (uint32_t v = 0; v < loaded; v++) {
            const uint32_t i = begin + v;
            d[v] = load<WORDS>(i == rows.owner ? rows.own : rows.digit + i * rows.digit_stride);
            k[v][0] = load<WORDS>(rows.key + 2 * i * rows.key_stride);
            k[v][1] = load<WORDS>(rows.key + (2 * i + 1) * rows.key_stride);
        }
#pragma unroll
        for (uint32_t v = 0; v < loaded; v++) {
#pragma unroll
            for (uint32_t w = 0; w < WORDS; w++) {
                const typename A::word a = A::balanced(d[v].of[w], p);
                A::add(sums[0][w], a, A::canonical(k[v][0].of[w]));
                A::add(sums[1][w], a, A::canonical(k[v][1].of[w]));
            }
        }
    }
}

/* Returns where the word of plaintext `which` for word j of limb l stands. */
__device__ static __forceinline__ const uint64_t *plain_word(const rotation_args &x, uint32_t which, uint32_t l,
                                                             uint32_t j)
{
    return x.plain + which * x.plain_stride + l * x.plain_limb_stride + (j >> x.plain_shift);
}

/* Loads the factor of a term in each sum, for the words from j on in limb l: 0 where it is not in that sum. */
template <uint32_t OUTPUTS, uint32_t WORDS>
__device__ static __forceinline__ void load_plain(rotation_words<WORDS> (&plain)[OUTPUTS], const rotation_args &x,
                                                  uint32_t t, uint32_t l, uint32_t j)
{
#pragma unroll
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        const uint32_t which = x.which[o][t]; /* the same for all threads, as all that is asked here */
#pragma unroll
        for (uint32_t w = 0; w < WORDS; w++) {
            plain[o].of[w] = which != HB_ROTATION_NONE ? 1 : 0;
        }
        if (which != HB_ROTATION_NONE && x.plain != NULL) {
            const uint64_t *at = plain_word(x, which, l, j);
            if (WORDS == 1 || x.plain_shift == 0) {
                plain[o] = load<WORDS>(at);
                continue;
            }
            const uint64_t both = load<1>(at).of[0];
#pragma unroll
            for (uint32_t w = 0; w < WORDS; w++) {
                plain[o].of[w] = both;
            }
        }
    }
}

/* Begins the sums of a term, at a place in the rows of limb l, with its addends: multiples of polynomials. */
template <class A, uint32_t WORDS>
__device__ static __forceinline__ void begin_products(typename A::sum (&products)[2][WORDS], const rotation_args &x,
                                                      uint32_t t, uint32_t c, uint32_t l, size_t place,
                                                      const typename A::prime &p)
{
    const typename A::word factor = A::canonical(x.factors.of[l]);
#pragma unroll
    for (uint32_t k = 0; k < 2; k++) {
        rotation_words<WORDS> plus = {};
        if (x.term[t].plus[k] != NULL && l < x.plus_limbs) {
            plus = load<WORDS>(x.term[t].plus[k] + c * x.plus_stride + place);
        }
#pragma unroll
        for (uint32_t w = 0; w < WORDS; w++) {
            products[k][w] = A::zero();
            A::add(products[k][w], A::balanced(plus.of[w], p), factor);
        }
    }
}

/* Adds component k of a term, reduced, to its sums; `swapped`: a pair of words comes in the other order. */
template <class A, uint32_t OUTPUTS, uint32_t WORDS>
__device__ static __forceinline__ void
    add_term(typename A::sum (&sums)[OUTPUTS][2][WORDS], uint32_t k, const typename A::sum (&products)[WORDS],
             const rotation_words<WORDS> (&plain)[OUTPUTS], bool swapped, bool fold, const typename A::prime &p)
{
    typename A::word y[WORDS];
#pragma unroll
    for (uint32_t w = 0; w < WORDS; w++) {
        y[w] = A::reduced(products[w], p);
    }
    if (WORDS == 2 && swapped) {
        const typename A::word first = y[0];
        y[0] = y[WORDS - 1];
        y[WORDS - 1] = first;
    }
#pragma unroll
    for (uint32_t i = 0; i < OUTPUTS * WORDS; i++) {
        typename A::sum &sum = sums[i / WORDS][k][i % WORDS];
        if (fold) {
            A::fold(sum, p);
        }
        A::add(sum, y[i % WORDS], A::balanced(plain[i / WORDS].of[i % WORDS], p));
    }
}

/* Stores the sums of ciphertext c. */
template <class A, uint32_t OUTPUTS, uint32_t WORDS>
__device__ static __forceinline__ void store_sums(const typename A::sum (&sums)[OUTPUTS][2][WORDS],
                                                  const rotation_args &x, uint32_t c, size_t place,
                                                  const typename A::prime &p)
{
#pragma unroll
    for (uint32_t i = 0; i < OUTPUTS * 2; i++) {
        const uint32_t o = i / 2, k = i % 2;
        if (o < x.outputs) {
            uint64_t *to = x.r + ((size_t)(k * x.all + x.first + o) * x.count + c) * x.stride + place;
            rotation_words<WORDS> *words = reinterpret_cast<rotation_words<WORDS> *>(to), z = {};
            if (x.add) {
                z = *words;
            }
#pragma unroll
            for (uint32_t w = 0; w < WORDS; w++) {
                z.of[w] = hb_mod_add(z.of[w], A::residue(sums[o][k][w], p), &p.m);
            }
            *words = z;
        }
    }
}

#endif
