/* The negacyclic transforms of one ring on one GPU (private): twiddle tables, and which kernel a launch takes. */
#ifndef HB_CUDA_NTT_NTT_H
#define HB_CUDA_NTT_NTT_H

#include "cuda/device/cuda_private.h"

extern "C" {
#include "plan.h"
}

/* Words of a queue's counters for the one-launch kernels (dataflow.cu); they are zeros before and after every
 * launch. */
#define HB_CUDA_NTT_WORK ((size_t)1 << 16)

/* Makes the tables of every modulus of the ring that has a root. Kernels on the default stream make them, which may
 * still run on return. The memory counts against gpu->limit; the GPU must be current. HB_ENOMEM and failures of the
 * GPU, with *out NULL. hb_cuda_ntt_close frees them; it takes NULL. */
hb_status hb_cuda_ntt_open(hb_cuda_gpu *gpu, const hb_ring *ring, hb_cuda_ntt **out);
void hb_cuda_ntt_close(hb_cuda_gpu *gpu, hb_cuda_ntt *ntt);

#endif
