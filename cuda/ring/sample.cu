/* Random polynomials. A thread makes one block of a keystream, the words of eight neighbouring coefficients. These
 * cross shared memory, so that a warp then reads and writes neighbouring words. A thread block has one tile of 2^10
 * coefficients, 128 threads. */
#include <algorithm>

#include "base/bits.h"
#include "chacha.h"
#include "cuda/device/launch.cuh"
#include "cuda/device/tile.cuh"
#include "ring/flood_arith.h"

#define THREADS (HB_TILE_WORDS / HB_CHACHA_WORDS)

/* Returns where word i of a tile stands in shared memory. Half a warp reaches 16 words at once: both the i-th word of
 * each thread's block and 16 neighbouring words are in different banks. */
__device__ static uint32_t place(uint32_t i)
{
    return i ^ (i >> 4 & 7);
}

/* Returns which word of a tile is the calling thread's k-th, k < 8, once the tile is drawn: neighbours for
 * neighbours. */
__device__ static uint32_t mine(uint32_t k)
{
    return k * THREADS + threadIdx.x;
}

/* Fills the tile with the accepted words of coefficients first .. first + HB_TILE_WORDS - 1. All threads of the block
 * call it, and all words are visible to them on return. */
__device__ static void draw_tile(uint64_t *tile, const hb_seed *seed, uint32_t purpose, uint64_t item, uint32_t first,
                                 hb_acceptance rule)
{
    hb_chacha_streams streams;
    /* The key goes into registers in two loads: staged memory is 16-byte aligned. */
    memcpy(streams.key, __builtin_assume_aligned(seed->bytes, 16), sizeof streams.key);
    streams.purpose = purpose;
    streams.item = item;
    uint64_t words[HB_CHACHA_WORDS];
    hb_chacha_draw(words, &streams, first / HB_CHACHA_WORDS + threadIdx.x, rule);
    HB_UNROLL
    for (uint32_t i = 0; i < HB_CHACHA_WORDS; i++) {
        tile[place(threadIdx.x * HB_CHACHA_WORDS + i)] = words[i];
    }
    __syncthreads();
}

/* r = uniform residues, times b where `times`. Limb l of polynomial c expands the public seed seeds[c] by the stream of
 * its modulus. b.stride is 0 for one polynomial that serves all. The product is made where the residue is in a
 * register: the uniform polynomial itself never goes to memory. */
template <bool times>
static __global__ void __launch_bounds__(THREADS)
    uniform_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view b, const hb_seed *seeds,
                   const hb_modulus *moduli, bool fast_f64)
{
    __shared__ uint64_t tile[HB_TILE_WORDS];
    hb_cuda_begin();
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n), first = hb_tile_first(r.log_n);
    const uint16_t id = r.ids[l];
    const hb_modulus m = moduli[id];
    /* Known from the modulus alone, so the same for all threads of a block. */
    const hb_acceptance rule = hb_accept_uniform(m.value, hb_bit_length(m.value - 1));
    draw_tile(tile, &seeds[c], HB_DRAW_UNIFORM, id, first, rule);

    uint64_t x[HB_CHACHA_WORDS];
    HB_UNROLL
    for (uint32_t k = 0; k < HB_CHACHA_WORDS; k++) {
        x[k] = tile[place(mine(k))] & rule.mask;
    }
    if constexpr (times) {
        const uint64_t *factors = hb_cuda_row(b, c, l) + first;
        const bool f64 = fast_f64 && m.f64;
        HB_UNROLL
        for (uint32_t k = 0; k < HB_CHACHA_WORDS; k++) {
            const uint64_t y = factors[mine(k)];
            x[k] = f64 ? hb_f64_mod_mul(x[k], y, &m) : hb_mod_mul(x[k], y, &m);
        }
    }
    uint64_t *to = hb_cuda_row(r, c, l) + first;
    HB_UNROLL
    for (uint32_t k = 0; k < HB_CHACHA_WORDS; k++) {
        to[mine(k)] = x[k];
    }
}

template <bool times> static hb_status uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    /* Seeds go through the staging memory: 2^15 of them at a time. */
    const size_t at_once = HB_CUDA_STAGE_BYTES / sizeof *seeds;
    for (size_t done = 0; done < r.count; done += at_once) {
        const size_t count = std::min(r.count - done, at_once);
        void *there;
        HB_TRY(hb_cuda_stage(cuda, seeds + done, count * sizeof *seeds, &there));
        const hb_cuda_view to = hb_cuda_view_of(e, hb_batch_slice(r, done, count));
        /* Without `times` b is r, whose words are not read. */
        hb_cuda_view factors = hb_cuda_view_of(e, b.count == 1 ? b : hb_batch_slice(b, done, count));
        factors.stride = b.count == 1 ? 0 : factors.stride;
        HB_TRY(hb_cuda_start(cuda, uniform_kernel<times>, hb_cuda_tiles(to, to.limbs), THREADS, 0, to, factors,
                             static_cast<const hb_seed *>(there), cuda->gpu->moduli, cuda->gpu->device.fast_f64));
    }
    return HB_OK;
}

