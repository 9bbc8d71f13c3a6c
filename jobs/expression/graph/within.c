#include "within.h"

#include <math.h>

#include "annotate.h"
#include "polynomial.h"
#include "scheme/quality.h"
#include "semantics.h"

/* What errors are at most, as they are bounded; infinite: nothing is known. */
typedef struct limits {
    double worst, expected;
} limits;

/* A stage of sign takes an interval that is wider than its operand's range by what that is off by. Of this the range
 * has what approximations miss (hb_node.interval), but no other error. On the result stand errors of its own. */
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

static limits limits_of(const hb_graph *g, const hb_node *node, double worst)
{
    const hb_interval range = hb_interval_to_reals(node->interval);
    const bool stage = node->op == HB_OP_POLYNOMIAL && node->steady;
    const double scale = hb_quality_bits(g->params, node->limbs, 0);
    limits l = {HUGE_VAL, HUGE_VAL};
    if (stage && worst > scale) { /* below, nothing is as narrow */
        l.worst = worst_of_stage(g, node, scale);
    }
    if (range.known && (node->said || stage)) {
        l.expected = fmax(hb_node_error_bits(g, node, range.high - range.low), 0);
    }
    return l;
}

hb_quality hb_node_within_range(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    if (!g->semantics->reals) {
        return quality;
    }
    const limits most = limits_of(g, node, quality.worst);
    if (quality.worst > most.worst) {
        quality.worst = most.worst;
        quality.norm = fmin(quality.norm, most.worst);
        quality.expected = fmin(quality.expected, most.worst);
    }
    if (quality.expected > most.expected) {
        quality.expected = most.expected;
        quality.even = fmin(quality.even, most.expected);
        quality.peak = fmin(quality.peak, most.expected);
        quality.systematic.most = fmin(quality.systematic.most, most.expected);
        quality.systematic.mean = fmin(quality.systematic.mean, most.expected);
    }
    return quality;
}
