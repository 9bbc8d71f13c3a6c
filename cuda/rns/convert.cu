/* Base conversion (ring/basis.h, ring/convert_arith.h) from few sources, with the arithmetic that fits them, or by
 * convert_many.cu from more; and division by a prime with rounding. */
#include <type_traits>
#include <utility>

#include "convert_each.cuh"
#include "convert_few.cuh"
#include "convert_many.h"
#include "cuda/device/pair.cuh"

/* The most sources that have a kernel of their own for each number of them. Beyond, tensor cores are faster: measured
 * on an H200. */
template <class A> static constexpr uint32_t few_sources = std::is_same<A, hb_sums_f64>::value ? 10 : 6;

/* Returns the correction for sums of words less their centre: centre times all weights, which are canonical, modulo m.
 * It goes into the residue with which a sum begins. */
template <class A>
static uint64_t missing(const uint64_t *weights, uint32_t count, uint64_t others, const hb_modulus *m)
{
    uint64_t sum = others;
    for (uint32_t i = 0; i < count && A::centre != 0; i++) {
        sum = hb_mod_add(sum, weights[i], m);
    }
    return hb_mod_mul(sum, A::centre, m);
}

/* Returns true if an arithmetic takes the words of a conversion as centred by themselves: less work than an overflow
 * word, which says how many were above their half. */
template <class A> static bool centres(const hb_base_conversion *conversion)
{
    return A::centres && conversion->keep == NULL && conversion->overflow != NULL && conversion->overflow->centres;
}

/* Fills in the constants of the sources: their scale, and the weights by which the overflow is made of them. */
template <class A, uint32_t SOURCES>
static void fill_sources(hb_convert_few<A, SOURCES> *k, const hb_ring *ring, const hb_base_conversion *conversion)
{
    const hb_overflow *overflow = conversion->overflow;
    const uint32_t sources = conversion->from_limbs;
    for (uint32_t i = 0; i < sources; i++) {
        k->scale[i] = conversion->scale != NULL ? conversion->scale[i] : 1;
        k->quotients[i] = hb_shoup_quotient(k->scale[i], ring->moduli[conversion->from_ids[i]].value);
        /* A scale of ones is left out of the kernel. */
        k->scaled = k->scaled || k->scale[i] != 1;
    }
    k->centred = centres<A>(conversion);
    if (overflow == NULL || k->centred) {
        return;
    }
    k->overflow = true;
    k->kind = overflow->kind;
    k->overflow_id = overflow->id;
    k->half = overflow->kind == HB_OVERFLOW_CENTRED ? HB_OVERFLOW_WORD / 2 : overflow->half;
    switch (overflow->kind) {
    case HB_OVERFLOW_NEAREST:
        std::copy_n(overflow->inverses, sources, k->inverses);
        break;
    case HB_OVERFLOW_BINARY:
        /* Only the low 32 bits count modulo 2^32. */
        std::transform(overflow->weights, overflow->weights + sources, k->binary,
                       [](uint64_t w) { return (uint32_t)w; });
        break;
    case HB_OVERFLOW_MODULAR: {
        /* The overflow is a sum modulo a modulus of its own, made with the same arithmetic as the targets. */
        const hb_modulus &m = ring->moduli[overflow->id];
        std::transform(overflow->weights, overflow->weights + sources, k->weights,
                       [&m](uint64_t w) { return A::weight_of(w, m); });
        k->overflow_start = A::residue_of(missing<A>(overflow->weights, sources, 0, &m), m);
        break;
    }
    case HB_OVERFLOW_ROUNDED:
        std::copy_n(overflow->weights, sources, k->fixed);
        break;
    case HB_OVERFLOW_CENTRED:
        break;
    }
}

/* Fills in target o of the conversion as number `at` of the launch: its row of the matrix, the weights of the kept word
 * and of the overflow, and the residue with which its sums begin. */
template <class A, uint32_t SOURCES>
static void fill_target(hb_convert_few<A, SOURCES> *k, const hb_ring *ring, const hb_base_conversion *conversion,
                        uint32_t o, uint32_t at)
{
    const hb_overflow *overflow = conversion->overflow;
    const hb_modulus &p = ring->moduli[conversion->to_ids[o]];
    const uint32_t sources = conversion->from_limbs;
    const uint64_t *row = conversion->matrix + (size_t)o * sources;
    uint64_t others = 0, start = 0;
    for (uint32_t i = 0; i < sources; i++) {
        k->matrix[at][i] = A::weight_of(row[i], p);
    }
    if (k->centred) {
        k->start[at] = A::residue_of(0, p); /* nothing is missing */
        return;
    }
    if (conversion->keep != NULL) {
        k->keep[at] = A::weight_of(conversion->keep[o], p);
        others = conversion->keep[o];
    }
    if (overflow != NULL) {
        k->factors[at] = A::weight_of(overflow->factors[o], p);
        others = hb_mod_add(others, overflow->factors[o], &p);
        if (hb_overflow_is_modular(overflow)) {
            /* The overflow word is k' = k - half mod m in [0, m), so each sum begins with - (m - half) factor
             * (convert_arith.h). */
            const bool binary = overflow->kind == HB_OVERFLOW_BINARY;
            const uint64_t m = binary ? HB_OVERFLOW_WORD : ring->moduli[overflow->id].value;
            start = hb_overflow_start(overflow->half, m, overflow->factors[o], &p);
        }
    }
    k->start[at] = A::residue_of(hb_mod_add(start, missing<A>(row, sources, others, &p), &p), p);
}

