/* Base conversion (basis.h, convert_arith.h): the arithmetic and the kernel for it. */
#include <utility>

#include "convert_kernel.cuh"
#include "convert_tiled.cuh"

/* What sums of words less their centre lack: centre times all weights, which are canonical. */
template <class A>
static uint64_t missing(const uint64_t *weights, uint32_t count, uint64_t others, const hb_modulus *m)
{
    uint64_t sum = others;
    for (uint32_t i = 0; i < count && A::centre != 0; i++) {
        sum = hb_mod_add(sum, weights[i], m);
    }
    return hb_mod_mul(sum, A::centre, m);
}

/* k: either kind of constants. */
template <class A, class constants>
static void fill_sources(constants *k, const hb_ring *ring, const hb_base_conversion *conversion)
{
    const hb_overflow *overflow = conversion->overflow;
    const uint32_t sources = conversion->from_limbs;
    for (uint32_t i = 0; i < sources; i++) {
        k->scale[i] = conversion->scale != NULL ? conversion->scale[i] : 1;
        k->quotients[i] = hb_shoup_quotient(k->scale[i], ring->moduli[conversion->from_ids[i]].value);
        k->scaled = k->scaled || k->scale[i] != 1;
    }
    if (overflow == NULL) {
        return;
    }
    k->overflow = true;
    k->is_binary = overflow->binary;
    k->overflow_id = overflow->id;
    k->half = overflow->half;
    if (overflow->binary) {
        std::transform(overflow->weights, overflow->weights + sources, k->binary,
                       [](uint64_t w) { return (uint32_t)w; });
        return;
    }
    const hb_modulus &m = ring->moduli[overflow->id];
    std::transform(overflow->weights, overflow->weights + sources, k->weights,
                   [&m](uint64_t w) { return A::weight_of(w, m); });
    k->overflow_start = A::residue_of(missing<A>(overflow->weights, sources, 0, &m), m);
}

/* Target o of the conversion, number `at` of the launch. */
template <class A, class constants>
static void fill_target(constants *k, const hb_ring *ring, const hb_base_conversion *conversion, uint32_t o,
                        uint32_t at)
{
    const hb_overflow *overflow = conversion->overflow;
    const hb_modulus &p = ring->moduli[conversion->to_ids[o]];
    const uint32_t sources = conversion->from_limbs;
    const uint64_t *row = conversion->matrix + (size_t)o * sources;
    uint64_t others = 0, start = 0;
    for (uint32_t i = 0; i < sources; i++) {
        k->weight(at, i) = A::weight_of(row[i], p);
    }
    if (conversion->keep != NULL) {
        k->keep[at] = A::weight_of(conversion->keep[o], p);
        others = conversion->keep[o];
    }
    if (overflow != NULL) {
        const uint64_t m = overflow->binary ? HB_OVERFLOW_WORD : ring->moduli[overflow->id].value;
        k->factors[at] = A::weight_of(overflow->factors[o], p);
        others = hb_mod_add(others, overflow->factors[o], &p);
        start = hb_overflow_start(overflow->half, m, overflow->factors[o], &p);
    }
    k->start[at] = A::residue_of(hb_mod_add(start, missing<A>(row, sources, others, &p), &p), p);
}

/* start(to), with k filled, for at most `most` targets at a time. */
template <class A, class constants, class launch>
static hb_status for_targets(hb_engine *e, constants *k, hb_batch r, const hb_base_conversion *conversion,
                             uint32_t most, const launch &start)
{
    fill_sources<A>(k, e->ring, conversion);
    k->kept = conversion->keep != NULL;
    for (uint32_t first = 0; first < r.limbs; first += most) {
        const uint32_t count = std::min(r.limbs - first, most);
        for (uint32_t at = 0; at < count; at++) {
            fill_target<A>(k, e->ring, conversion, first + at, at);
        }
        HB_TRY(start(hb_cuda_scattered_of(e, hb_batch_limbs(e, r, first, count))));
    }
    return HB_OK;
}

