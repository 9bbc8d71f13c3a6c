/* Operations on polynomials over one basis: all are bound by memory, so each word is read once and written once. */
#include "cuda/device/launch.cuh"
#include "cuda/device/pair.cuh"

#include "ring/switch_arith.h"

/* Operations on words. Each is a class that a thread constructs once for its limb and applies to word after word: its
 * constructor gets the constants of the launch, the limb's number, its modulus, and whether FP64 is fast on this
 * GPU. */
struct no_constants {
};

struct add_words {
    using constants = no_constants;
    hb_modulus m;
    __device__ add_words(const constants &, uint32_t, const hb_modulus &modulus, bool) : m(modulus)
    {
    }
    __device__ uint64_t operator()(uint64_t a, uint64_t b) const
    {
        return hb_mod_add(a, b, &m);
    }
};

struct sub_words : add_words {
    using add_words::add_words;
    __device__ uint64_t operator()(uint64_t a, uint64_t b) const
    {
        return hb_mod_sub(a, b, &m);
    }
};

struct negate_words : add_words {
    using add_words::add_words;
    __device__ uint64_t operator()(uint64_t a, uint64_t) const
    {
        return hb_mod_negate(a, &m);
    }
};

/* Both paths give the canonical product; which one a limb takes is the same for all of its threads. */
struct mul_words {
    using constants = no_constants;
    hb_modulus m;
    bool f64;
    __device__ mul_words(const constants &, uint32_t, const hb_modulus &modulus, bool fast_f64)
        : m(modulus), f64(fast_f64 && modulus.f64)
    {
    }
    __device__ uint64_t operator()(uint64_t a, uint64_t b) const
    {
        return f64 ? hb_f64_mod_mul(a, b, &m) : hb_mod_mul(a, b, &m);
    }
};

/* Multiplies limb l by a fixed canonical factor: in FP64, or with the factor's quotient by Shoup's multiplication. */
struct scale_words {
    struct constants {
        hb_cuda_words factors, quotients;
    };
    hb_modulus m;
    bool f64;
    uint64_t factor, quotient;
    __device__ scale_words(const constants &k, uint32_t l, const hb_modulus &modulus, bool fast_f64)
        : m(modulus), f64(fast_f64 && modulus.f64), factor(k.factors.of[l]), quotient(k.quotients.of[l])
    {
    }
    __device__ uint64_t operator()(uint64_t a, uint64_t) const
    {
        return f64 ? hb_f64_mod_mul(a, factor, &m) : hb_mul_shoup(a, factor, quotient, m.value);
    }
};

/* Applies an operation to every word of a batch, r = operation(a, b). A thread block has one tile of limb blockIdx.y, a
 * thread HB_PAIRS pairs of its words. r may be a or b: a thread reads its own words only, and all of them before it
 * stores. The loads stand before the stores also because the compiler must assume that stores change the words to load.
 * Where an operation takes no b, its loads vanish. */
template <typename operation>
__global__ void __launch_bounds__(HB_PAIR_THREADS)
    pointwise_kernel(hb_cuda_view r, hb_cuda_view a, hb_cuda_view b, typename operation::constants constants,
                     const hb_modulus *moduli, bool fast_f64)
{
    hb_cuda_begin();
    /* The grid has a tile of one limb for each thread block, so that all threads of a block share the modulus. */
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n);
    const operation apply(constants, l, moduli[r.ids[l]], fast_f64);
    hb_pair x[HB_PAIRS], y[HB_PAIRS];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        x[v] = hb_pair_load(hb_cuda_row(a, c, l) + hb_pair_place(r.log_n, v));
        y[v] = hb_pair_load(hb_cuda_row(b, c, l) + hb_pair_place(r.log_n, v));
    }
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const hb_pair z = {{apply(x[v].of[0], y[v].of[0]), apply(x[v].of[1], y[v].of[1])}};
        hb_pair_store(hb_cuda_row(r, c, l) + hb_pair_place(r.log_n, v), z);
    }
}

/* Launches an operation over the whole batch; b of one polynomial serves all. */
template <typename operation>
static hb_status pointwise(hb_engine *e, hb_batch r, hb_batch a, hb_batch b,
                           const typename operation::constants &constants = {})
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    return hb_cuda_start(hb_cuda(e), pointwise_kernel<operation>, hb_cuda_tiles(to, to.limbs), HB_PAIR_THREADS, 0, to,
                         hb_cuda_view_of(e, a), hb_cuda_view_for_all(e, b), constants, gpu->moduli,
                         gpu->device.fast_f64);
}

