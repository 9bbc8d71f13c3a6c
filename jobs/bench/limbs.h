/* Measures operations on ciphertexts whose limbs are divided over k ranks, for several k: computing, exchange, and how
 * much of the one hides behind the other; beside what a model of the exchange predicts, which also says what more ranks
 * and slower networks would make of it. */
#ifndef HB_BENCH_LIMBS_H
#define HB_BENCH_LIMBS_H

#include "cli/console.h"
#include "cli/report.h"
#include "device/device.h"
#include "ranks/limb_model.h"
#include "ranks/limb_ranks.h"

enum { HB_LIMBS_MOST_K = 16 /* different k of a run */, HB_LIMBS_ROWS = HB_LIMB_OPERATIONS + 1 };

/* What is to be measured, and how. */
typedef struct hb_bench_limbs_options {
    hb_params *params;       /* divided for each k in turn; undivided after a success */
    const hb_device *device; /* of this rank */
    hb_limb_choice limbs;    /* ranks: a list of k; NULL: all that the number of ranks allows */
    double seconds;          /* for each measurement */
    size_t batch;            /* ciphertexts; 0: what suits the device */
    bool sustained;          /* on a GPU: without pauses between samples */
} hb_bench_limbs_options;

/* One operation on ciphertexts divided over k ranks, in seconds of one ciphertext, of the slowest rank; 0: not
 * measured. */
typedef struct hb_limbs_row {
    double batch;            /* in a batch in all queues */
    double weak;             /* in a batch k times as large */
    double alone;            /* one ciphertext in one queue, waited for */
    double compute;          /* as `batch`, on a member that exchanges nothing */
    double compute_alone;    /* as `alone`, on a member that exchanges nothing */
    double exchange;         /* the transfers of `batch` with nothing beside them */
    hb_limb_traffic traffic; /* of a ciphertext, of the member that receives most, as the engine asked for it */
    hb_limb_traffic model;   /* the same, as ranks/limb_model.h derives it */
} hb_limbs_row;

/* What was measured for one k. Rows are hb_limb_operation's; HB_LIMB_CONVERT has two: by gathering, and behind all
 * others by slices. */
typedef struct hb_limbs_results_k {
    uint32_t k, groups;
    bool fits; /* false: nothing was measured, as `needed` bytes are more than `allowed` */
    uint64_t needed, allowed;
    bool exchanged;        /* false: there are too few ranks, and only computing was measured */
    char exchange[16];     /* "nccl", "mpi" */
    hb_exchange_cost cost; /* as measured; of a usual network where nothing was exchanged */
    uint32_t queues;       /* queues that a batch went through */
    size_t count;          /* ciphertexts in each of them */
    hb_limbs_row rows[HB_LIMBS_ROWS];
} hb_limbs_results_k;

/* What was measured, for each k in ascending order. */
typedef struct hb_limbs_results {
    hb_limbs_results_k k[HB_LIMBS_MOST_K];
    size_t count;
} hb_limbs_results;

/* What the command line says about parameters and ranks; NULL and 0: not given. */
typedef struct hb_bench_limbs_words {
    const char *preset, *ranks;
    uint64_t n, limbs, bits;
    bool insecure;
} hb_bench_limbs_words;

/* Runs the command: opens parameters, measures, prints tables and JSON. Collective, the same status on all ranks. The
 * options are filled except for parameters and ranks; `device` is its name. */
hb_status hb_bench_limbs_command(hb_group *group, const hb_common *common, const hb_bench_limbs_words *words,
                                 hb_bench_limbs_options options, const char *device);

void hb_bench_print_limbs(const hb_group *group, const hb_common *common, const hb_bench_limbs_options *options,
                          const hb_limbs_results *results);
/* Returns the results as JSON; the caller owns it. NULL when out of memory. */
json_t *hb_bench_limbs_json(const hb_bench_limbs_options *options, const hb_limbs_results *results);

#endif
