/* Instructions of compute capability 9.0: clusters, and launches that start before the one before has ended (private).
 * Elsewhere they are empty, and nothing that needs them is launched. */
#ifndef HB_CUDA_DEVICE_SM90_CUH
#define HB_CUDA_DEVICE_SM90_CUH

#include <stdint.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define HB_CUDA_SM90(...) asm volatile(__VA_ARGS__)
#else
#define HB_CUDA_SM90(...) ((void)0)
#endif

/* All of the cluster have started by the end of the wait for this one. */
static __device__ __forceinline__ void hb_cuda_cluster_start()
{
    HB_CUDA_SM90("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

/* What this thread did before, to the shared memory of any block of the cluster, is done. */
static __device__ __forceinline__ void hb_cuda_cluster_arrive()
{
    HB_CUDA_SM90("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

static __device__ __forceinline__ void hb_cuda_cluster_wait()
{
    HB_CUDA_SM90("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Where `mine`, in shared memory, is in thread block `rank` of the cluster. */
static __device__ __forceinline__ uint32_t hb_cuda_cluster_address(const uint64_t *mine, uint32_t rank)
{
    uint32_t there = 0;
    const uint32_t here = (uint32_t)__cvta_generic_to_shared(mine);
    HB_CUDA_SM90("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    return there;
}

static __device__ __forceinline__ void hb_cuda_cluster_store(uint32_t there, uint32_t words, uint64_t value)
{
    HB_CUDA_SM90("st.shared::cluster.u64 [%0], %1;" ::"r"(there + 8 * words), "l"(value) : "memory");
}

/* The next launch of the stream may start, and do what does not depend on this one ... */
static __device__ __forceinline__ void hb_cuda_let_next_start()
{
    HB_CUDA_SM90("griddepcontrol.launch_dependents;" ::: "memory");
}

/* ... until it waits here for all of this one. */
static __device__ __forceinline__ void hb_cuda_wait_for_previous()
{
    HB_CUDA_SM90("griddepcontrol.wait;" ::: "memory");
}

/* How a kernel begins that hb_cuda_start or hb_ntt_start starts, in all of its threads: the next one may get ready, and
 * all that was issued before is done and visible. */
static __device__ __forceinline__ void hb_cuda_begin()
{
    hb_cuda_let_next_start();
    hb_cuda_wait_for_previous();
}

#endif
