/* Polynomials mod t of one node, many of one degree, that share its powers. */
#ifndef HB_LANG_IR_POWERS_H
#define HB_LANG_IR_POWERS_H

#include "graph.h"

/* The cost of so many polynomials together. */
typedef struct hb_powers_cost {
    uint32_t block;    /* coefficients of a block: powers below it are made */
    uint32_t depth;    /* products on top of each other */
    uint64_t products; /* of ciphertexts */
} hb_powers_cost;

/* Returns the cost of `polynomials` of `count` coefficients each, at least 1, by the block that takes the fewest
 * products, or the least depth and, among these, the fewest products. */
hb_powers_cost hb_powers_plan(uint64_t count, uint64_t polynomials, bool shallow);

/* Makes the polynomial with coefficients c[0 .. count), not all but the first are 0, of the node, by blocks of that
 * length (M. S. Paterson, L. J. Stockmeyer, SIAM J. Comput. 2, 1973): each block is one linear combination of the same
 * powers. c: between -t/2 and t/2. Errors of operations (graph.h). */
hb_status hb_graph_powers(hb_graph *graph, uint32_t a, const int64_t *c, uint64_t count, uint32_t block, uint32_t *out);

/* Makes a^exponent, exponent at least 1, by squares of squares. Errors of operations. */
hb_status hb_graph_square_power(hb_graph *graph, uint32_t a, uint64_t exponent, uint32_t *out);
/* Returns the cost of that power. */
hb_powers_cost hb_square_power_plan(uint64_t exponent);

#endif
