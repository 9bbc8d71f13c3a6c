/* Sums of rotated inner products: the inner loops of linear maps, with nothing between in memory. A thread makes a
 * word, or two, of every sum. For each term it reads digits and keys where the automorphism takes its words from: that
 * maps aligned blocks of 2^k words to aligned blocks, so a warp reads whole lines.
 *
 * Keys and plaintexts are read once. Limbs come one after the other (blockIdx.y), so that the digits of one, which
 * every term reads, stay in the second-level cache. Warps of a thread block are at the same words of several
 * ciphertexts, and find keys and plaintexts in the first-level cache; groups of them come one after the other in
 * blockIdx.x. */
#include "rotation_sums.h"

#include <type_traits>

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
    size_t stride, digits_stride, own_stride, plus_stride, plain_stride;
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

/* Adds the products of digits with a key to two sums for each word. Of few digits all are loaded before any is used. */
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

/* Loads what a term is multiplied by for each sum: 0 where it is not in that sum. */
template <uint32_t OUTPUTS, uint32_t WORDS>
__device__ static __forceinline__ void load_plain(rotation_words<WORDS> (&plain)[OUTPUTS], const rotation_args &x,
                                                  uint32_t t, size_t place)
{
#pragma unroll
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        const uint32_t which = x.which[o][t]; /* the same for all threads, as all that is asked here */
#pragma unroll
        for (uint32_t w = 0; w < WORDS; w++) {
            plain[o].of[w] = which != HB_ROTATION_NONE ? 1 : 0;
        }
        if (which != HB_ROTATION_NONE && x.plain != NULL) {
            plain[o] = load<WORDS>(x.plain + which * x.plain_stride + place);
        }
    }
}

/* Begins the sums of a term, at a place in the rows of limb l, with what is added: multiples of polynomials. */
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

template <class A, uint32_t OUTPUTS, uint32_t WORDS, uint32_t DIGITS>
static __global__ void __launch_bounds__(ROTATION_THREADS, 3)
    rotation_sums_kernel(const __grid_constant__ rotation_args x, const hb_modulus *moduli)
{
    const uint32_t l = blockIdx.y, warp = threadIdx.x / 32, share = 1u << x.log_share;
    const uint32_t c = blockIdx.x % x.groups * share + warp % share;
    const uint32_t tile = blockIdx.x / x.groups * (ROTATION_WARPS >> x.log_share) + (warp >> x.log_share);
    const uint32_t j = (tile * 32 + threadIdx.x % 32) * WORDS;
    const size_t limb = (size_t)l << x.log_n;
    const typename A::prime p = A::prime_of(moduli[x.ids[l]]);
    typename A::sum sums[OUTPUTS][2][WORDS];
#pragma unroll
    for (uint32_t i = 0; i < OUTPUTS * 2 * WORDS; i++) {
        sums[i / (2 * WORDS)][i / WORDS % 2][i % WORDS] = A::zero();
    }
    hb_cuda_begin();
    uint32_t left = A::few;
#pragma unroll 1
    for (uint32_t t = 0; t < x.terms; t++, left--) {
        const rotation_term &term = x.term[t];
        /* Where word j comes from (ring/galois.c), by reversed bits from the top down. The words of a thread come from
         * the same ones, perhaps in the other order. */
        const uint32_t turned = ((term.element - 1) / 2) << (32 - x.log_n);
        const uint32_t from = __brev(__brev(j) * term.element + turned), place = from & ~(WORDS - 1);
        rotation_words<WORDS> plain[OUTPUTS];
        typename A::sum products[2][WORDS];
        load_plain<OUTPUTS, WORDS>(plain, x, t, limb + j);
        begin_products<A, WORDS>(products, x, t, c, l, limb + place, p);
        if (term.digits != NULL) {
            add_digits<A, WORDS, DIGITS>(products, rows_of(x, t, c, l, place), p);
        }
        const bool fold = left == 0;
        left = fold ? A::few : left;
#pragma unroll
        for (uint32_t k = 0; k < 2; k++) {
            add_term<A, OUTPUTS, WORDS>(sums, k, products[k], plain, (from & 1) != 0, fold, p);
        }
    }
    store_sums<A, OUTPUTS, WORDS>(sums, x, c, limb + j, p);
}

using kernel_of_sums = void (*)(rotation_args, const hb_modulus *);

/* Returns the kernel for up to 1, 2, 4 or 8 sums. Of the most, a thread holds those of one word. */
template <class A, uint32_t DIGITS> static kernel_of_sums kernel_for(uint32_t outputs, uint32_t *words)
{
    constexpr uint32_t pair = std::is_same<A, hb_exact_terms>::value ? 2 : 1;
    *words = outputs > 4 ? 1 : pair;
    return outputs > 4   ? rotation_sums_kernel<A, MOST_OUTPUTS, 1, DIGITS>
           : outputs > 2 ? rotation_sums_kernel<A, 4, pair, DIGITS>
           : outputs > 1 ? rotation_sums_kernel<A, 2, pair, DIGITS>
                         : rotation_sums_kernel<A, 1, pair, DIGITS>;
}

