/* What the files of the CUDA engine share. CUDA C++, private to the folder.
 *
 * A hb_cuda_engine is one queue (a stream) on a GPU, with its own staging memory; the forks of an engine share a
 * hb_cuda_gpu: tables and the account of memory. Kernels see batches through hb_cuda_view and moduli through the
 * gpu's table, indexed by the limb's id. A launch covers the whole batch. */
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

/* One check for every call of the runtime. A failed call that says that the GPU is gone stays failed: every later one
 * reports it again. `operation`: a call as the source spells it, or the name of a function that launches kernels. */
hb_status hb_cuda_failed(cudaError_t error, const char *operation, const char *file, int line);
#define HB_CUDA(call)                                                         \
    do {                                                                      \
        const cudaError_t hb_cuda_error_ = (call);                            \
        if (hb_cuda_error_ != cudaSuccess) {                                  \
            return hb_cuda_failed(hb_cuda_error_, #call, __FILE__, __LINE__); \
        }                                                                     \
    } while (0)
/* After a launch, in the function that the message shall name. */
#define HB_CUDA_LAUNCHED()                                                       \
    do {                                                                         \
        const cudaError_t hb_cuda_error_ = cudaGetLastError();                   \
        if (hb_cuda_error_ != cudaSuccess) {                                     \
            return hb_cuda_failed(hb_cuda_error_, __func__, __FILE__, __LINE__); \
        }                                                                        \
    } while (0)

/* Makes a GPU the one that the calling thread's calls go to. HB_EUNAVAILABLE. */
hb_status hb_cuda_make_current(int index);

/* One piece of memory that a caller of the engine holds. */
struct hb_cuda_block {
    void *memory;
    size_t bytes;
    hb_cuda_block *next;
};

/* Page-locked memory of the host that is not the driver's own. */
struct hb_cuda_locked {
    void *memory; /* as mapped */
    size_t bytes;
    uint8_t *aligned; /* what the caller has */
    hb_cuda_locked *next;
};

/* Shared by an engine and its forks; lives until the last of them closes. */
struct hb_cuda_gpu {
    hb_cuda_device device;
    std::atomic<int> users;
    std::atomic<uint64_t> bytes; /* held on the GPU */
    uint64_t limit;
    uint32_t moduli_count; /* of the ring when the engine was opened */
    hb_modulus *moduli;    /* [moduli_count] on the GPU */
    hb_cuda_ntt *ntt;
    std::mutex blocks_lock;
    hb_cuda_block *blocks;  /* what hb_alloc gave out, and ... */
    hb_cuda_locked *locked; /* ... hb_host_alloc */
};

#define HB_CUDA_STAGE_BYTES ((size_t)1 << 20)
#define HB_CUDA_LEAF_BYTES ((size_t)4 << 20)

struct hb_cuda_engine {
    hb_engine base;
    hb_cuda_gpu *gpu;
    cudaStream_t stream;
    /* HB_CUDA_STAGE_BYTES each, page-locked and on the GPU; wiped when the engine closes. */
    uint8_t *stage_host, *stage;
    size_t staged;      /* bytes in use since the stream was last waited for */
    uint32_t *ntt_work; /* [HB_CUDA_NTT_WORK] on the GPU, zeros between launches (cuda/ntt/ntt.h) */
    uint8_t *leaves;    /* [HB_CUDA_LEAF_BYTES] on the GPU: digests of the leaves of some rows (cuda/rows/rows.cu) */
    hb_cuda_tape *tape; /* that operations are recorded on; NULL: they are issued */
};

static inline hb_cuda_engine *hb_cuda(hb_engine *e)
{
    return reinterpret_cast<hb_cuda_engine *>(e); /* base is the first member */
}

/* Memory on the engine's GPU, 256-byte aligned, counted against its limit; HB_ENOMEM. The GPU of the engine is
 * current in the calling thread, as in every function below. Release with the same number of bytes; NULL is allowed. */
hb_status hb_cuda_allocate(hb_cuda_gpu *gpu, size_t bytes, void **memory);
void hb_cuda_release(hb_cuda_gpu *gpu, void *memory, size_t bytes);

/* Copies `bytes` <= HB_CUDA_STAGE_BYTES of host memory to the GPU in the order of the stream and returns where they
 * are, 16-byte aligned, for the kernels that are launched before the next call of this function or of hb_finish. The
 * host memory may be reused at once. */
hb_status hb_cuda_stage(hb_cuda_engine *e, const void *host, size_t bytes, void **there);
/* The same staging memory without a copy. host, where it is not NULL: its page-locked twin on the host, for results
 * that will be waited for, which cannot be recorded. */
hb_status hb_cuda_staging(hb_cuda_engine *e, size_t bytes, void **host, void **there);
/* Waits for the stream; everything staged is free again. */
hb_status hb_cuda_wait(hb_cuda_engine *e);

/* HB_OK where operations are issued; while they are recorded, what ends that: HB_EUNAVAILABLE. what: a noun. */
hb_status hb_cuda_not_on_tape(hb_cuda_engine *e, const char *what);
/* hb_cuda_staging of a recording. What stands in `host` when it ends is there in all replays. */
hb_status hb_cuda_tape_staging(hb_cuda_engine *e, size_t bytes, void **host, void **there);

/* A batch as a kernel takes it: by value, with its ids. Rows are 16-byte aligned: `data` is, and stride is even. */
struct hb_cuda_view {
    uint64_t *data;
    size_t stride;
    uint32_t limbs, count, log_n;
    uint16_t ids[HB_MAX_LIMBS];
};
hb_cuda_view hb_cuda_view_of(const hb_engine *e, hb_batch a);
/* The same of an operand whose only polynomial, if it has but one, serves a whole batch. */
hb_cuda_view hb_cuda_view_for_all(const hb_engine *e, hb_batch a);

/* Any batch, scattered ones and slices too, as kernels of operations by coefficient take it: each limb has its place,
 * and n coefficients. */
struct hb_cuda_scattered {
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    uint32_t limbs, count, log_n, n;
    uint16_t ids[HB_MAX_LIMBS];
};
hb_cuda_scattered hb_cuda_scattered_of(const hb_engine *e, hb_batch a);

/* One word for each limb, by value in a kernel's arguments. */
struct hb_cuda_words {
    uint64_t of[HB_MAX_LIMBS];
};
hb_cuda_words hb_cuda_words_of(const uint64_t *words, uint32_t limbs);
/* Shoup's quotients of factors[l] modulo limb l of r. */
hb_cuda_words hb_cuda_quotients_of(const hb_engine *e, hb_batch r, const uint64_t *factors);

/* The words of limb l of polynomial c. */
__device__ static inline uint64_t *hb_cuda_row(const hb_cuda_view &a, size_t c, uint32_t l)
{
    return a.data + c * a.stride + ((size_t)l << a.log_n);
}
__device__ static inline uint64_t *hb_cuda_row(const hb_cuda_scattered &a, size_t c, uint32_t l)
{
    return a.limb_addresses[l].data + c * a.limb_addresses[l].stride;
}

/* Words of each polynomial that are 0, or of all together, into memory of the GPU: zeros [a.count] if apart, else
 * [1] (pointwise.cu). */
hb_status hb_cuda_zeros(hb_engine *e, hb_batch a, unsigned long long *zeros, bool apart);

/* An operation of ring/engine.h with the engine's GPU current in the calling thread, which may be any: what stands in a
 * group is hb_on_gpu<operation>::call. */
template <auto operation> struct hb_on_gpu;
template <typename result, typename... arguments, result (*operation)(hb_engine *, arguments...)>
struct hb_on_gpu<operation> {
    static result call(hb_engine *e, arguments... values)
    {
        if constexpr (std::is_void_v<result>) {
            (void)cudaSetDevice(hb_cuda(e)->gpu->device.index);
        } else {
            HB_TRY(hb_cuda_make_current(hb_cuda(e)->gpu->device.index));
        }
        return operation(e, values...);
    }
};

/* The groups of ring/engine.h, in the files named. */
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

#endif
