/* One portable binary that runs the vector units which are there.
 *
 * HB_CLONES marks a function that the compiler builds once per instruction set; the loader picks. Results never depend
 * on the choice: every operation in these loops is exact. Helpers of such a function are HB_CLONED_INLINE, or HB_FN: a
 * call would leave the clone. clang 14 picks an "arch=" clone by vendor and then wrongly, so it gets features by name.
 * Where compilers find no good vectors, they are spelled out (cpu/vectors.h, cpu/kernels.h). */
#ifndef HB_BASE_CLONES_H
#define HB_BASE_CLONES_H

#if defined(__x86_64__) && defined(__clang__)
#define HB_CLONES __attribute__((target_clones("avx512dq", "fma", "default")))
#elif defined(__x86_64__) && defined(__GNUC__)
#define HB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HB_CLONES
#endif

#define HB_CLONED_INLINE static inline __attribute__((always_inline))

/* Before a loop over a local array of vectors, which so are registers: of at most 16 rounds. */
#ifdef __clang__
#define HB_UNROLLED _Pragma("unroll")
#else
#define HB_UNROLLED _Pragma("GCC unroll 16")
#endif

/* Before a loop whose iteration j touches only words j: operands may be the same row, and no check for it is needed. */
#ifdef __clang__
#define HB_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HB_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif
