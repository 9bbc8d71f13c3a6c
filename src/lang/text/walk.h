/* The items of an expression in the order in which they are computed: those of a loop once for every iteration, each
 * time behind the loop's own item, which comes once more when the loop is left. */
#ifndef HB_LANG_TEXT_WALK_H
#define HB_LANG_TEXT_WALK_H

#include "syntax.h"

/* Which iteration an item is computed in. */
typedef struct hb_iteration {
    uint32_t number, of; /* of the outermost loop, from 1; 0 of 0: in no loop */
    bool again;          /* a later iteration of some loop computes the same item */
} hb_iteration;

/* A way through an expression: set `syntax`, all else zero, before the first hb_walk_next. */
typedef struct hb_walk {
    const hb_syntax *syntax; /* borrowed */
    uint32_t next, depth;
    struct {
        uint32_t repeat; /* the item of the loop */
        uint32_t number; /* of its iteration, from 1 */
    } loop[HB_SYNTAX_MAX_DEPTH];
    hb_iteration iteration; /* of the item that hb_walk_next returned last, loops left aside */
    uint32_t begins;        /* behind a loop's own item: which of its iterations begins, from 1; 0: it is left */
} hb_walk;

/* Returns the next item; NULL behind the last one. */
const hb_item *hb_walk_next(hb_walk *walk);

/* Leaves out the iteration that begins, and those behind it: the next item is the loop's own, which is left. */
static inline void hb_walk_leave(hb_walk *walk)
{
    const hb_item *loop = &walk->syntax->items[walk->loop[walk->depth - 1].repeat];
    walk->next = loop->end;
    walk->loop[walk->depth - 1].number = (uint32_t)loop->number;
}

/* Returns the status of a failure, and says in which iteration it was, where that is not the first. */
hb_status hb_fail_in_iteration(hb_iteration iteration, hb_status status);

#endif
