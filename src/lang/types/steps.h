/* The steps of an expression: its items in the order in which a walk comes to them (walk.h), each with its type. An
 * iteration of a loop whose types are all those of the iteration before it is not there: nothing that decides types
 * differs from then on, so every later iteration has the same steps. Walks through all iterations repeat them. */
#ifndef HB_LANG_TYPES_STEPS_H
#define HB_LANG_TYPES_STEPS_H

#include <stdlib.h>

#include "base/status.h"
#include "lang/text/walk.h"

/* The type that an item has in a step, by itself and as its user takes it: indices of the list of types. */
typedef struct hb_step {
    uint32_t own, taken;
} hb_step;

typedef struct hb_steps {
    hb_step *list; /* [count], owned */
    uint32_t count, capacity;
    uint32_t *iterations; /* [loops] for each time that a walk comes to a loop: its iterations that are there; owned */
    uint32_t loops, loop_capacity;
} hb_steps;

/* A place between two steps: that many steps, and times that a walk came to a loop, stand before it. */
typedef struct hb_steps_place {
    uint32_t step, loop;
} hb_steps_place;

/* A way through an expression, step by step: set walk.syntax, all else zero, before the first step. */
typedef struct hb_steps_way {
    hb_walk walk;
    uint32_t type; /* that the item of the last step has, as its user takes it */
    hb_steps_place next;
    struct {
        uint32_t loop;              /* which time that a walk came to a loop */
        hb_steps_place last, begin; /* where the iteration before begins, and where this one does */
        bool settled;               /* no iteration is left that is not there */
    } at[HB_SYNTAX_MAX_DEPTH];      /* the open loops, as the walk has them */
} hb_steps_way;

/* Records the item that the walk of the way returned last: a step, with this type; of a loop's own item `type` does not
 * count. Leaves the loop once an iteration was like the one before, and forgets that iteration. HB_ENOMEM. */
hb_status hb_steps_record(hb_steps *steps, hb_steps_way *way, const hb_item *item, uint32_t type);
static inline void hb_steps_clear(hb_steps *steps)
{
    free(steps->list);
    free(steps->iterations);
    *steps = (hb_steps){.list = NULL};
}

/* Returns the item of the next step, loops written out; NULL behind the last one. */
const hb_item *hb_steps_next(const hb_steps *steps, hb_steps_way *way);

#endif
