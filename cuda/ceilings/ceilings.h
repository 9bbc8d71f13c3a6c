/* What one GPU can do at most, measured: the floors of `hebatch bench` stand on it. C interface; without a CUDA
 * compiler at build time both functions fail with HB_EUNAVAILABLE (cuda/engine/absent.c). Rank-local. */
#ifndef HB_CUDA_CEILINGS_CEILINGS_H
#define HB_CUDA_CEILINGS_CEILINGS_H

#include "cuda/device/device.h"

/* A second; all but the first in registers, on all multiprocessors. */
typedef struct hb_cuda_ceilings {
    double copy;            /* bytes of device memory, read and written ones together */
    double f64_butterflies; /* with the arithmetic of the transforms: FP64 ... */
    double u64_butterflies; /* ... and 64-bit words with Shoup's multiplication, without reductions */
    double chacha_blocks;   /* of 64 bytes */
    double blake2b_blocks;  /* of 128 bytes */
} hb_cuda_ceilings;

/* Bytes a second between page-locked host memory and the GPU: one way alone, and each way while both are busy. */
typedef struct hb_cuda_link {
    double upload, download, both;
} hb_cuda_link;

/* Each is the median of several runs, about a second together. `memory`: most bytes to hold on the GPU, given back
 * before they return. HB_ENOMEM; HB_EUNAVAILABLE. */
hb_status hb_cuda_ceilings_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_ceilings *ceilings);
hb_status hb_cuda_link_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_link *link);

#endif
