/* The files of passes' sums, beside the first output: NAME.partial/sums-PASS for the current pass (sums.h), and
 * NAME.partial/totals-PASS for finished passes (totals_checkpoint.h). Each residue has files of its own. A file is
 * valid only for a job with the same identity. Rank-local: rank 0 has the files. */
#ifndef HB_EVAL_PASS_FILE_H
#define HB_EVAL_PASS_FILE_H

#include "eval/checkpoint/file.h"

struct hb_eval_job;

typedef enum hb_pass_file { HB_PASS_SUMS, HB_PASS_TOTALS } hb_pass_file;

/* Begins the file of a pass in memory. HB_ENOMEM. The caller clears it, also after a failure. */
hb_status hb_pass_file_begin(const struct hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file);
/* Replaces the file on the disk atomically. HB_ENOMEM, HB_ECREATE, HB_EIO. */
hb_status hb_pass_file_write(const struct hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file);
/* Reads the file. HB_ENOINPUT: there is none; HB_EDATA: it is damaged, or another job's; HB_ENOMEM. The caller
 * clears. */
hb_status hb_pass_file_read(const struct hb_eval_job *job, hb_pass_file kind, uint32_t pass, hb_checkpoint_file *file);
/* Removes the file, if it exists and can be removed; a remaining file does no harm. */
void hb_pass_file_remove(const struct hb_eval_job *job, hb_pass_file kind, uint32_t pass);

#endif
