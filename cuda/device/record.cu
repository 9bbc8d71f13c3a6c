/* Recordings (ring/engine.h) as CUDA graphs. What operations stage while they are recorded, seeds above all, is copied
 * once and stays: kernels find it in the recording's own memory at every replay, and no copy is part of the graph. */
#include <new>
#include <string.h>

#include "cuda_private.h"

#define TAPE_BYTES ((size_t)64 << 10)

struct hb_cuda_tape {
    cudaGraphExec_t graph;
    uint8_t *there;           /* [TAPE_BYTES] on the GPU */
    uint8_t host[TAPE_BYTES]; /* the same, until it is copied */
    size_t used;
    bool refused; /* an operation cannot be recorded */
};

hb_status hb_cuda_not_on_tape(hb_cuda_engine *e, const char *what)
{
    if (e->tape == NULL) {
        return HB_OK;
    }
    e->tape->refused = true;
    return HB_FAIL(HB_EUNAVAILABLE, "%s cannot be recorded", what);
}

hb_status hb_cuda_tape_staging(hb_cuda_engine *e, size_t bytes, void **host, void **there)
{
    hb_cuda_tape *tape = e->tape;
    const size_t rounded = (bytes + 15) / 16 * 16;
    if (rounded > TAPE_BYTES - tape->used) {
        return hb_cuda_not_on_tape(e, "a batch of that many seeds");
    }
    *host = tape->host + tape->used;
    *there = tape->there + tape->used;
    tape->used += rounded;
    return HB_OK;
}

static void tape_close(hb_cuda_engine *e, hb_cuda_tape *tape)
{
    if (tape == NULL) {
        return;
    }
    if (tape->graph != NULL) {
        (void)cudaMemsetAsync(tape->there, 0, TAPE_BYTES, e->stream);
        (void)cudaStreamSynchronize(e->stream);
        (void)cudaGraphExecDestroy(tape->graph);
    }
    (void)cudaGetLastError();
    hb_cuda_release(e->gpu, tape->there, TAPE_BYTES);
    hb_wipe(tape->host, sizeof tape->host);
    delete tape;
}

static hb_cuda_tape *tape_open(hb_cuda_engine *e)
{
    hb_cuda_tape *tape = new (std::nothrow) hb_cuda_tape();
    void *memory = NULL;
    if (tape != NULL && hb_cuda_allocate(e->gpu, TAPE_BYTES, &memory) != HB_OK) {
        delete tape;
        return NULL;
    }
    if (tape != NULL) {
        tape->there = static_cast<uint8_t *>(memory);
    }
    return tape;
}

/* The body's operations as a graph; NULL where that failed, whatever the body's status then means. Other threads go on
 * with other queues meanwhile. */
static cudaGraph_t capture(hb_cuda_engine *e, hb_cuda_tape *tape, hb_status (*body)(void *), void *argument,
                           hb_status *status)
{
    cudaGraph_t graph = NULL;
    if (cudaStreamBeginCapture(e->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        return NULL;
    }
    e->tape = tape;
    *status = body(argument);
    e->tape = NULL;
    if (cudaStreamEndCapture(e->stream, &graph) != cudaSuccess) { /* a call that no capture allows has ended it */
        return NULL;
    }
    if (tape->refused) {
        (void)cudaGraphDestroy(graph);
        return NULL;
    }
    return graph;
}

/* Ready to run, what it needs there. */
static bool finish_tape(hb_cuda_engine *e, hb_cuda_tape *tape, cudaGraph_t graph)
{
    bool done = cudaGraphInstantiate(&tape->graph, graph, 0) == cudaSuccess;
    if (done && tape->used > 0) {
        done = cudaMemcpyAsync(tape->there, tape->host, tape->used, cudaMemcpyHostToDevice, e->stream) == cudaSuccess;
    }
    done = done && cudaGraphUpload(tape->graph, e->stream) == cudaSuccess;
    hb_wipe(tape->host, sizeof tape->host); /* it is not page-locked: the copy has read it */
    return done;
}

static hb_status record(hb_engine *engine, hb_status (*body)(void *), void *argument, void **tape_out)
{
    hb_cuda_engine *e = hb_cuda(engine);
    const hb_error before = *hb_last_error();
    hb_cuda_tape *tape = tape_open(e);
    hb_status st = HB_OK;
    cudaGraph_t graph = tape != NULL ? capture(e, tape, body, argument, &st) : NULL;
    if (graph != NULL && st == HB_OK && finish_tape(e, tape, graph)) {
        *tape_out = tape;
        tape = NULL;
    }
    if (graph == NULL || st == HB_OK) {
        /* Recorded, or not to be recorded: then the body is called, and fails by itself. */
        hb_set_error(&before);
        st = HB_OK;
    }
    if (graph != NULL) {
        (void)cudaGraphDestroy(graph);
    }
    tape_close(e, tape);
    (void)cudaGetLastError();
    return st;
}

static hb_status replay(hb_engine *e, void *tape)
{
    HB_CUDA(cudaGraphLaunch(static_cast<hb_cuda_tape *>(tape)->graph, hb_cuda(e)->stream));
    return HB_OK;
}

static void forget(hb_engine *e, void *tape)
{
    tape_close(hb_cuda(e), static_cast<hb_cuda_tape *>(tape));
}

static constexpr hb_record_ops make_ops()
{
    hb_record_ops ops = {};
    ops.record = hb_on_gpu<record>::call;
    ops.replay = hb_on_gpu<replay>::call;
    ops.forget = hb_on_gpu<forget>::call;
    return ops;
}

constexpr hb_record_ops hb_cuda_record_ops = make_ops();
