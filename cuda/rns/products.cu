/* Products of ciphertexts as polynomials in the secret; digits of key switching and their inner products with keys. */
#include "combine.h"
#include "cuda/device/launch.cuh"
#include "cuda/device/pair.cuh"
#include "few_products.cuh"
#include "rotation_sums.h"
#include "tensor_sum.h"

#include "ring/switch_arith.h"

/* The sizes of a product: components of a and b, ciphertexts, and ciphertexts of b. Component i of ciphertext c is
 * polynomial i * count + c; of b it is i * b_count + c, or i where one ciphertext serves all. */
struct sizes {
    uint32_t a, b, count, b_count;
};

/* Reduces two sums. They are integers until here: at most 64 products below 2^122 stay below 2^128. */
__device__ static hb_pair reduced(const hb_u128 sum[2], const hb_modulus &m)
{
    return {{hb_mod_reduce_wide(sum[0], &m), hb_mod_reduce_wide(sum[1], &m)}};
}

/* The product of ciphertexts of two components each: every word is read once, and the three sums stay in registers. */
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
            /* At most two products below 2^122 in each sum. */
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

/* The product of any sizes. A thread makes all components of its words, and finds those of the factors in the
 * first-level cache when it reads them again. */
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
            /* Component k is the sum over all i + j = k. */
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

static hb_status tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size, uint32_t b_size)
{
    if (r.count == 0) {
        return HB_OK;
    }
    /* A component is a sum of at most min(a_size, b_size) products, which must fit 128 bits. */
    HB_ASSERT(a_size <= HB_MAX_LIMBS || b_size <= HB_MAX_LIMBS);
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    const sizes s = {a_size, b_size, to.count / (a_size + b_size - 1), static_cast<uint32_t>(b.count) / b_size};
    /* Products of fresh ciphertexts are two by two. */
    const auto kernel = a_size == 2 && b_size == 2 ? tensor_two_kernel : tensor_kernel;
    const dim3 tiles(s.count << (to.log_n - HB_TILE_LOG_WORDS), to.limbs);
    return hb_cuda_start(hb_cuda(e), kernel, tiles, HB_PAIR_THREADS, 0, to, hb_cuda_view_of(e, a),
                         hb_cuda_view_of(e, b), s, hb_cuda(e)->gpu->moduli);
}

/* Reduces the digit of limb blockIdx.y of `a` modulo every limb of r; it is read once. */
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    decompose_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_scattered a,
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
        /* Digit i of polynomial c is polynomial c * limbs + i of r. */
        uint64_t *to = hb_cuda_row(r, (size_t)c * a.limbs + digit, l);
#pragma unroll
        for (uint32_t v = 0; v < HB_PAIRS; v++) {
            const hb_pair z = {{hb_mod_reduce(x[v].of[0], &m), hb_mod_reduce(x[v].of[1], &m)}};
            hb_pair_store(to + hb_pair_place(a.log_n, v), z);
        }
    }
}

static hb_status decompose(hb_engine *e, hb_batch r, hb_batch a)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_scattered from = hb_cuda_scattered_of(e, a);
    decompose_kernel<<<hb_cuda_tiles(from, from.limbs), HB_PAIR_THREADS, 0, hb_cuda(e)->stream>>>(
        hb_cuda_view_of(e, r), from, hb_cuda(e)->gpu->moduli);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

/* Inner products for a pair of outputs, blockIdx.z. A thread has the same pair of words of SHARE ciphertexts, for which
 * it reads a word of the key once. Groups of ciphertexts come one after the other in blockIdx.x, so that the next one
 * finds the key in the second-level cache. Sums are integers: at most 64 products below 2^122. */
