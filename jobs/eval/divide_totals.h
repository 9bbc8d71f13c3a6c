/* Who computes the totals of a computation: groups of ranks with different row blocks, and the queues of each. */
#ifndef HB_EVAL_DIVIDE_TOTALS_H
#define HB_EVAL_DIVIDE_TOTALS_H

#include "batch/unit/workers.h"
#include "lang/division/division.h"

struct hb_eval_job;

/* How totals are divided over ranks and workers (lang/division/division.h), and what this rank needs for it. Zeroed:
 * nothing is divided. */
typedef struct hb_eval_division {
    hb_totals_division of;         /* the program's */
    uint32_t group;                /* this rank's, of the groups of ranks that share limbs, ... */
    uint32_t workers;              /* ... and its queues 0 .. workers - 1 that compute totals */
    uint8_t *own[HB_MOST_WORKERS]; /* [workers][register_count] 1: registers of a worker, but the first, alone; owned */
    uint64_t instructions;         /* of the lists of the passes so far, each once ... */
    uint64_t moved;                /* ... and ciphertexts that ranks have brought to others */
} hb_eval_division;

/* Divides the totals of job->program over the groups of ranks that share limbs, and their workers: on a CPU as many as
 * there are queues. Refuses ranks that divide otherwise (HB_EDATA). Collective. HB_ENOMEM. */
hb_status hb_eval_divide(struct hb_eval_job *job);
static inline void hb_eval_division_clear(hb_eval_division *division)
{
    hb_totals_division_clear(&division->of);
    for (uint32_t w = 0; w < HB_MOST_WORKERS; w++) {
        free(division->own[w]);
    }
    *division = (hb_eval_division){.group = 0};
}
/* Returns whether a share is of this rank's group: the ranks of the division are groups here. */
static inline bool hb_eval_share_is_of(const hb_eval_division *division, const hb_totals_share *share)
{
    return share->rank == HB_EVERY_RANK || share->rank == division->group;
}

#endif
