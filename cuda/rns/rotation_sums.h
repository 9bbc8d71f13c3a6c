/* Sums of rotated inner products (rotation_sums.cu), an entry of the products' group (private to cuda/rns). */
#ifndef HB_CUDA_RNS_ROTATION_SUMS_H
#define HB_CUDA_RNS_ROTATION_SUMS_H

#include "cuda/device/cuda_private.h"

/* The entry `rotation_sums` (ring/rns_ops.h): issues kernels on the queue. Errors of the CUDA runtime. */
hb_status hb_cuda_rotation_sums(hb_engine *e, hb_batch r, uint32_t outputs, const hb_rotation_sum *x);

#endif
