#include "annotate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "bootstrap.h"
#include "iterated.h"
#include "moments.h"
#include "rules.h"
#include "samples.h"
#include "scheme/quality.h"
#include "semantics.h"
#include "within.h"

void hb_graph_need(hb_graph *g, const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        g->nodes[nodes[i]].stored = true;
        g->nodes[nodes[i]].used = true;
        g->nodes[nodes[i]].two = true;
    }
}

/* Everything below what is needed, and which of it a product or a rotation takes. */
static void mark(hb_graph *g)
{
    for (uint32_t i = g->count; i-- > 0;) { /* operands are older than what is made of them */
        const hb_node *node = &g->nodes[i];
        const bool two = hb_operations[node->op].two;
        const hb_node_list operands = hb_node_operands(g, node);
        const uint32_t mate = hb_node_bootstrapped_with(g, i);
        if (mate != HB_NO_NODE && node->used) { /* of a pair both are made, of the same operands */
            g->nodes[mate].used = true;
        }
        for (uint32_t j = 0; j < operands.count && node->used; j++) {
            g->nodes[operands.node[j]].used = true;
            g->nodes[operands.node[j]].two |= two;
        }
    }
}

static uint32_t raw_size(const hb_graph *g, const hb_node *node)
{
    const uint32_t own = hb_rules[node->op].components;
    if (own > 0 || hb_operations[node->op].loads) {
        return own;
    }
    const uint32_t a = g->nodes[node->a].size, b = node->b == HB_NO_NODE ? 0 : g->nodes[node->b].size;
    return a > b ? a : b;
}

void hb_graph_sizes(hb_graph *g)
{
    mark(g);
    for (uint32_t i = 0; i < g->count; i++) {
        hb_node *node = &g->nodes[i];
        node->raw_size = raw_size(g, node);
        node->size = node->two && node->raw_size == 3 ? 2 : node->raw_size;
    }
}

hb_status hb_graph_passes(hb_graph *g, uint32_t *passes)
{
    *passes = 1;
    for (uint32_t i = 0; i < g->count; i++) {
        hb_node *node = &g->nodes[i];
        const hb_node_list operands = hb_node_operands(g, node);
        for (uint32_t j = 0; j < operands.count; j++) {
            const hb_node *x = &g->nodes[operands.node[j]];
            const uint32_t pass = x->pass + (x->total && !node->total); /* totals are there after their pass */
            node->pass = node->pass > pass ? node->pass : pass;
        }
        if (node->pass >= HB_MAX_PASSES) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, node->at, "this needs more than %d passes over the data",
                              HB_MAX_PASSES);
        }
        if (node->used && node->pass >= *passes) {
            *passes = node->pass + 1;
        }
    }
    return HB_OK;
}

/* Bits left for a node with that error. That of a product that is not rescaled is times the square of the scale. */
static double bits_left(const hb_graph *g, const hb_node *node, double error)
{
    const double bits = hb_quality_bits(g->params, node->limbs, error);
    return node->scaled ? bits + hb_quality_bits(g->params, node->limbs, 0) : bits;
}

double hb_node_error_value(const hb_graph *g, const hb_node *node, double error)
{
    return error <= 0 ? 0 : exp2(-bits_left(g, node, error));
}

double hb_node_error_bits(const hb_graph *g, const hb_node *node, double value)
{
    return log2(value) + bits_left(g, node, 0);
}

double hb_node_bits(const hb_graph *g, const hb_node *node, hb_quality_trust trust)
{
    return bits_left(g, node, trust == HB_QUALITY_WORST ? node->quality.worst : node->quality.expected);
}

double hb_node_shown_bits(const hb_graph *g, const hb_node *node, hb_quality_trust trust)
{
    if (!g->semantics->reals || node->scaled || !isfinite(node->magnitude)) {
        return hb_node_bits(g, node, trust);
    }
    const hb_quality shown = hb_quality_decoded(g->params, node->limbs, node->quality, hb_node_values(g, node));
    return hb_quality_bits(g->params, node->limbs, trust == HB_QUALITY_WORST ? shown.worst : shown.expected);
}

static hb_status check_keys(const hb_graph *g, const hb_node *node)
{
    const bool rescale = node->op == HB_OP_RESCALE;
    const bool switches = (hb_operations[node->op].switches && !rescale) || hb_node_relinearizes(g, node);
    if (!switches || hb_params_can_switch(g->params)) {
        return HB_OK;
    }
    return HB_FAIL_AT(HB_ECONFIG, g->syntax->text, node->at,
                      "products and rotations need keys, which need parameters with a special prime: %s",
                      g->semantics->chain);
}

/* Whether the level holds the values beside their error: of reals; what is no more than rescaled is seen then. */
static hb_status check_room(const hb_graph *g, const hb_node *node, hb_quality_trust trust)
{
    hb_quality believed = node->quality;
    if (trust == HB_QUALITY_EXPECTED) {
        believed.worst = fmin(believed.worst, believed.expected + hb_quality_margin(g->params));
    }
    const double room = hb_quality_room(g->params, node->limbs, believed);
    if (node->scaled || log2(node->magnitude) <= room) {
        return HB_OK;
    }
    char what[64];
    hb_excerpt(what, sizeof what, g->syntax->text, node->from, node->to);
    if (!node->interval.known) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, node->at,
                          "nobody says between what the values of %s lie, and ciphertexts of reals hold only so large "
                          "ones: say it with --range",
                          what);
    }
    if (!isfinite(room)) {
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, node->at,
                          "the values of %s can be up to %.4g, and %s fills all that ciphertexts with %u prime%s left "
                          "can hold%s",
                          what, node->magnitude,
                          trust == HB_QUALITY_WORST ? "in the worst case their error" : "the expected error",
                          node->limbs, node->limbs == 1 ? "" : "s",
                          trust == HB_QUALITY_WORST ? ", so that nothing is proven of them any more" : "");
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, node->at,
                      "the values of %s can be up to %.4g, and with %u prime%s left ciphertexts hold values up to %.4g",
                      what, node->magnitude, node->limbs, node->limbs == 1 ? "" : "s", exp2(room));
}