template <uint32_t SHARE, class GADGET>
static __global__ void __launch_bounds__(PRODUCTS_THREADS, 4)
    key_products_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view digits,
                        const __grid_constant__ hb_cuda_view key, const __grid_constant__ hb_inner_products s,
                        const __grid_constant__ GADGET gadget, const hb_modulus *moduli)
{
    const uint32_t l = blockIdx.y, of_key = s.of_key[l], first = blockIdx.x % s.groups * SHARE, o = 2 * blockIdx.z;
    const uint32_t j = (blockIdx.x / s.groups << PRODUCTS_LOG_BLOCK) + 2 * threadIdx.x;
    hb_cuda_begin();
    hb_u128 sums[SHARE][2][2] = {}; /* of a ciphertext, an output, a word */
#pragma unroll
    for (uint32_t of = 0; of < SHARE; of++) {
        hb_begin_sums(sums[of], min(first + of, s.count - 1), l, j, gadget);
    }
    for (uint32_t i = 0; i < s.digits; i++) {
        const hb_pair k[2] = {hb_pair_load_shared(hb_cuda_row(key, s.row * i + o, of_key) + j),
                              hb_pair_load_shared(hb_cuda_row(key, s.row * i + o + 1, of_key) + j)};
        /* One load of the key serves SHARE ciphertexts. */
#pragma unroll
        for (uint32_t of = 0; of < SHARE; of++) {
            const size_t c = min(first + of, s.count - 1); /* the last one again, where there are no more */
            const hb_pair x = hb_pair_load(hb_digit_row(digits, s, c, i, l, gadget) + j);
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
        /* Threads without a ciphertext of their own computed the last one again, and store nothing. */
        if (c < s.count) {
            const hb_u128 *sum = sums[at / 2][at % 2];
            const hb_pair z = {{hb_mod_reduce_wide(sum[0], &m), hb_mod_reduce_wide(sum[1], &m)}};
            hb_pair_store(hb_cuda_row(r, (size_t)(o + at % 2) * s.count + c, l) + j, z);
        }
    }
}

/* Inner products for a pair of outputs as key_products_kernel has them, in FP64: half of the instructions. */
template <uint32_t SHARE, class GADGET>
static __global__ void __launch_bounds__(PRODUCTS_THREADS, 4)
    exact_products_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view digits,
                          const __grid_constant__ hb_cuda_view key, const __grid_constant__ hb_inner_products s,
                          const __grid_constant__ GADGET gadget, const hb_modulus *moduli)
{
    const uint32_t l = blockIdx.y, of_key = s.of_key[l], first = blockIdx.x % s.groups * SHARE, o = 2 * blockIdx.z;
    const uint32_t j = (blockIdx.x / s.groups << PRODUCTS_LOG_BLOCK) + 2 * threadIdx.x;
    const hb_modulus m = moduli[r.ids[l]];
    hb_cuda_begin();
    hb_exact_sum<50> sums[SHARE][2][2]; /* of a ciphertext, an output, a word */
#pragma unroll
    for (uint32_t at = 0; at < 4 * SHARE; at++) {
        sums[at / 4][at / 2 % 2][at % 2] = hb_exact_sum<50>::zero();
    }
    uint32_t left = hb_begin_exact<SHARE>(sums, s, first, l, j, gadget, m);
    for (uint32_t i = 0; i < s.digits; i++, left--) {
        const hb_pair k[2] = {hb_pair_load_shared(hb_cuda_row(key, s.row * i + o, of_key) + j),
                              hb_pair_load_shared(hb_cuda_row(key, s.row * i + o + 1, of_key) + j)};
        const double y[2][2] = {{hb_balanced(k[0].of[0], m), hb_balanced(k[0].of[1], m)},
                                {hb_balanced(k[1].of[0], m), hb_balanced(k[1].of[1], m)}};
        const bool fold = left == 0;
        left = fold ? hb_exact_sum<50>::few : left;
        /* One load of the key serves SHARE ciphertexts. */
#pragma unroll
        for (uint32_t of = 0; of < SHARE; of++) {
            const size_t c = min(first + of, s.count - 1); /* the last one again, where there are no more */
            const hb_pair x = hb_pair_load(hb_digit_row(digits, s, c, i, l, gadget) + j);
            const double z[2] = {hb_balanced(x.of[0], m), hb_balanced(x.of[1], m)};
#pragma unroll
            for (uint32_t at = 0; at < 4; at++) {
                if (fold) { /* the same for all threads */
                    sums[of][at / 2][at % 2].fold_low(m);
                }
                sums[of][at / 2][at % 2].add(z[at % 2], y[at / 2][at % 2]);
            }
        }
    }
#pragma unroll
    for (uint32_t at = 0; at < 2 * SHARE; at++) {
        const uint32_t c = first + at / 2;
        /* Threads without a ciphertext of their own computed the last one again, and store nothing. */
        if (c < s.count) {
            const hb_exact_sum<50> *sum = sums[at / 2][at % 2];
            hb_exact_sum<50> both[2] = {sum[0], sum[1]};
            hb_pair_store(hb_cuda_row(r, (size_t)(o + at % 2) * s.count + c, l) + j,
                          {{both[0].residue(m), both[1].residue(m)}});
        }
    }
}

