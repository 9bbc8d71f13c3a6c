#include "bootstrap.h"

#include <math.h>

#include "expression/program/bootstrap.h"
#include "moments.h"
#include "scheme/bootstrap.h"
#include "scheme/quality.h"
#include "semantics.h"

int hb_node_bootstrap_bits(const hb_node *node)
{
    /* A bound that was rounded outwards may be a little above a power of two. */
    const double bits = ceil(log2(fmax(node->magnitude, 1)) - 0x1p-20);
    return bits <= HB_BOOTSTRAP_MOST_BITS ? (int)bits : -1; /* infinite where it is not known */
}

uint32_t hb_bootstrapped_limbs(const hb_graph *g)
{
    uint32_t operands, results;
    hb_bootstrap_limbs(g->params, &operands, &results);
    return results;
}

hb_status hb_graph_check_bootstrap(const hb_graph *g, uint32_t a)
{
    const hb_node *x = &g->nodes[a];
    char what[64];
    if (hb_node_bootstrap_bits(x) >= 0) {
        return HB_OK;
    }
    hb_excerpt(what, sizeof what, g->syntax->text, x->from, x->to);
    if (!isfinite(x->magnitude)) {
        return HB_FAIL_AT(
            HB_EUSAGE, g->syntax->text, x->at,
            "levels do not suffice, and bootstrapping, which gives values levels again, needs to know how "
            "large they are: nobody says between what those of %s lie; say it with --range",
            what);
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, x->at,
                      "levels do not suffice, and values of %s can be up to %.4g: bootstrapping, which gives values "
                      "levels again, takes those up to 2^%d",
                      what, x->magnitude, HB_BOOTSTRAP_MOST_BITS);
}

/* Brings `a` to where bootstrapping takes it. */
static hb_status lowered(hb_graph *g, uint32_t a, uint32_t *out)
{
    uint32_t operands, results;
    HB_TRY(hb_graph_check_bootstrap(g, a));
    HB_TRY(hb_graph_rest(g, a, out));
    hb_bootstrap_limbs(g->params, &operands, &results);
    if (g->nodes[*out].limbs < operands) {
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->nodes[a].at,
                          "bootstrapping takes values that have %u primes left, and these have %u", operands,
                          g->nodes[*out].limbs);
    }
    return g->nodes[*out].limbs > operands ? hb_graph_unary(g, HB_OP_ADJUST, *out, operands, out) : HB_OK;
}

static hb_status bootstrapped(hb_graph *g, uint32_t a, uint32_t b, int64_t number, uint32_t *out)
{
    const hb_node node = {.op = HB_OP_BOOTSTRAP, .a = a, .b = b, .number = number, .total = g->nodes[a].total};
    return hb_graph_node(g, &node, out);
}

hb_status hb_graph_bootstrap(hb_graph *g, uint32_t a, uint32_t *out)
{
    HB_TRY(lowered(g, a, &a));
    const hb_node *node = &g->nodes[a];
    const bool alone = node->total || hb_graph_blocks(g) < 2;
    const hb_bootstrap_kind kind = node->halves != HB_HALVES_REAL ? HB_BOOTSTRAP_COMPLEX
                                   : alone                        ? HB_BOOTSTRAP_REAL
                                                                  : HB_BOOTSTRAP_NEIGHBOURS;
    return bootstrapped(g, a, HB_NO_NODE,
                        hb_bootstrap_number(kind, (uint32_t)hb_node_bootstrap_bits(node), g->bootstrapped_twice), out);
}

hb_status hb_graph_bootstrap_pair(hb_graph *g, const uint32_t a[2], uint32_t out[2])
{
    uint32_t x, y;
    HB_TRY(lowered(g, a[0], &x));
    HB_TRY(lowered(g, a[1], &y));
    if (x == y) { /* what was made in two ways came to the same */
        HB_TRY(hb_graph_bootstrap(g, a[0], &out[0]));
        out[1] = out[0];
        return HB_OK;
    }
    HB_ASSERT(g->nodes[x].halves == HB_HALVES_REAL && g->nodes[y].halves == HB_HALVES_REAL &&
              g->nodes[x].total == g->nodes[y].total);
    const int first = hb_node_bootstrap_bits(&g->nodes[x]), second = hb_node_bootstrap_bits(&g->nodes[y]);
    const int64_t number =
        hb_bootstrap_number(HB_BOOTSTRAP_PAIR, (uint32_t)(first > second ? first : second), g->bootstrapped_twice);
    HB_TRY(bootstrapped(g, x, y, number, &out[0]));
    return bootstrapped(g, y, x, number, &out[1]);
}

uint32_t hb_node_bootstrapped_with(const hb_graph *g, uint32_t i)
{
    const hb_node *node = &g->nodes[i];
    if (node->op != HB_OP_BOOTSTRAP || node->b == HB_NO_NODE) {
        return HB_NO_NODE;
    }
    const bool next = i + 1 < g->count && g->nodes[i + 1].op == HB_OP_BOOTSTRAP && g->nodes[i + 1].a == node->b &&
                      g->nodes[i + 1].b == node->a;
    return next ? i + 1 : i - 1;
}

bool hb_bootstrapped_clean(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].clean; /* whatever it is bootstrapped with */
}

/* Of what goes in as one: the larger of both. */
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

hb_quality hb_bootstrapped_quality(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    const double nothing = 2.0 * g->params->chain_bits; /* of bits that are left */
    hb_quality quality = {.worst = nothing, .expected = nothing};
    hb_quality_factor factor = {a->quality, 2, hb_node_values(g, a), false};
    if (node->b != HB_NO_NODE) {
        const hb_node *b = &g->nodes[node->b];
        factor = joined(factor, (hb_quality_factor){b->quality, 2, hb_node_values(g, b), false});
    }
    const double most = hb_bootstrap_range_bits(node->number);
    factor.values.most = fmin(factor.values.most, most); /* but for what was rounded outwards */
    factor.values.mean = fmin(factor.values.mean, most);
    factor.values.peak = fmin(factor.values.peak, most);
    (void)hb_quality_bootstrap(g->params, hb_bootstrap_kind_of(node->number), hb_bootstrap_range_bits(node->number),
                               hb_bootstrap_is_twice(node->number), factor, &quality);
    return quality;
}
