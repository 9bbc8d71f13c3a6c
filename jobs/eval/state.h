/* What units keep on their way through a long pass, in files beside the first output, NAME.partial/state-PASS-STEP-
 * MEMBER-TURN: found by step, whoever computes it, on any number of ranks. Of limbs that are divided each member writes
 * its own, by turns to two files, so that there is a whole set at any time. Rank-local, but for what says else. */
#ifndef HB_EVAL_STATE_H
#define HB_EVAL_STATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "kept_file.h"
#include "mpi/group/group.h"

struct hb_eval_job;

/* What a state file says of itself, its first section, HB_EVAL_STATE_HEAD. */
enum { HB_EVAL_STATE_LIMB_WORDS = 3 };
typedef struct hb_eval_state_head {
    uint64_t step, steps, generation;         /* of how many; counted up with each file of the step */
    uint64_t turn, turns;                     /* the iteration that goes on, of how many; 0: no loop */
    uint64_t left, instructions;              /* how far the batch is that was computed */
    uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS]; /* bit id: residues of that modulus are in it */
} hb_eval_state_head;
#define HB_EVAL_STATE_HEAD UINT64_C(0)

/* What keeps the states of the pass that runs. Zeroed: nothing is kept. Threads use it at the same time. */
typedef struct hb_eval_keeper {
    char *folder; /* NULL: nothing is kept; owned */
    uint8_t identity[HB_DIGEST_BYTES];
    uint32_t pass;
    uint64_t steps;
    double interval; /* seconds after which a unit's state is stored again */
    uint8_t *there;  /* [steps] 1: files of this step may be there; each is looked at by one thread at a time */
    hb_status (*look)(void *context, uint32_t worker, bool *halts); /* whether units are to be left now */
    void *context;
    atomic_uint_fast64_t resumed, refused, left, full; /* steps of this run: gone on with; of which the state did not
                                                          count; left on the way; whose state could not be stored */
    atomic_uint_fast64_t behind, turns; /* iterations that are to come, of those that were left, at most; of how many */
    hb_error refusal, failure;          /* why, of the first of these */
} hb_eval_keeper;

/* Begins for job->pass, if its rows have stops; finds what an earlier job or run left, and says so. Collective. */
hb_status hb_eval_keeper_begin(struct hb_eval_job *job);
/* Says what units were gone on with, and left. Collective; the last error stays. */
hb_status hb_eval_keeper_report(struct hb_eval_job *job);
void hb_eval_keeper_clear(hb_eval_keeper *keeper);

/* Reads all files of a step that are whole, at most `most`, into files[*count]; those of one generation that has all of
 * `limbs`, the latest. *count 0: there is none; HB_EDATA: and some were damaged. The caller clears the files, also
 * after a failure. */
enum { HB_EVAL_STATE_MOST = 64 };
hb_status hb_eval_state_read(const hb_eval_keeper *keeper, uint64_t step,
                             const uint64_t limbs[HB_EVAL_STATE_LIMB_WORDS], hb_kept_file files[HB_EVAL_STATE_MOST],
                             uint32_t *count);
/* Writes the file of a member. HB_EIO, HB_ENOMEM. */
hb_status hb_eval_state_write(hb_eval_keeper *keeper, hb_kept_file *file, uint64_t step, uint32_t member,
                              uint32_t members, uint64_t generation);
/* Removes the files of a step that is done, of members m, m + members, ... of whoever wrote them. */
void hb_eval_state_remove(hb_eval_keeper *keeper, uint64_t step, uint32_t member, uint32_t members);
/* Removes the files of all passes, on rank 0, once the dataset has its name. */
void hb_eval_state_remove_all(const struct hb_eval_job *job);

/* Calls `each` with the first section of every state file of NAME.partial, for `hebatch status`; what cannot be read is
 * passed over. */
typedef void (*hb_eval_state_visitor)(void *context, uint32_t pass, const hb_eval_state_head *head);
void hb_eval_state_each(const char *folder, hb_eval_state_visitor each, void *context);

#endif
