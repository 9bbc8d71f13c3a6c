/* Linear combinations (combine.cu), an entry of the products' group (private to cuda/rns). */
#ifndef HB_CUDA_RNS_COMBINE_H
#define HB_CUDA_RNS_COMBINE_H

#include "cuda/device/cuda_private.h"

/* The entry `combine` (ring/rns_ops.h): issues kernels on the queue. Errors of the CUDA runtime. */
hb_status hb_cuda_combine(hb_engine *e, const hb_combination *x);

#endif
