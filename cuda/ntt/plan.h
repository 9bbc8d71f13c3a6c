/* Which kernels a transform takes: the candidates, fixed rules that choose among them, and a table that measuring
 * fills. The header is in the common subset of C11 and C++17: the engine chooses by it, measurements write it.
 * All choices give the same words, so plans may differ between ranks. */
#ifndef HB_CUDA_NTT_PLAN_H
#define HB_CUDA_NTT_PLAN_H

#include <string.h>

#include "cuda/device/device.h"
#include "ring/engine.h"

/* The arithmetics, by the widest prime that each takes: narrower primes need fewer reductions. */
typedef enum hb_ntt_arithmetic { HB_NTT_F64_49, HB_NTT_F64_50, HB_NTT_U64_59, HB_NTT_U64_61 } hb_ntt_arithmetic;
enum { HB_NTT_ARITHMETICS = 4 };

/* How a limb is spread over thread blocks: one block, a cluster, two launches, or one launch with dataflow. */
typedef enum hb_ntt_structure {
    HB_NTT_STRUCTURE_SINGLE,
    HB_NTT_STRUCTURE_CLUSTER,
    HB_NTT_STRUCTURE_TWO,
    HB_NTT_STRUCTURE_DATAFLOW
} hb_ntt_structure;
enum { HB_NTT_STRUCTURES = 4 };

/* The candidates that a plan chooses from, in the order of hb_ntt_candidate_of. Plans hold these numbers. */
enum {
    HB_NTT_BY_RULE, /* hb_ntt_rule's choice, which is one of the others */
    HB_NTT_SINGLE,
    HB_NTT_CLUSTER,
    HB_NTT_TWO,
    HB_NTT_NARROW_CLUSTER,
    HB_NTT_NARROW_TWO,
    HB_NTT_DATAFLOW_50,
    HB_NTT_DATAFLOW_75,
    HB_NTT_DATAFLOW_100,
    HB_NTT_DATAFLOW_150,
    HB_NTT_CLUSTER_16,
    HB_NTT_CANDIDATES
};

/* One candidate: a structure with its parameters. */
typedef struct hb_ntt_candidate {
    const char *name; /* its name in plan files */
    hb_ntt_structure structure;
    uint32_t least, most; /* log2 of the N that it can do */
    bool sm90;            /* needs hb_cuda_device.sm90 */
    bool narrow;          /* fewer words a thread, smaller tiles: for batches that leave multiprocessors idle */
    uint32_t lead;        /* dataflow: percent of the multiprocessors that the tiles between two halves of a job fill */
} hb_ntt_candidate;

/* Returns the candidate of a number below HB_NTT_CANDIDATES. */
static inline const hb_ntt_candidate *hb_ntt_candidate_of(uint32_t number)
{
    static const hb_ntt_candidate all[HB_NTT_CANDIDATES] = {
        {"rule", HB_NTT_STRUCTURE_SINGLE, 10, 17, false, false, 0},
        {"single", HB_NTT_STRUCTURE_SINGLE, 10, 12, false, false, 0},
        {"cluster", HB_NTT_STRUCTURE_CLUSTER, 13, 15, true, false, 0},
        {"two", HB_NTT_STRUCTURE_TWO, 13, 17, false, false, 0},
        {"narrow-cluster", HB_NTT_STRUCTURE_CLUSTER, 12, 15, true, true, 0},
        {"narrow-two", HB_NTT_STRUCTURE_TWO, 14, 17, false, true, 0},
        {"dataflow-50", HB_NTT_STRUCTURE_DATAFLOW, 16, 17, false, false, 50},
        {"dataflow-75", HB_NTT_STRUCTURE_DATAFLOW, 16, 17, false, false, 75},
        {"dataflow-100", HB_NTT_STRUCTURE_DATAFLOW, 16, 17, false, false, 100},
        {"dataflow-150", HB_NTT_STRUCTURE_DATAFLOW, 16, 17, false, false, 150},
        {"cluster-16", HB_NTT_STRUCTURE_CLUSTER, 16, 16, true, false, 0},
    };
    return &all[number];
}

