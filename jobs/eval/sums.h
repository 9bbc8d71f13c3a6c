/* The sums of the current pass so far, in a file beside the first output, NAME.partial/sums-PASS. A job continues from
 * it after one that was stopped or killed, on any number of ranks: sums mod q do not depend on which rank adds which
 * step. The file counts as a whole or not at all. Everything except note, clear and look is collective. */
#ifndef HB_EVAL_SUMS_H
#define HB_EVAL_SUMS_H

#include "batch/job/unit_map.h"

struct hb_eval_job;

/* The steps that a pass has added. */
typedef struct hb_eval_sums {
    hb_unit_map steps; /* steps that any rank or an earlier job has added, as of the last gather */
    uint8_t *fresh;    /* [steps] 1: added by this rank since the last gather */
} hb_eval_sums;

/* Begins for job->pass, which accumulates, once the evaluators exist. Takes over the sums of an earlier job if they
 * fit, and logs it. The caller clears, also after a failure; a zeroed struct is allowed. */
hb_status hb_eval_sums_begin(struct hb_eval_job *job);
void hb_eval_sums_clear(hb_eval_sums *sums);
/* In any thread: notes that this rank and the ranks that share its limbs have added the step. */
static inline void hb_eval_sums_note(hb_eval_sums *sums, uint64_t step)
{
    sums->fresh[step] = 1; /* a byte of its own, so no other thread writes it */
}
/* Shares the notes of all ranks, and adds their sums: the first group of ranks then has the whole sum, in its first
 * worker, and all others start from zero. */
hb_status hb_eval_sums_gather(struct hb_eval_job *job);
/* Writes the file, after gather. After a failure the sums and the existing file are unchanged. HB_ENOMEM, HB_ECREATE,
 * HB_EIO, HB_ECOMM. */
hb_status hb_eval_sums_store(struct hb_eval_job *job);
/* For `hebatch status`: finds how many of how many steps the file of a pass in NAME.partial has. HB_ENOINPUT: there is
 * no file; HB_EDATA: it is damaged. */
hb_status hb_eval_sums_look(const char *folder, uint32_t pass, uint64_t *done, uint64_t *steps);

#endif
