/* How far an operation of many steps is: a bootstrap, a polynomial, a matrix, a sum of slots. An operation tells an
 * observer of each step, some products or switches of keys, that its queue has got. An operation that others are part
 * of says which part of it they are, so that a step knows its place in the whole. Rank-local, in the thread of the
 * operation. A step costs nanoseconds. */
#ifndef HB_RLWE_STRETCH_H
#define HB_RLWE_STRETCH_H

#include <stdint.h>

/* A step of an operation. */
typedef struct hb_evaluator_step {
    const char *name;  /* of the part that is at work, a literal: "EvalMod" */
    uint32_t done, of; /* steps of that part; of: 1 or more */
    double share;      /* of the whole operation that is done, 0 to 1, about by time; sums of shares round */
} hb_evaluator_step;

/* Sees each step; see NULL: nobody does. */
typedef struct hb_evaluator_observer {
    void (*see)(void *with, const hb_evaluator_step *step);
    void *with;
} hb_evaluator_observer;

/* A part of an operation. */
typedef struct hb_stretch {
    const char *name;   /* a literal; NULL: the name of the operation that does it */
    uint32_t done, of;  /* steps before this part, and all; of 0: those of the operation that does it */
    double from, share; /* from .. from + share of the part around it is this one */
} hb_stretch;

/* The part of an operation that is at work, and who sees its steps. */
typedef struct hb_stretch_place {
    hb_evaluator_observer observer;
    hb_stretch part;
} hb_stretch_place;

/* Returns the place of any whole operation. */
static inline hb_stretch_place hb_stretch_whole(hb_evaluator_observer observer)
{
    return (hb_stretch_place){observer, {.share = 1}};
}
/* Returns things first .. first + count of `all`. */
static inline hb_stretch hb_stretch_of(uint64_t first, uint64_t count, uint64_t all)
{
    return (hb_stretch){.from = (double)first / (double)all, .share = (double)count / (double)all};
}
/* Begins a part of the part that is at work now, and returns that one, which the end brings back. After a failure the
 * place stays: no operation follows one that failed. */
hb_stretch hb_stretch_begin(hb_stretch_place *place, hb_stretch part);
void hb_stretch_end(hb_stretch_place *place, hb_stretch around);
/* Tells that `done` of `of` steps of the part at work are done; name: a literal for a part that has no other. */
void hb_stretch_step(const hb_stretch_place *place, const char *name, uint32_t done, uint32_t of);

#endif
