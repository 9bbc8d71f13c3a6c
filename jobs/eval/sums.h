/* What a pass has added up so far, in a file beside the first output, NAME.partial/sums-PASS, from which a job that was
 * stopped or killed goes on, on any number of ranks: sums mod q do not depend on who adds what. The file counts as a
 * whole or not at all. Everything but note and clear is collective. */
#ifndef HB_EVAL_SUMS_H
#define HB_EVAL_SUMS_H

#include "batch/unit_map.h"

struct hb_eval_job;

typedef struct hb_eval_sums {
    hb_unit_map steps; /* added up, by any rank or an earlier job: in the file, or before the last gather */
    uint8_t *fresh;    /* [steps] by this rank since the last gather */
} hb_eval_sums;

/* For job->pass, which accumulates; the evaluators are there. Takes over what an earlier job kept, if that fits, and
 * says so. The caller clears, also after a failure; a zeroed struct is allowed. */
hb_status hb_eval_sums_begin(struct hb_eval_job *job);
void hb_eval_sums_clear(hb_eval_sums *sums);
/* In any thread: this rank, with those that share its limbs, has added the step up. */
void hb_eval_sums_note(hb_eval_sums *sums, uint64_t step);
/* All ranks know what all have noted. */
hb_status hb_eval_sums_gather(struct hb_eval_job *job);
/* After gather: the first group of ranks has all that is added up, the others nothing; and the file has it. */
hb_status hb_eval_sums_keep(struct hb_eval_job *job);
/* The dataset has its name: the files of all passes go. Rank 0. */
void hb_eval_sums_remove(const struct hb_eval_job *job);

#endif
