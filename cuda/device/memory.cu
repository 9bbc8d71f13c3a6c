/* Memory of the GPU with its account, staging, and copies. */
#include <inttypes.h>
#include <new>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda_private.h"

#define GRAIN ((size_t)512) /* the GPU's own rounding */

/* Returns the bytes that the account has for an allocation: whole grains, at least one. bytes <= SIZE_MAX - GRAIN. */
static size_t rounded_up(size_t bytes)
{
    return bytes == 0 ? GRAIN : (bytes + GRAIN - 1) / GRAIN * GRAIN;
}

hb_status hb_cuda_allocate(hb_cuda_gpu *gpu, size_t bytes, void **memory)
{
    if (bytes > SIZE_MAX - GRAIN) {
        return HB_FAIL(HB_ENOMEM, "%zu bytes do not fit into the memory of any GPU", bytes);
    }
    const size_t rounded = rounded_up(bytes);
    /* Counted before it is allocated: of two threads that together exceed the limit at least one sees it. `held` may
     * exceed the limit for a moment, while another thread's attempt is counted and not yet given back. */
    const uint64_t held = gpu->bytes.fetch_add(rounded);
    /* The difference is taken on this side, where it cannot overflow. */
    if (held > gpu->limit || rounded > gpu->limit - held) {
        gpu->bytes.fetch_sub(rounded);
        return HB_FAIL(HB_ENOMEM,
                       "GPU %d at %s: %zu bytes asked for, %" PRIu64 " held, %" PRIu64
                       " allowed: allow more, or use smaller batches",
                       gpu->device.index, gpu->device.bus, bytes, held, gpu->limit);
    }
    const cudaError_t error = cudaMalloc(memory, rounded);
    if (error == cudaSuccess) {
        return HB_OK;
    }
    gpu->bytes.fetch_sub(rounded);
    /* Only a lack of memory can be helped by smaller batches; other failures keep their own status. */
    if (error != cudaErrorMemoryAllocation) {
        return hb_cuda_failed(error, "cudaMalloc", __FILE__, __LINE__);
    }
    (void)cudaGetLastError();
    return HB_FAIL(HB_ENOMEM,
                   "GPU %d at %s has no room for %zu bytes beside the %" PRIu64
                   " held: end what else runs there, or use smaller batches",
                   gpu->device.index, gpu->device.bus, bytes, held);
}

void hb_cuda_release(hb_cuda_gpu *gpu, void *memory, size_t bytes)
{
    if (memory != NULL) {
        (void)cudaFree(memory); /* fails only where an earlier call has failed and said so */
        (void)cudaGetLastError();
        gpu->bytes.fetch_sub(rounded_up(bytes));
    }
}

hb_status hb_cuda_wait(hb_cuda_engine *e)
{
    HB_TRY(hb_cuda_not_on_tape(e, "waiting"));
    HB_CUDA(cudaStreamSynchronize(e->stream));
    /* All that was staged has been read by now: the stream has passed every kernel that took it. */
    e->staged = 0;
    return HB_OK;
}

hb_status hb_cuda_staging(hb_cuda_engine *e, size_t bytes, void **host, void **there)
{
    /* Kernels read staged bytes in pieces of up to 16. */
    const size_t rounded = (bytes + 15) / 16 * 16;
    HB_ASSERT(bytes <= HB_CUDA_STAGE_BYTES);
    /* A recording has staging memory of its own: this queue's is used again by later operations, before a replay. */
    if (e->tape != NULL) {
        void *unused;
        if (host != NULL) {
            HB_TRY(hb_cuda_not_on_tape(e, "waiting for a result"));
        }
        return hb_cuda_tape_staging(e, bytes, &unused, there);
    }
    /* Earlier pieces may still be on their way: only a wait makes the memory free again. */
    if (rounded > HB_CUDA_STAGE_BYTES - e->staged) {
        HB_TRY(hb_cuda_wait(e));
    }
    if (host != NULL) {
        *host = e->stage_host + e->staged;
    }
    /* Both twins have the same layout. */
    *there = e->stage + e->staged;
    e->staged += rounded;
    return HB_OK;
}

hb_status hb_cuda_stage(hb_cuda_engine *e, const void *host, size_t bytes, void **there)
{
    /* Seeds above all go through page-locked memory of this queue, which is wiped when it closes, and not through the
     * driver's own buffers. */
    void *staging;
    if (e->tape != NULL) {
        HB_TRY(hb_cuda_tape_staging(e, bytes, &staging, there));
        /* The copy to the GPU is made once, when the recording ends (record.cu). */
        memcpy(staging, host, bytes);
        return HB_OK;
    }
    HB_TRY(hb_cuda_staging(e, bytes, &staging, there));
    memcpy(staging, host, bytes);
    HB_CUDA(cudaMemcpyAsync(*there, staging, bytes, cudaMemcpyHostToDevice, e->stream));
    return HB_OK;
}

