/* Sums and totals in checkpoint files: the words of one ciphertext, of all limbs, whichever members have them. */
#ifndef HB_EVAL_WORDS_H
#define HB_EVAL_WORDS_H

#include "checkpoint_file.h"
#include "mpi/group/group.h"
#include "ring/batch.h"

struct hb_eval_job;

/* Returns the bytes of those limbs of `a` that are here, which stand one behind the other. */
size_t hb_eval_words_bytes(const struct hb_eval_job *job, hb_batch a);
/* Puts the words of `a`, a ciphertext of which each member has its limbs, into section `key` of the file, which the
 * first of them has. Waits for the first engine. Collective among the members that share limbs. HB_ENOMEM. */
hb_status hb_eval_words_put(struct hb_eval_job *job, hb_batch a, hb_checkpoint_file *file, uint64_t key);
/* Makes `a`, of the limbs that are here, what section `key` of the file has, which the first rank of `among` reads; all
 * limbs of every member are there. Waits for the first engine. Collective among `among`, in which all have such an `a`.
 * HB_ENOMEM; HB_EDATA: the file has no such section, or of another length. */
hb_status hb_eval_words_get(struct hb_eval_job *job, hb_group *among, hb_batch a, const hb_checkpoint_file *file,
                            uint64_t key);

#endif
