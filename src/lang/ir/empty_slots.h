/* Slots that hold no value: which of them hold 0 for certain. There are three kinds. Padding: slots without a row, in
 * the last row block. The tail: of rows within slots, slots behind the columns. Gaps: of an image that a convolution
 * made smaller, slots between its columns. */
#ifndef HB_LANG_IR_EMPTY_SLOTS_H
#define HB_LANG_IR_EMPTY_SLOTS_H

#include "graph.h"

/* The effect of an operation on them (rules.h): which slots of its result hold 0. */
typedef enum hb_empty_slots {
    HB_EMPTY_KEPT,       /* the slots that hold 0 in all operands */
    HB_EMPTY_OF_PRODUCT, /* the slots that hold 0 in a factor */
    HB_EMPTY_OF_NUMBER,
    HB_EMPTY_OF_POLYNOMIAL,
    HB_EMPTY_OF_BOOTSTRAP,
    HB_EMPTY_OF_LOOKUP, /* where the entry of 0 is 0 */
    HB_EMPTY_MOVED,
    HB_EMPTY_OF_MASK,  /* of the last row block alone, */
    HB_EMPTY_OF_MASKS, /* and of all row blocks */
    HB_EMPTY_OF_MATRIX,
    HB_EMPTY_OF_ROW_SUM,
    HB_EMPTY_OF_ROW_SPREAD,
    HB_EMPTY_KINDS
} hb_empty_slots;

/* Sets padding_zero, tail_zero and gaps_zero of a node of which width and image are there, and whose operands have
 * theirs. */
void hb_node_find_empty_slots(const hb_graph *graph, hb_node *node);

#endif
