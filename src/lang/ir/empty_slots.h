/* Slots that hold no value: which of them hold 0 for certain. There are three kinds. Padding: slots without a row, in
 * the last row block. The tail: of rows within slots, slots behind the columns. Gaps: of an image that a convolution
 * made smaller, slots between its columns. */
#ifndef HB_LANG_IR_EMPTY_SLOTS_H
#define HB_LANG_IR_EMPTY_SLOTS_H

#include "graph.h"

/* Sets padding_zero, tail_zero and gaps_zero of a node of which width and image are there, and whose operands have
 * theirs. An operation without its row does not build. */
void hb_node_find_empty_slots(const hb_graph *graph, hb_node *node);

#endif
