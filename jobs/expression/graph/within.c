#include "within.h"

#include <math.h>

#include "annotate.h"
#include "polynomial.h"
#include "scheme/quality.h"
#include "semantics.h"

static bool is_stage(const hb_node *node)
{
    return node->op == HB_OP_POLYNOMIAL && node->steady;
}

/* Returns the proven bound, infinite where nothing is known. A stage of sign takes an interval that is wider than its
 * operand's range by what that is off by. Of this the range has what approximations miss (hb_node.interval), but no
 * other error. On the result stand errors of its own. */
static double worst_of_stage(const hb_graph *g, const hb_node *node, double scale)
{
    const hb_node *a = &g->nodes[node->a];
    const double off = exp2(-hb_node_bits(g, a, HB_QUALITY_WORST)) - (g->ideal ? 0 : a->approximate);
    const double beyond = fmax(a->magnitude + fmax(off, 0) - 1, 0);
    hb_stage stage = hb_polynomial_stage(g, node);
    if (!(beyond <= HB_POLYNOMIAL_OUTSIDE)) {
        return HUGE_VAL;
    }
    double low, high;
    hb_chebyshev_range(stage.polynomial, beyond, &low, &high);
    stage.values.most = fmax(stage.values.most, log2(1 + beyond));
    const hb_quality own = hb_stage_quality(&stage, (hb_quality){.powers = a->quality.powers});
    return hb_quality_add(g->params, own, (hb_quality){.worst = log2(high - low + stage.error) + scale}).worst;
}

hb_quality hb_node_expected_within_range(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    const hb_interval range = hb_interval_to_reals(node->interval);
    if (!g->semantics->reals || !range.known || !(node->said || is_stage(node))) {
        return quality;
    }
    const double most = fmax(hb_node_error_bits(g, node, range.high - range.low), 0);
    if (quality.expected > most) {
        quality.expected = most;
        quality.even = fmin(quality.even, most);
        quality.peak = fmin(quality.peak, most);
        quality.systematic.most = fmin(quality.systematic.most, most);
        quality.systematic.mean = fmin(quality.systematic.mean, most);
    }
    return quality;
}

hb_quality hb_node_within_range(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    const double scale = g->semantics->reals ? hb_quality_bits(g->params, node->limbs, 0) : 0;
    if (is_stage(node) && quality.worst > scale) { /* below, nothing is as narrow */
        const double most = worst_of_stage(g, node, scale);
        if (quality.worst > most) {
            quality.worst = most;
            quality.norm = fmin(quality.norm, most);
            quality.expected = fmin(quality.expected, most);
        }
    }
    return hb_node_expected_within_range(g, node, quality);
}
