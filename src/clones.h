/* HB_CLONES marks a function that the compiler builds once per instruction set; the loader picks. One portable binary runs
 * the vector units that are there. Helpers of such a function are HB_CLONED_INLINE: a call would leave the clone. Results never depend on it: every operation in these loops is exact. */
#ifndef HB_CLONES_H
#define HB_CLONES_H

#if defined(__x86_64__) && defined(__GNUC__)
#define HB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define HB_CLONED_INLINE static inline __attribute__((always_inline))
#else
#define HB_CLONES
#define HB_CLONED_INLINE static inline
#endif

#endif
