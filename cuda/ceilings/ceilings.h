/* The peak rates of one GPU, measured: the floors of `hebatch bench` stand on it. This is a C interface; a program that
 * was built without a CUDA compiler has both functions, which fail with HB_EUNAVAILABLE (cuda/engine/absent.c).
 * Rank-local. */
#ifndef HB_CUDA_CEILINGS_CEILINGS_H
#define HB_CUDA_CEILINGS_CEILINGS_H

#include "cuda/device/device.h"

/* Rates, each a second. All but the first are of loops in registers, on all multiprocessors. */
typedef struct hb_cuda_ceilings {
    double copy;            /* bytes of device memory, those read and those written together */
    double f64_butterflies; /* butterflies with the FP64 arithmetic of the transforms */
    double u64_butterflies; /* butterflies with 64-bit words and Shoup's multiplication; both without reductions */
    double chacha_blocks;   /* of 64 bytes */
    double blake2b_blocks;  /* of 128 bytes */
} hb_cuda_ceilings;

/* Bytes a second between page-locked host memory and the GPU: one way alone, and each way while both are busy. */
typedef struct hb_cuda_link {
    double upload, download, both;
} hb_cuda_link;

/* Measure the rates of a GPU, each as the median of several runs, about a second for all. `memory` is the most bytes to
 * hold on the GPU; all of it is given back before they return. HB_ENOMEM where that is too little; HB_EUNAVAILABLE. On
 * failure the rates are zeros. */
hb_status hb_cuda_ceilings_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_ceilings *ceilings);
hb_status hb_cuda_link_measure(const hb_cuda_device *device, uint64_t memory, hb_cuda_link *link);

#endif