/* Converts in as many launches as the constants of all targets need; each reads the sources again. */
template <class A, uint32_t SOURCES>
static hb_status convert_few(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    const hb_cuda_engine *cuda = hb_cuda(e);
    hb_convert_few<A, SOURCES> k = {};
    fill_sources<A, SOURCES>(&k, e->ring, conversion);
    k.kept = conversion->keep != NULL;
    for (uint32_t first = 0; first < r.limbs; first += k.most) {
        const uint32_t count = std::min(r.limbs - first, k.most);
        /* The host makes the constants of a launch anew for each: they are few, and tables on the GPU would have to be
         * kept. */
        for (uint32_t at = 0; at < count; at++) {
            fill_target<A, SOURCES>(&k, e->ring, conversion, first + at, at);
        }
        const hb_cuda_scattered to = hb_cuda_scattered_of(e, hb_batch_limbs(e, r, first, count));
        const uint32_t blocks = hb_cuda_slices(to, HB_CONVERT_THREADS * hb_convert_words_of<A, SOURCES>);
        HB_TRY(hb_cuda_start(cuda, hb_convert_few_kernel<A, SOURCES>, hb_cuda_share_limbs(cuda, blocks, count),
                             HB_CONVERT_THREADS, 0, to, hb_cuda_scattered_of(e, a), k, cuda->gpu->moduli));
    }
    return HB_OK;
}

using converter = hb_status (*)(hb_engine *, hb_batch, hb_batch, const hb_base_conversion *);

/* Returns the kernel of an arithmetic for a number of sources, from a table that the compiler fills. */
template <class A, uint32_t... I> static converter few(uint32_t sources, std::integer_sequence<uint32_t, I...>)
{
    static constexpr converter table[] = {convert_few<A, I + 1>...};
    /* One instance for each number of sources keeps them in registers, at indices that the compiler knows. */
    return sources <= sizeof...(I) ? table[sources - 1] : hb_cuda_convert_many;
}

template <class A> static converter few(uint32_t sources)
{
    return few<A>(sources, std::make_integer_sequence<uint32_t, few_sources<A>>{});
}

/* Returns the extent of a conversion, which decides its arithmetic: the widths of the words and of the targets, and the
 * number of products beside those of the sources. */
static hb_sums_extent extent_of(const hb_ring *ring, const hb_base_conversion *conversion)
{
    const hb_overflow *overflow = conversion->overflow;
    /* The overflow word is below 2^32 where it is not modular. */
    hb_sums_extent x = {overflow != NULL ? 32u : 0u, 0, 0};
    const auto add_target = [&x, ring](uint16_t id) { x.target_bits = std::max(x.target_bits, ring->moduli[id].bits); };
    for (uint32_t i = 0; i < conversion->from_limbs; i++) {
        x.word_bits = std::max(x.word_bits, ring->moduli[conversion->from_ids[i]].bits);
    }
    for (uint32_t o = 0; o < conversion->to_limbs; o++) {
        add_target(conversion->to_ids[o]);
    }
    const bool modular = overflow != NULL && overflow->kind == HB_OVERFLOW_MODULAR;
    if (modular) {
        add_target(overflow->id);
    }
    /* Words that are kept are as wide as the targets; so is a modular overflow. */
    if (conversion->keep != NULL || modular) {
        x.word_bits = std::max(x.word_bits, x.target_bits);
    }
    x.others = (overflow != NULL ? 1 : 0) + (conversion->keep != NULL ? 1 : 0);
    return x;
}

/* Returns the converter of the first arithmetic whose sums have room for all products: FP64, pieces of 28 bits, or sums
 * of 128 bits, which have room for any. */
static converter converter_of(const hb_cuda_engine *e, const hb_base_conversion *conversion)
{
    const hb_sums_extent extent = extent_of(e->base.ring, conversion);
    const uint32_t sources = conversion->from_limbs, terms = sources + extent.others;
    if (e->gpu->device.fast_f64 && hb_sums_f64::terms(extent) >= terms) {
        return few<hb_sums_f64>(sources);
    }
    return hb_sums_u32::terms(extent) >= terms ? few<hb_sums_u32>(sources) : few<hb_sums_wide>(sources);
}

