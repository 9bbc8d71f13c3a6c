/* The engine's life, and its table of operations. */
#include <inttypes.h>
#include <new>

#include "cuda/device/tile.cuh"
#include "cuda/ntt/ntt.h"

extern "C" {
#include "engine.h"
}

static hb_status finish(hb_engine *e)
{
    return hb_cuda_wait(hb_cuda(e));
}

/* The exchange of divided limbs (NCCL) issues its transfers to this stream. */
static void *native(hb_engine *e)
{
    return hb_cuda(e)->stream;
}

static hb_status queue_open(const hb_ring *ring, hb_cuda_gpu *gpu, hb_engine **out);

static hb_status fork_queue(hb_engine *e, hb_engine **out)
{
    /* Counted first: queue_open gives this use back where it fails. */
    hb_cuda(e)->gpu->users.fetch_add(1);
    return queue_open(e->ring, hb_cuda(e)->gpu, out);
}

/* The other ring has tables of its own, and an account with what is left in this one. */
static hb_status open_beside(hb_engine *e, const hb_ring *ring, hb_engine **out)
{
    const hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    const uint64_t held = gpu->bytes.load();
    return hb_cuda_engine_open(ring, &gpu->device, held < gpu->limit ? gpu->limit - held : 0, out);
}

/* Gives up one use of the gpu; the last one frees it. No memory of a caller may be left then. */
static void gpu_close(hb_cuda_gpu *gpu)
{
    if (gpu->users.fetch_sub(1) != 1) {
        return;
    }
    /* Anyone who still has memory of this GPU would free it after the account is gone. */
    HB_ASSERT(gpu->blocks == NULL);
    hb_cuda_ntt_close(gpu, gpu->ntt);
    hb_cuda_release(gpu, gpu->moduli, gpu->moduli_count * sizeof *gpu->moduli);
    delete gpu;
}

/* Closes a queue, also one that queue_fill left half open. Results are not looked at: a GPU that has failed fails here
 * too, and an earlier call has said so. */
static void close_queue(hb_engine *e)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    /* Staged seeds are secret. The wipe goes behind all work of the queue, and is waited for before the memory is
     * freed. */
    if (cuda->stage != NULL && cuda->stream != NULL) {
        (void)cudaMemsetAsync(cuda->stage, 0, HB_CUDA_STAGE_BYTES, cuda->stream);
    }
    if (cuda->stream != NULL) {
        (void)cudaStreamSynchronize(cuda->stream);
        (void)cudaStreamDestroy(cuda->stream);
    }
    /* Seeds stand here as well. */
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

/* The table is built by a function because C++17 has no designated initializers. */
static constexpr hb_engine_ops make_ops()
{
    hb_engine_ops ops = {};
    ops.name = "cuda";
    ops.fork = hb_on_gpu<fork_queue>::call;
    ops.beside = hb_on_gpu<open_beside>::call;
    ops.close = hb_on_gpu<close_queue>::call;
    ops.finish = hb_on_gpu<finish>::call;
    ops.native = native;
    ops.memory = &hb_cuda_memory_ops;
    ops.record = &hb_cuda_record_ops;
    ops.ring = &hb_cuda_ring_ops;
    ops.ntt = &hb_cuda_ntt_ops;
    ops.sample = &hb_cuda_sample_ops;
    ops.rns = &hb_cuda_rns_ops;
    ops.garner = &hb_cuda_garner_ops;
    ops.products = &hb_cuda_product_ops;
    ops.rows = &hb_cuda_row_ops;
    ops.bfv = &hb_cuda_bfv_ops;
    ops.real = &hb_cuda_real_ops;
    return ops;
}

static constexpr hb_engine_ops cuda_ops = make_ops();

static_assert(HB_CUDA_STAGE_BYTES + HB_CUDA_LEAF_BYTES + HB_CUDA_NTT_WORK * sizeof(uint32_t) <= HB_CUDA_QUEUE_BYTES,
              "engine.h promises what a queue takes");

/* Makes the stream and the memory of a queue. After a failure, close_queue frees the parts that exist. */
static hb_status queue_fill(hb_cuda_engine *cuda)
{
    void *memory = NULL;
    /* A stream that does not wait for the default stream, which other libraries of the process may use. */
    HB_CUDA(cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking));
    HB_TRY(hb_host_alloc(&cuda->base, HB_CUDA_STAGE_BYTES, &memory));
    cuda->stage_host = static_cast<uint8_t *>(memory);
    HB_TRY(hb_cuda_allocate(cuda->gpu, HB_CUDA_STAGE_BYTES, &memory));
    cuda->stage = static_cast<uint8_t *>(memory);
    HB_TRY(hb_cuda_allocate(cuda->gpu, HB_CUDA_NTT_WORK * sizeof *cuda->ntt_work, &memory));
    cuda->ntt_work = static_cast<uint32_t *>(memory);
    HB_TRY(hb_cuda_allocate(cuda->gpu, HB_CUDA_LEAF_BYTES, &memory));
    cuda->leaves = static_cast<uint8_t *>(memory);
    /* The dataflow kernel of the transforms finds its counters at zero and leaves them so (cuda/ntt/dataflow.cu). */
    HB_CUDA(cudaMemsetAsync(cuda->ntt_work, 0, HB_CUDA_NTT_WORK * sizeof *cuda->ntt_work, cuda->stream));
    return hb_cuda_wait(cuda);
}

/* Opens a queue of the gpu. It takes over the caller's use of the gpu, also on failure. */
static hb_status queue_open(const hb_ring *ring, hb_cuda_gpu *gpu, hb_engine **out)
{
    hb_cuda_engine *cuda = new (std::nothrow) hb_cuda_engine();
    if (cuda == NULL) {
        const hb_status failed =
            HB_FAIL(HB_ENOMEM, "no memory on the host for the engine of GPU %d", gpu->device.index);
        gpu_close(gpu); /* frees it with its last user */
        return failed;
    }
    /* From here on close_queue can take it, however far queue_fill comes. */
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

/* Copies the moduli to the GPU and makes the tables of the transforms there. gpu_close frees the parts that exist. */
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
    /* Copies from memory that is not page-locked return before they have arrived, and kernels that fill tables run on
     * the default stream, for which the streams of queues do not wait. */
    HB_CUDA(cudaDeviceSynchronize());
    return HB_OK;
}

hb_status hb_cuda_engine_open(const hb_ring *ring, const hb_cuda_device *device, uint64_t memory_limit, hb_engine **out)
{
    *out = NULL;
    /* Kernels take tiles of 2^10 words of one row; smaller rings are for the CPU engine. */
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
    /* The engine that is being opened; queue_open takes this use over. */
    gpu->users = 1;
    const hb_status st = gpu_fill(gpu, ring);
    if (st != HB_OK) {
        gpu_close(gpu);
        return st;
    }
    return queue_open(ring, gpu, out);
}

size_t hb_cuda_engine_recorded(const hb_engine *engine)
{
    return reinterpret_cast<const hb_cuda_engine *>(engine)->recorded;
}

uint64_t hb_cuda_engine_bytes(const hb_engine *engine)
{
    return reinterpret_cast<const hb_cuda_engine *>(engine)->gpu->bytes;
}