enum {
    HB_NTT_PLAN_MIN_LOG_N = 10,
    HB_NTT_PLAN_SIZES = 8, /* to 2^17 */
    HB_NTT_PLAN_ROWS = HB_NTT_PLAN_SIZES * HB_NTT_ARITHMETICS * 2,
    HB_NTT_PLAN_CLASSES = 17
};

/* The candidate for each row (hb_ntt_row_of) and class (hb_ntt_class_of). Zeros stand for the rule, everywhere. */
typedef struct hb_cuda_ntt_plan {
    uint8_t choice[HB_NTT_PLAN_ROWS][HB_NTT_PLAN_CLASSES];
} hb_cuda_ntt_plan;

/* The transforms that a row of a plan is for. hb_ntt_row_of and hb_ntt_kind_of are inverse to each other. */
typedef struct hb_ntt_kind {
    uint32_t log_n;
    hb_ntt_arithmetic arithmetic;
    bool forward;
} hb_ntt_kind;

/* Returns the row of a kind, below HB_NTT_PLAN_ROWS. */
static inline uint32_t hb_ntt_row_of(hb_ntt_kind kind)
{
    return ((kind.log_n - HB_NTT_PLAN_MIN_LOG_N) * HB_NTT_ARITHMETICS + (uint32_t)kind.arithmetic) * 2 + kind.forward;
}

/* Returns the kind of a row. */
static inline hb_ntt_kind hb_ntt_kind_of(uint32_t row)
{
    hb_ntt_kind kind;
    kind.log_n = HB_NTT_PLAN_MIN_LOG_N + row / (2 * HB_NTT_ARITHMETICS);
    kind.arithmetic = (hb_ntt_arithmetic)(row / 2 % HB_NTT_ARITHMETICS);
    kind.forward = row % 2 != 0;
    return kind;
}

/* Returns the class of a batch of `jobs` jobs, a job being one limb of a polynomial: class c has batches of about 2^c
 * jobs, the last class all larger ones. */
static inline uint32_t hb_ntt_class_of(size_t jobs)
{
    uint32_t c = 0;
    while (c < HB_NTT_PLAN_CLASSES - 1 && jobs > (size_t)3 << c >> 1) { /* beyond 1.5 times 2^c the next is nearer */
        c++;
    }
    return c;
}

/* Returns true for a candidate that is not the rule and works for that N on that GPU. Any number may be asked for:
 * plans come from files. */
static inline bool hb_ntt_possible(uint32_t candidate, const hb_cuda_device *device, uint32_t log_n)
{
    const hb_ntt_candidate *c;
    if (candidate == HB_NTT_BY_RULE || candidate >= HB_NTT_CANDIDATES) {
        return false;
    }
    c = hb_ntt_candidate_of(candidate);
    return c->least <= log_n && log_n <= c->most && (device->sm90 || !c->sm90) &&
           (candidate != HB_NTT_CLUSTER_16 || device->cluster16);
}

/* Returns the candidate for `jobs` jobs as an H200 measured it. Narrow kernels win while a multiprocessor has less than
 * 2^12 words: a cluster up to 2^13, two launches beyond, where the eight blocks of a cluster are too few. Two launches
 * win while the batch stays in the second-level cache, as they have the smallest tiles, so the most multiprocessors at
 * work. The one-launch kernel wants little between the halves of a job, but more than blocks get out of step: three
 * thread blocks for four multiprocessors. */
