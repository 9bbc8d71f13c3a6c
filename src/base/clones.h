/* One portable binary that uses whichever vector units the processor has.
 *
 * HB_CLONES marks a function that the compiler builds once per instruction set; the loader picks. Results never depend
 * on the choice: every operation in these loops is exact. Helpers of such a function are HB_CLONED_INLINE or HB_FN, as
 * a call would leave the clone. clang 14 chooses among "arch=" clones by vendor, and wrongly, so it gets features by
 * name, and so does gcc 11, which knows no levels. Loops in which compilers find no good vectors spell them out instead
 * (cpu/vectors.h, cpu/kernels.h). */
#ifndef HB_BASE_CLONES_H
#define HB_BASE_CLONES_H

#if defined(__x86_64__) && defined(__clang__)
#define HB_CLONES __attribute__((target_clones("avx512dq", "fma", "default")))
#elif defined(__x86_64__) && defined(__GNUC__) && __GNUC__ < 12
#define HB_CLONES __attribute__((target_clones("avx512f", "fma", "default")))
#elif defined(__x86_64__) && defined(__GNUC__)
#define HB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HB_CLONES
#endif

/* Marks a helper that becomes part of the clone that calls it. */
#define HB_CLONED_INLINE static inline __attribute__((always_inline))

/* Stands before a loop of at most 16 rounds over a local array of vectors, which the unrolled loop keeps in
 * registers. */
#ifdef __clang__
#define HB_UNROLLED _Pragma("unroll")
#else
#define HB_UNROLLED _Pragma("GCC unroll 16")
#endif

/* Stands before a loop whose iteration j touches only words j. Operands may then be the same row, and the compiler
 * needs no check for overlap. */
#ifdef __clang__
#define HB_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define HB_INDEPENDENT _Pragma("GCC ivdep")
#endif

#endif
