#include "approximation_error.h"

#include <math.h>

#include "error_bits.h"
#include "kink_error.h"
#include "lang/ir/semantics.h"
#include "scheme/quality.h"

/* Returns the root of the mean square of what is missed, over the most that is. At a corner only values within the gap
 * are missed, by a third of the most in the mean of the squares; as many as of a normal distribution are. */
static double share_of(const hb_facts *f, const hb_node *node)
{
    if (node->range.kink_gap == 0) {
        return 1;
    }
    const double deviation = exp2(hb_kink_factor_values(f, node).mean);
    const double there = 2 * node->range.kink_gap / (sqrt(2 * acos(-1)) * deviation);
    return sqrt(fmin(there, 1) / 3);
}

/* With the error of what the node approximates, which counts as every other one does. */
static hb_quality with_missed(const hb_facts *f, const hb_node *node, hb_quality quality)
{
    const hb_graph *g = f->graph;
    const double error = hb_node_error_bits(g, node, node->range.approximation_error);
    const hb_quality missed = {
        .worst = error, .expected = error, .norm = error, .systematic = {error, error + log2(share_of(f, node))}};
    return hb_quality_add(g->params, quality, missed);
}

/* The bounds of a loaded result without the errors of the approximations that made it. */
static hb_quality without_approximate(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    const double missed = hb_node_error_bits(g, node, g->operands[node->operand].approximate);
    quality.worst = log2(fmax(exp2(quality.worst) - exp2(missed), 1));
    return quality;
}

/* The bounds of a loaded result with them: the known errors of its approximations are taken to be there. */
static hb_quality with_approximate(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    const double approximate = g->operands[node->operand].approximate;
    if (g->semantics->reals && approximate > 0) {
        const double most = hb_node_error_bits(g, node, approximate);
        quality.systematic.most = quality.systematic.mean = fmax(fmin(most, quality.expected), 0);
    }
    return quality;
}

hb_quality hb_node_with_approximation_error(const hb_facts *f, const hb_node *node, hb_quality quality)
{
    const hb_graph *g = f->graph;
    if (f->without_approximation) {
        return node->op == HB_OP_LOAD ? without_approximate(g, node, quality) : quality;
    }
    if (node->op == HB_OP_LOAD) {
        return with_approximate(g, node, quality);
    }
    const bool misses = node->range.approximation_error > 0 && !hb_facts_error(f, node)->approximates_nothing;
    return misses ? with_missed(f, node, quality) : quality;
}
