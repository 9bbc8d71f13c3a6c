/* What the files of the CUDA engine share. CUDA C++, private to the folder.
 *
 * A hb_cuda_engine is one queue (a stream) on a GPU, with its own staging memory; the forks of an engine share a
 * hb_cuda_gpu: tables and the account of memory. Kernels see batches through hb_cuda_view and moduli through the
 * gpu's table, indexed by the limb's id. A launch covers the whole batch. */
#ifndef HB_CUDA_ENGINE_CUDA_PRIVATE_H
#define HB_CUDA_ENGINE_CUDA_PRIVATE_H

#include <atomic>
#include <cuda_runtime.h>
#include <mutex>

extern "C" {
#include "engine.h"
#include "ring/bfv_ops.h"
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
    uint8_t *leaves;    /* [HB_CUDA_LEAF_BYTES] on the GPU: digests of the leaves of some rows (cuda/rows/digest.cu) */
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
/* The same room without a copy. host, where it is not NULL: its page-locked twin on the host, for results that will be
 * waited for, which cannot be recorded. */
hb_status hb_cuda_stage_room(hb_cuda_engine *e, size_t bytes, void **host, void **there);
/* Waits for the stream; everything staged is free again. */
hb_status hb_cuda_wait(hb_cuda_engine *e);

/* HB_OK where operations are issued; while they are recorded, what ends that: HB_EUNAVAILABLE. what: a noun. */
hb_status hb_cuda_not_on_tape(hb_cuda_engine *e, const char *what);
/* hb_cuda_stage_room of a recording. What stands in `host` when it ends is there in all replays. */
hb_status hb_cuda_tape_room(hb_cuda_engine *e, size_t bytes, void **host, void **there);

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
    hb_limb_place places[HB_MAX_LIMBS];
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
    return a.places[l].data + c * a.places[l].stride;
}

/* memory.cu: the operations of ring/engine.h on memory. */
hb_status hb_cuda_alloc(hb_engine *e, size_t bytes, void **memory);
void hb_cuda_free(hb_engine *e, void *memory);
hb_status hb_cuda_host_alloc(hb_engine *e, size_t bytes, void **memory);
void hb_cuda_host_free(hb_engine *e, void *memory);
hb_status hb_cuda_upload(hb_engine *e, void *to, const void *from_host, size_t bytes);
hb_status hb_cuda_download(hb_engine *e, void *to_host, const void *from, size_t bytes);

hb_status hb_cuda_record(hb_engine *e, hb_status (*body)(void *), void *argument, void **tape); /* record.cu */
hb_status hb_cuda_replay(hb_engine *e, void *tape);
void hb_cuda_forget(hb_engine *e, void *tape);

/* The other operations, in the files named. The GPU of the engine is current when they are called (engine.cu). */
hb_status hb_cuda_ntt_forward(hb_engine *e, hb_batch x); /* cuda/ntt/ntt.cu */
hb_status hb_cuda_ntt_inverse(hb_engine *e, hb_batch x, const uint64_t *factors);
hb_status hb_cuda_ntt_of(hb_engine *e, hb_batch r, hb_batch a);
hb_status hb_cuda_ntt_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_cuda_ntt_spread(hb_engine *e, hb_batch r, hb_batch a);

hb_status hb_cuda_copy(hb_engine *e, hb_batch r, hb_batch a); /* copy.cu */
hb_status hb_cuda_clear(hb_engine *e, hb_batch r);

hb_status hb_cuda_add(hb_engine *e, hb_batch r, hb_batch a, hb_batch b); /* pointwise.cu */
hb_status hb_cuda_sub(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_cuda_negate(hb_engine *e, hb_batch r, hb_batch a);
hb_status hb_cuda_mul(hb_engine *e, hb_batch r, hb_batch a, hb_batch b);
hb_status hb_cuda_scale(hb_engine *e, hb_batch r, hb_batch a, const uint64_t *factors);
hb_status hb_cuda_permute(hb_engine *e, hb_batch r, hb_batch a, const uint32_t *map);

hb_status hb_cuda_sample_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds); /* sample.cu */
hb_status hb_cuda_mul_uniform(hb_engine *e, hb_batch r, const hb_seed *seeds, hb_batch b);
hb_status hb_cuda_sample_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw);
hb_status hb_cuda_add_small(hb_engine *e, hb_batch r, hb_distribution distribution, hb_draw draw, hb_sign sign);

hb_status hb_cuda_galois(hb_engine *e, hb_batch r, hb_batch a, uint32_t element); /* cuda/rns/switch.cu */
hb_status hb_cuda_spread(hb_engine *e, hb_batch r, hb_batch a);
/* cuda/rns/key_products.cu */
hb_status hb_cuda_key_products(hb_engine *e, hb_batch r, hb_batch digits, hb_batch key, uint32_t outputs, uint32_t row);

hb_status hb_cuda_tensor(hb_engine *e, hb_batch r, hb_batch a, hb_batch b, uint32_t a_size,
                         uint32_t b_size); /* cuda/rns/tensor.cu */

hb_status hb_cuda_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a); /* zeros.cu */
/* Words of each polynomial that are 0, or of all together, into memory of the GPU: zeros [a.count] if apart, else
 * [1]. */
hb_status hb_cuda_zeros(hb_engine *e, hb_batch a, unsigned long long *zeros, bool apart);

hb_status hb_cuda_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                   hb_sign sign); /* cuda/bfv/plain.cu */
hb_status hb_cuda_lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants);
hb_status hb_cuda_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants);

hb_status hb_cuda_base_convert(hb_engine *e, hb_batch r, hb_batch a,
                               const hb_base_conversion *conversion); /* cuda/rns/convert.cu */
hb_status hb_cuda_divide_round(hb_engine *e, hb_batch r, hb_batch b, hb_batch a, hb_batch last,
                               const hb_drop_last *constants); /* cuda/rns/divide.cu */

hb_status hb_cuda_garner_digits(hb_engine *e, hb_batch r, hb_batch a,
                                const hb_garner *constants); /* cuda/rns/garner.cu */
hb_status hb_cuda_infinity_norm(hb_engine *e, uint64_t *digits, hb_batch a, const hb_garner *constants);

hb_status hb_cuda_pack(hb_engine *e, hb_packed to, hb_batch a); /* cuda/rows/pack.cu */
hb_status hb_cuda_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range);

hb_status hb_cuda_digest_rows(hb_engine *e, uint8_t *digests, hb_packed rows, const uint16_t *ids,
                              uint32_t limbs); /* cuda/rows/digest.cu */

#endif
