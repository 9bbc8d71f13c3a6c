/* Nodes as polynomials of an earlier node, in programs with loops: what is computed of one value alone is one of it,
 * however it is written, and its range is that of the polynomial, which may be much narrower than what intervals say of
 * its terms: 1.5 x - 0.5 x^3 of x in [-1, 1] is in [-1, 1] again. So ranges stay what they are through iterations. */
#ifndef HB_EXPRESSION_GRAPH_UNIVARIATE_H
#define HB_EXPRESSION_GRAPH_UNIVARIATE_H

#include "graph.h"

/* Finds, for a node that is being made, with all that follows from its operands, which polynomials of reals it is, of
 * which bases, and narrows its range to theirs. Where the
 * text has no loop it does nothing. HB_ENOMEM. */
hb_status hb_graph_find_univariate(hb_graph *graph, hb_node *node);

/* Makes the result of a statement of a loop that is a polynomial of an earlier node one operation, where that takes
 * fewer levels, or as many and its errors are known better: as `poly` would. *node stays where that is not so. */
hb_status hb_graph_as_polynomial(hb_graph *graph, uint32_t *node);

#endif
