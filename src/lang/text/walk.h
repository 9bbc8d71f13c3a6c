/* The items of an expression in the order in which they are computed: those of a loop once for every iteration. */
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
    hb_iteration iteration; /* of the item that hb_walk_next returned last */
} hb_walk;

/* Returns the next item, which is no HB_ITEM_REPEAT; NULL behind the last one. */
const hb_item *hb_walk_next(hb_walk *walk);

/* Returns the status of a failure, and says in which iteration it was, where that is not the first. */
hb_status hb_fail_in_iteration(hb_iteration iteration, hb_status status);

#endif
