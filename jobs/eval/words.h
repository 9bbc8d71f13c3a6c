/* Sums and totals in checkpoint files: the words of one ciphertext, of all limbs, whichever members have them. */
#ifndef HB_EVAL_WORDS_H
#define HB_EVAL_WORDS_H

#include "eval/checkpoint/file.h"
#include "mpi/group/group.h"
#include "ring/batch.h"

struct hb_eval_job;

/* Returns the bytes of the limbs of `a` on this engine, which are contiguous. */
size_t hb_eval_words_bytes(const struct hb_eval_job *job, hb_batch a);
/* Puts the words of `a` into section `key` of the file, which the first member has; each member has its limbs of the
 * ciphertext `a`. Waits for the first engine. Collective among the members that share limbs. HB_ENOMEM. */
hb_status hb_eval_words_put(struct hb_eval_job *job, hb_batch a, hb_checkpoint_file *file, uint64_t key);
/* Fills the limbs of `a` on this engine from section `key` of the file, which the first rank of `among` reads and which
 * has all limbs of every member. Waits for the first engine. Collective among `among`, all of which have such an `a`.
 * HB_ENOMEM; HB_EDATA: the file has no such section, or one of another length. */
hb_status hb_eval_words_get(struct hb_eval_job *job, hb_group *among, hb_batch a, const hb_checkpoint_file *file,
                            uint64_t key);

#endif
