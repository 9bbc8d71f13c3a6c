#include "spread_error.h"

#include "scheme/spread.h"

hb_quality hb_spread_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    return hb_quality_spread(g->params, node->shape.limbs, hb_spread_way_of(node->number),
                             hb_node_quality(f, &g->nodes[node->a]));
}
