#include "kernels.h"

#include "cpu_private.h"

/* The instruction sets that CMake builds kernels for (row_kernels.c). */
extern const hb_cpu_kernels hb_cpu_kernels_base;
#ifdef __x86_64__
extern const hb_cpu_kernels hb_cpu_kernels_v3, hb_cpu_kernels_v4, hb_cpu_kernels_v4_ifma;
#endif

/* The kernels, the best first; each set has all that the following ones have. */
static const hb_cpu_kernels *const sets[] = {
#ifdef __x86_64__
    &hb_cpu_kernels_v4_ifma,
    &hb_cpu_kernels_v4,
    &hb_cpu_kernels_v3,
#endif
    &hb_cpu_kernels_base,
};

enum { SETS = sizeof sets / sizeof *sets };

/* Returns how many of the sets, from the best on, this processor lacks. */
static uint32_t lacking(void)
{
#ifdef __x86_64__
    /* The processor must have all instructions that the compiler may use for a set; CMake lists them. */
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
    if (v4 && __builtin_cpu_supports("avx512ifma")) {
        return 0;
    }
    if (v4) {
        return 1;
    }
    if (v3) {
        return 2;
    }
    return 3;
#else
    return 0;
#endif
}

const hb_cpu_kernels *hb_cpu_kernels_at(uint32_t i)
{
    const uint32_t from = lacking();
    return i < SETS - from ? sets[from + i] : NULL;
}

void hb_cpu_sum(uint64_t *r, const hb_cpu_terms *terms, size_t n, const hb_modulus *m, bool narrow)
{
    hb_cpu_kernels_at(0)->sum(r, terms, n, m, narrow);
}