static hb_status base_convert(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion)
{
    return r.count == 0 ? HB_OK : converter_of(hb_cuda(e), conversion)(e, r, a, conversion);
}

using each_converter = hb_status (*)(hb_engine *, const hb_batch *, const hb_batch *, const hb_base_conversion *,
                                     uint32_t);

/* Adds conversion i to a launch: sources and targets behind those that it has. */
template <class A, uint32_t SOURCES>
static void add_part(hb_convert_each<A, SOURCES> *k, hb_engine *e, hb_batch r, hb_batch a,
                     const hb_base_conversion *conversion, hb_convert_part part)
{
    for (uint32_t i = 0; i < part.sources; i++) {
        const uint32_t at = part.first_source + i;
        const uint64_t scale = conversion->scale != NULL ? conversion->scale[i] : 1;
        k->from[at] = hb_batch_limb_address(e, a, i);
        k->from_ids[at] = conversion->from_ids[i];
        k->scale[at] = scale;
        k->quotients[at] = hb_shoup_quotient(scale, e->ring->moduli[conversion->from_ids[i]].value);
        k->scaled = k->scaled || scale != 1;
    }
    for (uint32_t o = 0; o < part.targets; o++) {
        const uint32_t at = part.first_target + o;
        const hb_modulus &p = e->ring->moduli[conversion->to_ids[o]];
        k->to[at] = hb_batch_limb_address(e, r, o);
        k->to_ids[at] = conversion->to_ids[o];
        for (uint32_t i = 0; i < part.sources; i++) {
            k->matrix[at][i] = A::weight_of(conversion->matrix[(size_t)o * part.sources + i], p);
        }
    }
}

/* Makes the conversions in as few launches as their constants need. */
template <class A, uint32_t SOURCES>
static hb_status convert_each(hb_engine *e, const hb_batch *r, const hb_batch *a, const hb_base_conversion *conversion,
                              uint32_t count)
{
    const hb_cuda_engine *cuda = hb_cuda(e);
    for (uint32_t i = 0; i < count;) {
        hb_convert_each<A, SOURCES> k = {};
        uint32_t sources = 0, targets = 0, most = 0, parts = 0;
        k.n = static_cast<uint32_t>(r[i].n != 0 ? r[i].n : e->ring->n);
        /* One fits at least: HB_MAX_LIMBS targets do. */
        static_assert(hb_convert_each<A, SOURCES>::most >= HB_MAX_LIMBS, "a launch has one conversion");
        const uint32_t first = i;
        for (; i < count && sources + conversion[i].from_limbs <= HB_MAX_LIMBS &&
               targets + conversion[i].to_limbs <= k.most;
             i++, parts++) {
            k.part[parts] = {static_cast<uint16_t>(sources), static_cast<uint16_t>(conversion[i].from_limbs),
                             static_cast<uint16_t>(targets), static_cast<uint16_t>(conversion[i].to_limbs)};
            add_part<A, SOURCES>(&k, e, r[i], a[i], &conversion[i], k.part[parts]);
            sources += conversion[i].from_limbs;
            targets += conversion[i].to_limbs;
            most = std::max(most, conversion[i].to_limbs);
        }
        const uint32_t blocks =
            static_cast<uint32_t>(r[first].count) * k.n / (HB_CONVERT_THREADS * hb_convert_words_of<A, SOURCES>);
        dim3 grid = hb_cuda_share_limbs(cuda, blocks * parts, most);
        grid.x = blocks;
        grid.z = parts;
        HB_TRY(
            hb_cuda_start(cuda, hb_convert_each_kernel<A, SOURCES>, grid, HB_CONVERT_THREADS, 0, k, cuda->gpu->moduli));
    }
    return HB_OK;
}

template <class A, uint32_t... I> static each_converter each(uint32_t sources, std::integer_sequence<uint32_t, I...>)
{
    static constexpr each_converter table[] = {convert_each<A, I + 1>...};
    return table[sources - 1];
}

/* Returns true if one launch of several conversions can make this one. */
static bool joins(const hb_cuda_engine *e, const hb_base_conversion *conversion)
{
    using A = hb_sums_f64;
    return e->gpu->device.fast_f64 && centres<A>(conversion) && conversion->from_limbs <= few_sources<A> &&
           A::terms(extent_of(e->base.ring, conversion)) >= conversion->from_limbs;
}

/* Small conversions go together where each leaves multiprocessors idle; large ones have kernels for just their
 * sources. */