static hb_status sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds)
{
    return uniform<false>(e, r, seeds, r);
}

static hb_status mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b)
{
    return uniform<true>(e, r, seeds, b);
}

namespace
{
/* Distributions of small coefficients. Each says which words it takes, and the integer that a word stands for. They go
 * to a kernel by value, the Gaussian with its table of thresholds, which all threads read at the same index. */
struct ternary {
    __device__ static hb_acceptance rule()
    {
        return hb_accept_ternary();
    }
    __device__ int64_t operator()(uint64_t word) const
    {
        return hb_sample_ternary(word);
    }
};

struct gaussian {
    uint64_t thresholds[HB_GAUSSIAN_BOUND];

    __device__ static hb_acceptance rule()
    {
        return hb_accept_all();
    }
    __device__ int64_t operator()(uint64_t word) const
    {
        return hb_sample_gaussian(word, thresholds);
    }
};

struct binomial {
    __device__ static hb_acceptance rule()
    {
        return hb_accept_all();
    }
    __device__ int64_t operator()(uint64_t word) const
    {
        return hb_sample_binomial(word);
    }
};

/* A draw, by the seed on the device from item `item` on, and its use. */
struct small_draw {
    const hb_seed *seed;
    uint64_t item;
    hb_purpose purpose;
    int32_t sign;
    bool add;
};
} /* namespace */

/* r = sign * x, or r += sign * x where `add`, for the integers x of polynomial c. They are drawn once, kept in
 * registers, and reduced for every limb of this row of the grid. Where the grid has several rows each draws them
 * again. */
template <class distribution>
static __global__ void __launch_bounds__(THREADS)
    small_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ distribution sample,
                 const __grid_constant__ small_draw draw, const hb_modulus *moduli)
{
    __shared__ uint64_t tile[HB_TILE_WORDS];
    hb_cuda_begin();
    const uint32_t c = hb_tile_polynomial(r.log_n), first = hb_tile_first(r.log_n);
    draw_tile(tile, draw.seed, draw.purpose, draw.item + c, first, sample.rule());
    int32_t x[HB_CHACHA_WORDS];
    HB_UNROLL
    for (uint32_t k = 0; k < HB_CHACHA_WORDS; k++) {
        /* |x| <= 21 in every distribution, so 32 bits hold it. */
        x[k] = (int32_t)sample(tile[place(mine(k))]) * draw.sign;
    }
    /* The same integers for every limb, so that all limbs are of one polynomial. */
    for (uint32_t l = blockIdx.y; l < r.limbs; l += gridDim.y) {
        const uint64_t m = moduli[r.ids[l]].value;
        uint64_t *to = hb_cuda_row(r, c, l) + first;
        HB_UNROLL
        for (uint32_t k = 0; k < HB_CHACHA_WORDS; k++) {
            /* old < m and the residue < m: one correction makes the sum canonical. */
            const uint64_t old = draw.add ? to[mine(k)] : 0;
            to[mine(k)] = hb_correct(old + hb_residue_of_small(x[k], m), m);
        }
    }
}

template <class distribution>
static hb_status launch_small(hb_engine *e, hb_batch r, const distribution &sample, hb_draw draw, bool add,
                              int32_t sign)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    void *seed; /* staged, as it is secret: arguments of a kernel are nowhere wiped */
    HB_TRY(hb_cuda_stage(cuda, draw.seed, sizeof *draw.seed, &seed));
    /* Where there are few ciphertexts, drawing again in several blocks is cheaper than an idle GPU. */
    const dim3 blocks = hb_cuda_share_limbs(cuda, hb_cuda_tiles(to, 1).x, to.limbs);
    const small_draw drawn = {static_cast<const hb_seed *>(seed), draw.item, draw.purpose, sign, add};
    return hb_cuda_start(cuda, small_kernel<distribution>, blocks, THREADS, 0, to, sample, drawn, cuda->gpu->moduli);
}

/* Chooses the kernel of a distribution: each is compiled by itself. */
static hb_status small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, bool add, int32_t sign)
{
    if (r.count == 0) {
        return HB_OK;
    }
    if (distribution == HB_TERNARY) {
        return launch_small(e, r, ternary(), draw, add, sign);
    }
    if (distribution == HB_BINOMIAL) {
        return launch_small(e, r, binomial(), draw, add, sign);
    }
    /* The thresholds are copied from the table that the CPU engine uses. */
    gaussian sample;
    std::copy_n(hb_gaussian_thresholds, HB_GAUSSIAN_BOUND, sample.thresholds);
    return launch_small(e, r, sample, draw, add, sign);
}

static hb_status sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw)
{
    return small(e, r, distribution, draw, false, 1);
}

