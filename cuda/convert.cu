/* Base conversion (basis.h, convert_arith.h). */
#include <utility>

#include "convert_sums.cuh"
#include "pair.cuh"

#include "convert_arith.h"

#define THREADS_LOG 7
#define THREADS (1u << THREADS_LOG)
#define EXACT_SOURCES 20u /* up to so many, a kernel for each number of sources; beyond them for 32 and for 64 */

/* The constants of a conversion stand in the arguments of its kernel: no copy goes before it. What they have no room for
 * takes more launches. */
template <class A, uint32_t SOURCES> struct constants {
    static constexpr uint32_t bytes = SOURCES <= EXACT_SOURCES ? 7 << 10 : 14 << 10;
    static constexpr uint32_t targets = bytes / sizeof(typename A::weight) / (SOURCES + 3) - 2; /* of a launch */
    typename A::weight matrix[targets][SOURCES]; /* sources that are missing have weight 0 */
    typename A::weight keep[targets], factors[targets], weights[SOURCES];
    uint64_t start[targets]; /* of the overflow (hb_overflow_start) */
    uint64_t scale[SOURCES], quotients[SOURCES];
    uint32_t binary[SOURCES]; /* weights of a binary overflow; weights: of another one */
    uint64_t half;            /* of the overflow */
    uint16_t overflow_id;
    bool scaled, kept, overflow, is_binary;
};

/* What a thread converts at once: two neighbouring words where registers hold the sources of both. */
template <class A, uint32_t SOURCES> struct alignas(A::registers *SOURCES <= 40 ? 16 : 8) words {
    static constexpr uint32_t count = A::registers * SOURCES <= 40 ? 2 : 1;
    uint64_t of[count];
};

/* Sources as the sums take them, canonical modulo their own primes, times the scale; low: the sum of a binary overflow. */
template <class A, uint32_t SOURCES, uint32_t COUNT = words<A, SOURCES>::count>
__device__ __forceinline__ static void load_sources(typename A::number (&y)[COUNT][SOURCES], uint32_t (&low)[COUNT],
                                                    const hb_cuda_view &a, uint32_t c, uint32_t j,
                                                    const constants<A, SOURCES> &k, const hb_modulus *moduli)
{
#pragma unroll
    for (uint32_t i = 0; i < SOURCES; i++) {
        words<A, SOURCES> x = {};
        if (SOURCES <= EXACT_SOURCES || i < a.limbs) {
            x = *reinterpret_cast<const words<A, SOURCES> *>(hb_cuda_row(a, c, i) + j);
        }
        if (k.scaled) {
            const hb_modulus m = moduli[a.ids[i]];
            for (uint64_t &word : x.of) {
                word = A::scaled(word, k.scale[i], k.quotients[i], m);
            }
        }
        for (uint32_t w = 0; w < COUNT; w++) {
            y[w][i] = A::number_of(x.of[w]);
            low[w] += (uint32_t)x.of[w] * k.binary[i];
        }
    }
}

template <class A, uint32_t SOURCES>
__device__ __forceinline__ static void add_sources(typename A::sum &s, const typename A::number (&y)[SOURCES],
                                                   const typename A::weight (&weights)[SOURCES])
{
#pragma unroll
    for (uint32_t i = 0; i < SOURCES; i++) {
        A::add(s, y[i], weights[i]);
    }
}

/* The overflow of one word of the sources, as a word (convert_arith.h). */
template <class A, uint32_t SOURCES>
__device__ __forceinline__ static uint64_t overflow_of(const typename A::number (&y)[SOURCES], uint32_t low,
                                                       const constants<A, SOURCES> &k, const hb_modulus *moduli)
{
    if (k.is_binary) {
        return hb_overflow_shifted(low, k.half, HB_OVERFLOW_WORD);
    }
    const hb_modulus m = moduli[k.overflow_id];
    typename A::sum s = {};
    add_sources<A, SOURCES>(s, y, k.weights);
    return hb_overflow_shifted(A::finish(s, m), k.half, m.value);
}

/* blockIdx.x: the polynomial, and the piece of its rows. */
template <class A, uint32_t SOURCES>
static __global__ void __launch_bounds__(THREADS, SOURCES <= EXACT_SOURCES ? 3 : 2)
    convert_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view a,
                   const __grid_constant__ constants<A, SOURCES> k, const hb_modulus *moduli)
{
    using pack = words<A, SOURCES>;
    constexpr uint32_t count = pack::count, log_block = THREADS_LOG + count - 1;
    const uint32_t c = blockIdx.x >> (r.log_n - log_block);
    const uint32_t j = (blockIdx.x << log_block & ((1u << r.log_n) - 1)) + threadIdx.x * count;
    typename A::number y[count][SOURCES], overflow[count] = {};
    uint32_t low[count] = {};
    load_sources<A, SOURCES>(y, low, a, c, j, k, moduli);
    for (uint32_t w = 0; w < count && k.overflow; w++) {
        overflow[w] = A::number_of(overflow_of<A, SOURCES>(y[w], low[w], k, moduli));
    }
#pragma unroll 1
    for (uint32_t o = 0; o < r.limbs; o++) {
        const hb_modulus m = moduli[r.ids[o]];
        pack *to = reinterpret_cast<pack *>(hb_cuda_row(r, c, o) + j);
        pack z = k.kept ? *to : pack{};
#pragma unroll
        for (uint32_t w = 0; w < count; w++) {
            typename A::sum s = {};
            if (k.kept) {
                A::add(s, A::number_of(z.of[w]), k.keep[o]);
            }
            if (k.overflow) {
                A::add(s, overflow[w], k.factors[o]);
                A::add_residue(s, k.start[o]);
            }
            add_sources<A, SOURCES>(s, y[w], k.matrix[o]);
            z.of[w] = A::finish(s, m);
        }
        *to = z;
    }
}

