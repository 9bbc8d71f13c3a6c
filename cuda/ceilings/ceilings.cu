/* Ceilings of one GPU: kernels that do one thing and nothing else. */
#include "ceilings.cuh"

#include "cuda/rows/blake2b.h"
#include "cuda/ring/chacha.h"
#include "cuda/ntt/f64.cuh"
#include "cuda/ntt/pass.cuh"
#include "cuda/ntt/u64.cuh"

#define THREADS 256
#define BLOCKS_PER_MULTIPROCESSOR 32 /* several waves: the last one, not full, weighs little */
#define VECTORS 4                    /* of 16 bytes that a thread copies */

/* Copies memory. All loads of a thread come before its stores, so that they are under way together. */
static __global__ void __launch_bounds__(THREADS) copy_kernel(ulonglong2 *to, const ulonglong2 *from)
{
    const size_t first = (size_t)blockIdx.x * THREADS * VECTORS + threadIdx.x;
    ulonglong2 x[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        x[i] = from[first + i * THREADS];
    }
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        to[first + i * THREADS] = x[i];
    }
}

/* Measures the rate of copying: the better of a plain kernel and the driver's copy. A quarter of the memory each, up to
 * 1 GiB, so that the second-level cache holds little of it. */
static hb_status measure_copy(hb_stopwatch &watch, uint64_t memory, double *rate)
{
    const size_t piece = (size_t)THREADS * VECTORS * sizeof(ulonglong2);
    const size_t blocks = (size_t)std::min(memory / 4, (uint64_t)1 << 30) / piece, bytes = blocks * piece;
    if (blocks == 0) {
        return HB_FAIL(HB_ENOMEM, "too little memory of the GPU is allowed to measure it");
    }
    hb_probe_memory to, from;
    HB_TRY(to.open(bytes, false));
    HB_TRY(from.open(bytes, false));
    HB_CUDA(cudaMemsetAsync(from.memory, 1, bytes, watch.stream));
    double kernel, driver;
    HB_TRY(hb_time(
        watch,
        [&] {
            copy_kernel<<<(unsigned)blocks, THREADS, 0, watch.stream>>>(static_cast<ulonglong2 *>(to.memory),
                                                                        static_cast<const ulonglong2 *>(from.memory));
            HB_CUDA_LAUNCHED();
            return HB_OK;
        },
        &kernel));
    HB_TRY(hb_time(
        watch,
        [&] {
            HB_CUDA(cudaMemcpyAsync(to.memory, from.memory, bytes, cudaMemcpyDeviceToDevice, watch.stream));
            return HB_OK;
        },
        &driver));
    /* Each byte is read once and written once. */
    *rate = 2 * (double)bytes / std::min(kernel, driver);
    return HB_OK;
}

/* Returns the number of a thread, which keeps the compiler from computing the loops' results itself. */
__device__ static uint64_t thread_number()
{
    return (uint64_t)blockIdx.x * THREADS + threadIdx.x;
}

/* Loops on registers. A class has loop(), which does `operations` of a kind for its thread and returns a word that
 * depends on all of them, so that the compiler keeps them. */
namespace
{
/* Butterflies of a transform in arithmetic A. */
template <class A> struct butterflies {
    enum { LOG_WORDS = 4, WORDS = 1 << LOG_WORDS, PASSES = 64 };
    static constexpr double operations = PASSES * LOG_WORDS * WORDS / 2;

    hb_ntt_header header; /* given at run time: the compiler would multiply by a constant in cheaper ways */

    __device__ static void twiddle_of(double &w, uint64_t bits)
    {
        w = (double)(bits & 0xfff);
    }
    template <class pair> __device__ static void twiddle_of(pair &w, uint64_t bits)
    {
        w = {bits, ~bits};
    }

    /* Passes of radix 16 over words that never leave their thread; their values do not matter to the time. */
    __device__ uint64_t loop() const
    {
        const typename A::prime m = A::load_prime(&header);
        typename A::word x[WORDS];
        typename A::twiddle w[LOG_WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            x[k] = A::of_canonical(thread_number() + k);
        }
#pragma unroll
        for (int level = 0; level < LOG_WORDS; level++) {
            twiddle_of(w[level], thread_number() + 77 * level);
        }
#pragma unroll 1
        for (int pass = 0; pass < PASSES; pass++) {
#pragma unroll
            for (int level = 0; level < LOG_WORDS; level++) {
                const int half = WORDS >> (level + 1);
#pragma unroll
                for (int k = 0; k < WORDS; k++) {
                    if ((k & half) == 0) {
                        hb_ntt_butterfly<A>(x[k], x[k + half], w[level], false, m);
                    }
                }
            }
        }
        uint64_t sum = 0;
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            sum ^= A::to_bits(x[k]);
        }
        return sum;
    }
};