static hb_status add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign)
{
    return small(e, r, distribution, draw, true, sign == HB_PLUS ? 1 : -1);
}

namespace
{
/* One part of noise of exact bits (ring/flood_arith.h): a stream and the bits of it that count, or both streams of A -
 * B. Its factors in the limbs go to the kernel by value: they are no secret. */
struct flood_part {
    uint32_t item, bits;
    hb_exact_flood_term term[HB_MAX_LIMBS];
};
} /* namespace */

/* Adds a part to polynomials, c with seeds[c]: with `difference` A - B of bits bits each, else the low bits of one
 * stream. Words are drawn once for the limbs of this row of the grid. */
template <bool difference>
static __global__ void __launch_bounds__(THREADS)
    flood_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ flood_part part, const hb_seed *seeds,
                 const hb_modulus *moduli)
{
    __shared__ uint64_t tile[HB_TILE_WORDS];
    hb_cuda_begin();
    const uint32_t c = hb_tile_polynomial(r.log_n), first = hb_tile_first(r.log_n);
    uint64_t x[HB_CHACHA_WORDS];
    draw_tile(tile, &seeds[c], HB_DRAW_EXACT_FLOOD, part.item, first, hb_accept_all());
    HB_UNROLL
    for (uint32_t k = 0; k < HB_CHACHA_WORDS; k++) {
        x[k] = hb_exact_flood_low(tile[place(mine(k))], part.bits);
    }
    if constexpr (difference) {
        __syncthreads(); /* all have read A: B takes its place */
        draw_tile(tile, &seeds[c], HB_DRAW_EXACT_FLOOD, part.item + 1, first, hb_accept_all());
        HB_UNROLL
        for (uint32_t k = 0; k < HB_CHACHA_WORDS; k++) {
            x[k] = hb_exact_flood_difference(x[k], tile[place(mine(k))], part.bits);
        }
    }
    for (uint32_t l = blockIdx.y; l < r.limbs; l += gridDim.y) {
        const uint64_t m = moduli[r.ids[l]].value;
        const hb_exact_flood_term term = part.term[l];
        uint64_t *to = hb_cuda_row(r, c, l) + first;
        HB_UNROLL
        for (uint32_t k = 0; k < HB_CHACHA_WORDS; k++) {
            to[mine(k)] = hb_exact_flood_add(to[mine(k)], x[k], term, m);
        }
    }
}

/* Adds the noise of as many seeds as there is room for at a time. */
static hb_status flood_some(hb_engine *e, hb_batch r, hb_exact_flood flood, const hb_seed *seeds)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    const dim3 blocks = hb_cuda_share_limbs(cuda, hb_cuda_tiles(to, 1).x, to.limbs);
    flood_part part = {HB_EXACT_FLOOD_A, flood.w, {}};
    void *there;
    HB_TRY(hb_cuda_stage(cuda, seeds, r.count * sizeof *seeds, &there));
    const hb_seed *staged = static_cast<const hb_seed *>(there);
    for (uint32_t l = 0; l < r.limbs; l++) {
        part.term[l] = hb_exact_flood_term_difference(flood, &e->ring->moduli[r.ids[l]]);
    }
    HB_TRY(hb_cuda_start(cuda, flood_kernel<true>, blocks, THREADS, 0, to, part, staged, cuda->gpu->moduli));
    for (uint32_t k = 0; k < hb_exact_flood_words(flood); k++) {
        part.item = HB_EXACT_FLOOD_U + k;
        part.bits = hb_exact_flood_bits(flood, k);
        for (uint32_t l = 0; l < r.limbs; l++) {
            part.term[l] = hb_exact_flood_term_word(k, &e->ring->moduli[r.ids[l]]);
        }
        HB_TRY(hb_cuda_start(cuda, flood_kernel<false>, blocks, THREADS, 0, to, part, staged, cuda->gpu->moduli));
    }
    return HB_OK;
}

static hb_status add_exact_flood(hb_engine *e, hb_batch r, hb_exact_flood flood, const hb_seed *seeds)
{
    const size_t at_once = HB_CUDA_STAGE_BYTES / sizeof *seeds;
    for (size_t done = 0; done < r.count; done += at_once) {
        const size_t count = std::min(r.count - done, at_once);
        HB_TRY(flood_some(e, hb_batch_slice(r, done, count), flood, seeds + done));
    }
    return HB_OK;
}

static constexpr hb_sample_ops make_ops()
{
    hb_sample_ops ops = {};
    ops.sample_uniform = hb_on_gpu<sample_uniform>::call;
    ops.mul_uniform = hb_on_gpu<mul_uniform>::call;
    ops.sample_small = hb_on_gpu<sample_small>::call;
    ops.add_small = hb_on_gpu<add_small>::call;
    ops.add_exact_flood = hb_on_gpu<add_exact_flood>::call;
    return ops;
}

constexpr hb_sample_ops hb_cuda_sample_ops = make_ops();