static hb_status cuda_alloc(hb_engine *e, size_t bytes, void **memory)
{
    HB_TRY(hb_cuda_not_on_tape(hb_cuda(e), "allocating"));
    hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    /* The entry of the account comes first: memory that was allocated always has one. */
    hb_cuda_block *block = new (std::nothrow) hb_cuda_block();
    if (block == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory on the host for the account of %zu bytes on a GPU", bytes);
    }
    const hb_status st = hb_cuda_allocate(gpu, bytes, &block->memory);
    if (st != HB_OK) {
        delete block;
        return st;
    }
    /* The list is for hb_free, which gets the address only, and for the check that nothing is left at the end. */
    *memory = block->memory;
    block->bytes = bytes;
    const std::lock_guard<std::mutex> lock(gpu->blocks_lock);
    block->next = gpu->blocks;
    gpu->blocks = block;
    return HB_OK;
}

/* Takes the entry that has `memory` in that member out of a list of the GPU; NULL if there is none. */
template <class entry, class address>
static entry *take(hb_cuda_gpu *gpu, entry **link, address entry::*member, const void *memory)
{
    const std::lock_guard<std::mutex> lock(gpu->blocks_lock);
    for (; *link != NULL; link = &(*link)->next) {
        entry *found = *link;
        if (found->*member == memory) {
            *link = found->next;
            return found;
        }
    }
    return NULL;
}

static void cuda_free(hb_engine *e, void *memory)
{
    hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    hb_cuda_block *block = take(gpu, &gpu->blocks, &hb_cuda_block::memory, memory);
    HB_ASSERT(block != NULL && hb_cuda(e)->tape == NULL);
    (void)cudaStreamSynchronize(hb_cuda(e)->stream); /* waits for operations on it, hb_batch_wipe above all */
    hb_cuda_release(gpu, block->memory, block->bytes);
    delete block;
}

static hb_status no_host_memory(hb_engine *e, size_t bytes)
{
    return HB_FAIL(HB_ENOMEM,
                   "no %zu bytes of page-locked memory on the host for GPU %d: use smaller batches, or fewer ranks "
                   "per host",
                   bytes, hb_cuda(e)->gpu->device.index);
}

/* Large pages of x86-64. */
#define HUGE_PAGE ((size_t)2 << 20)

/* A part of fresh memory, for one thread. */
struct fresh {
    uint8_t *memory;
    size_t bytes;
};

static void *touch(void *context)
{
    const fresh *part = static_cast<const fresh *>(context);
    constexpr size_t PAGE = 4096; /* the system may have no large ones */
    for (size_t at = 0; at < part->bytes; at += PAGE) {
        static_cast<volatile uint8_t *>(part->memory)[at] = 0;
    }
    return NULL;
}

/* Makes the pages of fresh memory present, by this thread and more for large pieces. The system clears pages as they
 * are touched: by one thread 5.5 GiB a second on a host with an H200, by eight 31. The driver would touch them with its
 * lock held, so that other threads that lock memory wait. */