template <class A, uint32_t SOURCES>
static hb_status convert_exact(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    hb_convert_exact<A, SOURCES> k = {};
    return for_targets<A>(e, &k, r, conversion, hb_convert_targets<A, SOURCES>, [&](const hb_cuda_scattered &to) {
        const uint32_t blocks = hb_cuda_slices(to, HB_CONVERT_THREADS * hb_convert_words_of<A, SOURCES>);
        hb_convert_kernel<A, SOURCES><<<blocks, HB_CONVERT_THREADS, 0, hb_cuda(e)->stream>>>(
            to, hb_cuda_scattered_of(e, a), k, hb_cuda(e)->gpu->moduli);
        HB_CUDA_LAUNCHED();
        return HB_OK;
    });
}

using converter = hb_status (*)(hb_engine *, hb_batch, hb_batch, const hb_base_conversion *);

/* The kernel for up to HB_CONVERT_EXACT. */
template <class A, uint32_t... I> static converter exact(uint32_t sources, std::integer_sequence<uint32_t, I...>)
{
    static constexpr converter table[] = {convert_exact<A, I + 1>...};
    return table[sources - 1];
}

template <class A>
static hb_status convert_tiled(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion,
                               uint32_t chunk)
{
    static_assert(hb_convert_tiled_arguments<A> <= HB_CONVERT_ARGUMENT_BYTES, "a smaller HB_CONVERT_TILED_BYTES");
    const int most = HB_MAX_LIMBS * HB_CONVERT_TILED_THREADS * sizeof(hb_pair);
    const size_t shared = a.limbs * HB_CONVERT_TILED_THREADS * sizeof(hb_pair);
    HB_CUDA(cudaFuncSetAttribute(hb_convert_tiled_kernel<A>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    hb_convert_tiled<A> k = {};
    k.chunk = chunk;
    const uint32_t room = k.room / a.limbs, launches = (r.limbs + room - 1) / room;
    k.targets = (r.limbs + launches - 1) / launches;
    return for_targets<A>(e, &k, r, conversion, k.targets, [&](const hb_cuda_scattered &to) {
        const uint32_t blocks = hb_cuda_slices(to, HB_CONVERT_TILED_WORDS);
        hb_convert_tiled_kernel<A><<<blocks, HB_CONVERT_TILED_THREADS, shared, hb_cuda(e)->stream>>>(
            to, hb_cuda_scattered_of(e, a), k, hb_cuda(e)->gpu->moduli);
        HB_CUDA_LAUNCHED();
        return HB_OK;
    });
}

static hb_sums_extent extent_of(const hb_ring *ring, const hb_base_conversion *conversion)
{
    const hb_overflow *overflow = conversion->overflow;
    hb_sums_extent x = {overflow != NULL ? 32u : 0u, 0, UINT64_MAX, 0};
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
    x.others = (overflow != NULL ? 1 : 0) + (conversion->keep != NULL ? 1 : 0);
    return x;
}

template <class A>
static hb_status convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion,
                         const hb_sums_extent &extent)
{
    const uint32_t chunk = A::terms(extent) - extent.others; /* at least 10 */
    if (a.limbs <= std::min(chunk, HB_CONVERT_EXACT)) {
        return exact<A>(a.limbs, std::make_integer_sequence<uint32_t, HB_CONVERT_EXACT>())(e, r, a, conversion);
    }
    return convert_tiled<A>(e, r, a, conversion, chunk);
}

hb_status hb_cuda_base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_sums_extent extent = extent_of(e->ring, conversion);
    if (hb_cuda(e)->gpu->device.fast_f64 && hb_sums_f64::terms(extent) > 0) {
        return convert<hb_sums_f64>(e, r, a, conversion, extent);
    }
    if (hb_sums_u32::terms(extent) > 0) {
        return convert<hb_sums_u32>(e, r, a, conversion, extent);
    }
    return convert<hb_sums_wide>(e, r, a, conversion, extent);
}

hb_status hb_cuda_base_convert_through(hb_engine *e, hb_batch r, hb_batch via, hb_batch a,
                                       const hb_base_conversion *first, const hb_base_conversion *second)
{
    HB_TRY(hb_cuda_base_convert(e, via, a, first));
    return hb_cuda_base_convert(e, r, via, second);
}
