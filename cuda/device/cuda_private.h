/* Declarations that the files of the CUDA engine share. CUDA C++, private to the folder.
 *
 * An hb_cuda_engine is one queue (a stream) on a GPU, with its own staging memory. The forks of an engine share an
 * hb_cuda_gpu: the tables and the account of memory. Kernels see batches through hb_cuda_view, and moduli through the
 * table of the gpu, indexed by a limb's id. A launch covers the whole batch. */
#ifndef HB_CUDA_DEVICE_CUDA_PRIVATE_H
#define HB_CUDA_DEVICE_CUDA_PRIVATE_H

#include <atomic>
#include <cuda_runtime.h>
#include <mutex>
#include <type_traits>

extern "C" {
#include "device.h"
#include "ring/engine.h"
}
#include "base/modarith.h"
#include "base/sample.h"

struct hb_cuda_ntt;  /* cuda/ntt/ntt.h */
struct hb_cuda_tape; /* record.cu */

/* Records the failure of a call of the CUDA runtime and returns the status that it means to the user. `operation` is a
 * call as the source spells it, or the name of a function that launches kernels. A failure which says that the GPU is
 * gone stays: the runtime reports it again from every later call. */
hb_status hb_cuda_failed(cudaError_t error, const char *operation, const char *file, int line);
/* The one check of every call of the runtime: it returns from the calling function unless the call succeeds. */
#define HB_CUDA(call)                                                         \
    do {                                                                      \
        const cudaError_t hb_cuda_error_ = (call);                            \
        if (hb_cuda_error_ != cudaSuccess) {                                  \
            return hb_cuda_failed(hb_cuda_error_, #call, __FILE__, __LINE__); \
        }                                                                     \
    } while (0)
/* The same after a launch; it stands in the function that the message shall name. */
#define HB_CUDA_LAUNCHED()                                                       \
    do {                                                                         \
        const cudaError_t hb_cuda_error_ = cudaGetLastError();                   \
        if (hb_cuda_error_ != cudaSuccess) {                                     \
            return hb_cuda_failed(hb_cuda_error_, __func__, __FILE__, __LINE__); \
        }                                                                        \
    } while (0)

/* Makes GPU `index` the one that the calling thread's runtime calls go to. HB_EUNAVAILABLE. */
hb_status hb_cuda_make_current(int index);

/* One piece of GPU memory that a caller of the engine holds, in the list of hb_cuda_gpu. */
struct hb_cuda_block {
    void *memory;
    size_t bytes;
    hb_cuda_block *next;
};

/* Page-locked memory of the host that the engine mapped itself rather than asked the driver for. */
struct hb_cuda_locked {
    void *memory; /* the result of mmap */
    size_t bytes;
    uint8_t *aligned; /* the caller's address, at the start of a large page */
    hb_cuda_locked *next;
};

/* The state that an engine and its forks share; it lives until the last of them closes. Queues belong to different
 * threads, so `users` and `bytes` are atomic and the two lists have a lock. The rest is const once the engine is open,
 * except the plan of the transforms. */
struct hb_cuda_gpu {
    hb_cuda_device device;
    std::atomic<int> users;
    std::atomic<uint64_t> bytes; /* held on the GPU */
    uint64_t limit;
    uint32_t moduli_count; /* of the ring when the engine was opened */
    hb_modulus *moduli;    /* [moduli_count] on the GPU */
    hb_cuda_ntt *ntt;
    std::mutex blocks_lock;
    hb_cuda_block *blocks;  /* memory of hb_alloc that is not freed yet */
    hb_cuda_locked *locked; /* memory that hb_host_alloc mapped */
};

/* Sizes of a queue's own memory: constants and seeds on their way to the GPU, and digests of leaves. */
#define HB_CUDA_STAGE_BYTES ((size_t)1 << 20)
#define HB_CUDA_LEAF_BYTES ((size_t)4 << 20)

/* One queue: an engine as its caller knows it (base), with the memory that only this queue's operations use. */
struct hb_cuda_engine {
    hb_engine base;
    hb_cuda_gpu *gpu;
    cudaStream_t stream;
    /* HB_CUDA_STAGE_BYTES each, page-locked on the host and on the GPU; both are wiped when the engine closes. */
    uint8_t *stage_host, *stage;
    size_t staged;      /* bytes in use since the stream was last waited for */
    uint32_t *ntt_work; /* [HB_CUDA_NTT_WORK] on the GPU, zeros between launches (cuda/ntt/ntt.h) */
    uint8_t *leaves;    /* [HB_CUDA_LEAF_BYTES] on the GPU: digests of the leaves of some rows (cuda/rows/rows.cu) */
    hb_cuda_tape *tape; /* the recording under way; NULL while operations are issued */
    size_t recorded;    /* nodes of the last recording's graph */
};

/* The clusters that hb_cuda_device.cluster16 is about: those of the transforms (cuda/ntt/cluster.cu). */
#define HB_CUDA_CLUSTER16_BLOCKS 16
#define HB_CUDA_CLUSTER16_THREADS 256
#define HB_CUDA_CLUSTER16_SHARED ((size_t)40 << 10) /* bytes of a thread block, at most */

/* Returns the queue behind an engine of this folder. */
static inline hb_cuda_engine *hb_cuda(hb_engine *e)
{
    return reinterpret_cast<hb_cuda_engine *>(e); /* base is the first member */
}

/* Allocates memory on the GPU, 256-byte aligned, and counts it against the limit; HB_ENOMEM. The GPU of the engine must
 * be current in the calling thread, as for every function below. The caller releases it with the same number of bytes;
 * NULL is allowed there. Neither waits for a queue. */
hb_status hb_cuda_allocate(hb_cuda_gpu *gpu, size_t bytes, void **memory);
void hb_cuda_release(hb_cuda_gpu *gpu, void *memory, size_t bytes);

/* Copies `bytes` <= HB_CUDA_STAGE_BYTES of host memory to the GPU in the order of the stream. *there is the copy,
 * 16-byte aligned, for kernels launched before the next call of this function or of hb_finish. The host memory may be
 * reused at once. It may wait for the stream, where the staging memory is full. */
hb_status hb_cuda_stage(hb_cuda_engine *e, const void *host, size_t bytes, void **there);
/* Reserves the same staging memory without a copy. Where `host` is not NULL it gets the page-locked twin on the host,
 * for results that the caller will wait for: that cannot be recorded, and fails with HB_EUNAVAILABLE then. */
hb_status hb_cuda_staging(hb_cuda_engine *e, size_t bytes, void **host, void **there);
/* Waits for the stream; everything staged is free again. HB_EUNAVAILABLE while operations are recorded. */
hb_status hb_cuda_wait(hb_cuda_engine *e);

/* Returns HB_OK where operations are issued. While they are recorded, it makes the recording fail and returns
 * HB_EUNAVAILABLE. what: a noun for the refused action, for the message. */
hb_status hb_cuda_not_on_tape(hb_cuda_engine *e, const char *what);
/* Reserves staging memory of the recording under way. The contents of `host` at the end of the recording are there in
 * all replays. */
hb_status hb_cuda_tape_staging(hb_cuda_engine *e, size_t bytes, void **host, void **there);

/* A batch as a kernel takes it: by value, with its ids. Rows are 16-byte aligned: `data` is, and the stride is even. */
struct hb_cuda_view {
    uint64_t *data;
    size_t stride;
    uint32_t limbs, count, log_n;
    uint16_t ids[HB_MAX_LIMBS];
};
/* Returns the view of a regular batch (HB_ASSERT: no slices, no scattered limbs, aligned rows). */
hb_cuda_view hb_cuda_view_of(const hb_engine *e, hb_batch a);
/* The same, of an operand that may have one polynomial only, which then serves a whole batch: its stride becomes 0. */
hb_cuda_view hb_cuda_view_for_all(const hb_engine *e, hb_batch a);

/* Any batch as kernels of operations by coefficient take it, scattered ones and slices too: each limb has its address,
 * and rows have n coefficients. */
struct hb_cuda_scattered {
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    uint32_t limbs, count, log_n, n;
    uint16_t ids[HB_MAX_LIMBS];
};
hb_cuda_scattered hb_cuda_scattered_of(const hb_engine *e, hb_batch a);

/* One word for each limb, by value in a kernel's arguments, so that no copy goes before the launch. */
struct hb_cuda_words {
    uint64_t of[HB_MAX_LIMBS];
};
hb_cuda_words hb_cuda_words_of(const uint64_t *words, uint32_t limbs);
/* Returns Shoup's quotients of factors[l], canonical, modulo limb l of r. */
hb_cuda_words hb_cuda_quotients_of(const hb_engine *e, hb_batch r, const uint64_t *factors);

/* Returns the words of limb l of polynomial c. */
__device__ static inline uint64_t *hb_cuda_row(const hb_cuda_view &a, size_t c, uint32_t l)
{
    return a.data + c * a.stride + ((size_t)l << a.log_n);
}
/* The same in a scattered view, whose limbs have an address each. */
__device__ static inline uint64_t *hb_cuda_row(const hb_cuda_scattered &a, size_t c, uint32_t l)
{
    return a.limb_addresses[l].data + c * a.limb_addresses[l].stride;
}

/* Counts the words that are 0, of each polynomial where `apart`, or of all together, into memory of the GPU: zeros has
 * a.count elements or one. Waits for nothing (pointwise.cu). */
hb_status hb_cuda_zeros(hb_engine *e, hb_batch a, unsigned long long *zeros, bool apart);

/* Runs an operation of ring/engine.h with the engine's GPU current in the calling thread, which may be any: the entry
 * of a group is hb_on_gpu<operation>::call. */
template <auto operation> struct hb_on_gpu;
template <typename result, typename... arguments, result (*operation)(hb_engine *, arguments...)>
struct hb_on_gpu<operation> {
    static result call(hb_engine *e, arguments... values)
    {
        if constexpr (std::is_void_v<result>) {
            /* Operations that return nothing release things: they go on even where the GPU has failed. */
            (void)cudaSetDevice(hb_cuda(e)->gpu->device.index);
        } else {
            HB_TRY(hb_cuda_make_current(hb_cuda(e)->gpu->device.index));
        }
        return operation(e, values...);
    }
};

/* The groups of operations of ring/engine.h, each in the file named. */
extern const hb_memory_ops hb_cuda_memory_ops;   /* memory.cu */
extern const hb_record_ops hb_cuda_record_ops;   /* record.cu */
extern const hb_ring_ops hb_cuda_ring_ops;       /* pointwise.cu */
extern const hb_ntt_ops hb_cuda_ntt_ops;         /* cuda/ntt/ntt.cu */
extern const hb_sample_ops hb_cuda_sample_ops;   /* sample.cu */
extern const hb_rns_ops hb_cuda_rns_ops;         /* cuda/rns/convert.cu */
extern const hb_garner_ops hb_cuda_garner_ops;   /* cuda/rns/garner.cu */
extern const hb_product_ops hb_cuda_product_ops; /* cuda/rns/products.cu */
extern const hb_row_ops hb_cuda_row_ops;         /* cuda/rows/rows.cu */
extern const hb_bfv_ops hb_cuda_bfv_ops;         /* cuda/bfv/plain.cu */
extern const hb_real_ops hb_cuda_real_ops;       /* real.cu */

#endif