static void make_present(uint8_t *memory, size_t bytes)
{
    constexpr size_t MOST = 8;
    const size_t worth = (size_t)64 << 20, wanted = bytes / worth + 1, count = wanted < MOST ? wanted : MOST;
    const size_t each = bytes / count / HUGE_PAGE * HUGE_PAGE;
    fresh part[MOST];
    pthread_t thread[MOST];
    size_t started = 0;
    sigset_t all, before;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that owns the job */
    for (; started < count - 1; started++) {
        part[started] = {memory + started * each, each};
        if (pthread_create(&thread[started], NULL, touch, &part[started]) != 0) {
            break;
        }
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    part[started] = {memory + started * each, bytes - started * each};
    (void)touch(&part[started]);
    for (size_t i = 0; i < started; i++) {
        (void)pthread_join(thread[i], NULL);
    }
}

/* Maps `bytes` of the host in large pages and page-locks them in place. The driver's own allocation clears and locks 4
 * KiB at a time, which takes several times as long. Returns the start, which is 2 MiB aligned, and sets *whole to the
 * mapped range; NULL where the system refuses, and then nothing is mapped. */
static uint8_t *map_locked(size_t bytes, hb_cuda_locked *whole)
{
    /* One large page more than needed, as mmap aligns to small pages only. */
    const size_t rounded = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, mapped = rounded + HUGE_PAGE;
    void *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return NULL;
    }
    /* From the first boundary of a large page in the mapped range. */
    const uintptr_t start = (reinterpret_cast<uintptr_t>(memory) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uint8_t *const aligned = reinterpret_cast<uint8_t *>(start);
    /* Without large pages it works as well, only slower. */
    (void)madvise(aligned, rounded, MADV_HUGEPAGE);
    make_present(aligned, rounded);
    if (cudaHostRegister(aligned, rounded, cudaHostRegisterPortable) != cudaSuccess) {
        (void)cudaGetLastError();
        (void)munmap(memory, mapped);
        return NULL;
    }
    *whole = {memory, mapped, aligned, NULL};
    return aligned;
}

/* Maps page-locked memory and puts it into the list of the gpu. Returns false where that cannot be done; the caller
 * then asks the driver. */
static bool host_map(hb_cuda_gpu *gpu, size_t bytes, void **memory)
{
    hb_cuda_locked *locked = new (std::nothrow) hb_cuda_locked();
    /* The system may limit the locked memory of a process (ulimit -l). */
    if (locked == NULL || (*memory = map_locked(bytes, locked)) == NULL) {
        delete locked;
        return false;
    }
    const std::lock_guard<std::mutex> lock(gpu->blocks_lock);
    locked->next = gpu->locked;
    gpu->locked = locked;
    return true;
}

/* Large pieces are mapped by ourselves; small ones, and where that fails, come from the driver. */
static hb_status host_alloc(hb_engine *e, size_t bytes, void **memory)
{
    HB_TRY(hb_cuda_not_on_tape(hb_cuda(e), "allocating"));
    /* Rounding up to large pages and one more of them must not overflow. */
    if (bytes > SIZE_MAX - 2 * HUGE_PAGE) {
        return no_host_memory(e, bytes);
    }
    if (bytes >= HUGE_PAGE && host_map(hb_cuda(e)->gpu, bytes, memory)) {
        return HB_OK;
    }
    /* Portable: page-locked for all GPUs of the process. The driver rejects 0 bytes. */
    const cudaError_t error = cudaHostAlloc(memory, bytes == 0 ? 1 : bytes, cudaHostAllocPortable);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return no_host_memory(e, bytes);
    }
    return error == cudaSuccess ? HB_OK : hb_cuda_failed(error, "cudaHostAlloc", __FILE__, __LINE__);
}

static void host_free(hb_engine *e, void *memory)
{
    HB_ASSERT(hb_cuda(e)->tape == NULL);
    (void)cudaStreamSynchronize(hb_cuda(e)->stream); /* a copy may still be under way */
    /* Memory that this engine did not map came from the driver. */
    hb_cuda_gpu *gpu = hb_cuda(e)->gpu;
    hb_cuda_locked *locked = take(gpu, &gpu->locked, &hb_cuda_locked::aligned, memory);
    if (locked != NULL) {
        (void)cudaHostUnregister(locked->aligned);
        (void)munmap(locked->memory, locked->bytes);
        delete locked;
    } else {
        (void)cudaFreeHost(memory);
    }
    (void)cudaGetLastError();
}

/* Copies are asynchronous. A graph would keep the addresses of host memory, whose contents change, so they are not
 * recorded. */
static hb_status upload(hb_engine *e, void *to, const void *from_host, size_t bytes)
{
    HB_TRY(hb_cuda_not_on_tape(hb_cuda(e), "host memory that comes or goes"));
    if (bytes != 0) {
        HB_CUDA(cudaMemcpyAsync(to, from_host, bytes, cudaMemcpyHostToDevice, hb_cuda(e)->stream));
    }
    return HB_OK;
}

static hb_status download(hb_engine *e, void *to_host, const void *from, size_t bytes)
{
    HB_TRY(hb_cuda_not_on_tape(hb_cuda(e), "host memory that comes or goes"));
    if (bytes != 0) {
        HB_CUDA(cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDeviceToHost, hb_cuda(e)->stream));
    }
    return HB_OK;
}

static constexpr hb_memory_ops make_ops()
{
    hb_memory_ops ops = {};
    ops.host_alloc = hb_on_gpu<host_alloc>::call;
    ops.host_free = hb_on_gpu<host_free>::call;
    ops.alloc = hb_on_gpu<cuda_alloc>::call;
    ops.free = hb_on_gpu<cuda_free>::call;
    ops.upload = hb_on_gpu<upload>::call;
    ops.download = hb_on_gpu<download>::call;
    return ops;
}

constexpr hb_memory_ops hb_cuda_memory_ops = make_ops();