static hb_status base_convert_each(hb_engine *e, const hb_batch *r, const hb_batch *a,
                                   const hb_base_conversion *conversion, uint32_t count)
{
    using A = hb_sums_f64;
    const hb_cuda_engine *cuda = hb_cuda(e);
    const size_t idle = (size_t)4 * cuda->gpu->device.multiprocessors * HB_CONVERT_THREADS * 2; /* words */
    uint32_t most = 0;
    bool together = count > 1;
    for (uint32_t i = 0; i < count; i++) {
        together = together && r[i].count > 0 && r[i].count == r[0].count && r[i].n == r[0].n &&
                   r[i].count * e->ring->n <= idle && joins(cuda, &conversion[i]);
        most = std::max(most, conversion[i].from_limbs);
    }
    if (together) {
        return each<A>(most, std::make_integer_sequence<uint32_t, few_sources<A>>{})(e, r, a, conversion, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(base_convert(e, r[i], a[i], &conversion[i]));
    }
    return HB_OK;
}

/* The constants of a division by the prime p: floor(p / 2), and 1/p modulo each limb with Shoup's quotients. */
struct division {
    uint64_t half;
    hb_cuda_words inverses, quotients;
};

/* r = b + floor((a + half) / p) in the polynomials that b has, else the quotient alone (semantics.md 6.7). A thread
 * reads each of its words before it writes it, and no thread writes `last`, so r may be a or b. */
static __global__ void __launch_bounds__(HB_PAIR_THREADS)
    divide_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view b,
                  const __grid_constant__ hb_cuda_view a, const __grid_constant__ hb_cuda_view last,
                  const __grid_constant__ division k, const hb_modulus *moduli, bool fast_f64)
{
    hb_cuda_begin();
    const uint32_t c = hb_tile_polynomial(r.log_n);
    /* The same for a whole thread block: it has one polynomial. */
    const bool plus = c < b.count;
    const uint64_t p = moduli[last.ids[0]].value;
    const bool p_f64 = fast_f64 && moduli[last.ids[0]].f64;
    hb_pair remainder[HB_PAIRS];
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        /* The remainder is common to all limbs: it is computed once and stays in registers. */
        const hb_pair x = hb_pair_load(hb_cuda_row(last, c, 0) + hb_pair_place(r.log_n, v));
        remainder[v] = {{hb_divide_remainder(x.of[0], k.half, p), hb_divide_remainder(x.of[1], k.half, p)}};
    }
    for (uint32_t l = blockIdx.y; l < r.limbs; l += gridDim.y) {
        const hb_modulus m = moduli[r.ids[l]];
        const uint64_t inverse = k.inverses.of[l], quotient = k.quotients.of[l], half_mod = hb_mod_reduce(k.half, &m);
        /* The exact FP64 division needs both moduli below 2^50. */
        const bool f64 = p_f64 && m.f64;
#pragma unroll
        for (uint32_t v = 0; v < HB_PAIRS; v++) {
            const uint32_t j = hb_pair_place(r.log_n, v);
            hb_pair x = hb_pair_load(hb_cuda_row(a, c, l) + j);
            const hb_pair y = plus ? hb_pair_load(hb_cuda_row(b, c, l) + j) : hb_pair{};
            for (uint32_t i = 0; i < 2; i++) {
                x.of[i] = f64 ? hb_divide_exact_f64(x.of[i], remainder[v].of[i], k.half, inverse, &m)
                              : hb_divide_exact(x.of[i], remainder[v].of[i], half_mod, inverse, quotient, &m);
                x.of[i] = hb_mod_add(x.of[i], y.of[i], &m);
            }
            hb_pair_store(hb_cuda_row(r, c, l) + j, x);
        }
    }
}

/* The constants go by value, with Shoup's quotients made on the host. */
static hb_status divide_round(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                              const hb_drop_last *constants)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    /* An empty view has no polynomials, so nothing is added. */
    const hb_cuda_view to = hb_cuda_view_of(e, r), plus = b.data != NULL ? hb_cuda_view_of(e, b) : hb_cuda_view();
    const division k = {constants->half, hb_cuda_words_of(constants->inverse, r.limbs),
                        hb_cuda_quotients_of(e, r, constants->inverse)};
    const dim3 blocks = hb_cuda_share_limbs(hb_cuda(e), hb_cuda_tiles(to, 1).x, to.limbs);
    return hb_cuda_start(hb_cuda(e), divide_kernel, blocks, HB_PAIR_THREADS, 0, to, plus, hb_cuda_view_of(e, a),
                         hb_cuda_view_of(e, last), k, gpu->moduli, gpu->device.fast_f64);
}

static constexpr hb_rns_ops make_ops()
{
    hb_rns_ops ops = {};
    ops.base_convert = hb_on_gpu<base_convert>::call;
    ops.base_convert_each = hb_on_gpu<base_convert_each>::call;
    ops.divide_round = hb_on_gpu<divide_round>::call;
    return ops;
}

constexpr hb_rns_ops hb_cuda_rns_ops = make_ops();
