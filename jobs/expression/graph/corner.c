#include "corner.h"

#include <math.h>

#include "moments.h"
#include "rules.h"
#include "scheme/quality.h"

/* Returns whether it is the last stage of a sign, brought down to a level and with a number added at most. It is none
 * where its error was taken away, as it is the source of another corner: what it is has nothing to do with its operand
 * then. */
static bool is_sign(const hb_graph *g, uint32_t i)
{
    const hb_node *x = &g->nodes[i];
    bool exact = x->quality.worst == 0;
    while (x->op == HB_OP_RESCALE || x->op == HB_OP_ADJUST || x->op == HB_OP_ADD_NUMBER) {
        x = &g->nodes[x->a];
        exact = exact || x->quality.worst == 0;
    }
    return x->op == HB_OP_POLYNOMIAL && x->steady && !exact;
}

uint32_t hb_corner_factor(const hb_graph *g, const hb_node *product)
{
    return is_sign(g, product->a) ? product->b : product->a;
}

/* Nodes that are to be gone through, in rising order, and which operand of the product each is part of: bit 0, the
 * factor, bit 1, the sign. */
typedef struct open_nodes {
    uint32_t node[HB_CORNER_MOST], parts[HB_CORNER_MOST], count;
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
    if (open->count == HB_CORNER_MOST) {
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
        if (!g->nodes[operands.node[i]].plain && !add(open, operands.node[i], parts)) {
            return false;
        }
    }
    return true;
}

/* Operands are older than what is made of them, so the youngest is gone through first: all that is made of it was. What
 * both the factor and its sign are made of is a source. */
static bool find_nodes(hb_corner *c)
{
    const hb_graph *g = c->graph;
    const hb_node *product = &g->nodes[c->product];
    const uint32_t sign = product->a == c->factor ? product->b : product->a;
    open_nodes open = {.count = 0};
    bool there = add(&open, c->factor, 1) && add(&open, sign, 2);
    c->count = c->sources = 0;
    while (there && open.count > 0) {
        open.count--;
        const uint32_t i = open.node[open.count], parts = open.parts[open.count];
        const hb_node *node = &g->nodes[i];
        if (c->count + c->sources == HB_CORNER_MOST) {
            return false;
        }
        if (parts == 3) {
            c->source[c->sources++] = i;
            continue;
        }
        c->node[c->count++] = i;
        there = !hb_operations[node->op].loads && (node->op != HB_OP_POLYNOMIAL || node->steady) &&
                add_operands(g, &open, node, parts);
    }
    return there;
}

bool hb_corner_begin(hb_corner *c, const hb_graph *g, const hb_node *product)
{
    if (product->cornered == 0 || product->op != HB_OP_MULTIPLY || is_sign(g, product->a) == is_sign(g, product->b)) {
        return false;
    }
    c->graph = g;
    c->product = (uint32_t)(product - g->nodes);
    c->factor = hb_corner_factor(g, product);
    if (!find_nodes(c)) {
        return false;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        hb_node *node = &g->nodes[c->node[i]];
        c->kept[i] = node->quality;
        c->missed[i] = node->missed;
        c->moments[i] = node->moments;
        node->missed = 0; /* both are made of the values that it has, whatever these stand for */
    }
    for (uint32_t i = 0; i < c->sources; i++) {
        hb_quality *source = &g->nodes[c->source[i]].quality;
        c->kept[c->count + i] = *source;
        *source = (hb_quality){.powers = source->powers};
    }
    for (uint32_t i = c->count; i-- > 0;) {
        hb_node *node = &g->nodes[c->node[i]];
        node->quality = hb_node_quality(g, node);
    }
    return true;
}

hb_quality hb_corner_end(const hb_corner *c, hb_quality quality)
{
    const hb_graph *g = c->graph;
    for (uint32_t i = 0; i < c->count; i++) {
        g->nodes[c->node[i]].quality = c->kept[i];
        g->nodes[c->node[i]].missed = c->missed[i];
        g->nodes[c->node[i]].moments = c->moments[i];
    }
    for (uint32_t i = 0; i < c->sources; i++) {
        g->nodes[c->source[i]].quality = c->kept[c->count + i];
    }
    const double scale = hb_quality_bits(g->params, g->nodes[c->product].limbs, 0);
    const hb_quality factor = hb_quality_multiply_integer(g->params, g->nodes[c->factor].quality, exp2(scale));
    return hb_quality_add(g->params, quality, factor);
}

hb_magnitude hb_corner_factor_values(const hb_graph *g, const hb_node *product)
{
    return hb_node_values(g, &g->nodes[hb_corner_factor(g, product)]);
}
