/* The engine's life, and its table of operations. */
#include <inttypes.h>
#include <new>
#include <type_traits>

#include "cuda_private.h"
#include "cuda/ntt/ntt.h"
#include "cuda/ntt/tile.cuh"

/* What both kinds of views have. */
template <class view> static view view_of(const hb_engine *e, hb_batch a)
{
    view v = {};
    HB_ASSERT(a.count <= (size_t)INT32_MAX >> (e->ring->log_n - HB_TILE_LOG_WORDS)); /* tiles: blockIdx.x */
    v.limbs = a.limbs;
    v.count = static_cast<uint32_t>(a.count);
    v.log_n = e->ring->log_n;
    memcpy(v.ids, a.ids, a.limbs * sizeof *a.ids);
    return v;
}

static bool aligned(hb_limb_place rows)
{
    return rows.stride % 2 == 0 && reinterpret_cast<uintptr_t>(rows.data) % 16 == 0;
}

hb_cuda_view hb_cuda_view_of(const hb_engine *e, hb_batch a)
{
    hb_cuda_view view = view_of<hb_cuda_view>(e, a);
    HB_ASSERT(a.step == 0 && a.n == 0 && a.places == NULL && aligned({a.data, a.stride}));
    view.data = a.data;
    view.stride = a.stride;
    return view;
}

hb_cuda_scattered hb_cuda_scattered_of(const hb_engine *e, hb_batch a)
{
    hb_cuda_scattered view = view_of<hb_cuda_scattered>(e, a);
    for (uint32_t l = 0; l < a.limbs; l++) {
        view.places[l] = hb_batch_place(e, a, l);
        HB_ASSERT(aligned(view.places[l]));
    }
    view.n = static_cast<uint32_t>(a.n != 0 ? a.n : e->ring->n);
    return view;
}

hb_cuda_view hb_cuda_view_for_all(const hb_engine *e, hb_batch a)
{
    hb_cuda_view view = hb_cuda_view_of(e, a);
    view.stride = a.count == 1 ? 0 : view.stride;
    return view;
}

hb_cuda_words hb_cuda_words_of(const uint64_t *words, uint32_t limbs)
{
    hb_cuda_words copy = {};
    memcpy(copy.of, words, limbs * sizeof *words);
    return copy;
}

hb_cuda_words hb_cuda_quotients_of(const hb_engine *e, hb_batch r, const uint64_t *factors)
{
    hb_cuda_words quotients = {};
    for (uint32_t l = 0; l < r.limbs; l++) {
        quotients.of[l] = hb_shoup_quotient(factors[l], e->ring->moduli[r.ids[l]].value);
    }
    return quotients;
}

/* An operation of ring/engine.h with the engine's GPU current in the calling thread, which may be any. */
template <auto operation> struct on_gpu;
template <typename result, typename... arguments, result (*operation)(hb_engine *, arguments...)>
struct on_gpu<operation> {
    static result call(hb_engine *e, arguments... values)
    {
        if constexpr (std::is_void_v<result>) {
            (void)cudaSetDevice(hb_cuda(e)->gpu->device.index);
        } else {
            HB_TRY(hb_cuda_make_current(hb_cuda(e)->gpu->device.index));
        }
        return operation(e, values...);
    }
};

static hb_status finish(hb_engine *e)
{
    return hb_cuda_wait(hb_cuda(e));
}

static void *native(hb_engine *e)
{
    return hb_cuda(e)->stream;
}

static hb_status queue_open(const hb_ring *ring, hb_cuda_gpu *gpu, hb_engine **out);

static hb_status fork_queue(hb_engine *e, hb_engine **out)
{
    hb_cuda(e)->gpu->users.fetch_add(1);
    return queue_open(e->ring, hb_cuda(e)->gpu, out);
}

static void gpu_close(hb_cuda_gpu *gpu)
{
    if (gpu->users.fetch_sub(1) != 1) {
        return;
    }
    HB_ASSERT(gpu->blocks == NULL);
    hb_cuda_ntt_close(gpu, gpu->ntt);
    hb_cuda_release(gpu, gpu->moduli, gpu->moduli_count * sizeof *gpu->moduli);
    delete gpu;
}

static void close_queue(hb_engine *e)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    if (cuda->stage != NULL && cuda->stream != NULL) {
        (void)cudaMemsetAsync(cuda->stage, 0, HB_CUDA_STAGE_BYTES, cuda->stream);
    }
    if (cuda->stream != NULL) {
        (void)cudaStreamSynchronize(cuda->stream);
        (void)cudaStreamDestroy(cuda->stream);
    }
    if (cuda->stage_host != NULL) {
        hb_wipe(cuda->stage_host, HB_CUDA_STAGE_BYTES);
        (void)cudaFreeHost(cuda->stage_host);
    }
    (void)cudaGetLastError();
    hb_cuda_release(cuda->gpu, cuda->stage, HB_CUDA_STAGE_BYTES);
    hb_cuda_release(cuda->gpu, cuda->ntt_work, HB_CUDA_NTT_WORK * sizeof *cuda->ntt_work);
    hb_cuda_release(cuda->gpu, cuda->leaves, HB_CUDA_LEAF_BYTES);
    gpu_close(cuda->gpu);
    delete cuda;
}

