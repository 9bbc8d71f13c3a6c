/* A factor moves down from a node to nodes that absorb it: products with numbers, and changes of level, placed or not,
 * which are such products. It passes through linear operations, into all terms of a sum and into one factor of a
 * product. Other nodes stay unchanged; nodes above are made anew. No node changes its level. */
#include "scale_folding.h"

#include <math.h>
#include <stdlib.h>

#include "base/seed.h"
#include "blocks.h"
#include "collect_terms.h"
#include "rlwe/params.h"
#include "rules.h"
#include "scale_way.h"
#include "semantics.h"

/* A change of level is a product with a number at the level above it. */
static hb_status absorb_adjust(hb_graph *g, const hb_node *node, double factor, uint32_t *out)
{
    const uint32_t above = node->shape.limbs + hb_params_level_limbs(g->params);
    uint32_t a = node->a;
    if (hb_node_rest_limbs(g, a) > above) {
        HB_TRY(hb_graph_unary(g, HB_OP_ADJUST, a, above, &a));
    }
    /* Also of a whole one, whose product would stay above. */
    HB_TRY(hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, a, factor, &a));
    return hb_graph_gather(g, a, out);
}

static hb_status absorb_combination(hb_graph *g, uint32_t i, double factor, uint32_t *out)
{
    HB_TRY(g->semantics->multiple(g, i, (hb_number){.real = factor}, out));
    /* Numbers that a factor would lose keep theirs, and it would be a product of its own. */
    return g->nodes[*out].shape.limbs == g->nodes[i].shape.limbs && g->nodes[*out].shape.scaled
               ? HB_OK
               : HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                            "weights are too small for a factor of %.4g, which the interval asks for", factor);
}

/* Makes the sum of `a` and the row of constants of a node times a number. HB_ENOMEM. */
static hb_status add_row_times(hb_graph *g, uint32_t node, uint32_t a, double number, uint32_t *out)
{
    const hb_row_entry row = *hb_row_of(g, &g->nodes[node]);
    double *values = malloc(row.columns * sizeof *values);
    if (values == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the constants of an expression");
    }
    for (uint32_t j = 0; j < row.columns; j++) {
        values[j] = row.values[j] * number;
    }
    const hb_status st = hb_graph_add_row(g, a, values, out);
    hb_wipe(values, row.columns * sizeof *values);
    free(values);
    return st;
}

/* Makes an operand of a node times the factor: its new node, or, where it is to be brought down, a product that does
 * both. */
static hb_status remake_operand(hb_graph *g, const hb_node *node, uint32_t operand, double factor, const uint32_t *made,
                                uint32_t *out)
{
    if (hb_node_is_brought_down(g, node, operand)) {
        return hb_graph_unary_real(g, HB_OP_MULTIPLY_NUMBER, operand, factor, out);
    }
    *out = made[operand];
    return HB_OK;
}

/* Makes the node anew, times the factor. made: the new nodes of its operands that the factor passed. */
static hb_status remake(hb_graph *g, uint32_t i, double factor, const uint32_t *made, uint32_t *out)
{
    hb_node node = g->nodes[i];
    const hb_scale_way to = hb_node_scale_way(g, &node);
    if (node.op == HB_OP_ADJUST) {
        return absorb_adjust(g, &node, factor, out);
    }
    if (node.op == HB_OP_COMBINE) {
        return absorb_combination(g, i, factor, out);
    }
    if (node.op == HB_OP_MATRIX) {
        return hb_graph_matrix_times(g, i, factor, out);
    }
    if (node.op == HB_OP_ADD_ROW) {
        return add_row_times(g, i, made[node.a], factor, out);
    }
    if (to == HB_SCALE_WAY_HERE || to == HB_SCALE_WAY_A_ALSO) {
        node.real *= factor;
    }
    const hb_node before = node;
    if (to != HB_SCALE_WAY_B && to != HB_SCALE_WAY_HERE) {
        HB_TRY(remake_operand(g, &before, before.a, factor, made, &node.a));
    }
    if (to == HB_SCALE_WAY_B || to == HB_SCALE_WAY_BOTH) {
        HB_TRY(remake_operand(g, &before, before.b, factor, made, &node.b));
    }
    return hb_graph_node(g, &node, out);
}

/* Puts an operand of a node onto the way. */
static void go_on(const hb_graph *g, const hb_node *node, uint32_t operand, uint32_t *made)
{
    if (!hb_node_is_brought_down(g, node, operand)) {
        made[operand] = operand;
    }
}

/* made [a + 1]: HB_NO_NODE beside the way, else the node that it became; any other number before that. */
static hb_status push(hb_graph *g, uint32_t a, double factor, uint32_t *made, uint32_t *out)
{
    for (uint32_t i = 0; i <= a; i++) {
        made[i] = HB_NO_NODE;
    }
    made[a] = a;
    for (uint32_t i = a + 1; i-- > 0;) { /* operands are older than their users */
        if (made[i] == HB_NO_NODE) {
            continue;
        }
        const hb_node *node = &g->nodes[i];
        const hb_scale_way to = hb_node_scale_way(g, node);
        if (to == HB_SCALE_WAY_A || to == HB_SCALE_WAY_BOTH || to == HB_SCALE_WAY_A_ALSO) {
            go_on(g, node, node->a, made);
        }
        if (to == HB_SCALE_WAY_B || to == HB_SCALE_WAY_BOTH) {
            go_on(g, node, node->b, made);
        }
    }
    for (uint32_t i = 0; i <= a; i++) {
        if (made[i] != HB_NO_NODE) {
            HB_TRY(remake(g, i, factor, made, &made[i]));
        }
    }
    *out = made[a];
    return HB_OK;
}

static hb_status scale(hb_graph *g, uint32_t a, double factor, uint32_t *out)
{
    if (factor == 1 || !g->nodes[a].shape.scale_folds) {
        return hb_graph_scale(g, a, (hb_number){.real = factor}, out);
    }
    uint32_t *made = malloc(((size_t)a + 1) * sizeof *made);
    if (made == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the graph of an expression");
    }
    const hb_status st = push(g, a, factor, made, out);
    free(made);
    return st;
}

/* A number that is added to products with numbers: these take the factor, and no level more. *out is HB_NO_NODE where
 * `a` is another node. */
static hb_status scale_below_number(hb_graph *g, uint32_t a, double factor, double offset, uint32_t *out)
{
    const hb_node sum = g->nodes[a];
    *out = HB_NO_NODE;
    if (sum.op != HB_OP_ADD_NUMBER || sum.shape.scale_folds) {
        return HB_OK;
    }
    HB_TRY(hb_graph_collect_terms(g, sum.a, factor, out));
    const hb_number number = {.real = factor * sum.real + offset};
    return *out != HB_NO_NODE ? hb_graph_add_constant(g, *out, number, out) : HB_OK;
}

hb_status hb_graph_affine(hb_graph *g, uint32_t a, double factor, double offset, uint32_t *out)
{
    HB_TRY(hb_graph_gather(g, a, &a));
    HB_TRY(scale_below_number(g, a, factor, offset, out));
    if (*out != HB_NO_NODE) {
        return HB_OK;
    }
    HB_TRY(scale(g, a, factor, &a));
    if (g->nodes[a].op == HB_OP_ADD_NUMBER) { /* one sum in the place of two */
        offset += g->nodes[a].real;
        a = g->nodes[a].a;
    }
    return hb_graph_add_constant(g, a, (hb_number){.real = offset}, out);
}
