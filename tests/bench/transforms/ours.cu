/* The product's own transforms behind the interface of the designs. The engine has a stream of its own: events put its
 * work in the order of the stream that is given, in a recording too. */
#include <memory>

#include "cuda/device/cuda_private.h"

extern "C" {
#include "base/prime.h"
#include "cuda/engine/engine.h"
#include "design.h"
}

struct ours_state {
    hb_ring ring;
    hb_engine *engine;
    cudaEvent_t before, after;
    uint16_t ids[HB_MAX_LIMBS];
    uint32_t moduli;
    size_t count;
};

static void ours_close(void *opaque)
{
    ours_state *s = static_cast<ours_state *>(opaque);
    if (s == nullptr) {
        return;
    }
    hb_engine_close(s->engine);
    for (const cudaEvent_t event : {s->before, s->after}) {
        if (event != nullptr) {
            (void)cudaEventDestroy(event);
        }
    }
    delete s;
}

static hb_status fill(ours_state *s, const hb_design_case *c)
{
    int index;
    hb_cuda_device card;
    HB_TRY(hb_ring_init(&s->ring, c->log_n));
    for (uint32_t i = 0; i < c->moduli; i++) {
        HB_TRY(hb_ring_add_modulus(&s->ring, c->primes[i], &s->ids[i]));
    }
    HB_CUDA(cudaGetDevice(&index));
    HB_TRY(hb_cuda_device_get(index, &card));
    HB_TRY(hb_cuda_engine_open(&s->ring, &card, card.free / 2, &s->engine));
    HB_CUDA(cudaEventCreateWithFlags(&s->before, cudaEventDisableTiming));
    HB_CUDA(cudaEventCreateWithFlags(&s->after, cudaEventDisableTiming));
    return HB_OK;
}

static hb_status ours_open(const hb_design *, const hb_design_case *c, void **state)
{
    if (c->moduli > HB_MAX_LIMBS) {
        return HB_FAIL(HB_EUNAVAILABLE, "a batch has at most %d limbs", HB_MAX_LIMBS);
    }
    ours_state *s = new (std::nothrow) ours_state();
    if (s == nullptr) {
        return HB_FAIL(HB_ENOMEM, "no memory for an engine");
    }
    s->moduli = c->moduli;
    s->count = c->count;
    const hb_status st = fill(s, c);
    if (st != HB_OK) {
        ours_close(s);
        return st;
    }
    *state = s;
    return HB_OK;
}

static hb_status ours_transform(void *state, void *data, bool forward, void *stream)
{
    ours_state *s = static_cast<ours_state *>(state);
    const cudaStream_t given = static_cast<cudaStream_t>(stream);
    const cudaStream_t own = static_cast<cudaStream_t>(hb_engine_native(s->engine));
    const hb_batch x = hb_batch_on(s->engine, static_cast<uint64_t *>(data), s->count, s->moduli, s->ids);
    HB_CUDA(cudaEventRecord(s->before, given));
    HB_CUDA(cudaStreamWaitEvent(own, s->before));
    HB_TRY(forward ? hb_ntt(s->engine, x) : hb_intt(s->engine, x));
    HB_CUDA(cudaEventRecord(s->after, own));
    HB_CUDA(cudaStreamWaitEvent(given, s->after));
    return HB_OK;
}

/* For a ring with a modulus that has no root there are no tables. */
static uint64_t bytes_without_tables(const hb_ring *ring)
{
    auto empty = std::make_unique<hb_ring>();
    hb_engine *engine = nullptr;
    hb_cuda_device card;
    uint16_t id;
    int index;
    uint64_t bytes = 0;
    if (cudaGetDevice(&index) == cudaSuccess && hb_cuda_device_get(index, &card) == HB_OK &&
        hb_ring_init(empty.get(), ring->log_n) == HB_OK && hb_ring_add_modulus(empty.get(), 2, &id) == HB_OK &&
        hb_cuda_engine_open(empty.get(), &card, card.free / 2, &engine) == HB_OK) {
        bytes = hb_cuda_engine_bytes(engine);
    }
    hb_engine_close(engine);
    return bytes;
}

static size_t ours_table_bytes(const void *state)
{
    const ours_state *s = static_cast<const ours_state *>(state);
    const uint64_t all = hb_cuda_engine_bytes(s->engine) - bytes_without_tables(&s->ring);
    return all / s->moduli / 2;
}

static hb_design describe()
{
    hb_design d = {};
    d.name = d.title = "ours";
    d.source = "cuda/README.md";
    d.word_bytes = sizeof(uint64_t);
    d.most_bits = HB_MODULUS_MAX_BITS;
    d.min_log_n = 10;
    d.max_log_n = HB_RING_MAX_LOG_N;
    d.open = ours_open;
    d.transform = ours_transform;
    d.close = ours_close;
    d.table_bytes = ours_table_bytes;
    return d;
}
const hb_design hb_designs_ours[] = {describe(), {}};
