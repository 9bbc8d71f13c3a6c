/* The time of work on a stream, for the ceilings (private). */
#ifndef HB_CUDA_CEILINGS_CEILINGS_CUH
#define HB_CUDA_CEILINGS_CEILINGS_CUH

#include <algorithm>

#include "cuda/device/cuda_private.h"

extern "C" {
#include "ceilings.h"
}

/* The two streams of a measurement and the events between them. Its destructor closes the open ones, on every way
 * out. */
struct hb_stopwatch {
    cudaStream_t stream = NULL, side = NULL;
    cudaEvent_t begin = NULL, end = NULL, fork = NULL, join = NULL;

    hb_status open()
    {
        HB_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        HB_CUDA(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
        HB_CUDA(cudaEventCreate(&begin));
        HB_CUDA(cudaEventCreate(&end));
        HB_CUDA(cudaEventCreate(&fork));
        HB_CUDA(cudaEventCreate(&join));
        return HB_OK;
    }
    ~hb_stopwatch()
    {
        for (cudaEvent_t event : {begin, end, fork, join}) {
            (void)(event != NULL ? cudaEventDestroy(event) : cudaSuccess);
        }
        for (cudaStream_t s : {stream, side}) {
            (void)(s != NULL ? cudaStreamDestroy(s) : cudaSuccess);
        }
        (void)cudaGetLastError(); // a failure here is of an earlier call, which has said so
    }
};

/* Memory of the GPU, or page-locked memory of the host. The engine's account does not know it: it lives for one
 * measurement. */
struct hb_probe_memory {
    void *memory = NULL;
    bool host = false;

    hb_status open(size_t bytes, bool on_host)
    {
        host = on_host;
        if (on_host) {
            HB_CUDA(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
        } else {
            HB_CUDA(cudaMalloc(&memory, bytes));
        }
        return HB_OK;
    }
    ~hb_probe_memory()
    {
        (void)(host ? cudaFreeHost(memory) : cudaFree(memory));
        (void)cudaGetLastError();
    }
};

/* Measures the seconds of one call as the time between two events around `calls` calls, divided by them. */
template <class work> static hb_status hb_time_calls(hb_stopwatch &watch, work once, int calls, double *seconds)
{
    float milliseconds = 0;
    HB_CUDA(cudaEventRecord(watch.begin, watch.stream));
    for (int i = 0; i < calls; i++) {
        HB_TRY(once());
    }
    HB_CUDA(cudaEventRecord(watch.end, watch.stream));
    HB_CUDA(cudaEventSynchronize(watch.end));
    HB_CUDA(cudaEventElapsedTime(&milliseconds, watch.begin, watch.end));
    *seconds = 1e-3 * milliseconds / calls;
    return HB_OK;
}

/* Measures the seconds of one call of `once`, which starts work on watch.stream: the median of SAMPLES samples of about
 * 10 ms. The first call loads the kernel, so the second one says how many calls make a sample. */
template <class work> static hb_status hb_time(hb_stopwatch &watch, work once, double *seconds)
{
    enum { SAMPLES = 9 };
    static const double sample = 0.01;
    double samples[SAMPLES], one;
    HB_TRY(hb_time_calls(watch, once, 1, &one));
    HB_TRY(hb_time_calls(watch, once, 1, &one));
    const int calls = static_cast<int>(std::min(std::max(sample / std::max(one, 1e-6), 1.0), 1e4));
    for (double &s : samples) {
        HB_TRY(hb_time_calls(watch, once, calls, &s));
    }
    std::sort(samples, samples + SAMPLES);
    *seconds = samples[SAMPLES / 2];
    return HB_OK;
}

#endif