/* Inner products for many outputs: a thread has the same word of SHARE ciphertexts, whose digits it keeps, balanced, in
 * a column of shared memory for all outputs. No other thread reads that column, so no barrier is needed. */
template <uint32_t SHARE>
static __global__ void __launch_bounds__(PRODUCTS_THREADS, 3)
    many_products_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view digits,
                         const __grid_constant__ hb_cuda_view key, const __grid_constant__ hb_inner_products s,
                         const hb_modulus *moduli)
{
    extern __shared__ double columns[]; /* [digits][SHARE][threads] */
    const uint32_t l = blockIdx.y, of_key = s.of_key[l], first = blockIdx.x % s.groups * SHARE;
    const uint32_t j = blockIdx.x / s.groups * blockDim.x + threadIdx.x;
    double *const mine = columns + threadIdx.x;
    const hb_modulus m = moduli[r.ids[l]];
    hb_cuda_begin();
    for (uint32_t i = 0; i < s.digits * SHARE; i++) {
        const size_t c = min(first + i % SHARE, s.count - 1); /* the last one again, where there are no more */
        /* Neighbouring threads have neighbouring words: neither the loads nor shared memory conflict. */
        mine[i * blockDim.x] = hb_balanced(hb_cuda_row(digits, c * s.digits + i / SHARE, l)[j], m);
    }
    for (uint32_t o = 0; o < s.outputs; o += 2) {
        hb_exact_sum<49> sums[SHARE][2];
#pragma unroll
        for (uint32_t at = 0; at < 2 * SHARE; at++) {
            sums[at / 2][at % 2] = hb_exact_sum<49>::zero();
        }
        for (uint32_t begin = 0; begin < s.digits; begin += hb_exact_sum<49>::few) {
            /* Only every `few` products is a reduction needed; the last one is left to residue(). */
            const uint32_t end = min(begin + hb_exact_sum<49>::few, s.digits);
#pragma unroll 5
            for (uint32_t i = begin; i < end; i++) {
                const double k[2] = {hb_balanced(__ldg(hb_cuda_row(key, s.row * i + o, of_key) + j), m),
                                     hb_balanced(__ldg(hb_cuda_row(key, s.row * i + o + 1, of_key) + j), m)};
#pragma unroll
                for (uint32_t of = 0; of < SHARE; of++) {
                    const double x = mine[(i * SHARE + of) * blockDim.x];
                    sums[of][0].add(x, k[0]);
                    sums[of][1].add(x, k[1]);
                }
            }
#pragma unroll
            for (uint32_t at = 0; at < 2 * SHARE && end < s.digits; at++) {
                sums[at / 2][at % 2].fold(m);
            }
        }
#pragma unroll
        for (uint32_t at = 0; at < 2 * SHARE; at++) {
            const uint32_t c = first + at / 2;
            if (c < s.count) {
                hb_cuda_row(r, (size_t)(o + at % 2) * s.count + c, l)[j] = sums[at / 2][at % 2].residue(m);
            }
        }
    }
}

struct operands {
    hb_cuda_view r, digits, key;
    const hb_gadget_terms *gadget; /* or NULL */
    bool exact;                    /* pairs of outputs are made in FP64 */
};

