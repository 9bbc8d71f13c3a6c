#include "annotate.h"

#include <math.h>

#include "ring/galois.h"
#include "scheme/quality.h"

void hb_graph_need(hb_graph *g, const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        g->nodes[nodes[i]].used = true;
        g->nodes[nodes[i]].two = true;
    }
}

/* Everything below what is needed, and which of it a product or a rotation takes. */
static void mark(hb_graph *g)
{
    for (uint32_t i = g->count; i-- > 0;) { /* operands are older than what is made of them */
        const hb_node *node = &g->nodes[i];
        const bool two = node->op == HB_OP_MULTIPLY || node->op == HB_OP_ROTATE || node->op == HB_OP_SWAP;
        const uint32_t operands[] = {node->a, node->b};
        for (int j = 0; j < 2; j++) {
            if (node->used && operands[j] != HB_NO_NODE) {
                g->nodes[operands[j]].used = true;
                g->nodes[operands[j]].two |= two;
            }
        }
    }
}

static uint32_t raw_size(const hb_graph *g, const hb_node *node)
{
    switch (node->op) {
    case HB_OP_LOAD_PLAIN:
        return 0;
    case HB_OP_MULTIPLY:
        return 3;
    case HB_OP_LOAD:
    case HB_OP_ROTATE:
    case HB_OP_SWAP:
    case HB_OP_SUM_SLOTS:
        return 2;
    default:
        break;
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
        const uint32_t operands[] = {node->a, node->b};
        for (int j = 0; j < 2; j++) {
            if (operands[j] != HB_NO_NODE) {
                const hb_node *x = &g->nodes[operands[j]];
                const uint32_t pass = x->pass + (x->total && !node->total); /* totals are there after their pass */
                node->pass = node->pass > pass ? node->pass : pass;
            }
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

int64_t hb_graph_centred(const hb_graph *g, int64_t number)
{
    const int64_t t = (int64_t)g->t, residue = number < 0 ? number + t : number; /* [0, t) */
    return residue > t / 2 ? residue - t : residue;
}

/* What decides over the noise that a factor brings, the quotient of its phase, is nearly the same in these. */
static uint32_t same_factor(const hb_graph *g, uint32_t i)
{
    for (;; i = g->nodes[i].a) {
        switch (g->nodes[i].op) {
        case HB_OP_NEGATE:
        case HB_OP_ADD_PLAIN:
        case HB_OP_SUBTRACT_PLAIN:
        case HB_OP_ADD_CONSTANT:
        case HB_OP_MOD_SWITCH:
            break;
        default:
            return i;
        }
    }
}

/* The factors of a product are those of both operands and the operands themselves; of all else, those of its operands.
 */
static void find_factors(const hb_graph *g, hb_node *node)
{
    const uint32_t operands[] = {node->a, node->b};
    for (int j = 0; j < 2; j++) {
        if (operands[j] != HB_NO_NODE) {
            hb_factors_merge(&node->factors, &g->nodes[operands[j]].factors);
        }
    }
    if (node->op == HB_OP_MULTIPLY) {
        hb_factors_add(&node->factors, same_factor(g, node->a));
    }
    if ((node->op == HB_OP_MULTIPLY && node->b != node->a) || node->op == HB_OP_MULTIPLY_PLAIN) {
        hb_factors_add(&node->factors, same_factor(g, node->b));
    }
}

/* Noise of x as a factor beside the node `other`. */
static hb_quality quality_beside(const hb_graph *g, const hb_node *x, uint32_t other)
{
    return hb_quality_again(g->params, x->quality, hb_factors_times(&x->factors, same_factor(g, other)));
}

static hb_quality plain_product(const hb_graph *g, const hb_node *node, hb_quality a)
{
    const hb_operand *operand = &g->operands[g->nodes[node->b].operand];
    const bool constant = operand->schema->rows == 1 && !hb_graph_partial(g);
    return hb_quality_multiply_plain(g->params, a, constant ? HB_FACTOR_CONSTANT : HB_FACTOR_ANY);
}

static hb_quality switched(const hb_graph *g, const hb_node *node, hb_quality a, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        a = hb_quality_switch(g->params, node->limbs, a);
    }
    return a;
}

/* All automorphisms of the noise add up to N times its constant coefficient and nothing else: in phase, not at
 * random. */
static hb_quality quality_of_sum(const hb_graph *g, const hb_node *node, const hb_node *a)
{
    int64_t steps[HB_GALOIS_MOST_STEPS];
    hb_quality quality = hb_quality_sum(g->params, a->quality, (double)hb_graph_blocks(g));
    quality = switched(g, node, quality, a->size == 3);
    for (uint32_t i = hb_galois_sum_steps(g->n, steps) + 1; i > 0; i--) { /* and the swap */
        const hb_quality moved = switched(g, node, quality, 1);
        quality.worst = hb_quality_add(g->params, quality, moved).worst;
        quality.expected = hb_quality_scale(g->params, moved, 2).expected;
    }
    return quality;
}

static hb_quality quality_of(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a], *b = node->b == HB_NO_NODE ? a : &g->nodes[node->b];
    int64_t steps[HB_GALOIS_MOST_STEPS];
    switch (node->op) {
    case HB_OP_ADD:
    case HB_OP_SUBTRACT:
        return a == b ? hb_quality_scale(g->params, a->quality, 2) : hb_quality_add(g->params, a->quality, b->quality);
    case HB_OP_ADD_PLAIN:
    case HB_OP_SUBTRACT_PLAIN:
    case HB_OP_ADD_CONSTANT:
        return hb_quality_add_plain(g->params, a->quality);
    case HB_OP_MULTIPLY_PLAIN:
        return plain_product(g, node, quality_beside(g, a, node->b));
    case HB_OP_MASK:
        return hb_quality_multiply_plain(g->params, a->quality, HB_FACTOR_ANY);
    case HB_OP_SCALE:
        return hb_quality_scale(g->params, a->quality, fabs((double)hb_graph_centred(g, node->number)));
    case HB_OP_MULTIPLY:
        return hb_quality_multiply(g->params, node->limbs, (hb_quality_factor){quality_beside(g, a, node->b), 2},
                                   (hb_quality_factor){quality_beside(g, b, node->a), 2});
    case HB_OP_MOD_SWITCH:
        return hb_quality_mod_switch(g->params, a->limbs, a->quality, a->size);
    case HB_OP_ROTATE: /* at worst by the keys of its non-adjacent form */
        return switched(g, node, a->quality, hb_galois_naf(g->n, node->number, steps));
    case HB_OP_SWAP:
        return switched(g, node, a->quality, 1);
    case HB_OP_SUM_SLOTS:
        return quality_of_sum(g, node, a);
    default:
        return a->quality;
    }
}

double hb_node_bits(const hb_graph *g, const hb_node *node, hb_quality_trust trust)
{
    return hb_quality_bits(g->params, node->limbs,
                           trust == HB_QUALITY_WORST ? node->quality.worst : node->quality.expected);
}

static bool switches(const hb_node *node)
{
    return node->op == HB_OP_ROTATE || node->op == HB_OP_SWAP || node->op == HB_OP_SUM_SLOTS ||
           node->size < node->raw_size;
}

hb_status hb_graph_quality(hb_graph *g, hb_quality_trust trust)
{
    for (uint32_t i = 0; i < g->count; i++) {
        hb_node *node = &g->nodes[i];
        if (!node->used || node->op == HB_OP_LOAD_PLAIN) {
            continue;
        }
        if (switches(node) && !hb_params_can_switch(g->params)) {
            return HB_FAIL_AT(
                HB_ECONFIG, g->syntax->text, node->at,
                "products and rotations need keys, which need parameters with a special prime: two primes "
                "or more, all but the last together above t");
        }
        find_factors(g, node);
        node->quality = node->op == HB_OP_LOAD ? g->operands[node->operand].quality : quality_of(g, node);
        if (node->size < node->raw_size) {
            node->quality = switched(g, node, node->quality, 1);
        }
        const double budget =
            hb_node_bits(g, node, trust) - (trust == HB_QUALITY_WORST ? 0 : hb_quality_margin(g->params));
        if (budget < 1) {
            char what[64];
            hb_excerpt(what, sizeof what, g->syntax->text, node->from, node->to);
            return HB_FAIL_AT(HB_EDATA, g->syntax->text, node->at,
                              "no noise budget is left after %s: %.0f bits too few in the %s case", what, 1 - budget,
                              trust == HB_QUALITY_WORST ? "worst" : "expected (and some in hand)");
        }
    }
    return HB_OK;
}
