/* Where a factor of a node goes that is to take no level: into numbers that it was made with. */
#ifndef HB_LANG_IR_SCALE_WAY_H
#define HB_LANG_IR_SCALE_WAY_H

#include "graph.h"

/* Where a factor of a node goes. */
typedef enum hb_scale_way {
    HB_SCALE_WAY_NONE,   /* it would take a product, and a level */
    HB_SCALE_WAY_HERE,   /* the node itself takes it */
    HB_SCALE_WAY_A,      /* into `a` */
    HB_SCALE_WAY_B,      /* into `b` */
    HB_SCALE_WAY_BOTH,   /* into both terms */
    HB_SCALE_WAY_A_ALSO, /* into `a`, and the node's number is multiplied as well */
} hb_scale_way;

/* Returns it, of a node whose operands have their shape. */
hb_scale_way hb_node_scale_way(const hb_graph *graph, const hb_node *node);

/* Returns whether a factor of the node takes no level, because its parts can absorb it. It computes `scale_folds` of a
 * node whose operands have theirs. */
bool hb_node_scale_folds(const hb_graph *graph, const hb_node *node);

/* The way of a factor of a node: whether it meets operations that switch keys, or products of ciphertexts, which cost
 * more than all else; nodes that others have, too; sums over rows, which add up errors that a factor behind them makes
 * smaller. */
typedef struct hb_scale_met {
    bool dear, shared, sums;
} hb_scale_met;
/* Returns that. */
hb_scale_met hb_node_scale_met(const hb_graph *graph, uint32_t a);

#endif
