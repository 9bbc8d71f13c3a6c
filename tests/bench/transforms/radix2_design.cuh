/* A hb_design of radix 2 on the host, for any reduction and plan (radix2.cuh). All is static: a kernel of which several
 * files have a copy is then asked for its shared memory in the copy that is launched. */
#ifndef HB_BENCH_RADIX2_DESIGN_CUH
#define HB_BENCH_RADIX2_DESIGN_CUH

#include <new>

#include "radix2.cuh"

template <typename R> struct hb_radix2_state {
    hb_tables<R> tables;
    hb_radix2_place place;
    uint32_t log_n, moduli, log_tile; /* log_tile 0: none */
    size_t count, shared_bytes;
    bool forward;
};

template <typename R, bool forward> using hb_radix2_kernel = void (*)(hb_radix2_view<R>, uint32_t);

template <typename R, bool forward> static hb_radix2_kernel<R, forward> hb_radix2_tile_kernel(hb_radix2_place place)
{
    switch (place) {
    case HB_TILE_IN_MEMORY:
        return hb_radix2_tile<R, forward, HB_TILE_IN_MEMORY>;
    case HB_TILE_IN_SHARED:
        return hb_radix2_tile<R, forward, HB_TILE_IN_SHARED>;
    default:
        return hb_radix2_tile<R, forward, HB_TILE_IN_WARPS>;
    }
}

static inline uint32_t hb_radix2_threads(uint32_t log_words)
{
    const uint32_t butterflies = 1u << (log_words - 1);
    return butterflies < HB_RADIX2_THREADS ? butterflies : HB_RADIX2_THREADS;
}

/* More than 48 KiB of shared memory a block has to be asked for. HB_EUNAVAILABLE: this GPU has less. */
template <typename R> static hb_status hb_radix2_ask_shared(const hb_radix2_state<R> *s)
{
    int device = 0, most = 0;
    HB_CUDA(cudaGetDevice(&device));
    HB_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (s->shared_bytes > (size_t)most) {
        return HB_FAIL(HB_EUNAVAILABLE,
                       "tiles of 2^%u words take %zu bytes of shared memory; a block of this GPU has %d", s->log_tile,
                       s->shared_bytes, most);
    }
    auto *kernel = s->forward ? (const void *)hb_radix2_tile_kernel<R, true>(s->place)
                              : (const void *)hb_radix2_tile_kernel<R, false>(s->place);
    HB_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)s->shared_bytes));
    return HB_OK;
}

template <typename R> static void hb_radix2_close(void *state)
{
    auto *s = (hb_radix2_state<R> *)state;
    if (s != NULL) {
        hb_tables_close(&s->tables);
        delete s;
    }
}

template <typename R> static hb_status hb_radix2_open(const hb_design *design, const hb_design_case *c, void **state)
{
    const auto *plan = (const hb_radix2_plan *)design->variant;
    auto *s = new (std::nothrow) hb_radix2_state<R>();
    if (s == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the state of a design");
    }
    const uint32_t log_tile = c->forward ? plan->log_tile_forward : plan->log_tile_inverse;
    *s = {{}, plan->place, c->log_n, c->moduli, log_tile < c->log_n ? log_tile : c->log_n, c->count, 0, c->forward};
    if (s->log_tile > 0 && s->place == HB_TILE_IN_SHARED) {
        s->shared_bytes = sizeof(typename R::word) << s->log_tile;
    }
    hb_status status = s->shared_bytes > 0 ? hb_radix2_ask_shared(s) : HB_OK;
    if (status == HB_OK) {
        status = hb_tables_open<R>(c, c->forward, c->forward ? HB_SCALE_APART : HB_SCALE_HALVES, &s->tables);
    }
    if (status != HB_OK) {
        hb_radix2_close<R>(s);
        return status;
    }
    *state = s;
    return HB_OK;
}

template <typename R, bool forward>
static hb_status hb_radix2_launch(const hb_radix2_state<R> *s, hb_radix2_view<R> v, cudaStream_t stream)
{
    const uint32_t single = s->log_n - s->log_tile; /* stages that are a kernel each */
    const uint32_t threads = hb_radix2_threads(s->log_n);
    const dim3 stage_grid((uint32_t)((s->count << (s->log_n - 1)) / threads), s->moduli);
    for (uint32_t stage = 0; forward && stage < single; stage++) {
        hb_radix2_stage<R, true><<<stage_grid, threads, 0, stream>>>(v, s->log_n - 1 - stage);
    }
    if (s->log_tile > 0) {
        const auto tile = hb_radix2_tile_kernel<R, forward>(s->place);
        const dim3 grid((uint32_t)(s->count << single), s->moduli);
        tile<<<grid, hb_radix2_threads(s->log_tile), s->shared_bytes, stream>>>(v, s->log_tile);
    }
    for (uint32_t stage = 0; !forward && stage < single; stage++) {
        hb_radix2_stage<R, false><<<stage_grid, threads, 0, stream>>>(v, s->log_tile + stage);
    }
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

template <typename R> static hb_status hb_radix2_transform(void *state, void *data, bool forward, void *stream)
{
    auto *s = (const hb_radix2_state<R> *)state;
    HB_ASSERT(forward == s->forward); /* tables of the other way were not asked for */
    const hb_radix2_view<R> v = {(typename R::word *)data, s->tables.twiddles, s->tables.constants, s->log_n};
    return forward ? hb_radix2_launch<R, true>(s, v, (cudaStream_t)stream)
                   : hb_radix2_launch<R, false>(s, v, (cudaStream_t)stream);
}

template <typename R> static size_t hb_radix2_table_bytes(const void *state)
{
    return sizeof(typename R::twiddle) << ((const hb_radix2_state<R> *)state)->log_n;
}

/* The design of a plan, which has to outlive it, up to N = 2^max_log_n. */
template <typename R>
static constexpr hb_design hb_radix2_design(const char *name, const char *title, const char *source,
                                            const hb_radix2_plan *plan, uint32_t max_log_n)
{
    hb_design d = {};
    d.name = name;
    d.title = title;
    d.source = source;
    d.word_bytes = sizeof(typename R::word);
    d.most_bits = R::most_bits;
    d.min_log_n = HB_RADIX2_MIN_LOG_N;
    d.max_log_n = max_log_n;
    d.variant = plan;
    d.open = hb_radix2_open<R>;
    d.transform = hb_radix2_transform<R>;
    d.close = hb_radix2_close<R>;
    d.table_bytes = hb_radix2_table_bytes<R>;
    return d;
}

#endif
