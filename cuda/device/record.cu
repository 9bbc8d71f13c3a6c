/* Recordings (ring/engine.h) as CUDA graphs. Data that operations stage while they are recorded, seeds above all, is
 * copied once and stays: kernels read it from the recording's own memory at every replay, and no copy is part of the
 * graph. */
#include <new>
#include <string.h>

#include "cuda_private.h"

/* The most bytes that the operations of one recording may stage together: 2048 seeds of 32 bytes. */
#define TAPE_BYTES ((size_t)64 << 10)

/* One recording: the graph, and the bytes that its operations staged while they were captured. */
struct hb_cuda_tape {
    cudaGraphExec_t graph;
    uint8_t *there;           /* [TAPE_BYTES] on the GPU */
    uint8_t host[TAPE_BYTES]; /* the same, until it is copied */
    size_t used;
    bool refused; /* true once an operation has said that it cannot be recorded */
};

hb_status hb_cuda_not_on_tape(hb_cuda_engine *e, const char *what)
{
    if (e->tape == NULL) {
        return HB_OK;
    }
    /* The body may hide this failure from its caller; the capture is dropped all the same. */
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

/* Frees a recording, also one that is not finished; NULL is allowed. Its seeds are wiped on the GPU and on the host. */
static void tape_close(hb_cuda_engine *e, hb_cuda_tape *tape)
{
    if (tape == NULL) {
        return;
    }
    /* Without a graph nothing was ever copied to the GPU, and nothing runs. */
    if (tape->graph != NULL) {
        /* Behind all replays in the order of the stream; the wait is for them, too. */
        (void)cudaMemsetAsync(tape->there, 0, TAPE_BYTES, e->stream);
        (void)cudaStreamSynchronize(e->stream);
        (void)cudaGraphExecDestroy(tape->graph);
    }
    (void)cudaGetLastError();
    hb_cuda_release(e->gpu, tape->there, TAPE_BYTES);
    hb_wipe(tape->host, sizeof tape->host);
    delete tape;
}

/* Returns a recording with its memory, or NULL where there is none: replays then call the body. */
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

/* Captures the body's operations as a graph, and sets *status to the body's result. Returns NULL where capturing
 * failed, for every status. Only this thread's stream is captured (thread-local mode): other threads go on with other
 * queues. */
static cudaGraph_t capture(hb_cuda_engine *e, hb_cuda_tape *tape, hb_status (*body)(void *), void *argument,
                           hb_status *status)
{
    cudaGraph_t graph = NULL;
    if (cudaStreamBeginCapture(e->stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
        return NULL;
    }
    /* While this is set, operations stage into the recording, and operations that cannot be recorded refuse. */
    e->tape = tape;
    *status = body(argument);
    e->tape = NULL;
    if (cudaStreamEndCapture(e->stream, &graph) != cudaSuccess) { /* a call that no capture allows has ended it */
        return NULL;
    }
    /* The graph lacks that operation: it must not be replayed. */
    if (tape->refused) {
        (void)cudaGraphDestroy(graph);
        return NULL;
    }
    return graph;
}

/* Makes the graph ready to run and copies the staged bytes to the GPU. Returns false where the runtime refuses. */
static bool finish_tape(hb_cuda_engine *e, hb_cuda_tape *tape, cudaGraph_t graph)
{
    bool done = cudaGraphInstantiate(&tape->graph, graph, 0) == cudaSuccess;
    /* Once, here: replays find the constants and seeds in place. */
    if (done && tape->used > 0) {
        done = cudaMemcpyAsync(tape->there, tape->host, tape->used, cudaMemcpyHostToDevice, e->stream) == cudaSuccess;
    }
    /* The graph's own memory is moved now rather than at the first replay, which may be timed. */
    done = done && cudaGraphUpload(tape->graph, e->stream) == cudaSuccess;
    hb_wipe(tape->host, sizeof tape->host); /* it is not page-locked: the copy has read it */
    return done;
}

/* Records a body, or finds that it cannot be recorded, which is no failure: *tape_out then stays NULL. */
static hb_status record(hb_engine *engine, hb_status (*body)(void *), void *argument, void **tape_out)
{
    hb_cuda_engine *e = hb_cuda(engine);
    /* Failures of capturing are not the caller's: the text of an older cause must survive them. */
    const hb_error before = *hb_last_error();
    hb_cuda_tape *tape = tape_open(e);
    hb_status st = HB_OK;
    e->recorded = 0;
    cudaGraph_t graph = tape != NULL ? capture(e, tape, body, argument, &st) : NULL;
    if (graph != NULL && st == HB_OK && finish_tape(e, tape, graph)) {
        *tape_out = tape;
        tape = NULL;
        (void)cudaGraphGetNodes(graph, NULL, &e->recorded);
    }
    if (graph == NULL || st == HB_OK) {
        /* Recorded, or not to be recorded: in the second case replays call the body, and it fails by itself if it
         * must. */
        hb_set_error(&before);
        st = HB_OK;
    }
    /* The executable graph has a copy of everything. */
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
