#include "sample.h"

/* round(2^63 P(|X| <= k)), k = 0 .. 18 (sample.h). Computed with MPFR at 256 bits; tests/unit/base/t_sample.c computes
 * them again. */
const uint64_t hb_gaussian_thresholds[HB_GAUSSIAN_BOUND] = {
    UINT64_C(0x0ff52b40a5917f1d), UINT64_C(0x2e5a25d4bf0e400e), UINT64_C(0x489ae26955b04bd6),
    UINT64_C(0x5d2bc20f621bf185), UINT64_C(0x6bc8694c3cc80ff5), UINT64_C(0x7532d89ac6ba7dcf),
    UINT64_C(0x7ab396cb74436799), UINT64_C(0x7d9e4e916643eb08), UINT64_C(0x7f05495819eb2051),
    UINT64_C(0x7fa1ce9c0039a957), UINT64_C(0x7fdfb3f212e8c4e9), UINT64_C(0x7ff5e6f9d2314fcc),
    UINT64_C(0x7ffd1f97bc4406a3), UINT64_C(0x7fff40fa0088d11e), UINT64_C(0x7fffd2e835e1c57e),
    UINT64_C(0x7ffff6524386ff1e), UINT64_C(0x7ffffe1db4769da5), UINT64_C(0x7fffffac0a1dcb09),
    UINT64_C(0x7ffffff428673853),
};
