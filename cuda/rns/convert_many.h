/* Base conversion from many sources, on tensor cores (private to the folder). */
#ifndef HB_CUDA_RNS_CONVERT_MANY_H
#define HB_CUDA_RNS_CONVERT_MANY_H

#include "cuda/device/cuda_private.h"

/* Base conversion (ring/rns_ops.h) from any number of sources. */
hb_status hb_cuda_convert_many(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion);

#endif
