/* `hebatch bench ntt --plan`: times every kernel that a transform can use on this GPU (cuda/ntt/plan.h), for all sizes,
 * arithmetics, directions and batches, and makes a plan from the times. Rank-local. */
#ifndef HB_BENCH_PLAN_H
#define HB_BENCH_PLAN_H

#include "cli/console.h"
#include "device/device.h"

/* The measurements of transforms of one kind, in batches of `jobs` limbs. */
typedef struct hb_plan_line {
    hb_ntt_kind kind;
    size_t jobs;
    double seconds[HB_NTT_CANDIDATES]; /* of a job by each kernel; 0 where the kernel does not work */
    uint32_t rule, choice;             /* the candidate by the default rule, and the one of the plan */
} hb_plan_line;

/* The measurements, and the plan that follows from them. */
typedef struct hb_plan_results {
    hb_plan_line lines[HB_NTT_PLAN_ROWS * HB_NTT_PLAN_CLASSES];
    size_t count;
    hb_cuda_ntt_plan plan;
} hb_plan_results;

/* Measures wherever more than one kernel works, for about half a minute. `bytes` bounds the largest batch, whose result
 * also counts for larger batches. HB_EUNAVAILABLE where the device is no GPU; HB_ENOMEM; failures of the GPU. */
hb_status hb_bench_plan(const hb_device *device, uint64_t bytes, hb_plan_results *results);

/* Measures, prints, and keeps the plan for later runs (device/ntt_plan_file.h). For one rank. HB_ECREATE where there is
 * no folder for the file; else fails as hb_bench_plan and hb_ntt_plan_write do. */
hb_status hb_bench_plan_command(const hb_group *group, const hb_common *common, const hb_device *device);

#endif
