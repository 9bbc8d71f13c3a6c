/* Work behind kim.h (private to its .cu files). */
#ifndef HB_BENCH_KIM_WORK_CUH
#define HB_BENCH_KIM_WORK_CUH

#include <cuda_runtime.h>

extern "C" {
#include "kim.h"
}

struct hb_kim_work {
    virtual hb_status issue(cudaStream_t stream) = 0;
    virtual ~hb_kim_work() = default;
};

#endif
