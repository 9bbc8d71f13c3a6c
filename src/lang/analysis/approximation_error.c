#include "approximation_error.h"

#include <math.h>

#include "approx/approx.h"
#include "error_bits.h"
#include "facts.h"
#include "lang/ir/semantics.h"
#include "moments.h"
#include "rlwe/quality.h"
#include "scheme/quality.h"
#include "sign_drift.h"
#include "transfer_functions.h"

/* --- corners */

/* Returns whether it is the last stage of a sign, brought down to a level and with a number added at most. It is none
 * where an overlay took its error away, as the source of another corner: its values are then independent of its
 * operand. */
static bool is_sign(const hb_facts *f, uint32_t i)
{
    const hb_graph *g = f->graph;
    const hb_node *x = &g->nodes[i];
    bool exact = hb_node_quality(f, x).worst == 0;
    while (hb_sign_passes(x)) {
        x = &g->nodes[x->a];
        exact = exact || hb_node_quality(f, x).worst == 0;
    }
    return x->op == HB_OP_POLYNOMIAL && x->range.steady && !exact;
}

/* Returns the most by which x times sign(x) is off within the gap, as a value, for the imaginary part of x. */
static double drift_within(const hb_facts *over, const hb_node *product)
{
    const hb_graph *g = over->graph;
    const hb_node *last = &g->nodes[hb_kink_factor(over->underlying, product) == product->a ? product->b : product->a];
    while (hb_sign_passes(last)) {
        last = &g->nodes[last->a];
    }
    const hb_drift drift = hb_sign_drift(over, last);
    return drift.kept ? drift.within * product->range.kink_gap * (1 + HB_APPROXIMATION_CORNER_OFF) : HUGE_VAL;
}

uint32_t hb_kink_factor(const hb_facts *f, const hb_node *product)
{
    return is_sign(f, product->a) ? product->b : product->a;
}

/* Nodes that are to be gone through, in rising order, and which operand of the product each is part of: bit 0, the
 * factor, bit 1, the sign. */
typedef struct open_nodes {
    uint32_t node[HB_OVERLAY_MOST], parts[HB_OVERLAY_MOST], count;
} open_nodes;

static bool add(open_nodes *open, uint32_t node, uint32_t parts)
{
    uint32_t at = open->count;
    while (at > 0 && open->node[at - 1] > node) {
        at--;
    }
    if (at > 0 && open->node[at - 1] == node) {
        open->parts[at - 1] |= parts;
        return true;
    }
    if (open->count == HB_OVERLAY_MOST) {
        return false;
    }
    for (uint32_t i = open->count++; i > at; i--) {
        open->node[i] = open->node[i - 1];
        open->parts[i] = open->parts[i - 1];
    }
    open->node[at] = node;
    open->parts[at] = parts;
    return true;
}

static bool add_operands(const hb_graph *g, open_nodes *open, const hb_node *node, uint32_t parts)
{
    const hb_node_list operands = hb_node_operands(g, node);
    for (uint32_t i = 0; i < operands.count; i++) {
        if (!g->nodes[operands.node[i]].shape.plain && !add(open, operands.node[i], parts)) {
            return false;
        }
    }
    return true;
}

/* The parts of such a product, down to the sources that both the factor and its sign are made of. */
typedef struct parts {
    uint32_t node[HB_OVERLAY_MOST], count, source[HB_OVERLAY_MOST], sources;
} parts;

/* Operands are older than their users, so the walk begins with the youngest node: all users of a node come before it. A
 * node on which both the factor and its sign depend is a source. */
static bool find_parts(const hb_graph *g, uint32_t factor, uint32_t sign, parts *p)
{
    open_nodes open = {.count = 0};
    bool there = add(&open, factor, 1) && add(&open, sign, 2);
    p->count = p->sources = 0;
    while (there && open.count > 0) {
        open.count--;
        const uint32_t i = open.node[open.count], of = open.parts[open.count];
        const hb_node *node = &g->nodes[i];
        if (p->count + p->sources == HB_OVERLAY_MOST) {
            return false;
        }
        if (of == 3) {
            p->source[p->sources++] = i;
            continue;
        }
        p->node[p->count++] = i;
        there = !hb_operations[node->op].loads && (node->op != HB_OP_POLYNOMIAL || node->range.steady) &&
                add_operands(g, &open, node, of);
    }
    return there;
}

bool hb_kink_overlay(const hb_facts *f, const hb_node *product, hb_error_overlay *out)
{
    parts p;
    if (product->range.kink_gap == 0 || product->op != HB_OP_MULTIPLY ||
        is_sign(f, product->a) == is_sign(f, product->b)) {
        return false;
    }
    const uint32_t factor = hb_kink_factor(f, product), sign = product->a == factor ? product->b : product->a;
    if (!find_parts(f->graph, factor, sign, &p)) {
        return false;
    }
    out->count = 0;
    for (uint32_t i = 0; i < p.count; i++) {
        /* Factor and sign both take the computed values of a part, so its distance from exact values cancels. */
        hb_facts_overlay_add(out, f, p.node[i])->approximates_nothing = true;
    }
    for (uint32_t i = 0; i < p.sources; i++) {
        hb_quality *source = &hb_facts_overlay_add(out, f, p.source[i])->quality;
        *source = (hb_quality){.powers = source->powers};
    }
    hb_facts over = hb_facts_over(f, out);
    for (uint32_t i = p.count; i-- > 0;) {
        hb_facts_find_error(&over, &f->graph->nodes[p.node[i]]);
    }
    return true;
}

hb_quality hb_kink_quality(const hb_facts *over, const hb_node *product, hb_quality quality)
{
    const hb_facts *f = over->underlying;
    const hb_graph *g = f->graph;
    const double scale = hb_quality_bits(g->params, product->shape.limbs, 0);
    const hb_quality factor = hb_node_quality(f, &g->nodes[hb_kink_factor(f, product)]);
    const double drift = hb_node_error_bits(g, product, drift_within(over, product));
    quality = hb_quality_add(g->params, quality, (hb_quality){.worst = drift, .norm = drift});
    return hb_quality_add(g->params, quality, hb_quality_multiply_integer(g->params, factor, exp2(scale)));
}

/* Returns how large the values of the factor of such a product are. */
static hb_magnitude kink_factor_values(const hb_facts *f, const hb_node *product)
{
    const hb_graph *g = f->graph;
    return hb_node_values(f, &g->nodes[hb_kink_factor(f, product)]);
}

/* --- the error of any approximation */

/* Returns the root of the mean square of the approximation's error over the largest one. At a corner only values within
 * the gap have an error, whose mean square is a third of the largest one's; their share is that of a normal
 * distribution. */
static double share_of(const hb_facts *f, const hb_node *node)
{
    if (node->range.kink_gap == 0) {
        return 1;
    }
    const double deviation = exp2(kink_factor_values(f, node).mean);
    const double there = 2 * node->range.kink_gap / (sqrt(2 * acos(-1)) * deviation);
    return sqrt(fmin(there, 1) / 3);
}

/* Adds the node's own approximation error, which counts like every other one. */
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
