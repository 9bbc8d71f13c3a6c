/* Two row blocks as one (bootstrapping/coupling.h) in a graph: which operations may be of them. */
#ifndef HB_LANG_COMPILE_COUPLED_NODES_H
#define HB_LANG_COMPILE_COUPLED_NODES_H

#include "lang/ir/graph.h"

/* Returns whether row blocks that are one by one, or two as one, meet the like in a node. It takes real values with
 * rows to couple them, and coupled ones to bring them apart. An operation between these has no operand that is not
 * coupled, but for a total as second factor: its ciphertext serves all row blocks. */
bool hb_node_rightly_coupled(const hb_graph *graph, const hb_node *node);

#endif
