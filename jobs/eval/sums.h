/* What a pass has added up so far, in a file beside the first output, NAME.partial/sums-PASS, from which a job goes on
 * after one that was stopped or killed, on any number of ranks: sums mod q do not depend on who adds what. The file
 * counts as a whole or not at all. Everything except note, clear and look is collective. */
#ifndef HB_EVAL_SUMS_H
#define HB_EVAL_SUMS_H

#include "batch/unit_map.h"

struct hb_eval_job;

/* Which steps a pass has added up. */
typedef struct hb_eval_sums {
    hb_unit_map steps; /* those that any rank or an earlier job has added up, as of the last gather */
    uint8_t *fresh;    /* [steps] 1: added up by this rank since the last gather */
} hb_eval_sums;

/* Begins for job->pass, which accumulates, once the evaluators are there. Takes over what an earlier job stored, if
 * that fits, and says so. The caller clears, also after a failure; a zeroed struct is allowed. */
hb_status hb_eval_sums_begin(struct hb_eval_job *job);
void hb_eval_sums_clear(hb_eval_sums *sums);
/* In any thread: notes that this rank, with those that share its limbs, has added the step up. */
void hb_eval_sums_note(hb_eval_sums *sums, uint64_t step);
/* Tells all ranks what all have noted, and adds it up: the first group of ranks then has all of it, in its first
 * worker, and everyone else starts from zero. */
hb_status hb_eval_sums_gather(struct hb_eval_job *job);
/* Writes the file, after gather. Where that fails the sums, and the file that was there, are as they were. HB_ENOMEM,
 * HB_ECREATE, HB_EIO, HB_ECOMM. */
hb_status hb_eval_sums_store(struct hb_eval_job *job);
/* For `hebatch status`: finds how many steps are in the file of a pass in NAME.partial, of how many. HB_ENOINPUT: there
 * is none; HB_EDATA: it is damaged. */
hb_status hb_eval_sums_look(const char *folder, uint32_t pass, uint64_t *done, uint64_t *steps);

#endif
