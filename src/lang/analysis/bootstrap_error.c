#include "bootstrap_error.h"

#include <math.h>

#include "lang/program/bootstrap.h"
#include "moments.h"
#include "scheme/bootstrap.h"
#include "scheme/quality.h"

/* The factor that goes in as one: of each bound the larger of both. */
static hb_quality_factor joined(hb_quality_factor a, hb_quality_factor b)
{
    a.quality.worst = fmax(a.quality.worst, b.quality.worst);
    a.quality.expected = fmax(a.quality.expected, b.quality.expected);
    a.quality.norm = fmax(hb_quality_known_norm(a.quality), hb_quality_known_norm(b.quality));
    a.quality.even = fmax(a.quality.even, b.quality.even);
    a.quality.peak = fmax(a.quality.peak, b.quality.peak);
    a.values.most = fmax(a.values.most, b.values.most);
    a.values.mean = fmax(a.values.mean, b.values.mean);
    a.values.peak = fmax(a.values.peak, b.values.peak);
    return a;
}

/* Nothing is left where the noise cannot be bootstrapped (hb_facts_find_errors says why). */
hb_quality hb_refreshed_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const double nothing = 2.0 * g->params->chain_bits;
    const hb_quality a = hb_node_quality(f, &g->nodes[node->a]);
    hb_quality quality = {.worst = nothing, .expected = nothing};
    uint32_t k;
    if (node->op == HB_OP_EXTEND) {
        return hb_quality_extend(g->params, g->nodes[node->a].shape.limbs, a, node->shape.limbs);
    }
    if (node->op == HB_OP_LOOKUP) {
        (void)hb_quality_table(g->params, f->certainty, a, &quality);
    } else if (hb_quality_refresh_bits(g->params, f->certainty, a, &k) == HB_OK) {
        (void)hb_quality_refresh(g->params, f->certainty, k, a, &quality);
    }
    return quality;
}

hb_quality hb_bootstrapped_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    const double nothing = 2.0 * g->params->chain_bits; /* of bits that are left */
    hb_quality quality = {.worst = nothing, .expected = nothing};
    hb_quality_factor factor = {hb_node_quality(f, a), 2, hb_node_values(f, a), false};
    if (node->b != HB_NO_NODE) {
        const hb_node *b = &g->nodes[node->b];
        factor = joined(factor, (hb_quality_factor){hb_node_quality(f, b), 2, hb_node_values(f, b), false});
    }
    const double most = hb_bootstrap_range_bits(node->number);
    factor.values.most = fmin(factor.values.most, most); /* without the outward rounding */
    factor.values.mean = fmin(factor.values.mean, most);
    factor.values.peak = fmin(factor.values.peak, most);
    (void)hb_quality_bootstrap(g->params, hb_bootstrap_kind_of(node->number), hb_bootstrap_range_bits(node->number),
                               hb_bootstrap_is_twice(node->number), factor, &quality);
    return quality;
}
