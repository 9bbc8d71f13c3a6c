/* The plan of an engine's transforms, and the time that they take by it. */
#include <algorithm>

#include "ntt.h"
#include "launch.h"

void hb_cuda_ntt_use(hb_engine *engine, const hb_cuda_ntt_plan *plan)
{
    hb_cuda(engine)->gpu->ntt->plan = *plan;
}

namespace
{
/* `times` transforms of x, as one recording once that is made; NULL: they are issued one by one. A destructor frees it
 * on every way out. */
struct work {
    hb_engine *engine;
    hb_batch x;
    bool forward;
    uint32_t times;
    hb_recording *recording;

    ~work()
    {
        hb_recording_free(recording);
    }
};

/* The two events around a sample. */
struct events {
    cudaEvent_t begin = NULL, end = NULL;

    hb_status open()
    {
        HB_CUDA(cudaEventCreate(&begin));
        HB_CUDA(cudaEventCreate(&end));
        return HB_OK;
    }
    ~events()
    {
        for (cudaEvent_t event : {begin, end}) {
            (void)(event != NULL ? cudaEventDestroy(event) : cudaSuccess);
        }
        (void)cudaGetLastError(); /* a failure here is of an earlier call, which has said so */
    }
};
} /* namespace */

/* The body of the recording. */
static hb_status issue(void *argument)
{
    const work *w = static_cast<const work *>(argument);
    for (uint32_t i = 0; i < w->times; i++) {
        HB_TRY((w->forward ? hb_ntt : hb_intt)(w->engine, w->x));
    }
    return HB_OK;
}

/* Measures the seconds of one transform: the time between two events of the stream, divided by the transforms between
 * them. The host's launches are not in it where these are one recording. */
static hb_status sample(const events &watch, work *w, double *seconds)
{
    const cudaStream_t stream = hb_cuda(w->engine)->stream;
    float milliseconds = 0;
    HB_CUDA(cudaEventRecord(watch.begin, stream));
    HB_TRY(w->recording != NULL ? hb_replay(w->recording) : issue(w));
    HB_CUDA(cudaEventRecord(watch.end, stream));
    HB_CUDA(cudaEventSynchronize(watch.end));
    HB_CUDA(cudaEventElapsedTime(&milliseconds, watch.begin, watch.end));
    *seconds = 1e-3 * milliseconds / w->times;
    return HB_OK;
}

hb_status hb_cuda_ntt_time(hb_engine *engine, hb_batch x, bool forward, double *seconds)
{
    enum { SAMPLES = 5, MOST = 32 /* transforms of a recording */ };
    static const double enough = 1e-3; /* seconds of a sample: the events' own are some millionths */
    double samples[SAMPLES], one;
    work w = {engine, x, forward, 1, NULL};
    events watch;
    HB_TRY(hb_cuda_make_current(hb_cuda(engine)->gpu->device.index));
    HB_TRY(watch.open());
    HB_TRY(sample(watch, &w, &one)); /* the first call of a kernel loads it, so its time is not used */
    HB_TRY(sample(watch, &w, &one));
    /* As many transforms as make a sample of a millisecond, up to what a recording shall hold. */
    w.times = static_cast<uint32_t>(std::min(std::max(enough / std::max(one, 1e-6), 1.0), double(MOST)));
    /* From here on the GPU gets all transforms of a sample in one call. */
    HB_TRY(hb_record(engine, issue, &w, &w.recording));
    HB_TRY(sample(watch, &w, &one));
    /* The first replay above warms up; the median ignores disturbances of single samples. */
    for (double &s : samples) {
        HB_TRY(sample(watch, &w, &s));
    }
    std::sort(samples, samples + SAMPLES);
    *seconds = samples[SAMPLES / 2];
    return HB_OK;
}
