/* Values that are a number times a value at a higher level: 0.5*x*y is 0.5 times x*y. Where the number stands in a
 * factor, or behind a product, it takes a level of its own; these take it out, so that who needs the value can put the
 * number where it takes none. All of this is of graphs whose levels are not placed. */
#ifndef HB_LANG_IR_MULTIPLES_H
#define HB_LANG_IR_MULTIPLES_H

#include "graph.h"

/* A value as number times a node. */
typedef struct hb_multiple {
    double number;  /* 1: the node is the value */
    uint32_t limbs; /* of the node, at rest */
} hb_multiple;

/* Returns the number that can be taken out of a value: only where the rest is at a higher level, and no product is done
 * twice. */
hb_multiple hb_node_multiple(const hb_graph *graph, uint32_t a);
/* Returns whether the number takes a level where it stands: the rest is at a higher level. */
static inline bool hb_multiple_is_higher(const hb_graph *graph, uint32_t a, hb_multiple multiple)
{
    return multiple.limbs > hb_node_rest_limbs(graph, a);
}
/* Makes the rest, and sets *number to what the value is a multiple of it by; 1, and `a` itself, where it has no such
 * number. Errors of operations (graph.h). */
hb_status hb_graph_take_number(hb_graph *graph, uint32_t a, double *number, uint32_t *out);

#endif
