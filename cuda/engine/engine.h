/* The engine on one NVIDIA GPU of compute capability 8.0 or newer. Same results as the CPU engine, word for word. C
 * interface. */
#ifndef HB_CUDA_ENGINE_ENGINE_H
#define HB_CUDA_ENGINE_ENGINE_H

#include "cuda/device/device.h"
#include "cuda/ntt/plan.h"
#include "ring/engine.h"

/* Opens an engine on `ring` (borrowed, outlives it) and device->index. memory_limit: bytes that this engine and its
 * forks may hold on the GPU, tables included; what exceeds it fails with HB_ENOMEM. Rows of a batch are 16-byte
 * aligned: its data is, and its stride is even. HB_ECONFIG for N below 2^10; HB_EUNAVAILABLE when the GPU cannot be
 * used, naming it. Tables of a modulus with a root: up to 4.5 N words, 9 N where narrow transforms have theirs
 * (cuda/ntt/shape.h), half of that with FP64. */
hb_status hb_cuda_engine_open(const hb_ring *ring, const hb_cuda_device *device, uint64_t memory_limit,
                              hb_engine **out);
/* Bytes that a queue, the engine itself or a fork, takes at most on the GPU beside what is allocated through it:
 * staging, counters, digests on the way, with room for what rounding adds to the rest. */
#define HB_CUDA_QUEUE_BYTES ((uint64_t)8 << 20)
/* Bytes that the engine and its forks hold on the GPU now. */
uint64_t hb_cuda_engine_bytes(const hb_engine *engine);

#endif
