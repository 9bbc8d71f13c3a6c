/* Linear operations that switch keys, on two row blocks as one: real values a and b as a + i b. They go through a
 * matrix, a sum of columns or copies of a column together, and one conjugation brings them apart: a + i b and its
 * conjugate add up to 2 a. So the operation is made of halves. Its operand, or its weights, take a factor of 1/2, and
 * no level more. The errors of both come into either. Sums of two products with matrices become one operation later
 * (compile/matrix_sums.h). */
#ifndef HB_LANG_BOOTSTRAPPING_COUPLING_H
#define HB_LANG_BOOTSTRAPPING_COUPLING_H

#include "lang/analysis/facts.h"
#include "lang/cost/op_cost.h"

/* Returns whether the operation is one that row blocks may go through as one: of rows within slots, real, in a graph
 * that allows it and has several row blocks. */
bool hb_node_couples(const hb_graph *graph, const hb_node *node);
/* Returns whether the proven error of a value holds for its imaginary part, too, as coupling needs: that of a stage of
 * sign does not. */
static inline bool hb_node_bounded_whole(const hb_node *x)
{
    return x->shape.halves == HB_HALVES_REAL && !x->shape.plain && !x->range.steady && x->range.margin == 0;
}
/* Returns the cost of such an operation for each row block, with all that makes two row blocks one and brings them
 * apart. */
double hb_coupled_cost(const hb_graph *graph, const hb_op_cost *operation);

/* Finds how many used nodes and results take each node, where row blocks are coupled: where some value is bootstrapped,
 * so that there is the key of conjugation. wanted: [nodes] whether it is bootstrapped. *uses: [nodes], NULL: they are
 * not coupled; the caller frees it. HB_ENOMEM. */
hb_status hb_coupling_find(const hb_facts *facts, const bool *wanted, uint32_t **uses);

/* Makes the operation of a node of another graph, which couples, of `a`, at rest, for two row blocks as one. *out is
 * HB_NO_NODE where that costs more, or a half of the operand would take a level or work that it does not take now.
 * uses: of the nodes of `from`. Refusals of the operations. */
hb_status hb_graph_make_coupled(hb_graph *to, uint32_t a, const hb_graph *from, const hb_node *node,
                                const uint32_t *uses, uint32_t *out);

/* Makes the mask of a value that was brought apart, and that nothing else takes, before it is: for two row blocks at a
 * time. uses: of the value. *out is HB_NO_NODE where it is another value. Refusals of the operations. */
hb_status hb_graph_mask_coupled(hb_graph *to, uint32_t a, uint32_t uses, uint32_t *out);

#endif
