/* Base conversion from many sources, on tensor cores (private to the folder). */
#ifndef HB_CUDA_RNS_CONVERT_MANY_H
#define HB_CUDA_RNS_CONVERT_MANY_H

#include "cuda/device/cuda_private.h"

/* Converts from any number of sources, as hb_base_convert does (ring/rns_ops.h); r.count > 0. It issues to the
 * queue. */
hb_status hb_cuda_convert_many(hb_engine *e, hb_batch r, hb_batch a, const hb_base_conversion *conversion);

#endif
