#include <algorithm>
#include <time.h>
#include <vector>

#include "cuda/device/cuda_private.h"

extern "C" {
#include "base/clock.h"
#include "gpu_time.h"
}

/* Calls below this are replayed from a CUDA graph of as many as take so long: otherwise the measurement would be of the
 * host, which issues a launch in microseconds. */
static constexpr double SHORT = 1e-3;
static constexpr size_t MOST_RECORDED = 256, FEWEST_SAMPLES = 9, MOST_SAMPLES = 1024;
/* Between samples, in times their length, and the longest sample: at its power limit the GPU lowers its clock. */
static constexpr double PAUSE = 3, LONGEST = 0.005, WARM_UP = 0.2;

/* The timed work, with its recording. */
struct timed_work {
    hb_figure_body once;
    void *argument;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraphExec_t recorded; /* NULL: calls are issued one by one */
    size_t calls;             /* of one play */
};

static hb_status play(timed_work *work)
{
    if (work->recorded != nullptr) {
        HB_CUDA(cudaGraphLaunch(work->recorded, work->stream));
        return HB_OK;
    }
    return work->once(work->argument, work->stream);
}

/* Seconds of one call, of `plays` plays in a row. */
static hb_status sample(timed_work *work, size_t plays, double *seconds)
{
    float ms = 0;
    HB_CUDA(cudaEventRecord(work->begin, work->stream));
    for (size_t i = 0; i < plays; i++) {
        HB_TRY(play(work));
    }
    HB_CUDA(cudaEventRecord(work->end, work->stream));
    HB_CUDA(cudaEventSynchronize(work->end));
    HB_CUDA(cudaEventElapsedTime(&ms, work->begin, work->end));
    *seconds = ms * 1e-3 / (double)(plays * work->calls);
    return HB_OK;
}

/* Ends the recording in any case: a stream that still records would be of no more use. */
static hb_status capture(timed_work *work, size_t calls, cudaGraph_t *graph)
{
    HB_CUDA(cudaStreamBeginCapture(work->stream, cudaStreamCaptureModeThreadLocal));
    hb_status st = HB_OK;
    for (size_t i = 0; i < calls && st == HB_OK; i++) {
        st = work->once(work->argument, work->stream);
    }
    const hb_error cause = *hb_last_error();
    const cudaError_t ended = cudaStreamEndCapture(work->stream, graph);
    if (st != HB_OK) {
        (void)cudaGetLastError();
        hb_set_error(&cause);
        return st;
    }
    HB_CUDA(ended);
    return HB_OK;
}

static hb_status record(timed_work *work, size_t calls)
{
    cudaGraph_t graph = nullptr;
    const hb_status st = capture(work, calls, &graph);
    const cudaError_t made = st == HB_OK ? cudaGraphInstantiate(&work->recorded, graph, 0) : cudaSuccess;
    if (graph != nullptr) {
        (void)cudaGraphDestroy(graph);
    }
    HB_TRY(st);
    HB_CUDA(made);
    work->calls = calls;
    return HB_OK;
}

static void rest(double seconds)
{
    const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, nullptr); /* a signal may shorten it */
}

static hb_status take_samples(timed_work *work, double seconds, double *median)
{
    double once;
    HB_TRY(sample(work, 1, &once));
    HB_TRY(sample(work, 1, &once));
    const double length = std::min(LONGEST, seconds / FEWEST_SAMPLES / (1 + PAUSE));
    const size_t plays = std::max<size_t>(1, (size_t)(length / (once * (double)work->calls)));
    for (const double start = hb_now();
         hb_now() - start < WARM_UP * seconds;) { /* an idle GPU takes time to speed up */
        HB_TRY(sample(work, plays, &once));
    }
    std::vector<double> samples;
    for (const double start = hb_now();
         samples.size() < FEWEST_SAMPLES || (samples.size() < MOST_SAMPLES && hb_now() - start < seconds);) {
        HB_TRY(sample(work, plays, &once));
        samples.push_back(once);
        rest(PAUSE * once * (double)(plays * work->calls));
    }
    std::sort(samples.begin(), samples.end());
    *median = (samples[(samples.size() - 1) / 2] + samples[samples.size() / 2]) / 2;
    return HB_OK;
}

static hb_status time_work(timed_work *work, double seconds, double *median, hb_error *why_not)
{
    double once;
    HB_CUDA(cudaEventCreate(&work->begin));
    HB_CUDA(cudaEventCreate(&work->end));
    HB_TRY(sample(work, 1, &once)); /* the first call of anything is slow */
    HB_TRY(sample(work, 1, &once));
    if (once < SHORT && record(work, std::min(MOST_RECORDED, (size_t)(SHORT / std::max(once, 1e-6)) + 1)) != HB_OK) {
        (void)cudaGetLastError(); /* where the GPU is lost the next call says so */
        *why_not = *hb_last_error();
        hb_clear_error();
    }
    return take_samples(work, seconds, median);
}

hb_status hb_gpu_time(void *stream, double seconds, hb_figure_body once, void *argument, double *median,
                      hb_error *why_not)
{
    timed_work work = {once, argument, static_cast<cudaStream_t>(stream), nullptr, nullptr, nullptr, 1};
    *why_not = {};
    const hb_status st = time_work(&work, seconds, median, why_not);
    if (work.recorded != nullptr) {
        (void)cudaGraphExecDestroy(work.recorded);
    }
    for (const cudaEvent_t event : {work.begin, work.end}) {
        if (event != nullptr) {
            (void)cudaEventDestroy(event);
        }
    }
    return st;
}
