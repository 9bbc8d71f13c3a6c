/* The files of what passes add up, beside the first output: NAME.partial/sums-PASS of the pass that runs (sums.h), and
 * NAME.partial/totals-PASS of those that are done (totals_checkpoint.h). Each residue has files of its own. One is
 * valid for the job whose identity it has. Rank-local: rank 0 has them. */
#ifndef HB_EVAL_PASS_FILE_H
#define HB_EVAL_PASS_FILE_H

#include "checkpoint_file.h"

struct hb_eval_job;

typedef enum hb_pass_file { HB_PASS_SUMS, HB_PASS_TOTALS } hb_pass_file;

/* Begins the file of a pass in memory. HB_ENOMEM. The caller clears it, also after a failure. */
hb_status hb_pass_file_begin(const struct hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file);
/* Writes it, all at once, in the place of one that is there. HB_ENOMEM, HB_ECREATE, HB_EIO. */
hb_status hb_pass_file_write(const struct hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file);
/* Reads it. HB_ENOINPUT: there is none; HB_EDATA: it is damaged, or another job's; HB_ENOMEM. The caller clears. */
hb_status hb_pass_file_read(const struct hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file);
/* Removes it, if it is there and can be removed; left over, it does no harm. */
void hb_pass_file_remove(const struct hb_eval_job *job, hb_pass_file kind, uint32_t pass);

#endif
