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

/* Returns whether the parts that take it are made by switching keys, which costs more than all else: matrices,
 * products, sums of slots. */
bool hb_node_absorbs_dearly(const hb_graph *graph, uint32_t a);

#endif
