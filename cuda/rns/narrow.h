/* Words of 50 bits (narrow.cu), an entry of the products' group (private to cuda/rns). */
#ifndef HB_CUDA_RNS_NARROW_H
#define HB_CUDA_RNS_NARROW_H

#include "cuda/device/cuda_private.h"

hb_status hb_cuda_narrow(hb_engine *e, uint64_t *to, hb_batch a);

#endif