/* Returns the kernel in FP64, which unrolls what few digits take. */
static kernel_of_sums exact_kernel_for(uint32_t digits, uint32_t outputs, uint32_t *words)
{
    switch (digits) {
    case 1:
        return kernel_for<hb_exact_terms, 1>(outputs, words);
    case 2:
        return kernel_for<hb_exact_terms, 2>(outputs, words);
    case 3:
        return kernel_for<hb_exact_terms, 3>(outputs, words);
    case 4:
        return kernel_for<hb_exact_terms, 4>(outputs, words);
    default:
        return kernel_for<hb_exact_terms, 0>(outputs, words);
    }
}

/* Returns true if sums of so many digits, and of what is added, can be made in FP64. */
static bool exact(const hb_cuda_engine *e, hb_batch r, uint32_t digits)
{
    bool fit = e->gpu->device.fast_f64 && digits < hb_exact_terms::most;
    for (uint32_t l = 0; l < r.limbs; l++) {
        fit = fit && e->base.ring->moduli[r.ids[l]].f64;
    }
    return fit;
}

/* Fills in a term. What all have in common, strides and the number of digits, is the same for each that has it. */
static void fill_term(const hb_engine *engine, rotation_args *args, uint32_t t, hb_batch r, const hb_rotation_term &of)
{
    rotation_term &term = args->term[t];
    term.element = of.by != NULL ? of.by->element : 1;
    if (of.digits.data != NULL) {
        const hb_cuda_view digits = hb_cuda_view_of(engine, of.digits), key = hb_cuda_view_of(engine, of.key);
        term.digits = digits.data;
        term.key = key.data;
        term.key_stride = key.stride;
        if (of.own.data != NULL) {
            const hb_cuda_view own = hb_cuda_view_of(engine, of.own);
            term.own = own.data;
            HB_ASSERT(args->own_stride == 0 || args->own_stride == own.stride);
            args->own_stride = own.stride;
        }
        args->digits = digits.count / args->count;
        args->digits_stride = digits.stride;
        /* The front end has checked that every id is there; both lists ascend. */
        for (uint32_t l = 0, at = 0; l < r.limbs; l++) {
            while (key.ids[at] != r.ids[l]) {
                at++;
            }
            args->key_limb[t][l] = static_cast<uint8_t>(at);
        }
    }
    for (uint32_t k = 0; k < 2; k++) {
        if (of.plus[k].data != NULL) {
            const hb_cuda_view plus = hb_cuda_view_of(engine, of.plus[k]);
            term.plus[k] = plus.data;
            HB_ASSERT(args->plus_stride == 0 || args->plus_stride == plus.stride);
            args->plus_stride = plus.stride;
            args->plus_limbs = plus.limbs;
        }
    }
}

/* Makes outputs from args->first on, as many as one launch does. */
static hb_status start(const hb_cuda_engine *e, rotation_args *args, uint32_t limbs, const hb_rotation_sum *x, bool f64)
{
    for (uint32_t i = 0; i < MOST_OUTPUTS * x->count; i++) {
        const uint32_t o = i / x->count, t = i % x->count;
        const bool there = o < args->outputs;
        args->which[o][t] = !there             ? HB_ROTATION_NONE
                            : x->which != NULL ? x->which[(size_t)(args->first + o) * x->row + t]
                                               : 0;
    }
    uint32_t words;
    const kernel_of_sums kernel = f64 ? exact_kernel_for(args->digits, args->outputs, &words)
                                      : kernel_for<hb_integer_terms, 0>(args->outputs, &words);
    const uint32_t tiles = (1u << args->log_n) / (32 * words * (ROTATION_WARPS >> args->log_share));
    return hb_cuda_start(e, kernel, dim3(args->groups * tiles, limbs), ROTATION_THREADS, 0, *args, e->gpu->moduli);
}

hb_status hb_cuda_rotation_sums(hb_engine *engine, hb_batch r, uint32_t outputs, const hb_rotation_sum *x)
{
    const hb_cuda_engine *e = hb_cuda(engine);
    const hb_cuda_view to = hb_cuda_view_of(engine, r);
    rotation_args args = {};
    args.r = to.data;
    args.stride = to.stride;
    args.log_n = to.log_n;
    args.count = to.count / (2 * outputs);
    args.terms = x->count;
    args.all = outputs;
    args.add = x->add;
    if (x->plain.data != NULL) {
        const hb_cuda_view plain = hb_cuda_view_of(engine, x->plain);
        args.plain = plain.data;
        args.plain_stride = plain.stride;
    }
    for (uint32_t t = 0; t < x->count; t++) {
        fill_term(engine, &args, t, r, x->terms[t]);
    }
    std::fill_n(args.owner, HB_MAX_LIMBS, (uint8_t)NOBODY);
    for (uint32_t i = 0; x->ranges != NULL && i < args.digits; i++) {
        std::fill_n(args.owner + x->ranges[i].first, x->ranges[i].limbs, static_cast<uint8_t>(i));
    }
    for (uint32_t l = 0; l < args.plus_limbs; l++) {
        args.factors.of[l] = x->factors != NULL ? x->factors[l] : 1;
    }
    std::copy_n(r.ids, r.limbs, args.ids);
    /* As many ciphertexts share a thread block as divide all of them. */
    args.log_share = args.count % 4 == 0 ? 2 : args.count % 2 == 0 ? 1 : 0;
    args.groups = args.count >> args.log_share;
    const bool f64 = exact(e, r, args.digits);
    for (; args.first < outputs; args.first += args.outputs) {
        args.outputs = std::min(outputs - args.first, MOST_OUTPUTS);
        HB_TRY(start(e, &args, r.limbs, x, f64));
    }
    return HB_OK;
}
