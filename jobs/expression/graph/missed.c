#include "missed.h"

#include <math.h>

#include "scheme/quality.h"

/* With the error of what the node approximates, which counts as every other one does. */
static hb_quality with_missed(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    const double scale = hb_quality_bits(g->params, node->limbs, 0), log = log2(node->missed);
    const double error = log + (node->scaled ? 2 * scale : scale);
    hb_quality missed = {.worst = error, .expected = error, .norm = error, .even = error, .peak = error};
    missed.common = 1; /* of near values it is the same: a sum has it as often as there are rows */
    return hb_quality_add(g->params, quality, missed);
}

/* Of what was computed elsewhere, without what approximations brought about there. */
static hb_quality without_approximate(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    const double scale = exp2(hb_quality_bits(g->params, node->limbs, 0));
    const double missed = g->operands[node->operand].approximate * scale;
    quality.worst = log2(fmax(exp2(quality.worst) - missed, 1));
    return quality;
}

hb_quality hb_node_with_missed(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    if (g->ideal) {
        return node->op == HB_OP_LOAD ? without_approximate(g, node, quality) : quality;
    }
    return node->missed > 0 ? with_missed(g, node, quality) : quality;
}
