/* The engine on one NVIDIA GPU of compute capability 8.0 or newer. Its results equal the CPU engine's, word for word.
 * This header is the C interface; functions are rank-local. */
#ifndef HB_CUDA_ENGINE_ENGINE_H
#define HB_CUDA_ENGINE_ENGINE_H

#include "cuda/device/device.h"
#include "cuda/ntt/plan.h"
#include "ring/engine.h"

/* Opens an engine on the GPU device->index, for `ring`, which is borrowed and outlives it. The engine and its forks may
 * hold memory_limit bytes on the GPU, tables included; an allocation beyond that fails with HB_ENOMEM. Batches that
 * operations take have 16-byte aligned rows: their data is aligned and their stride is even. The tables of a modulus
 * with a root take up to 4.5 N words, 9 N where narrow transforms have tables of their own (cuda/ntt/shape.h), and half
 * of that with FP64. HB_ECONFIG for N below 2^10; HB_EUNAVAILABLE, naming the GPU, when it cannot be used; *out is then
 * NULL. The caller closes the engine with hb_engine_close. */
hb_status hb_cuda_engine_open(const hb_ring *ring, const hb_cuda_device *device, uint64_t memory_limit,
                              hb_engine **out);
/* The most bytes that one queue, the engine itself or a fork, takes on the GPU beside the memory that is allocated
 * through it: its staging memory, counters and digests, with room for the rounding up of those allocations. */
#define HB_CUDA_QUEUE_BYTES ((uint64_t)8 << 20)
/* Returns the bytes that the engine and its forks hold on the GPU now. */
uint64_t hb_cuda_engine_bytes(const hb_engine *engine);
/* Returns the kernels, copies and the like of this queue's last recording; 0 where there is none, or its body is
 * called. */
size_t hb_cuda_engine_recorded(const hb_engine *engine);

#endif
