#include "clamp_to_range.h"

#include <math.h>

#include "error_bits.h"
#include "lang/ir/polynomial.h"
#include "lang/ir/semantics.h"
#include "polynomial_error.h"
#include "scheme/quality.h"
#include "sign_drift.h"
#include "transfer_functions.h"

/* Bounds stay numbers that can be computed with, though an error of 2^400 is none. */
#define NOTHING_PROVEN 400.0

static bool is_stage(const hb_node *node)
{
    return node->op == HB_OP_POLYNOMIAL && node->range.steady;
}

/* Returns the most by which p moves for an imaginary part of up to `off`. On [-1, 1], |T_k'| is at most k^2. */
static double off_the_reals(const hb_chebyshev *p, double beyond, double off)
{
    double sum = 0;
    for (uint32_t k = 1; k <= p->degree; k++) {
        sum += fabs(p->coefficients[k]) * k * k * hb_chebyshev_growth(1 + beyond, off, k);
    }
    return off * sum;
}

/* Returns the proven bound; infinite where nothing is known, also for a stage with one before it: no bound of an error
 * includes the imaginary parts of its operand. A stage of sign takes an interval that is wider than its operand's range
 * by the operand's error. The range includes errors of approximations (hb_node_range.interval), but no other error. The
 * result has errors of its own. */
static double worst_of_stage(const hb_facts *f, const hb_node *node, double scale)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    const double approximate = f->without_approximation ? 0 : hb_facts_error(f, a)->approximate;
    const double off = fmax(exp2(-hb_node_bits(f, a, HB_QUALITY_WORST)) - approximate, 0);
    const double beyond = fmax(a->range.magnitude + off - 1, 0), aside = fmax(off, hb_imaginary_part(f, a));
    hb_stage stage = hb_polynomial_stage(f, node);
    if (!(beyond <= HB_POLYNOMIAL_OUTSIDE) || hb_sign_stage_before(g, node) != NULL) {
        return HUGE_VAL;
    }
    double low, high;
    hb_chebyshev_range(stage.polynomial, beyond, &low, &high);
    stage.values.most = fmax(stage.values.most, log2(1 + beyond));
    stage.margin = HUGE_VAL; /* the range bounds the effect of the operand's error */
    stage.growth = hb_chebyshev_growth(1 + beyond, aside, stage.polynomial->degree);
    const hb_quality own = hb_stage_quality(&stage, (hb_quality){.powers = hb_node_quality(f, a).powers});
    const double most = high - low + stage.error + off_the_reals(stage.polynomial, beyond, aside);
    return hb_quality_add(g->params, own, (hb_quality){.worst = log2(most) + scale}).worst;
}

/* Returns the bound of the expected error of a node whose values with their errors lie in a range. That is a declared
 * range, which may be wider than the range of the values alone, or for a stage the range of its polynomial, plus the
 * errors of evaluation. Infinite without such a range. */
static double most_expected(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    if (node->range.declared_width > 0) {
        return hb_node_error_bits(g, node, node->range.declared_width);
    }
    const hb_interval range = hb_interval_to_reals(node->range.interval);
    if (!is_stage(node) || !range.known) {
        return HUGE_VAL;
    }
    const double own = hb_node_error_value(g, node, hb_node_own_quality(f, node).expected);
    return hb_node_error_bits(g, node, range.high - range.low + own);
}

hb_quality hb_node_expected_within_range(const hb_facts *f, const hb_node *node, hb_quality quality)
{
    const hb_graph *g = f->graph;
    if (!g->semantics->reals) {
        return quality;
    }
    const double most = fmax(most_expected(f, node), 0);
    if (quality.expected > most) {
        quality.expected = most;
        quality.even = fmin(quality.even, most);
        quality.peak = fmin(quality.peak, most);
        quality.systematic.most = fmin(quality.systematic.most, most);
        quality.systematic.mean = fmin(quality.systematic.mean, most);
    }
    return quality;
}

hb_quality hb_node_within_range(const hb_facts *f, const hb_node *node, hb_quality quality)
{
    const hb_graph *g = f->graph;
    const double scale = g->semantics->reals ? hb_quality_bits(g->params, node->shape.limbs, 0) : 0;
    if (is_stage(node) && quality.worst > scale) { /* below, nothing is as narrow */
        const double most = worst_of_stage(f, node, scale);
        if (quality.worst > most) {
            quality.worst = most;
            quality.norm = fmin(quality.norm, most);
            quality.expected = fmin(quality.expected, most);
        }
    }
    if (g->semantics->reals) {
        quality.worst = fmin(quality.worst, NOTHING_PROVEN);
        quality.norm = fmin(quality.norm, NOTHING_PROVEN);
    }
    return hb_node_expected_within_range(f, node, quality);
}
