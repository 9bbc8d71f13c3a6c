/* Nodes as polynomials of an earlier node. A value that is computed from one value alone is a polynomial of it, in a
 * loop or not. Its range is the range of the polynomial, which may be much narrower than interval arithmetic gives: 1.5
 * x - 0.5 x^3 of x in [-1, 1] is in [-1, 1] again. So ranges do not grow through iterations. Powers of any exponent are
 * known as well: the cube of x in [-1, 2] is no less than -1.
 *
 * Integers have polynomials over the integers, as ranges do. hb_graph_values_are sets a range that holds mod t alone,
 * such as 0 and 1 of a comparison: the value may be another integer than its polynomial gives. */
#ifndef HB_LANG_IR_SYMBOLIC_POLYNOMIAL_H
#define HB_LANG_IR_SYMBOLIC_POLYNOMIAL_H

#include "graph.h"

/* Represents a new node, whose facts that follow from its operands are there, as polynomials of earlier nodes, and as a
 * power, and narrows its range to theirs. HB_ENOMEM. */
hb_status hb_graph_find_symbolic(hb_graph *graph, hb_node *node);

/* Says that a node is so many times another value, which may be newer: it is the polynomials that the value is, times
 * that. HB_ENOMEM. */
hb_status hb_graph_is_multiple(hb_graph *graph, uint32_t node, uint32_t of, hb_bounds times);

/* Sets the range of a node, in the place of the one that follows from its operands. In BFV the node is no polynomial of
 * another one from then on. */
void hb_graph_values_are(hb_graph *graph, uint32_t node, hb_interval values);

/* Replaces the result of a statement that is a polynomial of reals of an earlier node by one operation, as `poly`
 * would, where that takes fewer levels, or as many with better known errors. Otherwise *node stays. HB_ENOMEM. */
hb_status hb_graph_as_polynomial(hb_graph *graph, uint32_t *node);

#endif