template <class A, uint32_t SOURCES>
static void fill_sources(constants<A, SOURCES> *k, const hb_ring *ring, const hb_base_conversion *conversion)
{
    const hb_overflow *overflow = conversion->overflow;
    for (uint32_t i = 0; i < conversion->from_limbs; i++) {
        k->scale[i] = conversion->scale != NULL ? conversion->scale[i] : 1;
        k->quotients[i] = hb_shoup_quotient(k->scale[i], ring->moduli[conversion->from_ids[i]].value);
        k->scaled = k->scaled || k->scale[i] != 1;
        if (overflow != NULL && overflow->binary) {
            k->binary[i] = (uint32_t)overflow->weights[i];
        } else if (overflow != NULL) {
            k->weights[i] = A::weight_of(overflow->weights[i]);
        }
    }
    if (overflow != NULL) {
        k->overflow = true;
        k->is_binary = overflow->binary;
        k->overflow_id = overflow->id;
        k->half = overflow->half;
    }
}

/* Targets first .. first + count. */
template <class A, uint32_t SOURCES>
static void fill_targets(constants<A, SOURCES> *k, const hb_ring *ring, const hb_base_conversion *conversion,
                         uint32_t first, uint32_t count)
{
    const hb_overflow *overflow = conversion->overflow;
    const uint32_t sources = conversion->from_limbs;
    k->kept = conversion->keep != NULL;
    for (uint32_t o = 0; o < count; o++) {
        for (uint32_t i = 0; i < sources; i++) {
            k->matrix[o][i] = A::weight_of(conversion->matrix[(size_t)(first + o) * sources + i]);
        }
        if (k->kept) {
            k->keep[o] = A::weight_of(conversion->keep[first + o]);
        }
        if (overflow != NULL) {
            const uint64_t m = overflow->binary ? HB_OVERFLOW_WORD : ring->moduli[overflow->id].value;
            k->factors[o] = A::weight_of(overflow->factors[first + o]);
            k->start[o] = hb_overflow_start(overflow->half, m, overflow->factors[first + o],
                                            &ring->moduli[conversion->to_ids[first + o]]);
        }
    }
}

template <class A, uint32_t SOURCES>
static hb_status convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    constants<A, SOURCES> k = {};
    fill_sources(&k, e->ring, conversion);
    for (uint32_t first = 0; first < r.limbs; first += k.targets) {
        const uint32_t count = std::min(r.limbs - first, k.targets);
        const hb_cuda_view to = hb_cuda_view_of(e, hb_batch_limbs(r, e->ring, first, count));
        const uint32_t blocks = to.count << (to.log_n - THREADS_LOG - words<A, SOURCES>::count + 1);
        fill_targets(&k, e->ring, conversion, first, count);
        convert_kernel<A, SOURCES><<<blocks, THREADS, 0, hb_cuda(e)->stream>>>(to, hb_cuda_view_of(e, a), k,
                                                                               hb_cuda(e)->gpu->moduli);
        HB_CUDA_LAUNCHED();
    }
    return HB_OK;
}

using converter = hb_status (*)(hb_engine *, hb_batch, hb_batch, const hb_base_conversion *);

/* The kernel for up to EXACT_SOURCES. */
template <class A, uint32_t... I> static converter exact(uint32_t sources, std::integer_sequence<uint32_t, I...>)
{
    static constexpr converter table[] = {convert<A, I + 1>...};
    return table[sources - 1];
}

template <class A> static converter converter_of(uint32_t sources)
{
    return sources <= EXACT_SOURCES ? exact<A>(sources, std::make_integer_sequence<uint32_t, EXACT_SOURCES>())
           : sources <= HB_MAX_LIMBS / 2 ? convert<A, HB_MAX_LIMBS / 2>
                                         : convert<A, HB_MAX_LIMBS>;
}

static hb_sums_extent extent_of(const hb_ring *ring, const hb_base_conversion *conversion)
{
    const hb_overflow *overflow = conversion->overflow;
    hb_sums_extent x = {overflow != NULL ? 32u : 0u, 0, UINT64_MAX, conversion->from_limbs};
    const auto add_target = [&x, ring](uint16_t id) {
        x.target_bits = std::max(x.target_bits, ring->moduli[id].bits);
        x.least_target = std::min(x.least_target, ring->moduli[id].value);
    };
    for (uint32_t i = 0; i < conversion->from_limbs; i++) {
        x.word_bits = std::max(x.word_bits, ring->moduli[conversion->from_ids[i]].bits);
    }
    for (uint32_t o = 0; o < conversion->to_limbs; o++) {
        add_target(conversion->to_ids[o]);
    }
    if (overflow != NULL && !overflow->binary) {
        add_target(overflow->id);
    }
    if (conversion->keep != NULL || (overflow != NULL && !overflow->binary)) {
        x.word_bits = std::max(x.word_bits, x.target_bits);
    }
    x.terms += (overflow != NULL ? 1 : 0) + (conversion->keep != NULL ? 1 : 0);
    return x;
}

hb_status hb_cuda_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_sums_extent extent = extent_of(e->ring, conversion);
    if (hb_cuda(e)->gpu->device.fast_f64 && a.limbs <= EXACT_SOURCES && hb_sums_f64::fits(extent)) {
        return exact<hb_sums_f64>(a.limbs, std::make_integer_sequence<uint32_t, EXACT_SOURCES>())(e, r, a, conversion);
    }
    if (hb_sums_u32::fits(extent)) {
        return converter_of<hb_sums_u32>(a.limbs)(e, r, a, conversion);
    }
    return converter_of<hb_sums_wide>(a.limbs)(e, r, a, conversion);
}