static inline uint32_t hb_ntt_rule(const hb_cuda_device *device, uint32_t log_n, size_t jobs)
{
    /* Fewer than 2^12 words for each multiprocessor; and a batch of at most two thirds of the second-level cache. */
    const bool idle = jobs << log_n <= (size_t)device->multiprocessors << 12;
    const bool cached = jobs << (log_n + 3) <= device->l2 / 3 * 2;
    if (idle && log_n < 14 && hb_ntt_possible(HB_NTT_NARROW_CLUSTER, device, log_n)) {
        return HB_NTT_NARROW_CLUSTER;
    }
    if (idle && hb_ntt_possible(HB_NTT_NARROW_TWO, device, log_n)) {
        return HB_NTT_NARROW_TWO;
    }
    if (hb_ntt_possible(HB_NTT_SINGLE, device, log_n)) {
        return HB_NTT_SINGLE;
    }
    if (cached && log_n > 13) {
        return HB_NTT_TWO;
    }
    if (hb_ntt_possible(HB_NTT_CLUSTER, device, log_n)) {
        return HB_NTT_CLUSTER;
    }
    if (hb_ntt_possible(HB_NTT_DATAFLOW_75, device, log_n)) {
        return HB_NTT_DATAFLOW_75;
    }
    return HB_NTT_TWO;
}

/* Returns the candidate for `jobs` > 0 jobs, which always works: where the plan has none that does, it is the
 * rule's. */
static inline uint32_t hb_ntt_choose(const hb_cuda_ntt_plan *plan, const hb_cuda_device *device, hb_ntt_kind kind,
                                     size_t jobs)
{
    const uint32_t choice = plan->choice[hb_ntt_row_of(kind)][hb_ntt_class_of(jobs)];
    return hb_ntt_possible(choice, device, kind.log_n) ? choice : hb_ntt_rule(device, kind.log_n, jobs);
}

/* Returns the candidate for transforms that end with quotients. A quotient reads two words more for each word that it
 * stores. They go through the cache that the one-launch kernel needs for large limbs, as these pass it twice; a cluster
 * passes it once. So quotients of 2^16 in FP64 take a cluster in the place of the one-launch kernel, also of a plan's:
 * an H200 measured that. Other transforms are not faster so. */
static inline uint32_t hb_ntt_choose_quotient(const hb_cuda_ntt_plan *plan, const hb_cuda_device *device,
                                              hb_ntt_kind kind, size_t jobs)
{
    const uint32_t choice = hb_ntt_choose(plan, device, kind, jobs);
    const bool one_launch = hb_ntt_candidate_of(choice)->structure == HB_NTT_STRUCTURE_DATAFLOW;
    return one_launch && kind.arithmetic <= HB_NTT_F64_50 && hb_ntt_possible(HB_NTT_CLUSTER_16, device, kind.log_n)
               ? (uint32_t)HB_NTT_CLUSTER_16
               : choice;
}

/* Fills a plan with one candidate, which is chosen wherever it works. */
static inline void hb_ntt_plan_of(hb_cuda_ntt_plan *plan, uint32_t candidate)
{
    memset(plan, (int)candidate, sizeof *plan);
}

/* Return the words that plan files and reports have for an arithmetic and a direction. */
static inline const char *hb_ntt_arithmetic_name(hb_ntt_arithmetic arithmetic)
{
    static const char *const names[HB_NTT_ARITHMETICS] = {"f64-49", "f64-50", "u64-59", "u64-61"};
    return names[arithmetic];
}

static inline const char *hb_ntt_direction_name(bool forward)
{
    return forward ? "forward" : "inverse";
}

/* Makes a copy of `plan` the plan of the transforms of an engine and all its forks from now on; an engine that was just
 * opened goes by the fixed rules. None of them may be at work meanwhile. Recordings keep the kernels they were made
 * with. */
void hb_cuda_ntt_use(hb_engine *engine, const hb_cuda_ntt_plan *plan);
/* Measures the GPU time of a transform of x in place by the plan in use, where one transform follows the other, so that
 * the host's time to launch is not included. *seconds is the median of five samples, which together take some
 * milliseconds. The words of x are transformed again and again, so they are lost. */
hb_status hb_cuda_ntt_time(hb_engine *engine, hb_batch x, bool forward, double *seconds);

#endif