/* Returns the kernel for pairs of outputs: in FP64, with loops unrolled where digits are few, or in integers. */
template <uint32_t SHARE, class GADGET> static auto pairs_kernel(uint32_t digits, bool exact)
{
    const auto any = exact ? exact_products_kernel<SHARE, GADGET> : key_products_kernel<SHARE, GADGET>;
    if (!exact) {
        return any;
    }
    switch (digits) {
    case 1:
        return few_products_kernel<SHARE, 1, GADGET>;
    case 2:
        return few_products_kernel<SHARE, 2, GADGET>;
    case 3:
        return few_products_kernel<SHARE, 3, GADGET>;
    case 4:
        return few_products_kernel<SHARE, 4, GADGET>;
    default:
        return any;
    }
}

/* Starts the inner products for pairs of outputs. */
template <uint32_t SHARE> static hb_status start_pairs(const hb_cuda_engine *e, const operands &x, hb_inner_products s)
{
    s.groups = (s.count + SHARE - 1) / SHARE;
    const dim3 blocks(s.groups << (x.r.log_n - PRODUCTS_LOG_BLOCK), x.r.limbs, s.outputs / 2);
    if (x.gadget != NULL) {
        return hb_cuda_start(e, pairs_kernel<SHARE, hb_gadget_terms>(s.digits, x.exact), blocks, PRODUCTS_THREADS, 0,
                             x.r, x.digits, x.key, s, *x.gadget, e->gpu->moduli);
    }
    return hb_cuda_start(e, pairs_kernel<SHARE, hb_no_gadget_terms>(s.digits, x.exact), blocks, PRODUCTS_THREADS, 0,
                         x.r, x.digits, x.key, s, hb_no_gadget_terms(), e->gpu->moduli);
}

/* Starts the inner products in FP64. Blocks are so small that the columns of three of them fit a multiprocessor, as far
 * as a warp each allows. */
template <uint32_t SHARE> static hb_status start_many(const hb_cuda_engine *e, const operands &x, hb_inner_products s)
{
    static constexpr uint32_t wanted = 64u << 10, narrowest = HB_MAX_LIMBS * SHARE * 32 * sizeof(double);
    uint32_t threads = PRODUCTS_THREADS;
    const uint32_t column = s.digits * SHARE * sizeof(double);
    while (threads > 32 && column * threads > wanted) {
        threads /= 2;
    }
    /* More than 48 KiB of shared memory has to be asked for; the attribute is of the function, so it is set to the
     * most. */
    HB_CUDA(cudaFuncSetAttribute(many_products_kernel<SHARE>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(std::max(wanted, narrowest))));
    s.groups = (s.count + SHARE - 1) / SHARE;
    const dim3 blocks((s.groups << x.r.log_n) / threads, x.r.limbs);
    return hb_cuda_start(e, many_products_kernel<SHARE>, blocks, threads, column * threads, x.r, x.digits, x.key, s,
                         e->gpu->moduli);
}

/* Returns true if FP64 is fast on this GPU and every modulus of r has so few bits. */
static bool exact_sums(const hb_cuda_engine *e, hb_batch r, uint32_t bits)
{
    bool fit = e->gpu->device.fast_f64;
    for (uint32_t l = 0; l < r.limbs; l++) {
        const hb_modulus &m = e->base.ring->moduli[r.ids[l]];
        fit = fit && m.f64 && m.bits <= bits;
    }
    return fit;
}

/* Returns true if sums of `terms` products can be made in FP64, in pairs of outputs. */
static bool exact_pairs(const hb_cuda_engine *e, hb_batch r, uint32_t terms)
{
    return terms <= hb_exact_sum<50>::most && exact_sums(e, r, hb_exact_sum<50>::bits);
}

/* Starts the products with up to SHARE ciphertexts a thread. Sharing saves loads of the key but makes fewer blocks, so
 * it is taken only while enough of them are left. */
