/* Public numbers: nodes that hold the same number in every row for all encrypted values, as x - x does, or a condition
 * that is true for all possible values. Arithmetic with such a node is arithmetic with its number (operations.c). Every
 * other operation takes a trivial encryption of it, a ciphertext that everyone can read. A result that is nothing but
 * such a number is refused. */
#ifndef HB_LANG_IR_KNOWN_H
#define HB_LANG_IR_KNOWN_H

#include "graph.h"

/* Returns whether a node is such a number. */
static inline bool hb_node_is_known(const hb_graph *graph, uint32_t node)
{
    return graph->nodes[node].op == HB_OP_KNOWN;
}
/* A number as it is computed with, of integers mod t, and the integer or the real number that it stands for. */
typedef struct hb_known {
    hb_number number;
    hb_interval values; /* of one value, as far as it is known */
} hb_known;

/* Returns the number of one that is. */
hb_number hb_node_known_number(const hb_graph *graph, uint32_t node);
hb_known hb_node_known(const hb_graph *graph, uint32_t node);
/* Returns a number that stands for itself. */
hb_known hb_known_of(const hb_graph *graph, hb_number number);
/* Returns whether a node publicly holds nothing but 0: it is such a number, or a column of a table, for example a mask
 * of no row. */
static inline bool hb_node_is_zero(const hb_graph *graph, uint32_t node)
{
    const hb_interval values = hb_interval_to_reals(graph->nodes[node].range.interval);
    const bool column = graph->nodes[node].shape.plain && values.known && values.low == 0 && values.high == 0;
    return column || (hb_node_is_known(graph, node) && hb_graph_is_zero(graph, hb_node_known_number(graph, node)));
}
/* Makes the sum, difference or product (kind HB_ITEM_ADD, HB_ITEM_SUBTRACT or HB_ITEM_MULTIPLY) of two numbers, of
 * integers mod t. HB_EUSAGE where it is larger than any number that the scheme computes with: beyond doubles, or, of
 * several plain moduli, beyond 64 bits. */
hb_status hb_known_combine(const hb_graph *graph, hb_item_kind kind, hb_known x, hb_known y, hb_known *out);

/* Makes a known node in the place of node `like`: as a total, or in every row. HB_EUSAGE for too many nodes. */
hb_status hb_graph_put_known(hb_graph *graph, uint32_t like, bool total, hb_known known, uint32_t *out);

#endif
