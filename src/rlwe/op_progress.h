/* Tells how far a long operation is: a bootstrap, a polynomial, a matrix, a sum of slots. The operation calls
 * hb_op_step_done for each step, some products or switches of keys, that its queue has done, and an observer sees the
 * step. An operation that calls others, or works on some ciphertexts behind the others, enters a part around each of
 * them. So each step knows which share of the whole operation is done, and the functions inside need not know where
 * they are called. Rank-local, in the thread of the operation. A step costs nanoseconds. */
#ifndef HB_RLWE_OP_PROGRESS_H
#define HB_RLWE_OP_PROGRESS_H

#include <stdint.h>

/* A step of an operation, as an observer sees it. */
typedef struct hb_op_step {
    const char *name;  /* of the part that is at work, a literal: "EvalMod" */
    uint32_t done, of; /* steps of that part; of >= 1, done <= of */
    double share;      /* of the whole operation that is done, 0 to 1, about by time; sums of shares round */
} hb_op_step;

/* Sees each step; see NULL: nobody does. */
typedef struct hb_op_observer {
    void (*see)(void *with, const hb_op_step *step);
    void *with;
} hb_op_observer;

/* A part of an operation: the range from .. from + share, 0 to 1, of the part that it is entered in. */
typedef struct hb_op_part {
    const char *name;   /* a literal; NULL: the steps inside have the name that hb_op_step_done takes */
    uint32_t done, of;  /* a part that counts as steps done .. done + 1 of `of`; of 0: it counts its own steps */
    double from, share; /* of the outer part; after hb_op_part_enter, of the whole operation */
} hb_op_part;

/* The part of an operation that is at work, and who sees its steps. */
typedef struct hb_op_progress {
    hb_op_observer observer;
    hb_op_part part;
} hb_op_progress;

/* Returns the progress of an evaluator that no operation has entered a part of. */
static inline hb_op_progress hb_op_progress_whole(hb_op_observer observer)
{
    return (hb_op_progress){observer, {.share = 1}};
}
/* Returns the part that has things first .. first + count of `all`, all >= 1, each with the same share. */
static inline hb_op_part hb_op_part_of(uint64_t first, uint64_t count, uint64_t all)
{
    return (hb_op_part){.from = (double)first / (double)all, .share = (double)count / (double)all};
}
/* Makes `part`, in terms of the part at work, the part at work. Returns the outer one, which hb_op_part_next and
 * hb_op_part_leave take. A name or a count of the outer part stays: it says more of the whole. After a failure nobody
 * leaves: no operation follows one that failed. */
hb_op_part hb_op_part_enter(hb_op_progress *progress, hb_op_part part);
/* Leaves the part at work and enters the next part of the outer one. */
void hb_op_part_next(hb_op_progress *progress, hb_op_part outer, hb_op_part part);
void hb_op_part_leave(hb_op_progress *progress, hb_op_part outer);
/* Shows the observer that `done` of `of` steps of the part at work are done, of >= 1, done <= of. name: a literal, for
 * a part that has none. */
void hb_op_step_done(const hb_op_progress *progress, const char *name, uint32_t done, uint32_t of);

#endif