template <uint32_t SHARE>
static hb_status start(const hb_cuda_engine *e, const operands &x, const hb_inner_products &s, uint64_t share,
                       bool many)
{
    if constexpr (SHARE > 1) {
        if (s.count < SHARE || share < SHARE) {
            return start<SHARE / 2>(e, x, s, share, many);
        }
    }
    return many ? start_many<SHARE>(e, x, s) : start_pairs<SHARE>(e, x, s);
}

/* Returns the sizes of inner products. */
static hb_inner_products sizes_of(hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row)
{
    const uint32_t count = static_cast<uint32_t>(r.count) / outputs;
    hb_inner_products s = {count, static_cast<uint32_t>(digits.count) / count, 0, outputs, row, {}};
    /* The front end has checked that every id is there. */
    for (uint32_t l = 0, at = 0; l < r.limbs; l++) {
        while (key.ids[at] != r.ids[l]) {
            at++; /* both ascend */
        }
        s.of_key[l] = static_cast<uint16_t>(at);
    }
    return s;
}

/* Returns how many ciphertexts may share a thread: so many that there are still 16 blocks for each multiprocessor. */
static uint64_t share_of(const hb_cuda_engine *e, const hb_cuda_view &r, const hb_inner_products &s)
{
    const uint64_t blocks = (uint64_t)s.count * r.limbs << (r.log_n - PRODUCTS_LOG_BLOCK);
    return blocks / (16 * (uint64_t)e->gpu->device.multiprocessors);
}

/* Chooses the kernel: FP64 sums where there are many outputs and moduli allow them, else integers. */
static hb_status key_products(hb_engine *engine, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs,
                              uint32_t row)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_engine *e = hb_cuda(engine);
    const hb_inner_products s = sizes_of(r, digits, key, outputs, row);
    const operands x = {hb_cuda_view_of(engine, r), hb_cuda_view_of(engine, digits), hb_cuda_view_of(engine, key), NULL,
                        exact_pairs(e, r, s.digits)};
    return start<4>(e, x, s, share_of(e, x.r, s), outputs > 2 && exact_sums(e, r, hb_exact_sum<49>::bits));
}

/* The same with the optional terms of hb_gadget_products, one product more. */
static hb_status gadget(hb_engine *engine, hb_batch r, const hb_gadget_operands *of)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_engine *e = hb_cuda(engine);
    const hb_inner_products s = sizes_of(r, of->digits, of->key, 2, 2);
    hb_gadget_terms g = {};
    if (of->own.data != NULL) {
        g.own = hb_cuda_view_of(engine, of->own);
        for (uint32_t j = 0; j < s.digits; j++) {
            g.first[j] = static_cast<uint8_t>(of->ranges[j].first);
            g.limbs[j] = static_cast<uint8_t>(of->ranges[j].limbs);
        }
    }
    if (of->plus[0].data != NULL) {
        g.plus[0] = hb_cuda_view_of(engine, of->plus[0]);
        g.plus[1] = hb_cuda_view_of(engine, of->plus[1]);
        g.factors = hb_cuda_words_of(of->factors, of->plus[0].limbs);
    }
    const operands x = {hb_cuda_view_of(engine, r), hb_cuda_view_of(engine, of->digits),
                        hb_cuda_view_of(engine, of->key), &g, exact_pairs(e, r, s.digits + 1)};
    return start<4>(e, x, s, share_of(e, x.r, s), false);
}

static constexpr hb_product_ops make_ops()
{
    hb_product_ops ops = {};
    ops.tensor = hb_on_gpu<tensor>::call;
    ops.decompose = hb_on_gpu<decompose>::call;
    ops.key_products = hb_on_gpu<key_products>::call;
    ops.gadget_products = hb_on_gpu<gadget>::call;
    ops.combine = hb_on_gpu<hb_cuda_combine>::call;
    ops.tensor_sum = hb_on_gpu<hb_cuda_tensor_sum>::call;
    ops.rotation_sums = hb_on_gpu<hb_cuda_rotation_sums>::call;
    return ops;
}

constexpr hb_product_ops hb_cuda_product_ops = make_ops();
