/* Sums of rotated inner products: the inner loops of linear maps, with nothing between in memory. A thread makes a
 * word, or two, of every sum. For each term it reads digits and keys where the automorphism takes its words from: that
 * maps aligned blocks of 2^k words to aligned blocks, so a warp reads whole lines.
 *
 * Keys and plaintexts are read once; a plaintext of fewer words than the ring comes from the caches, where its words
 * serve their neighbours. Limbs come one after the other (blockIdx.y), so that the digits of one, which every term
 * reads, stay in the second-level cache. Warps of a thread block are at the same words of several ciphertexts, and find
 * keys and plaintexts in the first-level cache; groups of them come one after the other in blockIdx.x. */
#include "rotation_sums.h"

#include <type_traits>

#include "rotation_staged.cuh"

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
        /* The words of a thread come from the same ones, perhaps in the other order. */
        const uint32_t from = rotation_from(x, t, j), place = from & ~(WORDS - 1);
        rotation_words<WORDS> plain[OUTPUTS];
        typename A::sum products[2][WORDS];
        load_plain<OUTPUTS, WORDS>(plain, x, t, l, j);
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

/* Returns the kernel for up to 1, 2, 4 or 8 sums. With the most sums, a thread holds the sums of one word. */
template <class A, uint32_t DIGITS> static kernel_of_sums kernel_for(uint32_t outputs, uint32_t *words)
{
    constexpr uint32_t pair = std::is_same<A, hb_exact_terms>::value ? 2 : 1;
    *words = outputs > 4 ? 1 : pair;
    return outputs > 4   ? rotation_sums_kernel<A, MOST_OUTPUTS, 1, DIGITS>
           : outputs > 2 ? rotation_sums_kernel<A, 4, pair, DIGITS>
           : outputs > 1 ? rotation_sums_kernel<A, 2, pair, DIGITS>
                         : rotation_sums_kernel<A, 1, pair, DIGITS>;
}

/* Returns the kernel that fetches terms ahead; NULL: there is none for so many digits and sums. */
static kernel_of_sums staged_kernel_for(uint32_t digits, uint32_t outputs)
{
    if (outputs < 2 || outputs > 4) {
        return NULL;
    }
    switch (digits) {
    case 1:
        return outputs > 2 ? staged_sums_kernel<4, 1> : staged_sums_kernel<2, 1>;
    case 2:
        return outputs > 2 ? staged_sums_kernel<4, 2> : staged_sums_kernel<2, 2>;
    case 3:
        return outputs > 2 ? staged_sums_kernel<4, 3> : staged_sums_kernel<2, 3>;
    case 4:
        return outputs > 2 ? staged_sums_kernel<4, 4> : staged_sums_kernel<2, 4>;
    default:
        return NULL;
    }
}

/* Returns the kernel in FP64, which unrolls the loop over few digits. */
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

/* Returns true if sums of so many digits, and of the addends, can be made in FP64. */
static bool exact(const hb_cuda_engine *e, hb_batch r, uint32_t digits)
{
    bool fit = e->gpu->device.fast_f64 && digits < hb_exact_terms::most;
    for (uint32_t l = 0; l < r.limbs; l++) {
        fit = fit && e->base.ring->moduli[r.ids[l]].f64;
    }
    return fit;
}

/* Fills in a term. Strides and the number of digits are the same for all terms that have them. */
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
    kernel_of_sums kernel = f64 ? exact_kernel_for(args->digits, args->outputs, &words)
                                : kernel_for<hb_integer_terms, 0>(args->outputs, &words);
    if (f64 && args->plain != NULL && 1u << args->log_share == ROTATION_WARPS) {
        const kernel_of_sums staged = staged_kernel_for(args->digits, args->outputs);
        kernel = staged != NULL ? staged : kernel; /* of two words a thread, as the other one */
    }
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
        /* Rows of fewer words, which the front end has checked, are aligned as others are. */
        args.plain = x->plain.data;
        args.plain_stride = x->plain.stride;
        args.plain_limb_stride = x->plain.limb_stride != 0 ? x->plain.limb_stride : (size_t)1 << to.log_n;
        while (x->plain.n != 0 && x->plain.n << args.plain_shift < (size_t)1 << to.log_n) {
            args.plain_shift++;
        }
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
