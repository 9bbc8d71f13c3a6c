/* The one place that knows whether gcc or nvcc is compiling. HB_FN marks scalar functions that both use. HB_UNROLL
 * stands before a loop over local arrays that are to be registers on a GPU, for which the compiler has to know every
 * index. Headers that include this one stay in the common subset of C11 and C++17. */
#ifndef HB_BASE_HOSTDEVICE_H
#define HB_BASE_HOSTDEVICE_H

#ifdef __CUDACC__
#define HB_FN __host__ __device__ static inline
#else
#define HB_FN static inline __attribute__((always_inline))
#endif

#ifdef __CUDA_ARCH__
#define HB_UNROLL _Pragma("unroll")
#else
#define HB_UNROLL
#endif

#endif
