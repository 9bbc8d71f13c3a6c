/* Checkpoints: the states of steps that were left on their way, in files beside the first output, NAME.partial/
 * checkpoint-PASS-STEP-MEMBER-PARITY. A step finds its own, whichever ranks compute it. Where limbs are divided
 * each member writes those that it has, alternately to two files, so that one whole generation is there at any time.
 * Rank-local, unless a function says otherwise. */
#ifndef HB_EVAL_CHECKPOINT_H
#define HB_EVAL_CHECKPOINT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "checkpoint_file.h"
#include "mpi/group/group.h"

struct hb_eval_job;

/* What a checkpoint file says of itself: its first section, HB_CHECKPOINT_HEAD. */
enum { HB_CHECKPOINT_LIMB_WORDS = 3 };
typedef struct hb_checkpoint_head {
    uint64_t step, steps;                     /* of how many */
    uint64_t generation;                      /* from 1: the step's checkpoints are counted */
    uint64_t iteration, iterations;           /* the iteration that goes on, of how many; 0: no loop */
    uint64_t instructions_left, instructions; /* of the batch that was computed, of how many */
    uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS]; /* bit id: residues of that modulus are in it */
} hb_checkpoint_head;
#define HB_CHECKPOINT_HEAD UINT64_C(0)

/* The checkpoints of the pass that runs. Zeroed: there are none. Threads use it at the same time. */
typedef struct hb_checkpoints {
    char *folder; /* NULL: none are read or written; owned */
    uint8_t identity[HB_DIGEST_BYTES];
    uint32_t pass;
    uint64_t steps;
    double interval;    /* seconds after which a step is stored again; 0: only when it is left */
    uint8_t *may_exist; /* [steps] 1: files of this step may be there; one thread at a time looks at each; owned */
    hb_status (*look)(void *context, uint32_t worker, bool *halts); /* whether steps are to be left now */
    void *context;
    /* Steps of this run: resumed from a checkpoint; whose checkpoint was refused; left on their way, and stored; whose
     * checkpoint could not be written. */
    atomic_uint_fast64_t resumed, refused, stopped, unstored;
    atomic_uint_fast64_t iterations_left, iterations; /* the most that a step was left with, of how many */
    hb_error refusal, failure;                        /* the first cause of refused, and of unstored */
} hb_checkpoints;

/* Begins job->pass, if its row instructions have stops; finds the checkpoints that an earlier job or run left, and
 * prints how many. Collective. */
hb_status hb_checkpoints_begin(struct hb_eval_job *job);
/* Prints how many steps were resumed, refused and left. Collective; the last error stays as it was. */
hb_status hb_checkpoints_report(struct hb_eval_job *job);
void hb_checkpoints_clear(hb_checkpoints *checkpoints);

/* Reads all files of a step that are whole, at most `most`, into files[*count]; those of one generation that has all of
 * `limbs`, the latest. *count 0: there is none; HB_EDATA: and some were damaged. The caller clears the files, also
 * after a failure. */
enum { HB_CHECKPOINT_MOST_FILES = 64 };
hb_status hb_checkpoint_read(const hb_checkpoints *checkpoints, uint64_t step,
                             const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS],
                             hb_checkpoint_file files[HB_CHECKPOINT_MOST_FILES], uint32_t *count);
/* Writes the file of a member. HB_EIO, HB_ENOMEM. */
hb_status hb_checkpoint_write(hb_checkpoints *checkpoints, hb_checkpoint_file *file, uint64_t step, uint32_t member,
                              uint32_t members, uint64_t generation);
/* Removes the files of a step that is done, of members m, m + members, ... of whoever wrote them. */
void hb_checkpoint_remove(hb_checkpoints *checkpoints, uint64_t step, uint32_t member, uint32_t members);
/* Removes the files of all passes, those of sums and totals too, on rank 0, once the dataset has its name. */
void hb_checkpoint_remove_all(const struct hb_eval_job *job);

/* Calls `each` with the first section of every checkpoint of NAME.partial, for `hebatch status`; what cannot be read is
 * passed over. */
typedef void (*hb_checkpoint_visitor)(void *context, uint32_t pass, const hb_checkpoint_head *head);
void hb_checkpoint_each(const char *folder, hb_checkpoint_visitor each, void *context);

#endif