static constexpr hb_ring_ops make_ring()
{
    hb_ring_ops ops = {};
    ops.copy = on_gpu<hb_cuda_copy>::call;
    ops.clear = on_gpu<hb_cuda_clear>::call;
    ops.add = on_gpu<hb_cuda_add>::call;
    ops.sub = on_gpu<hb_cuda_sub>::call;
    ops.negate = on_gpu<hb_cuda_negate>::call;
    ops.mul = on_gpu<hb_cuda_mul>::call;
    ops.scale = on_gpu<hb_cuda_scale>::call;
    ops.permute = on_gpu<hb_cuda_permute>::call;
    ops.galois = on_gpu<hb_cuda_galois>::call;
    ops.count_zeros = on_gpu<hb_cuda_count_zeros>::call;
    return ops;
}

static constexpr hb_ring_ops cuda_ring_ops = make_ring();

static constexpr hb_ntt_ops make_ntt()
{
    hb_ntt_ops ops = {};
    ops.ntt = on_gpu<hb_cuda_ntt_forward>::call;
    ops.intt = on_gpu<hb_cuda_ntt_inverse>::call;
    ops.ntt_of = on_gpu<hb_cuda_ntt_of>::call;
    ops.ntt_mul = on_gpu<hb_cuda_ntt_mul>::call;
    ops.ntt_spread = on_gpu<hb_cuda_ntt_spread>::call;
    return ops;
}

static constexpr hb_ntt_ops cuda_ntt_ops = make_ntt();

static constexpr hb_sample_ops make_sample()
{
    hb_sample_ops ops = {};
    ops.sample_uniform = on_gpu<hb_cuda_sample_uniform>::call;
    ops.mul_uniform = on_gpu<hb_cuda_mul_uniform>::call;
    ops.sample_small = on_gpu<hb_cuda_sample_small>::call;
    ops.add_small = on_gpu<hb_cuda_add_small>::call;
    return ops;
}

static constexpr hb_sample_ops cuda_sample_ops = make_sample();

static constexpr hb_rns_ops make_rns()
{
    hb_rns_ops ops = {};
    ops.base_convert = on_gpu<hb_cuda_base_convert>::call;
    ops.divide_round = on_gpu<hb_cuda_divide_round>::call;
    return ops;
}

static constexpr hb_rns_ops cuda_rns_ops = make_rns();

static constexpr hb_garner_ops make_garner()
{
    hb_garner_ops ops = {};
    ops.garner_digits = on_gpu<hb_cuda_garner_digits>::call;
    ops.infinity_norm = on_gpu<hb_cuda_infinity_norm>::call;
    return ops;
}

static constexpr hb_garner_ops cuda_garner_ops = make_garner();

static constexpr hb_product_ops make_products()
{
    hb_product_ops ops = {};
    ops.tensor = on_gpu<hb_cuda_tensor>::call;
    ops.spread = on_gpu<hb_cuda_spread>::call;
    ops.key_products = on_gpu<hb_cuda_key_products>::call;
    return ops;
}

static constexpr hb_product_ops cuda_product_ops = make_products();

static constexpr hb_row_ops make_rows()
{
    hb_row_ops ops = {};
    ops.pack = on_gpu<hb_cuda_pack>::call;
    ops.unpack = on_gpu<hb_cuda_unpack>::call;
    ops.digest_rows = on_gpu<hb_cuda_digest_rows>::call;
    return ops;
}

static constexpr hb_row_ops cuda_row_ops = make_rows();

static constexpr hb_bfv_ops make_bfv()
{
    hb_bfv_ops ops = {};
    ops.add_scaled_plain = on_gpu<hb_cuda_add_scaled_plain>::call;
    ops.lift_plain = on_gpu<hb_cuda_lift_plain>::call;
    ops.gamma_correct = on_gpu<hb_cuda_gamma_correct>::call;
    return ops;
}

static constexpr hb_bfv_ops cuda_bfv_ops = make_bfv();

static constexpr hb_memory_ops make_memory()
{
    hb_memory_ops ops = {};
    ops.host_alloc = on_gpu<hb_cuda_host_alloc>::call;
    ops.host_free = on_gpu<hb_cuda_host_free>::call;
    ops.alloc = on_gpu<hb_cuda_alloc>::call;
    ops.free = on_gpu<hb_cuda_free>::call;
    ops.upload = on_gpu<hb_cuda_upload>::call;
    ops.download = on_gpu<hb_cuda_download>::call;
    return ops;
}

static constexpr hb_memory_ops cuda_memory_ops = make_memory();

static constexpr hb_record_ops make_record()
{
    hb_record_ops ops = {};
    ops.record = on_gpu<hb_cuda_record>::call;
    ops.replay = on_gpu<hb_cuda_replay>::call;
    ops.forget = on_gpu<hb_cuda_forget>::call;
    return ops;
}

static constexpr hb_record_ops cuda_record_ops = make_record();