/* Each of these is one launch over the whole batch. Operands that the operation ignores are given as `a`. */
static hb_status add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return pointwise<add_words>(e, r, a, b);
}

static hb_status sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return pointwise<sub_words>(e, r, a, b);
}

static hb_status negate(hb_engine *e, hb_batch r, hb_batch a)
{
    return pointwise<negate_words>(e, r, a, a);
}

static hb_status mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b)
{
    return pointwise<mul_words>(e, r, a, b);
}

static hb_status scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors)
{
    const scale_words::constants constants = {hb_cuda_words_of(factors, r.limbs), hb_cuda_quotients_of(e, r, factors)};
    return pointwise<scale_words>(e, r, a, a, constants);
}

/* r[j] = a[map[j]] in every row. Reads are scattered, but within one row, which the second-level cache holds; writes
 * are in order. r is not a. It is launched without an early start, so it needs no hb_cuda_begin. */
__global__ void __launch_bounds__(HB_PAIR_THREADS) permute_kernel(hb_cuda_view r, hb_cuda_view a, const uint32_t *map)
{
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n);
    const uint64_t *from = hb_cuda_row(a, c, l);
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const uint32_t j = hb_pair_place(r.log_n, v);
        /* Two neighbouring results, stored as one pair. */
        const uint2 places = *reinterpret_cast<const uint2 *>(map + j);
        const hb_pair z = {{from[places.x], from[places.y]}};
        hb_pair_store(hb_cuda_row(r, c, l) + j, z);
    }
}

static hb_status permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map)
{
    /* A thread reads the map for its pair of words in one load of 8 bytes. */
    HB_ASSERT(reinterpret_cast<uintptr_t>(map) % sizeof(uint2) == 0);
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    permute_kernel<<<hb_cuda_tiles(to, to.limbs), HB_PAIR_THREADS, 0, hb_cuda(e)->stream>>>(to, hb_cuda_view_of(e, a),
                                                                                           map);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

/* r(X) = a(X^element) in coefficient form (ring/galois.h): coefficient j comes from the exponent j * inverse mod 2n,
 * with the sign of X^n = -1. As in permute_kernel, reads are scattered within a row and writes are in order. */
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
        /* Exponents from n on stand for -X^(e - n). */
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t from = hb_galois_from(j + i, inverse, n);
            z.of[i] = hb_galois_sign(row[from & (n - 1)], from, n, m);
        }
        hb_pair_store(hb_cuda_row(r, c, l) + j, z);
    }
}

static hb_status galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    return hb_cuda_start(hb_cuda(e), galois_kernel, hb_cuda_tiles(to, to.limbs), HB_PAIR_THREADS, 0, to,
                         hb_cuda_view_of(e, a), hb_galois_inverse(element, e->ring->n), hb_cuda(e)->gpu->moduli);
}

/* Copies and zeros of rows that stand apart, by coefficient. Rows may be as short as one slice of 256 words. */
#define COPY_SLICES 4u /* slices of a thread block: enough loads under way, also where rows have one slice only */
#define COPY_THREADS (HB_SLICE_WORDS / 2)
#define COPY_BLOCKS 16 /* thread blocks of a multiprocessor: together 128 KiB of loads under way */

/* The pieces of a thread block: slices of limb blockIdx.y, counted through all of its rows. `count` is below
 * COPY_SLICES where there are no more. */
struct pieces {
    hb_slice slice[COPY_SLICES];
    uint32_t count;
};

/* Finds the pieces with one division: each further slice follows the one before it, in its row or at the next one's
 * start. */
__device__ __forceinline__ static pieces my_pieces(uint32_t n, uint32_t slices)
{
    const uint32_t first = blockIdx.x * COPY_SLICES;
    pieces p = {{hb_slice_of(first, n, HB_SLICE_WORDS)}, min(slices - first, COPY_SLICES)};
#pragma unroll
    for (uint32_t v = 1; v < COPY_SLICES; v++) {
        const hb_slice last = p.slice[v - 1];
        const bool ends = last.first + HB_SLICE_WORDS == n;
        p.slice[v] = {last.c + ends, ends ? 0 : last.first + HB_SLICE_WORDS};
    }
    return p;
}

/* r = a; where an address of a is NULL, r = 0. All loads of a thread come before its first store, so that they are
 * under way together. */