/* Each block is the key of the next: nothing of a block can be made once for all of them. */
struct chacha {
    static constexpr double operations = 16;

    __device__ uint64_t loop() const
    {
        hb_chacha_streams streams = {};
        uint64_t words[HB_CHACHA_WORDS] = {thread_number()};
#pragma unroll 1
        for (int i = 0; i < (int)operations; i++) {
            HB_UNROLL
            for (int k = 0; k < HB_CHACHA_WORDS; k++) {
                streams.key[k] ^= (uint32_t)(words[k] ^ words[k] >> 32);
            }
            hb_chacha_block(words, &streams, 0, (uint32_t)i);
        }
        uint64_t sum = 0;
        HB_UNROLL
        for (int k = 0; k < HB_CHACHA_WORDS; k++) {
            sum ^= words[k];
        }
        return sum;
    }
};

/* Each block changes the state that the next one starts from. */
struct blake2b {
    static constexpr double operations = 8;

    __device__ uint64_t loop() const
    {
        uint64_t h[8], m[16];
        HB_UNROLL
        for (int k = 0; k < 8; k++) {
            h[k] = hb_blake2b_start(k);
        }
        HB_UNROLL
        for (int k = 0; k < 16; k++) {
            m[k] = thread_number() * (2 * k + 1);
        }
#pragma unroll 1
        for (int i = 0; i < (int)operations; i++) {
            hb_blake2b_compress(h, m, (uint64_t)i, 0);
        }
        uint64_t sum = 0;
        HB_UNROLL
        for (int k = 0; k < 8; k++) {
            sum ^= h[k];
        }
        return sum;
    }
};
} /* namespace */

/* Runs one loop a thread and keeps its result. */
template <class work>
static __global__ void __launch_bounds__(THREADS) loop_kernel(uint64_t *sink, const __grid_constant__ work w)
{
    sink[thread_number()] = w.loop();
}

/* Measures how many operations of a loop the GPU does a second. */
template <class work>
static hb_status measure_loop(hb_stopwatch &watch, const work &w, unsigned blocks, uint64_t *sink, double *rate)
{
    double seconds;
    HB_TRY(hb_time(
        watch,
        [&] {
            loop_kernel<work><<<blocks, THREADS, 0, watch.stream>>>(sink, w);
            HB_CUDA_LAUNCHED();
            return HB_OK;
        },
        &seconds));
    *rate = work::operations * THREADS * blocks / seconds;
    return HB_OK;
}

hb_status hb_cuda_ceilings_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_ceilings *ceilings)
{
    *ceilings = hb_cuda_ceilings();
    HB_TRY(hb_cuda_make_current(device->index));
    hb_cuda_ceilings found = {};
    const unsigned blocks = (unsigned)device->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
    hb_stopwatch watch;
    HB_TRY(watch.open());
    /* The memory of one measurement is given back before the next one takes its own. */
    HB_TRY(measure_copy(watch, memory, &found.copy));
    hb_probe_memory sink;
    HB_TRY(sink.open((size_t)blocks * THREADS * sizeof(uint64_t), false));
    /* Both arithmetics take this prime; only its constants are looked at. */
    hb_ntt_header header = {};
    header.value = 0x1ffffffe48001; /* a prime of 49 bits, as any other */
    header.f64_value = (double)header.value;
    header.f64_inverse = 1 / header.f64_value;
    uint64_t *words = static_cast<uint64_t *>(sink.memory);
    HB_TRY(measure_loop(watch, butterflies<hb_ntt_f64<49>>{header}, blocks, words, &found.f64_butterflies));
    HB_TRY(measure_loop(watch, butterflies<hb_ntt_u64<59>>{header}, blocks, words, &found.u64_butterflies));
    HB_TRY(measure_loop(watch, chacha(), blocks, words, &found.chacha_blocks));
    HB_TRY(measure_loop(watch, blake2b(), blocks, words, &found.blake2b_blocks));
    *ceilings = found;
    return HB_OK;
}
