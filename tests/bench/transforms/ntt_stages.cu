/* A kernel for each stage: design D2 of Ozerk et al. (table 5), and the starting point of Kim et al. (figure 1); by
 * each way to multiply. Every stage reads and writes all words, so log2 N times the memory's traffic is its floor. */
#include "radix2_design.cuh"

static const hb_radix2_plan stages = {HB_TILE_IN_MEMORY, 0, 0};

#define OZCAN_D2 "Ozerk et al., section 4.4, D2"
#define KIM_1 "Kim et al., section 3, figure 1"

extern "C" const hb_design hb_designs_stages[] = {
    hb_radix2_design<hb_barrett<uint64_t>>("stages", "a kernel a stage, Barrett", OZCAN_D2, &stages, HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_shoup<uint64_t>>("stages-shoup", "a kernel a stage, Shoup", KIM_1, &stages, HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_native<uint64_t>>("stages-native", "a kernel a stage, %", KIM_1, &stages, HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_montgomery<uint64_t>>("stages-montgomery", "a kernel a stage, Montgomery", OZCAN_D2, &stages,
                                              HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_barrett<uint32_t>>("stages-32", "a kernel a stage, Barrett, 32-bit words", OZCAN_D2, &stages,
                                           HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_shoup<uint32_t>>("stages-32-shoup", "a kernel a stage, Shoup, 32-bit words", KIM_1, &stages,
                                         HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_native<uint32_t>>("stages-32-native", "a kernel a stage, %, 32-bit words", KIM_1, &stages,
                                          HB_RING_MAX_LOG_N),
    {}};
