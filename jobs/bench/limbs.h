/* Measures operations on ciphertexts whose limbs are divided over k ranks, for several k: computing, exchange, and how
 * much of one hides behind the other. Beside them stand the predictions of a model of the exchange, which also covers
 * more ranks and slower networks. */
#ifndef HB_BENCH_LIMBS_H
#define HB_BENCH_LIMBS_H

#include "cli/console.h"
#include "cli/report.h"
#include "device/device.h"
#include "ranks/limb_choice.h"
#include "ranks/limb_model.h"
#include "ranks/limb_ranks.h"

enum { HB_LIMBS_MOST_K = 16 /* different k of a run */, HB_LIMBS_ROWS = HB_LIMB_OPERATIONS + 1 };

/* Options of the measurement. */
typedef struct hb_bench_limbs_options {
    hb_params *params;       /* divided for each k in turn; undivided after a success */
    const hb_device *device; /* of this rank */
    hb_limb_choice limbs;    /* ranks: a list of k; NULL: every k that the number of ranks allows */
    hb_speed speed;          /* of the slowest rank, on all limbs; found as measuring begins */
    double seconds;          /* for each measurement */
    size_t batch;            /* ciphertexts; 0: as many as suit the device */
    bool sustained;          /* on a GPU: without pauses between samples */
} hb_bench_limbs_options;

/* One operation on ciphertexts divided over k ranks: seconds per ciphertext on the slowest rank; 0: not measured. */
typedef struct hb_limbs_row {
    double batch;            /* in a batch in all queues */
    double weak;             /* in a batch k times as large */
    double alone;            /* one ciphertext in one queue, waiting for each call */
    double compute;          /* as `batch`, on a member that exchanges nothing */
    double compute_alone;    /* as `alone`, on a member that exchanges nothing */
    double exchange;         /* the transfers of `batch` by themselves */
    hb_limb_traffic traffic; /* of a ciphertext, on the member that receives most, as the engine requested it */
    hb_limb_traffic model;   /* the same, by ranks/limb_model.h */
} hb_limbs_row;

/* The measurements for one k. The rows are those of hb_limb_operation, and one more at the end: HB_LIMB_CONVERT has
 * two, by gathering and by slices. */
typedef struct hb_limbs_results_k {
    uint32_t k, groups;
    bool fits; /* false: nothing was measured, as `needed` exceeds `allowed` bytes */
    uint64_t needed, allowed;
    bool exchanged;           /* false: too few ranks, so only computing was measured */
    char exchange[16];        /* "direct", "nccl", "mpi" */
    hb_exchange_cost cost;    /* as measured; of a usual network, or of fewer ranks here, where nothing was exchanged */
    bool as_here;             /* nothing was exchanged by so many, but the cost was measured with fewer ranks */
    hb_params_division dealt; /* how the limbs were divided */
    uint32_t queues;          /* queues that a batch was divided over */
    size_t count;             /* ciphertexts in each of them */
    hb_limbs_row rows[HB_LIMBS_ROWS];
} hb_limbs_results_k;

/* The measurements for each k, in ascending order. */
typedef struct hb_limbs_results {
    hb_limbs_results_k k[HB_LIMBS_MOST_K];
    size_t count;
} hb_limbs_results;

/* Options about parameters and ranks, as texts; NULL and 0: not given. */
typedef struct hb_bench_limbs_words {
    const char *preset, *ranks;
    uint64_t n, limbs, bits;
    bool insecure;
} hb_bench_limbs_words;

/* Runs the command: opens parameters, measures, prints tables and JSON. Collective, the same status on all ranks. The
 * caller fills the options, except parameters and ranks; `device` is the device's name. */
hb_status hb_bench_limbs_command(hb_group *group, const hb_common *common, const hb_bench_limbs_words *words,
                                 hb_bench_limbs_options options, const char *device);

/* Returns the case of the model for what was measured of one k; conversions by cost. */
hb_limb_case hb_limbs_case(const hb_params *params, const hb_limbs_results_k *results);

/* Prints the results as tables, on rank 0. */
void hb_bench_print_limbs(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                          const hb_limbs_results *results);
/* Returns the results as JSON; the caller owns it. NULL when out of memory. */
json_t *hb_bench_limbs_json(const hb_bench_limbs_options *options, const hb_limbs_results *results);

#endif
