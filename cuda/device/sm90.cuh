/* Instructions of compute capability 9.0: clusters, and launches that start before the one before has ended (private).
 * Code for older GPUs gets nothing in their place, and no kernel that needs them is launched there. */
#ifndef HB_CUDA_DEVICE_SM90_CUH
#define HB_CUDA_DEVICE_SM90_CUH

#include <stdint.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HB_CUDA_SM90(...) asm volatile(__VA_ARGS__)
#else
#define HB_CUDA_SM90(...) ((void)0)
#endif

/* Announces that this thread has started: after the next wait all threads of the cluster have, so that their shared
 * memory may be written. It orders no memory accesses. */
static __device__ __forceinline__ void hb_cuda_cluster_start()
{
    HB_CUDA_SM90("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

/* Announces that this thread has finished its accesses so far to the shared memory of the cluster's blocks. */
static __device__ __forceinline__ void hb_cuda_cluster_arrive()
{
    HB_CUDA_SM90("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/* Waits until all threads of the cluster have arrived; their writes before their arrival are then visible. */
static __device__ __forceinline__ void hb_cuda_cluster_wait()
{
    HB_CUDA_SM90("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Returns where `mine`, an address in this block's shared memory, lies in thread block `rank` of the cluster. */
static __device__ __forceinline__ uint32_t hb_cuda_cluster_address(const uint64_t *mine, uint32_t rank)
{
    uint32_t there = 0;
    const uint32_t here = (uint32_t)__cvta_generic_to_shared(mine);
    HB_CUDA_SM90("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    return there;
}

/* Stores a word `words` words behind an address of hb_cuda_cluster_address. */
static __device__ __forceinline__ void hb_cuda_cluster_store(uint32_t there, uint32_t words, uint64_t value)
{
    HB_CUDA_SM90("st.shared::cluster.u64 [%0], %1;" ::"r"(there + 8 * words), "l"(value) : "memory");
}

/* Lets the next launch of the stream start, and do the work that does not depend on this one, until that launch waits
 * in hb_cuda_wait_for_previous for all of this one. */
static __device__ __forceinline__ void hb_cuda_let_next_start()
{
    HB_CUDA_SM90("griddepcontrol.launch_dependents;" ::: "memory");
}

/* Waits until all launches before this one have ended and their writes are visible. */
static __device__ __forceinline__ void hb_cuda_wait_for_previous()
{
    HB_CUDA_SM90("griddepcontrol.wait;" ::: "memory");
}

/* Begins a kernel that hb_cuda_start or hb_ntt_start starts; all of its threads call it before they touch memory that
 * another launch reads or writes. The next launch may get ready, and all that was issued before is done and visible. */
static __device__ __forceinline__ void hb_cuda_begin()
{
    hb_cuda_let_next_start();
    hb_cuda_wait_for_previous();
}

#endif
