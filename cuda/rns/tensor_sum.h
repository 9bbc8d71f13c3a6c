/* Sums of products and multiples of ciphertexts (tensor_sum.cu), an entry of the products' group (private to
 * cuda/rns). */
#ifndef HB_CUDA_RNS_TENSOR_SUM_H
#define HB_CUDA_RNS_TENSOR_SUM_H

#include "cuda/device/cuda_private.h"

/* The entry `tensor_sum` (ring/rns_ops.h): issues kernels on the queue. Errors of the CUDA runtime. */
hb_status hb_cuda_tensor_sum(hb_engine *e, hb_batch r, const hb_tensor_sum_operands *x);

#endif
