/* Checkpoints: the states of unfinished steps, in files beside the first output,
 * NAME.partial/checkpoint-PASS-STEP-MEMBER-PARITY. A step finds its own checkpoint, whichever ranks compute it. Where
 * limbs are divided each member writes its own limbs, alternately to two files, so that one complete generation exists
 * at any time. Rank-local, unless a function says otherwise. */
#ifndef HB_EVAL_CHECKPOINT_CHECKPOINT_H
#define HB_EVAL_CHECKPOINT_CHECKPOINT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "file.h"

/* The description at the beginning of a checkpoint file: its first section, HB_CHECKPOINT_HEAD. */
enum { HB_CHECKPOINT_LIMB_WORDS = 3 };
typedef struct hb_checkpoint_head {
    uint64_t step, steps;                     /* the step; the number of steps */
    uint64_t generation;                      /* counts the step's checkpoints from 1 */
    uint64_t iteration, iterations;           /* the iteration to continue; their number; 0: no loop */
    uint64_t instructions_left, instructions; /* of the computed batch: those left, and all */
    uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS]; /* bit id: the file has residues modulo that modulus */
} hb_checkpoint_head;
#define HB_CHECKPOINT_HEAD UINT64_C(0)

/* The checkpoints of the current pass. Zeroed: none. Several threads use it. */
typedef struct hb_checkpoints {
    char *folder; /* NULL: none are read or written; owned */
    uint8_t identity[HB_DIGEST_BYTES];
    uint32_t pass;
    uint64_t steps;
    double interval;    /* seconds after which a step is stored again; 0: only when it is interrupted */
    uint8_t *may_exist; /* [steps] 1: files of this step may exist; each entry is used by one thread at a time; owned */
    hb_status (*look)(void *context, uint32_t worker, bool *halts); /* whether steps are to be interrupted now */
    void *context;
    /* Steps of this run: resumed from a checkpoint; with a refused checkpoint; interrupted and stored; whose checkpoint
     * could not be written. */
    atomic_uint_fast64_t resumed, refused, stopped, unstored;
    atomic_uint_fast64_t iterations_left,
        iterations;            /* of the interrupted step with most left: iterations left, of how many */
    hb_error refusal, failure; /* the first cause of `refused`, and of `unstored` */
} hb_checkpoints;

/* Frees the members; a zeroed struct is allowed. The files stay. */
void hb_checkpoints_clear(hb_checkpoints *checkpoints);

/* Reads all intact files of a step into *files [*count]: those of the latest generation that together have all of
 * `limbs`. *count 0: there is no such generation, and the step is computed from its beginning. HB_EDATA, with *count 0:
 * some files were damaged, or the folder could not be listed. HB_ENOMEM. The caller clears *files with
 * hb_checkpoint_files_clear, also after a failure. */
hb_status hb_checkpoint_read(const hb_checkpoints *checkpoints, uint64_t step,
                             const uint64_t limbs[HB_CHECKPOINT_LIMB_WORDS], hb_checkpoint_file **files,
                             uint32_t *count);
void hb_checkpoint_files_clear(hb_checkpoint_file *files, uint32_t count); /* Frees; NULL is allowed. */
/* Writes a member's file. HB_EIO, HB_ENOMEM. */
hb_status hb_checkpoint_write(hb_checkpoints *checkpoints, hb_checkpoint_file *file, uint64_t step, uint32_t member,
                              uint32_t members, uint64_t generation);
/* Removes the files of a finished step: those of members m, m + members, ..., from this run or an earlier one. */
void hb_checkpoint_remove(hb_checkpoints *checkpoints, uint64_t step, uint32_t member, uint32_t members);
/* Calls `each` with the first section of every checkpoint in NAME.partial, for `hebatch status`; skips unreadable
 * files. A folder that is not there has none. HB_ECREATE when it cannot be opened or is a link, HB_EIO when it cannot
 * be listed to its end. */
typedef void (*hb_checkpoint_visitor)(void *context, uint32_t pass, const hb_checkpoint_head *head);
hb_status hb_checkpoint_each(const char *folder, hb_checkpoint_visitor each, void *context);

#endif