static constexpr hb_engine_ops make_ops()
{
    hb_engine_ops ops = {};
    ops.name = "cuda";
    ops.fork = on_gpu<fork_queue>::call;
    ops.close = on_gpu<close_queue>::call;
    ops.finish = on_gpu<finish>::call;
    ops.native = native;
    ops.ring = &cuda_ring_ops;
    ops.ntt = &cuda_ntt_ops;
    ops.sample = &cuda_sample_ops;
    ops.rns = &cuda_rns_ops;
    ops.garner = &cuda_garner_ops;
    ops.products = &cuda_product_ops;
    ops.rows = &cuda_row_ops;
    ops.bfv = &cuda_bfv_ops;
    ops.memory = &cuda_memory_ops;
    ops.record = &cuda_record_ops;
    return ops;
}

static constexpr hb_engine_ops cuda_ops = make_ops();

static_assert(HB_CUDA_STAGE_BYTES + HB_CUDA_LEAF_BYTES + HB_CUDA_NTT_WORK * sizeof(uint32_t) <= HB_CUDA_QUEUE_BYTES,
              "engine.h promises what a queue takes");

static hb_status queue_fill(hb_cuda_engine *cuda)
{
    void *memory = NULL;
    HB_CUDA(cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking));
    HB_TRY(hb_cuda_host_alloc(&cuda->base, HB_CUDA_STAGE_BYTES, &memory));
    cuda->stage_host = static_cast<uint8_t *>(memory);
    HB_TRY(hb_cuda_allocate(cuda->gpu, HB_CUDA_STAGE_BYTES, &memory));
    cuda->stage = static_cast<uint8_t *>(memory);
    HB_TRY(hb_cuda_allocate(cuda->gpu, HB_CUDA_NTT_WORK * sizeof *cuda->ntt_work, &memory));
    cuda->ntt_work = static_cast<uint32_t *>(memory);
    HB_TRY(hb_cuda_allocate(cuda->gpu, HB_CUDA_LEAF_BYTES, &memory));
    cuda->leaves = static_cast<uint8_t *>(memory);
    HB_CUDA(cudaMemsetAsync(cuda->ntt_work, 0, HB_CUDA_NTT_WORK * sizeof *cuda->ntt_work, cuda->stream));
    return hb_cuda_wait(cuda);
}

/* Takes over the caller's use of the gpu, also on failure. */
static hb_status queue_open(const hb_ring *ring, hb_cuda_gpu *gpu, hb_engine **out)
{
    hb_cuda_engine *cuda = new (std::nothrow) hb_cuda_engine();
    if (cuda == NULL) {
        const hb_status failed =
            HB_FAIL(HB_ENOMEM, "no memory on the host for the engine of GPU %d", gpu->device.index);
        gpu_close(gpu); /* frees it, if nobody else uses it */
        return failed;
    }
    cuda->base.ops = &cuda_ops;
    cuda->base.ring = ring;
    cuda->gpu = gpu;
    const hb_status st = queue_fill(cuda);
    if (st != HB_OK) {
        close_queue(&cuda->base);
        return st;
    }
    *out = &cuda->base;
    return HB_OK;
}

static hb_status gpu_fill(hb_cuda_gpu *gpu, const hb_ring *ring)
{
    const size_t bytes = ring->count * sizeof *gpu->moduli;
    void *memory = NULL;
    gpu->moduli_count = ring->count;
    HB_TRY(hb_cuda_make_current(gpu->device.index));
    HB_TRY(hb_cuda_allocate(gpu, bytes, &memory));
    gpu->moduli = static_cast<hb_modulus *>(memory);
    HB_CUDA(cudaMemcpy(gpu->moduli, ring->moduli, bytes, cudaMemcpyHostToDevice));
    HB_TRY(hb_cuda_ntt_open(gpu, ring, &gpu->ntt));
    /* Copies from memory that is not page-locked return before they have arrived, and the queues' streams do not wait
     * for the default stream. */
    HB_CUDA(cudaDeviceSynchronize());
    return HB_OK;
}

hb_status hb_cuda_engine_open(const hb_ring *ring, const hb_cuda_device *device, uint64_t memory_limit, hb_engine **out)
{
    *out = NULL;
    if (ring->log_n < HB_TILE_LOG_WORDS) {
        return HB_FAIL(HB_ECONFIG, "the CUDA engine needs N of 2^%d or more, not 2^%" PRIu32, HB_TILE_LOG_WORDS,
                       ring->log_n);
    }
    hb_cuda_gpu *gpu = new (std::nothrow) hb_cuda_gpu();
    if (gpu == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory on the host for the engine of GPU %d", device->index);
    }
    gpu->device = *device;
    gpu->limit = memory_limit;
    gpu->users = 1;
    const hb_status st = gpu_fill(gpu, ring);
    if (st != HB_OK) {
        gpu_close(gpu);
        return st;
    }
    return queue_open(ring, gpu, out);
}

uint64_t hb_cuda_engine_bytes(const hb_engine *engine)
{
    return reinterpret_cast<const hb_cuda_engine *>(engine)->gpu->bytes;
}
