/* Base conversion (basis.h, convert_arith.h): the arithmetic and the kernel for it. */
#include <utility>

#include "convert_kernel.cuh"

template <class A, uint32_t SOURCES>
static void fill_sources(hb_convert_constants<A, SOURCES> *k, const hb_ring *ring, const hb_base_conversion *conversion)
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
static void fill_targets(hb_convert_constants<A, SOURCES> *k, const hb_ring *ring, const hb_base_conversion *conversion,
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
    hb_convert_constants<A, SOURCES> k = {};
    fill_sources(&k, e->ring, conversion);
    for (uint32_t first = 0; first < r.limbs; first += k.targets) {
        const uint32_t count = std::min(r.limbs - first, k.targets);
        const hb_cuda_view to = hb_cuda_view_of(e, hb_batch_limbs(r, e->ring, first, count));
        const uint32_t blocks = to.count << (to.log_n - HB_CONVERT_LOG_THREADS - hb_convert_words_of<A, SOURCES> + 1);
        fill_targets(&k, e->ring, conversion, first, count);
        hb_convert_kernel<A, SOURCES><<<blocks, HB_CONVERT_THREADS, 0, hb_cuda(e)->stream>>>(
            to, hb_cuda_view_of(e, a), k, hb_cuda(e)->gpu->moduli);
        HB_CUDA_LAUNCHED();
    }
    return HB_OK;
}

using converter = hb_status (*)(hb_engine *, hb_batch, hb_batch, const hb_base_conversion *);

/* The kernel for up to HB_CONVERT_EXACT. */
template <class A, uint32_t... I> static converter exact(uint32_t sources, std::integer_sequence<uint32_t, I...>)
{
    static constexpr converter table[] = {convert<A, I + 1>...};
    return table[sources - 1];
}

template <class A> static converter converter_of(uint32_t sources)
{
    return sources <= HB_CONVERT_EXACT   ? exact<A>(sources, std::make_integer_sequence<uint32_t, HB_CONVERT_EXACT>())
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
    if (hb_cuda(e)->gpu->device.fast_f64 && a.limbs <= HB_CONVERT_EXACT && hb_sums_f64::fits(extent)) {
        return exact<hb_sums_f64>(a.limbs, std::make_integer_sequence<uint32_t, HB_CONVERT_EXACT>())(e, r, a,
                                                                                                     conversion);
    }
    if (hb_sums_u32::fits(extent)) {
        return converter_of<hb_sums_u32>(a.limbs)(e, r, a, conversion);
    }
    return converter_of<hb_sums_wide>(a.limbs)(e, r, a, conversion);
}
