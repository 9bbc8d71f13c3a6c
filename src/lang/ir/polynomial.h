/* Powers and polynomials with constant coefficients, of one node of a graph. */
#ifndef HB_LANG_IR_POLYNOMIAL_H
#define HB_LANG_IR_POLYNOMIAL_H

#include "graph.h"

#define HB_POWER_MAX_EXPONENT 65536u   /* 2^16: a depth that no parameters reach */
#define HB_POLYNOMIAL_MAX_DEGREE 4095u /* 2^12 - 1 */

/* a^exponent, exponent 1 .. HB_POWER_MAX_EXPONENT, by products of repeated squares: depth ceil(log2 exponent), which
 * is the least there is. Errors of operations (graph.h). */
hb_status hb_graph_power(hb_graph *graph, uint32_t a, uint32_t exponent, uint32_t *out);

/* c[0] + c[1] a + ... + c[degree] a^degree by Paterson and Stockmeyer's method (SIAM J. Comput. 2, 1973) with blocks of
 * length k. c: numbers of the scheme, degree 1 .. HB_POLYNOMIAL_MAX_DEGREE, c[degree] is not 0. Errors
 * of operations. */
hb_status hb_graph_polynomial(hb_graph *graph, uint32_t a, const hb_number *c, uint32_t degree, uint32_t k,
                              uint32_t *out);
/* The same, or of reals with a known range, where that takes fewer levels, or as many and it is long, in the Chebyshev
 * basis: out is then at rest. Errors of operations: those of hb_graph_polynomial, or HB_ENOMEM. */
hb_status hb_graph_poly(hb_graph *graph, uint32_t a, const hb_number *c, uint32_t degree, uint32_t k, uint32_t *out);

/* How far values may be outside [-1, 1], where their range was rounded outwards. */
#define HB_POLYNOMIAL_OUTSIDE 0x1p-20

/* p(a), p = sum c_k T_k in the Chebyshev basis, of `a` with values in [-1, 1] in all slots, also slots that hold no
 * row: one operation, whose result is at rest ceil(log2(degree + 1)) levels lower. The coefficients are copied. error:
 * the largest distance of its values from the intended function, which is part of the node's bounds; 0 where the
 * polynomial itself is intended. HB_EDATA where levels do not suffice or values are outside; HB_EUSAGE for complex
 * values and constant polynomials; errors of operations and of hb_polynomial_open. */
hb_status hb_graph_chebyshev(hb_graph *graph, uint32_t a, const hb_chebyshev *polynomial, double error, uint32_t *out);

/* For the node of such an operation: its polynomial, the levels that it takes, and whether it maps 0 to 0. */
const hb_polynomial_entry *hb_polynomial_of(const hb_graph *graph, const hb_node *node);
uint32_t hb_polynomial_levels(const hb_graph *graph, const hb_node *node);
bool hb_polynomial_zero(const hb_graph *graph, const hb_node *node);

/* The block length with the fewest products of ciphertexts among those of the least depth. graph: whose numbers
 * they are. HB_ENOMEM. */
hb_status hb_polynomial_block(const hb_graph *graph, const hb_number *c, uint32_t degree, uint32_t *k);

#endif
