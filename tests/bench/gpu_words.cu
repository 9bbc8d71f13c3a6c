#include "cuda/device/cuda_private.h"

extern "C" {
#include "gpu_words.h"
#include "ring/ring.h"
}
#include "words.h"

static constexpr unsigned FILL_THREADS = 256, FILL_BLOCKS = 2048;

hb_status hb_gpu_alloc(size_t bytes, void **memory)
{
    const cudaError_t error = cudaMalloc(memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return HB_FAIL(HB_ENOMEM, "no %zu bytes on the GPU for a design", bytes);
    }
    HB_CUDA(error);
    return HB_OK;
}

void hb_gpu_free(void *memory)
{
    (void)cudaFree(memory);
}

/* Primes by value, in a kernel's arguments. */
struct primes_of_case {
    uint64_t of[HB_RING_MAX_MODULI];
};

template <typename word>
static __global__ void fill(word *data, primes_of_case primes, uint32_t log_n, uint32_t moduli, size_t count,
                            uint64_t operand)
{
    const size_t each = (size_t)moduli << log_n, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count * each; i += step) {
        const size_t c = i / each, index = i % each;
        data[i] = (word)hb_words_at(operand + hb_words_number(c, count), index, primes.of[index >> log_n]);
    }
}

hb_status hb_gpu_fill(void *data, uint32_t word_bytes, const hb_design_case *c, uint64_t operand, void *stream)
{
    primes_of_case primes = {};
    memcpy(primes.of, c->primes, c->moduli * sizeof *c->primes);
    const cudaStream_t queue = static_cast<cudaStream_t>(stream);
    if (word_bytes == sizeof(uint32_t)) {
        fill<<<FILL_BLOCKS, FILL_THREADS, 0, queue>>>(static_cast<uint32_t *>(data), primes, c->log_n, c->moduli,
                                                      c->count, operand);
    } else {
        fill<<<FILL_BLOCKS, FILL_THREADS, 0, queue>>>(static_cast<uint64_t *>(data), primes, c->log_n, c->moduli,
                                                      c->count, operand);
    }
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

hb_status hb_gpu_fetch(void *host, const void *from, size_t bytes, void *stream)
{
    HB_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
    HB_CUDA(cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost));
    return HB_OK;
}

hb_status hb_gpu_stream_open(int device, void **stream)
{
    cudaStream_t queue;
    HB_TRY(hb_cuda_make_current(device));
    HB_CUDA(cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking));
    *stream = queue;
    return HB_OK;
}

void hb_gpu_stream_close(void *stream)
{
    if (stream != nullptr) {
        (void)cudaStreamDestroy(static_cast<cudaStream_t>(stream));
    }
}