static hb_status check_bits(const hb_graph *g, const hb_node *node, hb_quality_trust trust)
{
    if (g->semantics->reals) {
        return check_room(g, node, trust); /* how many bits are wanted is said of results (hb_graph_check_wanted) */
    }
    const double margin = trust == HB_QUALITY_WORST ? 0 : hb_quality_margin(g->params);
    const double bits = hb_node_bits(g, node, trust) - margin;
    if (bits >= 1) {
        return HB_OK;
    }
    char what[64];
    hb_excerpt(what, sizeof what, g->syntax->text, node->from, node->to);
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, node->at, "no %s is left after %s: %.0f bits too few in the %s case",
                      hb_quality_name(g->params->spec.scheme), what, 1 - bits,
                      trust == HB_QUALITY_WORST ? "worst" : "expected (and some in hand)");
}

/* What approximations bring about: bounds with them, less bounds without them. Until the end of the graph the latter
 * stand in the nodes. */
static void find_approximate(hb_graph *g)
{
    g->ideal = true;
    for (uint32_t i = 0; i < g->count && g->approximates; i++) {
        hb_node *node = &g->nodes[i];
        if (node->used && !node->plain) {
            node->quality = hb_node_quality(g, node);
            node->approximate = -exp2(-hb_node_bits(g, node, HB_QUALITY_WORST));
        }
    }
    g->ideal = false;
}

static hb_status find_bounds(hb_graph *g, hb_quality_trust trust)
{
    find_approximate(g);
    for (uint32_t i = 0; i < g->count; i++) {
        hb_node *node = &g->nodes[i];
        if (node->used && !node->plain) {
            HB_TRY(check_keys(g, node));
            node->quality = hb_node_quality(g, node);
            node->quality = hb_node_expected_within_range(g, node, hb_sampled_quality(g, node, node->quality));
            if (g->approximates) {
                const double with = node->approximate + exp2(-hb_node_bits(g, node, HB_QUALITY_WORST));
                node->approximate = isfinite(with) ? fmax(with, 0) : DBL_MAX; /* where nothing is proven */
            }
            HB_TRY(check_bits(g, node, trust));
        }
    }
    return HB_OK;
}

hb_status hb_graph_quality(hb_graph *g, hb_quality_trust trust)
{
    const bool loops = g->syntax->loops, reals = g->semantics->reals;
    hb_status st;
    g->orbits = loops ? hb_orbits_open() : NULL;
    g->samples = reals ? hb_samples_open(g) : NULL;
    if ((loops && g->orbits == NULL) || (reals && g->samples == NULL)) {
        st = HB_FAIL(HB_ENOMEM, "no memory to follow errors through an expression");
        goto done;
    }
    HB_GOTO(find_bounds(g, trust));
    /* Less would be expected than there is. */
    HB_GOTO(loops ? hb_orbits_check(g->orbits) : HB_OK);
    st = reals ? hb_samples_check(g->samples) : HB_OK;
done:
    hb_orbits_close(g->orbits);
    hb_samples_close(g->samples);
    g->orbits = NULL;
    g->samples = NULL;
    return st;
}

hb_status hb_graph_check_proven(const hb_graph *g, uint32_t node, const hb_item *item)
{
    const hb_node *x = &g->nodes[node];
    const double proven = hb_node_bits(g, x, HB_QUALITY_WORST), likely = hb_node_bits(g, x, HB_QUALITY_EXPECTED);
    if (!g->semantics->reals || !x->interval.known || proven >= 0 ||
        exp2(-proven) < hb_interval_magnitude(x->interval)) {
        return HB_OK;
    }
    char what[64], off[32] = "anything";
    hb_excerpt(what, sizeof what, g->syntax->text, item->from, item->to);
    if (proven > -64) {
        snprintf(off, sizeof off, "2^%.1f", -proven);
    }
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, item->at,
                      "%s: values up to %.4g can be off by %s in the worst case, and a result that may be wrong is "
                      "refused; --noise expected trusts likely errors, with %.1f bits; larger scales (keygen "
                      "--scale-bits) prove more",
                      what, hb_interval_magnitude(x->interval), off, likely);
}

hb_status hb_graph_check_wanted(const hb_graph *g, uint32_t node, const hb_item *item, double bits,
                                hb_quality_trust trust)
{
    const double margin = trust == HB_QUALITY_WORST ? 0 : hb_quality_margin(g->params);
    const double left = hb_node_shown_bits(g, &g->nodes[node], trust) - margin;
    if (left >= bits) {
        return HB_OK;
    }
    char what[64];
    hb_excerpt(what, sizeof what, g->syntax->text, item->from, item->to);
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, item->at, "%s has %.1f bits of %s in the %s case, and %g are wanted",
                      what, left, hb_quality_name(g->params->spec.scheme),
                      trust == HB_QUALITY_WORST ? "worst" : "expected", bits);
}
