/* What follows for the node of a bootstrapped value. */
#include "bootstrap.h"
#include "scheme/bootstrap.h"

uint32_t hb_bootstrapped_limbs(const hb_graph *g)
{
    uint32_t operands, results;
    hb_bootstrap_limbs(g->params, &operands, &results);
    return results;
}

bool hb_bootstrapped_padding_zero(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].shape.padding_zero; /* whatever it is bootstrapped with */
}