static __global__ void __launch_bounds__(COPY_THREADS, COPY_BLOCKS)
    copy_kernel(const __grid_constant__ hb_cuda_scattered r, const __grid_constant__ hb_cuda_scattered a,
                uint32_t slices)
{
    const uint32_t l = blockIdx.y;
    const pieces p = my_pieces(r.n, slices);
    hb_pair x[COPY_SLICES] = {};
#pragma unroll
    for (uint32_t v = 0; v < COPY_SLICES; v++) {
        /* The last thread block of a limb may have fewer pieces. */
        if (a.limb_addresses[l].data != NULL && v < p.count) {
            x[v] = hb_pair_load(hb_cuda_row(a, p.slice[v].c, l) + p.slice[v].first + 2 * threadIdx.x);
        }
    }
#pragma unroll
    for (uint32_t v = 0; v < COPY_SLICES; v++) {
        if (v < p.count) {
            hb_pair_store(hb_cuda_row(r, p.slice[v].c, l) + p.slice[v].first + 2 * threadIdx.x, x[v]);
        }
    }
}

static hb_status copy_rows(hb_engine *e, const hb_cuda_scattered &r, const hb_cuda_scattered &a)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const uint32_t slices = hb_cuda_slices(r, HB_SLICE_WORDS);
    /* A grid row for each limb; its blocks go through the slices of all polynomials. */
    const dim3 blocks((slices + COPY_SLICES - 1) / COPY_SLICES, r.limbs);
    copy_kernel<<<blocks, COPY_THREADS, 0, hb_cuda(e)->stream>>>(r, a, slices);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

static hb_status copy(hb_engine *e, hb_batch r, hb_batch a)
{
    /* A batch that is copied onto itself is left alone. */
    const bool same = r.limb_addresses == NULL && a.limb_addresses == NULL && r.data == a.data;
    return same ? HB_OK : copy_rows(e, hb_cuda_scattered_of(e, r), hb_cuda_scattered_of(e, a));
}

/* A view without addresses stands for zeros. */
static hb_status clear(hb_engine *e, hb_batch r)
{
    return copy_rows(e, hb_cuda_scattered_of(e, r), hb_cuda_scattered());
}

/* Adds the number of zero words of polynomial c to zeros[c], or to zeros[0] where polynomials are not told apart.
 * __syncthreads_count counts for the whole thread block, so that there is one atomic addition for each tile of a
 * limb. */
__global__ void __launch_bounds__(HB_PAIR_THREADS) zeros_kernel(hb_cuda_view a, unsigned long long *zeros, bool apart)
{
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(a.log_n);
    uint32_t count = 0; /* of the whole tile */
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const hb_pair x = hb_pair_load(hb_cuda_row(a, c, l) + hb_pair_place(a.log_n, v));
        count += __syncthreads_count(x.of[0] == 0) + __syncthreads_count(x.of[1] == 0);
    }
    if (threadIdx.x == 0) {
        atomicAdd(zeros + (apart ? c : 0), count);
    }
}

hb_status hb_cuda_zeros(hb_engine *e, hb_batch a, unsigned long long *zeros, bool apart)
{
    const hb_cuda_view from = hb_cuda_view_of(e, a);
    const cudaStream_t stream = hb_cuda(e)->stream;
    HB_CUDA(cudaMemsetAsync(zeros, 0, (apart ? a.count : 1) * sizeof *zeros, stream));
    if (a.count == 0) {
        return HB_OK;
    }
    zeros_kernel<<<hb_cuda_tiles(from, a.limbs), HB_PAIR_THREADS, 0, stream>>>(from, zeros, apart);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

/* Counts on the GPU and waits for the number, which therefore cannot be recorded. */
static hb_status count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    void *host, *there;
    HB_TRY(hb_cuda_staging(cuda, sizeof *zeros, &host, &there));
    HB_TRY(hb_cuda_zeros(e, a, static_cast<unsigned long long *>(there), false));
    HB_CUDA(cudaMemcpyAsync(host, there, sizeof *zeros, cudaMemcpyDeviceToHost, cuda->stream));
    HB_TRY(hb_cuda_wait(cuda));
    memcpy(zeros, host, sizeof *zeros);
    return HB_OK;
}

static constexpr hb_ring_ops make_ops()
{
    hb_ring_ops ops = {};
    ops.copy = hb_on_gpu<copy>::call;
    ops.clear = hb_on_gpu<clear>::call;
    ops.add = hb_on_gpu<add>::call;
    ops.sub = hb_on_gpu<sub>::call;
    ops.negate = hb_on_gpu<negate>::call;
    ops.mul = hb_on_gpu<mul>::call;
    ops.scale = hb_on_gpu<scale>::call;
    ops.permute = hb_on_gpu<permute>::call;
    ops.galois = hb_on_gpu<galois>::call;
    ops.count_zeros = hb_on_gpu<count_zeros>::call;
    return ops;
}

constexpr hb_ring_ops hb_cuda_ring_ops = make_ops();
